//! Looks at a slot without making or mending anything.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use autopilot_core::limits;

use super::beside;
use crate::git::{Checkout, GitError, Place, Status};

/// Where HEAD stands there and what differs; None for a folder that git does not know, or knows only half. One process.
pub(crate) fn look(checkout: &Checkout, folder: &Path) -> Result<Option<Status>, GitError> {
    let Ok(folder) = folder.canonicalize() else { return Ok(None) };
    let Some(git_dir) = git_dir_of(checkout, &folder) else { return Ok(None) };
    let place = Place::named(&folder, &git_dir, &checkout.common_dir);
    let index = beside(&folder, ".index");
    let place = if index.is_file() { place.with_index(&index) } else { place };
    match checkout.git.status(&place) {
        Ok(status) => Ok(Some(status)),
        // A tree that a kill or an agent left broken is mended by whoever works in it next.
        Err(GitError::Refused { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn git_dir_of(checkout: &Checkout, folder: &Path) -> Option<PathBuf> {
    let known = std::fs::read_dir(checkout.common_dir.join("worktrees")).ok()?;
    let wanted = folder.join(".git");
    let mut known = known.take(limits::WORKTREES_MAX).flatten().map(|entry| entry.path());
    known.find(|git_dir| {
        let written = std::fs::read(git_dir.join("gitdir")).unwrap_or_default();
        OsStr::from_bytes(written.trim_ascii_end()) == wanted.as_os_str()
    })
}
