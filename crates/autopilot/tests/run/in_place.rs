//! A run in the user's own folder: agents work there and nowhere else of it, what passes is on the user's branch at once, and
//! whatever happens the folder comes back with nothing lost.

use autopilot_testkit::book;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::KILLED;
use super::fault_points::{has_run, resume_to_the_end};
use super::landing::{assert_whole, run_branch, status, tip};
use super::landing_kills::{points, some};
use super::outcome::records;
use super::project::Project;
use super::script::{executed, reviewed, script, write};
use super::signals::half_done_by;

const RUN: [&str; 3] = ["run", "--complete", "--in-place"];

/// An entry of an agent that has no slot beside which its start could be counted.
fn entry(phase: &str, step: &str, task: Option<&str>, actions: Vec<Value>) -> Value {
    let mut when = json!({"phase": phase, "step": step});
    if let Some(task) = task {
        when["task"] = json!(task);
    }
    json!({"when": when, "do": actions})
}

/// The work of a phase, made of a file that only the user's folder has: git ignores it.
fn work(phase: u32) -> Vec<Value> {
    let (id, task) = (phase.to_string(), format!("{phase}-01-1"));
    let copied = format!("cat local.env > lib/{phase} && pwd >> lib/seen.log");
    let actions = vec![
        json!({"run": {"command": copied}}),
        write(&format!("tests/{phase}.sh"), &format!("grep -q mine lib/{phase}\n")),
        executed(&task),
    ];
    vec![
        entry(&id, "execute", Some(&task), actions),
        entry(&id, "review", None, vec![reviewed(9.5, None)]),
    ]
}

fn with_own_files(project: Project) -> Project {
    std::fs::write(project.root().join(".gitignore"), "*.env\n*.log\n").unwrap();
    project.git(&["add", ".gitignore"]);
    project.git(&["commit", "--quiet", "-m", "what git ignores"]);
    std::fs::write(project.root().join("local.env"), "mine\n").unwrap();
    project
}

fn three() -> Project {
    with_own_files(Project::three((1..=3).flat_map(work).collect()))
}

fn one(actions: Vec<Value>) -> Project {
    let entries = vec![
        entry("1", "execute", Some("1-01-1"), actions),
        entry("1", "review", None, vec![reviewed(9.5, None)]),
    ];
    with_own_files(Project::small(entries))
}

/// The folder is the user's, on main, with nothing lying about.
fn assert_given_back(project: &Project, context: &str) {
    assert_eq!(status(project), "", "{context}");
    assert_eq!(project.git(&["branch", "--show-current"]).trim(), "main", "{context}");
    let lent = project.git(&["for-each-ref", "--format=%(refname)", "refs/autopilot/*/home*"]);
    assert_eq!(lent, "", "{context}");
    let own = std::fs::read_to_string(project.root().join("local.env")).unwrap();
    assert_eq!(own, "mine\n", "{context}");
    assert_whole(project, context);
}

fn found(project: &Project) -> Vec<String> {
    let pattern = "refs/autopilot/*/rescue/in-place*";
    let listed = project.git(&["for-each-ref", "--format=%(refname)", pattern]);
    listed.lines().map(ToString::to_string).collect()
}

#[test]
fn agents_work_in_the_users_folder_and_every_phase_that_passes_is_on_their_branch() {
    let project = three();
    let before = tip(&project, "main");
    let ended = project.run(&RUN);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains(" · in your folder"), "{}", ended.stdout);
    assert_eq!(tip(&project, "main"), tip(&project, &run_branch(&project)));
    assert_given_back(&project, "at the end");
    let root = project.root().canonicalize().unwrap();
    let seen = std::fs::read_to_string(project.root().join("lib/seen.log")).unwrap();
    assert_eq!(seen, format!("{}\n", root.display()).repeat(3));
    let moves = project.git(&["reflog", "show", "--format=%gs", "main"]);
    let merged = moves.lines().filter(|line| line.starts_with("autopilot merge")).count();
    assert_eq!(merged, 3, "{moves}");
    assert_eq!(found(&project), Vec::<String>::new());
    assert_ne!(tip(&project, "main"), before);
    let replayed = project.run(&["replay"]);
    assert_eq!(replayed.code, 0, "{replayed:?}");
    let proved = project.run(&["prove", "2"]);
    assert_eq!(proved.code, 0, "{proved:?}");
}

#[test]
fn what_git_and_autopilot_keep_in_the_folder_cannot_be_written_by_agents() {
    let lines = "echo evil > .git/hooks/post-checkout; echo '[core]' >> .git/config; \
                 echo evil > .git/HEAD; echo evil > .autopilot/evil; git commit --quiet --allow-empty -m evil; \
                 ls .autopilot/journal > lib/seen; echo base > lib/1";
    let project = one(vec![json!({"run": {"command": lines}}), executed("1-01-1")]);
    let config = std::fs::read(project.root().join(".git/config")).unwrap();
    let line = book::line("run.md", "autopilot run next --in-place").unwrap();
    let ended = project.run(&line.split(' ').skip(1).collect::<Vec<_>>());
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(std::fs::read(project.root().join(".git/config")).unwrap(), config);
    assert!(!project.root().join(".git/hooks/post-checkout").exists());
    assert!(!project.state().join("evil").exists());
    assert_eq!(std::fs::read_to_string(project.root().join("lib/seen")).unwrap(), "", "records");
    assert!(!project.git(&["log", "--format=%s"]).contains("evil"));
    assert_given_back(&project, "at the end");
}

#[test]
fn a_phase_that_fails_leaves_the_folder_as_it_was() {
    let project =
        one(vec![write("lib/1", "wrong\n"), write("lib/more", "wrong\n"), executed("1-01-1")]);
    let before = tip(&project, "main");
    let ended = project.run(&RUN);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert_eq!(tip(&project, "main"), before);
    assert!(!project.root().join("lib/1").exists());
    assert_given_back(&project, "failed");
    assert_eq!(found(&project), Vec::<String>::new(), "its work is kept as any work is");
}

#[test]
fn whoever_stops_a_run_has_their_folder_back_and_resume_goes_on_in_it() {
    let half = vec![write("lib/1", "half\n"), json!({"say": {"text": "half"}}), json!("hang")];
    let project = one(half);
    let started = half_done_by(&project, &RUN);
    assert_eq!(std::fs::read_to_string(project.root().join("lib/1")).unwrap(), "half\n");
    started.signal(Signal::INT).unwrap();
    let ended = started.finish().unwrap();
    assert_eq!(ended.code, 130, "{ended:?}");
    assert_given_back(&project, "stopped");
    assert!(!project.root().join("lib/1").exists());
    let entries = vec![
        entry("1", "execute", Some("1-01-1"), vec![write("lib/1", "base\n"), executed("1-01-1")]),
        entry("1", "review", None, vec![reviewed(9.5, None)]),
    ];
    std::fs::write(project.around().join("script.json"), script(entries)).unwrap();
    let ended = project.run(&["resume"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(std::fs::read_to_string(project.root().join("lib/1")).unwrap(), "base\n");
    assert_given_back(&project, "resumed");
}

#[test]
fn what_an_agent_left_in_a_killed_run_decides_nothing_when_it_is_resumed() {
    let settings = r#"{"project": {"commands": {"test": "sh test.sh"}}, "autopilot": {"agent": "scripted", "script": "../script.json", "fence": false}}"#;
    let half = vec![
        write(".planning/config.json", settings),
        json!({"say": {"text": "half"}}),
        json!("hang"),
    ];
    let project = one(half);
    let started = half_done_by(&project, &RUN);
    started.signal(Signal::KILL).unwrap();
    assert_eq!(started.finish().unwrap().code, KILLED);
    let config = std::fs::read_to_string(project.root().join(".planning/config.json")).unwrap();
    assert_eq!(config, settings, "the folder is as the agent left it");
    let escape = "echo evil > .git/hooks/post-checkout; echo base > lib/1";
    let entries = vec![
        entry(
            "1",
            "execute",
            Some("1-01-1"),
            vec![json!({"run": {"command": escape}}), executed("1-01-1")],
        ),
        entry("1", "review", None, vec![reviewed(9.5, None)]),
    ];
    std::fs::write(project.around().join("script.json"), script(entries)).unwrap();
    let ended = project.run(&["resume"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(!ended.stdout.contains("unfenced"), "{}", ended.stdout);
    assert!(!project.root().join(".git/hooks/post-checkout").exists());
    assert_given_back(&project, "resumed");
    assert_eq!(found(&project).len(), 1, "what the agent wrote is kept");
}

#[test]
fn whoever_commits_meanwhile_keeps_their_commit_and_their_files() {
    let half = vec![write("lib/1", "half\n"), json!({"say": {"text": "half"}}), json!("hang")];
    let project = one(half);
    let started = half_done_by(&project, &RUN);
    std::fs::write(project.root().join("mine.txt"), "mine\n").unwrap();
    project.git(&["add", "mine.txt"]);
    project.git(&["commit", "--quiet", "-m", "mine"]);
    started.signal(Signal::INT).unwrap();
    assert_eq!(started.finish().unwrap().code, 130);
    assert_given_back(&project, "stopped");
    assert_eq!(std::fs::read_to_string(project.root().join("mine.txt")).unwrap(), "mine\n");
    assert!(!project.root().join("lib/1").exists());
}

#[test]
fn what_the_user_typed_meanwhile_is_part_of_the_work_or_kept_under_a_ref() {
    // It plays the user: what it writes there is kept with no work, because agents have no business with it.
    let typed = "echo 'typed meanwhile' >> .planning/phases/01-base/01-01-PLAN.md";
    let actions =
        vec![json!({"run": {"command": typed}}), write("lib/1", "base\n"), executed("1-01-1")];
    let project = one(actions);
    let ended = project.run(&RUN);
    assert_given_back(&project, "at the end");
    let kept = found(&project);
    assert!(!kept.is_empty(), "{ended:?}");
    let path = format!("{}:.planning/phases/01-base/01-01-PLAN.md", kept[0]);
    assert!(project.git(&["show", &path]).contains("typed meanwhile"));
    assert!(ended.stderr.contains(&kept[0]), "{}", ended.stderr);
}

#[test]
fn what_cannot_be_done_in_place_is_refused_before_anything_is_spent() {
    let check = |prepare: &dyn Fn(&Project), more: &[&str], code: i32, said: &str| {
        let project = one(vec![executed("1-01-1")]);
        prepare(&project);
        let refused = project.run(&[&RUN[..], more].concat());
        let words = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(refused.code, code, "{words}");
        assert!(words.contains(said) && words.contains("fix:"), "{words}");
        assert!(!has_run(&project, "journal"), "{said}");
    };
    check(&|_| {}, &["--allow-dirty"], 2, "--in-place and --allow-dirty exclude each other");
    let detach = |project: &Project| drop(project.git(&["switch", "--quiet", "--detach"]));
    check(&detach, &[], 2, "--in-place needs a branch, and HEAD stands on none");
    let dirty = |project: &Project| std::fs::write(project.root().join("lib/x"), "x").unwrap();
    check(&dirty, &[], 2, "lib/x is not committed");
    let telling = |project: &Project| {
        let path = project.root().join(".planning/ROADMAP.md");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("verified by:", "verified by (hidden):")).unwrap();
    };
    check(&telling, &[], 2, "tells a hidden check");
}

#[test]
fn without_bubblewrap_agents_are_not_let_into_the_users_folder() {
    let project = one(vec![executed("1-01-1")]);
    let programs = project.around().join("programs");
    std::fs::create_dir(&programs).unwrap();
    for name in ["git", "sh"] {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|folder| folder.join(name))
            .find(|path| path.is_file());
        std::os::unix::fs::symlink(found.unwrap(), programs.join(name)).unwrap();
    }
    let command = project.command().variable("PATH", programs.to_str().unwrap());
    let refused = command.run(&RUN).unwrap();
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(refused.stderr.contains("agents cannot be kept out of .git here"), "{refused:?}");
    assert!(!has_run(&project, "journal"));
}

#[test]
fn killed_at_any_point_in_place_it_is_gone_on_with_or_given_up_and_nothing_is_lost() {
    let base = one(vec![
        json!({"run": {"command": "sed s/mine/base/ local.env > lib/1"}}),
        executed("1-01-1"),
    ]);
    let passed = points(&base.copy(), &RUN);
    let (mut resumed, mut given_up) = (0, 0);
    for (at, (point, nth)) in some(passed, 20).into_iter().enumerate() {
        let context = format!("{point}:{nth}");
        let project = base.copy();
        let before = tip(&project, "main");
        let fault = format!("{point}:{nth}:kill");
        let killed = project.command().variable("AUTOPILOT_FAULT", &fault).run(&RUN).unwrap();
        assert_eq!(killed.code, KILLED, "{context}: {killed:?}");
        let has_journal = has_run(&project, "journal");
        // Every third is given up, wherever it was.
        if has_journal && at % 3 == 0 && is_given_up(&project, &before, &context) {
            given_up += 1;
            continue;
        }
        match (has_journal, has_run(&project, "archive")) {
            (true, _) => drop(resume_to_the_end(&project, &context)),
            (false, true) => {}
            (false, false) => assert_eq!(project.run(&RUN).code, 0, "{context}"),
        }
        assert_given_back(&project, &context);
        assert_eq!(tip(&project, "main"), tip(&project, &run_branch(&project)), "{context}");
        let text = std::fs::read_to_string(project.root().join("lib/1")).unwrap();
        assert_eq!(text, "base\n", "{context}");
        let merged = records(&project).1;
        let merged = merged.iter().filter(|record| record.event.name() == "run_merged").count();
        assert_eq!(merged, 1, "{context}");
        resumed += 1;
    }
    assert!(resumed > 10 && given_up > 5, "{resumed} gone on with, {given_up} given up");
}

/// False for a run that had ended when it was killed.
fn is_given_up(project: &Project, before: &str, context: &str) -> bool {
    let ended = project.run(&["abandon"]);
    if ended.stderr.contains("there is no unfinished run") {
        return false;
    }
    assert_eq!(ended.code, 0, "{context}: {ended:?}");
    // Cut off while the phase came into the folder: what was given up has passed, and is merged by hand.
    let is_begun = ended.stdout.contains("autopilot merge");
    if is_begun || project.root().join(".git/autopilot-merge.index").exists() {
        let merged = project.run(&["merge"]);
        assert_eq!(merged.code, 0, "{context}: {merged:?}");
    }
    assert_given_back(project, context);
    let has_work = project.root().join("lib/1").exists();
    assert_eq!(has_work, tip(project, "main") != before, "{context}");
    true
}
