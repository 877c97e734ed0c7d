//! `autopilot do`: one task in a project that has no `.planning/`, through the same pipeline as a phase, with nothing left behind but
//! the work. Wrong starts are `wrong_starts.rs`.

use std::path::Path;

use autopilot_testkit::built_command::BuiltCommand;
use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::Value;

use super::landing::run_branch;
use super::outcome::{UsersOwn, starts};
use super::project::Project;
use super::script::{self, entry, executed, planned, reviewed, write};
use super::{KILLED, PROGRAM};

const TASK: &str = "Say hello in lib/1";

/// Plan, one task, one reviewer.
fn work() -> Vec<Value> {
    work_of("DO-1")
}

fn work_of(id: &str) -> Vec<Value> {
    let folder = format!("{id}-say-hello-in-lib-1");
    let text = script::plan_text(1, &folder, &[("Say hello", "grep -q hello lib/1", "")]);
    let plan = write(&format!(".planning/phases/{folder}/{id}-01-PLAN.md"), &text);
    let task = format!("{id}-01-1");
    vec![
        entry(id, "plan", None, 1, vec![plan, planned()]),
        entry(id, "execute", None, 1, vec![write("lib/1", "hello\n"), executed(&task)]),
        entry(id, "review", None, 1, vec![reviewed(9.5, None)]),
    ]
}

/// A project of somebody who never heard of roadmaps, whose agent plays these entries.
pub(crate) fn project(entries: Vec<Value>) -> Project {
    let files = TemporaryProject::named("way")
        .and_then(|it| it.file("Makefile", "test:\n\tsh test.sh\n"))
        .and_then(|it| it.file("test.sh", "! test -e lib/1 || grep -q hello lib/1\n"))
        .and_then(|it| it.file("lib/README", "the parts\n"))
        .unwrap();
    let project = Project::committed(files, &script::script(entries));
    let script = project.around().join("script.json");
    project
        .variable("AUTOPILOT_AGENT", "scripted")
        .variable("AUTOPILOT_SCRIPT", script.to_str().unwrap())
        .variable("AUTOPILOT_MIN_PHASE_TIME", "0")
        .variable("AUTOPILOT_MIN_VERIFY_TIME", "0")
}

#[test]
fn a_task_is_done_on_a_branch_of_its_own_and_leaves_no_papers() {
    let project = project(work());
    let before = UsersOwn::of(&project);
    let ended = project.run(&["do", TASK, "--check", "grep -q hello lib/1"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(starts(&project).len(), 3, "{ended:?}");
    assert_eq!(UsersOwn::of(&project), before);
    let branch = run_branch(&project);
    let files = project.git(&["ls-tree", "-r", "--name-only", &branch]);
    assert_eq!(files, "Makefile\nlib/1\nlib/README\ntest.sh\n");
    assert!(!project.root().join(".planning").exists());
    for part in [
        "Phase DO-1: Say hello in lib/1 · passed, proven, 9.5",
        "proven",
        "lib/1",
        "autopilot merge",
        "autopilot prove DO-1 --at",
        "autopilot rollback DO-1",
    ] {
        assert!(ended.stdout.contains(part), "{part:?} is missing: {}", ended.stdout);
    }
}

#[test]
fn what_was_done_can_be_proven_merged_and_taken_back() {
    let project = project(work());
    assert_eq!(project.run(&["do", TASK, "--check", "grep -q hello lib/1"]).code, 0);
    let branch = run_branch(&project);
    let early = project.run(&["prove", "DO-1"]);
    assert_eq!(early.code, 5, "it is not on this branch yet: {early:?}");
    let proven = project.run(&["prove", "DO-1", "--at", &branch]);
    assert_eq!(proven.code, 0, "{proven:?}");
    assert!(proven.stdout.contains("PROVEN"), "{proven:?}");
    let merged = project.run(&["merge"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    assert_eq!(std::fs::read_to_string(project.root().join("lib/1")).unwrap(), "hello\n");
    assert_eq!(project.run(&["prove", "DO-1"]).code, 0);
    let back = project.run(&["rollback", "DO-1", "--merge"]);
    assert_eq!(back.code, 0, "{back:?}");
    assert!(!project.root().join("lib/1").exists());
}

/// What `prove DO-1` says in a clone of the project.
fn proved_in(clone: &Path, project: &Project) -> (i32, String) {
    let around = project.around();
    let state = around.join("state-of-the-clone");
    let command = BuiltCommand::new(PROGRAM, clone).variable("HOME", around.to_str().unwrap());
    let command = command.variable("XDG_STATE_HOME", state.to_str().unwrap());
    let ended = command.run(&["prove", "DO-1"]).unwrap();
    (ended.code, ended.stdout.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn a_clone_proves_a_task_once_its_receipt_is_copied_there_and_says_so_before() {
    let project = project(work());
    assert_eq!(project.run(&["do", TASK, "--check", "grep -q hello lib/1"]).code, 0);
    let early = project.run(&["prove", "DO-1"]);
    let branch = run_branch(&project);
    let words = early.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("until you merge it: --at {branch}.")), "{words}");
    assert_eq!(project.run(&["merge"]).code, 0);
    let clone = project.around().join("clone");
    project.git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
    let (code, words) = proved_in(&clone, &project);
    assert_eq!(code, 5, "{words}");
    assert!(words.contains("Copy .autopilot/receipts/DO-1.json from the repository"), "{words}");
    assert!(!words.contains("--at"), "{words}");
    let receipt = ".autopilot/receipts/DO-1.json";
    std::fs::create_dir_all(clone.join(".autopilot/receipts")).unwrap();
    std::fs::copy(project.root().join(receipt), clone.join(receipt)).unwrap();
    let (code, words) = proved_in(&clone, &project);
    assert_eq!(code, 0, "{words}");
    assert!(words.contains("PROVEN"), "{words}");
}

#[test]
fn status_says_how_the_last_task_stands_where_there_is_no_roadmap() {
    let project = project(work());
    assert_eq!(project.run(&["status"]).code, 2, "nothing was done yet");
    let killed = project.command().variable("AUTOPILOT_FAULT", "journal.sync.after:12:kill");
    assert_eq!(killed.run(&["do", TASK]).unwrap().code, KILLED);
    let status = project.run(&["status"]);
    assert_eq!(status.code, 0, "{status:?}");
    assert!(status.stdout.contains("Go on: autopilot resume."), "{status:?}");
    assert_eq!(project.run(&["resume"]).code, 0);
    let branch = run_branch(&project);
    let run = branch.strip_prefix("autopilot/").unwrap();
    let head =
        format!("Task DO-1: Say hello in lib/1\n  completed, 9.5\n  run {run}\n  branch {branch}");
    let done = project.run(&["status"]);
    let expected = format!(
        "{head}, not merged into main\n\nWhat it did: autopilot show DO-1. Bring it to main: autopilot merge. \
         The next one: autopilot do\n\"TASK\"\n"
    );
    assert_eq!((done.stdout.as_str(), done.code), (expected.as_str(), 0), "{done:?}");
    assert_eq!(project.run(&[]).stdout, expected);
    let json: Value = serde_json::from_str(&project.run(&["status", "--json"]).stdout).unwrap();
    assert_eq!(
        (&json["phases"][0]["status"], &json["percent"]),
        (&"completed".into(), &100.into())
    );
    assert_eq!(project.run(&["merge"]).code, 0);
    let merged = project.run(&["status"]).stdout;
    assert!(merged.starts_with(&format!("{head}, merged into main\n\nWhat it did")), "{merged}");
}

#[test]
fn what_was_not_measured_after_the_work_is_open_and_not_judged() {
    let project = project(work());
    let killed = project.command().variable("AUTOPILOT_FAULT", "journal.sync.after:12:kill");
    let ended = killed.run(&["do", TASK, "--check", "make test"]).unwrap();
    assert_eq!(ended.code, KILLED, "{ended:?}");
    assert!(ended.stdout.contains("criterion 1 PASS"), "before the work: {ended:?}");
    let shown = project.run(&["show"]).stdout;
    assert!(shown.contains("  open      `make test` succeeds\n"), "{shown}");
    assert!(shown.contains("            make test: not measured yet\n"), "{shown}");
    assert!(!shown.contains("judged"), "{shown}");
}

#[test]
fn the_lines_about_a_task_fit_a_narrow_screen() {
    let fit = |project: &Project, columns: u16, arguments: &[&str]| {
        let ended = project.command().columns(columns).run(arguments).unwrap();
        let is_wide = |line: &&str| line.chars().count() > usize::from(columns);
        let wide = ended.stdout.lines().find(is_wide);
        assert_eq!(wide, None, "{ended:?}");
        ended.stdout
    };
    let done = project(work());
    assert_eq!(done.run(&["do", TASK, "--check", "grep -q hello lib/1"]).code, 0);
    let proved = fit(&done, 48, &["prove", "DO-1", "--at", &run_branch(&done)]);
    assert!(proved.starts_with("Phase DO-1: Say hello in lib/1, measured on\n"), "{proved}");
    let long = "Say hello in lib/1 to everybody who reads it for the first time";
    let killed = project(work());
    let command = killed.command().variable("AUTOPILOT_FAULT", "journal.sync.after:12:kill");
    assert_eq!(command.run(&["do", long]).unwrap().code, KILLED);
    let shown = fit(&killed, 60, &["show"]);
    assert!(shown.contains("reads it for\nthe first time\n  in progress"), "{shown}");
}

#[test]
fn a_check_that_is_green_already_does_not_keep_the_task_from_being_done() {
    let project = project(work());
    let ended = project.run(&["do", TASK, "--check", "make test"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(project.git(&["show", &format!("{}:lib/1", run_branch(&project))]).contains("hello"));
}

#[test]
fn a_task_that_was_killed_goes_on_by_resume_and_by_asking_again() {
    for again in [&["resume"][..], &["do", TASK]] {
        let project = project(work());
        let fault = "journal.sync.after:12:kill";
        let killed = project.command().variable("AUTOPILOT_FAULT", fault).run(&["do", TASK]);
        assert_eq!(killed.unwrap().code, KILLED);
        let other = project.run(&["do", "something else entirely"]);
        assert_eq!(other.code, 2, "{other:?}");
        assert!(other.stderr.contains("is not finished"), "{other:?}");
        let ended = project.run(again);
        assert_eq!(ended.code, 0, "{again:?}: {ended:?}");
        assert!(ended.stdout.contains("Phase DO-1"), "{ended:?}");
        assert!(!project.root().join(".planning").exists());
    }
}

#[test]
fn a_task_comes_from_a_file_too_and_the_next_one_has_a_name_of_its_own() {
    let project = project(work());
    let said = "Say hello in lib/1\n\nIt is \"hello\" and nothing else.\n";
    std::fs::write(project.around().join("task.md"), said).unwrap();
    let ended = project.run(&["do", "--prompt-file", "../task.md"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let second = project.run(&["do", "Say hello in lib/1 again"]);
    assert!(second.stdout.contains("DO-2"), "{second:?}");
    let journal = project.run(&["journal", "export"]).stdout;
    assert!(journal.contains("Say hello in lib/1 again"), "{journal}");
}

#[test]
fn a_task_that_fails_leaves_the_branch_alone_and_says_what_now() {
    let mut entries = work();
    entries.truncate(1);
    for round in 1..=4 {
        let wrong = vec![write("lib/1", "goodbye\n"), executed("DO-1-01-1")];
        entries.push(entry("DO-1", "execute", None, round, wrong));
        entries.push(entry("DO-1", "debug", None, round, vec![script::debugged()]));
    }
    let project = project(entries);
    let before = UsersOwn::of(&project);
    let ended = project.run(&["do", TASK]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert_eq!(UsersOwn::of(&project), before);
    assert!(ended.stdout.contains("try again"), "{ended:?}");
    assert!(!ended.stdout.contains("autopilot merge"), "{ended:?}");
}

#[test]
fn whoever_mends_what_was_red_or_accepts_it_gets_a_new_run() {
    // The first run has the first number, and did nothing with it.
    let red = || {
        let project = project(work_of("DO-2"));
        std::fs::write(project.root().join("test.sh"), "test -e mended\n").unwrap();
        project.git(&["commit", "--quiet", "-am", "red"]);
        let ended = project.run(&["do", TASK]);
        assert_eq!(ended.code, 5, "{ended:?}");
        assert!(ended.stdout.contains("give the same command again"), "{ended:?}");
        project
    };
    let mended = red();
    std::fs::write(mended.root().join("mended"), "").unwrap();
    mended.git(&["add", "--all"]);
    mended.git(&["commit", "--quiet", "-m", "mended"]);
    let ended = mended.run(&["do", TASK]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let accepted = red();
    let ended = accepted.run(&["do", TASK, "--accept-red"]);
    assert!(ended.stdout.contains("Phase DO-2"), "it was begun: {ended:?}");
    // Nothing has changed: it is the same run, and as red as before.
    let unchanged = red();
    let ended = unchanged.run(&["do", TASK]);
    assert!(ended.stdout.contains("Going on with"), "{ended:?}");
    assert_eq!(ended.code, 5, "{ended:?}");
}

#[test]
fn what_is_wrong_with_git_is_told_before_what_the_project_lacks() {
    let files = || TemporaryProject::named("way").and_then(|it| it.file("notes", "a\n")).unwrap();
    let check = |change: &dyn Fn(&Project), code: i32, expected: &str| {
        let project = Project::committed(files(), &script::script(work()));
        change(&project);
        let ended = project.run(&["do", TASK]);
        assert_eq!(ended.code, code, "{ended:?}");
        assert!(ended.stderr.contains(expected), "{expected:?} is missing: {ended:?}");
    };
    let no_git = |project: &Project| {
        std::fs::remove_dir_all(project.root().join(".git")).unwrap();
    };
    check(&no_git, 6, "this folder is not in a git repository");
    let no_commit = |project: &Project| drop(project.git(&["update-ref", "-d", "HEAD"]));
    check(&no_commit, 6, "the repository has no commit yet");
    let dirty =
        |project: &Project| std::fs::write(project.root().join("notes"), "changed\n").unwrap();
    check(&dirty, 2, "notes is not committed");
    check(&|_: &Project| {}, 2, "no check was found in this project");
}

#[test]
fn a_task_that_was_taken_back_is_told_so_everywhere() {
    let project = project(work());
    assert_eq!(project.run(&["do", TASK]).code, 0);
    let back = project.run(&["rollback", "DO-1"]).stdout;
    assert!(back.contains("what is to be done now: autopilot do \"TASK\""), "{back}");
    let show = project.run(&["show", "DO-1"]).stdout;
    let head = "Phase DO-1: Say hello in lib/1 · passed, and was taken back, 9.5\n";
    assert!(show.starts_with(head), "{show}");
    assert!(!show.contains("autopilot rollback"), "{show}");
    let status = project.run(&["status"]).stdout;
    assert!(status.contains("\n  taken back\n"), "{status}");
    let why = project.run(&["why"]).stdout;
    let counts = "0 passed, 0 failed, 0 skipped, 0 for a person, 1 taken back\n";
    let now = "what is to be done now: autopilot do \"TASK\"\n";
    assert!(why.ends_with(&format!("{counts}{now}")), "{why}");
    for command in ["status", "show"] {
        let json: Value = serde_json::from_str(&project.run(&[command, "--json"]).stdout).unwrap();
        assert!(json.to_string().contains("\"status\":\"taken_back\""), "{json}");
    }
}

#[test]
fn a_merged_task_that_was_taken_back_is_taken_back_there_too_by_one_more_merge() {
    let project = project(work());
    assert_eq!(project.run(&["do", TASK, "--merge"]).code, 0);
    assert_eq!(project.run(&["rollback", "DO-1"]).code, 0);
    let status = project.run(&["status"]).stdout;
    assert!(status.contains("Take it back on main too: autopilot merge."), "{status}");
    assert_eq!(project.run(&["merge"]).code, 0);
    let status = project.run(&["status"]).stdout;
    assert!(!status.contains("autopilot merge"), "{status}");
}

#[test]
fn a_task_that_was_given_up_is_told_so_everywhere() {
    let project = project(work());
    let killed = project.command().variable("AUTOPILOT_FAULT", "journal.sync.after:12:kill");
    assert_eq!(killed.run(&["do", TASK]).unwrap().code, KILLED);
    let given_up = project.run(&["abandon"]).stdout;
    assert!(given_up.contains("nothing of it had passed; its branches stay"), "{given_up}");
    let status = project.run(&["status"]).stdout;
    assert!(status.contains("\n  given up\n"), "{status}");
    assert!(status.contains("The next one: autopilot do"), "{status}");
    let why = project.run(&["why"]).stdout;
    assert!(why.contains("it was given up"), "{why}");
    assert!(!why.contains("resume"), "nobody can go on with it: {why}");
    let show = project.run(&["show", "DO-1"]).stdout;
    assert!(show.contains(" · given up before it was over\n"), "{show}");
}

#[test]
fn where_nothing_was_done_and_no_roadmap_is_a_task_is_what_to_begin_with() {
    let project = project(work());
    let commands =
        ["show", "diff", "why", "logs", "resume", "merge", "rollback --run", "show DO-1"];
    for typed in commands {
        let ended = project.run(&typed.split(' ').collect::<Vec<_>>());
        assert_eq!(ended.code, 2, "{typed}: {ended:?}");
        let fix = "fix:   start one: autopilot do \"TASK\"\n";
        assert!(ended.stderr.ends_with(fix), "{typed}: {ended:?}");
    }
}

#[test]
fn a_number_is_never_used_for_two_tasks() {
    let project = project(["DO-1", "DO-2", "DO-3"].map(work_of).concat());
    assert_eq!(project.run(&["do", TASK]).code, 0);
    assert_eq!(project.run(&["rollback", "DO-1"]).code, 0);
    let killed = project.command().variable("AUTOPILOT_FAULT", "journal.sync.after:12:kill");
    assert_eq!(killed.run(&["do", TASK]).unwrap().code, KILLED);
    assert!(project.run(&["status"]).stdout.starts_with("Task DO-2: "));
    assert_eq!(project.run(&["abandon"]).code, 0);
    let third = project.run(&["do", TASK]);
    assert_eq!(third.code, 0, "{third:?}");
    assert!(third.stdout.contains("Phase DO-3: "), "{third:?}");
    // What is left of a task counts where everything else is gone.
    for path in ["archive", "ledger.json", "ledger.json.backup"] {
        let path = project.state().join(path);
        let _ = std::fs::remove_dir_all(&path);
        let _ = std::fs::remove_file(&path);
    }
    let fourth = project.run(&["do", TASK]);
    assert!(fourth.stdout.contains("Phase DO-4: "), "{fourth:?}");
}
