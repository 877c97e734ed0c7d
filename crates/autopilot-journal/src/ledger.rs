//! `ledger.json`, what is known of every phase over all runs (SEL-1). Owns the file, its version and its backup; what stands in
//! it is the caller's type. No journal could bring it back, so a file that cannot be read is kept aside, never written over.

use std::path::Path;

use autopilot_core::limits;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::durable;
use crate::error::{Broken, JournalError};
use crate::folder::Folder;
use crate::lock::Lock;
use crate::projection::Origin;
use crate::set_aside::move_aside;

/// Goes up when an older autopilot could not read or would lose what is written. Older versions are read by the caller's
/// type, whose new fields have defaults.
pub const VERSION: u64 = 1;

const VERSION_KEY: &str = "version";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerFile<L> {
    Absent,
    Read {
        ledger: L,
        origin: Origin,
    },
    /// Neither the ledger nor its backup can be used.
    Broken(Broken),
}

impl Folder {
    /// The ledger, or its backup where the file is missing or broken. One of a newer autopilot is an error.
    pub fn read_ledger<L: DeserializeOwned>(&self) -> Result<LedgerFile<L>, JournalError> {
        let file = match read_one(&self.ledger())? {
            Some(Ok(ledger)) => return Ok(LedgerFile::Read { ledger, origin: Origin::File }),
            Some(Err(broken)) => Some(broken),
            None => None,
        };
        Ok(match (read_one(&self.ledger_backup())?, file) {
            (Some(Ok(ledger)), file) => {
                LedgerFile::Read { ledger, origin: Origin::Backup { file } }
            }
            (_, Some(broken)) | (Some(Err(broken)), None) => LedgerFile::Broken(broken),
            (None, None) => LedgerFile::Absent,
        })
    }

    /// Writes the ledger, an object like `{"phases": {...}}`, with its version. The one before becomes the backup; if it
    /// cannot be read it is moved to `damaged/` instead, and told.
    pub fn write_ledger<L: Serialize + DeserializeOwned>(
        &self,
        lock: &Lock,
        ledger: &L,
    ) -> Result<Option<Broken>, JournalError> {
        lock.must_be_of(self);
        let bytes = versioned(ledger)?;
        let path = self.ledger();
        let broken = match read_one::<L>(&path)? {
            Some(Err(broken)) => {
                let moved_to = Some(move_aside(self, &path, "ledger.json")?);
                Some(Broken { moved_to, ..broken })
            }
            Some(Ok(_)) | None => None,
        };
        durable::replace_keeping(&path, &self.ledger_backup(), &bytes)?;
        Ok(broken)
    }
}

fn versioned<L: Serialize>(ledger: &L) -> Result<Vec<u8>, JournalError> {
    let bad = |why: &str| JournalError::BadEvent { why: format!("ledger.json: {why}") };
    let value = serde_json::to_value(ledger).map_err(|error| bad(&error.to_string()))?;
    let Value::Object(mut fields) = value else {
        return Err(bad("it must be an object"));
    };
    fields.insert(VERSION_KEY.into(), VERSION.into());
    let mut bytes = serde_json::to_vec_pretty(&fields).map_err(|error| bad(&error.to_string()))?;
    bytes.push(b'\n');
    match bytes.len() as u64 > limits::PROJECTION_BYTES_MAX {
        true => Err(bad("it is too long")),
        false => Ok(bytes),
    }
}

fn read_one<L: DeserializeOwned>(path: &Path) -> Result<Option<Result<L, Broken>>, JournalError> {
    let bytes = match durable::read(path, limits::PROJECTION_BYTES_MAX) {
        Ok(None) => return Ok(None),
        Ok(Some(bytes)) => bytes,
        Err(error @ (JournalError::WrongKind { .. } | JournalError::TooLarge { .. })) => {
            return Ok(Some(Err(Broken::new(path, error))));
        }
        Err(error) => return Err(error),
    };
    let mut fields: Map<String, Value> = match serde_json::from_slice(&bytes) {
        Ok(fields) => fields,
        Err(error) => return Ok(Some(Err(Broken::new(path, error)))),
    };
    let Some(version) = fields.remove(VERSION_KEY).as_ref().and_then(Value::as_u64) else {
        return Ok(Some(Err(Broken::new(path, "it has no version"))));
    };
    if version > VERSION {
        return Err(JournalError::Newer { path: path.to_path_buf(), line: 1, version });
    }
    let ledger = serde_json::from_value(Value::Object(fields));
    Ok(Some(ledger.map_err(|error| Broken::new(path, error))))
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
