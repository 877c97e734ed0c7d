//! The ledger outlives runs and mishaps.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;

use super::*;
use crate::scratch::Scratch;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Outcomes {
    phases: BTreeMap<String, String>,
}

fn outcomes(word: &str) -> Outcomes {
    Outcomes { phases: BTreeMap::from([("2.1".to_string(), word.to_string())]) }
}

fn read(scratch: &Scratch) -> LedgerFile<Outcomes> {
    scratch.folder.read_ledger().unwrap()
}

#[test]
fn what_was_written_is_read_back_with_its_version() {
    let scratch = Scratch::new();
    assert_eq!(read(&scratch), LedgerFile::Absent);
    scratch.folder.write_ledger(&scratch.lock(), &outcomes("completed")).unwrap();
    let ledger = outcomes("completed");
    assert_eq!(read(&scratch), LedgerFile::Read { ledger, origin: Origin::File });
    let golden = include_str!("../tests/golden/ledger.json");
    assert_eq!(fs::read_to_string(scratch.folder.ledger()).unwrap(), golden);
}

#[test]
fn a_broken_ledger_is_kept_aside_and_its_backup_serves() {
    for broken in ["", "{", "[]", "{\"phases\":{}}", "{\"version\":1,\"phases\":[]}"] {
        let scratch = Scratch::new();
        let lock = scratch.lock();
        scratch.folder.write_ledger(&lock, &outcomes("first")).unwrap();
        scratch.folder.write_ledger(&lock, &outcomes("second")).unwrap();
        fs::write(scratch.folder.ledger(), broken).unwrap();
        let LedgerFile::Read { ledger, origin: Origin::Backup { file: Some(told) } } =
            read(&scratch)
        else {
            panic!("not told: {broken}");
        };
        assert_eq!((ledger, told.path), (outcomes("first"), scratch.folder.ledger()));

        let told = scratch.folder.write_ledger(&lock, &outcomes("third")).unwrap().unwrap();
        assert_eq!(fs::read_to_string(told.moved_to.unwrap()).unwrap(), broken);
        let ledger = outcomes("third");
        assert_eq!(read(&scratch), LedgerFile::Read { ledger, origin: Origin::File });
        fs::remove_file(scratch.folder.ledger()).unwrap();
        let (ledger, origin) = (outcomes("first"), Origin::Backup { file: None });
        assert_eq!(read(&scratch), LedgerFile::Read { ledger, origin }, "the backup was not lost");
    }
}

#[test]
fn a_ledger_of_a_newer_autopilot_is_neither_read_nor_replaced() {
    let scratch = Scratch::new();
    let newer = "{\"version\": 2, \"stages\": {}}";
    fs::write(scratch.folder.ledger(), newer).unwrap();
    let refused = scratch.folder.read_ledger::<Outcomes>();
    assert!(matches!(refused, Err(JournalError::Newer { version: 2, .. })));
    let refused = scratch.folder.write_ledger(&scratch.lock(), &outcomes("x"));
    assert!(matches!(refused, Err(JournalError::Newer { version: 2, .. })));
    assert_eq!(fs::read_to_string(scratch.folder.ledger()).unwrap(), newer);
}
