//! What other processes ask of a run that goes on, and what they are told: stop, abandon, a second run, why, logs.

use std::time::Duration;

use autopilot_testkit::built_command::Started;
use serde_json::{Value, json};

use super::leftovers;
use super::outcome::starts;
use super::project::{Project, soon};
use super::script::{entry, executed, reviewed, write};

const STOPPED: i32 = 130;
pub(crate) const WAIT: &str = "until [ -e \"$HOME/go\" ]; do sleep 0.02; done";

/// Its agent waits for a word from the test before it works.
fn waiting() -> Project {
    let wait = json!({"run": {"command": WAIT}});
    let actions = vec![wait, write("lib/1", "base\n"), executed("1-01-1")];
    Project::small(working(actions))
}

fn working(actions: Vec<Value>) -> Vec<Value> {
    vec![
        entry("1", "execute", Some("1-01-1"), 1, actions),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ]
}

fn at_work(project: &Project) -> Started {
    let started = project.start(&["run", "--complete"]);
    soon("an agent at work", || !starts(project).is_empty());
    started
}

pub(crate) fn go(project: &Project) {
    std::fs::write(project.around().join("go"), "").unwrap();
}

#[test]
fn a_run_that_is_asked_to_stop_or_to_pause_ends_its_step_first() {
    ends_its_step_first("stop");
    ends_its_step_first("pause");
}

fn ends_its_step_first(word: &str) {
    let project = waiting();
    let nobody = project.run(&[word]);
    assert_eq!(nobody.code, 2, "{nobody:?}");
    let mut started = at_work(&project);
    let asked = project.run(&[word]);
    assert_eq!(asked.code, 0, "{asked:?}");
    assert!(asked.stdout.starts_with(&format!("asked to {word}")), "{asked:?}");
    let inbox = project.state().join("inbox");
    let is_empty = || std::fs::read_dir(&inbox).unwrap().flatten().next().is_none();
    soon("the request is taken", is_empty);
    assert!(!started.ends_within(Duration::from_millis(300)).unwrap(), "the step goes on");
    go(&project);
    let ended = started.finish().unwrap();
    assert_eq!(ended.code, STOPPED, "{ended:?}");
    assert!(ended.stdout.contains("autopilot resume"), "{ended:?}");
    assert_eq!(starts(&project).len(), 1, "no other step began");
    let resumed = project.run(&["resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(starts(&project).values().sum::<u32>(), 2, "the step was kept");
}

#[test]
fn a_run_that_is_asked_to_stop_now_ends_its_step() {
    let project = waiting();
    let started = at_work(&project);
    assert_eq!(project.run(&["stop", "--now"]).code, 0);
    let ended = started.finish().unwrap();
    assert_eq!(ended.code, STOPPED, "{ended:?}");
    leftovers::assert_none(&project);
    go(&project);
    let resumed = project.run(&["resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
}

#[test]
fn a_check_that_never_stops_talking_hears_a_request_to_stop() {
    let test = "echo > ../proof-cache/checking\nwhile [ ! -e \"$HOME/go\" ]; do echo more; sleep 0.02; done\n";
    let project =
        Project::with_test(test, working(vec![write("lib/1", "base\n"), executed("1-01-1")]));
    let started = project.start(&["run", "--complete"]);
    soon("a check", || project.proof_cache().join("checking").exists());
    assert_eq!(project.run(&["stop", "--now"]).code, 0);
    let ended = started.finish().unwrap();
    assert_eq!(ended.code, STOPPED, "{ended:?}");
    leftovers::assert_none(&project);
}

#[test]
fn a_request_to_stop_that_came_too_late_stops_no_later_run() {
    let project = waiting();
    go(&project);
    let killed = project.command().variable("AUTOPILOT_FAULT", "process.after_go:3:kill");
    assert_eq!(killed.run(&["run", "--complete"]).unwrap().code, super::KILLED);
    let name = project.state().join("inbox/0000000000000001-1.json");
    std::fs::write(name, r#"{"ask":"stop","how":"now"}"#).unwrap();
    let resumed = project.run(&["resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
}

#[test]
fn a_request_to_stop_is_in_the_journal_before_it_leaves_the_inbox() {
    let project = waiting();
    let started = at_work(&project);
    assert_eq!(project.run(&["stop"]).code, 0);
    let inbox = project.state().join("inbox");
    soon("the request is taken", || std::fs::read_dir(&inbox).unwrap().flatten().next().is_none());
    started.signal(rustix::process::Signal::KILL).unwrap();
    assert_eq!(started.finish().unwrap().code, super::KILLED);
    let text = std::fs::read_to_string(project.journal()).unwrap();
    assert!(text.contains("stop_requested"), "{text}");
    leftovers::assert_none(&project);
}

#[test]
fn whoever_comes_second_is_told_who_is_there() {
    let project = waiting();
    let started = at_work(&project);
    let task = ["do", "say hello in lib/1"];
    let commands = [&["run", "--complete"][..], &["run"], &["run", "2"], &task, &["resume"]];
    for words in commands.into_iter().chain([&["abandon"][..]]) {
        let refused = project.run(words);
        assert_ne!(refused.code, 0, "{words:?} {refused:?}");
        for part in [&started.id().to_string(), "autopilot attach", "autopilot stop"] {
            assert!(refused.stderr.contains(part), "{part:?} of {words:?} {refused:?}");
        }
    }
    let why = project.run(&["why"]);
    assert!(why.stdout.contains("execute"), "{why:?}");
    let logs = project.run(&["logs"]);
    assert!(logs.stdout.contains("triage"), "{logs:?}");
    let following = project.start(&["logs", "-f"]);
    soon("the first lines", || following.said().contains("triage"));
    go(&project);
    let ended = started.finish().unwrap();
    assert_eq!(ended.code, 0, "{ended:?}");
    let followed = following.finish().unwrap();
    assert_eq!(followed.code, 0, "{followed:?}");
    assert!(followed.stdout.contains("1 passed"), "{followed:?}");
}

/// A signal reaches the threads of a process one by one.
fn all_stand_still(id: u32) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{id}/task")).unwrap().flatten();
    tasks.map(|task| std::fs::read_to_string(task.path().join("stat")).unwrap_or_default()).all(
        |stat| stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('T')),
    )
}

/// The launcher dies before it can end the agent, and autopilot before it can see that.
#[test]
fn an_abandoned_run_leaves_no_agent_behind() {
    let project = waiting();
    let started = at_work(&project);
    // Its start is recorded before the launcher becomes it.
    let is_waiting = |line: &String| line.contains("until [ -e");
    soon("the agent itself", || leftovers::of(&project).iter().any(is_waiting));
    let text = std::fs::read_to_string(project.journal()).unwrap();
    let line = text.lines().rfind(|line| line.contains("\"attempt_spawned\"")).unwrap();
    let record: Value = serde_json::from_str(line).unwrap();
    let launcher = i32::try_from(record["event"]["group"]["id"].as_i64().unwrap()).unwrap();
    let launcher = rustix::process::Pid::from_raw(launcher).unwrap();
    started.signal(rustix::process::Signal::STOP).unwrap();
    soon("every thread stands still", || all_stand_still(started.id()));
    rustix::process::kill_process(launcher, rustix::process::Signal::KILL).unwrap();
    started.signal(rustix::process::Signal::KILL).unwrap();
    assert_eq!(started.finish().unwrap().code, super::KILLED);
    assert!(!leftovers::of(&project).is_empty(), "the agent goes on");
    let abandoned = project.run(&["abandon"]);
    assert_eq!(abandoned.code, 0, "{abandoned:?}");
    assert!(abandoned.stdout.contains("left running was ended"), "{abandoned:?}");
    leftovers::assert_none(&project);
}

#[test]
fn an_abandoned_run_keeps_its_branches_and_makes_room_for_the_next() {
    let project = waiting();
    let started = at_work(&project);
    started.signal(rustix::process::Signal::KILL).unwrap();
    assert_eq!(started.finish().unwrap().code, super::KILLED);
    let why = project.run(&["why"]);
    assert!(why.stdout.contains("autopilot resume"), "{why:?}");
    let abandoned = project.run(&["abandon"]);
    assert_eq!(abandoned.code, 0, "{abandoned:?}");
    leftovers::assert_none(&project);
    let branches = project.git(&["for-each-ref", "refs/heads/autopilot"]);
    assert_eq!(branches.lines().count(), 2, "{branches}");
    go(&project);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let branches = project.git(&["for-each-ref", "refs/heads/autopilot"]);
    // Those of the abandoned run, and the finished run's own; the branch of its merged phase is gone.
    assert_eq!(branches.lines().count(), 3, "{branches}");
}
