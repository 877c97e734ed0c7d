//! Which crate may know which. Reads the `Cargo.toml` of every crate and the sources of the pure one.

use std::collections::BTreeMap;

use super::Violation;
use super::source::lines_with_word;
use super::tree::Tree;

const CORE: &str = "autopilot-core";
const CORE_SOURCES: &str = "crates/autopilot-core/src/";
const TESTKIT: &str = "autopilot-testkit";

/// What a crate may have under `[dependencies]`, of the crates of this repository. A crate that is not listed is refused, so
/// that a new one is thought about once.
const MAY_KNOW: [(&str, &[&str]); 14] = [
    (CORE, &[]),
    ("autopilot-journal", &[CORE]),
    ("autopilot-agents", &[]),
    ("autopilot-sandbox", &[]),
    ("autopilot-repomap", &[]),
    (
        "autopilot-engine",
        &[CORE, "autopilot-journal", "autopilot-agents", "autopilot-sandbox", "autopilot-repomap"],
    ),
    ("autopilot-tui", &[CORE, "autopilot-journal"]),
    ("autopilot-dashboard", &[CORE, "autopilot-journal"]),
    ("autopilot-mcp", &[CORE, "autopilot-journal"]),
    ("autopilot-cluster", &[CORE, "autopilot-engine"]),
    (
        "autopilot-cli",
        &[
            CORE,
            "autopilot-journal",
            "autopilot-agents",
            "autopilot-sandbox",
            "autopilot-repomap",
            "autopilot-engine",
            "autopilot-tui",
            "autopilot-dashboard",
            "autopilot-mcp",
            "autopilot-cluster",
        ],
    ),
    (TESTKIT, &[CORE]),
    (
        "autopilot-bench",
        &[CORE, "autopilot-journal", "autopilot-agents", "autopilot-engine", TESTKIT],
    ),
    ("xtask", &[CORE, TESTKIT]),
];

/// The pure parsers and types core is built of; whatever else reaches it could reach the world.
const CORE_DEPENDENCIES: [&str; 9] = [
    "memchr",
    "minijinja",
    "schemars",
    "serde",
    "serde-saphyr",
    "serde_json",
    "sha2",
    "thiserror",
    "unicode-width",
];
const CORE_MODULES: [&str; 5] = ["fs", "process", "env", "net", "thread"];
const CORE_TYPES: [&str; 4] = ["SystemTime", "Instant", "HashMap", "HashSet"];

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let table = BTreeMap::from(MAY_KNOW);
    let mut found = Vec::new();
    let is_manifest = |path: &str| path.ends_with("/Cargo.toml") && !path.starts_with("fuzz/");
    for (file, text) in
        tree.texts().filter(|(file, _)| is_manifest(&file.path) && !file.is_fixture())
    {
        let manifest = Manifest::read(text);
        let mut add = |line, message| {
            found.push(Violation { path: file.path.clone(), line, rule: "boundary", message });
        };
        let Some(known) = table.get(manifest.name.as_str()) else {
            add(1, format!("crate `{}` is not in the table of tidy/boundaries.rs", manifest.name));
            continue;
        };
        for (line, dependency) in &manifest.dependencies {
            let ours = table.contains_key(dependency.as_str());
            if ours && !known.contains(&dependency.as_str()) {
                add(*line, format!("{} must not know {dependency}", manifest.name));
            }
            if !ours && manifest.name == CORE && !CORE_DEPENDENCIES.contains(&dependency.as_str()) {
                add(*line, format!("{dependency} is not one of core's pure dependencies"));
            }
        }
    }
    found.extend(impure_names(tree));
    found
}

fn impure_names(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (file, source) in tree.sources().filter(|(file, _)| file.path.starts_with(CORE_SOURCES)) {
        let named = CORE_TYPES.iter().flat_map(|name| lines_with_word(&source.code, name));
        let modules = CORE_MODULES.iter().flat_map(|module| {
            let mut lines = lines_with_word(&source.code, &format!("std::{module}"));
            lines.extend(lines_with_grouped(&source.code, module));
            lines
        });
        found.extend(named.chain(modules).map(|line| Violation {
            path: file.path.clone(),
            line,
            rule: "core-pure",
            message:
                "core is a function of its arguments: no world, no clock, no hash order".into(),
        }));
    }
    found
}

/// The lines on which `module` is named inside a `std::{...}`.
fn lines_with_grouped(code: &str, module: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    for (at, opening) in code.match_indices("std::{") {
        let inside = &code[at + opening.len()..];
        let group = &inside[..inside.find(';').unwrap_or(inside.len())];
        let first_line = code[..at].matches('\n').count();
        lines.extend(lines_with_word(group, module).into_iter().map(|line| first_line + line));
    }
    lines
}

/// As much of a `Cargo.toml` as the rules need: its name, and what it depends on outside of its tests.
#[derive(Default)]
struct Manifest {
    name: String,
    dependencies: Vec<(usize, String)>,
}

impl Manifest {
    fn read(text: &str) -> Manifest {
        let mut manifest = Manifest::default();
        let mut section = "";
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = header.trim();
                // `[dependencies.serde]` names its dependency in the header.
                if let Some((_, name)) = section.split_once("dependencies.")
                    && is_dependencies(section.trim_end_matches(name).trim_end_matches('.'))
                {
                    manifest.dependencies.push((index + 1, name.into()));
                }
            } else if let Some((key, value)) = line.split_once('=') {
                let name = key.trim().split('.').next().unwrap_or_default().trim_matches('"');
                if section == "package" && name == "name" {
                    manifest.name = value.trim().trim_matches('"').into();
                } else if is_dependencies(section) {
                    manifest.dependencies.push((index + 1, name.into()));
                }
            }
        }
        manifest
    }
}

/// Build scripts run on the contributor's machine and end in the program, so theirs count too.
fn is_dependencies(section: &str) -> bool {
    let last = section.rsplit('.').next().unwrap_or_default();
    last == "dependencies" || last == "build-dependencies"
}

#[cfg(test)]
mod tests {
    use super::super::broken;
    use super::*;

    fn of(name: &str, rest: &str) -> Vec<String> {
        let text = format!("[package]\nname = \"{name}\"\n{rest}");
        broken(check, &[("crates/x/Cargo.toml", &text)])
    }

    #[test]
    fn core_depends_on_pure_crates_only() {
        let violation = ["crates/x/Cargo.toml:4 boundary"];
        assert_eq!(of(CORE, "[dependencies]\nrustix.workspace = true\n"), violation);
        assert_eq!(of(CORE, "[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n"), violation);
        assert_eq!(of(CORE, "\n[dependencies.rustix]\nversion = \"1\"\n"), violation);
        assert_eq!(of(CORE, "[build-dependencies]\ncc = { version = \"1\" }\n"), violation);
        assert!(
            of(CORE, "[dependencies]\nserde = \"1\" # x = y\n[dev-dependencies]\ninsta = \"1\"\n")
                .is_empty()
        );
    }

    #[test]
    fn a_crate_knows_only_what_the_table_says() {
        let violation = ["crates/x/Cargo.toml:4 boundary"];
        let engine = "[dependencies]\nautopilot-engine.workspace = true\n";
        for face in ["autopilot-tui", "autopilot-dashboard", "autopilot-mcp"] {
            assert_eq!(of(face, engine), violation, "{face}");
        }
        assert!(of("autopilot-cli", engine).is_empty());
        assert_eq!(of("autopilot-new", ""), ["crates/x/Cargo.toml:1 boundary"]);
    }

    #[test]
    fn the_testkit_is_for_tests() {
        let used = "[dependencies]\nautopilot-testkit.workspace = true\n";
        assert_eq!(of("autopilot-engine", used), ["crates/x/Cargo.toml:4 boundary"]);
        assert!(of("autopilot-engine", &used.replace("dep", "dev-dep")).is_empty());
        assert!(of("xtask", used).is_empty());
    }

    #[test]
    fn the_sources_of_core_do_not_name_the_world() {
        let core = |text: &str| broken(check, &[("crates/autopilot-core/src/a.rs", text)]);
        let violation = ["crates/autopilot-core/src/a.rs:2 core-pure"];
        for text in
            ["std::fs::read(x)", "use std::process;", "let m: HashMap<u8, u8>;", "Instant::now()"]
        {
            assert_eq!(core(&format!("\n{text}\n")), violation, "{text}");
        }
        assert_eq!(core("use std::{\n    collections::BTreeMap, env,\n};\n"), violation);
        assert!(core("use std::fmt;\nuse std::{fmt, str};\nfn env() {}\n// std::fs\n").is_empty());
        assert!(
            broken(check, &[("crates/autopilot-engine/src/a.rs", "std::fs::read(x)")]).is_empty()
        );
    }
}
