//! What is left when autopilot itself is killed. Its part is played by this test program, started once more.

use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use autopilot_engine::process::supervise;
use autopilot_engine::process::{self, Ending, Finished, Order, ProcessGroup, RecordedEnd};
use rustix::process::{Pid, Signal};

use super::{
    TEST_TIME_MAX, assert_soon_gone, environment, is_gone, shell, soon, supervision, text_of,
};

/// Tells the second program its part and its folder.
const PART: &str = "TEST_PART_OF_THE_PARENT";
const FOLDER: &str = "TEST_FOLDER_OF_THE_PARENT";

/// A child with a child in its group and one outside, all of which write down who they are.
const FAMILY: &str = "echo $$ > program; sleep 300 & echo $! > member; \
                      setsid sh -c 'echo $$ > stray; exec sleep 300' & wait";
const NAMES: [&str; 4] = ["leader", "program", "member", "stray"];

/// Starts this program with only the test below, which then plays the part.
fn parent(part: &str, folder: &Path) -> JoinHandle<Finished> {
    let environment = environment().with(PART, part).with(FOLDER, folder);
    let program = std::env::current_exe().unwrap();
    let order = Order::new(program, folder, environment, TEST_TIME_MAX).arguments([
        "--exact",
        "killed_parent::the_second_program",
        "--nocapture",
    ]);
    thread::spawn(move || process::run(order).unwrap())
}

/// The part of autopilot, when the variables say so. Run with all the others it shows that they do not leak into a test run.
#[test]
fn the_second_program() {
    let folder = std::env::var_os(FOLDER).map(PathBuf::from);
    match (std::env::var(PART).ok().as_deref(), folder) {
        (Some("killed before go"), Some(folder)) => {
            let order = shell("touch started", &folder);
            let started = supervise::start(order, supervision(), |group| {
                record(&folder, group);
                kill(std::process::id());
                Ok(())
            });
            unreachable!("{started:?}");
        }
        (Some("works"), Some(folder)) => {
            let record = |group: &ProcessGroup| {
                record(&folder, group);
                Ok(())
            };
            let running = supervise::start(shell(FAMILY, &folder), supervision(), record).unwrap();
            write(&folder.join("parent"), std::process::id());
            running.finish();
        }
        (part, folder) => assert_eq!((part, folder), (None, None)),
    }
}

fn record(folder: &Path, group: &ProcessGroup) {
    write(&folder.join("ticks"), group.start_ticks.unwrap());
    write(&folder.join("leader"), group.id);
}

fn write(path: &Path, number: impl std::fmt::Display) {
    std::fs::write(path, format!("{number}\n")).unwrap();
}

fn signal(id: impl std::fmt::Display, signal: Signal) {
    let pid = id.to_string().parse().ok().and_then(Pid::from_raw).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

fn kill(id: impl std::fmt::Display) {
    signal(id, Signal::KILL);
}

/// The ids of the whole family, once everybody has written his down.
fn family(folder: &Path) -> Vec<String> {
    NAMES.iter().map(|name| text_of(&folder.join(name))).collect()
}

#[test]
fn killed_before_go_it_has_started_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let finished = parent("killed before go", folder.path()).join().unwrap();
    assert_eq!(finished.ending, Ending::Signalled(9), "{}", finished.stdout.text());
    assert_soon_gone(&text_of(&folder.path().join("leader")));
    assert!(!folder.path().join("started").exists());
}

#[test]
fn killed_while_a_child_works_it_leaves_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let finished = parent("works", folder.path());
    let family = family(folder.path());
    assert!(!family.iter().any(|id| is_gone(id)));
    kill(text_of(&folder.path().join("parent")));
    assert_eq!(finished.join().unwrap().ending, Ending::Signalled(9));
    family.iter().for_each(|id| assert_soon_gone(id));
}

#[test]
fn killed_together_with_the_launcher_what_is_left_is_found_by_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let finished = parent("works", folder.path());
    let family = family(folder.path());
    let parent = text_of(&folder.path().join("parent"));
    // Stopped first, so that it does not see its launcher die and tidy up.
    signal(&parent, Signal::STOP);
    soon("the stop", || {
        let stat = std::fs::read_to_string(format!("/proc/{parent}/stat")).unwrap();
        stat.contains(") T")
    });
    kill(&family[0]);
    kill(&parent);
    assert_eq!(finished.join().unwrap().ending, Ending::Signalled(9));
    assert_soon_gone(&family[0]);
    assert!(family[1..].iter().all(|id| !is_gone(id)), "the family outlives its launcher");
    let ticks: u64 = text_of(&folder.path().join("ticks")).parse().unwrap();
    let recorded = |ticks| ProcessGroup {
        id: family[0].parse().unwrap(),
        start_ticks: Some(ticks),
        boot_id: None,
    };
    assert_eq!(process::end_recorded_group(&recorded(ticks + 1)), RecordedEnd::NotOurs);
    assert!(family[1..].iter().all(|id| !is_gone(id)));
    assert_eq!(process::end_recorded_group(&recorded(ticks)), RecordedEnd::Ended);
    assert!(family[1..].iter().all(|id| is_gone(id)));
    assert_eq!(process::end_recorded_group(&recorded(ticks)), RecordedEnd::WasGone);
}
