//! Puts what cannot be used into `damaged/`, under a name nothing has yet. Nothing is ever overwritten or deleted there.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use autopilot_core::limits;

use crate::durable;
use crate::error::JournalError;
use crate::fault;
use crate::folder::Folder;

/// Moves whatever is at `path`, be it a file, a link or a pipe.
pub(crate) fn move_aside(
    folder: &Folder,
    path: &Path,
    name: &str,
) -> Result<PathBuf, JournalError> {
    numbered(folder, name, |free| durable::rename_new(path, free))
}

/// Copies what `content` still has to give, synced.
pub(crate) fn copy_aside(
    folder: &Folder,
    mut content: impl io::Read,
    name: &str,
) -> Result<PathBuf, JournalError> {
    let new = durable::unfinished(&folder.damaged().join(name));
    let mut file: File = durable::create_unfinished(&new)?;
    let copied = fault::point("file.write.before")
        .and_then(|()| io::copy(&mut content, &mut file))
        .and_then(|_| fault::point("file.write.after"));
    copied.map_err(JournalError::io("write", &new))?;
    durable::sync_new(&file, &new)?;
    numbered(folder, name, |free| durable::rename_new(&new, free))
}

/// Moves it into the archive: nothing is wrong with it.
pub(crate) fn move_to_archive(
    folder: &Folder,
    path: &Path,
    name: &str,
) -> Result<PathBuf, JournalError> {
    numbered_in(&folder.archive(), name, |free| durable::rename_new(path, free))
}

fn numbered(
    folder: &Folder,
    name: &str,
    put: impl FnMut(&Path) -> Result<bool, JournalError>,
) -> Result<PathBuf, JournalError> {
    numbered_in(&folder.damaged(), name, put)
}

/// `name`, `name.2`, `name.3` and so on, until one is free.
fn numbered_in(
    place: &Path,
    name: &str,
    mut put: impl FnMut(&Path) -> Result<bool, JournalError>,
) -> Result<PathBuf, JournalError> {
    for number in 1..=limits::SET_ASIDE_MAX {
        let name = if number == 1 { name.to_string() } else { format!("{name}.{number}") };
        let path = place.join(name);
        if put(&path)? {
            return Ok(path);
        }
    }
    Err(JournalError::Exists { path: place.join(name) })
}
