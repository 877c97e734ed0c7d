//! `run --runner delegate`: one agent does a phase up to its review. Its words are claims; what it left is measured and reviewed.

use serde_json::{Value, json};

use super::asked::{WAIT, go};
use super::leftovers;
use super::outcome::starts;
use super::project::{Project, soon};
use super::script::{debugged, delegated, entry, looked_at, reply, write};

const RUN: [&str; 5] = ["run", "1", "--runner", "delegate", "--json"];

fn project(tries: Vec<Vec<Value>>, others: Vec<Value>) -> Project {
    let tries = (1u32..)
        .zip(tries)
        .map(|(round, actions)| entry("1", "delegate", Some("delegate-1"), round, actions));
    Project::unplanned(tries.chain(others).chain(looked_at("1")).collect())
}

fn on_branch(project: &Project, what: &str) -> String {
    let branch =
        project.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/autopilot"]);
    project.git(&["show", &format!("{}:{what}", branch.trim())])
}

fn subjects(project: &Project) -> Vec<String> {
    let branch =
        project.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/autopilot"]);
    let log =
        project.git(&["log", "--reverse", "--format=%s", &format!("main..{}", branch.trim())]);
    log.lines().map(str::to_string).collect()
}

#[test]
fn an_honest_delegate_passes_and_each_task_it_names_is_a_commit() {
    let work = vec![
        write(".planning/phases/01-base/RESEARCH.md", "# Found\n\nNothing is there.\n"),
        write("lib/1", "base\n"),
        write("tests/1.sh", "grep -q base lib/1\n"),
        write("lib/more", "more\n"),
        // Against the rules, and folded into ours.
        json!({"run": {"command": "git add lib/1 && git commit -q -m mine"}}),
        delegated("1", &[("Lay the base", "lib/1"), ("Test it", "tests/1.sh")]),
    ];
    let project = project(vec![work], Vec::new()).unfenced();
    let ended = project.run(&RUN);
    assert_eq!(ended.code, 0, "{ended:?}");
    let expected = [
        "feat(phase 1): Lay the base",
        "feat(phase 1): Test it",
        "feat(phase 1): the whole phase",
        "docs(phase 1): Base",
    ];
    assert_eq!(subjects(&project), expected);
    let claims = on_branch(&project, ".planning/phases/01-base/DELEGATE-CLAIMS.md");
    assert!(claims.contains("These are claims."), "{claims}");
    assert!(claims.contains("its own score: 9.9"), "{claims}");
    assert!(on_branch(&project, ".planning/phases/01-base/RESEARCH.md").contains("Nothing"));
    let status = project.run(&["status", "--json"]);
    let status: Value = serde_json::from_str(&status.stdout).unwrap();
    assert_eq!(status["phases"][0]["score"], 9.5, "the rater's score, not the delegate's");
    let steps: Vec<String> = starts(&project).into_keys().collect();
    assert_eq!(steps.len(), 5, "the delegate and four reviewers: {steps:?}");
}

#[test]
fn a_lying_delegate_is_caught_by_the_measurement() {
    let lies = vec![write("lib/1", "nothing\n"), delegated("1", &[])];
    let mended =
        entry("1", "debug", Some("debug-1"), 1, vec![write("lib/1", "base\n"), debugged()]);
    let project = project(vec![lies], vec![mended]);
    let ended = project.run(&RUN);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("\"type\":\"debug_attempt\""), "{ended:?}");
    let expected = ["feat(phase 1): the whole phase", "fix(phase 1): repair what does not hold"];
    assert_eq!(subjects(&project)[..2], expected);
}

#[test]
fn a_broken_return_is_asked_for_once_more() {
    let broken = vec![write("lib/1", "base\n"), reply(json!({"status": "done"}))];
    let again = vec![delegated("1", &[("Lay the base", "lib/1")])];
    let project = project(vec![broken, again], Vec::new());
    let ended = project.run(&RUN);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(ended.stdout.matches("\"type\":\"task_retried\"").count(), 1, "{ended:?}");
    assert_eq!(subjects(&project)[0], "feat(phase 1): Lay the base");
}

#[test]
fn a_killed_delegate_costs_its_attempt_and_nothing_else() {
    let wait = json!({"run": {"command": WAIT}});
    let work = vec![wait, write("lib/1", "base\n"), delegated("1", &[("Lay the base", "lib/1")])];
    let project = project(vec![work], Vec::new());
    let started = project.start(&RUN);
    soon("the delegate at work", || !starts(&project).is_empty());
    started.signal(rustix::process::Signal::KILL).unwrap();
    assert_eq!(started.finish().unwrap().code, super::KILLED);
    leftovers::assert_none(&project);
    go(&project);
    let resumed = project.run(&["resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(subjects(&project), ["feat(phase 1): Lay the base", "docs(phase 1): Base"]);
}
