//! A run that goes on: nothing acknowledged is missing, whatever was cut is kept aside, and the journal stays one chain.

use proptest::prelude::*;

use super::*;
use crate::scratch::{Event, Scratch, events, run};

fn resumed(scratch: &Scratch, acknowledged: Option<u64>) -> (Journal<Event>, Writer) {
    resume(&scratch.folder, &scratch.lock(), &run(), acknowledged).unwrap()
}

fn set_aside(scratch: &Scratch) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(scratch.folder.damaged()).unwrap().map(Result::unwrap);
    let read = |entry: std::fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
    };
    let mut kept: Vec<_> = entries.map(read).collect();
    kept.sort();
    kept
}

#[test]
fn a_resumed_journal_goes_on_as_one_chain() {
    let scratch = Scratch::with_journal(3);
    let (journal, mut writer) = resumed(&scratch, Some(2));
    assert_eq!((journal.records.len(), journal.tail), (3, Tail::Whole));
    assert_eq!(writer.append(9, &events(2)).unwrap(), 3..5);
    drop(writer);
    assert_eq!(scratch.read(Some(4)).unwrap().records.len(), 5);
    assert_eq!(set_aside(&scratch), []);
}

#[test]
fn a_torn_end_is_kept_aside_before_it_is_cut() {
    let scratch = Scratch::with_journal(3);
    let whole = scratch.bytes();
    for (end, name) in [(&b"{\"v\":1"[..], "run-1-3.tail"), (&[0; 4096], "run-1-3.tail.2")] {
        scratch.put_bytes(&[&whole, end].concat());
        let (journal, _) = resumed(&scratch, Some(2));
        assert_eq!(journal.tail, Tail::Torn { bytes: end.len() as u64, at_line: 4 });
        assert_eq!(scratch.bytes(), whole);
        let kept = set_aside(&scratch);
        assert!(kept.contains(&(name.to_string(), end.to_vec())), "{name}");
    }
}

#[test]
fn a_damaged_journal_is_not_touched() {
    let scratch = Scratch::with_journal(3);
    let mut bytes = scratch.bytes();
    bytes[20] ^= 1;
    scratch.put_bytes(&bytes);
    let refused = resume::<Event>(&scratch.folder, &scratch.lock(), &run(), None);
    assert!(matches!(refused, Err(JournalError::Damaged { line: 1, seq: 0, .. })), "{refused:?}");
    assert_eq!(scratch.bytes(), bytes);
    assert_eq!(set_aside(&scratch), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Batches of any sizes; a cut anywhere behind what was acknowledged; then more batches.
    #[test]
    fn whatever_is_cut_the_rest_is_a_beginning_with_all_that_was_acknowledged(
        batches in prop::collection::vec(1usize..4, 1..8),
        acknowledged_batches in 0usize..8,
        cut in any::<prop::sample::Index>(),
        zeros in prop_oneof![Just(0usize), 1usize..5000],
        more in prop::collection::vec(1usize..4, 0..3),
    ) {
        let scratch = Scratch::new();
        let mut writer = Writer::create(&scratch.folder, &scratch.lock(), &run()).unwrap();
        let acknowledged_batches = acknowledged_batches.min(batches.len());
        let (mut sure_bytes, mut sure_records) = (0, 0);
        for (index, count) in batches.iter().enumerate() {
            writer.append(index as u64, &events(*count)).unwrap();
            if index + 1 == acknowledged_batches {
                (sure_bytes, sure_records) = (scratch.bytes().len(), writer.next_seq());
            }
        }
        drop(writer);
        let written = scratch.bytes();
        let all = scratch.read(None).unwrap().records;
        let keep = sure_bytes + cut.index(written.len() - sure_bytes + 1);
        let mut torn = written[..keep].to_vec();
        torn.resize(keep + zeros, 0);
        scratch.put_bytes(&torn);

        let (journal, mut writer) = resumed(&scratch, sure_records.checked_sub(1));
        prop_assert!(journal.records.len() as u64 >= sure_records);
        prop_assert_eq!(&journal.records[..], &all[..journal.records.len()]);
        let kept = scratch.bytes();
        let aside: Vec<u8> = set_aside(&scratch).into_iter().flat_map(|(_, bytes)| bytes).collect();
        prop_assert_eq!([kept, aside].concat(), torn, "no byte is lost");
        for count in &more {
            writer.append(99, &events(*count)).unwrap();
        }
        let again = scratch.read(writer.next_seq().checked_sub(1)).unwrap();
        prop_assert_eq!(again.tail, Tail::Whole);
        prop_assert_eq!(again.records.len(), journal.records.len() + more.iter().sum::<usize>());
    }
}
