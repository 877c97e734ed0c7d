//! Who gets the lock and what the others are told. That it ends with its process is tried in `tests/kill.rs`.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::Writer;
use crate::scratch::{Scratch, events, holder, run};

#[test]
fn the_second_is_refused_and_told_who_was_first() {
    let scratch = Scratch::new();
    assert_eq!(scratch.folder.holder().unwrap(), Occupancy::Free);
    let first = scratch.lock();
    let second = Holder { pid: 1, command: "autopilot flow".into(), ..holder() };
    match scratch.folder.lock(&second) {
        Err(LockError::Held(Some(held))) => assert_eq!(held, holder()),
        other => panic!("{other:?}"),
    }
    assert_eq!(scratch.folder.holder().unwrap(), Occupancy::Held(Some(holder())));
    drop(first);
    assert_eq!(scratch.folder.holder().unwrap(), Occupancy::Free);
    let lock = scratch.folder.lock(&second).unwrap();
    assert_eq!(scratch.folder.holder().unwrap(), Occupancy::Held(Some(second)));
    drop(lock);
    assert!(scratch.folder.lock_file().exists(), "the file stays");
}

#[test]
fn whoever_meets_a_run_is_told_how_to_watch_and_end_it() {
    let check = |command: &str, expected: &str| {
        let held = LockError::Held(Some(Holder { command: command.into(), ..holder() }));
        assert_eq!(held.problem().fix, expected, "{command}");
    };
    let run = "watch it: autopilot attach. End it: autopilot stop";
    check("autopilot do \"say hello\"", run);
    check("autopilot -C elsewhere run next", run);
    check("autopilot resume", run);
    check("autopilot merge", "wait for it and watch it: autopilot status");
    assert!(LockError::Held(None).problem().fix.contains("autopilot status"));
}

#[test]
fn a_writer_keeps_the_lock() {
    let scratch = Scratch::new();
    let lock = scratch.lock();
    let mut writer = Writer::create(&scratch.folder, &lock, &run()).unwrap();
    drop(lock);
    writer.append(1, &events(1)).unwrap();
    assert!(matches!(scratch.folder.lock(&holder()), Err(LockError::Held(_))));
    drop(writer);
    scratch.lock();
}

/// A child has its parent's files open until it executes its program, as a second handle of the same file has.
#[test]
fn the_lock_is_free_at_once_even_while_a_child_is_started() {
    let scratch = Scratch::new();
    let lock = scratch.lock();
    let inherited = lock.held.file.try_clone().unwrap();
    drop(lock);
    assert_eq!(scratch.folder.holder().unwrap(), Occupancy::Free);
    scratch.lock();
    drop(inherited);
}

#[test]
fn what_stands_in_the_file_never_decides() {
    let scratch = Scratch::new();
    for text in ["", "no json", "{\"pid\":1}"] {
        fs::write(scratch.folder.lock_file(), text).unwrap();
        assert_eq!(scratch.folder.holder().unwrap(), Occupancy::Free, "{text}");
        let lock = scratch.lock();
        fs::write(scratch.folder.lock_file(), text).unwrap();
        assert_eq!(scratch.folder.holder().unwrap(), Occupancy::Held(None), "{text}");
        let refused = scratch.folder.lock(&holder()).unwrap_err();
        assert!(refused.to_string().starts_with("another autopilot is already running"));
        drop(lock);
    }
}

#[test]
fn a_very_long_command_is_cut() {
    let scratch = Scratch::new();
    let long = Holder { command: "ü\"".repeat(100_000), ..holder() };
    let lock = scratch.folder.lock(&long).unwrap();
    let Occupancy::Held(Some(held)) = scratch.folder.holder().unwrap() else {
        panic!("the holder is unknown");
    };
    assert!(long.command.starts_with(&held.command) && !held.command.is_empty());
    drop(lock);
}

/// While others look without a pause, whoever starts must still get the lock.
#[test]
fn looking_does_not_keep_anybody_from_starting() {
    let scratch = Scratch::new();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    scratch.folder.holder().unwrap();
                }
            });
        }
        let refused = (0..200).filter_map(|_| scratch.folder.lock(&holder()).err()).next();
        is_done.store(true, Ordering::Relaxed);
        assert!(refused.is_none(), "{refused:?}");
    });
}

#[test]
fn a_link_in_place_of_the_lock_is_refused() {
    let scratch = Scratch::new();
    std::os::unix::fs::symlink("/etc/passwd", scratch.folder.lock_file()).unwrap();
    let error = scratch.folder.lock(&holder()).unwrap_err();
    assert_eq!(scratch.shown(&error), "[]/lock is a symbolic link, not a file");
}
