//! The folders of a slot's children beside the slot itself: one for what they throw away, emptied before and after, and one for
//! caches, which lives on and is the project's. They lie beside the slot, where nothing inside the fence can put a link in their
//! place.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use autopilot_core::limits;

use super::seed;
use crate::machine::Machine;

/// Gone when dropped, with all that is in it. Where one for the same place lives longer, only what is in it goes: to make a
/// folder anew between two agents may take as long as all else.
#[derive(Debug)]
pub(crate) struct Passing {
    folder: PathBuf,
    is_of_another: bool,
}

impl Passing {
    /// `<slot><ending>`: empty, whatever a killed attempt left there, and nobody else's to look into.
    pub(crate) fn beside(slot: &Path, ending: &str) -> io::Result<Passing> {
        let folder = Passing::place(slot, ending);
        if is_ready(&folder) {
            return Ok(Passing { folder, is_of_another: true });
        }
        Passing::anew(folder)
    }

    /// The one that lives longer.
    pub(crate) fn lasting(slot: &Path, ending: &str) -> io::Result<Passing> {
        Passing::anew(Passing::place(slot, ending))
    }

    fn anew(folder: PathBuf) -> io::Result<Passing> {
        remove(&folder)?;
        DirBuilder::new().recursive(true).mode(PRIVATE).create(&folder)?;
        Ok(Passing { folder, is_of_another: false })
    }

    pub(crate) fn place(slot: &Path, ending: &str) -> PathBuf {
        let mut name = slot.file_name().unwrap_or_default().to_os_string();
        name.push(ending);
        slot.with_file_name(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        // What is left is taken away before the next attempt.
        if !self.is_of_another || empty(&self.folder).is_err() {
            let _ = remove(&self.folder);
        }
    }
}

/// Nobody else's to look into.
const PRIVATE: u32 = 0o700;

/// Whether a folder is there as a new one would be.
fn is_ready(folder: &Path) -> bool {
    let is_private =
        |found: fs::Metadata| found.is_dir() && found.permissions().mode() & 0o7777 == PRIVATE;
    fs::symlink_metadata(folder).is_ok_and(is_private)
        && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

fn empty(folder: &Path) -> io::Result<()> {
    fs::read_dir(folder)?.try_for_each(|entry| remove(&entry?.path()))
}

/// Also what was made read-only, as Go does with its modules: without that a child could keep its folder for good.
pub(crate) fn remove(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return fs::remove_file(folder),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    if fs::remove_dir_all(folder).is_ok() {
        return Ok(());
    }
    let mut entries_max = limits::OWN_FOLDER_ENTRIES_MAX;
    open_up(folder, &mut entries_max)?;
    fs::remove_dir_all(folder)
}

fn open_up(folder: &Path, entries_max: &mut usize) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if *entries_max == 0 {
            return Err(io::Error::other("too many files to clear away"));
        }
        *entries_max -= 1;
        // The entry itself: a link to a folder is no folder.
        if entry.file_type()?.is_dir() {
            open_up(&entry.path(), entries_max)?;
        }
    }
    Ok(())
}

/// A cache folder of the project, made when it is not there. What lies in it was written by children: nothing of ours is ever
/// written into it again.
pub(crate) fn make_cache(machine: &Machine, project: &Path, folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => return Err(io::Error::other(format!("{} is no folder", folder.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // Whole or not at all: a kill in between leaves something that is made anew.
    let unfinished = Passing::beside(folder, ".new")?;
    seed::fill(machine, project, unfinished.folder())?;
    fs::rename(unfinished.folder(), folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_attempt_left_is_gone_for_the_next_and_afterwards() {
        let around = tempfile::tempdir().unwrap();
        let slot = around.path().join("slot-1");
        let first = Passing::beside(&slot, ".tmp").unwrap();
        let locked = first.folder().join("deep/locked");
        fs::create_dir_all(&locked).unwrap();
        fs::write(locked.join("file"), "").unwrap();
        std::os::unix::fs::symlink("/", first.folder().join("link")).unwrap();
        fs::set_permissions(&locked, Permissions::from_mode(0o000)).unwrap();
        fs::set_permissions(locked.parent().unwrap(), Permissions::from_mode(0o500)).unwrap();
        std::mem::forget(first);
        let second = Passing::beside(&slot, ".tmp").unwrap();
        assert_eq!(fs::read_dir(second.folder()).unwrap().count(), 0);
        assert_eq!(fs::metadata(second.folder()).unwrap().permissions().mode() & 0o777, 0o700);
        drop(second);
        assert_eq!(fs::read_dir(around.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_of_one_that_lives_longer_is_only_emptied() {
        let around = tempfile::tempdir().unwrap();
        let slot = around.path().join("slot-1");
        let lasting = Passing::lasting(&slot, ".tmp").unwrap();
        let number = || {
            use std::os::unix::fs::MetadataExt;
            fs::metadata(around.path().join("slot-1.tmp")).unwrap().ino()
        };
        let made = number();
        let attempt = || {
            let passing = Passing::beside(&slot, ".tmp").unwrap();
            assert_eq!(fs::read_dir(passing.folder()).unwrap().count(), 0);
            fs::create_dir_all(passing.folder().join("deep/er")).unwrap();
            fs::write(passing.folder().join("file"), "").unwrap();
            passing
        };
        drop(attempt());
        assert_eq!(number(), made);
        let opened = attempt();
        fs::set_permissions(opened.folder(), Permissions::from_mode(0o777)).unwrap();
        drop(opened);
        let closed = attempt();
        assert_eq!(fs::metadata(closed.folder()).unwrap().permissions().mode() & 0o777, 0o700);
        drop(closed);
        drop(lasting);
        assert_eq!(fs::read_dir(around.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_link_in_the_place_of_the_folder_is_taken_away_and_not_followed() {
        let around = tempfile::tempdir().unwrap();
        let (slot, other) = (around.path().join("slot-1"), around.path().join("other"));
        fs::create_dir(&other).unwrap();
        fs::write(other.join("file"), "kept").unwrap();
        std::os::unix::fs::symlink(&other, around.path().join("slot-1.tmp")).unwrap();
        let passing = Passing::beside(&slot, ".tmp").unwrap();
        assert!(fs::symlink_metadata(passing.folder()).unwrap().is_dir());
        assert_eq!(fs::read_to_string(other.join("file")).unwrap(), "kept");
        let cache = around.path().join("cache");
        std::os::unix::fs::symlink(&other, &cache).unwrap();
        let machine = Machine::with_variables([("HOME", "/nowhere")]);
        assert!(make_cache(&machine, around.path(), &cache).is_err());
    }
}
