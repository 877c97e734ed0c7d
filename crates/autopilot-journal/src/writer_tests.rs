//! What an append promises and when it refuses.

use super::*;
use crate::scratch::{Event, Scratch, events, run};

#[test]
fn one_append_numbers_its_events_without_gaps() {
    let scratch = Scratch::new();
    let mut writer = Writer::create(&scratch.folder, &scratch.lock(), &run()).unwrap();
    assert_eq!(writer.append(1, &events(3)).unwrap(), 0..3);
    assert_eq!(writer.append::<Event>(2, &[]).unwrap(), 3..3);
    assert_eq!(writer.append(3, &events(2)).unwrap(), 3..5);
    let records = scratch.read(Some(4)).unwrap().records;
    let told: Vec<(u64, u64)> = records.iter().map(|record| (record.seq, record.at)).collect();
    assert_eq!(told, [(0, 1), (1, 1), (2, 1), (3, 3), (4, 3)]);
}

#[test]
fn an_event_that_cannot_be_stored_leaves_no_trace() {
    let scratch = Scratch::new();
    let mut writer = Writer::create(&scratch.folder, &scratch.lock(), &run()).unwrap();
    writer.append(1, &events(1)).unwrap();
    let before = scratch.bytes();
    let long = Event::Said { text: "x".repeat(limits::RECORD_PAYLOAD_BYTES_MAX) };
    let refused = writer.append(2, &[events(1).remove(0), long.clone()]);
    assert!(matches!(refused, Err(JournalError::BadEvent { .. })), "{refused:?}");
    let unreadable = std::collections::BTreeMap::from([((1, 2), 3)]);
    let refused = writer.append(2, &[unreadable]);
    assert!(matches!(refused, Err(JournalError::BadEvent { .. })), "{refused:?}");
    let most = Event::Said { text: "x".repeat(limits::RECORD_PAYLOAD_BYTES_MAX / 2) };
    let refused = writer.append(2, &vec![most; 300]);
    assert!(matches!(refused, Err(JournalError::BadEvent { .. })), "{refused:?}");
    assert_eq!(scratch.bytes(), before);
    assert_eq!(writer.append(3, &events(1)).unwrap(), 1..2);
    assert_eq!(scratch.read(Some(1)).unwrap().records.len(), 2);
}

#[test]
fn a_run_has_one_journal() {
    let scratch = Scratch::with_journal(2);
    let error = Writer::create(&scratch.folder, &scratch.lock(), &run()).unwrap_err();
    assert_eq!(scratch.shown(&error), "[]/journal/run-1.jsonl exists already");
    assert_eq!(scratch.read(None).unwrap().records.len(), 2);
}

#[test]
fn a_journal_deleted_under_the_writer_stops_it() {
    let scratch = Scratch::new();
    let mut writer = Writer::create(&scratch.folder, &scratch.lock(), &run()).unwrap();
    writer.append(1, &events(1)).unwrap();
    std::fs::remove_file(scratch.folder.journal(&run())).unwrap();
    assert!(matches!(writer.append(2, &events(1)), Err(JournalError::Vanished { .. })));
    assert!(matches!(writer.append(3, &events(1)), Err(JournalError::Poisoned { .. })));
}

#[test]
fn a_full_journal_takes_no_more_and_stays_readable() {
    let scratch = Scratch::new();
    let mut writer = Writer::create(&scratch.folder, &scratch.lock(), &run()).unwrap();
    writer.append(1, &events(1)).unwrap();
    writer.bytes = limits::JOURNAL_BYTES_MAX - 10;
    assert!(matches!(writer.append(2, &events(1)), Err(JournalError::Full { .. })));
    assert_eq!(scratch.read(Some(0)).unwrap().records.len(), 1);
}
