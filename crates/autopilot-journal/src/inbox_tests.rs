//! Requests, and what else may lie where requests are expected.

use std::fs;
use std::os::unix::ffi::OsStrExt;

use serde::Deserialize;

use super::*;
use crate::scratch::Scratch;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Pause {
    reason: String,
}

fn pause(reason: &str) -> Pause {
    Pause { reason: reason.to_string() }
}

fn taken(scratch: &Scratch) -> Vec<Request<Pause>> {
    take(&scratch.folder, &scratch.lock()).unwrap()
}

#[test]
fn requests_are_taken_in_order_and_stay_until_they_are_removed() {
    let scratch = Scratch::new();
    put(&scratch.folder, "1763251234568-b", &pause("second")).unwrap();
    put(&scratch.folder, "1763251234567-a", &pause("first")).unwrap();
    let expected = [("1763251234567-a", "first"), ("1763251234568-b", "second")];
    let expected =
        expected.map(|(name, why)| Request { name: name.to_string(), content: Ok(pause(why)) });
    assert_eq!(taken(&scratch), expected);
    assert_eq!(taken(&scratch), expected);
    for _ in 0..2 {
        remove(&scratch.folder, &scratch.lock(), "1763251234567-a").unwrap();
        assert_eq!(taken(&scratch), expected[1..]);
    }
}

#[test]
fn a_request_is_never_replaced_and_its_name_is_no_path() {
    let scratch = Scratch::new();
    put(&scratch.folder, "1-a", &pause("first")).unwrap();
    let refused = put(&scratch.folder, "1-a", &pause("second"));
    assert!(matches!(refused, Err(JournalError::Exists { .. })), "{refused:?}");
    assert_eq!(taken(&scratch)[0].content, Ok(pause("first")));
    for name in ["../state", "", ".x"] {
        let refused = put(&scratch.folder, name, &pause(""));
        assert!(matches!(refused, Err(JournalError::BadName { .. })), "{name}");
        let refused = remove(&scratch.folder, &scratch.lock(), name);
        assert!(matches!(refused, Err(JournalError::BadName { .. })), "{name}");
    }
    let long = "x".repeat(limits::RECORD_PAYLOAD_BYTES_MAX);
    let refused = put(&scratch.folder, "2-b", &pause(&long));
    assert!(matches!(refused, Err(JournalError::BadEvent { .. })), "{refused:?}");
}

/// Each is reported once, moved away, and keeps no request from being taken.
#[test]
fn what_is_no_request_is_moved_away() {
    let scratch = Scratch::new();
    put(&scratch.folder, "5", &pause("real")).unwrap();
    let inbox = scratch.folder.inbox();
    let (pipe, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, inbox.join("1-pipe.json"), pipe, mode, 0).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", inbox.join("2-link.json")).unwrap();
    fs::create_dir(inbox.join("3-folder.json")).unwrap();
    fs::write(inbox.join("3-folder.json/inside"), "x").unwrap();
    fs::File::create(inbox.join("4-huge.json")).unwrap().set_len(1 << 40).unwrap();
    fs::write(inbox.join("6-garbage.json"), "{\"reason\":").unwrap();
    fs::write(inbox.join("7-other.json"), "{\"wish\":1}").unwrap();
    fs::write(inbox.join("8-name.txt"), "{\"reason\":\"x\"}").unwrap();
    fs::write(inbox.join(OsStr::from_bytes(b"9-\xff\n.json")), "{\"reason\":\"x\"}").unwrap();
    fs::write(inbox.join(".unfinished.json.new"), "{\"rea").unwrap();

    let first = taken(&scratch);
    let (good, broken): (Vec<_>, Vec<_>) =
        first.into_iter().partition(|request| request.content.is_ok());
    assert_eq!(good, [Request { name: "5".to_string(), content: Ok(pause("real")) }]);
    let what: Vec<String> =
        broken.iter().map(|request| request.content.as_ref().unwrap_err().what.clone()).collect();
    let parts = [
        "a pipe",
        "a symbolic link",
        "a folder",
        "bytes; at most",
        "EOF",
        "missing field",
        "name",
        "name",
    ];
    assert_eq!(what.len(), parts.len(), "{what:#?}");
    for (what, part) in what.iter().zip(parts) {
        assert!(what.contains(part), "{what} / {part}");
    }
    assert_eq!(fs::read_dir(scratch.folder.damaged()).unwrap().count(), parts.len());
    assert_eq!(taken(&scratch), good);
}

#[test]
fn a_flood_is_taken_in_portions() {
    let scratch = Scratch::new();
    for number in 0..limits::REQUESTS_MAX + 20 {
        fs::write(scratch.folder.inbox().join(format!("{number:04}.json")), "{\"reason\":\"\"}")
            .unwrap();
    }
    let first = taken(&scratch);
    assert_eq!(first.len(), limits::REQUESTS_MAX);
    for request in first {
        remove(&scratch.folder, &scratch.lock(), &request.name).unwrap();
    }
    assert_eq!(taken(&scratch).len(), 20);
}
