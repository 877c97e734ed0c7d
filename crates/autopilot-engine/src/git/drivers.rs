//! Switches off the filters and hooks a repository's settings name. `.gitattributes` may call for any filter by name, so each
//! name in the settings is overruled; reading the settings runs none of them. The overruling goes by variables because a name
//! may hold an equals sign, which `-c` would misread.
//!
//! Asking git for the names costs a process. For a place whose files are all known the answer is remembered, for as long as
//! every settings file is byte for byte the same. Settings that include other files are asked for each time: what they
//! include may depend on the branch.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use autopilot_core::limits;

use super::{Ending, Git, GitError, Place};
use crate::machine::Machine;

/// A setting and what takes its place.
pub(super) type Overruled = Vec<(OsString, &'static str)>;

/// What was learned, and about which contents of which files.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    /// The files that hold the user's own settings. The system's are not looked at: who may write those owns the machine.
    of_the_user: Vec<PathBuf>,
    known: Arc<Mutex<BTreeMap<PathBuf, (Contents, Overruled)>>>,
}

type Contents = Vec<Option<Vec<u8>>>;

impl Memory {
    pub(super) fn of(machine: &Machine) -> Memory {
        let named = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].into_iter();
        let named = named.filter_map(|name| machine.variable(name).map(PathBuf::from));
        let base = machine.config_folder().map(|ours| ours.with_file_name("git").join("config"));
        let at_home = machine.home().map(|home| home.join(".gitconfig"));
        let of_the_user = named.chain(base).chain(at_home).collect();
        Memory { of_the_user, known: Arc::default() }
    }

    /// What stands in all settings files of a place; `None` when it cannot be known.
    fn contents(&self, place: &Place) -> Option<Contents> {
        let files = place.settings_files()?;
        files.iter().chain(&self.of_the_user).map(|file| content(file)).collect()
    }

    fn recall(&self, place: &Place, now: &Contents) -> Option<Overruled> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (then, overruled) = known.get(place.git_dir()?)?;
        (then == now).then(|| overruled.clone())
    }

    fn keep(&self, place: &Place, contents: Contents, overruled: &Overruled) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(git_dir) = place.git_dir() {
            known.insert(git_dir.to_path_buf(), (contents, overruled.clone()));
        }
    }
}

/// The bytes of a settings file, or that there is none. The outer `None` says that this is nothing to compare by.
fn content(path: &Path) -> Option<Option<Vec<u8>>> {
    let Ok(metadata) = std::fs::metadata(path) else { return Some(None) };
    if !metadata.is_file() || metadata.len() > limits::GIT_SETTINGS_BYTES_MAX {
        return None;
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).ok()?;
    file.take(limits::GIT_SETTINGS_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(Some(bytes))
}

impl Git {
    /// The settings that have to take the place of a repository's own. One process, or none when it is remembered.
    pub(super) fn overruled(&self, place: &Place) -> Result<Overruled, GitError> {
        let before = self.drivers.contents(place);
        if let Some(before) = &before
            && let Some(remembered) = self.drivers.recall(place, before)
        {
            return Ok(remembered);
        }
        let wanted = r"^(filter|hook|include|includeif)\.";
        let arguments = ["config", "--null", "--name-only", "--get-regexp", wanted];
        let listing = self.run(self.plain_order(place, &arguments))?;
        if listing.ending == Ending::TimedOut {
            return Err(GitError::TimedOut { asked: "config".into() });
        }
        let names = listing.stdout.bytes();
        let overruled = overruled(&names);
        if overruled.len() > limits::GIT_DRIVERS_MAX || listing.stdout.dropped_bytes() > 0 {
            return Err(GitError::TooManyDrivers);
        }
        // Exit code 1 says that there are none. A folder git refuses to work in is reported by the command itself.
        let is_answer = matches!(listing.ending, Ending::Exited(0 | 1));
        let includes = names.split(|byte| *byte == 0).any(|name| name.starts_with(b"include"));
        if is_answer
            && !includes
            && let Some(before) = before
            && self.drivers.contents(place).as_ref() == Some(&before)
        {
            self.drivers.keep(place, before, &overruled);
        }
        Ok(overruled)
    }
}

/// The settings that take the place of those found: a filter without a program passes the file through as it is.
pub(super) fn overruled(names: &[u8]) -> Overruled {
    let found = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let pairs = found.filter_map(|name| {
        let (section, setting) = name.split_at(name.iter().rposition(|byte| *byte == b'.')?);
        let off = if section.starts_with(b"hook.") {
            Some(("enabled", "false"))
        } else if section.starts_with(b"filter.") {
            match setting {
                b".clean" => Some(("clean", "")),
                b".smudge" => Some(("smudge", "")),
                b".process" => Some(("process", "")),
                b".required" => Some(("required", "false")),
                _ => None,
            }
        } else {
            None
        };
        let (setting, value) = off?;
        let mut key = OsStr::from_bytes(section).to_owned();
        key.push(".");
        key.push(setting);
        Some((key, value))
    });
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    pairs.dedup();
    pairs
}

#[cfg(test)]
#[path = "drivers_tests.rs"]
mod tests;
