//! One run a project at a time (STATE-5): a lock of the operating system on `.autopilot/lock`, which ends with its process
//! however that ends. What is written in the file is for messages and never decides; the file is never deleted, for two
//! processes could then lock two files of the same name.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use autopilot_core::limits;
use autopilot_core::problem::Problem;
use serde::{Deserialize, Serialize};

use crate::durable;
use crate::error::JournalError;
use crate::folder::Folder;

/// Who holds the lock, as it said when it started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
    pub command: String,
    /// Milliseconds since 1970.
    pub started_at: u64,
}

/// The right to write in `.autopilot/`. It ends when this and every `Writer` made with it are gone.
#[derive(Debug, Clone)]
pub struct Lock {
    held: Arc<Held>,
}

#[derive(Debug)]
struct Held {
    /// Locked as long as it is open.
    file: File,
    folder: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occupancy {
    Free,
    /// Without a holder when it has not said yet who it is.
    Held(Option<Holder>),
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("{}", held_by(.0.as_ref()))]
    Held(Option<Holder>),
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl Folder {
    pub fn lock(&self, holder: &Holder) -> Result<Lock, LockError> {
        let path = self.lock_file();
        let file = open(&path, OpenOptions::new().read(true).write(true).create(true))?;
        // Creation with `O_CREAT` gives a file or an error.
        let file = file.ok_or_else(|| JournalError::Absent { path: path.clone() })?;
        for _ in 0..limits::LOCK_TRIES_MAX {
            if try_lock(&file, &path)? {
                let lock =
                    Lock { held: Arc::new(Held { file, folder: self.path().to_path_buf() }) };
                lock.held.say(holder).map_err(JournalError::io("write", &path))?;
                return Ok(lock);
            }
            // Somebody holds it, or somebody only looks (`holder` below). Looking is shared, so it lets us look as well.
            if !try_lock_shared(&file, &path)? {
                return Err(LockError::Held(said_by_holder(&file)));
            }
            file.unlock().map_err(JournalError::io("unlock", &path))?;
            std::thread::sleep(limits::LOCK_PAUSE);
        }
        Err(LockError::Held(None))
    }

    /// Whether somebody is running, without getting in the way of one who starts: the look takes a shared lock for a moment,
    /// and `lock` tells a look from a holder and tries again. Within the instant between locking and writing the name, the
    /// holder is still unknown or the one before it is named.
    pub fn holder(&self) -> Result<Occupancy, JournalError> {
        let path = self.lock_file();
        let Some(file) = open(&path, OpenOptions::new().read(true))? else {
            return Ok(Occupancy::Free);
        };
        // Closing the file ends the shared lock.
        match try_lock_shared(&file, &path)? {
            true => Ok(Occupancy::Free),
            false => Ok(Occupancy::Held(said_by_holder(&file))),
        }
    }
}

impl Lock {
    /// A lock of another project allows nothing here: whoever passes it has mixed up two folders.
    pub(crate) fn must_be_of(&self, folder: &Folder) {
        assert_eq!(self.held.folder, folder.path(), "the lock must be that of the folder");
    }
}

impl Held {
    fn say(&self, holder: &Holder) -> std::io::Result<()> {
        let mut holder = holder.clone();
        holder.command = holder.command.chars().take(limits::LOCK_BYTES_MAX / 16).collect();
        holder.host = holder.host.chars().take(limits::LOCK_BYTES_MAX / 16).collect();
        let text = serde_json::to_vec(&holder)?;
        self.file.set_len(0)?;
        self.file.write_all_at(&text, 0)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // So that the next holder is not mistaken for this one; without it a message would be wrong for an instant.
        let _ = self.file.set_len(0);
        // Closing alone is not enough: a child that another thread is just starting has the file open until it executes its
        // program, and the lock would live on in it. If this fails, closing releases it that much later.
        let _ = self.file.unlock();
    }
}

fn open(path: &Path, options: &mut OpenOptions) -> Result<Option<File>, JournalError> {
    durable::open(path, options)
}

fn try_lock(file: &File, path: &Path) -> Result<bool, JournalError> {
    locked(file.try_lock(), path)
}

fn try_lock_shared(file: &File, path: &Path) -> Result<bool, JournalError> {
    locked(file.try_lock_shared(), path)
}

fn locked(tried: Result<(), TryLockError>, path: &Path) -> Result<bool, JournalError> {
    match tried {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(JournalError::io("lock", path)(error)),
    }
}

fn said_by_holder(file: &File) -> Option<Holder> {
    let mut text = Vec::new();
    file.take(limits::LOCK_BYTES_MAX as u64).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

fn held_by(holder: Option<&Holder>) -> String {
    match holder {
        Some(Holder { pid, host, command, .. }) => {
            format!("{command} is already running in this project, as process {pid} on {host}")
        }
        None => "another autopilot is already running in this project".to_string(),
    }
}

/// What goes on long enough to be watched, and takes a request to stop.
fn is_run(holder: &Holder) -> bool {
    let mut words = holder.command.split_whitespace();
    words.next() == Some("autopilot") && words.any(|word| matches!(word, "run" | "do" | "resume"))
}

impl LockError {
    pub fn problem(&self) -> Problem {
        match self {
            LockError::Held(holder) => Problem::usage(
                self.to_string(),
                "two at a time would write over each other's state and spend twice",
                match holder.as_ref().is_some_and(is_run) {
                    true => "watch it: autopilot attach. End it: autopilot stop",
                    false => "wait for it and watch it: autopilot status",
                },
            ),
            LockError::Journal(error) => error.problem(),
        }
    }
}

#[cfg(test)]
#[path = "lock_tests.rs"]
mod tests;
