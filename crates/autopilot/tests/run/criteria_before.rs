//! A criterion that is green because what it runs was changed: a script of the user's, measured as it was, with real files and commits.

use serde_json::Value;

use super::project::Project;
use super::script::{entry, executed, reviewed, write};

const ROADMAP: &str = "# Roadmap: Way

### Phase 1: Base
**Goal**: There is a base
**Success Criteria**:
  1. The base is there -- verified by: `sh acceptance/base.sh`
";
const SCRIPT: &str = "grep -q base lib/1\n";

/// The small project with a script of acceptance, in which somebody works like this, and then like that where it is sent back.
fn worked(first: Vec<Value>, second: Vec<Value>) -> Project {
    let done = |actions: Vec<Value>, task: &str| {
        let all = actions.into_iter().chain([executed(task)]).collect();
        entry("1", "execute", Some(task), 1, all)
    };
    let project = Project::small(vec![
        done(first, "1-01-1"),
        done(second, "rejected-1"),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ]);
    let file = |path: &str, text: &str| {
        let path = project.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    file(".planning/ROADMAP.md", ROADMAP);
    file("acceptance/base.sh", SCRIPT);
    project.git(&["add", "--all"]);
    project.git(&["commit", "--quiet", "-m", "what is wanted"]);
    project
}

fn bent() -> Vec<Value> {
    vec![write("lib/1", "nothing\n"), write("acceptance/base.sh", "true\n")]
}

const SAID: &str = "acceptance/base.sh, which criterion 1 runs, was changed; as it was before the phase, \
                    criterion 1 fails on this work";

#[test]
fn who_rewrites_the_users_script_is_sent_back_and_passes_with_honest_work() {
    let honest = vec![write("lib/1", "base\n"), write("acceptance/base.sh", SCRIPT)];
    let project = worked(bent(), honest);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let text = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(SAID), "{text}");
    assert!(text.contains("(1 proven)"), "{text}");
}

#[test]
fn a_person_decides_about_a_script_that_is_rewritten_again() {
    let project = worked(bent(), vec![]);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 3, "{ended:?}");
    let text = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(SAID), "{text}");
}

#[test]
fn a_script_that_asks_for_more_than_before_is_no_doubt() {
    let more = "grep -q base lib/1\ntest -s lib/1\n";
    let work = vec![write("lib/1", "base\n"), write("acceptance/base.sh", more)];
    let project = worked(work, vec![]);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
}

/// What one check does to the files of the commit the next one does not see.
#[test]
fn a_test_that_mends_the_work_while_it_is_measured_mends_nothing() {
    let trick = "echo base > lib/1\n";
    let work = vec![write("lib/1", "nothing\n"), write("tests/trick.sh", trick)];
    let project = worked(work, vec![]);
    let ended = project.run(&["run", "--complete"]);
    assert_ne!(ended.code, 0, "{ended:?}");
    let text = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("test PASS, criterion 1 FAIL"), "{text}");
}
