//! Holds the format against a golden file, and the bounds and refusals of single lines.

use super::*;
use crate::scratch::{Event, Scratch, run};
use crate::{Tail, Writer};

const GOLDEN: &[u8] = include_bytes!("../tests/golden/run-1.jsonl");

fn golden_records() -> Vec<Record<Event>> {
    let events = [
        Event::Started { selection: vec!["3".into(), "2.1".into()] },
        Event::Said { text: "two\nlines, \"quoted\", ü, \u{0}".into() },
        Event::Said { text: String::new() },
    ];
    let record = |(seq, event)| Record { seq, at: 1_763_251_234_567 + seq * 1000, event };
    (0..).zip(events).map(record).collect()
}

/// A line made by the rule as it is written down, with any beginning.
fn line(link: &str, body: &str) -> String {
    let digits = hex(&Sha256::digest(format!("{link}{body}")));
    format!("{body},\"hash\":\"{}\"}}\n", String::from_utf8_lossy(&digits))
}

#[test]
fn a_journal_is_written_byte_for_byte_like_the_golden_file() {
    let scratch = Scratch::new();
    let mut writer = Writer::create(&scratch.folder, &scratch.lock(), &run()).unwrap();
    for record in golden_records() {
        assert_eq!(writer.append(record.at, &[record.event]).unwrap(), record.seq..record.seq + 1);
    }
    assert_eq!(String::from_utf8_lossy(&scratch.bytes()), String::from_utf8_lossy(GOLDEN));
}

#[test]
fn the_golden_file_is_read_back() {
    let scratch = Scratch::new();
    scratch.put_bytes(GOLDEN);
    let journal = scratch.read(Some(2)).unwrap();
    assert_eq!(journal.records, golden_records());
    assert_eq!(journal.tail, Tail::Whole);
}

#[test]
fn the_hash_can_be_made_from_the_line_alone() {
    let mut link = "autopilot journal of run run-1".to_string();
    for whole in std::str::from_utf8(GOLDEN).unwrap().lines() {
        let (body, hash) = whole.split_once(",\"hash\":").unwrap();
        assert_eq!(line(&link, body), format!("{whole}\n"));
        link = hash.trim_matches(['"', '}']).to_string();
    }
}

#[test]
fn whole_lines_of_others_are_told_from_damage() {
    let check = |run: &str, body: &str, expected: &str| {
        let scratch = Scratch::new();
        scratch.put_bytes(line(&format!("{GENESIS}{run}"), body).as_bytes());
        let error = scratch.read(None).unwrap_err();
        assert_eq!(error.replace("[]/journal/run-1.jsonl line 1", "*"), expected);
    };
    let said = r#""event":{"event":"said","text":""}"#;
    check(
        "run-1",
        r#"{"v":2,"number":"0","what":{}"#,
        "* has version 2, which a newer autopilot wrote",
    );
    check(
        "run-1",
        &format!(r#"{{"v":1,"seq":7,"at":0,{said}"#),
        "* (record 0): it has the number 7",
    );
    check("run-1", r#"{"seq":0"#, "* (record 0): its checksum is right, but it is no record");
    let unknown = r#"{"v":1,"seq":0,"at":0,"event":{"event":"sung"}"#;
    check(
        "run-1",
        unknown,
        "* (record 0) is no event this autopilot knows: unknown variant `sung`, expected `started` or `said` at line 1 column 15",
    );
    // A record of another run has a wrong checksum here. With one line after it, it cannot be a torn end.
    let scratch = Scratch::new();
    let foreign = line(&format!("{GENESIS}run-2"), &format!(r#"{{"v":1,"seq":0,"at":0,{said}"#));
    scratch.put_bytes(format!("{foreign}{foreign}").as_bytes());
    let error = scratch.read(None).unwrap_err();
    assert!(error.contains("line 1 (record 0): its checksum is wrong"), "{error}");
}

#[test]
fn an_event_has_at_most_64_kib() {
    let mut chain = Chain::start(&run());
    let mut lines = Vec::new();
    let quotes = 2;
    let longest = "x".repeat(limits::RECORD_PAYLOAD_BYTES_MAX - quotes);
    chain.encode(u64::MAX, &longest, &mut lines).unwrap();
    assert!(lines.len() <= limits::RECORD_LINE_BYTES_MAX, "{}", lines.len());
    let error = chain.encode(0, &format!("{longest}x"), &mut lines).unwrap_err();
    assert_eq!(error.to_string(), "an event cannot be stored: it has more than 65536 bytes");
}

#[test]
fn a_line_with_the_largest_numbers_fits() {
    let mut chain = Chain { next: u64::MAX - 1, link: "0".repeat(64) };
    let mut lines = Vec::new();
    let longest = "x".repeat(limits::RECORD_PAYLOAD_BYTES_MAX - 2);
    chain.encode(u64::MAX, &longest, &mut lines).unwrap();
    assert!(lines.len() <= limits::RECORD_LINE_BYTES_MAX, "{}", lines.len());
}
