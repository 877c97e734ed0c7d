//! Goes on with a run: reads its journal, cuts a torn end and keeps it aside, and gives a writer that continues behind the last
//! whole record.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::durable;
use crate::error::JournalError;
use crate::fault;
use crate::folder::Folder;
use crate::lock::Lock;
use crate::reader::Journal;
use crate::record::Record;
use crate::run_id::RunId;
use crate::scan::{self, Scanned, scan};
use crate::set_aside::copy_aside;
use crate::tail::{self, Tail};
use crate::writer::Writer;

/// `acknowledged` comes from `Folder::acknowledged`. Records that were written but not confirmed to the killed process are
/// there too if they are whole. `tail` tells what was cut.
pub fn resume<E: DeserializeOwned>(
    folder: &Folder,
    lock: &Lock,
    run: &RunId,
    acknowledged: Option<u64>,
) -> Result<(Journal<E>, Writer), JournalError> {
    let mut records = Vec::new();
    let (tail, writer) =
        resume_each(folder, lock, run, acknowledged, |record| records.push(record))?;
    Ok((Journal { records, tail }, writer))
}

/// The same with each record handed over as it is read, so that a long journal need not be held in memory. What was made of them
/// counts only when this returns `Ok`.
pub fn resume_each<E: DeserializeOwned>(
    folder: &Folder,
    lock: &Lock,
    run: &RunId,
    acknowledged: Option<u64>,
    each: impl FnMut(Record<E>),
) -> Result<(Tail, Writer), JournalError> {
    lock.must_be_of(folder);
    let path = folder.journal(run);
    let file = scan::open(&path, OpenOptions::new().read(true).append(true))?;
    let scanned = scan(&file, &path, run, each)?;
    let tail = tail::judge(&file, &path, &scanned, acknowledged)?;
    match tail {
        Tail::Whole => {}
        Tail::Torn { .. } => cut(folder, &file, &path, run, &scanned)?,
    }
    // Read does not mean durable: the killed process may have written the last records, or made the file, without syncing,
    // and what is decided next is decided on them.
    let synced = fault::point("journal.sync.before")
        .and_then(|()| file.sync_all())
        .and_then(|()| fault::point("journal.sync.after"));
    synced.map_err(JournalError::io("sync", &path))?;
    durable::sync_parent(&path)?;
    let writer = Writer::continued(file, path, scanned.chain, scanned.whole_bytes, lock);
    Ok((tail, writer))
}

/// The bytes are safe in `damaged/` before they go from the journal.
fn cut(
    folder: &Folder,
    mut file: &File,
    path: &Path,
    run: &RunId,
    scanned: &Scanned,
) -> Result<(), JournalError> {
    let start = SeekFrom::Start(scanned.whole_bytes);
    file.seek(start).map_err(JournalError::io("read", path))?;
    let torn: io::Take<&File> = file.take(scanned.bytes - scanned.whole_bytes);
    copy_aside(folder, torn, &format!("{run}-{}.tail", scanned.chain.next()))?;
    let cut = fault::point("journal.cut.before")
        .and_then(|()| file.set_len(scanned.whole_bytes))
        .and_then(|()| fault::point("journal.cut.after"));
    cut.map_err(JournalError::io("cut the torn end of", path))
}

#[cfg(test)]
#[path = "resume_tests.rs"]
mod tests;
