//! What a repair keeps, and that it loses no byte.

use std::fs;

use serde_json::json;

use super::*;
use crate::scratch::{Event, Scratch, run};

fn state(seq: u64) -> serde_json::Value {
    json!({"_meta": {"run_id": "run-1", "journal_seq": seq}})
}

#[test]
fn the_whole_records_before_the_damage_are_kept_and_the_file_as_it_was() {
    let scratch = Scratch::with_journal(5);
    let whole = scratch.bytes();
    let ends: Vec<usize> = whole
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1)
        .collect();
    let mut damaged = whole.clone();
    damaged[ends[1] + 40] ^= 4;
    for name in ["run-1.jsonl", "run-1.jsonl.2"] {
        scratch.put_bytes(&damaged);
        let repaired = repair(&scratch.folder, &scratch.lock(), &run()).unwrap();
        let aside = scratch.folder.damaged().join(name);
        assert_eq!(fs::read(&aside).unwrap(), damaged);
        let bytes_cut = (damaged.len() - ends[1]) as u64;
        assert_eq!(repaired, Repaired { records_kept: 2, bytes_cut, set_aside: vec![aside] });
        assert_eq!(scratch.bytes(), whole[..ends[1]]);
    }
    let resumed = crate::resume::<Event>(&scratch.folder, &scratch.lock(), &run(), None).unwrap();
    assert_eq!((resumed.0.records.len(), resumed.1.next_seq()), (2, 2));
}

#[test]
fn a_journal_without_one_whole_record_becomes_empty() {
    let scratch = Scratch::with_journal(2);
    let mut bytes = scratch.bytes();
    bytes[0] = b'[';
    scratch.put_bytes(&bytes);
    let repaired = repair(&scratch.folder, &scratch.lock(), &run()).unwrap();
    assert_eq!((repaired.records_kept, repaired.bytes_cut), (0, bytes.len() as u64));
    assert_eq!(scratch.read(None).unwrap().records.len(), 0);
}

#[test]
fn projections_that_have_seen_more_go_too_and_others_stay() {
    let scratch = Scratch::with_journal(4);
    let lock = scratch.lock();
    scratch.folder.write_state(&lock, &state(1)).unwrap();
    scratch.folder.write_state(&lock, &state(3)).unwrap();
    let whole = scratch.bytes();
    let cut = whole.len() - 3;
    scratch.put_bytes(&whole[..cut]);
    let acknowledged = scratch.folder.acknowledged(&run()).unwrap();
    assert!(scratch.read(acknowledged).is_err());

    let repaired = repair(&scratch.folder, &lock, &run()).unwrap();
    let damaged = scratch.folder.damaged();
    assert_eq!(repaired.set_aside, [damaged.join("run-1.jsonl"), damaged.join("state.json")]);
    let acknowledged = scratch.folder.acknowledged(&run()).unwrap();
    assert_eq!(acknowledged, Some(1), "the backup has seen nothing that is gone");
    assert_eq!(scratch.read(acknowledged).unwrap().records.len(), 3);
}

#[test]
fn a_whole_journal_that_misses_acknowledged_records_is_accepted_as_it_is() {
    let scratch = Scratch::with_journal(4);
    let lock = scratch.lock();
    scratch.folder.write_state(&lock, &state(9)).unwrap();
    let before = scratch.bytes();
    let repaired = repair(&scratch.folder, &lock, &run()).unwrap();
    let aside = scratch.folder.damaged().join("state.json");
    assert_eq!(repaired, Repaired { records_kept: 4, bytes_cut: 0, set_aside: vec![aside] });
    assert_eq!(scratch.bytes(), before);
    let again = repair(&scratch.folder, &lock, &run()).unwrap();
    assert_eq!(again, Repaired { records_kept: 4, bytes_cut: 0, set_aside: Vec::new() });
}
