//! Starts that would end badly, each told in one message with the way out, and before the model is asked anything: the real Claude Code
//! is there, and the scripted model behind it sees no request.

use std::path::Path;

use autopilot_testkit::built_command::{BuiltCommand, Ended};
use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::json;

use super::model;
use super::stage::Stage;

const USAGE: i32 = 2;
const GATE_NOT_MET: i32 = 5;
const ENVIRONMENT: i32 = 6;
const TASK: &str = "say hello in lib/1";

fn project() -> TemporaryProject {
    TemporaryProject::named("way")
        .and_then(|it| it.file("Makefile", "test:\n\tsh test.sh\n"))
        .and_then(|it| it.file("test.sh", "true\n"))
        .and_then(|it| it.file("lib/README", "The parts.\n"))
        .unwrap()
}

fn stage() -> Stage {
    Stage::plain(model::good(), project())
}

/// Refused with these words, and nothing was asked of the model, started or left.
fn assert_refused(stage: &Stage, ended: &Ended, (code, what, fix): (i32, &str, &str)) {
    let said = format!("{}{}", ended.stdout, ended.stderr);
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(ended.code, code, "{said}");
    assert!(words.contains(what), "{what:?} is missing: {said}");
    assert!(words.contains(fix), "{fix:?} is missing: {said}");
    let count = stage.server.requests().len();
    assert_eq!(count, 0, "{said}");
}

fn refused(stage: &Stage, expected: (i32, &str, &str)) {
    assert_refused(stage, &stage.run(&["do", TASK]), expected);
}

#[test]
fn not_a_git_repository() {
    let stage = stage();
    std::fs::remove_dir_all(stage.root().join(".git")).unwrap();
    refused(&stage, (ENVIRONMENT, "not in a git repository", "git init"));
}

#[test]
fn no_commit_yet() {
    let stage = stage();
    stage.git(&["update-ref", "-d", "HEAD"]);
    refused(&stage, (ENVIRONMENT, "no commit", "git commit"));
}

#[test]
fn a_detached_head() {
    let stage = stage();
    stage.git(&["switch", "--quiet", "--detach"]);
    refused(&stage, (USAGE, "HEAD stands on no branch", "git switch -c"));
}

#[test]
fn no_agent() {
    let stage = stage();
    std::fs::remove_file(stage.around().join("bin/claude")).unwrap();
    // Nothing but what a machine without any agent has.
    let path = only_tools(stage.around());
    let ended = stage.command().variable("PATH", &path).run(&["do", TASK]).unwrap();
    assert_refused(&stage, &ended, (ENVIRONMENT, "claude was not found", "npm install -g"));
}

/// A folder with the programs a project needs and no other.
fn only_tools(around: &Path) -> String {
    let folder = around.join("tools");
    std::fs::create_dir(&folder).unwrap();
    for name in ["git", "sh", "make", "env", "cat", "rm", "mkdir"] {
        let found = BuiltCommand::new("sh", around).run(&["-c", &format!("command -v {name}")]);
        let at = found.unwrap().stdout.trim().to_string();
        std::os::unix::fs::symlink(at, folder.join(name)).unwrap();
    }
    folder.display().to_string()
}

#[test]
fn an_agent_that_is_not_logged_in() {
    let stage = stage().without("ANTHROPIC_API_KEY");
    refused(&stage, (ENVIRONMENT, "claude is not logged in", "claude auth login"));
}

#[test]
fn a_login_that_has_expired() {
    let stage = stage().without("ANTHROPIC_API_KEY");
    let login = json!({"claudeAiOauth": {
        "accessToken": "sk-ant-oat01-of-the-user", "expiresAt": 1_000_000_000_000_u64,
        "scopes": ["user:inference"], "subscriptionType": "max",
    }});
    std::fs::create_dir(stage.home().join(".claude")).unwrap();
    let path = stage.home().join(".claude/.credentials.json");
    std::fs::write(path, login.to_string()).unwrap();
    refused(&stage, (ENVIRONMENT, "the login of claude has expired", "claude auth login"));
}

#[test]
fn nothing_to_measure_with() {
    let stage = stage();
    std::fs::remove_file(stage.root().join("Makefile")).unwrap();
    stage.commit_all();
    refused(&stage, (USAGE, "no check was found in this project", "--check"));
}

#[test]
fn tests_that_are_red_before_any_work() {
    let stage = stage();
    std::fs::write(stage.root().join("test.sh"), "echo 2 of 3 failed; exit 1\n").unwrap();
    stage.commit_all();
    refused(&stage, (GATE_NOT_MET, "2 of 3 failed", "--accept-red"));
}

#[test]
fn dependencies_that_cannot_be_installed() {
    let stage = stage();
    let manifest = json!({"name": "way", "version": "1.0.0", "scripts": {"test": "node t.js"},
        "dependencies": {"left-pad": "1.3.0"}});
    // The two do not fit together, as after a manifest was changed by hand, and no registry is reached.
    let lock = json!({"name": "way", "version": "1.0.0", "lockfileVersion": 3,
        "packages": {"": {"name": "way", "version": "1.0.0"}}});
    std::fs::write(stage.root().join("package.json"), manifest.to_string()).unwrap();
    std::fs::write(stage.root().join("package-lock.json"), lock.to_string()).unwrap();
    std::fs::remove_file(stage.root().join("Makefile")).unwrap();
    std::fs::write(stage.root().join(".npmrc"), "fetch-retries=0\n").unwrap();
    stage.commit_all();
    refused(&stage, (GATE_NOT_MET, "`npm ci --no-audit --no-fund` failed", "worktree_setup"));
}

#[test]
fn a_disk_that_is_nearly_full() {
    // More than any disk has: what is there is too little then.
    let stage = stage().variable("AUTOPILOT_MIN_FREE_DISK", "1000000000");
    refused(&stage, (ENVIRONMENT, "GiB free in the project's folder", "free some"));
}

#[test]
fn a_package_in_a_folder_of_a_larger_repository() {
    let stage = stage();
    std::fs::create_dir_all(stage.root().join("packages/app/src")).unwrap();
    std::fs::rename(stage.root().join("Makefile"), stage.root().join("packages/app/Makefile"))
        .unwrap();
    stage.commit_all();
    let below = stage.root().join("packages/app/src");
    let ended = stage.run(&["-C", below.to_str().unwrap(), "do", TASK]);
    let fix = "--check \"cd packages/app && make test\"";
    assert_refused(&stage, &ended, (USAGE, "packages/app is a project of its own", fix));
}

#[test]
fn a_run_that_is_going_on_already() {
    let stage = stage();
    let script = json!({"version": 1, "entries": [{"when": {}, "do": [{"hang": {}}]}]});
    std::fs::write(stage.around().join("script.json"), script.to_string()).unwrap();
    let command = stage.command().variable("AUTOPILOT_AGENT", "scripted");
    let path = stage.around().join("script.json").display().to_string();
    let first =
        command.variable("AUTOPILOT_SCRIPT", &path).start(&["do", "hang around here"]).unwrap();
    super::stage::soon("it works", || stage.first("attempt_spawned").is_some());
    refused(&stage, (USAGE, "is already running", "autopilot attach"));
    let _ = first.signal(rustix::process::Signal::INT);
    first.finish().unwrap();
}

#[test]
fn what_is_no_task() {
    let stage = stage();
    let check = |arguments: &[&str], what: &str, fix: &str| {
        assert_refused(&stage, &stage.run(arguments), (USAGE, what, fix));
    };
    check(&["do"], "TASK", "autopilot do --help");
    check(&["do", " "], "there is no task", "in a sentence");
    check(&["do", "tests"], "\"tests\" is no task yet", "in a sentence");
    check(&["do", "--prompt-file", "nowhere.md"], "nowhere.md", "exist");
    check(&["do", "--prompt-file", "lib"], "lib", "folder");
    check(&["do", TASK, "--check", ""], "--check names no command", "npm test");
}
