//! What comes of a project's own command lines, run by a real shell.

use super::*;
use crate::fake_programs::{FakeMachine, TEST_TIME_MAX};

/// What a line comes to, without the time it took.
fn tried(fake: &FakeMachine, line: &str) -> String {
    match try_command(&fake.machine(), &fake.project(), line, TEST_TIME_MAX) {
        Tried::Passed { .. } => "passed".into(),
        Tried::Failed { code, tail, .. } => format!("failed {code} {}", tail.join(" | ")),
        Tried::CannotStart { why } => format!("cannot start: {why}"),
        Tried::TimedOut { .. } => "timed out".into(),
    }
}

#[test]
fn a_command_that_says_no_is_told_from_one_that_cannot_start() {
    let fake = FakeMachine::new();
    std::fs::write(fake.project().join("plain"), "").unwrap();
    std::fs::write(fake.project().join("script"), "#!/usr/bin/env no-such-runtime\n").unwrap();
    let check = |line: &str, expected: &str| assert_eq!(tried(&fake, line), expected, "{line}");
    check("true", "passed");
    check("exit 3", "failed 3 ");
    check("echo broken >&2; exit 1", "failed 1 broken");
    check("kill -KILL $$", "failed 137 ");
    check("no-such-program --all", "cannot start: \"no-such-program\" was not found");
    check("true && no-such-program", "cannot start: \"no-such-program\" was not found");
    check("no-such-program; exit 2", "cannot start: \"no-such-program\" was not found");
    check("./plain", "cannot start: \"./plain\" may not be run");
    check("chmod 755 script && ./script", "cannot start: \"no-such-runtime\" was not found");
    check("exit 127", "cannot start: a program was not found");
    check("exit 126", "cannot start: a program may not be run");
    check("echo 'page: not found'; exit 1", "failed 1 page: not found");
    check("exit 0; no-such-program", "passed");
}

#[test]
fn the_complaints_of_shells_and_make_are_understood() {
    let check = |code: i32, text: &str, expected: Option<&str>| {
        assert_eq!(complaint(code, text).as_deref(), expected, "{text}");
    };
    check(127, "sh: 1: vitest: not found", Some("\"vitest\" was not found"));
    check(127, "bash: line 1: x: command not found", Some("\"x\" was not found"));
    check(127, "/bin/sh: x: not found", Some("\"x\" was not found"));
    check(127, "zsh: command not found: x", Some("\"x\" was not found"));
    check(127, "env: 'node': No such file or directory", Some("\"node\" was not found"));
    check(
        2,
        "/bin/sh: 1: cc: not found\nmake: *** [Makefile:2: all] Error 127",
        Some("\"cc\" was not found"),
    );
    check(2, "make[1]: cc: No such file or directory", Some("\"cc\" was not found"));
    check(
        2,
        "make: *** [Makefile:2: all] Error 127",
        Some("a program that make calls was not found"),
    );
    check(2, "make: *** [Makefile:2: all] Error 1", None);
    check(2, "sh: 1: cannot create /x: Permission denied", None);
    check(1, "error: command not found", None);
    check(1, "curl: 404: not found", None);
    check(127, "sh: 1: x\u{1b}[2J: not found", Some("\"x\\u{1b}[2J\" was not found"));
    let npm = format!("sh: 1: vitest: not found\n{}", "npm error more\n".repeat(9));
    check(127, &npm, Some("\"vitest\" was not found"));
}

#[test]
fn a_command_sees_the_users_variables_and_ci_and_no_input() {
    let fake = FakeMachine::new();
    let line = "test \"$SECRET_OF_THE_USER\" = swordfish && test \"$CI\" = 1 && ! read -r line";
    assert_eq!(tried(&fake, line), "passed");
}

#[test]
fn the_tail_is_the_last_lines_of_both_streams_made_printable() {
    let fake = FakeMachine::new();
    let line = "for n in 1 2 3; do echo out$n; echo; echo err$n >&2; done; printf '\\033[31mred\\n'; exit 1";
    assert_eq!(tried(&fake, line), "failed 1 out2 | err2 | out3 | err3 | \u{FFFD}[31mred");
}

#[test]
fn a_command_that_does_not_end_is_ended() {
    let fake = FakeMachine::new();
    let time_max = Duration::from_secs(1);
    let tried = try_command(&fake.machine(), &fake.project(), "sleep 300", time_max);
    assert_eq!(tried, Tried::TimedOut { time_max });
    let check = tried.check("test", "sleep 300");
    assert_eq!(check.detail, "\"sleep 300\" did not end within 1.0 s");
    assert!(!check.blocks_run);
}

#[test]
fn a_root_that_is_gone_is_named() {
    let fake = FakeMachine::new();
    let tried = try_command(&fake.machine(), Path::new("/no/such"), "true", TEST_TIME_MAX);
    assert_eq!(tried, Tried::CannotStart { why: "the folder /no/such does not exist".into() });
}
