//! Children that are followed while they work.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use autopilot_core::limits;
use autopilot_engine::process::supervise::{self, Grace, Logged, Outcome, StartError, Supervision};
use autopilot_engine::process::{self, ProcessGroup, RecordedEnd};

use super::{BRIEF, assert_soon_gone, follow, is_gone, shell, soon, start, supervision, text_of};

#[test]
fn nothing_runs_before_it_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("started");
    let mut recorded = None;
    let order = shell("touch started; echo $$", folder.path());
    let running = supervise::start(order, supervision(), |group| {
        // The launcher is there and waits. The kernel shows its arguments a moment after it let the parent go on.
        let command = format!("/proc/{}/cmdline", group.id);
        soon("the launcher", || {
            std::fs::read_to_string(&command).is_ok_and(|text| text.contains("launch-child"))
        });
        assert!(!started.exists());
        recorded = Some(group.clone());
        Ok(())
    })
    .unwrap();
    assert_eq!(recorded.as_ref(), Some(running.group()));
    let (lines, exit) = follow(&running);
    assert_eq!((lines.len(), exit.outcome), (1, Outcome::Exited(0)));
    assert!(started.exists());
}

#[test]
fn what_could_not_be_recorded_never_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut leader = String::new();
    let refused = supervise::start(shell("touch started", folder.path()), supervision(), |group| {
        leader = group.id.to_string();
        Err(io::Error::other("the disk is full"))
    });
    assert!(matches!(&refused, Err(StartError::NotRecorded(_))), "{refused:?}");
    assert_eq!(refused.unwrap_err().to_string(), "nothing was started: the disk is full");
    assert!(is_gone(&leader));
    assert!(!folder.path().join("started").exists());
}

#[test]
fn lines_come_as_they_are_printed_and_the_log_has_them_raw() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("attempt.jsonl");
    let line = "echo one; echo err >&2; read -r word; printf 'got %s\\n\\377\\nlast' \"$word\"";
    let order = shell(line, folder.path()).input("input\n");
    let supervision = Supervision { log: Some(File::create(&log).unwrap()), ..supervision() };
    let running = supervise::start(order, supervision, |_| Ok(())).unwrap();
    let (lines, exit) = follow(&running);
    assert_eq!(lines, ["one", "got input", "\u{FFFD}", "last"]);
    assert_eq!(exit.stderr.text(), "err\n");
    assert_eq!((exit.outcome, exit.log), (Outcome::Exited(0), Logged::Whole));
    let raw = b"one\ngot input\n\xFF\nlast";
    assert_eq!(std::fs::read(log).unwrap(), raw);
    assert_eq!(exit.output_bytes, raw.len() as u64 + 4);
}

#[test]
fn a_prompt_arrives_whole_and_without_one_there_is_no_input() {
    let folder = tempfile::tempdir().unwrap();
    let order = shell("wc -c", folder.path()).input(vec![b'x'; 3_000_000]);
    assert_eq!(follow(&start(order)).0[0].trim(), "3000000");
    let (lines, exit) = follow(&start(shell("cat; echo end", folder.path())));
    assert_eq!((lines, exit.outcome), (vec!["end".to_string()], Outcome::Exited(0)));
    // A child that closes its input does not disturb us.
    let closed = shell("exec 0<&-; echo end", folder.path()).input(vec![b'x'; 3_000_000]);
    assert_eq!(follow(&start(closed)).1.outcome, Outcome::Exited(0));
}

#[test]
fn a_timeout_ends_the_whole_group() {
    let folder = tempfile::tempdir().unwrap();
    let line = "sleep 300 & echo $!; sh -c 'sleep 300 & echo $!; wait' & wait";
    let mut order = shell(line, folder.path());
    order.time_max = BRIEF;
    let running = start(order);
    let (lines, exit) = follow(&running);
    assert_eq!((lines.len(), exit.outcome), (2, Outcome::TimedOut));
    assert!(exit.took >= BRIEF, "{:?}", exit.took);
    lines.iter().for_each(|id| assert_soon_gone(id));
    assert_soon_gone(&running.group().id.to_string());
}

#[test]
fn a_cancelled_child_may_tidy_up() {
    let folder = tempfile::tempdir().unwrap();
    let line = "trap 'echo tidied; exit 0' TERM; touch ready; while :; do sleep 0.1; done";
    let running = start(shell(line, folder.path()));
    soon("readiness", || folder.path().join("ready").exists());
    running.cancel(Grace::Given);
    let (lines, exit) = follow(&running);
    assert_eq!((lines, exit.outcome), (vec!["tidied".to_string()], Outcome::Cancelled));
}

#[test]
fn a_child_that_ignores_the_polite_signal_gets_the_hard_one() {
    let folder = tempfile::tempdir().unwrap();
    let line = "trap '' TERM; echo $$; touch ready; while :; do sleep 0.1; done";
    let grace = Duration::from_millis(300);
    let supervision = Supervision { grace, ..supervision() };
    let running = supervise::start(shell(line, folder.path()), supervision, |_| Ok(())).unwrap();
    soon("readiness", || folder.path().join("ready").exists());
    running.canceller().cancel(Grace::Given);
    let (lines, exit) = follow(&running);
    assert_eq!(exit.outcome, Outcome::Cancelled);
    assert!(exit.took >= grace && exit.took < Duration::from_secs(30), "{:?}", exit.took);
    assert_soon_gone(&lines[0]);
}

#[test]
fn who_asks_a_second_time_without_grace_does_not_wait_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(shell("trap '' TERM; touch ready; sleep 300", folder.path()));
    soon("readiness", || folder.path().join("ready").exists());
    running.cancel(Grace::Given);
    running.cancel(Grace::None);
    let exit = running.finish();
    assert_eq!(exit.outcome, Outcome::Cancelled);
    assert!(exit.took < limits::AGENT_TERMINATE_TIME_MAX, "{:?}", exit.took);
}

#[test]
fn a_flood_is_stopped_and_memory_stays_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let before = peak_memory_bytes();
    let total_bytes_max = 300_000_000;
    let supervision = Supervision { total_bytes_max, ..supervision() };
    let order = shell("echo first; exec cat /dev/zero", folder.path());
    let running = supervise::start(order, supervision, |_| Ok(())).unwrap();
    let exit = running.finish();
    assert_eq!(exit.outcome, Outcome::TooMuchOutput);
    assert!(exit.output_bytes > total_bytes_max, "{}", exit.output_bytes);
    let grown = peak_memory_bytes() - before;
    assert!(grown < 150_000_000, "{grown} bytes");
}

fn peak_memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[test]
fn errors_count_as_output_too() {
    let folder = tempfile::tempdir().unwrap();
    let supervision = Supervision { total_bytes_max: 1_000_000, ..supervision() };
    let order = shell("exec cat /dev/zero >&2", folder.path());
    let running = supervise::start(order, supervision, |_| Ok(())).unwrap();
    let exit = running.finish();
    assert_eq!(exit.outcome, Outcome::TooMuchOutput);
    assert_eq!(exit.stderr.bytes().len(), limits::OUTPUT_BYTES_MAX);
}

#[test]
fn silence_is_measured_from_the_last_output_of_either_stream() {
    let folder = tempfile::tempdir().unwrap();
    let line = "echo out; read -r word; echo err >&2; touch said; sleep 300";
    let running = start(shell(line, folder.path()).input("word\n"));
    soon("the last output", || folder.path().join("said").exists());
    soon("silence", || running.quiet_for() > Duration::from_millis(200));
    assert!(running.quiet_for() < BRIEF * 10);
    running.cancel(Grace::None);
    assert_eq!(running.finish().outcome, Outcome::Cancelled);
}

#[test]
fn a_child_nobody_looks_at_any_more_is_ended_with_its_strays() {
    let folder = tempfile::tempdir().unwrap();
    let line = "setsid sleep 300 & echo $! > stray; sleep 300 & echo $! > member; \
                while :; do echo more and more; done";
    let running = start(shell(line, folder.path()));
    let leader = running.group().id.to_string();
    let left: Vec<String> =
        ["stray", "member"].iter().map(|name| text_of(&folder.path().join(name))).collect();
    drop(running);
    // Not soon but at once: dropping waits.
    assert!(is_gone(&leader) && !Path::new(&format!("/proc/{leader}")).exists());
    left.iter().for_each(|id| assert_soon_gone(id));
}

#[test]
fn a_slow_reader_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let line = "i=0; while [ $i -lt 500 ]; do echo $i; i=$((i+1)); done; touch printed";
    let running = start(shell(line, folder.path()));
    soon("the end of printing", || folder.path().join("printed").exists());
    let (lines, exit) = follow(&running);
    let expected: Vec<String> = (0..500).map(|number| number.to_string()).collect();
    assert_eq!((lines, exit.outcome), (expected, Outcome::Exited(0)));
}

#[test]
fn many_children_at_once_keep_their_lines_apart() {
    let folder = tempfile::tempdir().unwrap();
    let running: Vec<_> = (0..8)
        .map(|number| start(shell(&format!("echo {number}; exit {number}"), folder.path())))
        .collect();
    for (number, running) in (0..).zip(&running) {
        let (lines, exit) = follow(running);
        assert_eq!((lines, exit.outcome), (vec![number.to_string()], Outcome::Exited(number)));
    }
}

#[test]
fn a_recorded_group_is_ended_only_while_it_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(shell("sleep 300 & echo $! > member; exec sleep 300", folder.path()));
    let member = text_of(&folder.path().join("member"));
    let group = running.group().clone();
    let later =
        ProcessGroup { start_ticks: group.start_ticks.map(|ticks| ticks + 1), ..group.clone() };
    assert_eq!(process::end_recorded_group(&later), RecordedEnd::NotOurs);
    let unknown = ProcessGroup { start_ticks: None, ..group.clone() };
    assert_eq!(process::end_recorded_group(&unknown), RecordedEnd::NotOurs);
    let other_boot = ProcessGroup { boot_id: Some("another".into()), ..group.clone() };
    assert_eq!(process::end_recorded_group(&other_boot), RecordedEnd::WasGone);
    assert!(!is_gone(&member));
    assert_eq!(process::end_recorded_group(&group), RecordedEnd::Ended);
    assert!(is_gone(&member));
    assert_eq!(follow(&running).1.outcome, Outcome::Signalled(9));
    assert_eq!(process::end_recorded_group(&group), RecordedEnd::WasGone);
    // Numbers that mean everybody, or ourselves, to the kernel.
    for id in [-1, 0, 1] {
        let ended = process::end_recorded_group(&ProcessGroup { id, ..unknown.clone() });
        assert_eq!(ended, RecordedEnd::WasGone, "{id}");
    }
}
