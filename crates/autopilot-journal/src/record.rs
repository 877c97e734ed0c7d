//! One record, one line: `{"v":1,"seq":12,"at":1763251234567,"event":{...},"hash":"<64 hex>"}`. Owns the format and the hash,
//! which is checksum and chain in one: SHA-256 of the hash before it and of the line up to `,"hash":`.
//!
//! What is true of every version to come: the version stands first, and the hash last and is made the same way. So damage can
//! be told from a line that a newer autopilot wrote.

use std::io::{self, Write};

use autopilot_core::digest::hex;
use autopilot_core::limits;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::error::JournalError;
use crate::run_id::RunId;

pub const VERSION: u64 = 1;

/// Stands for the hash before the first record. With the run's id in it, a record of another run never fits.
const GENESIS: &str = "autopilot journal of run ";
const HASH_LABEL: &[u8] = b",\"hash\":\"";
const HASH_HEX: usize = 64;
const HASH_END: &[u8] = b"\"}";
const SUFFIX: usize = HASH_LABEL.len() + HASH_HEX + HASH_END.len();

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<E> {
    pub seq: u64,
    /// Milliseconds since 1970, by the clock on the wall: for people and for waits over a crash, never for order.
    pub at: u64,
    pub event: E,
}

/// Where a journal stands: the number of the next record and the hash of the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chain {
    next: u64,
    link: String,
}

/// What is wrong with a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Its bytes are not those that were hashed.
    Checksum,
    /// Whole, but not written by this rule.
    Shape,
    Gap {
        found: u64,
    },
    Version {
        found: u64,
    },
    Event {
        why: String,
    },
}

impl Chain {
    pub(crate) fn start(run: &RunId) -> Chain {
        Chain { next: 0, link: format!("{GENESIS}{run}") }
    }

    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Adds the line of one event to `lines`.
    pub(crate) fn encode<E: Serialize>(
        &mut self,
        at: u64,
        event: &E,
        lines: &mut Vec<u8>,
    ) -> Result<(), JournalError> {
        let start = lines.len();
        let bad = |why: String| JournalError::BadEvent { why };
        let seq = self.next;
        write!(lines, "{{\"v\":{VERSION},\"seq\":{seq},\"at\":{at},\"event\":")
            .map_err(|error| bad(error.to_string()))?;
        let payload = Bounded { left: limits::RECORD_PAYLOAD_BYTES_MAX, lines: &mut *lines };
        serde_json::to_writer(payload, event).map_err(|error| bad(error.to_string()))?;
        self.advance(&lines[start..]);
        lines.extend_from_slice(HASH_LABEL);
        lines.extend_from_slice(self.link.as_bytes());
        lines.extend_from_slice(HASH_END);
        lines.push(b'\n');
        Ok(())
    }

    /// Reads the line that comes next, without its newline. A line at fault leaves the chain as it was.
    pub(crate) fn decode<E: DeserializeOwned>(&mut self, line: &[u8]) -> Result<Record<E>, Fault> {
        let (body, hash) = split(line).ok_or(Fault::Checksum)?;
        let hash_made = self.hash(body);
        if hash_made.as_slice() != hash {
            return Err(Fault::Checksum);
        }
        let (version, rest) = number_after(body, b"{\"v\":").ok_or(Fault::Shape)?;
        if version != VERSION {
            return Err(Fault::Version { found: version });
        }
        let (seq, rest) = number_after(rest, b",\"seq\":").ok_or(Fault::Shape)?;
        if seq != self.next {
            return Err(Fault::Gap { found: seq });
        }
        let (at, rest) = number_after(rest, b",\"at\":").ok_or(Fault::Shape)?;
        let event = rest.strip_prefix(b",\"event\":").ok_or(Fault::Shape)?;
        let event = serde_json::from_slice(event)
            .map_err(|error| Fault::Event { why: error.to_string() })?;
        self.take(&hash_made);
        Ok(Record { seq, at, event })
    }

    /// If the bytes start with the whole line that comes next: how many bytes it has, without its newline. Each place where
    /// it could end costs a hash, so the bytes are few lines at most.
    pub(crate) fn whole_line_in(&self, bytes: &[u8]) -> Option<usize> {
        let labels = bytes.windows(HASH_LABEL.len()).enumerate();
        let labels = labels.filter(|(_, window)| *window == HASH_LABEL);
        let mut ends = labels.map(|(at, _)| at + SUFFIX).take_while(|end| *end <= bytes.len());
        let is_whole = |end: &usize| {
            split(&bytes[..*end]).is_some_and(|(body, hash)| self.hash(body).as_slice() == hash)
        };
        ends.find(is_whole)
    }

    /// The hash of the last record, or of what the chain starts from.
    pub(crate) fn head(&self) -> &str {
        &self.link
    }

    fn advance(&mut self, body: &[u8]) {
        let hash = self.hash(body);
        self.take(&hash);
    }

    fn take(&mut self, hash: &[u8; HASH_HEX]) {
        self.link.clear();
        self.link.extend(hash.iter().map(|digit| char::from(*digit)));
        self.next += 1;
    }

    fn hash(&self, body: &[u8]) -> [u8; HASH_HEX] {
        let mut hasher = Sha256::new();
        hasher.update(self.link.as_bytes());
        hasher.update(body);
        hex(&hasher.finalize())
    }
}

/// What was hashed, and the digits of the hash.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (body, suffix) = line.split_at(line.len().checked_sub(SUFFIX)?);
    let hash = suffix.strip_prefix(HASH_LABEL)?.strip_suffix(HASH_END)?;
    Some((body, hash))
}

fn number_after<'a>(bytes: &'a [u8], label: &[u8]) -> Option<(u64, &'a [u8])> {
    let rest = bytes.strip_prefix(label)?;
    let end = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    let (digits, rest) = rest.split_at(end);
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

/// Takes so many bytes and then refuses, so that an endless event costs no more memory than an allowed one.
struct Bounded<'a> {
    left: usize,
    lines: &'a mut Vec<u8>,
}

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(left) = self.left.checked_sub(bytes.len()) else {
            let max = limits::RECORD_PAYLOAD_BYTES_MAX;
            return Err(io::Error::other(format!("it has more than {max} bytes")));
        };
        self.left = left;
        self.lines.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
