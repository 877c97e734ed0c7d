//! Returns that cannot be believed, through the built command: what the engine looks up in real commits, and who is asked again.

use autopilot_core::contract::Role;
use autopilot_core::run::checks::places::Seen;
use autopilot_core::run::event::Event;
use serde_json::{Value, json};

use super::outcome::{records, starts};
use super::project::Project;
use super::script::{entry, executed, reply, write};

fn execute(actions: Vec<Value>) -> Value {
    entry("1", "execute", Some("1-01-1"), 1, actions)
}

/// A review of the small project that names this place.
fn reviewed(place: Value, commands: &[&str]) -> Value {
    let mut result =
        json!({"criterion": "The base is there", "status": "verified", "evidence": "read it"});
    for (name, value) in place.as_object().into_iter().flatten() {
        result[name.as_str()] = value.clone();
    }
    reply(json!({
        "verification": {
            "pass": true, "automated_checks": {"test": true}, "failures": [], "scope_creep": [],
            "criteria_results": [result], "commands_run": commands
        },
        "rating": {"scorecard": [{
            "criterion": "The base is there", "score": 9.5, "evidence": "lib/1:1", "justification": "as asked"
        }]}
    }))
}

fn events(project: &Project) -> Vec<Event> {
    records(project).1.into_iter().map(|record| record.event).collect()
}

fn rejections(project: &Project) -> Vec<(Role, Vec<String>)> {
    let of = |event| match event {
        Event::ReturnRejected { role, reasons, .. } => Some((role, reasons)),
        _ => None,
    };
    events(project).into_iter().filter_map(of).collect()
}

#[test]
fn a_place_that_is_not_in_the_commit_is_asked_for_again_and_the_true_one_counts() {
    let work = vec![write("lib/1", "first\nbase\n"), executed("1-01-1")];
    // Neither what lies outside nor what only lies in the slot is a place in the candidate.
    let outside = json!({"file": "../../../../script.json", "line": 1, "quote": "version"});
    let honest = json!({"file": "lib/1", "line": 1, "quote": "base"});
    let project = Project::small(vec![
        execute(work),
        entry("1", "review", None, 1, vec![reviewed(outside, &["sh test.sh -> passed"])]),
        entry("1", "review", None, 2, vec![reviewed(honest, &["sh test.sh -> passed"])]),
    ]);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("review: not accepted (verifier's own evidence)"), "{ended:?}");
    let seen: Vec<Vec<Seen>> = events(&project)
        .into_iter()
        .filter_map(|event| match event {
            Event::PlacesLookedUp { seen, .. } => Some(seen),
            _ => None,
        })
        .collect();
    assert_eq!(seen, [vec![Seen::NoFile], vec![Seen::There]]);
    let rejected = rejections(&project);
    assert_eq!(rejected.len(), 1, "{rejected:?}");
    assert!(rejected[0].1[0].contains("is no file of the candidate"), "{rejected:?}");
    let told = project.run(&["logs"]).stdout;
    assert!(told.contains("not accepted (verifier's own evidence)"), "{told}");
    let report = std::fs::read_dir(project.state()).unwrap().flatten().find_map(|file| {
        let is_report = file.file_name().to_string_lossy().starts_with("completion-2");
        is_report.then(|| std::fs::read_to_string(file.path()).unwrap())
    });
    let report = report.unwrap();
    assert!(report.contains("### Remarks\n\n- review: not accepted once"), "{report}");
}

#[test]
fn work_that_was_there_already_needs_words_at_a_line() {
    let review = |round: u32, place: Value| {
        entry("1", "review", None, round, vec![reviewed(place, &["sh test.sh -> passed"])])
    };
    let entries = |second: Value| {
        vec![
            execute(vec![executed("1-01-1")]),
            review(1, json!({"file": "lib/README", "line": 1})),
            review(2, second),
        ]
    };
    let there = json!({"file": "lib/README", "line": 1, "quote": "The parts."});
    let project = Project::standing(entries(there));
    let ended = project.run(&["run", "--complete", "--depth", "lean"]);
    // Nothing new was proven: what was there already is judged.
    assert_eq!(ended.code, 5, "{ended:?}");
    assert_eq!(rejections(&project).len(), 1, "{ended:?}");

    let elsewhere = json!({"file": "lib/README", "line": 1, "quote": "The whole."});
    let project = Project::standing(entries(elsewhere));
    let ended = project.run(&["run", "--complete", "--depth", "lean"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let rejected = rejections(&project);
    assert_eq!(rejected.len(), 2, "{rejected:?}");
    assert!(rejected[1].1[0].contains("within three lines"), "{rejected:?}");
    assert_eq!(starts(&project).len(), 3);
}

#[test]
fn a_phase_whose_commits_come_to_nothing_is_worked_on_again() {
    let undone = vec![
        entry("1", "execute", Some("1-01-1"), 1, vec![write("lib/1", "x\n"), executed("1-01-1")]),
        entry(
            "1",
            "execute",
            Some("1-01-2"),
            1,
            vec![json!({"delete": {"path": "lib/1"}}), executed("1-01-2")],
        ),
        entry(
            "1",
            "execute",
            Some("rejected-1"),
            1,
            vec![write("lib/2", "x\n"), executed("rejected-1")],
        ),
        entry("1", "review", None, 1, vec![reviewed(json!({}), &["sh test.sh -> passed"])]),
    ];
    let project = Project::undoing(undone);
    let ended = project.run(&["run", "--complete", "--depth", "lean", "--accept-judged"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let rejected = rejections(&project);
    assert_eq!(rejected.len(), 1, "{rejected:?}");
    assert_eq!(rejected[0].0, Role::Execute);
    assert!(rejected[0].1[0].contains("undo each other"), "{rejected:?}");
}

#[test]
fn a_test_that_is_gone_is_named_and_the_work_is_sent_back() {
    let work = |task: &str, actions| entry("1", "execute", Some(task), 1, actions);
    let gone = json!({"delete": {"path": "tests/test_base.py"}});
    let test = "def test_base():\n    assert open('lib/1').read() == 'base\\n'\n";
    let project = Project::small(vec![
        work("1-01-1", vec![write("lib/1", "base\n"), gone, executed("1-01-1")]),
        work("rejected-1", vec![write("tests/test_base.py", test), executed("rejected-1")]),
        entry("1", "review", None, 1, vec![super::script::reviewed(9.5, None)]),
    ]);
    std::fs::create_dir_all(project.root().join("tests")).unwrap();
    std::fs::write(project.root().join("tests/test_base.py"), test).unwrap();
    project.git(&["add", "--all"]);
    project.git(&["commit", "--quiet", "-m", "a test of the base"]);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let said = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("tests/test_base.py") && said.contains("test_base"), "{said}");
    assert!(said.contains("honesty of the change"), "{said}");
}
