//! A run that is put away: all of it or, after a kill, the rest of it the next time.

use std::fs;

use serde_json::json;

use super::*;
use crate::scratch::{Event, Scratch, run};
use crate::{StateFile, read_archived};

fn with_state() -> Scratch {
    let scratch = Scratch::with_journal(3);
    for seq in [1, 2] {
        let state = json!({"_meta": {"run_id": "run-1", "journal_seq": seq}});
        scratch.folder.write_state(&scratch.lock(), &state).unwrap();
    }
    scratch
}

#[test]
fn an_archived_run_leaves_nothing_behind_and_is_listed() {
    let scratch = with_state();
    for _ in 0..2 {
        archive(&scratch.folder, &scratch.lock(), &run()).unwrap();
        assert_eq!(scratch.folder.runs().unwrap(), []);
        assert_eq!(archived(&scratch.folder).unwrap(), [run()]);
        assert_eq!(scratch.folder.read_state().unwrap(), StateFile::Absent);
        let journal = read_archived::<Event>(&scratch.folder, &run()).unwrap();
        assert_eq!(journal.records.len(), 3);
    }
}

#[test]
fn what_belongs_to_another_run_stays() {
    let scratch = Scratch::with_journal(3);
    let state = json!({"_meta": {"run_id": "run-2", "journal_seq": 1}});
    scratch.folder.write_state(&scratch.lock(), &state).unwrap();
    archive(&scratch.folder, &scratch.lock(), &run()).unwrap();
    assert!(matches!(scratch.folder.read_state().unwrap(), StateFile::Read(_)));
}

#[test]
fn an_archived_journal_is_never_replaced() {
    let scratch = with_state();
    let archived = scratch.folder.archived_journal(&run());
    fs::write(&archived, "older").unwrap();
    let refused = archive(&scratch.folder, &scratch.lock(), &run());
    assert!(matches!(refused, Err(JournalError::Exists { .. })), "{refused:?}");
    assert_eq!(fs::read(archived).unwrap(), b"older");
    assert_eq!(scratch.read(Some(2)).unwrap().records.len(), 3);
    let state = scratch.folder.read_state().unwrap();
    assert!(matches!(state, StateFile::Read(_)), "a refusal moves nothing: {state:?}");
}

#[test]
fn a_run_that_never_was_cannot_be_archived() {
    let scratch = Scratch::new();
    let refused = archive(&scratch.folder, &scratch.lock(), &run());
    assert!(matches!(refused, Err(JournalError::Absent { .. })), "{refused:?}");
}
