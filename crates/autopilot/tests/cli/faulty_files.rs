//! ROAD-4, ROAD-9: every way a roadmap can be unusable gives a clear message, its place, and the right exit code. Nothing hangs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use autopilot_testkit::built_command::BuiltCommand;
use autopilot_testkit::temporary_project::TemporaryProject;

use super::{PROGRAM, autopilot};

/// An ordinary user without rights to anybody's files.
const NOBODY: u32 = 65_534;

fn check(name: &str, project: &TemporaryProject, code: i32) {
    for command in ["plan", "status"] {
        let ended = autopilot(project.root()).run(&[command]).unwrap();
        if command == "plan" {
            insta::assert_snapshot!(format!("faulty_{name}"), ended.shown(project.root()));
            assert_eq!(ended.code, code, "{name}: {}", ended.stderr);
        }
        assert!(
            !ended.stderr.contains("panicked") && !ended.stderr.contains("bug:"),
            "{name}: {}",
            ended.stderr
        );
    }
    let ended = autopilot(project.root()).run(&["plan", "--json"]).unwrap();
    let document: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(ended.code, code, "{name}");
    assert_eq!(document["error"]["exit_code"], code, "{name}");
    for part in ["what", "why", "fix"] {
        assert!(!document["error"][part].as_str().unwrap().is_empty(), "{name} {part}");
    }
}

fn with_roadmap(text: impl AsRef<[u8]>) -> TemporaryProject {
    TemporaryProject::named("shop")
        .and_then(|project| project.file(".planning/ROADMAP.md", text))
        .unwrap()
}

fn without_roadmap() -> TemporaryProject {
    TemporaryProject::named("shop")
        .and_then(|project| project.file(".planning/config.json", "{}"))
        .unwrap()
}

#[test]
fn what_the_roadmap_says_cannot_be() {
    check("no_phases", &with_roadmap("# Roadmap\n\n## Phase One: Login\n\nWords.\n"), 2);
    check("empty", &with_roadmap(""), 2);
    check(
        "disjoint",
        &with_roadmap("- [ ] **Phase 1: A** - a\n\n## Phase Details\n\n### Phase 7: B\n"),
        2,
    );
    check(
        "duplicate",
        &with_roadmap("### Phase 1: Login\n\n### Phase 2: Cart\n\n### Phase 01: Logout\n"),
        2,
    );
    check("unknown_dependency", &with_roadmap("### Phase 1: Login\n**Depends on**: Phase 9\n"), 2);
    check(
        "cycle",
        &with_roadmap(
            "### Phase 1: A\n\n### Phase 2: B\n**Depends on**: Phase 4\n\n### Phase 3: C\n**Depends on**: Phase 2\n\n### Phase 4: D\n**Depends on**: Phase 3\n",
        ),
        2,
    );
    check("not_utf8", &with_roadmap(b"### Phase 1: A\n\n### Phase 2: \xe9\n"), 2);
    check(
        "broken_config",
        &with_roadmap("### Phase 1: A\n")
            .file(".planning/config.json", "{\n  \"a\": 1,\n}")
            .unwrap(),
        2,
    );
}

#[test]
fn what_lies_where_the_roadmap_should() {
    let large = without_roadmap();
    let path = large.root().join(".planning/ROADMAP.md");
    fs::File::create(&path).unwrap().set_len(8 * 1024 * 1024 + 1).unwrap();
    check("too_large", &large, 2);

    let folder = without_roadmap();
    fs::create_dir(folder.root().join(".planning/ROADMAP.md")).unwrap();
    check("folder", &folder, 2);

    let pipe = without_roadmap();
    let path = pipe.root().join(".planning/ROADMAP.md");
    let made = BuiltCommand::new("/bin/sh", pipe.root())
        .run(&["-c", &format!("mkfifo '{}'", path.display())])
        .unwrap();
    assert_eq!(made.code, 0, "{}", made.stderr);
    check("pipe", &pipe, 2);

    let circle = without_roadmap();
    let path = circle.root().join(".planning/ROADMAP.md");
    symlink("other", &path).unwrap();
    symlink("ROADMAP.md", circle.root().join(".planning/other")).unwrap();
    check("link_circle", &circle, 2);

    let dangling = without_roadmap();
    symlink("gone", dangling.root().join(".planning/ROADMAP.md")).unwrap();
    check("dangling_link", &dangling, 2);
}

/// Root may read everything, so the program is run as an ordinary user where the test itself is root.
#[test]
fn what_may_not_be_read() {
    let project = with_roadmap("### Phase 1: A\n");
    let roadmap = project.root().join(".planning/ROADMAP.md");
    fs::set_permissions(&roadmap, fs::Permissions::from_mode(0o000)).unwrap();
    let is_root = fs::read(&roadmap).is_ok();
    let mut command = autopilot(project.root());
    if is_root {
        for folder in [project.around(), project.root(), &project.root().join(".planning")] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let program = project.around().join("autopilot");
        // By a program of its own: a file this process had open for writing could not be started while another test forks.
        let line = format!("cp '{PROGRAM}' '{0}' && chmod 755 '{0}'", program.display());
        let copied = BuiltCommand::new("/bin/sh", project.around()).run(&["-c", &line]).unwrap();
        assert_eq!(copied.code, 0, "{}", copied.stderr);
        command = BuiltCommand::new(program.to_str().unwrap(), project.root()).user(NOBODY);
    }
    let ended = command.run(&["plan"]).unwrap();
    insta::assert_snapshot!("faulty_unreadable", ended.shown(project.root()));
    assert_eq!(ended.code, 6);
}
