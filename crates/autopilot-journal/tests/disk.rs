//! Real disks that fail: a file that may not grow, a full file system, one that became read-only. What was acknowledged before
//! is still there, and the writer takes nothing more. Each test starts itself again where the disk is like that.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

use std::fs;
use std::path::Path;

use autopilot_journal::{Folder, Holder, JournalError, RunId, Tail, Writer, read, resume};
use autopilot_testkit::built_command::{BuiltCommand, Ended};
use serde_json::{Value, json};

const ROLE: &str = "DISK_ROLE";
const NOTES: &str = "DISK_NOTES";

fn start(script: &str, test: &str, folder: &Path, notes: &Path) -> Ended {
    let program = std::env::current_exe().unwrap();
    let command = BuiltCommand::new("sh", folder).variable(NOTES, notes.to_str().unwrap());
    command.run(&["-c", script, program.to_str().unwrap(), "--exact", test, "--nocapture"]).unwrap()
}

fn run() -> RunId {
    RunId::new("run-1").unwrap()
}

fn holder() -> Holder {
    let (host, command) = ("here".to_string(), "autopilot run".to_string());
    Holder { pid: std::process::id(), host, command, started_at: 1 }
}

fn event(seq: u64) -> Value {
    json!({"number": seq, "text": "x".repeat(100)})
}

/// Writes until the disk refuses. Gives back how many records are sure, and the refusal.
fn fill(writer: &mut Writer) -> (u64, String) {
    let refusal = loop {
        let next = writer.next_seq();
        assert!(next < 100_000, "the disk never refused");
        if let Err(error) = writer.append(1, &[event(next)]) {
            break error;
        }
    };
    let sure = writer.next_seq();
    assert!(sure > 3, "the disk refused too early: {refusal}");
    for _ in 0..2 {
        let refused = writer.append(1, &[event(sure)]);
        assert!(matches!(refused, Err(JournalError::Poisoned { .. })), "{refused:?}");
    }
    (sure, refusal.problem().what)
}

/// A note outside of the disk that fails.
fn note(name: &str) -> std::path::PathBuf {
    Path::new(&std::env::var_os(NOTES).unwrap()).join(name)
}

fn check_records(records: &[autopilot_journal::Record<Value>], sure: u64) {
    assert!(records.len() as u64 >= sure, "{} of {sure} are left", records.len());
    for (seq, record) in (0..).zip(records) {
        assert_eq!((record.seq, &record.event), (seq, &event(seq)));
    }
}

#[test]
fn a_file_that_may_not_grow_stops_the_writer_and_keeps_what_was_acknowledged() {
    let here = std::env::current_dir().unwrap();
    if std::env::var_os(ROLE).is_some() {
        let folder = Folder::open(&here).unwrap();
        let lock = folder.lock(&holder()).unwrap();
        let mut writer = Writer::create(&folder, &lock, &run()).unwrap();
        let (sure, refusal) = fill(&mut writer);
        assert!(refusal.starts_with("cannot write to "), "{refusal}");
        assert!(refusal.contains("File too large"), "{refusal}");
        fs::write(note("sure"), sure.to_string()).unwrap();
        return;
    }
    let (root, notes) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // The signal that comes with the limit is ignored, so that the write itself tells.
    let script = format!("trap '' XFSZ; ulimit -f 8; {ROLE}=fill exec \"$0\" \"$@\"");
    let test = "a_file_that_may_not_grow_stops_the_writer_and_keeps_what_was_acknowledged";
    let ended = start(&script, test, root.path(), notes.path());
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);

    let sure: u64 = fs::read_to_string(notes.path().join("sure")).unwrap().parse().unwrap();
    let folder = Folder::find(root.path()).unwrap().unwrap();
    let lock = folder.lock(&holder()).unwrap();
    let resumed = resume::<Value>(&folder, &lock, &run(), sure.checked_sub(1));
    let (journal, mut writer) = resumed.unwrap();
    check_records(&journal.records, sure);
    assert!(matches!(journal.tail, Tail::Torn { .. }), "the last write went half through");
    writer.append(2, &[event(writer.next_seq())]).unwrap();
}

/// Three processes on one small disk: it fills, it becomes read-only, it gets room again.
#[test]
fn a_full_and_a_read_only_disk_stop_the_writer_and_keep_what_was_acknowledged() {
    match std::env::var(ROLE).as_deref() {
        Ok("fill") => return on_a_full_disk(),
        Ok("read-only") => return on_a_read_only_disk(),
        Ok(_) => return with_room_again(),
        Err(_) => {}
    }
    let (root, notes) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let script = format!(
        "export BINARY=\"$0\"; exec unshare --map-root-user --mount sh -ec '\
         mount -t tmpfs -o size=128k none . && cd \"$PWD\" && touch \"${NOTES}/mounted\"; \
         {ROLE}=fill \"$BINARY\" \"$@\"; mount -o remount,ro .; {ROLE}=read-only \"$BINARY\" \"$@\"; \
         mount -o remount,rw,size=1m .; {ROLE}=room \"$BINARY\" \"$@\"' \"$0\" \"$@\""
    );
    let test = "a_full_and_a_read_only_disk_stop_the_writer_and_keep_what_was_acknowledged";
    let ended = start(&script, test, root.path(), notes.path());
    assert!(
        notes.path().join("mounted").exists(),
        "this test mounts a small disk of its own, for which it needs the program unshare (util-linux) and user \
         namespaces; allow them with: sysctl kernel.unprivileged_userns_clone=1 \
         kernel.apparmor_restrict_unprivileged_userns=0, or run the tests as root. It said: {}",
        ended.stderr
    );
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(notes.path().join("resumed").exists(), "all three parts ran");
}

fn state(seq: u64) -> Value {
    json!({"_meta": {"run_id": "run-1", "journal_seq": seq}, "padding": "x".repeat(8_000)})
}

fn on_a_full_disk() {
    let folder = Folder::open(Path::new(".")).unwrap();
    let lock = folder.lock(&holder()).unwrap();
    let mut writer = Writer::create(&folder, &lock, &run()).unwrap();
    writer.append(1, &[event(0)]).unwrap();
    folder.write_state(&lock, &state(0)).unwrap();
    folder.write_ledger(&lock, &json!({"phases": {"1": "completed"}})).unwrap();
    let (before, ledger) = (fs::read(folder.state()).unwrap(), fs::read(folder.ledger()).unwrap());
    let (sure, refusal) = fill(&mut writer);
    assert!(refusal.contains("No space left on device"), "{refusal}");
    fs::write(note("sure"), sure.to_string()).unwrap();

    let refused = folder.write_state(&lock, &state(sure - 1)).unwrap_err();
    assert!(refused.to_string().contains("No space left on device"), "{refused}");
    let long = json!({"phases": {"1": "x".repeat(8_000)}});
    let refused = folder.write_ledger(&lock, &long).unwrap_err();
    assert!(refused.to_string().contains("No space left on device"), "{refused}");
    assert_eq!(fs::read(folder.state()).unwrap(), before);
    assert_eq!(fs::read(folder.ledger()).unwrap(), ledger);
}

fn on_a_read_only_disk() {
    let sure: u64 = fs::read_to_string(note("sure")).unwrap().parse().unwrap();
    let folder = Folder::open(Path::new(".")).unwrap();
    let refused = folder.lock(&holder()).unwrap_err().problem().what;
    assert_eq!(refused, "cannot open ./.autopilot/lock: Read-only file system (os error 30)");
    let acknowledged = folder.acknowledged(&run()).unwrap();
    assert_eq!(acknowledged, Some(0));
    check_records(&read(&folder, &run(), acknowledged).unwrap().records, sure);
}

fn with_room_again() {
    let sure: u64 = fs::read_to_string(note("sure")).unwrap().parse().unwrap();
    let folder = Folder::open(Path::new(".")).unwrap();
    let lock = folder.lock(&holder()).unwrap();
    let resumed = resume::<Value>(&folder, &lock, &run(), sure.checked_sub(1));
    let (journal, mut writer) = resumed.unwrap();
    check_records(&journal.records, sure);
    writer.append(2, &[event(writer.next_seq())]).unwrap();
    folder.write_state(&lock, &state(writer.next_seq() - 1)).unwrap();
    fs::write(note("resumed"), "").unwrap();
}
