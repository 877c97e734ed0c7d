//! What stands in the state folder is told, and taken away without losing anybody's work.

use serde_json::Value;

use super::KILLED;
use super::fault_points::{KILLS, small};
use super::landing::{assert_whole, run_branch, tip};
use super::outcome::UsersOwn;
use super::project::Project;
use super::script::{entry, executed, write};

fn document(project: &Project, arguments: &[&str]) -> Value {
    let ended = project.run(arguments);
    assert_eq!(ended.code, 0, "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

fn listed(project: &Project) -> Vec<Value> {
    let document = document(project, &["worktrees", "list", "--json"]);
    document["trees"].as_array().unwrap().clone()
}

fn names(project: &Project) -> Vec<String> {
    listed(project).iter().map(|tree| tree["name"].as_str().unwrap().to_string()).collect()
}

/// The small run, which went well.
fn ended() -> Project {
    let project = small();
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    project
}

fn rescues(cleaned: &Value, name: &str) -> Vec<String> {
    let removed = cleaned["removed"].as_array().unwrap();
    let found = removed.iter().find(|one| one["name"] == name);
    let found = found.unwrap_or_else(|| panic!("{name} is not removed: {cleaned}"));
    let rescues = found["rescues"].as_array().unwrap();
    rescues.iter().map(|rescue| rescue.as_str().unwrap().to_string()).collect()
}

#[test]
fn a_finished_run_leaves_trees_that_are_listed_and_taken_away() {
    let project = ended();
    let users = UsersOwn::of(&project);
    let trees = listed(&project);
    let slot = trees.iter().find(|tree| tree["name"] == "slot-1").unwrap();
    assert_eq!((&slot["kind"], &slot["uncommitted"]), (&"slot".into(), &0.into()), "{slot}");
    assert_eq!(slot["commit"], tip(&project, &run_branch(&project)).as_str());
    assert_eq!(slot["unmerged"], 2, "the task and its closing");
    assert!(slot["bytes"].as_u64().unwrap() > 0 && slot["in_use"].is_null(), "{slot}");
    let cleaned = document(&project, &["worktrees", "clean", "--json"]);
    assert_eq!(rescues(&cleaned, "slot-1"), Vec::<String>::new(), "all of it is on a branch");
    rescues(&cleaned, "proof-1");
    assert!(!project.slot(1).exists());
    assert!(names(&project).iter().all(|name| name.ends_with("cache")), "{:?}", names(&project));
    assert_eq!(project.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(UsersOwn::of(&project), users);
    assert_whole(&project, "clean");
    document(&project, &["worktrees", "clean", "--caches", "--json"]);
    assert_eq!(names(&project), Vec::<String>::new());
    let said = project.run(&["worktrees", "clean"]);
    assert_eq!((said.stdout.as_str(), said.code), ("nothing stands there\n", 0));
}

/// Files of an agent, and a commit on no branch: both would be gone with the tree.
fn with_work(project: &Project) -> String {
    let slot = project.slot(1);
    std::fs::write(slot.join("lib/1"), "changed\n").unwrap();
    std::fs::write(slot.join("new.txt"), "new\n").unwrap();
    let in_slot = |arguments: &[&str]| {
        let place = ["-C", slot.to_str().unwrap()];
        project.git(&[&place[..], arguments].concat())
    };
    in_slot(&["commit", "--quiet", "--allow-empty", "-m", "on no branch"]);
    in_slot(&["rev-parse", "HEAD"]).trim().to_string()
}

fn assert_kept(project: &Project, rescues: &[String], commit: &str, context: &str) {
    let holds = |rescue: &&String| {
        let shown = project.try_git(&["show", &format!("{rescue}:new.txt")]);
        shown.stdout == "new\n"
    };
    assert!(rescues.iter().any(|rescue| holds(&rescue)), "{context}: {rescues:?}");
    let held = project.git(&["for-each-ref", "--contains", commit]);
    assert!(!held.is_empty(), "{context}: {commit} is on no ref");
}

#[test]
fn work_that_is_in_no_commit_or_on_no_branch_is_kept_under_a_ref() {
    let project = ended();
    let commit = with_work(&project);
    let slot = listed(&project).into_iter().find(|tree| tree["name"] == "slot-1").unwrap();
    assert_eq!(slot["uncommitted"], 2, "{slot}");
    let cleaned = document(&project, &["worktrees", "clean", "--json"]);
    assert_kept(&project, &rescues(&cleaned, "slot-1"), &commit, "kept");
    assert_whole(&project, "kept");
}

#[test]
fn what_no_commit_can_hold_keeps_its_tree() {
    let project = ended();
    let slot = project.slot(1);
    let inner = slot.join("inner");
    std::fs::create_dir_all(&inner).unwrap();
    project.git(&["init", "--quiet", inner.to_str().unwrap()]);
    let cleaned = document(&project, &["worktrees", "clean", "--json"]);
    let kept = cleaned["kept"].as_array().unwrap();
    let kept = kept.iter().find(|one| one["name"] == "slot-1").unwrap();
    assert!(kept["why"].as_str().unwrap().starts_with("inner"), "{kept}");
    assert!(inner.exists());
}

#[test]
fn trees_of_a_run_that_is_not_finished_stay() {
    let project = Project::small(vec![entry(
        "1",
        "execute",
        Some("1-01-1"),
        1,
        vec![write("lib/1", "base\n"), executed("1-01-1")],
    )]);
    let left = project.run(&["run", "1"]);
    assert_ne!(left.code, 0, "nobody reviews it: {left:?}");
    let is_finished = std::fs::read_dir(project.state().join("journal")).unwrap().count() == 0;
    let cleaned = document(&project, &["worktrees", "clean", "--json"]);
    assert_eq!(project.slot(1).exists(), !is_finished, "{cleaned}");
    if !is_finished {
        assert_eq!(project.run(&["abandon"]).code, 0);
        document(&project, &["worktrees", "clean", "--json"]);
        assert!(!project.slot(1).exists());
    }
}

#[test]
fn cleaning_killed_at_any_point_loses_nothing() {
    let prepared = || {
        let project = ended();
        let commit = with_work(&project);
        (project, commit)
    };
    let (project, _) = prepared();
    let log = project.around().join("points");
    let command = project.command().variable("AUTOPILOT_FAULT_LOG", log.to_str().unwrap());
    assert_eq!(command.run(&["worktrees", "clean"]).unwrap().code, 0);
    let passed = std::fs::read_to_string(&log).unwrap();
    let count = passed.lines().filter(|line| *line == "git.after").count();
    let every = if std::env::var_os(KILLS).is_some() { 1 } else { 7 };
    for nth in (1..=count).step_by(every) {
        let (project, commit) = prepared();
        let fault = format!("git.after:{nth}:kill");
        let command = project.command().variable("AUTOPILOT_FAULT", &fault);
        assert_eq!(command.run(&["worktrees", "clean"]).unwrap().code, KILLED, "{fault}");
        document(&project, &["worktrees", "clean", "--json"]);
        assert!(!project.slot(1).exists(), "{fault}");
        let kept = project.git(&["for-each-ref", "--format=%(refname)", "refs/autopilot"]);
        let kept: Vec<String> = kept.lines().map(ToString::to_string).collect();
        assert_kept(&project, &kept, &commit, &fault);
        assert_whole(&project, &fault);
    }
}
