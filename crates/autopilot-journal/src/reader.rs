//! Reads a whole journal. Whoever only looks (status, reports) uses this; whoever goes on with the run uses `resume`.

use std::fs::OpenOptions;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::JournalError;
use crate::folder::Folder;
use crate::record::Record;
use crate::run_id::RunId;
use crate::scan::{self, scan};
use crate::tail;
pub use crate::tail::Tail;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal<E> {
    pub records: Vec<Record<E>>,
    pub tail: Tail,
}

/// All records of a run. `acknowledged` comes from `Folder::acknowledged`, asked before this is called: a run that goes on
/// meanwhile writes the journal first, so the journal is never behind.
pub fn read<E: DeserializeOwned>(
    folder: &Folder,
    run: &RunId,
    acknowledged: Option<u64>,
) -> Result<Journal<E>, JournalError> {
    read_at(&folder.journal(run), run, acknowledged)
}

/// All records of a run that was archived. Its state.json went with it and acknowledges nothing any more.
pub fn read_archived<E: DeserializeOwned>(
    folder: &Folder,
    run: &RunId,
) -> Result<Journal<E>, JournalError> {
    read_at(&folder.archived_journal(run), run, None)
}

/// All records of a journal that lies anywhere. `run` is the one it says it is of: its chain begins with that name.
pub fn read_file<E: DeserializeOwned>(
    path: &Path,
    run: &RunId,
) -> Result<Journal<E>, JournalError> {
    read_at(path, run, None)
}

fn read_at<E: DeserializeOwned>(
    path: &Path,
    run: &RunId,
    acknowledged: Option<u64>,
) -> Result<Journal<E>, JournalError> {
    let file = scan::open(path, OpenOptions::new().read(true))?;
    let mut records = Vec::new();
    let scanned = scan(&file, path, run, |record| records.push(record))?;
    let tail = tail::judge(&file, path, &scanned, acknowledged)?;
    Ok(Journal { records, tail })
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
