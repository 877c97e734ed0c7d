//! `autopilot prove` with nothing but a clone: proven as it is, false when something came out another way, not proven where
//! something is missing.

use std::path::{Path, PathBuf};

use autopilot_testkit::built_command::{BuiltCommand, Ended};

use super::project::Project;
use super::script::{entry, executed, reviewed, write};
use super::{PROGRAM, proof};

const PROVEN: i32 = 0;
const FALSE: i32 = 1;
const USAGE: i32 = 2;
const NOT_PROVEN: i32 = 5;

/// A run with one phase that passed, cloned into an empty folder with a home and a state folder of its own.
struct Clone {
    project: Project,
}

impl Clone {
    fn new() -> Clone {
        let work = vec![
            write("lib/1", "base\n"),
            write("tests/base.sh", "grep -q base lib/1\n"),
            executed("1-01-1"),
        ];
        let project = Project::small(vec![
            entry("1", "execute", Some("1-01-1"), 1, work),
            entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
        ]);
        let ended = project.run(&["run", "--complete"]);
        assert_eq!(ended.code, 0, "{ended:?}");
        let it = Clone { project };
        let branch = proof::branch(&it.project);
        let branch = branch.strip_prefix("refs/heads/").unwrap();
        let (from, to) = (it.project.root().to_path_buf(), it.folder());
        let arguments =
            ["clone", "--quiet", "--branch", branch, from.to_str().unwrap(), to.to_str().unwrap()];
        assert_eq!(BuiltCommand::new("git", it.project.around()).run(&arguments).unwrap().code, 0);
        it.git(&["config", "user.name", "A Person"]);
        it.git(&["config", "user.email", "person@example.org"]);
        it
    }

    fn folder(&self) -> PathBuf {
        self.project.around().join("clone")
    }

    fn git(&self, arguments: &[&str]) -> String {
        let ended = BuiltCommand::new("git", &self.folder()).run(arguments).unwrap();
        assert_eq!(ended.code, 0, "{ended:?}");
        ended.stdout
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "-m", message]);
    }

    fn prove(&self, arguments: &[&str]) -> Ended {
        let state = self.project.around().join("state-of-the-clone");
        let words: Vec<&str> = ["prove"].into_iter().chain(arguments.iter().copied()).collect();
        let command = BuiltCommand::new(PROGRAM, &self.folder());
        let command = command.variable("XDG_STATE_HOME", state.to_str().unwrap());
        command.variable("HOME", self.project.around().to_str().unwrap()).run(&words).unwrap()
    }

    fn receipt(&self) -> PathBuf {
        self.folder().join(".planning/phases/01-base/RECEIPT.json")
    }

    fn check(&self, expected: (i32, &str), words: &str) {
        let ended = self.prove(&["1"]);
        assert_eq!(ended.code, expected.0, "{ended:?}");
        let text = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(expected.1) && text.contains(words), "{text}");
    }
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn a_clone_proves_what_passed_and_leaves_nothing_in_it() {
    let clone = Clone::new();
    clone.check((PROVEN, "PROVEN"), "criterion 1 PASS grep -q base lib/1");
    clone.check((PROVEN, "PROVEN"), "where it has to fail: criterion 1 FAIL grep -q base lib/1");
    assert_eq!(clone.git(&["status", "--porcelain"]), "");
    assert!(!clone.folder().join(".autopilot").exists());
    let document = clone.prove(&["1", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&document.stdout).unwrap();
    assert_eq!((&document["verdict"], &document["phase"]), (&"proven".into(), &"1".into()));
    assert_eq!(document["inputs_known_to_the_worker"], true);
    let before = document["before"].as_array().unwrap();
    let seen: Vec<_> = before.iter().map(|one| (&one["check"], &one["result"])).collect();
    assert_eq!(seen, [(&"criterion 1".into(), &"red".into())]);
}

#[test]
fn one_flipped_test_is_named() {
    let clone = Clone::new();
    replace(&clone.folder().join("tests/base.sh"), "grep -q base", "! grep -q base");
    clone.check((PROVEN, "PROVEN"), "");
    clone.commit("a test flipped");
    clone.check((FALSE, "FALSE"), "- test is red, exit 1 (`sh test.sh`)");
    let before = clone.prove(&["1", "--at", "HEAD~1"]);
    assert_eq!(before.code, PROVEN, "{before:?}");
}

#[test]
fn a_receipt_that_is_gone_or_changed_proves_nothing() {
    let clone = Clone::new();
    replace(&clone.receipt(), "grep -q base lib/1", "true");
    clone.commit("the receipt bent");
    clone.check((FALSE, "FALSE"), "was changed after it was written");
    std::fs::write(clone.receipt(), "not at all").unwrap();
    clone.commit("the receipt broken");
    clone.check((FALSE, "FALSE"), "cannot be read");
    std::fs::remove_file(clone.receipt()).unwrap();
    clone.commit("the receipt gone");
    clone.check((NOT_PROVEN, "NOT PROVEN"), "there is no receipt of phase 1 in this commit");
}

#[test]
fn a_roadmap_that_asks_for_something_else_today_is_not_what_the_receipt_proves() {
    let clone = Clone::new();
    replace(
        &clone.folder().join(".planning/ROADMAP.md"),
        "grep -q base lib/1",
        "grep -q top lib/1",
    );
    let why = "the roadmap asks for criterion 1 otherwise than the receipt: `grep -q top lib/1`";
    clone.check((NOT_PROVEN, "NOT PROVEN"), why);
}

#[test]
fn what_is_no_commit_or_no_phase_is_refused() {
    let clone = Clone::new();
    let ended = clone.prove(&["1", "--at", "nowhere"]);
    assert_eq!(ended.code, USAGE, "{ended:?}");
    assert!(ended.stderr.contains("is no commit of this repository"), "{ended:?}");
    let ended = clone.prove(&["7"]);
    assert_eq!(ended.code, NOT_PROVEN, "{ended:?}");
}
