//! A journal seen while it grows, byte by byte, and when a resume cuts it.

use std::io::Write;

use super::*;
use crate::Writer;
use crate::scratch::{Event, Scratch, events, run};

fn seqs(records: &[Record<Event>]) -> Vec<u64> {
    records.iter().map(|record| record.seq).collect()
}

#[test]
fn records_come_once_each_whenever_they_are_finished() {
    let written = Scratch::with_journal(4).bytes();
    let scratch = Scratch::new();
    let mut follower = Follower::new(&scratch.folder, &run());
    assert_eq!(follower.poll::<Event>().unwrap(), []);
    let mut file = File::create(scratch.folder.journal(&run())).unwrap();
    let mut seen = Vec::new();
    for (at, byte) in written.iter().enumerate() {
        file.write_all(&[*byte]).unwrap();
        let came = seqs(&follower.poll::<Event>().unwrap());
        assert_eq!(came.len(), usize::from(*byte == b'\n'), "at byte {at}");
        seen.extend(came);
    }
    assert_eq!(seen, [0, 1, 2, 3]);
}

#[test]
fn a_torn_end_is_waited_over_and_what_replaces_it_is_read() {
    let scratch = Scratch::with_journal(3);
    let mut follower = Follower::new(&scratch.folder, &run());
    let whole = scratch.bytes();
    for end in [&b"{\"v\":1,\"se"[..], b"garbage\n", &[0; 5000]] {
        scratch.put_bytes(&[&whole, end].concat());
        let came = seqs(&follower.poll::<Event>().unwrap());
        assert!(came == [0, 1, 2] || came.is_empty(), "{came:?}");
    }
    let resumed = crate::resume::<Event>(&scratch.folder, &scratch.lock(), &run(), None);
    let (_, mut writer): (_, Writer) = resumed.unwrap();
    writer.append(1, &events(2)).unwrap();
    assert_eq!(seqs(&follower.poll::<Event>().unwrap()), [3, 4]);
    assert_eq!(follower.poll::<Event>().unwrap(), []);
}

#[test]
fn damage_is_told_after_the_records_before_it() {
    let scratch = Scratch::with_journal(4);
    let mut bytes = scratch.bytes();
    let third = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0;
    bytes[third + 30] ^= 1;
    scratch.put_bytes(&bytes);
    let mut follower = Follower::new(&scratch.folder, &run());
    assert_eq!(seqs(&follower.poll::<Event>().unwrap()), [0, 1]);
    for _ in 0..2 {
        let error = follower.poll::<Event>().unwrap_err();
        assert!(error.to_string().contains("line 3 (record 2)"), "{error}");
    }
}

#[test]
fn a_journal_that_shrinks_is_told() {
    let scratch = Scratch::with_journal(4);
    let mut follower = Follower::new(&scratch.folder, &run());
    assert_eq!(follower.poll::<Event>().unwrap().len(), 4);
    scratch.put_bytes(b"");
    let error = follower.poll::<Event>().unwrap_err();
    assert!(error.to_string().ends_with("it was there before and is gone"), "{error}");
}
