//! `init` from every kind of source, and `doctor` on a machine where nothing but git is installed.

use std::fs;
use std::path::Path;

use autopilot_testkit::built_command::BuiltCommand;
use autopilot_testkit::temporary_project::TemporaryProject;

use super::autopilot;

const PRD: &str = r#"{
  "project": "Shop",
  "userStories": [
    { "id": "US-001", "title": "Log in", "description": "People have accounts", "acceptanceCriteria": ["A form"], "priority": 1, "passes": true },
    { "id": "US-002", "title": "Cart", "description": "Things are put aside", "acceptanceCriteria": ["Add", "Remove"], "priority": 2, "passes": false }
  ]
}
"#;
const RALPHEX: &str = "# Plan: Shop\n\n## Overview\nA shop.\n\n## Validation Commands\n- `make test`\n\n### Task 1: Log in\n- [x] form\n\n### Task 2: Cart\n- [ ] add\n- [ ] remove\n";
const SPEC_KIT: &str = "# Tasks: Shop\n\n## Phase 1: Setup\n\n- [x] T001 Create the project\n\n## Phase 2: User Story 1 - Log in (Priority: P1)\n\n**Goal**: People have accounts\n\n- [ ] T002 [P] [US1] Form in src/form.rs\n- [ ] T003 [US1] Session in src/session.rs\n";
const OPEN_SPEC: &str =
    "## 1. Log in\n- [x] 1.1 Form\n- [ ] 1.2 Session\n\n## 2. Cart\n- [ ] 2.1 Add\n";
const CHECK_LIST: &str = "# Shop\n\n## Log in\n- [ ] a form\n- [ ] a session\n\n## Cart\n- [ ] add\n- [ ] remove\n\n## Later\n1. gift cards\n";

fn git(folder: &Path, arguments: &str) -> String {
    let line = format!("git -c user.name=Tester -c user.email=tester@example.org {arguments}");
    let ended = BuiltCommand::new("/bin/sh", folder)
        .variable("HOME", folder.to_str().unwrap())
        .run(&["-c", &line])
        .unwrap();
    assert_eq!(ended.code, 0, "{arguments}: {}", ended.stderr);
    ended.stdout
}

#[test]
fn every_kind_of_source_becomes_a_roadmap_that_plan_accepts() {
    let sources = [
        ("prd.json", PRD),
        ("plan.md", RALPHEX),
        ("tasks.md", SPEC_KIT),
        ("open.md", OPEN_SPEC),
        ("list.md", CHECK_LIST),
    ];
    for (name, text) in sources {
        let project =
            TemporaryProject::named("shop").and_then(|project| project.file(name, text)).unwrap();
        let ended = autopilot(project.root()).run(&["init", "--from", name]).unwrap();
        insta::assert_snapshot!(format!("init_{name}"), ended.shown(project.root()));
        assert_eq!(ended.code, 0, "{name}: {}", ended.stderr);
        let roadmap = fs::read_to_string(project.root().join(".planning/ROADMAP.md")).unwrap();
        insta::assert_snapshot!(format!("init_{name}_roadmap"), roadmap);
        assert!(roadmap.contains(&format!("**Source**: {name}:")), "{name}");
        let plan = autopilot(project.root()).run(&["plan", "--json"]).unwrap();
        assert_eq!(plan.code, 0, "{name}: {}", plan.stdout);
    }
}

#[test]
fn without_a_source_there_are_settings_and_no_made_up_roadmap() {
    let project = TemporaryProject::named("shop")
        .and_then(|project| {
            project.file("Makefile", "test:\n\tfalse\nlint:\n\tno-such-program-here\n")
        })
        .unwrap();
    let ended = autopilot(project.root()).run(&["init"]).unwrap();
    let shown = ended.shown(project.root());
    insta::assert_snapshot!("init_without_source", shown);
    assert!(!project.root().join(".planning/ROADMAP.md").exists());
    let config = fs::read_to_string(project.root().join(".planning/config.json")).unwrap();
    assert!(config.contains("make test") && !config.contains("make lint"), "{config}");
}

#[test]
fn nothing_is_ever_overwritten() {
    let project = TemporaryProject::named("shop")
        .and_then(|project| project.file("prd.json", PRD))
        .and_then(|project| project.file(".planning/PROJECT.md", "mine"))
        .unwrap();
    let first = autopilot(project.root()).run(&["init", "--from", "prd.json"]).unwrap();
    assert_eq!(first.code, 0);
    assert_eq!(fs::read_to_string(project.root().join(".planning/PROJECT.md")).unwrap(), "mine");
    let again = autopilot(project.root()).run(&["init", "--from", "prd.json"]).unwrap();
    insta::assert_snapshot!("init_again", again.shown(project.root()));
    assert_eq!(again.code, 2);
}

#[test]
fn commit_takes_the_new_files_and_nothing_else() {
    let project =
        TemporaryProject::named("shop").and_then(|project| project.file("prd.json", PRD)).unwrap();
    git(project.root(), "init -q -b main");
    git(project.root(), "commit -q --allow-empty -m start");
    git(project.root(), "config user.name Tester");
    git(project.root(), "config user.email tester@example.org");
    fs::write(project.root().join("staged.txt"), "x").unwrap();
    git(project.root(), "add staged.txt");
    let ended = autopilot(project.root()).run(&["init", "--from", "prd.json", "--commit"]).unwrap();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let files = git(project.root(), "show --name-only --format=%s HEAD");
    assert_eq!(
        files,
        "planning: start with autopilot\n\n.planning/PROJECT.md\n.planning/REQUIREMENTS.md\n.planning/ROADMAP.md\n.planning/config.json\n"
    );
    assert_eq!(git(project.root(), "status --short"), "A  staged.txt\n?? prd.json\n");
}

#[test]
fn commit_outside_a_repository_is_refused_before_anything_is_written() {
    let project =
        TemporaryProject::named("shop").and_then(|project| project.file("prd.json", PRD)).unwrap();
    let ended = autopilot(project.root()).run(&["init", "--from", "prd.json", "--commit"]).unwrap();
    insta::assert_snapshot!("init_commit_without_repository", ended.shown(project.root()));
    assert_eq!(ended.code, 6);
    assert!(!project.root().join(".planning").exists());
}

#[test]
fn unusable_sources_are_refused() {
    let project = TemporaryProject::named("shop")
        .and_then(|project| project.file("notes.md", "Only prose.\n"))
        .unwrap();
    for (name, arguments) in [
        ("init_prose", ["init", "--from", "notes.md"]),
        ("init_absent", ["init", "--from", "no.md"]),
        ("init_folder", ["init", "--from", "."]),
    ] {
        let ended = autopilot(project.root()).run(&arguments).unwrap();
        insta::assert_snapshot!(name, ended.shown(project.root()));
        assert_eq!(ended.code, 2);
    }
}

/// A machine with git and a shell and nothing else: the report is the same everywhere but for versions and sizes.
#[test]
fn doctor_says_what_is_missing_and_exits_6() {
    let project = super::shop();
    git(project.root(), "init -q -b main");
    git(project.root(), "config user.name Tester");
    git(project.root(), "config user.email tester@example.org");
    git(project.root(), "add -A");
    git(project.root(), "commit -q -m start");
    let programs = project.around().join("bin");
    fs::create_dir(&programs).unwrap();
    for name in ["git", "sh", "make", "true"] {
        let found = std::env::split_paths(&std::env::var("PATH").unwrap())
            .map(|folder| folder.join(name))
            .find(|path| path.is_file());
        std::os::unix::fs::symlink(found.unwrap(), programs.join(name)).unwrap();
    }
    let command = autopilot(project.root()).variable("PATH", programs.to_str().unwrap());
    let ended = command.run(&["doctor"]).unwrap();
    assert_eq!(ended.code, 6, "{}{}", ended.stdout, ended.stderr);
    let is_the_same = |line: &&str| !line.to_lowercase().contains("landlock");
    let settled: String = ended.stdout.lines().filter(is_the_same).map(settle).collect();
    insta::assert_snapshot!("doctor", settled);
    let json = command.run(&["doctor", "--json"]).unwrap();
    let document: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((document["can_run"].as_bool(), json.code), (Some(false), 6));
    let quick = command.run(&["doctor", "--quick", "--json"]).unwrap();
    assert!(!quick.stdout.contains("make test"));
}

/// Digits differ from machine to machine.
fn settle(line: &str) -> String {
    let mut settled = String::new();
    for character in line.chars() {
        match (character.is_ascii_digit() || character == '.', settled.ends_with('#')) {
            (true, true) => {}
            (true, false) if character != '.' => settled.push('#'),
            _ => settled.push(character),
        }
    }
    settled.push('\n');
    settled
}
