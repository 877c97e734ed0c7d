//! What the user's own tree looks like before a run. Only looks: a run works elsewhere.

use std::path::{Path, PathBuf};

use super::{Checkout, GitError, ObjectId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserTree {
    /// `None` before the first commit.
    pub head: Option<ObjectId>,
    /// `None` when HEAD is detached.
    pub branch: Option<String>,
    /// Changed, staged and untracked files outside `.planning/`, sorted. A repository inside the repository counts once.
    pub dirty: Vec<PathBuf>,
    /// The same below `.planning/`.
    pub planning_changes: Vec<PathBuf>,
}

/// One process, and once a listing of settings. The list is bounded: a tree with more changes than `limits::GIT_STATUS_BYTES_MAX` can name is an error.
pub fn look(checkout: &Checkout) -> Result<UserTree, GitError> {
    let status = checkout.git.status(&checkout.place)?;
    let paths = status.entries.into_iter().map(|entry| entry.path);
    let (mut planning_changes, mut dirty): (Vec<_>, Vec<_>) = paths.partition(|p| is_planning(p));
    dirty.sort();
    planning_changes.sort();
    Ok(UserTree { head: status.head, branch: status.branch, dirty, planning_changes })
}

/// Below the folder; `.planning` itself would be a file or a link and is nothing to commit unseen.
pub(crate) fn is_planning(path: &Path) -> bool {
    path.strip_prefix(".planning").is_ok_and(|rest| !rest.as_os_str().is_empty())
}
