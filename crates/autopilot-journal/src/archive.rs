//! Puts a finished run away: its journal and its state.json go to `archive/`. Doing it twice, or again after a kill halfway,
//! ends the same. Also takes one out again.

use std::fs;
use std::path::Path;

use crate::durable;
use crate::error::JournalError;
use crate::folder::{self, Folder};
use crate::lock::Lock;
use crate::projection;
use crate::run_id::RunId;

/// The projections go first: a state.json without its journal would be imported as somebody else's, a journal without
/// state.json lacks nothing.
pub fn archive(folder: &Folder, lock: &Lock, run: &RunId) -> Result<(), JournalError> {
    lock.must_be_of(folder);
    let (journal, archived) = (folder.journal(run), folder.archived_journal(run));
    if exists(&journal) && exists(&archived) {
        return Err(JournalError::Exists { path: archived });
    }
    if !exists(&journal) && !exists(&archived) {
        return Err(JournalError::Absent { path: journal });
    }
    let projections =
        [(folder.state_backup(), "state.json.backup"), (folder.state(), "state.json")];
    for (projection, name) in projections {
        if is_of(&projection, run)? {
            // One that an earlier, unfinished archiving left there is the older picture of the same run.
            durable::rename(&projection, &folder.archive().join(format!("{run}.{name}")))?;
        }
    }
    if exists(&journal) && !durable::rename_new(&journal, &archived)? {
        return Err(JournalError::Exists { path: archived });
    }
    Ok(())
}

/// Takes a run out of the archive, so that more can be written into its journal. Whoever puts it away again ends as if it had never
/// been out.
pub fn reopen(folder: &Folder, lock: &Lock, run: &RunId) -> Result<(), JournalError> {
    lock.must_be_of(folder);
    let (journal, archived) = (folder.journal(run), folder.archived_journal(run));
    if exists(&journal) {
        return Ok(());
    }
    if !exists(&archived) {
        return Err(JournalError::Absent { path: archived });
    }
    match durable::rename_new(&archived, &journal)? {
        true => Ok(()),
        false => Err(JournalError::Exists { path: journal }),
    }
}

/// The archived runs, sorted by id.
pub fn archived(folder: &Folder) -> Result<Vec<RunId>, JournalError> {
    folder::runs_in(&folder.archive())
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// A file that cannot be read belongs to nobody and stays where it is.
fn is_of(projection: &Path, run: &RunId) -> Result<bool, JournalError> {
    Ok(match projection::read_one(projection)? {
        Some(Ok((state, _))) => projection::run_in(&state) == Some(run.as_str()),
        Some(Err(_)) | None => false,
    })
}

#[cfg(test)]
#[path = "archive_tests.rs"]
mod tests;
