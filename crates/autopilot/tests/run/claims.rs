//! Claims that the repository contradicts, what a worker leaves running, and tests that were red before, through the built command.

use autopilot_core::run::checks::Integrity;
use autopilot_core::run::event::Event;
use serde_json::{Value, json};

use super::outcome::records;
use super::project::Project;
use super::script::{entry, executed, reply, reviewed, write};

fn work(task: &str, actions: Vec<Value>) -> Value {
    entry("1", "execute", Some(task), 1, actions)
}

fn review(round: u32, answer: Value) -> Value {
    entry("1", "review", None, round, vec![answer])
}

fn claimed(task: &str, commits: &[&str], met: &str) -> Value {
    reply(json!({
        "tasks_completed": "1/1", "tasks_failed": "0/1", "deviations": [], "commit_shas": commits,
        "evidence": [{"task_id": task, "criteria_met": [met], "commands_run": ["sh test.sh -> passed"]}]
    }))
}

fn events(project: &Project) -> Vec<Event> {
    records(project).1.into_iter().map(|record| record.event).collect()
}

fn rejections(project: &Project) -> Vec<Vec<String>> {
    let of = |event| match event {
        Event::ReturnRejected { check: Integrity::Claims, reasons, .. } => Some(reasons),
        _ => None,
    };
    events(project).into_iter().filter_map(of).collect()
}

fn warnings(project: &Project) -> Vec<(Integrity, String)> {
    let of = |event| match event {
        Event::IntegrityWarning { check, reason, .. } => Some((check, reason)),
        _ => None,
    };
    events(project).into_iter().filter_map(of).collect()
}

#[test]
fn commits_and_lines_that_are_not_there_are_told_with_what_is() {
    let code = "refuse() {\n  exit 1\n}\n";
    let lie = "it works -- lib/base.sh:40 -- it ends there";
    let truth = "it works -- base.sh:1 -- `refuse() {` ends it, as test.sh:1 asks";
    let project = Project::small(vec![
        work(
            "1-01-1",
            vec![
                write("lib/1", "base\n"),
                write("lib/base.sh", code),
                claimed("1-01-1", &["0badc0de"], lie),
            ],
        ),
        work("rejected-1", vec![write("lib/2", "more\n"), claimed("rejected-1", &[], truth)]),
        review(1, reviewed(9.5, None)),
    ]);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let rejected = rejections(&project);
    let expected = [
        "the commit 0badc0de is named, and there is none of that name",
        "lib/base.sh:40 is named as evidence, and it has 3 lines",
    ];
    assert_eq!(rejected, [expected]);
    assert!(ended.stdout.contains("truth of what is claimed"), "{ended:?}");
}

#[test]
fn a_reviewer_that_quotes_what_does_not_stand_there_is_asked_again() {
    let said = |evidence: &str| {
        reply(json!({
            "verification": {
                "pass": true, "automated_checks": {"test": true}, "failures": [], "scope_creep": [],
                "criteria_results": [{"criterion": "The base is there", "status": "verified", "evidence": evidence}],
                "commands_run": ["sh test.sh -> passed"]
            },
            "rating": {"scorecard": [{
                "criterion": "The base is there", "score": 9.5, "evidence": "seen", "justification": "as asked"
            }]}
        }))
    };
    let project = Project::small(vec![
        work("1-01-1", vec![write("lib/1", "base\n"), executed("1-01-1")]),
        review(1, said("test.sh:1 holds it: `assert_base_is_there(lib)`")),
        review(
            2,
            said(
                "test.sh:1 holds it: `for one in tests/*.sh`; see http://localhost:8080 and lib/gone:3",
            ),
        ),
    ]);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let rejected = rejections(&project);
    assert_eq!(rejected.len(), 1, "{rejected:?}");
    assert!(rejected[0][0].contains("assert_base_is_there"), "{rejected:?}");
    assert!(rejected[0][0].contains("there stands `for one in tests/*.sh; do`"), "{rejected:?}");
}

#[test]
fn files_that_no_plan_names_and_what_was_left_running_are_told_in_the_report() {
    let project = Project::small(vec![
        work(
            "1-01-1",
            vec![
                write("lib/1", "base\n"),
                write("lib/README", "The parts, and more.\n"),
                write("lib/new", "below a folder that the plan names\n"),
                json!({"run": {"command": "sleep 300 >/dev/null 2>&1 &"}}),
                executed("1-01-1"),
            ],
        ),
        review(1, reviewed(9.5, None)),
    ]);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let warned = warnings(&project);
    let told =
        |check: Integrity| warned.iter().find(|one| one.0 == check).map(|one| one.1.as_str());
    let outside = "changed and named by no task of the plan: lib/README";
    assert_eq!(told(Integrity::Footprint), Some(outside), "{warned:?}");
    let left = "left running by whoever worked, and ended with it: sleep";
    assert_eq!(told(Integrity::LeftRunning), Some(left), "{warned:?}");
}

/// A runner that tells as TAP which of two tests fail: `old` always, `new` where the work says so.
const TAP: &str = "echo 1..2\necho 'not ok 1 - old'\nif [ -e lib/breaks ]; then echo 'not ok 2 - new'; else echo 'ok 2 - new'; fi\nexit 1\n";

#[test]
fn tests_that_failed_before_the_run_count_by_name() {
    let project = Project::with_test(
        TAP,
        vec![
            work(
                "1-01-1",
                vec![write("lib/1", "base\n"), write("lib/breaks", "x\n"), executed("1-01-1")],
            ),
            entry(
                "1",
                "debug",
                Some("debug-1"),
                1,
                vec![json!({"delete": {"path": "lib/breaks"}}), super::script::debugged()],
            ),
            review(1, reviewed(9.5, None)),
        ],
    );
    let ended = project.run(&["run", "--complete", "--accept-red"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("gate: DEBUG: test red"), "{ended:?}");
    let warned = warnings(&project);
    let known = (Integrity::KnownRed, "test is red as before the run: \"old\"".to_string());
    assert!(warned.contains(&known), "{warned:?}");
}
