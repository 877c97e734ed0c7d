//! A run's work reaches the user's branch only where nothing of theirs can be lost, and whole.

use std::path::Path;

use super::fault_points::small;
use super::outcome::{UsersOwn, records, state};
use super::project::Project;
use super::script::{entry, executed, reviewed, write};

/// What must hold of every repository afterwards: nothing is broken, nothing is left lying about, nothing is half done.
pub(crate) fn assert_whole(project: &Project, context: &str) {
    let checked = project.try_git(&["fsck", "--strict", "--no-dangling", "--no-progress"]);
    let said = format!("{}{}", checked.stdout, checked.stderr);
    assert_eq!((checked.code, said.trim()), (0, ""), "{context}");
    for left in ["index.lock", "autopilot-merge", "autopilot-merge.index", "REVERT_HEAD"] {
        assert!(!project.root().join(".git").join(left).exists(), "{context}: {left} is left");
    }
}

pub(crate) fn tip(project: &Project, name: &str) -> String {
    project.git(&["rev-parse", "--verify", name]).trim().to_string()
}

/// The branch of the newest run.
pub(crate) fn run_branch(project: &Project) -> String {
    format!("autopilot/{}", records(project).0)
}

pub(crate) fn status(project: &Project) -> String {
    project.git(&["status", "--porcelain=v1", "--untracked-files=all"])
}

/// The user's tree is the run's, to the byte, and git sees no difference.
fn assert_merged(project: &Project) {
    assert_eq!(tip(project, "main"), tip(project, &run_branch(project)));
    assert_eq!(status(project), "");
    assert_eq!(std::fs::read_to_string(project.root().join("lib/1")).unwrap(), "base\n");
    assert_whole(project, "merged");
}

fn text(root: &Path, name: &str) -> String {
    std::fs::read_to_string(root.join(name)).unwrap()
}

/// The small run, which went well.
fn ended() -> Project {
    let project = small();
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    project
}

#[test]
fn with_merge_the_branch_is_at_the_work_when_the_run_ends() {
    let project = small();
    let ended = project.run(&["run", "--complete", "--merge"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("\nmerged: main is at "), "{}", ended.stdout);
    assert_merged(&project);
    let again = project.run(&["merge"]);
    assert_eq!(again.code, 0, "{again:?}");
    assert_merged(&project);
    let replayed = project.run(&["replay"]);
    assert_eq!(replayed.code, 0, "{replayed:?}");
}

#[test]
fn a_finished_run_is_merged_by_hand_and_a_second_time_nothing_happens() {
    let project = ended();
    let first = project.run(&["merge", "--json"]);
    assert_eq!(first.code, 0, "{first:?}");
    assert_merged(&project);
    let log = || project.git(&["reflog", "show", "main"]).lines().count();
    let moves = log();
    let second = project.run(&["merge", "--json"]);
    assert_eq!((first.stdout, first.code), (second.stdout, second.code));
    assert_eq!(log(), moves, "it is merged once");
    let unknown = project.run(&["merge", "run-1"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
}

#[test]
fn what_is_not_committed_keeps_the_branch_where_it_is() {
    let project = ended();
    let check = |name: &str, prepare: &dyn Fn(&Project), said: &str| {
        let project = project.copy();
        prepare(&project);
        let before = (UsersOwn::of(&project), tip(&project, "main"));
        let refused = project.run(&["merge"]);
        assert_eq!(refused.code, 2, "{name}: {refused:?}");
        let words = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(said) && words.contains("fix:"), "{name}: {words}");
        assert_eq!((UsersOwn::of(&project), tip(&project, "main")), before, "{name}");
        let _theirs = std::fs::remove_file(project.root().join(".git/index.lock"));
        assert_whole(&project, name);
    };
    let put = |name: &'static str, words: &'static str| {
        move |project: &Project| std::fs::write(project.root().join(name), words).unwrap()
    };
    check("new", &put("mine.txt", "mine"), "mine.txt is not committed");
    check("changed", &put("lib/README", "mine"), "lib/README is not committed");
    check("same as the run's", &put("lib/1", "base\n"), "lib/1 is not committed");
    check("planning", &put(".planning/NOTES.md", "mine"), ".planning/NOTES.md is not committed");
    check(
        "staged and changed back",
        &|project| {
            put("lib/README", "staged")(project);
            project.git(&["add", "lib/README"]);
            put("lib/README", "The parts.\n")(project);
        },
        "lib/README is not committed",
    );
    check(
        "in the way",
        &|project| {
            put(".git/info/exclude", "/lib/1\n")(project);
            put("lib/1", "ignored, and mine\n")(project);
        },
        "lib/1 is in the way",
    );
    check(
        "moved",
        &|project| {
            put("lib/README", "mine")(project);
            project.git(&["commit", "--quiet", "-am", "mine"]);
        },
        "main has moved since",
    );
    check("another git", &put(".git/index.lock", ""), "another git is at work here");
}

#[test]
fn a_branch_that_is_checked_out_elsewhere_is_refused_with_its_place() {
    let project = ended();
    project.git(&["switch", "--quiet", "-c", "other"]);
    let elsewhere = project.around().join("elsewhere");
    project.git(&["worktree", "add", "--quiet", elsewhere.to_str().unwrap(), "main"]);
    let refused = project.run(&["merge"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("elsewhere"), "{refused:?}");
    project.git(&["worktree", "remove", elsewhere.to_str().unwrap()]);
    std::fs::write(project.root().join("mine.txt"), "of no concern").unwrap();
    let merged = project.run(&["merge"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    assert_eq!(tip(&project, "main"), tip(&project, &run_branch(&project)));
    assert_eq!(status(&project), "?? mine.txt\n", "the files belong to the other branch");
    assert_whole(&project, "elsewhere");
}

#[test]
fn planning_files_that_the_run_began_with_are_merged_with_its_ticks() {
    let project = small();
    let roadmap = project.root().join(".planning/ROADMAP.md");
    let ticks = "# Roadmap: Way\n\n- [ ] **Phase 1: Base** - There is a base\n";
    let longer = text(project.root(), ".planning/ROADMAP.md").replace("# Roadmap: Way\n", ticks);
    std::fs::write(&roadmap, longer).unwrap();
    std::fs::write(project.root().join(".planning/PROJECT.md"), "# Way\n").unwrap();
    let ended = project.run(&["run", "--complete", "--merge"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_merged(&project);
    assert!(text(project.root(), ".planning/ROADMAP.md").contains("- [x] **Phase 1"));
}

#[test]
fn a_run_whose_branch_could_not_be_moved_says_so_and_is_merged_later() {
    let project = small();
    std::fs::write(project.root().join("mine.txt"), "mine").unwrap();
    let ended = project.run(&["run", "--complete", "--merge", "--allow-dirty"]);
    assert_eq!(ended.code, 3, "{ended:?}");
    let words = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("not merged: mine.txt is not committed"), "{words}");
    assert!(words.contains("then autopilot merge"), "{words}");
    std::fs::remove_file(project.root().join("mine.txt")).unwrap();
    assert_eq!(project.run(&["merge"]).code, 0);
    assert_merged(&project);
}

#[test]
fn without_a_branch_there_is_nothing_to_merge_to() {
    let project = small();
    project.git(&["switch", "--quiet", "--detach"]);
    let refused = project.run(&["run", "--complete", "--merge"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(!project.state().join("lock").exists() || records_are_absent(&project));
    assert_eq!(project.run(&["run", "--complete"]).code, 0);
    let refused = project.run(&["merge"]);
    assert!(refused.code == 2 && refused.stderr.contains("git merge autopilot/"), "{refused:?}");
}

fn records_are_absent(project: &Project) -> bool {
    let journals = std::fs::read_dir(project.state().join("journal")).unwrap();
    journals.count() == 0
}

#[test]
fn a_run_that_failed_is_not_merged_by_itself() {
    let project = Project::small(vec![
        entry(
            "1",
            "execute",
            Some("1-01-1"),
            1,
            vec![write("lib/1", "base\n"), executed("1-01-1")],
        ),
        entry("1", "review", None, 1, vec![reviewed(5.0, None)]),
    ]);
    let before = tip(&project, "main");
    let ended = project.run(&["run", "--complete", "--merge"]);
    assert_ne!(ended.code, 0, "{ended:?}");
    assert_eq!(tip(&project, "main"), before);
    assert!(state(&project).landing.landed.is_none());
}
