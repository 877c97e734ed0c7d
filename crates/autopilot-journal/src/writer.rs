//! Adds records to a journal: all of one call in one write and one sync, durable when the call returns. After a failure it
//! never writes again (invariant 12).

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use autopilot_core::limits;
use serde::Serialize;

use crate::durable;
use crate::error::JournalError;
use crate::fault;
use crate::folder::Folder;
use crate::lock::Lock;
use crate::record::Chain;
use crate::run_id::RunId;

#[derive(Debug)]
pub struct Writer {
    file: File,
    path: PathBuf,
    chain: Chain,
    /// How long the file is.
    bytes: u64,
    /// Kept from call to call, so that an append allocates nothing.
    lines: Vec<u8>,
    is_poisoned: bool,
    /// Held as long as this writes.
    _lock: Lock,
}

impl Writer {
    /// Starts the journal of a new run.
    pub fn create(folder: &Folder, lock: &Lock, run: &RunId) -> Result<Writer, JournalError> {
        lock.must_be_of(folder);
        let path = folder.journal(run);
        let created = fault::point("journal.create.before")
            .and_then(|()| OpenOptions::new().append(true).create_new(true).open(&path));
        let file = match created {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(JournalError::Exists { path });
            }
            Err(error) => return Err(JournalError::io("create", &path)(error)),
        };
        fault::point("journal.create.after").map_err(JournalError::io("create", &path))?;
        durable::sync_parent(&path)?;
        Ok(Writer::continued(file, path, Chain::start(run), 0, lock))
    }

    /// Goes on behind the last whole record; the file is open for appending and ends there.
    pub(crate) fn continued(
        file: File,
        path: PathBuf,
        chain: Chain,
        bytes: u64,
        lock: &Lock,
    ) -> Writer {
        let lines = Vec::new();
        Writer { file, path, chain, bytes, lines, is_poisoned: false, _lock: lock.clone() }
    }

    /// The number the next record gets.
    pub fn next_seq(&self) -> u64 {
        self.chain.next()
    }

    /// The hash of the last record that was written.
    pub fn head(&self) -> &str {
        self.chain.head()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the events down and gives back their numbers. When this returns `Ok` they are on disk; when it returns an error
    /// they may or may not be, and only a `resume` finds out. An event that cannot be stored at all (`BadEvent`) is the
    /// caller's bug; then nothing was written and the writer goes on.
    pub fn append<E: Serialize>(
        &mut self,
        at: u64,
        events: &[E],
    ) -> Result<Range<u64>, JournalError> {
        if self.is_poisoned {
            return Err(JournalError::Poisoned { path: self.path.clone() });
        }
        let first = self.chain.next();
        if events.is_empty() {
            return Ok(first..first);
        }
        let mut chain = self.chain.clone();
        self.lines.clear();
        for event in events {
            chain.encode(at, event, &mut self.lines)?;
            if self.lines.len() > limits::APPEND_BYTES_MAX {
                let why = format!("one append has more than {} bytes", limits::APPEND_BYTES_MAX);
                return Err(JournalError::BadEvent { why });
            }
        }
        let bytes = self.bytes + self.lines.len() as u64;
        if bytes > limits::JOURNAL_BYTES_MAX {
            return Err(JournalError::Full { path: self.path.clone(), bytes: self.bytes });
        }
        // A failed sync may have dropped pages that an earlier write left, and the next sync would not tell. So whatever
        // fails from here on, nothing more is written.
        self.is_poisoned = true;
        self.write_lines()?;
        self.is_poisoned = false;
        self.bytes = bytes;
        self.chain = chain;
        Ok(first..self.chain.next())
    }

    fn write_lines(&mut self) -> Result<(), JournalError> {
        let written = fault::point("journal.write.before")
            .and_then(|()| self.file.write_all(&self.lines))
            .and_then(|()| fault::point("journal.write.after"));
        written.map_err(JournalError::io("write to", &self.path))?;
        let synced = fault::point("journal.sync.before")
            .and_then(|()| self.file.sync_data())
            .and_then(|()| fault::point("journal.sync.after"));
        synced.map_err(JournalError::io("sync", &self.path))?;
        let metadata = self.file.metadata().map_err(JournalError::io("look at", &self.path))?;
        match metadata.nlink() {
            0 => Err(JournalError::Vanished { path: self.path.clone() }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
