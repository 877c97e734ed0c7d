//! ROAD-8: commands come from the config, else from the manifests; `null` is a decision.

use proptest::prelude::*;

use super::*;

fn manifests(files: &[(&str, &str)]) -> Manifests {
    let texts = files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
    Manifests { texts, present: files.iter().map(|(name, _)| name.to_string()).collect() }
}

fn detected(files: &[(&str, &str)]) -> String {
    let (commands, _) = settle("config.json", &ProjectConfig::default(), &manifests(files));
    let lines: Vec<String> = commands
        .iter()
        .map(|(slot, command)| format!("{}: {}", slot.word(), command.line))
        .collect();
    lines.join("; ")
}

#[test]
fn each_manifest_tells_its_commands() {
    let check =
        |files: &[(&str, &str)], expected: &str| assert_eq!(detected(files), expected, "{files:?}");
    check(&[], "");
    check(
        &[(
            "package.json",
            r#"{"scripts":{"typecheck":"tsc","test":"vitest","lint":"eslint","build":"vite build"}}"#,
        )],
        "compile: npm run typecheck; test: npm test; lint: npm run lint; build: npm run build",
    );
    check(
        &[
            ("package.json", r#"{"scripts":{"test":"x"},"devDependencies":{"typescript":"5"}}"#),
            ("tsconfig.json", "{}"),
            ("pnpm-lock.yaml", ""),
        ],
        "compile: npx tsc --noEmit; test: pnpm test",
    );
    check(
        &[(
            "package.json",
            r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#,
        )],
        "",
    );
    check(
        &[("package.json", r#"{"packageManager":"yarn@4","scripts":{"compile":"x"}}"#)],
        "compile: yarn run compile",
    );
    check(&[("package.json", "{")], "");
    check(
        &[("pyproject.toml", "[tool.mypy]\n[tool.pytest.ini_options]\n[tool.ruff]\n")],
        "compile: mypy .; test: python3 -m pytest; lint: ruff check .",
    );
    check(
        &[
            (
                "pyproject.toml",
                "[build-system]\n[dependency-groups]\ndev = [\"pytest\", \"ruff\"]\n",
            ),
            ("uv.lock", ""),
        ],
        "test: uv run pytest; lint: uv run ruff check .; build: uv build",
    );
    check(
        &[("pyproject.toml", "[project]\nname='x'\n"), ("tests", "")],
        "test: python3 -m unittest discover",
    );
}

#[test]
fn pytest_is_found_without_a_pyproject_too() {
    let check = |files: &[(&str, &str)], expected: &str| {
        assert_eq!(detected(files), expected, "{files:?}");
    };
    const PYTEST: &str = "test: python3 -m pytest";
    check(&[("pytest.ini", "[pytest]\n"), ("tests", "")], PYTEST);
    check(&[("setup.cfg", "[metadata]\n[tool:pytest]\n")], PYTEST);
    check(&[("setup.cfg", "[metadata]\nname = pytest-user\n")], "");
    check(&[("requirements.txt", "flask>=3\npytest==8.3\n")], PYTEST);
    check(&[("requirements-dev.txt", "-r requirements.txt\nPyTest-Cov\n")], PYTEST);
    check(&[("requirements.txt", "flask\n# pytest\n"), ("tests", "")], "");
    check(
        &[("pyproject.toml", "[tool.poetry]\n"), ("requirements.txt", "pytest\n")],
        "test: poetry run pytest; build: poetry build",
    );
    // What says how a project is tested counts for more than what is installed for some of it.
    check(&[("Makefile", "test:\n\tx\n"), ("requirements.txt", "pytest\n")], "test: make test");
}

#[test]
fn compiled_languages_and_make_tell_theirs() {
    let check = |files: &[(&str, &str)], expected: &str| {
        assert_eq!(detected(files), expected, "{files:?}");
    };
    check(
        &[("Cargo.toml", "[package]\nname='x'\n")],
        "compile: cargo check --all-targets; test: cargo test; lint: cargo clippy --all-targets; build: cargo build",
    );
    check(
        &[("Cargo.toml", "[workspace]\n")],
        "compile: cargo check --workspace --all-targets; test: cargo test --workspace; lint: cargo clippy --workspace --all-targets; build: cargo build --workspace",
    );
    check(
        &[("go.mod", "module x")],
        "compile: go build ./...; test: go test ./...; lint: go vet ./...; build: go build ./...",
    );
    check(
        &[("pom.xml", ""), ("mvnw", "")],
        "compile: ./mvnw -q -B compile; test: ./mvnw -q -B test; build: ./mvnw -q -B package -DskipTests",
    );
    check(
        &[("build.gradle.kts", "")],
        "compile: gradle -q classes; test: gradle -q test; build: gradle -q assemble",
    );
    check(
        &[("Makefile", "CC := gcc\nbuild: a.o\ntest lint:\n\t./t\ncompile=1\n")],
        "test: make test; lint: make lint; build: make build",
    );
}

#[test]
fn the_config_wins_and_null_is_a_decision() {
    let config = ProjectConfig {
        test: Configured::Line("./t".into()),
        lint: Configured::None,
        ..ProjectConfig::default()
    };
    let (commands, _) = settle(".planning/config.json", &config, &manifests(&[("Cargo.toml", "")]));
    let test =
        ProjectCommand { line: "./t".to_string(), source: ".planning/config.json".to_string() };
    assert_eq!(commands.get(Slot::Test), Some(&test));
    assert_eq!(commands.get(Slot::Lint), None);
    assert_eq!(commands.declined, [Slot::Lint]);
    assert_eq!(commands.sources(), ["Cargo.toml", ".planning/config.json"]);
}

#[test]
fn two_manifests_are_told_of_and_the_config_can_name_one() {
    let files = manifests(&[("package.json", r#"{"scripts":{"test":"x"}}"#), ("Cargo.toml", "")]);
    let (commands, findings) = settle("c", &ProjectConfig::default(), &files);
    assert_eq!(commands.get(Slot::Test).unwrap().line, "npm test");
    assert_eq!(findings.len(), 1);
    let only =
        ProjectConfig { manifest: Some("./Cargo.toml".to_string()), ..ProjectConfig::default() };
    let (commands, findings) = settle("c", &only, &files);
    assert_eq!(commands.get(Slot::Test).unwrap().line, "cargo test");
    assert_eq!(findings, []);
}

proptest! {
    #[test]
    fn any_manifest_is_read_without_a_panic(name in 0..MANIFESTS.len(), text in "\\PC{0,60}(\n\\PC{0,20}){0,4}") {
        let _ = detected(&[(MANIFESTS[name], &text)]);
    }
}
