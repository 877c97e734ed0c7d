//! Processes that nobody's journal names: autopilot was killed together with its launcher, and the journal is lost. The next start
//! finds them by the mark in their environment, and leaves those of other projects alone.

use autopilot_core::run::event::Event;
use rustix::process::{Pid, Signal};
use serde_json::json;

use super::outcome::records;
use super::project::{Project, soon};
use super::script::{entry, executed, reviewed, script, write};
use super::signals::half_done;
use super::{KILLED, leftovers};

/// An agent that leaves a daemon in a session of its own, and hangs.
fn leaving() -> Project {
    let actions = vec![
        json!({"leave_behind": "own_session"}),
        write("lib/1", "half\n"),
        json!({"say": {"text": "half"}}),
        json!("hang"),
    ];
    Project::small(vec![entry("1", "execute", Some("1-01-1"), 1, actions)])
}

fn heal(project: &Project) {
    let entries = vec![
        entry(
            "1",
            "execute",
            Some("1-01-1"),
            1,
            vec![write("lib/1", "base\n"), executed("1-01-1")],
        ),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ];
    std::fs::write(project.around().join("script.json"), script(entries)).unwrap();
}

/// Kills autopilot and the launcher at once, when the agent has told all it has to tell: it is stopped first, so that it sees nothing
/// and tidies nothing up.
fn kill_both(project: &Project) {
    let started = half_done(project);
    started.signal(Signal::STOP).unwrap();
    let stat = format!("/proc/{}/stat", started.id());
    soon("the stop", || std::fs::read_to_string(&stat).unwrap().contains(") T"));
    let launcher = records(project).1.into_iter().rev().find_map(|record| match record.event {
        Event::AttemptSpawned { group, .. } => Pid::from_raw(group.id),
        _ => None,
    });
    rustix::process::kill_process(launcher.unwrap(), Signal::KILL).unwrap();
    started.signal(Signal::KILL).unwrap();
    assert_eq!(started.finish().unwrap().code, KILLED);
    soon("only those who are left", || leftovers::of(project).len() == 2);
}

#[test]
fn what_no_journal_names_is_ended_at_the_next_start_and_another_projects_is_not() {
    let (ours, others) = (leaving(), leaving());
    for project in [&ours, &others] {
        kill_both(project);
    }
    std::fs::remove_dir_all(ours.state()).unwrap();
    heal(&ours);
    let ended = ours.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let said = "what an earlier run had left running was ended: 2 processes";
    assert!(ended.stderr.contains(said), "{ended:?}");
    leftovers::assert_none(&ours);
    assert_eq!(leftovers::of(&others).len(), 2, "a stranger's are left alone");
    let abandoned = others.run(&["abandon"]);
    assert_eq!(abandoned.code, 0, "{abandoned:?}");
    assert!(abandoned.stdout.contains("left running was ended"), "{abandoned:?}");
    leftovers::assert_none(&others);
}

#[test]
fn a_resumed_run_starts_without_them() {
    let project = leaving();
    kill_both(&project);
    heal(&project);
    let ended = project.run(&["resume"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    leftovers::assert_none(&project);
}
