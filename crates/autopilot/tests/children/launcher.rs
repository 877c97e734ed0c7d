//! The launcher by itself, with a shell for its parent.

use std::path::Path;

use autopilot_engine::launcher::Launcher;
use autopilot_engine::process::{self, Ending, Finished, Streams};

use super::{PROGRAM, assert_soon_gone, shell, text_of};

/// Runs a line of shell in which `LAUNCH` starts the launcher, with that shell for its parent.
fn run(line: &str, folder: &Path) -> Finished {
    let line = line.replace("LAUNCH", &format!("'{PROGRAM}' launch-child $$ --"));
    process::run(shell(&line, folder).streams(Streams::Together)).unwrap()
}

#[test]
fn nothing_starts_unless_the_whole_handshake_comes() {
    let folder = tempfile::tempdir().unwrap();
    for input in ["", "go", "g\\no", "no\\n", "GO\\n", "\\ngo\\n"] {
        let line = format!("printf '{input}' > input; LAUNCH touch started < input");
        assert_eq!(run(&line, folder.path()).ending, Ending::Exited(0), "{input}");
        assert!(!folder.path().join("started").exists(), "{input}");
    }
    run("printf 'go\\n' > input; LAUNCH touch started < input", folder.path());
    assert!(folder.path().join("started").exists());
}

#[test]
fn what_follows_the_handshake_is_the_programs_own() {
    let folder = tempfile::tempdir().unwrap();
    let line = "printf 'go\\ngo\\nand the rest' > input; LAUNCH cat < input";
    assert_eq!(run(line, folder.path()).stdout.text(), "go\nand the rest");
}

#[test]
fn a_launcher_whose_parent_is_not_the_one_that_was_meant_starts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        format!("printf 'go\\n' > input; '{PROGRAM}' launch-child 1 -- touch started < input");
    run(&line, folder.path());
    assert!(!folder.path().join("started").exists());
}

#[test]
fn a_parent_killed_before_go_takes_the_launcher_along_though_the_pipe_stays_open() {
    let folder = tempfile::tempdir().unwrap();
    // The keeper holds the pipe open beyond the death of the parent, and says `go` when it is too late. Both have a session
    // of their own, so that nobody but the kernel tells the launcher.
    let keeper = "exec 3<>pipe; echo yes > kept; while kill -0 $1; do :; done 2> /dev/null; \
                  printf 'go\\n' >&3; echo yes > said";
    std::fs::write(folder.path().join("keeper"), keeper).unwrap();
    // Until the launcher sleeps over the empty pipe.
    let wait = "while ! [ -s kept ]; do :; done; while [ \"$group$name$state\" != \"$!(autopilot)S\" ]; do \
                read -r id name state parent group rest < /proc/$!/stat; done";
    let line = format!(
        "mkfifo pipe; exec 3<>pipe; setsid sh keeper $$ & \
         setsid LAUNCH touch started <&3 & echo $! > launcher; {wait}; kill -9 $$"
    );
    let finished = run(&line, folder.path());
    assert_eq!(finished.ending, Ending::Signalled(9), "{}", finished.stdout.text());
    assert_eq!(text_of(&folder.path().join("said")), "yes");
    assert_soon_gone(&text_of(&folder.path().join("launcher")));
    assert!(!folder.path().join("started").exists());
}

#[test]
fn the_launcher_ends_as_its_program_does() {
    let folder = tempfile::tempdir().unwrap();
    let check = |line: &str, ending: Ending| {
        let order = shell(line, folder.path()).through(Launcher::at(PROGRAM));
        assert_eq!(process::run(order).unwrap().ending, ending, "{line}");
    };
    check("true", Ending::Exited(0));
    check("exit 3", Ending::Exited(3));
    check("exit 255", Ending::Exited(255));
    for signal in [1, 2, 9, 10, 13, 15] {
        check(&format!("kill -{signal} $$"), Ending::Signalled(signal));
    }
}

#[test]
fn through_the_launcher_a_program_that_cannot_run_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    // Written by a child: an executable that this process holds open for writing cannot be started.
    let line = "printf 'no program' > garbage; printf '#!/no/such/thing\\n' > lost; chmod 755 *";
    process::run(shell(line, folder.path())).unwrap();
    for name in ["garbage", "lost", "missing"] {
        let mut order = shell("", folder.path());
        order.program = folder.path().join(name);
        let direct = process::run(order.clone()).unwrap_err().to_string();
        for streams in [Streams::Apart, Streams::Together] {
            let order = order.clone().streams(streams).through(Launcher::at(PROGRAM));
            assert_eq!(process::run(order).unwrap_err().to_string(), direct, "{name}");
        }
    }
    let honest = shell("echo could not; exit 127", folder.path()).through(Launcher::at(PROGRAM));
    assert_eq!(process::run(honest).unwrap().ending, Ending::Exited(127));
}

#[test]
fn what_a_checked_command_leaves_is_ended_even_in_a_session_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let line = "setsid sh -c 'echo $$ > stray; exec sleep 300' & sleep 300 & echo $! > member; \
                while ! [ -s stray ]; do :; done; exit 4";
    let order = shell(line, folder.path()).through(Launcher::at(PROGRAM));
    let finished = process::run(order).unwrap();
    assert_eq!(finished.ending, Ending::Exited(4));
    assert_eq!(finished.stdout.closing(), process::Closing::Closed);
    for name in ["stray", "member"] {
        assert_soon_gone(&text_of(&folder.path().join(name)));
    }
}

#[test]
fn a_checked_command_that_runs_too_long_is_ended_with_all_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        "trap '' TERM; setsid sleep 300 & echo $! > stray; sleep 300 & echo $! > member; wait";
    let mut order = shell(line, folder.path()).through(Launcher::at(PROGRAM));
    order.time_max = super::BRIEF;
    assert_eq!(process::run(order).unwrap().ending, Ending::TimedOut);
    for name in ["stray", "member"] {
        assert_soon_gone(&text_of(&folder.path().join(name)));
    }
}

#[test]
fn the_launcher_is_for_autopilot_and_not_in_its_help() {
    let folder = tempfile::tempdir().unwrap();
    let run =
        |line: &str| process::run(shell(&format!("'{PROGRAM}' {line}"), folder.path())).unwrap();
    let help = run("--help").stdout.text();
    assert!(help.contains("doctor") && !help.contains("launch-child"), "{help}");
    assert!(!help.contains("scripted-agent"), "{help}");
    let alone = run("launch-child");
    assert_eq!(alone.ending, Ending::Exited(127));
    assert!(alone.stderr.text().contains("for autopilot itself"), "{}", alone.stderr.text());
}
