//! Real children of every kind: silent, loud, stubborn, and those that leave children of their own.

use std::ffi::OsStr;

use rustix::process::Pid;

use super::*;
use crate::fake_programs::{FakeMachine, TEST_TIME_MAX};
use crate::machine::Machine;

/// Short enough to wait for, long enough for a shell to start on a busy machine.
const BRIEF: Duration = Duration::from_millis(2000);

fn environment() -> Environment {
    Environment::listed(&Machine::of_this_process())
}

fn shell(line: &str) -> Order {
    Order::shell(line, "/", environment(), TEST_TIME_MAX)
}

fn run_shell(line: &str) -> Finished {
    run(shell(line)).unwrap()
}

/// A killed process stays a zombie until its new parent looks; that is gone enough.
fn is_gone(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    state.is_err() || state.is_ok_and(|text| text.contains(") Z") || text.contains(") X"))
}

/// The signal is sent when `run` returns, but the kernel delivers it in its own time.
fn assert_soon_gone(pid: &str) {
    assert!(pid.parse::<u32>().is_ok(), "{pid:?} is no process id");
    let deadline = Instant::now() + Duration::from_secs(10);
    while !is_gone(pid) {
        assert!(Instant::now() < deadline, "process {pid} is still there");
        thread::yield_now();
    }
}

#[test]
fn every_ending_is_a_value() {
    let check = |line: &str, ending: Ending| assert_eq!(run_shell(line).ending, ending, "{line}");
    check("true", Ending::Exited(0));
    check("exit 3", Ending::Exited(3));
    check("kill -KILL $$", Ending::Signalled(9));
    check("kill -TERM $$", Ending::Signalled(15));
}

#[test]
fn the_streams_come_apart_or_together_in_order() {
    let line = "echo one; echo two >&2; echo three";
    let apart = run_shell(line);
    assert_eq!((apart.stdout.text(), apart.stderr.text()), ("one\nthree\n".into(), "two\n".into()));
    let together = run(shell(line).streams(Streams::Together)).unwrap();
    assert_eq!(together.stdout.text(), "one\ntwo\nthree\n");
    assert_eq!(together.stderr.total_bytes(), 0);
}

#[test]
fn input_arrives_whole_and_without_it_there_is_none() {
    let input = "0123456789".repeat(100_000);
    let order = Order::new("cat", "/", environment(), TEST_TIME_MAX).input(input.clone());
    let finished = run(Order { output_bytes_max: 2_000_000, ..order }).unwrap();
    assert_eq!(finished.stdout.bytes(), input.into_bytes());
    assert_eq!(run_shell("cat").stdout.total_bytes(), 0);
}

#[test]
fn a_child_that_does_not_read_its_input_ends_all_the_same() {
    let finished = run(shell("exit 4").input(vec![b'x'; 1_000_000])).unwrap();
    assert_eq!(finished.ending, Ending::Exited(4));
}

#[test]
fn huge_output_is_counted_and_only_its_ends_are_kept() {
    let line = "echo first; head -c 20000000 /dev/zero; echo; echo last";
    let finished = run(Order { output_bytes_max: 1000, ..shell(line) }).unwrap();
    assert_eq!(finished.ending, Ending::Exited(0));
    assert_eq!(finished.stdout.total_bytes(), 20_000_000 + "first\n\nlast\n".len() as u64);
    assert_eq!(finished.stdout.bytes().len(), 1000);
    assert_eq!(finished.stdout.dropped_bytes(), finished.stdout.total_bytes() - 1000);
    let text = finished.stdout.text();
    assert!(text.starts_with("first\n\0") && text.ends_with("\0\nlast\n"), "{text:?}");
}

#[test]
fn endless_output_ends_with_the_time() {
    let order = Order { output_bytes_max: 100, ..shell("while :; do echo yes; done") };
    let finished = run(Order { time_max: BRIEF, ..order }).unwrap();
    assert_eq!(finished.ending, Ending::TimedOut);
    assert_eq!(finished.stdout.bytes().len(), 100);
}

#[test]
fn output_that_is_not_utf8_is_kept_as_it_is_and_shown_replaced() {
    let finished = run_shell(r"printf 'a\377b'");
    assert_eq!(finished.stdout.bytes(), b"a\xFFb");
    assert_eq!(finished.stdout.text(), "a\u{FFFD}b");
}

#[test]
fn a_timeout_ends_the_grandchildren_too() {
    let line = "sleep 300 & echo $!; sh -c 'sleep 300 & echo $!; wait' & wait";
    let finished = run(Order { time_max: BRIEF, ..shell(line) }).unwrap();
    assert_eq!(finished.ending, Ending::TimedOut);
    assert_eq!(finished.stdout.closing(), Closing::Closed);
    let text = finished.stdout.text();
    assert_eq!(text.lines().count(), 2, "{text:?}");
    text.lines().for_each(assert_soon_gone);
}

#[test]
fn a_child_that_ignores_the_polite_signal_gets_the_hard_one() {
    let line = "trap '' TERM; echo $$; while :; do sleep 0.1; done";
    let finished = run(Order { time_max: BRIEF, ..shell(line) }).unwrap();
    assert_eq!(finished.ending, Ending::TimedOut);
    assert!(finished.took >= BRIEF + limits::TERMINATE_TIME_MAX, "{:?}", finished.took);
    assert_soon_gone(finished.stdout.text().trim());
}

#[test]
fn a_child_may_tidy_up_after_the_polite_signal() {
    let line = "trap 'echo tidied; exit 0' TERM; while :; do sleep 0.1; done";
    let finished = run(Order { time_max: BRIEF, ..shell(line) }).unwrap();
    assert_eq!(finished.ending, Ending::TimedOut);
    assert_eq!(finished.stdout.text(), "tidied\n");
}

#[test]
fn what_the_leader_leaves_in_its_group_is_ended_at_once() {
    let finished = run_shell("sleep 300 & echo $!");
    assert_eq!(finished.ending, Ending::Exited(0));
    assert_eq!(finished.stdout.closing(), Closing::Closed);
    assert!(finished.took < limits::PIPE_CLOSE_TIME_MAX, "{:?}", finished.took);
    assert_soon_gone(finished.stdout.text().trim());
}

#[test]
fn a_grandchild_that_left_the_group_and_holds_the_pipe_does_not_hang_us() {
    let fake = FakeMachine::new();
    // The leader stays until the other has said, through a named pipe, that it has left the group.
    let line = "mkfifo left && { setsid sh -c 'echo $$; echo yes > left; exec sleep 300' & \
                read -r word < left; }";
    let finished = run(Order { folder: fake.project(), ..shell(line) }).unwrap();
    assert_eq!(finished.ending, Ending::Exited(0));
    assert_eq!(finished.stdout.closing(), Closing::LeftOpen);
    assert!(finished.took < Duration::from_secs(30), "{:?}", finished.took);
    let stray: i32 = finished.stdout.text().trim().parse().unwrap();
    rustix::process::kill_process(Pid::from_raw(stray).unwrap(), Signal::KILL).unwrap();
}

#[test]
fn a_secret_of_ours_is_not_seen_by_the_child_unless_everything_is() {
    let fake = FakeMachine::new();
    let run_env = |environment| {
        let finished = run(Order::new("env", "/", environment, TEST_TIME_MAX)).unwrap();
        finished.stdout.text()
    };
    let listed = run_env(Environment::listed(&fake.machine()).with("ADDED", "1"));
    assert!(!listed.contains("swordfish"), "{listed}");
    assert!(listed.contains("ADDED=1\n") && listed.contains("\nHOME="), "{listed}");
    assert!(run_env(Environment::inherited(&fake.machine())).contains("SECRET_OF_THE_USER=sword"));
}

#[test]
fn the_child_runs_in_its_folder_and_a_missing_folder_is_named() {
    let fake = FakeMachine::new();
    let folder = fake.project().canonicalize().unwrap();
    let order = Order { folder: folder.clone(), ..shell("pwd -P") };
    assert_eq!(run(order).unwrap().stdout.text(), format!("{}\n", folder.display()));
    let missing = Order { folder: "/no/such/folder".into(), ..shell("pwd") };
    let error = run(missing).unwrap_err();
    assert_eq!(error.to_string(), "the folder /no/such/folder does not exist");
}

#[test]
fn a_program_that_cannot_run_says_why() {
    let fake = FakeMachine::new();
    let programs = fake.programs();
    std::fs::write(programs.join("plain"), "#!/bin/sh\n").unwrap();
    std::fs::create_dir(programs.join("folder")).unwrap();
    fake.script("shebang", "");
    crate::fake_programs::write_executable(&programs.join("lost"), "#!/no/such/interpreter\n");
    crate::fake_programs::write_executable(&programs.join("garbage"), "\u{1}\u{2}\u{3}");
    let check = |program: &str, expected: &str| {
        let environment = Environment::listed(&fake.machine());
        let order = Order::new(program, "/", environment, TEST_TIME_MAX);
        let said = run(order).map(|finished| finished.ending).map_err(|error| error.to_string());
        let said = format!("{said:?}").replace(&programs.display().to_string(), "P");
        assert_eq!(said, expected, "{program}");
    };
    check("shebang", "Ok(Exited(0))");
    check("no-such-program", r#"Err("no-such-program was not found")"#);
    check("/no/such/program", r#"Err("/no/such/program was not found")"#);
    check("plain", r#"Err("P/plain is not an executable file")"#);
    check("folder", r#"Err("P/folder is not an executable file")"#);
    check("/", r#"Err("/ is not an executable file")"#);
    check("lost", r#"Err("P/lost cannot be executed on this machine")"#);
    check("garbage", r#"Err("P/garbage cannot be executed on this machine")"#);
}

#[test]
fn find_program_takes_the_first_executable_file_and_no_relative_folder() {
    let (first, second) = (FakeMachine::new(), FakeMachine::new());
    std::fs::create_dir(first.programs().join("tool")).unwrap();
    let tool = second.script("tool", "");
    let path = std::env::join_paths([".".into(), "".into(), first.programs(), second.programs()]);
    assert_eq!(find_program("tool", &path.unwrap()), Some(tool));
    assert_eq!(find_program("tool", first.programs().as_os_str()), None);
    // The same folder by a relative way: the file is reached, and passed over.
    let up =
        std::env::current_dir().unwrap().components().skip(1).map(|_| "..").collect::<PathBuf>();
    let relative = up.join(second.programs().strip_prefix("/").unwrap());
    assert!(relative.join("tool").is_file());
    assert_eq!(find_program("tool", relative.as_os_str()), None);
    assert_eq!(find_program("tool", OsStr::new("")), None);
}

#[test]
fn nothing_is_listed_as_running_after_its_end() {
    let finished = run_shell("echo $$");
    let leader: i32 = finished.stdout.text().trim().parse().unwrap();
    assert!(!group::running().contains_key(&leader));
}
