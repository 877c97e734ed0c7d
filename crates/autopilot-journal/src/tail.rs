//! Decides what the end of a journal means (STATE-4): whole, torn by a kill or a power cut, or damaged.
//!
//! A torn end is the last line, cut or with wrong bytes or zeros in it, that nobody has counted on. Everything else is damage:
//! what state.json has seen was acknowledged, and so was every line that another one follows.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use autopilot_core::limits;

use crate::error::JournalError;
use crate::record::Fault;
use crate::scan::{Scanned, error_of};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    Whole,
    /// So many bytes from this line on are no record. Lines count from 1.
    Torn {
        bytes: u64,
        at_line: u64,
    },
}

/// `acknowledged` is the highest number that state.json or its backup has seen.
pub(crate) fn judge(
    file: &File,
    path: &Path,
    scanned: &Scanned,
    acknowledged: Option<u64>,
) -> Result<Tail, JournalError> {
    let seq = scanned.chain.next();
    let was_acknowledged = acknowledged.is_some_and(|acknowledged| acknowledged >= seq);
    let damaged = |what: &str| JournalError::Damaged {
        path: path.to_path_buf(),
        line: scanned.line(),
        seq,
        what: what.to_string(),
    };
    match &scanned.fault {
        None if was_acknowledged => Err(damaged("it is missing, and state.json has seen it")),
        None => Ok(Tail::Whole),
        Some(Fault::Checksum) => {
            let end = end_of(file, scanned).map_err(JournalError::io("read", path))?;
            if let Some(what) = refused(&end, scanned) {
                return Err(damaged(what));
            }
            if was_acknowledged {
                return Err(damaged("it is not whole, and state.json has seen it"));
            }
            let bytes = scanned.bytes - scanned.whole_bytes;
            Ok(Tail::Torn { bytes, at_line: scanned.line() })
        }
        Some(fault) => Err(error_of(fault, path, &scanned.chain)),
    }
}

/// What follows the last whole record.
struct End {
    /// At most two lines of it, without the zeros at their end.
    content: Vec<u8>,
    is_longer: bool,
}

fn end_of(mut file: &File, scanned: &Scanned) -> io::Result<End> {
    file.seek(SeekFrom::Start(scanned.whole_bytes))?;
    let mut rest = file.take(scanned.bytes - scanned.whole_bytes);
    let mut content = Vec::new();
    rest.by_ref().take(2 * limits::RECORD_LINE_BYTES_MAX as u64).read_to_end(&mut content)?;
    let is_longer = !is_zeros(&mut rest)?;
    let zeros = content.iter().rev().take_while(|byte| **byte == 0).count();
    content.truncate(content.len() - zeros);
    Ok(End { content, is_longer })
}

fn is_zeros(rest: &mut impl Read) -> io::Result<bool> {
    let mut chunk = vec![0; limits::RECORD_LINE_BYTES_MAX];
    loop {
        let read = rest.read(&mut chunk)?;
        if read == 0 {
            return Ok(true);
        }
        if chunk[..read].iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
    }
}

/// Why an end cannot be that of one line that was being written.
fn refused(end: &End, scanned: &Scanned) -> Option<&'static str> {
    let line = end.content.strip_suffix(b"\n").unwrap_or(&end.content);
    if end.is_longer || line.contains(&b'\n') {
        return Some("its checksum is wrong, and it is not the last");
    }
    if line.len() > limits::RECORD_LINE_BYTES_MAX {
        return Some("it is longer than any record");
    }
    // A lost newline makes one line of two. The first of them was finished before the second was begun.
    match scanned.chain.whole_line_in(line) {
        Some(whole) if line.len() > whole + 1 => Some("another record follows on the same line"),
        Some(_) | None => None,
    }
}
