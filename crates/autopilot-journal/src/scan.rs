//! Goes through a journal line by line, as far as the lines are whole, in bounded memory. What the first line at fault means is
//! judged elsewhere: `tail` for a run, `repair` for a person.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use autopilot_core::limits;
use serde::de::DeserializeOwned;

use crate::durable;
use crate::error::JournalError;
use crate::record::{Chain, Fault, Record};
use crate::run_id::RunId;

/// Few reads for a large journal, little memory for many small ones.
const BUFFER_BYTES: usize = 128 * 1024;

/// How far the whole lines go.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) chain: Chain,
    pub(crate) whole_bytes: u64,
    /// The length of the file when it was opened; what another process added since is not looked at.
    pub(crate) bytes: u64,
    pub(crate) fault: Option<Fault>,
}

impl Scanned {
    /// The line behind the last whole one. A record is a line, so it follows from the number.
    pub(crate) fn line(&self) -> u64 {
        self.chain.next() + 1
    }
}

pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> Result<File, JournalError> {
    let file = durable::open(path, options)?;
    file.ok_or_else(|| JournalError::Absent { path: path.to_path_buf() })
}

/// Hands each record of an open journal to `each`.
pub(crate) fn scan<E: DeserializeOwned>(
    mut file: &File,
    path: &Path,
    run: &RunId,
    mut each: impl FnMut(Record<E>),
) -> Result<Scanned, JournalError> {
    let bytes = file.metadata().map_err(JournalError::io("look at", path))?.len();
    if bytes > limits::JOURNAL_BYTES_MAX {
        let (path, bytes_max) = (path.to_path_buf(), limits::JOURNAL_BYTES_MAX);
        return Err(JournalError::TooLarge { path, bytes, bytes_max });
    }
    file.seek(SeekFrom::Start(0)).map_err(JournalError::io("read", path))?;
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, file.take(bytes));
    let mut scanned = Scanned { chain: Chain::start(run), whole_bytes: 0, bytes, fault: None };
    let mut line = Vec::new();
    while read_line(&mut reader, &mut line).map_err(JournalError::io("read", path))? {
        let Some(whole) = line.strip_suffix(b"\n") else {
            scanned.fault = Some(Fault::Checksum);
            break;
        };
        match scanned.chain.decode(whole) {
            Ok(record) => each(record),
            Err(fault) => {
                scanned.fault = Some(fault);
                break;
            }
        }
        scanned.whole_bytes += line.len() as u64;
    }
    Ok(scanned)
}

/// The next line with its newline, or as much of it as a record can have; `false` at the end.
pub(crate) fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let bytes_max = limits::RECORD_LINE_BYTES_MAX as u64 + 1;
    Ok(reader.take(bytes_max).read_until(b'\n', line)? > 0)
}

/// The error for a line at fault that is no torn end.
pub(crate) fn error_of(fault: &Fault, path: &Path, chain: &Chain) -> JournalError {
    let (path, line, seq) = (path.to_path_buf(), chain.next() + 1, chain.next());
    let damaged = |path, what| JournalError::Damaged { path, line, seq, what };
    match fault {
        Fault::Checksum => damaged(path, "its checksum is wrong, and it is not the last".into()),
        Fault::Shape => damaged(path, "its checksum is right, but it is no record".into()),
        Fault::Gap { found } => damaged(path, format!("it has the number {found}")),
        Fault::Version { found } => JournalError::Newer { path, line, version: *found },
        Fault::Event { why } => JournalError::UnknownEvent { path, line, seq, why: why.clone() },
    }
}
