//! Files that last: opened without waiting and without following links, replaced whole, synced together with their folder.
//! Where they lie is `folder`'s, what is in them the caller's.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::error::JournalError;
use crate::fault;

/// Replaces a file in one step: after a kill or a power cut at any instant the old or the new content is there, whole. The new
/// content is durable when this returns.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), JournalError> {
    let new = unfinished(path);
    write_new(&new, bytes)?;
    rename(&new, path)
}

/// Replaces a file in one step and makes the folders it lies in, without waiting for the disk: for what follows from a journal at any
/// time. A kill leaves the old or the new content; after a power cut the file may be missing or empty.
pub fn write_unsynced(path: &Path, bytes: &[u8]) -> Result<(), JournalError> {
    let new = unfinished(path);
    let folder = parent(path);
    fs::create_dir_all(folder).map_err(JournalError::io("create the folder", folder))?;
    let mut file = create_unfinished(&new)?;
    file.write_all(bytes).map_err(JournalError::io("write", &new))?;
    fs::rename(&new, path).map_err(JournalError::io("rename a file to", path))
}

/// As `write_atomically`, but a file that is there already stays and is an error.
pub(crate) fn create_atomically(path: &Path, bytes: &[u8]) -> Result<(), JournalError> {
    let new = unfinished(path);
    write_new(&new, bytes)?;
    if rename_new(&new, path)? {
        return Ok(());
    }
    let _ = fs::remove_file(&new);
    Err(JournalError::Exists { path: path.to_path_buf() })
}

/// As `write_atomically`, with what was there before kept under another name. The file is there at every instant, except on
/// file systems without hard links, where a reader may for an instant find only the backup.
pub(crate) fn replace_keeping(
    path: &Path,
    backup: &Path,
    bytes: &[u8],
) -> Result<(), JournalError> {
    let new = unfinished(path);
    write_new(&new, bytes)?;
    keep(path, backup).map_err(JournalError::io("keep a backup in", backup))?;
    rename(&new, path)
}

fn keep(path: &Path, backup: &Path) -> io::Result<()> {
    let linked = unfinished(backup);
    if let Err(error) = fs::remove_file(&linked)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    fault::point("backup.rename.before")?;
    match fs::hard_link(path, &linked) {
        Ok(()) => fs::rename(&linked, backup)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(_) => fs::rename(path, backup)?,
    }
    fault::point("backup.rename.after")
}

/// The name a file has while it is written; the next write of the same file replaces what a kill left there.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.new"))
}

/// Writes and syncs a file that nobody knows yet.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), JournalError> {
    let mut file = create_unfinished(path)?;
    let written = fault::point("file.write.before")
        .and_then(|()| file.write_all(bytes))
        .and_then(|()| fault::point("file.write.after"));
    written.map_err(JournalError::io("write", path))?;
    sync_new(&file, path)
}

pub(crate) fn create_unfinished(path: &Path) -> Result<File, JournalError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(JournalError::io("replace", path)(error));
        }
        Ok(()) | Err(_) => {}
    }
    // Exclusive creation follows no link and opens no pipe.
    let created = OpenOptions::new().write(true).create_new(true).open(path);
    created.map_err(JournalError::io("create", path))
}

pub(crate) fn sync_new(file: &File, path: &Path) -> Result<(), JournalError> {
    let synced = fault::point("file.sync.before")
        .and_then(|()| file.sync_all())
        .and_then(|()| fault::point("file.sync.after"));
    synced.map_err(JournalError::io("sync", path))
}

/// Renames over whatever has the name, and makes that last.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), JournalError> {
    let renamed = fault::point("file.rename.before")
        .and_then(|()| fs::rename(from, to))
        .and_then(|()| fault::point("file.rename.after"));
    renamed.map_err(JournalError::io("rename a file to", to))?;
    sync_folders(from, to)
}

/// Renames only if nothing has the name; `false` when something has.
pub(crate) fn rename_new(from: &Path, to: &Path) -> Result<bool, JournalError> {
    let failed = |error: io::Error| JournalError::io("rename a file to", to)(error);
    fault::point("file.rename.before").map_err(failed)?;
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => {}
        Err(Errno::EXIST) => return Ok(false),
        // Some file systems cannot do both in one step. Only we write here, so looking first is nearly as good.
        Err(Errno::INVAL | Errno::NOSYS) => {
            if fs::symlink_metadata(to).is_ok() {
                return Ok(false);
            }
            fs::rename(from, to).map_err(failed)?;
        }
        Err(error) => return Err(failed(error.into())),
    }
    fault::point("file.rename.after").map_err(failed)?;
    sync_folders(from, to)?;
    Ok(true)
}

fn sync_folders(from: &Path, to: &Path) -> Result<(), JournalError> {
    let (from, to) = (parent(from), parent(to));
    sync_folder(to)?;
    if from != to { sync_folder(from) } else { Ok(()) }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(crate) fn sync_parent(path: &Path) -> Result<(), JournalError> {
    sync_folder(parent(path))
}

/// Until its folder is synced, a power cut may undo that a file was created or renamed.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), JournalError> {
    let synced = fault::point("folder.sync.before")
        .and_then(|()| File::open(folder))
        .and_then(|opened| opened.sync_all())
        .and_then(|()| fault::point("folder.sync.after"));
    synced.map_err(JournalError::io("sync the folder", folder))
}

/// A regular file, opened without following a link and without waiting for the other end of a pipe; `None` if there is none.
pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> Result<Option<File>, JournalError> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let wrong =
        |found| Err(JournalError::WrongKind { path: path.to_path_buf(), found, wanted: "a file" });
    let file = match options.custom_flags(flags.bits().cast_signed()).open(path) {
        Ok(file) => file,
        Err(error) => {
            return match Errno::from_io_error(&error) {
                Some(Errno::NOENT | Errno::NOTDIR) => Ok(None),
                Some(Errno::LOOP) => wrong("a symbolic link"),
                Some(Errno::ISDIR) => wrong("a folder"),
                Some(Errno::NXIO) => wrong("a pipe, a socket or a device"),
                _ => Err(JournalError::io("open", path)(error)),
            };
        }
    };
    let kind = file.metadata().map_err(JournalError::io("look at", path))?.file_type();
    match kind_of(kind) {
        "a file" => Ok(Some(file)),
        other => wrong(other),
    }
}

pub(crate) fn kind_of(kind: fs::FileType) -> &'static str {
    match kind {
        kind if kind.is_file() => "a file",
        kind if kind.is_dir() => "a folder",
        kind if kind.is_symlink() => "a symbolic link",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

/// All of a file of at most so many bytes; `None` if there is none.
pub(crate) fn read(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>, JournalError> {
    let Some(file) = open(path, OpenOptions::new().read(true))? else {
        return Ok(None);
    };
    let too_large = |bytes| JournalError::TooLarge { path: path.to_path_buf(), bytes, bytes_max };
    let bytes = file.metadata().map_err(JournalError::io("look at", path))?.len();
    if bytes > bytes_max {
        return Err(too_large(bytes));
    }
    let mut content = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
    // The file may grow while it is read.
    let read = file.take(bytes_max + 1).read_to_end(&mut content);
    let bytes = read.map_err(JournalError::io("read", path))? as u64;
    if bytes > bytes_max { Err(too_large(bytes)) } else { Ok(Some(content)) }
}

/// Up to `limits::FOLDER_ENTRIES_MAX` names in a folder, sorted; none if it is not there.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<std::ffi::OsString>, JournalError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(JournalError::io("list", folder)(error)),
    };
    let entries = entries.take(autopilot_core::limits::FOLDER_ENTRIES_MAX).flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    Ok(names)
}
