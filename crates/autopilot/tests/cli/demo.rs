//! The demo in every language, to its end: five real phases, a failing check that is mended, work that is sent back, a lie that
//! is caught; and what is left to look at.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use autopilot_testkit::built_command::{BuiltCommand, Ended};
use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::Value;

use super::autopilot;

/// What the demo promises on two cores; it needs far less.
const DEMO_TIME_MAX: Duration = Duration::from_secs(90);
/// Where toolchains lie is no matter of the home folder a test gives.
const TOOLCHAINS: [(&str, &str); 3] =
    [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo"), ("PYENV_ROOT", ".pyenv")];

/// One demo at a time: the promise is about two cores, not about a share of them.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Autopilot for somebody whose home is this folder and who has no git settings.
fn demo(home: &Path) -> BuiltCommand {
    let temporary = home.join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    let mut command = autopilot(home)
        .variable("TMPDIR", temporary.to_str().unwrap())
        .variable("AUTOPILOT_AGENT", "nobody")
        .time_max(DEMO_TIME_MAX);
    let users_home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    for (name, usual) in TOOLCHAINS {
        let usual = users_home.join(usual);
        let place = std::env::var(name).unwrap_or_else(|_| usual.display().to_string());
        command = command.variable(name, &place);
    }
    command
}

/// What the demo prints in a pipe.
pub(super) fn shell_demo(home: &Path) -> String {
    let _alone = alone();
    let ended = demo(home).run(&["demo", "--lang", "shell"]).unwrap();
    assert_eq!((ended.stderr.as_str(), ended.code), ("", 0), "{}", ended.stdout);
    ended.stdout
}

/// Leaves the demo's project, after its run, in this folder of the home.
pub(super) fn kept_in(home: &Path, folder: &str) {
    let _alone = alone();
    let ended = demo(home).run(&["demo", "--lang", "shell", "--keep", folder]).unwrap();
    assert_eq!((ended.stderr.as_str(), ended.code), ("", 0), "{}", ended.stdout);
}

/// How often each event came, with the phase it was about where it names one.
fn events(home: &Path, root: &str) -> BTreeMap<String, usize> {
    let exported = at(home, root, &["journal", "export"]);
    let mut counts = BTreeMap::new();
    for line in exported.stdout.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let event = &line["event"];
        let phase = event["phase"].as_str().map(|phase| format!(" {phase}")).unwrap_or_default();
        let name = format!("{}{phase}", event["type"].as_str().unwrap());
        *counts.entry(name).or_default() += 1;
    }
    counts
}

fn at(home: &Path, root: &str, arguments: &[&str]) -> Ended {
    let ended = autopilot(home).run(&[&["-C", root], arguments].concat()).unwrap();
    assert_eq!((ended.stderr.as_str(), ended.code), ("", 0), "{arguments:?}: {}", ended.stdout);
    ended
}

/// Five phases passed, each in the way the demo promises.
fn assert_story(events: &BTreeMap<String, usize>) {
    let count = |name: &str| events.get(name).copied().unwrap_or(0);
    for phase in 1..=5 {
        assert_eq!(count(&format!("phase_completed {phase}")), 1, "{events:?}");
    }
    assert_eq!(count("debug_attempt 2"), 1, "{events:?}");
    assert_eq!(count("remediation_started 3"), 1, "{events:?}");
    assert_eq!(count("task_retried 4"), 1, "the lie was caught: {events:?}");
    for name in ["debug_attempt", "remediation_started", "task_retried"] {
        let all: usize = (1..=5).map(|phase| count(&format!("{name} {phase}"))).sum();
        assert_eq!(all, 1, "{name}: {events:?}");
    }
    assert_eq!(count("run_completed"), 1);
}

/// `--keep`, and then the project is one like any other.
fn check_language(language: &str) {
    let _alone = alone();
    let home = TemporaryProject::named("home").unwrap();
    let ended = demo(home.root()).run(&["demo", "--lang", language, "--keep", "kept"]).unwrap();
    assert_eq!((ended.stderr.as_str(), ended.code), ("", 0), "{}", ended.stdout);
    assert!(ended.stdout.contains("5 passed, 0 failed, 0 skipped"), "{}", ended.stdout);
    assert_story(&events(home.root(), "kept"));
    let status = at(home.root(), "kept", &["status"]).stdout;
    assert!(status.contains("100 % done, 5 of 5 phases"), "{status}");
    assert!(at(home.root(), "kept", &["journal", "verify"]).stdout.contains("the chain is whole"));
    assert!(at(home.root(), "kept", &["logs", "4"]).stdout.contains("test FAIL"));
    assert!(at(home.root(), "kept", &["why"]).stdout.contains("5 passed"));
    let report = fs::read_dir(home.root().join("kept/.autopilot")).unwrap();
    let names: Vec<PathBuf> = report.map(|entry| entry.unwrap().path()).collect();
    let is_report = |path: &&PathBuf| path.to_string_lossy().contains("/completion-2");
    let report = fs::read_to_string(names.iter().find(is_report).unwrap()).unwrap();
    assert!(report.contains("agent scripted") && report.contains("model: scripted"), "{report}");
}

#[test]
fn it_runs_in_rust() {
    check_language("rust");
}

#[test]
fn it_runs_in_node() {
    check_language("node");
}

#[test]
fn it_runs_in_python() {
    check_language("python");
}

#[test]
fn it_runs_in_a_shell() {
    check_language("shell");
}

#[test]
fn the_screen() {
    let home = TemporaryProject::named("home").unwrap();
    let screen = shell_demo(home.root());
    insta::assert_snapshot!("demo", redacted(&screen));
    let is_command = |line: &&str| line.starts_with("  /") || line.contains(" -C ");
    for line in screen.lines().filter(|line| !is_command(line)) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    assert_eq!(names(home.root()), [home.root().join("tmp")], "nothing is left elsewhere");
    let left = names(&home.root().join("tmp"));
    assert_eq!(left.len(), 1, "{left:?}");
    let root = left[0].join("bookmarks").display().to_string();
    assert!(at(home.root(), &root, &["status"]).stdout.contains("100 % done"));
}

#[test]
fn a_killed_demo_ends_like_any_other() {
    let _alone = alone();
    // An agent, a check and a commit, each at another place of the run.
    for seed in ["7", "1218", "7735"] {
        let home = TemporaryProject::named("home").unwrap();
        let arguments = ["demo", "--lang", "shell", "--keep", "kept", "--kill", "--seed", seed];
        let ended = demo(home.root()).run(&arguments).unwrap();
        assert_eq!((ended.stderr.as_str(), ended.code), ("", 0), "{seed}: {}", ended.stdout);
        assert!(ended.stdout.contains("Killed with SIGKILL"), "{seed}: {}", ended.stdout);
        let events = events(home.root(), "kept");
        assert_eq!(events.get("run_resumed"), Some(&1), "{seed}: {events:?}");
        assert_story(&events);
        at(home.root(), "kept", &["journal", "verify"]);
    }
}

/// A machine with these programs of this one and no others.
fn programs(home: &Path, names: &[&str]) -> String {
    let folder = home.join("programs");
    fs::create_dir_all(&folder).unwrap();
    let path = std::env::var("PATH").unwrap();
    for name in names {
        let found = std::env::split_paths(&path).map(|place| place.join(name));
        let found = found.into_iter().find(|file| file.is_file());
        std::os::unix::fs::symlink(found.unwrap(), folder.join(name)).unwrap();
    }
    folder.display().to_string()
}

#[test]
fn without_any_language_and_with_the_oddest_git_settings_it_runs_in_a_shell() {
    const POSIX: [&str; 12] = [
        "sh", "git", "awk", "cat", "cut", "dirname", "grep", "head", "mktemp", "mv", "rm", "sleep",
    ];
    let _alone = alone();
    let home = TemporaryProject::named("home").unwrap();
    let ignore = home.root().join("ignore");
    fs::write(&ignore, "*\n").unwrap();
    let settings = format!(
        "[core]\n\tautocrlf = true\n\thooksPath = /nowhere\n\texcludesFile = {}\n[commit]\n\tgpgSign = true\n[user]\n\tsigningKey = none\n",
        ignore.display()
    );
    fs::write(home.root().join(".gitconfig"), settings).unwrap();
    let path = programs(home.root(), &POSIX);
    let ended = demo(home.root()).variable("PATH", &path).run(&["demo"]).unwrap();
    assert_eq!((ended.stderr.as_str(), ended.code), ("", 0), "{}", ended.stdout);
    assert!(ended.stdout.contains("is written in POSIX shell and lies in"));
    assert!(ended.stdout.contains("5 passed, 0 failed"));
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_made() {
    let home = TemporaryProject::named("home").unwrap().file("full/file", "").unwrap();
    let check = |name: &str, path: Option<&str>, arguments: &[&str]| {
        let command = demo(home.root());
        let command = path.map_or(command, |path| demo(home.root()).variable("PATH", path));
        let ended = command.run(arguments).unwrap();
        insta::assert_snapshot!(name, ended.shown(home.root()));
    };
    check("demo_language", None, &["demo", "--lang", "cobol"]);
    check("demo_full_folder", None, &["demo", "--keep", "full"]);
    check("demo_seed_alone", None, &["demo", "--seed", "7"]);
    check("demo_without_git", Some("/nowhere"), &["demo"]);
    let git_only = programs(home.root(), &["git"]);
    check("demo_without_cargo", Some(&git_only), &["demo", "--lang", "rust"]);
    assert_eq!(fs::read_dir(home.root().join("tmp")).unwrap().count(), 0, "nothing was made");
}

/// The screen without what may be another one every time: the language, times, commits, names of runs, places.
pub(super) fn redacted(screen: &str) -> String {
    let mut place = String::new();
    let mut text = String::new();
    // The folder cargo builds in may be a link; the program knows itself by where it really lies.
    let program = Path::new(super::PROGRAM).canonicalize().unwrap().display().to_string();
    for line in screen.lines() {
        if line.starts_with("  /") && place.is_empty() {
            place = line.trim().trim_end_matches("/bookmarks").to_string();
        }
        let line = if place.is_empty() { line.to_string() } else { line.replace(&place, "PLACE") };
        let line = line.replace(super::PROGRAM, "autopilot").replace(&program, "autopilot");
        let line = match line.strip_suffix(" and lies in") {
            Some(_) => "The sample project is written in LANGUAGE and lies in".to_string(),
            None => line,
        };
        text.push_str(&without_times(&words_redacted(&line)));
        text.push('\n');
    }
    text
}

fn words_redacted(line: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut redacted = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let is_commit = word.len() == 8 && word.chars().all(|c| c.is_ascii_hexdigit());
        redacted.push_str(match word {
            _ if word.starts_with("completion-2") => "completion-DAY-RUN",
            _ if word.starts_with("run-2") => "RUN",
            _ if is_commit => "COMMIT",
            word => word,
        });
        let skip = after.chars().next().map_or(0, char::len_utf8);
        redacted.push_str(&after[..skip]);
        rest = &after[skip..];
    }
    redacted
}

fn without_times(line: &str) -> String {
    match (line.rfind(" ["), line.strip_suffix(", 0 tokens")) {
        (Some(start), _) if line.ends_with(" s]") => format!("{} [TIME]", &line[..start]),
        (_, Some(_)) => "TIME, 0 tokens".to_string(),
        _ => line.to_string(),
    }
}
