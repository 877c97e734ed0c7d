//! Tests that were made to fit the work: what they rested on before is laid over it and measured, with real files and real commits.

use autopilot_core::run::event::Event;
use serde_json::Value;

use super::outcome::records;
use super::project::Project;
use super::script::{entry, executed, reviewed, write};

const TEST: &str = "cmp lib/out tests/golden/out.txt\n";

/// The small project, in which somebody works like this, and then like that where it is sent back.
fn worked(first: Vec<Value>, second: Vec<Value>) -> Project {
    let done = |actions: Vec<Value>, task: &str| {
        let all = actions.into_iter().chain([executed(task)]).collect();
        entry("1", "execute", Some(task), 1, all)
    };
    let project = Project::with_test(
        TEST,
        vec![
            done(first, "1-01-1"),
            done(second, "rejected-1"),
            entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
        ],
    );
    for (path, text) in [("lib/out", "one\n"), ("tests/golden/out.txt", "one\n")] {
        let path = project.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    project.git(&["add", "--all"]);
    project.git(&["commit", "--quiet", "-m", "what it says"]);
    project
}

fn refitted() -> Vec<Value> {
    vec![
        write("lib/1", "base\n"),
        write("lib/out", "two\n"),
        write("tests/golden/out.txt", "two\n"),
    ]
}

fn rejections(project: &Project) -> Vec<String> {
    let of = |event| match event {
        Event::ReturnRejected { reasons, .. } => Some(reasons),
        _ => None,
    };
    let events = records(project).1.into_iter().map(|record| record.event);
    events.filter_map(of).flatten().collect()
}

#[test]
fn work_that_rewrites_what_tests_expect_is_sent_back_and_passes_when_it_does_not() {
    let mended = vec![write("lib/out", "one\n"), write("tests/golden/out.txt", "one\n")];
    let project = worked(refitted(), mended);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let reasons = rejections(&project);
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    let said = "tests/golden/out.txt, data of tests, was changed; as it was before the phase, test fails on this work";
    assert!(reasons[0].starts_with(said), "{reasons:?}");
}

#[test]
fn a_person_decides_about_what_is_rewritten_again() {
    let project = worked(refitted(), vec![]);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("tests/golden/out.txt, data of tests, was changed"), "{ended:?}");
}
