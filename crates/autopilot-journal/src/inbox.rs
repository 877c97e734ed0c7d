//! Requests from other processes: one file each in `inbox/`, put there whole by whoever asks, taken by whoever holds the lock.
//! What lies there and is no request is reported once and moved to `damaged/`; it never stops a run.

use std::ffi::OsStr;
use std::fs;
use std::io;

use autopilot_core::limits;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::durable;
use crate::error::{Broken, JournalError};
use crate::folder::Folder;
use crate::lock::Lock;
use crate::run_id::check_name;
use crate::set_aside::move_aside;

const ENDING: &str = ".json";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request<R> {
    /// As it was put, for `remove`; of something that is no request, the name of its file.
    pub name: String,
    pub content: Result<R, Broken>,
}

/// Asks for something. Requests are taken in the order of their names, so a name starts with the time, in digits of equal
/// number, and has something of its own. Needs no lock.
pub fn put(folder: &Folder, name: &str, request: &impl Serialize) -> Result<(), JournalError> {
    check_name(name)?;
    let bad = |why: String| JournalError::BadEvent { why };
    let bytes = serde_json::to_vec(request).map_err(|error| bad(error.to_string()))?;
    if bytes.len() as u64 > limits::REQUEST_BYTES_MAX {
        return Err(bad(format!("a request has more than {} bytes", limits::REQUEST_BYTES_MAX)));
    }
    durable::create_atomically(&folder.inbox().join(format!("{name}{ENDING}")), &bytes)
}

/// The oldest requests, at most `limits::REQUESTS_MAX`. They stay until `remove`, so that one is only gone when what came of
/// it is in the journal.
pub fn take<R: DeserializeOwned>(
    folder: &Folder,
    lock: &Lock,
) -> Result<Vec<Request<R>>, JournalError> {
    lock.must_be_of(folder);
    let names = durable::names_in(&folder.inbox())?;
    // A leading dot is a request in the making.
    let names = names.iter().filter(|name| !name.as_encoded_bytes().starts_with(b"."));
    names.take(limits::REQUESTS_MAX).filter_map(|name| take_one(folder, name).transpose()).collect()
}

/// Removes a request that was dealt with. One that is gone already is what was wanted.
pub fn remove(folder: &Folder, lock: &Lock, name: &str) -> Result<(), JournalError> {
    lock.must_be_of(folder);
    check_name(name)?;
    let path = folder.inbox().join(format!("{name}{ENDING}"));
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(JournalError::io("remove", &path)(error))
        }
        Ok(()) | Err(_) => durable::sync_folder(&folder.inbox()),
    }
}

fn take_one<R: DeserializeOwned>(
    folder: &Folder,
    file_name: &OsStr,
) -> Result<Option<Request<R>>, JournalError> {
    let path = folder.inbox().join(file_name);
    let shown = file_name.to_string_lossy();
    let name = shown.strip_suffix(ENDING).filter(|name| check_name(name).is_ok());
    let what = match (name, durable::read(&path, limits::REQUEST_BYTES_MAX)) {
        // Somebody took it back.
        (_, Ok(None)) => return Ok(None),
        (Some(name), Ok(Some(bytes))) => match serde_json::from_slice(&bytes) {
            Ok(request) => {
                return Ok(Some(Request { name: name.to_string(), content: Ok(request) }));
            }
            Err(error) => error.to_string(),
        },
        (None, Ok(Some(_))) => format!("its name is not that of a request, <name>{ENDING}"),
        (_, Err(error)) => error.to_string(),
    };
    // Its own name may be anything that fits a file name, so it is not used.
    let moved_to = move_aside(folder, &path, "inbox-request")?;
    let broken = Broken { moved_to: Some(moved_to), ..Broken::new(&path, what) };
    Ok(Some(Request { name: shown.into_owned(), content: Err(broken) }))
}

#[cfg(test)]
#[path = "inbox_tests.rs"]
mod tests;
