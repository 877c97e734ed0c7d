//! What a phase did is told afterwards, for people and for programs, whichever run it was and however it ended.

use serde_json::Value;

use super::fault_points::small;
use super::project::Project;
use super::rolled_back::{self, work};
use super::script::{entry, executed, reviewed, write};

/// Commits, names of runs and times are others each time.
fn plain(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let bare = word.trim_end_matches('\n');
        let is_commit = bare.len() == 8
            && bare.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        let is_run = bare.starts_with("run-2");
        match (is_commit, is_run) {
            (true, _) => word.replace(bare, "COMMIT"),
            (_, true) => word.replace(bare, "RUN"),
            (false, false) => word.to_string(),
        }
    });
    let text = words.collect::<Vec<_>>().join(" ");
    let lines = text.lines().map(|line| match line.rfind(" s") {
        Some(end) if line[..end].ends_with(|c: char| c.is_ascii_digit()) => {
            let start = line[..end].rfind(' ').unwrap_or(0);
            format!("{} TIME{}", &line[..start], &line[end + 2..])
        }
        _ => line.to_string(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

const PASSED: &str = "\
Phase 1: Base · passed, proven, 9.5
  There is a base
  RUN · TIME · 2 agent runs

Success criteria
  proven    The base is there
            grep -q base lib/1: red before the work, green after it

What was decided
  footprint of the plan: changed and named by no task of the plan: tests/1.sh
  gate: PASS (9.5)

Work
  COMMIT  feat(phase 1): Lay the base
  2 files, 2 lines added, 0 removed
        +1 -0  lib/1
        +1 -0  tests/1.sh

Measured by autopilot on COMMIT
  seen  check        command             took
  PASS  test         sh test.sh          TIME
  PASS  criterion 1  grep -q base lib/1  TIME

Who worked on it
  execute: scripted (scripted), 1 run, 110 tokens, about $0.000450
  review: scripted (scripted), 1 run, 110 tokens, about $0.000450

More
  autopilot diff 1                 what it changed
  autopilot logs 1                 step by step
  autopilot prove 1 --at COMMIT  measure it all again
  autopilot rollback 1             take it back, if it is of the last run";

#[test]
fn a_phase_that_passed_is_shown_from_verdict_to_cost() {
    let project = small();
    assert_eq!(project.run(&["run", "--complete"]).code, 0);
    let shown = project.run(&["show"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert_eq!(plain(&shown.stdout), PASSED);
    assert_eq!(project.run(&["show", "1"]).stdout, shown.stdout);
    let narrow = project.command().columns(50).run(&["show", "1"]).unwrap().stdout;
    let widest = narrow.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 50, "{narrow}");
    let unknown = project.run(&["show", "7"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(unknown.stderr.starts_with("error: no run has worked on phase 7\n"), "{unknown:?}");
}

#[test]
fn the_difference_of_a_phase_is_what_git_shows_of_its_commits() {
    let project = rolled_back::ended();
    let document: Value =
        serde_json::from_str(&project.run(&["show", "2", "--json"]).stdout).unwrap();
    let end = |name: &str| document[name].as_str().unwrap().to_string();
    let patch = project.git(&["diff", "--stat", "-p", &end("base"), &end("head")]);
    let shown = project.run(&["diff", "2"]);
    assert_eq!((shown.stdout.as_str(), shown.code), (patch.as_str(), 0));
    assert!(patch.contains("+part 2") && !patch.contains("RECEIPT.json"), "{patch}");
    assert_eq!(document["status"], "proven");
    assert_eq!(document["files"].as_array().unwrap().len(), 3);
    assert_eq!(document["measured"][0]["result"], "green");
    let none = project.run(&["diff", "9"]);
    assert_eq!(none.code, 2, "{none:?}");
}

#[test]
fn a_phase_that_failed_is_shown_with_its_reason_and_the_last_run_of_a_phase_counts() {
    let wrong = vec![
        entry(
            "1",
            "execute",
            Some("1-01-1"),
            1,
            vec![write("lib/1", "wrong\n"), executed("1-01-1")],
        ),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ];
    let project = Project::small(wrong);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let failed = project.run(&["show", "1"]).stdout;
    assert!(failed.starts_with("Phase 1: Base · failed"), "{failed}");
    assert!(failed.contains("FAIL  criterion 1"), "{failed}");
    assert!(!failed.contains("autopilot prove"), "nothing was merged: {failed}");
    let right = super::script::script(vec![
        entry(
            "1",
            "execute",
            Some("1-01-1"),
            1,
            vec![write("lib/1", "base\n"), executed("1-01-1")],
        ),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ]);
    std::fs::write(project.around().join("script.json"), right).unwrap();
    let ended = project.run(&["run", "1"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let passed = project.run(&["show", "1"]).stdout;
    assert!(passed.starts_with("Phase 1: Base · passed, proven, 9.5"), "{passed}");
}

#[test]
fn nothing_to_show_is_said_with_what_to_do() {
    let project = Project::three((1..=3).flat_map(work).collect());
    let refused = project.run(&["show", "--json"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    let document: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert!(document.to_string().contains("autopilot run next"), "{document}");
}
