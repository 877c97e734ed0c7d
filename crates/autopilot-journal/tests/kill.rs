//! A run killed at every point it passes, and one whose disk fails at every point. Each test starts itself once more as the
//! process that suffers it, and then goes on from what that one left.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails, and says where"
)]

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use autopilot_journal::ledger::LedgerFile;
use autopilot_journal::{
    Folder, Holder, JournalError, Lock, LockError, Occupancy, RunId, StateFile, Tail, Writer,
    archive, inbox, read, read_archived, repair, resume,
};
use autopilot_testkit::built_command::{BuiltCommand, Ended};
use serde_json::{Value, json};

/// Where the started process finds its project; without it a test is the one that watches.
const PROJECT: &str = "DRILL_PROJECT";
/// What it was told is on disk, written down as it is told.
const ACKNOWLEDGED: &str = "acknowledged";
const KILLED: i32 = 128 + 9;
const RECORDS: u64 = 9;

type Driven = Result<(), Box<dyn std::error::Error>>;

fn this_test_again(root: &Path) -> BuiltCommand {
    let program = std::env::current_exe().unwrap();
    let command = BuiltCommand::new(program.to_str().unwrap(), root);
    command.variable(PROJECT, root.to_str().unwrap())
}

fn start(command: &BuiltCommand, test: &str) -> Ended {
    command.run(&["--exact", test, "--nocapture"]).unwrap()
}

fn project() -> Option<String> {
    std::env::var(PROJECT).ok()
}

/// In memory where there is such a disk: a kill takes nothing from the kernel, so syncing would only cost time.
fn temporary() -> tempfile::TempDir {
    let memory = tempfile::tempdir_in("/dev/shm");
    memory.or_else(|_| tempfile::tempdir()).unwrap()
}

fn id(text: &str) -> RunId {
    RunId::new(text).unwrap()
}

fn holder() -> Holder {
    let (host, command) = ("here".to_string(), "autopilot run".to_string());
    Holder { pid: std::process::id(), host, command, started_at: 1 }
}

fn event(seq: u64) -> Value {
    json!({"number": seq, "text": "x".repeat(usize::try_from(seq).unwrap() * 7)})
}

/// A project with something of everything: a torn journal, a damaged one, a state.json somebody edited.
fn prepare(root: &Path) -> Driven {
    let folder = Folder::open(root)?;
    let lock = folder.lock(&holder())?;
    for run in ["torn", "damaged"] {
        let mut writer = Writer::create(&folder, &lock, &id(run))?;
        writer.append(1, &[event(0), event(1)])?;
    }
    OpenOptions::new().append(true).open(folder.journal(&id("torn")))?.write_all(b"{\"v\":1,")?;
    let mut bytes = fs::read(folder.journal(&id("damaged")))?;
    bytes[30] ^= 1;
    fs::write(folder.journal(&id("damaged")), bytes)?;
    folder.write_state(&lock, &json!({"_meta": {"run_id": "torn", "journal_seq": 1}}))?;
    let state = fs::read_to_string(folder.state())?;
    fs::write(folder.state(), state.replace("\"torn\"", "\"mine\""))?;
    fs::write(root.join(ACKNOWLEDGED), "2")?;
    Ok(())
}

/// Does everything this crate does, from wherever the last one stopped.
fn drive(root: &Path) -> Driven {
    let folder = Folder::open(root)?;
    let lock = folder.lock(&holder())?;
    repair::repair(&folder, &lock, &id("damaged"))?;
    if folder.runs()?.contains(&id("torn")) {
        let acknowledged = folder.acknowledged(&id("torn"))?;
        let (_, mut writer) = resume::<Value>(&folder, &lock, &id("torn"), acknowledged)?;
        append_all(root, &folder, &lock, &mut writer)?;
        requests(&folder, &lock)?;
    }
    archive::archive(&folder, &lock, &id("torn"))?;
    if !folder.runs()?.contains(&id("next")) {
        Writer::create(&folder, &lock, &id("next"))?;
    }
    Ok(())
}

fn append_all(root: &Path, folder: &Folder, lock: &Lock, writer: &mut Writer) -> Driven {
    while writer.next_seq() < RECORDS {
        let from = writer.next_seq();
        let events: Vec<Value> = (from..RECORDS.min(from + 3)).map(event).collect();
        if let Err(error) = writer.append(from, &events) {
            let refused = writer.append(from, &events);
            assert!(matches!(refused, Err(JournalError::Poisoned { .. })), "{refused:?}");
            return Err(error.into());
        }
        let seen = writer.next_seq();
        fs::write(root.join(ACKNOWLEDGED), seen.to_string())?;
        let meta = json!({"run_id": "torn", "journal_seq": seen - 1});
        folder.write_state(lock, &json!({"_meta": meta}))?;
        folder.write_ledger(lock, &json!({"phases": {"1": seen}}))?;
    }
    Ok(())
}

fn requests(folder: &Folder, lock: &Lock) -> Driven {
    match inbox::put(folder, "1-pause", &json!({"pause": true})) {
        Ok(()) | Err(JournalError::Exists { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    for request in inbox::take::<Value>(folder, lock)? {
        assert_eq!(request.content, Ok(json!({"pause": true})));
        inbox::remove(folder, lock, &request.name)?;
    }
    Ok(())
}

/// What must be true at any instant, whoever died.
fn check_left(root: &Path, what: &str) {
    let folder = Folder::find(root).unwrap().unwrap();
    let lock = folder.lock(&holder()).unwrap_or_else(|error| panic!("{what}: {error}"));
    let sure: usize = fs::read_to_string(root.join(ACKNOWLEDGED)).unwrap().parse().unwrap();
    let run = id("torn");
    let acknowledged = folder.acknowledged(&run).unwrap();
    let records = if folder.runs().unwrap().contains(&run) {
        let journal = read::<Value>(&folder, &run, acknowledged);
        journal.unwrap_or_else(|error| panic!("{what}: {error}")).records
    } else {
        read_archived(&folder, &run).unwrap_or_else(|error| panic!("{what}: {error}")).records
    };
    assert!(records.len() >= sure, "{what}: {} of {sure} are left", records.len());
    for (seq, record) in (0..).zip(&records) {
        assert_eq!((record.seq, &record.event), (seq, &event(seq)), "{what}");
    }
    let ledger = folder.read_ledger::<Value>().unwrap();
    assert!(!matches!(ledger, LedgerFile::Broken(_)), "{what}: {ledger:?}");
    assert!(!matches!(folder.read_state().unwrap(), StateFile::Broken(_)), "{what}");
    drop(lock);
}

/// However often it was interrupted, the end is the same.
fn check_end(root: &Path, what: &str) {
    let folder = Folder::find(root).unwrap().unwrap();
    let journal = read_archived::<Value>(&folder, &id("torn")).unwrap();
    assert_eq!((journal.records.len() as u64, journal.tail), (RECORDS, Tail::Whole), "{what}");
    assert_eq!(folder.runs().unwrap(), [id("damaged"), id("next")], "{what}");
    assert_eq!(read::<Value>(&folder, &id("damaged"), None).unwrap().records, [], "{what}");
    assert_eq!(fs::read_dir(folder.inbox()).unwrap().count(), 0, "{what}");
    let aside = fs::read_dir(folder.damaged()).unwrap().map(|entry| entry.unwrap().file_name());
    let aside: Vec<String> = aside.map(|name| name.into_string().unwrap()).collect();
    for name in ["torn-2.tail", "damaged.jsonl", "state.json"] {
        assert!(aside.iter().any(|kept| kept.starts_with(name)), "{what}: {aside:?}");
    }
}

/// Every point an undisturbed run passes, with how often.
fn points(test: &str) -> BTreeMap<String, u64> {
    let root = temporary();
    prepare(root.path()).unwrap();
    let log = root.path().join("points");
    let command =
        this_test_again(root.path()).variable("AUTOPILOT_FAULT_LOG", log.to_str().unwrap());
    let ended = start(&command, test);
    assert_eq!(ended.code, 0, "{ended:?}");
    check_end(root.path(), "undisturbed");
    let mut points = BTreeMap::new();
    for name in fs::read_to_string(log).unwrap().lines() {
        *points.entry(name.to_string()).or_default() += 1;
    }
    let names: Vec<&str> = points.keys().map(String::as_str).collect();
    let mut expected = Vec::new();
    for place in ["backup.rename", "file.rename", "file.sync", "file.write", "folder.sync"] {
        expected.extend([format!("{place}.after"), format!("{place}.before")]);
    }
    for place in ["journal.create", "journal.cut", "journal.sync", "journal.write"] {
        expected.extend([format!("{place}.after"), format!("{place}.before")]);
    }
    assert_eq!(names, expected, "a run of everything passes every point");
    points
}

fn suffer(test: &str, action: &str, code: i32) {
    let points = points(test);
    for (point, count) in points {
        for nth in 1..=count {
            let fault = format!("{point}:{nth}:{action}");
            let root = temporary();
            prepare(root.path()).unwrap();
            let command = this_test_again(root.path()).variable("AUTOPILOT_FAULT", &fault);
            let ended = start(&command, test);
            assert_eq!(ended.code, code, "{fault}: {ended:?}");
            check_left(root.path(), &fault);
            drive(root.path()).unwrap_or_else(|error| panic!("{fault}: {error}"));
            check_end(root.path(), &fault);
        }
    }
}

#[test]
fn a_kill_at_any_point_loses_nothing_that_was_acknowledged() {
    match project() {
        Some(root) => drive(Path::new(&root)).unwrap(),
        None => suffer("a_kill_at_any_point_loses_nothing_that_was_acknowledged", "kill", KILLED),
    }
}

#[test]
fn a_failure_at_any_point_is_told_and_loses_nothing_that_was_acknowledged() {
    let test = "a_failure_at_any_point_is_told_and_loses_nothing_that_was_acknowledged";
    match (project(), std::env::var("AUTOPILOT_FAULT")) {
        (None, _) => suffer(test, "error", 0),
        (Some(root), Err(_)) => drive(Path::new(&root)).unwrap(),
        (Some(root), Ok(fault)) => {
            let error = drive(Path::new(&root)).unwrap_err().to_string();
            let point = fault.split(':').next().unwrap();
            assert!(error.contains(&format!("injected at {point}")), "{error}");
        }
    }
}

#[test]
fn the_lock_of_a_killed_process_is_free() {
    if let Some(root) = project() {
        let folder = Folder::open(Path::new(&root)).unwrap();
        let _lock = folder.lock(&holder()).unwrap();
        loop {
            std::thread::park();
        }
    }
    let root = temporary();
    let folder = Folder::open(root.path()).unwrap();
    let test = "the_lock_of_a_killed_process_is_free";
    let command = this_test_again(root.path());
    let child = std::thread::spawn(move || start(&command, test));
    let held = loop {
        match folder.holder().unwrap() {
            Occupancy::Held(Some(held)) => break held,
            Occupancy::Held(None) | Occupancy::Free => assert!(!child.is_finished()),
        }
        std::thread::yield_now();
    };
    assert_ne!(held.pid, std::process::id());
    match folder.lock(&holder()) {
        Err(LockError::Held(Some(named))) => assert_eq!(named, held),
        other => panic!("{other:?}"),
    }
    let pid = rustix::process::Pid::from_raw(held.pid.cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    assert_eq!(child.join().unwrap().code, KILLED);
    assert_eq!(folder.holder().unwrap(), Occupancy::Free);
    folder.lock(&holder()).unwrap();
}
