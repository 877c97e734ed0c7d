//! Ctrl-C and its kin while an agent or a check hangs: what was done is kept and named, nothing goes on, and `resume` does.

use std::time::{Duration, Instant};

use autopilot_core::run::event::Event;
use autopilot_testkit::built_command::{Ended, Started};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::leftovers;
use super::outcome::{UsersOwn, records, starts};
use super::project::{Project, soon};
use super::script::{entry, executed, reviewed, script, write};

const INTERRUPTED: i32 = 130;
const TERMINATED: i32 = 143;

fn reviewing() -> Value {
    entry("1", "review", None, 1, vec![reviewed(9.5, None)])
}

fn working(actions: Vec<Value>) -> Vec<Value> {
    vec![entry("1", "execute", Some("1-01-1"), 1, actions), reviewing()]
}

/// An agent that has written half of its work and does not go on.
fn hanging() -> Project {
    Project::small(working(vec![
        write("lib/1", "half\n"),
        json!({"say": {"text": "half"}}),
        json!("hang"),
    ]))
}

/// The agent works from now on.
fn heal(project: &Project) {
    let entries = working(vec![write("lib/1", "base\n"), executed("1-01-1")]);
    std::fs::write(project.around().join("script.json"), script(entries)).unwrap();
}

/// Started, and its agent has done half of its work.
pub(crate) fn half_done(project: &Project) -> Started {
    half_done_by(project, &["run", "--complete"])
}

pub(crate) fn half_done_by(project: &Project, arguments: &[&str]) -> Started {
    half_done_in(project, project.start(arguments))
}

fn half_done_in(project: &Project, started: Started) -> Started {
    let logs = project.state().join("logs");
    soon("an agent at work", || {
        let runs = std::fs::read_dir(&logs).into_iter().flatten().flatten();
        let mut files =
            runs.flat_map(|run| std::fs::read_dir(run.path()).into_iter().flatten().flatten());
        files.any(|file| {
            std::fs::read_to_string(file.path()).is_ok_and(|text| text.contains("half"))
        })
    });
    started
}

fn assert_resumes(project: &Project, before: &UsersOwn) {
    heal(project);
    let ended = project.run(&["resume"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(&UsersOwn::of(project), before);
    leftovers::assert_none(project);
}

/// The edits of the cancelled attempt are under a ref that the output names.
fn assert_rescued(project: &Project, ended: &Ended) {
    let cancelled = records(project).1.into_iter().find_map(|record| match record.event {
        Event::AttemptCancelled { rescue, .. } => Some(rescue),
        _ => None,
    });
    let rescue = cancelled.flatten().unwrap();
    let said = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(&rescue), "{rescue}: {ended:?}");
    assert!(said.contains("execute: the attempt was cancelled; its work is kept"), "{ended:?}");
    assert_eq!(project.git(&["show", &format!("{rescue}:lib/1")]), "half\n");
    assert!(said.contains("autopilot resume"), "{ended:?}");
}

#[test]
fn an_interrupted_agent_leaves_its_work_under_a_ref_and_nobody_behind() {
    for (signal, code) in [(Signal::INT, INTERRUPTED), (Signal::TERM, TERMINATED)] {
        let project = hanging();
        let before = UsersOwn::of(&project);
        let narrow = project.command().columns(80).start(&["run", "--complete"]).unwrap();
        let started = half_done_in(&project, narrow);
        started.signal(signal).unwrap();
        let ended = started.finish().unwrap();
        assert_eq!(ended.code, code, "{ended:?}");
        let fits = ended.stderr.lines().all(|line| line.chars().count() <= 80);
        assert!(ended.stderr.contains("stopping: ") && fits, "{ended:?}");
        leftovers::assert_none(&project);
        assert_rescued(&project, &ended);
        assert_resumes(&project, &before);
        assert_eq!(starts(&project)["1 execute 1-01-1 1"], 2, "a cancelled try does not count");
    }
}

#[test]
fn a_second_interrupt_ends_at_once() {
    let stubborn = "trap '' TERM INT; echo half; while :; do sleep 1; done";
    let project = Project::small(working(vec![
        write("lib/1", "half\n"),
        json!({"say": {"text": "half"}}),
        json!({"run": {"command": stubborn}}),
    ]));
    let before = UsersOwn::of(&project);
    let started = half_done(&project);
    started.signal(Signal::INT).unwrap();
    soon("the word that it stops", || !started.talked().is_empty());
    let asked = Instant::now();
    started.signal(Signal::INT).unwrap();
    let ended = started.finish().unwrap();
    assert_eq!(ended.code, INTERRUPTED, "{ended:?}");
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    leftovers::assert_none(&project);
    assert_resumes(&project, &before);
}

/// What an agent or a check waits for: a file in the home.
const WAIT: &str = "until [ -e \"$HOME/go\" ]; do sleep 0.02; done";

#[test]
fn a_closed_terminal_does_not_end_a_run() {
    let wait = json!({"run": {"command": WAIT}});
    let project = Project::small(working(vec![
        json!({"say": {"text": "half"}}),
        wait,
        write("lib/1", "base\n"),
        executed("1-01-1"),
    ]));
    let mut started = half_done(&project);
    started.signal(Signal::HUP).unwrap();
    assert!(!started.ends_within(Duration::from_millis(300)).unwrap(), "it goes on");
    std::fs::write(project.around().join("go"), "").unwrap();
    let ended = started.finish().unwrap();
    assert_eq!(ended.code, 0, "{ended:?}");
    leftovers::assert_none(&project);
}

#[test]
fn a_hanging_check_is_ended_and_measured_again() {
    let test = format!("echo > ../proof-cache/checking\n{WAIT}\n");
    let project =
        Project::with_test(&test, working(vec![write("lib/1", "base\n"), executed("1-01-1")]));
    let before = UsersOwn::of(&project);
    let started = project.start(&["run", "--complete"]);
    soon("a check", || project.proof_cache().join("checking").exists());
    started.signal(Signal::INT).unwrap();
    let ended = started.finish().unwrap();
    assert_eq!(ended.code, INTERRUPTED, "{ended:?}");
    assert!(ended.stdout.contains("autopilot resume"), "{ended:?}");
    leftovers::assert_none(&project);
    std::fs::write(project.around().join("go"), "").unwrap();
    assert_resumes(&project, &before);
}
