//! What the documents show is what the program prints, and every setting is documented.

use std::path::Path;

use super::{autopilot, shop};

fn document(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap()
}

#[test]
fn the_readme_shows_what_demo_prints() {
    let project = shop();
    let ended = autopilot(project.root()).run(&["demo"]).unwrap();
    let readme = document("README.md");
    for line in ended.stdout.lines().chain(ended.stderr.lines()) {
        assert!(readme.contains(line), "README.md does not show: {line}");
    }
}

#[test]
fn the_readme_starts_with_the_two_commands() {
    assert!(
        document("README.md")
            .starts_with("# autopilot\n\n```sh\ncargo run -- demo\ncargo xtask test\n```\n")
    );
}

#[test]
fn every_setting_and_every_command_is_documented() {
    let settings = document("docs/config.md");
    for key in &autopilot_core::config::keys::KEYS {
        assert!(settings.contains(&format!("`{}`", key.path)), "docs/config.md lacks {}", key.path);
    }
    let commands = document("docs/commands.md");
    let names = [
        "plan",
        "run",
        "resume",
        "stop",
        "abandon",
        "logs",
        "why",
        "journal",
        "status",
        "doctor",
        "init",
        "demo",
        "schema",
        "completions",
    ];
    for command in names {
        assert!(commands.contains(&format!("## {command}")), "docs/commands.md lacks {command}");
    }
}
