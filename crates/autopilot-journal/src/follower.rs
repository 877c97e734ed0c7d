//! Reads a journal while another process writes it, for `logs -f` and `status --watch`. A line that is not finished yet is
//! no fault; it comes with a later look.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use autopilot_core::limits;
use serde::de::DeserializeOwned;

use crate::durable;
use crate::error::JournalError;
use crate::folder::Folder;
use crate::record::{Chain, Fault, Record};
use crate::run_id::RunId;
use crate::scan::{error_of, read_line};

#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    /// Opened once: a journal that is archived meanwhile is read to its end.
    file: Option<File>,
    chain: Chain,
    /// Where the next line begins. Nothing behind it is kept, for a resume may cut it and write it anew.
    whole_bytes: u64,
}

impl Follower {
    /// From the first record on. The journal need not exist yet.
    pub fn new(folder: &Folder, run: &RunId) -> Follower {
        let (path, chain) = (folder.journal(run), Chain::start(run));
        Follower { path, file: None, chain, whole_bytes: 0 }
    }

    /// What was finished since the last look, at most `limits::FOLLOW_RECORDS_MAX` records.
    pub fn poll<E: DeserializeOwned>(&mut self) -> Result<Vec<Record<E>>, JournalError> {
        if self.file.is_none() {
            self.file = durable::open(&self.path, OpenOptions::new().read(true))?;
        }
        let Some(mut file) = self.file.as_ref() else {
            return Ok(Vec::new());
        };
        let failed = |error| JournalError::io("read", &self.path)(error);
        let bytes = file.metadata().map_err(failed)?.len();
        if bytes <= self.whole_bytes {
            return self.nothing_new(bytes);
        }
        file.seek(SeekFrom::Start(self.whole_bytes)).map_err(failed)?;
        let mut reader = BufReader::new(file.take(bytes - self.whole_bytes));
        let (mut records, mut line) = (Vec::new(), Vec::new());
        while records.len() < limits::FOLLOW_RECORDS_MAX
            && read_line(&mut reader, &mut line).map_err(failed)?
        {
            let Some(whole) = line.strip_suffix(b"\n") else {
                break;
            };
            let end = self.whole_bytes + line.len() as u64;
            match self.chain.decode(whole) {
                Ok(record) => records.push(record),
                // As the last line it may be the torn end of a killed run, which the next resume cuts.
                Err(Fault::Checksum) if end == bytes => break,
                // What was read before it is handed over first; the fault is still there at the next look.
                Err(_) if !records.is_empty() => break,
                Err(fault) => return Err(error_of(&fault, &self.path, &self.chain)),
            }
            self.whole_bytes = end;
        }
        Ok(records)
    }

    fn nothing_new<E>(&self, bytes: u64) -> Result<Vec<Record<E>>, JournalError> {
        if bytes == self.whole_bytes {
            return Ok(Vec::new());
        }
        Err(JournalError::Damaged {
            path: self.path.clone(),
            line: self.chain.next(),
            seq: self.chain.next().saturating_sub(1),
            what: "it was there before and is gone".to_string(),
        })
    }
}

#[cfg(test)]
#[path = "follower_tests.rs"]
mod tests;
