//! The machine is kept awake exactly as long as a run is on, whatever ends it. The program that does it is played by a script.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;

use super::asked::{WAIT, go};
use super::leftovers;
use super::outcome::starts;
use super::project::{Project, soon};
use super::script::{entry, executed, reviewed, write};

/// Writes down what it was asked, runs its program as the real one does, and writes down that it ended.
const KEEPER: &str = "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/keeper.new\"\n\
                      mv \"$HOME/keeper.new\" \"$HOME/keeper\"\n\
                      while [ \"${1#--}\" != \"$1\" ]; do shift; done\n\"$@\"\necho > \"$HOME/ended\"\n";
const BROKEN: &str = "#!/bin/sh\necho Failed to connect >&2\nexit 1\n";

fn project(keeper: &str) -> Project {
    let wait = json!({"run": {"command": WAIT}});
    let actions = vec![wait, write("lib/1", "base\n"), executed("1-01-1")];
    let project = Project::small(vec![
        entry("1", "execute", Some("1-01-1"), 1, actions),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ]);
    let programs = project.around().join("programs");
    std::fs::create_dir(&programs).unwrap();
    let path = programs.join("systemd-inhibit");
    std::fs::write(&path, keeper).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    project.variable("PATH", &path)
}

fn in_home(project: &Project, name: &str) -> PathBuf {
    project.around().join(name)
}

#[test]
fn the_machine_is_kept_awake_until_the_run_ends() {
    let project = project(KEEPER);
    let started = project.start(&["run", "1"]);
    soon("the keeper", || in_home(&project, "keeper").exists());
    soon("a word about it", || {
        started.talked().contains("systemd-inhibit keeps the machine awake")
    });
    assert!(!in_home(&project, "ended").exists());
    go(&project);
    let ended = started.finish().unwrap();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(in_home(&project, "ended").exists(), "it ended by itself, with the run");
    assert_eq!(ended.stderr.matches("keeps the machine awake").count(), 1, "{ended:?}");
    let asked = std::fs::read_to_string(in_home(&project, "keeper")).unwrap();
    assert!(asked.starts_with("--what=sleep:idle\n--who=autopilot\n"), "{asked}");
    leftovers::assert_none(&project);
}

#[test]
fn a_killed_run_keeps_nothing_awake() {
    let project = project(KEEPER);
    let started = project.start(&["run", "1"]);
    soon("the keeper", || in_home(&project, "keeper").exists());
    soon("an agent at work", || !starts(&project).is_empty());
    started.signal(rustix::process::Signal::KILL).unwrap();
    assert_eq!(started.finish().unwrap().code, super::KILLED);
    leftovers::assert_none(&project);
}

#[test]
fn a_keeper_that_does_not_work_or_is_not_wanted_changes_nothing() {
    let broken = project(BROKEN);
    go(&broken);
    let ended = broken.run(&["run", "1"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(!ended.stderr.contains("awake"), "{ended:?}");
    let unwanted = project(KEEPER).variable("AUTOPILOT_KEEP_AWAKE", "false");
    go(&unwanted);
    let ended = unwanted.run(&["run", "1"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(!in_home(&unwanted, "keeper").exists(), "it was not started");
}
