//! `state.json`, the picture of the journal for people and programs (STATE-1): written whole with a backup, recognised as ours
//! by a checksum of its text, and never the truth. What stands in it is the caller's, except for `_meta.checksum`.

use std::path::{Path, PathBuf};

use autopilot_core::digest::{self, hex};
use autopilot_core::limits;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::durable;
use crate::error::{Broken, JournalError};
use crate::folder::Folder;
use crate::left_file::LeftFile;
use crate::lock::Lock;
use crate::run_id::RunId;
use crate::set_aside::{move_aside, move_to_archive};

const META: &str = "_meta";
const CHECKSUM: &str = "checksum";
const CHECKSUM_PREFIX: &str = digest::PREFIX;
/// Stands in the place of the checksum while it is made.
const CHECKSUM_BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";

#[derive(Debug, Clone, PartialEq)]
pub enum StateFile {
    Absent,
    Read(State),
    /// Neither state.json nor its backup can be used.
    Broken(Broken),
}

#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub value: Value,
    pub author: Author,
    pub origin: Origin,
}

/// Who wrote a file last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    Autopilot,
    /// Ours once, and changed since.
    EditedByHand,
    /// It has no checksum of ours: another program's, to be imported.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    File,
    /// The file itself is missing, or broken as told.
    Backup {
        file: Option<Broken>,
    },
}

/// What a new state.json took the place of, so that the caller can note it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replaced {
    Nothing,
    /// Kept as the backup.
    Own,
    /// Not as we left it, and therefore moved out of the way.
    Foreign {
        author: Option<Author>,
        moved_to: PathBuf,
    },
}

impl State {
    pub fn edited_by_hand(&self) -> bool {
        self.author == Author::EditedByHand
    }
}

impl Folder {
    /// Writes state.json once. Whoever writes it again and again keeps a `StateWriter`.
    pub fn write_state(
        &self,
        lock: &Lock,
        state: &impl Serialize,
    ) -> Result<Replaced, JournalError> {
        StateWriter::default().write(self, lock, state)
    }

    /// state.json, or its backup where that one is missing or broken.
    pub fn read_state(&self) -> Result<StateFile, JournalError> {
        let file = match read_one(&self.state())? {
            Some(Ok((value, author))) => {
                return Ok(StateFile::Read(State { value, author, origin: Origin::File }));
            }
            Some(Err(broken)) => Some(broken),
            None => None,
        };
        Ok(match (read_one(&self.state_backup())?, file) {
            (Some(Ok((value, author))), file) => {
                StateFile::Read(State { value, author, origin: Origin::Backup { file } })
            }
            (_, Some(broken)) | (Some(Err(broken)), None) => StateFile::Broken(broken),
            (None, None) => StateFile::Absent,
        })
    }

    /// Moves a state.json and a backup that are not ours into the archive, under names nothing has yet.
    pub fn archive_foreign_state(&self, lock: &Lock) -> Result<Vec<PathBuf>, JournalError> {
        lock.must_be_of(self);
        let files =
            [(self.state(), "foreign-state.json"), (self.state_backup(), "foreign-backup.json")];
        let mut kept = Vec::new();
        for (path, name) in files {
            match read_one(&path)? {
                None | Some(Ok((_, Author::Autopilot | Author::EditedByHand))) => {}
                Some(Ok((_, Author::Other)) | Err(_)) => {
                    kept.push(move_to_archive(self, &path, name)?);
                }
            }
        }
        Ok(kept)
    }

    /// The highest number of this run's journal that state.json or its backup has seen. A file that somebody else wrote or
    /// changed says nothing about that.
    pub fn acknowledged(&self, run: &RunId) -> Result<Option<u64>, JournalError> {
        let (file, backup) = (seq_in(&self.state(), run)?, seq_in(&self.state_backup(), run)?);
        Ok(file.max(backup))
    }
}

/// Writes a state that changes all the time. Knows what it wrote itself, so that it need not be read and understood again.
#[derive(Debug, Default)]
pub struct StateWriter {
    left: Option<LeftFile>,
    /// Kept from call to call: a long state takes a while to grow from nothing.
    text: Vec<u8>,
}

impl StateWriter {
    /// Writes state.json. `state` is an object; its `_meta` should have `run_id` and `journal_seq`, the highest number it has
    /// seen, which must be in the journal already.
    pub fn write(
        &mut self,
        folder: &Folder,
        lock: &Lock,
        state: &impl Serialize,
    ) -> Result<Replaced, JournalError> {
        lock.must_be_of(folder);
        write_signed(&mut self.text, state)?;
        let path = folder.state();
        let replaced = match self.found(&path)? {
            None => Replaced::Nothing,
            Some(Ok(Author::Autopilot)) => Replaced::Own,
            Some(other) => Replaced::Foreign {
                author: other.ok(),
                moved_to: move_aside(folder, &path, "state.json")?,
            },
        };
        durable::replace_keeping(&path, &folder.state_backup(), &self.text)?;
        self.left = LeftFile::look(&path);
        Ok(replaced)
    }

    /// Who wrote the file that is there.
    fn found(&self, path: &Path) -> Result<Option<Result<Author, Broken>>, JournalError> {
        if self.left.is_some() && self.left == LeftFile::look(path) {
            return Ok(Some(Ok(Author::Autopilot)));
        }
        Ok(read_one(path)?.map(|read| read.map(|(_, author)| author)))
    }
}

/// The number one of the two files has seen.
pub(crate) fn seq_in(path: &Path, run: &RunId) -> Result<Option<u64>, JournalError> {
    Ok(match read_one(path)? {
        Some(Ok((value, Author::Autopilot))) if run_in(&value) == Some(run.as_str()) => {
            value[META]["journal_seq"].as_u64()
        }
        Some(_) | None => None,
    })
}

/// The run a state belongs to, as it says itself.
pub(crate) fn run_in(state: &Value) -> Option<&str> {
    state[META]["run_id"].as_str()
}

type Read = Result<(Value, Author), Broken>;

/// `None` if there is no file. What lies there and cannot be used is a value; a disk that fails is an error.
pub(crate) fn read_one(path: &Path) -> Result<Option<Read>, JournalError> {
    Ok(bytes_of(path)?.map(|bytes| bytes.and_then(|bytes| understood(path, &bytes))))
}

/// A file of ours, as far as it is one at all.
fn bytes_of(path: &Path) -> Result<Option<Result<Vec<u8>, Broken>>, JournalError> {
    match durable::read(path, limits::PROJECTION_BYTES_MAX) {
        Ok(bytes) => Ok(bytes.map(Ok)),
        Err(error @ (JournalError::WrongKind { .. } | JournalError::TooLarge { .. })) => {
            Ok(Some(Err(Broken::new(path, error))))
        }
        Err(error) => Err(error),
    }
}

fn understood(path: &Path, bytes: &[u8]) -> Read {
    let value = serde_json::from_slice(bytes).map_err(|error| Broken::new(path, error))?;
    let author = author_of(&value, bytes);
    Ok((value, author))
}

/// The text of a file with its checksum in it: that of the same text with blanks in its place. It is of the text and not of
/// the values, because numbers read and written again need not have the same digits. The text is made from the state as it is
/// and the checksum put into it: as values, the state of a long run would take ten times its length.
fn write_signed(bytes: &mut Vec<u8>, state: &impl Serialize) -> Result<(), JournalError> {
    let bad = |why: &str| JournalError::BadEvent { why: format!("state.json: {why}") };
    bytes.clear();
    serde_json::to_writer_pretty(&mut *bytes, state).map_err(|error| bad(&error.to_string()))?;
    if !bytes.starts_with(b"{") {
        return Err(bad("it must be an object"));
    }
    // Only a field of the outermost object is indented like this, for there is no line feed within a text.
    let label = format!("\n  \"{META}\": ");
    if position(bytes, label.as_bytes()).is_none() {
        let end = if bytes.starts_with(b"{}") { "{}\n" } else { "{}," };
        bytes.splice(1..1, format!("{label}{end}").into_bytes());
    }
    let at = position(bytes, label.as_bytes()).map_or(bytes.len(), |at| at + label.len());
    let fields = bytes.get(at..).and_then(|meta| meta.strip_prefix(b"{"));
    let fields = fields.ok_or_else(|| bad("its _meta must be an object"))?;
    let end = if fields.starts_with(b"}") { "\n  " } else { "," };
    let field = format!("\n    \"{CHECKSUM}\": \"{CHECKSUM_PREFIX}");
    let digits_at = at + 1 + field.len();
    bytes.splice(at + 1..at + 1, format!("{field}{CHECKSUM_BLANK}\"{end}").into_bytes());
    bytes.push(b'\n');
    if bytes.len() as u64 > limits::PROJECTION_BYTES_MAX {
        return Err(bad("it is too long"));
    }
    let digits = hex(&Sha256::digest(&*bytes));
    bytes[digits_at..digits_at + digits.len()].copy_from_slice(&digits);
    Ok(())
}

fn author_of(value: &Value, bytes: &[u8]) -> Author {
    let checksum = value[META][CHECKSUM].as_str();
    let Some(digits) = checksum.and_then(|checksum| checksum.strip_prefix(CHECKSUM_PREFIX)) else {
        return Author::Other;
    };
    let Some(at) = position(bytes, digits.as_bytes()) else {
        return Author::EditedByHand;
    };
    let mut hasher = Sha256::new();
    hasher.update(&bytes[..at]);
    hasher.update(CHECKSUM_BLANK);
    hasher.update(&bytes[at + digits.len()..]);
    match hex(&hasher.finalize()).as_slice() == digits.as_bytes() {
        true => Author::Autopilot,
        false => Author::EditedByHand,
    }
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len().max(1)).position(|window| window == wanted)
}

#[cfg(test)]
#[path = "projection_tests.rs"]
mod tests;
