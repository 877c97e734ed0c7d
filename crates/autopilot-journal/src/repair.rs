//! Mends a damaged journal when a person asks for it (`doctor --repair`): keeps the file whole in `damaged/` and goes on with
//! the longest run of whole records. No byte is lost.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use crate::durable;
use crate::error::JournalError;
use crate::fault;
use crate::folder::Folder;
use crate::lock::Lock;
use crate::projection;
use crate::record::Fault;
use crate::run_id::RunId;
use crate::scan::{self, Scanned, error_of, scan};
use crate::set_aside::{copy_aside, move_aside};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    pub records_kept: u64,
    /// Bytes that are no longer in the journal.
    pub bytes_cut: u64,
    /// The journal as it was, and the projections that had seen more than is left. Empty when nothing had to be done.
    pub set_aside: Vec<PathBuf>,
}

/// May be repeated, also after a kill halfway. A journal that a newer autopilot wrote is refused: it is not damaged.
pub fn repair(folder: &Folder, lock: &Lock, run: &RunId) -> Result<Repaired, JournalError> {
    lock.must_be_of(folder);
    let path = folder.journal(run);
    let file = scan::open(&path, OpenOptions::new().read(true))?;
    // What an event says is not looked at: one that is unknown here is no damage.
    let scanned = scan::<IgnoredAny>(&file, &path, run, |_| {})?;
    if let Some(fault @ Fault::Version { .. }) = &scanned.fault {
        return Err(error_of(fault, &path, &scanned.chain));
    }
    let mut set_aside = Vec::new();
    if scanned.fault.is_some() {
        set_aside.push(keep_whole(folder, &file, &path, run)?);
        keep_prefix(&file, &path, &scanned)?;
    }
    // The projections last: until they are gone, a kill leaves a journal that is still refused, not one that goes on short.
    let records_kept = scanned.chain.next();
    for projection in [folder.state(), folder.state_backup()] {
        let seen = projection::seq_in(&projection, run)?;
        if seen.is_some_and(|seen| seen >= records_kept) {
            let name = projection.file_name().unwrap_or_default().to_string_lossy();
            set_aside.push(move_aside(folder, &projection, &name)?);
        }
    }
    Ok(Repaired { records_kept, bytes_cut: scanned.bytes - scanned.whole_bytes, set_aside })
}

fn keep_whole(
    folder: &Folder,
    mut file: &File,
    path: &Path,
    run: &RunId,
) -> Result<PathBuf, JournalError> {
    file.seek(SeekFrom::Start(0)).map_err(JournalError::io("read", path))?;
    copy_aside(folder, file, &format!("{run}.jsonl"))
}

fn keep_prefix(mut file: &File, path: &Path, scanned: &Scanned) -> Result<(), JournalError> {
    file.seek(SeekFrom::Start(0)).map_err(JournalError::io("read", path))?;
    let new = durable::unfinished(path);
    let mut prefix = durable::create_unfinished(&new)?;
    let copied = fault::point("file.write.before")
        .and_then(|()| io::copy(&mut file.take(scanned.whole_bytes), &mut prefix))
        .and_then(|_| fault::point("file.write.after"));
    copied.map_err(JournalError::io("write", &new))?;
    durable::sync_new(&prefix, &new)?;
    durable::rename(&new, path)
}

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;
