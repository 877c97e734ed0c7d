//! Phases of the last run are taken back, on the run's branch or on one of their own, and nothing is lost by it.

use serde_json::{Value, json};

use super::landing::{assert_whole, run_branch, status, tip};
use super::outcome::{UsersOwn, state};
use super::project::Project;
use super::script::{append, entry, executed, reviewed, write};

/// The work of a phase: a file of its own, a test, and a line of a file they share; the first one's stands on top.
pub(crate) fn work(phase: u32) -> Vec<Value> {
    let (id, task) = (phase.to_string(), format!("{phase}-01-1"));
    let actions = vec![
        write(&format!("lib/{phase}"), &format!("part {phase}\n")),
        write(&format!("tests/{phase}.sh"), &format!("grep -q part lib/{phase}\n")),
        match phase {
            1 => json!({"run": {"command": "sed -i '1i Part 1 is here.' lib/README"}}),
            _ => append("lib/README", &format!("Part {phase} is here.\n")),
        },
        executed(&task),
    ];
    vec![
        entry(&id, "execute", Some(&task), 1, actions),
        entry(&id, "review", None, 1, vec![reviewed(9.5, None)]),
    ]
}

/// Three phases that passed, the third on top of the second.
pub(crate) fn ended() -> Project {
    let project = Project::three((1..=3).flat_map(work).collect());
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    project
}

/// How the ledger has a phase.
pub(crate) fn outcome_of(project: &Project, phase: &str) -> String {
    let text = std::fs::read_to_string(project.state().join("ledger.json")).unwrap();
    let ledger: Value = serde_json::from_str(&text).unwrap();
    let found = ["/ledger/phases", "/phases"].into_iter().find_map(|at| ledger.pointer(at));
    found.unwrap()[phase]["outcome"]["is"].as_str().unwrap().to_string()
}

fn files(project: &Project, commit: &str) -> Vec<String> {
    let listed = project.git(&["ls-tree", "-r", "--name-only", commit]);
    listed.lines().map(ToString::to_string).collect()
}

fn has(project: &Project, commit: &str, path: &str) -> bool {
    files(project, commit).iter().any(|file| file == path)
}

fn document(project: &Project, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--json"]].concat();
    let ended = project.run(&arguments);
    assert_eq!(ended.code, 0, "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

fn text<'a>(document: &'a Value, name: &str) -> &'a str {
    document[name].as_str().unwrap()
}

#[test]
fn the_last_phase_is_left_out_and_kept_under_its_ref() {
    let project = ended();
    let (before, users) = (tip(&project, &run_branch(&project)), UsersOwn::of(&project));
    let said = document(&project, &["rollback", "3"]);
    let after = tip(&project, &run_branch(&project));
    assert_eq!(text(&said, "commit"), after);
    assert_eq!(tip(&project, text(&said, "rescue")), before);
    assert!(!has(&project, &after, "lib/3") && has(&project, &after, "lib/2"));
    let is_inside = project.try_git(&["merge-base", "--is-ancestor", &after, &before]);
    assert_eq!(is_inside.code, 0, "it is left out, not undone");
    assert_eq!(UsersOwn::of(&project), users);
    assert_eq!((outcome_of(&project, "3"), outcome_of(&project, "2")), gone_and_there());
    assert_whole(&project, "last");
    let words: Vec<&str> = text(&said, "bring_back").split(' ').skip(1).collect();
    project.git(&words);
    assert_eq!(tip(&project, words[1]), before, "the printed command brings it back");
}

fn gone_and_there() -> (String, String) {
    ("taken_back".to_string(), "completed".to_string())
}

#[test]
fn a_phase_in_the_middle_is_undone_by_a_commit_and_later_work_stays() {
    let project = ended();
    let before = tip(&project, &run_branch(&project));
    let said = document(&project, &["rollback", "1"]);
    let after = tip(&project, &run_branch(&project));
    assert_eq!(tip(&project, &format!("{after}^")), before, "one commit on top");
    assert!(!has(&project, &after, "lib/1") && has(&project, &after, "lib/2"));
    assert!(!has(&project, &after, ".planning/phases/01-part/RECEIPT.json"));
    let shared = project.git(&["show", &format!("{after}:lib/README")]);
    assert!(!shared.contains("Part 1") && shared.contains("Part 3"), "{shared}");
    assert_eq!(tip(&project, text(&said, "rescue")), before);
    assert_whole(&project, "middle");
    let replayed = project.run(&["replay"]);
    assert_eq!(replayed.code, 0, "{replayed:?}");
    let verified = project.run(&["journal", "verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    let merged = project.run(&["merge"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    assert_eq!(tip(&project, "main"), after, "the rest can be merged");
    assert_eq!(status(&project), "");
}

#[test]
fn what_others_are_built_on_goes_only_together_with_them() {
    let project = ended();
    let before = tip(&project, &run_branch(&project));
    let refused = project.run(&["rollback", "2"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    let words = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("phase 3 passed and depends on phase 2"), "{words}");
    assert_eq!(tip(&project, &run_branch(&project)), before);
    let said = document(&project, &["rollback", "2", "--with-dependents"]);
    assert_eq!(said["phases"], json!(["3", "2"]));
    let after = tip(&project, &run_branch(&project));
    assert!(!has(&project, &after, "lib/3") && !has(&project, &after, "lib/2"));
    assert!(has(&project, &after, "lib/1"));
    assert_whole(&project, "dependents");
}

#[test]
fn a_whole_run_is_taken_back_and_done_again_by_the_next() {
    let project = ended();
    let said = document(&project, &["rollback", "--run"]);
    assert_eq!(said["phases"], json!(["3", "2", "1"]));
    assert_eq!(tip(&project, &run_branch(&project)), tip(&project, "main"));
    let nothing = project.run(&["rollback", "--run"]);
    assert_eq!(nothing.code, 2, "{nothing:?}");
    let again = project.run(&["run", "--complete"]);
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(state(&project).phases.len(), 3, "all are done again");
    assert_eq!(outcome_of(&project, "1"), "completed");
}

#[test]
fn what_is_merged_is_undone_on_a_branch_of_its_own_or_on_the_users() {
    let project = ended();
    assert_eq!(project.run(&["merge"]).code, 0);
    let merged = tip(&project, "main");
    let apart = project.copy();
    let said = document(&apart, &["rollback", "1"]);
    assert_eq!((tip(&apart, "main"), status(&apart)), (merged.clone(), String::new()));
    let branch = text(&said, "branch");
    assert!(branch.ends_with("-back-1"), "{branch}");
    assert_eq!(tip(&apart, &format!("{branch}^")), merged);
    assert!(!has(&apart, branch, "lib/1") && has(&apart, branch, "lib/3"));
    assert_eq!(apart.run(&["merge"]).code, 0);
    assert_eq!(tip(&apart, "main"), tip(&apart, branch));
    assert!(!apart.root().join("lib/1").exists() && status(&apart).is_empty());
    assert_whole(&apart, "apart");
    let said = document(&project, &["rollback", "3", "--merge"]);
    assert_eq!(said["merged"]["commit"], said["commit"]);
    assert!(!project.root().join("lib/3").exists() && status(&project).is_empty());
    assert_eq!(outcome_of(&project, "3"), "taken_back");
    assert_whole(&project, "merged");
}

#[test]
fn a_rollback_that_does_not_work_out_changes_nothing() {
    let mut entries = work(1);
    let over = vec![
        write("lib/1", "part 1, and what 2 made of it\n"),
        write("lib/2", "part 2\n"),
        executed("2-01-1"),
    ];
    entries.push(entry("2", "execute", Some("2-01-1"), 1, over));
    entries.push(entry("2", "review", None, 1, vec![reviewed(9.5, None)]));
    entries.extend(work(3));
    let project = Project::three(entries);
    assert_eq!(project.run(&["run", "--complete"]).code, 0);
    let refs = || project.git(&["for-each-ref"]);
    let (before, users) = (refs(), UsersOwn::of(&project));
    let refused = project.run(&["rollback", "1"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    let words = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("changed the same places of") && words.contains("lib/1"), "{words}");
    assert_eq!((refs(), UsersOwn::of(&project)), (before, users));
    assert_eq!(outcome_of(&project, "1"), "completed");
    assert_whole(&project, "conflict");
    let unknown = project.run(&["rollback", "7"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("phase 7 has not passed"), "{unknown:?}");
}
