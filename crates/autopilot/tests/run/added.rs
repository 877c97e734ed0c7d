//! More phases for a run that is not finished: while it goes on, while it stands still, after a kill; and what is refused.

use autopilot_testkit::built_command::Started;
use serde_json::{Value, json};

use super::asked::{WAIT, go};
use super::outcome::starts;
use super::project::{Project, soon};
use super::script::{entry, executed, reviewed, write};

/// The agent of phase 1 waits for a word from the test.
fn project() -> Project {
    let mut entries = Vec::new();
    for number in 1..=3 {
        let (phase, task) = (number.to_string(), format!("{number}-01-1"));
        let wait: Option<Value> = (number == 1).then(|| json!({"run": {"command": WAIT}}));
        let work = [write(&format!("lib/{number}"), "here\n"), executed(&task)];
        let actions = wait.into_iter().chain(work).collect();
        entries.push(entry(&phase, "execute", Some(&task), 1, actions));
        entries.push(entry(&phase, "review", None, 1, vec![reviewed(9.5, None)]));
    }
    Project::three(entries)
}

fn at_work(project: &Project) -> Started {
    let started = project.start(&["run", "1"]);
    soon("an agent at work", || !starts(project).is_empty());
    started
}

fn events(project: &Project, name: &str) -> usize {
    let text = std::fs::read_to_string(project.journal()).unwrap();
    text.matches(&format!("\"type\":\"{name}\"")).count()
}

#[test]
fn a_run_that_goes_on_takes_more_phases() {
    let project = project();
    let started = at_work(&project);
    let added = project.run(&["add", "2-3"]);
    assert_eq!(added.code, 0, "{added:?}");
    assert!(added.stdout.contains("phases 2, 3 added to run"), "{added:?}");
    assert_eq!((events(&project, "add_requested"), events(&project, "phase_added")), (1, 2));
    let again = project.run(&["add", "2"]);
    assert_eq!(again.code, 2, "{again:?}");
    assert!(again.stderr.contains("phase 2 is part of the run already"), "{again:?}");
    go(&project);
    let ended = started.finish().unwrap();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("asked for more: phase 2, 3"), "{ended:?}");
    assert!(ended.stdout.contains("3 passed"), "{ended:?}");
}

#[test]
fn a_run_that_stands_still_takes_more_phases_and_runs_them_when_resumed() {
    let project = project();
    let started = at_work(&project);
    started.signal(rustix::process::Signal::KILL).unwrap();
    assert_eq!(started.finish().unwrap().code, super::KILLED);
    let other = project.run(&["run", "2"]);
    assert_eq!(other.code, 2, "{other:?}");
    for choice in ["autopilot resume", "autopilot add 2", "autopilot abandon"] {
        assert!(other.stderr.replace('\n', " ").contains(choice), "{choice}: {other:?}");
    }
    let alone = project.run(&["add", "3"]);
    assert_eq!(alone.code, 2, "{alone:?}");
    assert!(alone.stderr.contains("autopilot add 2,3"), "{alone:?}");
    let added = project.run(&["add", "2,3"]);
    assert_eq!(added.code, 0, "{added:?}");
    assert!(added.stdout.contains("autopilot resume"), "{added:?}");
    let status = project.run(&["status", "--json"]);
    assert_eq!(status.code, 0, "{status:?}");
    go(&project);
    let resumed = project.run(&["resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert!(resumed.stdout.contains("3 passed"), "{resumed:?}");
}

#[test]
fn a_request_that_was_not_taken_before_a_kill_is_taken_afterwards() {
    let project = project();
    let started = at_work(&project);
    assert_eq!(project.run(&["add", "2"]).code, 0);
    started.signal(rustix::process::Signal::KILL).unwrap();
    assert_eq!(started.finish().unwrap().code, super::KILLED);
    // As a kill leaves it between the journal and the inbox: the request is still there.
    let text = std::fs::read_to_string(project.journal()).unwrap();
    let line = text.lines().find(|line| line.contains("phase_added")).unwrap();
    let record: Value = serde_json::from_str(line).unwrap();
    let run = project.journal().file_stem().unwrap().to_str().unwrap().to_string();
    let phase = &record["event"]["phase"];
    let mut request =
        json!({"ask": "add", "run": run, "command": "autopilot add 2", "phases": [phase]});
    let inbox = project.state().join("inbox");
    std::fs::write(inbox.join("0000000000000001-1.json"), request.to_string()).unwrap();
    request["run"] = json!("run-20000101-000000-abcd");
    std::fs::write(inbox.join("0000000000000002-1.json"), request.to_string()).unwrap();
    go(&project);
    let resumed = project.run(&["resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(events(&project, "phase_added"), 1, "taken once");
    assert!(std::fs::read_dir(&inbox).unwrap().flatten().next().is_none(), "nothing is left");
}

#[test]
fn without_an_unfinished_run_there_is_nothing_to_add_to() {
    let project = project();
    let refused = project.run(&["add", "2"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("there is no unfinished run"), "{refused:?}");
}

/// Puts a request for phase 2 into the inbox while the last agent of phase 1 ends.
const ASK: &str = r#"run=$(basename "$HOME"/way/.autopilot/journal/*.jsonl .jsonl)
cat > "$HOME/request" <<END
{"ask":"add","run":"$run","command":"autopilot add 2","phases":[{"id":"2","name":"Part","goal":"","phase_type":"mixed",
"depends_on":[],"requirements":[],"criteria":[{"text":"It is there","command":"test -s lib/2"}],
"folder":".planning/phases/02-part","has_plan":true,"estimate_tokens":0}]}
END
mv "$HOME/request" "$HOME/way/.autopilot/inbox/0000000000000001-1.json""#;

#[test]
fn a_run_that_is_asked_in_its_last_moment_hears_it() {
    let mut entries = Vec::new();
    for number in 1..=2 {
        let (phase, task) = (number.to_string(), format!("{number}-01-1"));
        let work = vec![write(&format!("lib/{number}"), "here\n"), executed(&task)];
        let ask: Option<Value> = (number == 1).then(|| json!({"run": {"command": ASK}}));
        let review = ask.into_iter().chain([reviewed(9.5, None)]).collect();
        entries.push(entry(&phase, "execute", Some(&task), 1, work));
        entries.push(entry(&phase, "review", None, 1, review));
    }
    let project = Project::three(entries).unfenced();
    let ended = project.run(&["run", "1"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("2 passed"), "{ended:?}");
}
