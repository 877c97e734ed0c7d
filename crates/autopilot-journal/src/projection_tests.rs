//! state.json: what is kept, what is noticed, what is believed.

use std::fs;

use serde_json::json;

use super::*;
use crate::scratch::{Scratch, run};

fn state(seq: u64) -> Value {
    let phases =
        json!({"2.1": {"note": "\"checksum\": \"sha256:\"", "score": 9.123_456_789_012_345}});
    json!({"_meta": {"journal_seq": seq, "run_id": "run-1"}, "phases": phases})
}

fn read(scratch: &Scratch) -> State {
    match scratch.folder.read_state().unwrap() {
        StateFile::Read(state) => state,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_written_is_read_back_and_the_one_before_is_kept() {
    let scratch = Scratch::new();
    let lock = scratch.lock();
    assert_eq!(scratch.folder.read_state().unwrap(), StateFile::Absent);
    assert_eq!(scratch.folder.acknowledged(&run()).unwrap(), None);
    assert_eq!(scratch.folder.write_state(&lock, &state(4)).unwrap(), Replaced::Nothing);
    assert_eq!(scratch.folder.write_state(&lock, &state(7)).unwrap(), Replaced::Own);

    let mut read = read(&scratch);
    assert_eq!((read.author, read.origin), (Author::Autopilot, Origin::File));
    read.value[META].as_object_mut().unwrap().remove(CHECKSUM);
    assert_eq!(read.value, state(7));
    assert_eq!(seq_in(&scratch.folder.state_backup(), &run()).unwrap(), Some(4));
    assert_eq!(scratch.folder.acknowledged(&run()).unwrap(), Some(7));
    assert_eq!(scratch.folder.acknowledged(&RunId::new("run-2").unwrap()).unwrap(), None);
}

#[test]
fn a_state_is_written_byte_for_byte_like_the_golden_file() {
    let scratch = Scratch::new();
    scratch.folder.write_state(&scratch.lock(), &state(4)).unwrap();
    let golden = include_str!("../tests/golden/state.json");
    assert_eq!(fs::read_to_string(scratch.folder.state()).unwrap(), golden);
}

#[test]
fn the_backup_serves_when_the_file_is_gone_or_broken() {
    let scratch = Scratch::new();
    let lock = scratch.lock();
    scratch.folder.write_state(&lock, &state(4)).unwrap();
    scratch.folder.write_state(&lock, &state(7)).unwrap();
    fs::write(scratch.folder.state(), "{\"_meta\": {").unwrap();
    let from_backup = read(&scratch);
    assert_eq!(from_backup.value[META]["journal_seq"], 4);
    let Origin::Backup { file: Some(broken) } = from_backup.origin else {
        panic!("the broken file is not told of");
    };
    assert_eq!(broken.path, scratch.folder.state());
    assert_eq!(scratch.folder.acknowledged(&run()).unwrap(), Some(4));

    fs::remove_file(scratch.folder.state()).unwrap();
    assert_eq!(read(&scratch).origin, Origin::Backup { file: None });
    fs::write(scratch.folder.state_backup(), "").unwrap();
    assert!(matches!(scratch.folder.read_state().unwrap(), StateFile::Broken(_)));
}

#[test]
fn a_broken_file_never_becomes_the_backup() {
    let scratch = Scratch::new();
    let lock = scratch.lock();
    scratch.folder.write_state(&lock, &state(4)).unwrap();
    scratch.folder.write_state(&lock, &state(7)).unwrap();
    fs::write(scratch.folder.state(), "half").unwrap();
    let moved_to = scratch.folder.damaged().join("state.json");
    let replaced = scratch.folder.write_state(&lock, &state(8)).unwrap();
    assert_eq!(replaced, Replaced::Foreign { author: None, moved_to: moved_to.clone() });
    assert_eq!(fs::read(moved_to).unwrap(), b"half");
    assert_eq!(seq_in(&scratch.folder.state_backup(), &run()).unwrap(), Some(4));
    assert_eq!(read(&scratch).value[META]["journal_seq"], 8);
}

#[test]
fn every_edit_by_hand_is_noticed_kept_and_not_believed() {
    let scratch = Scratch::new();
    let lock = scratch.lock();
    scratch.folder.write_state(&lock, &state(7)).unwrap();
    let text = fs::read_to_string(scratch.folder.state()).unwrap();
    let edits = [
        text.replace("9.12", "9.92"),
        text.replace("\"journal_seq\": 7", "\"journal_seq\": 99"),
        format!("{text} "),
        text.replace("sha256:", "sha256:0"),
    ];
    for edited in edits {
        assert_ne!(edited, text);
        fs::write(scratch.folder.state(), &edited).unwrap();
        assert!(read(&scratch).edited_by_hand(), "{edited}");
        assert_eq!(scratch.folder.acknowledged(&run()).unwrap(), None);
        let Replaced::Foreign { author: Some(Author::EditedByHand), moved_to } =
            scratch.folder.write_state(&lock, &state(7)).unwrap()
        else {
            panic!("not told: {edited}");
        };
        assert_eq!(fs::read_to_string(moved_to).unwrap(), edited);
        assert!(!read(&scratch).edited_by_hand());
        assert_eq!(fs::read_to_string(scratch.folder.state()).unwrap(), text);
    }
}

#[test]
fn a_state_of_another_program_is_told_apart() {
    let scratch = Scratch::new();
    fs::write(scratch.folder.state(), r#"{"_meta": {"run_id": "run-1", "journal_seq": 3}}"#)
        .unwrap();
    assert_eq!(read(&scratch).author, Author::Other);
    assert_eq!(scratch.folder.acknowledged(&run()).unwrap(), None);
}

#[test]
fn a_state_that_is_no_object_is_refused() {
    let scratch = Scratch::new();
    for bad in [json!([1]), json!({"_meta": 3})] {
        let refused = scratch.folder.write_state(&scratch.lock(), &bad);
        assert!(matches!(refused, Err(JournalError::BadEvent { .. })), "{bad}");
    }
    assert_eq!(scratch.folder.read_state().unwrap(), StateFile::Absent);
}
