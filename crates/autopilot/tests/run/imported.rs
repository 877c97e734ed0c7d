//! A state.json that another program left: what it says counts, it is taken over by the first run, and it is never lost.

use serde_json::{Value, json};

use super::asked::go;
use super::project::Project;
use super::script::{entry, executed, reviewed, write};

fn project(state: &str) -> Project {
    let entries = (1..=3).flat_map(|number| {
        let (phase, task) = (number.to_string(), format!("{number}-01-1"));
        let work = vec![write(&format!("lib/{number}"), "here\n"), executed(&task)];
        [
            entry(&phase, "execute", Some(&task), 1, work),
            entry(&phase, "review", None, 1, vec![reviewed(9.5, None)]),
        ]
    });
    let project = Project::three(entries.collect());
    std::fs::create_dir(project.state()).unwrap();
    std::fs::write(project.state().join("state.json"), state).unwrap();
    std::fs::write(project.root().join(".git/info/exclude"), ".autopilot/\n").unwrap();
    go(&project);
    project
}

fn foreign() -> String {
    json!({
        "_meta": {"version": "1.0", "run_id": "run-2026-02-09-143052", "status": "failed"},
        "phases": {
            "phase_2": {"status": "completed", "alignment_score": 9.2,
                "completed_at": "2026-02-09T15:12:45Z"},
            "phase_1": {"status": "failed", "failure_reason": "it was late"},
            "phase_7x9": {"status": "completed"},
        },
        "event_log": [], "metrics": {},
    })
    .to_string()
}

fn status(project: &Project) -> Value {
    let ended = project.run(&["status", "--json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn what_another_program_completed_counts_and_is_taken_over_once() {
    let project = project(&foreign());
    let before = status(&project);
    assert_eq!(before["phases"][1]["status"], "completed");
    assert_eq!(before["phases"][1]["score"], 9.2);
    assert_eq!(before["phases"][0]["status"], "failed");
    assert_eq!(before["next"], "1");
    let plan = project.run(&["plan"]);
    assert!(plan.stdout.contains("another program wrote it"), "{plan:?}");
    let left = std::fs::read_to_string(project.state().join("state.json")).unwrap();
    assert_eq!(left, foreign(), "whoever looks changes nothing");

    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let said = ended.stderr.replace('\n', " ");
    assert!(said.contains("2 phases were taken over"), "{ended:?}");
    assert!(said.contains("7x9"), "{ended:?}");
    assert!(ended.stdout.contains("2 passed"), "phases 1 and 3, not 2: {ended:?}");
    let kept = project.state().join("archive/foreign-state.json");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), foreign(), "it is kept as it was");
    let ledger = std::fs::read_to_string(project.state().join("ledger.json")).unwrap();
    let ledger: Value = serde_json::from_str(&ledger).unwrap();
    assert_eq!(ledger["phases"]["2"]["is_imported"], true, "{ledger}");
    assert_eq!(ledger["phases"]["1"].get("is_imported"), None, "{ledger}");
    let after = status(&project);
    assert_eq!(after["percent"], 100);
    let again = project.run(&["plan"]);
    assert!(!again.stdout.contains("another program"), "{again:?}");
}

#[test]
fn a_kill_between_the_ledger_and_the_archive_costs_nothing() {
    for point in ["file.rename.before:1", "file.rename.after:1", "file.rename.after:2"] {
        let project = project(&foreign());
        let killed = project.command().variable("AUTOPILOT_FAULT", &format!("{point}:kill"));
        let ended = killed.run(&["run", "--complete"]).unwrap();
        assert_eq!(ended.code, super::KILLED, "{point} {ended:?}");
        let mut ended = project.run(&["run", "--complete"]);
        if ended.stderr.contains("autopilot resume") {
            ended = project.run(&["resume"]);
        }
        assert_eq!(ended.code, 0, "{point} {ended:?}");
        assert_eq!(status(&project)["percent"], 100, "{point}");
        let kept = project.state().join("archive/foreign-state.json");
        assert_eq!(std::fs::read_to_string(kept).unwrap(), foreign(), "{point}");
    }
}

#[test]
fn a_file_that_is_no_state_stops_no_run_and_is_kept() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for text in ["", "{", "not json", "[]", "{\"phases\": 7}", deep.as_str()] {
        let project = project(text);
        let plan = project.run(&["plan"]);
        assert_eq!(plan.code, 0, "{plan:?}");
        let said = plan.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("nothing is taken from it"), "{plan:?}");
        let ended = project.run(&["run", "1"]);
        assert_eq!(ended.code, 0, "{ended:?}");
        let kept = project.state().join("archive/foreign-state.json");
        assert_eq!(std::fs::read_to_string(kept).unwrap(), text);
    }
}
