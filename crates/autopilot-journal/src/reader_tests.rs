//! Every way a journal can be wrong: cut at each byte, flipped at each byte, zeros, gaps, lines moved. What is handed out is
//! always a beginning of what was written.

use super::*;
use crate::record::Record;
use crate::scratch::{Event, Scratch, run};
use autopilot_core::limits;

const RECORDS: usize = 5;
const LAST: u64 = RECORDS as u64 - 1;

fn whole() -> (Scratch, Vec<u8>, Vec<Record<Event>>) {
    let scratch = Scratch::with_journal(RECORDS);
    let (bytes, journal) = (scratch.bytes(), scratch.read(Some(LAST)).unwrap());
    assert_eq!((journal.records.len(), journal.tail), (RECORDS, Tail::Whole));
    (scratch, bytes, journal.records)
}

/// Where each line begins, and where the file ends.
fn starts(bytes: &[u8]) -> Vec<usize> {
    let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    [0].into_iter().chain(newlines.map(|(at, _)| at + 1)).collect()
}

#[test]
fn a_cut_anywhere_in_the_last_lines_leaves_the_lines_before_it() {
    let (scratch, bytes, records) = whole();
    let starts = starts(&bytes);
    for cut in starts[RECORDS - 3]..bytes.len() {
        scratch.put_bytes(&bytes[..cut]);
        let kept = starts.iter().filter(|start| **start <= cut).count() - 1;
        let torn = (cut - starts[kept]) as u64;
        let tail = match torn {
            0 => Tail::Whole,
            bytes => Tail::Torn { bytes, at_line: kept as u64 + 1 },
        };
        let expected = Journal { records: records[..kept].to_vec(), tail };
        assert_eq!(scratch.read(None), Ok(expected.clone()), "cut at {cut}");
        let before = (kept as u64).checked_sub(1);
        assert_eq!(scratch.read(before), Ok(expected), "cut at {cut}");
        let error = scratch.read(Some(kept as u64)).unwrap_err();
        let place = format!("[]/journal/run-1.jsonl line {} (record {kept}): it is ", kept + 1);
        assert!(error.starts_with(&place), "cut at {cut}: {error}");
    }
}

#[test]
fn a_flipped_bit_is_never_taken_for_a_record() {
    // Three lines have every kind of neighbour.
    let scratch = Scratch::with_journal(3);
    let (bytes, records) = (scratch.bytes(), scratch.read(None).unwrap().records);
    let last_line = starts(&bytes)[2];
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            scratch.put_bytes(&flipped);
            assert!(scratch.read(Some(2)).is_err(), "byte {at} bit {bit}, acknowledged");
            match scratch.read(None) {
                Err(_) => {}
                Ok(journal) => {
                    assert!(at >= last_line, "byte {at} bit {bit} was cut as if it were the last");
                    assert_eq!(journal.records, records[..2], "byte {at} bit {bit}");
                    let torn = (bytes.len() - last_line) as u64;
                    assert_eq!(journal.tail, Tail::Torn { bytes: torn, at_line: 3 });
                }
            }
        }
    }
}

#[test]
fn zeros_at_the_end_are_torn_wherever_they_begin() {
    let (scratch, bytes, records) = whole();
    let starts = starts(&bytes);
    let (last, end) = (starts[RECORDS - 1], bytes.len());
    for (from, zeros) in [(end, 1), (end, 4096), (end, 1 << 20), (last, 300), (last + 9, 4096)] {
        let mut torn = bytes[..from].to_vec();
        torn.resize(from + zeros, 0);
        scratch.put_bytes(&torn);
        let kept = if from == end { RECORDS } else { RECORDS - 1 };
        let bytes = (torn.len() - starts[kept]) as u64;
        let tail = Tail::Torn { bytes, at_line: kept as u64 + 1 };
        let expected = Journal { records: records[..kept].to_vec(), tail };
        assert_eq!(scratch.read(None), Ok(expected), "{zeros} zeros from {from}");
        assert!(scratch.read(Some(kept as u64)).is_err(), "{zeros} zeros from {from}");
    }
}

#[test]
fn a_wrong_line_before_the_last_is_damage_and_is_named() {
    let (scratch, bytes, _) = whole();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let check = |what: &str, lines: &[&[u8]], expected: &str| {
        scratch.put_bytes(&lines.concat());
        let error = scratch.read(None).unwrap_err();
        assert_eq!(error, format!("[]/journal/run-1.jsonl {expected}"), "{what}");
    };
    let wrong = "its checksum is wrong, and it is not the last";
    let (a, b, c, d, e) = (lines[0], lines[1], lines[2], lines[3], lines[4]);
    check("a line is missing", &[a, b, d, e], &format!("line 3 (record 2): {wrong}"));
    check("two changed places", &[a, c, b, d, e], &format!("line 2 (record 1): {wrong}"));
    check("a line stands twice", &[a, b, b, c, d], &format!("line 3 (record 2): {wrong}"));
    check("an empty line", &[a, b, b"\n", c, d, e], &format!("line 3 (record 2): {wrong}"));
    check("zeros in the middle", &[a, &[0; 300], c, d, e], &format!("line 2 (record 1): {wrong}"));
    check(
        "a lost newline",
        &[a, b, c, d.strip_suffix(b"\n").unwrap(), e],
        "line 4 (record 3): another record follows on the same line",
    );
}

#[test]
fn a_line_longer_than_any_record_is_damage_and_costs_no_memory() {
    let (scratch, bytes, _) = whole();
    let check = |extra: usize, what: &str| {
        let mut long = bytes.clone();
        long.resize(bytes.len() + extra, b'x');
        scratch.put_bytes(&long);
        let error = scratch.read(None).unwrap_err();
        assert!(error.ends_with(what), "{extra}: {error}");
    };
    check(limits::RECORD_LINE_BYTES_MAX + 1, "it is longer than any record");
    check(10 * limits::RECORD_LINE_BYTES_MAX, "its checksum is wrong, and it is not the last");

    let file = std::fs::OpenOptions::new().write(true).open(scratch.folder.journal(&run()));
    file.unwrap().set_len(limits::JOURNAL_BYTES_MAX + 1).unwrap();
    assert!(scratch.read(None).unwrap_err().contains("at most 1073741824 are read"));
}

#[test]
fn an_empty_journal_is_whole_and_a_missing_one_an_error() {
    let scratch = Scratch::with_journal(0);
    assert_eq!(scratch.read(None), Ok(Journal { records: Vec::new(), tail: Tail::Whole }));
    assert!(scratch.read(Some(0)).unwrap_err().contains("state.json has seen it"));
    let other = RunId::new("run-2").unwrap();
    let error = read::<Event>(&scratch.folder, &other, None).unwrap_err();
    assert_eq!(scratch.shown(&error), "[]/journal/run-2.jsonl does not exist");
}

#[test]
fn a_pipe_or_a_link_in_place_of_the_journal_is_refused_at_once() {
    let scratch = Scratch::new();
    let path = scratch.folder.journal(&run());
    let (pipe, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, &path, pipe, mode, 0).unwrap();
    assert_eq!(scratch.read(None).unwrap_err(), "[]/journal/run-1.jsonl is a pipe, not a file");
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
    let error = scratch.read(None).unwrap_err();
    assert_eq!(error, "[]/journal/run-1.jsonl is a symbolic link, not a file");
}
