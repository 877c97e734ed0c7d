//! One detector a manifest: which commands a package.json, pyproject.toml, Cargo.toml, go.mod, pom.xml, Gradle file, Makefile or what
//! else names pytest tells of.

use serde_json::Value;

use crate::commands::{MANIFESTS, Manifests, ProjectCommand, Slot};
use crate::finding::{Finding, Findings};

type Found = Vec<(Slot, String)>;

/// Everything detected, manifest by manifest. `only` is the manifest the config names, if it names one.
pub(super) fn all(
    manifests: &Manifests,
    only: Option<&str>,
    findings: &mut Vec<Finding>,
) -> Vec<(Slot, ProjectCommand)> {
    let mut detected = Vec::new();
    for name in MANIFESTS
        .iter()
        .filter(|name| only.is_none_or(|only| only.trim_start_matches("./") == **name))
    {
        let Some(text) = manifests.texts.get(*name) else { continue };
        let found = match *name {
            "package.json" => package_json(text, manifests, findings),
            "pyproject.toml" => pyproject(text, manifests),
            "Cargo.toml" => cargo(text),
            "go.mod" => go(),
            "pom.xml" => maven(manifests),
            "build.gradle" | "build.gradle.kts" => gradle(manifests),
            "Makefile" => makefile(text),
            // A pyproject.toml has looked at these too, and knows with which program they are run.
            _ if only.is_none() && manifests.texts.contains_key("pyproject.toml") => Vec::new(),
            name => pytest(name, text),
        };
        let command = |line: String| ProjectCommand { line, source: (*name).to_string() };
        detected.extend(found.into_iter().map(|(slot, line)| (slot, command(line))));
    }
    detected
}

fn has(manifests: &Manifests, name: &str) -> bool {
    manifests.present.iter().any(|present| present == name)
}

fn package_json(text: &str, manifests: &Manifests, findings: &mut Vec<Finding>) -> Found {
    let package: Value = match serde_json::from_str(text.strip_prefix('\u{FEFF}').unwrap_or(text)) {
        Ok(package) => package,
        Err(error) => {
            let mut broken = Findings::of_file("package.json");
            let line = u32::try_from(error.line()).unwrap_or(1).max(1);
            broken.warn(
                line,
                format!("this is not valid JSON ({error}); no command is detected from it"),
            );
            findings.extend(broken.into_list());
            return Vec::new();
        }
    };
    let manager = package_manager(&package, manifests);
    let script = |name: &str| {
        package
            .get("scripts")
            .and_then(|scripts| scripts.get(name))
            .and_then(Value::as_str)
            .filter(|line| !line.trim().is_empty())
    };
    let run = |name: &str| format!("{manager} run {name}");
    let mut found = Vec::new();
    if let Some(name) =
        ["compile", "typecheck", "type-check", "tsc"].iter().find(|name| script(name).is_some())
    {
        found.push((Slot::Compile, run(name)));
    } else if has(manifests, "tsconfig.json") && uses_typescript(&package) {
        found.push((Slot::Compile, "npx tsc --noEmit".to_string()));
    }
    // What `npm init` writes is a placeholder that always fails.
    if script("test").is_some_and(|line| !line.contains("no test specified")) {
        found.push((Slot::Test, format!("{manager} test")));
    }
    for (slot, name) in [(Slot::Lint, "lint"), (Slot::Build, "build")] {
        if script(name).is_some() {
            found.push((slot, run(name)));
        }
    }
    found
}

fn package_manager(package: &Value, manifests: &Manifests) -> &'static str {
    let named = package.get("packageManager").and_then(Value::as_str).unwrap_or_default();
    let managers = [
        ("pnpm", "pnpm-lock.yaml"),
        ("yarn", "yarn.lock"),
        ("bun", "bun.lock"),
        ("bun", "bun.lockb"),
    ];
    let declared = managers.iter().find(|(name, _)| named.starts_with(name));
    let locked = managers.iter().find(|(_, lock)| has(manifests, lock));
    declared.or(locked).map_or("npm", |(name, _)| name)
}

fn uses_typescript(package: &Value) -> bool {
    ["devDependencies", "dependencies"]
        .iter()
        .any(|list| package.get(list).and_then(|list| list.get("typescript")).is_some())
}

/// The sections and the dependency texts are enough; a full TOML reader would find no more.
fn pyproject(text: &str, manifests: &Manifests) -> Found {
    let has_section = |name: &str| {
        text.lines()
            .map(str::trim)
            .any(|line| line.strip_prefix('[').is_some_and(|rest| rest.starts_with(name)))
    };
    let mentions = |name: &str| {
        text.lines().any(|line| !line.trim_start().starts_with('#') && line.contains(name))
    };
    let runner = if has(manifests, "uv.lock") || has_section("tool.uv") {
        "uv run "
    } else if has(manifests, "poetry.lock") || has_section("tool.poetry") {
        "poetry run "
    } else {
        ""
    };
    let mut found = Vec::new();
    if has_section("tool.mypy") {
        found.push((Slot::Compile, format!("{runner}mypy .")));
    } else if has_section("tool.pyright") {
        found.push((Slot::Compile, format!("{runner}pyright")));
    }
    let has_pytest = has_section("tool.pytest")
        || mentions("pytest")
        || has(manifests, "pytest.ini")
        || manifests.texts.iter().any(|(name, text)| asks_for_pytest(name, text));
    if has_pytest {
        found.push((
            Slot::Test,
            if runner.is_empty() { PYTEST.to_string() } else { format!("{runner}pytest") },
        ));
    } else if has(manifests, "tests") || has(manifests, "test") {
        found.push((Slot::Test, format!("{runner}python3 -m unittest discover")));
    }
    if has_section("tool.ruff") || has(manifests, "ruff.toml") || mentions("ruff") {
        found.push((Slot::Lint, format!("{runner}ruff check .")));
    } else if has_section("tool.flake8") || mentions("flake8") {
        found.push((Slot::Lint, format!("{runner}flake8")));
    }
    match runner {
        "uv run " if has_section("build-system") => {
            found.push((Slot::Build, "uv build".to_string()));
        }
        "poetry run " => found.push((Slot::Build, "poetry build".to_string())),
        _ => {}
    }
    found
}

const PYTEST: &str = "python3 -m pytest";

fn pytest(name: &str, text: &str) -> Found {
    let found = asks_for_pytest(name, text).then(|| (Slot::Test, PYTEST.to_string()));
    found.into_iter().collect()
}

/// Whether a file beside pyproject.toml says that tests are run by pytest. A plugin of pytest needs pytest.
fn asks_for_pytest(name: &str, text: &str) -> bool {
    let has_line = |start: &str| {
        text.lines().any(|line| line.trim_start().to_ascii_lowercase().starts_with(start))
    };
    match name {
        "pytest.ini" => true,
        "setup.cfg" => has_line("[tool:pytest]"),
        name => name.contains("requirements") && has_line("pytest"),
    }
}

fn cargo(text: &str) -> Found {
    let is_workspace = text.lines().any(|line| line.trim().starts_with("[workspace"));
    let scope = if is_workspace { " --workspace" } else { "" };
    vec![
        (Slot::Compile, format!("cargo check{scope} --all-targets")),
        (Slot::Test, format!("cargo test{scope}")),
        (Slot::Lint, format!("cargo clippy{scope} --all-targets")),
        (Slot::Build, format!("cargo build{scope}")),
    ]
}

fn go() -> Found {
    vec![
        (Slot::Compile, "go build ./...".to_string()),
        (Slot::Test, "go test ./...".to_string()),
        (Slot::Lint, "go vet ./...".to_string()),
        (Slot::Build, "go build ./...".to_string()),
    ]
}

fn maven(manifests: &Manifests) -> Found {
    let program = if has(manifests, "mvnw") { "./mvnw" } else { "mvn" };
    vec![
        (Slot::Compile, format!("{program} -q -B compile")),
        (Slot::Test, format!("{program} -q -B test")),
        (Slot::Build, format!("{program} -q -B package -DskipTests")),
    ]
}

fn gradle(manifests: &Manifests) -> Found {
    let program = if has(manifests, "gradlew") { "./gradlew" } else { "gradle" };
    vec![
        (Slot::Compile, format!("{program} -q classes")),
        (Slot::Test, format!("{program} -q test")),
        (Slot::Build, format!("{program} -q assemble")),
    ]
}

fn makefile(text: &str) -> Found {
    let has_target = |name: &str| {
        text.lines().any(|line| {
            let Some((targets, rest)) = line.split_once(':') else { return false };
            !line.starts_with([' ', '\t', '#'])
                && !rest.starts_with('=')
                && targets.split_whitespace().any(|target| target == name)
        })
    };
    let first = |names: &[&str]| {
        names.iter().find(|name| has_target(name)).map(|name| format!("make {name}"))
    };
    let slots: [(Slot, &[&str]); 4] = [
        (Slot::Compile, &["compile", "typecheck", "check"]),
        (Slot::Test, &["test", "tests"]),
        (Slot::Lint, &["lint"]),
        (Slot::Build, &["build", "all"]),
    ];
    slots.iter().filter_map(|(slot, names)| first(names).map(|line| (*slot, line))).collect()
}
