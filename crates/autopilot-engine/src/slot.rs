//! A slot: the linked worktree, outside the repository, that agents work in. It is made once and used again and again, so that
//! build caches live on. Which work goes into it is decided elsewhere; here it is brought to a commit, looked at, kept and
//! committed.
//!
//! Nothing an agent wrote is believed. Every git command names the repository, never the `.git` of the slot. The index is our
//! own and lies beside the slot: what an agent stages, hides with `assume-unchanged` or locks in the worktree's own index
//! changes nothing for us; that one is only overwritten with ours, so that an agent's `git status` tells the truth. Branches
//! are moved by their full name with the expected old value, never through HEAD, which an agent may have put elsewhere.
//!
//! All of this is for the one holder of the run's lock: what looks like a git at work in our folders is what a killed one left.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use autopilot_core::digest;
use sha2::{Digest, Sha256};

use crate::git::{Checkout, Git, GitError, Place, RunNames, Status, remove_if_there};
use crate::machine::Machine;

mod changes;
mod clean;
mod commit;
mod in_place;
mod open;
mod look;
mod overlooked;
mod parts;
mod rescue;
mod settle;
mod snapshot;
mod veil;
mod work;

pub use changes::{Change, ChangeKind, Changes, Touched};
pub use commit::{CommitOrder, Outcome};
pub use in_place::InPlace;
pub(crate) use look::look;
pub use parts::WorkPart;
pub use rescue::Rescue;
pub use settle::{Folded, ForeignCommit, Head};
pub use snapshot::{LeftOut, LeftOutWhy};
pub use veil::{Unseen, Veil};
pub use work::{Kept, KeptWork, WorkOrder};

#[derive(Debug, Clone)]
pub struct Slot {
    checkout: Checkout,
    names: RunNames,
    /// Where its files are.
    folder: PathBuf,
    /// The worktree that git knows: the same folder, unless the files are the user's own.
    worktree: PathBuf,
    /// Our own index, beside the worktree.
    index: PathBuf,
    /// Where git keeps what belongs to this worktree alone.
    git_dir: PathBuf,
    /// The files with our own index.
    place: Place,
}

/// Where slot number `number` of a project lies: `<state folder>/<project>/slot-<number>`. The project's part is its folder's
/// name, for people, and a hash of its path, because many projects are called `app`.
pub fn folder_of(machine: &Machine, root: &Path, number: usize) -> Option<PathBuf> {
    Some(project_folder(machine, root)?.join(format!("slot-{number}")))
}

/// Where what slot number `number` brings forth is measured: `<state folder>/<project>/proof-<number>`.
pub fn proof_folder_of(machine: &Machine, root: &Path, number: usize) -> Option<PathBuf> {
    Some(project_folder(machine, root)?.join(format!("proof-{number}")))
}

/// A tree of another name beside them.
pub(crate) fn named_folder_of(machine: &Machine, root: &Path, name: &str) -> Option<PathBuf> {
    Some(project_folder(machine, root)?.join(name))
}

pub(crate) fn project_folder(machine: &Machine, root: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    Some(machine.state_folder()?.join(project_key(&root)))
}

fn project_key(root: &Path) -> String {
    /// Readable, and short enough for paths inside the slot to stay within their bounds.
    const NAME_CHARS_MAX: usize = 32;
    /// Hexadecimal: a person has thousands of projects at most.
    const HASH_DIGITS: usize = 8;
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let readable = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let mut key: String = readable.take(NAME_CHARS_MAX).collect();
    key.push('.');
    let digits = digest::hex(&Sha256::digest(root.as_os_str().as_bytes()));
    key.extend(digits.into_iter().take(HASH_DIGITS).map(char::from));
    key
}

impl Slot {
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn git(&self) -> &Git {
        &self.checkout.git
    }

    /// The files are the user's own, and so is the `.git` that lies among them.
    fn is_in_place(&self) -> bool {
        self.folder != self.worktree
    }

    /// What an agent may have done to the folder itself is seen before git is let in.
    fn ready(&self) -> Result<(), GitError> {
        require_plain(&self.folder)?;
        let next = beside(&self.index, "-next");
        for file in [&self.index, &next] {
            remove_if_there(&beside(file, ".lock"))?;
        }
        for file in ["index.lock", "HEAD.lock"] {
            remove_if_there(&self.git_dir.join(file))?;
        }
        Ok(())
    }

    /// What differs from HEAD. Without a sound index of ours it is made anew from HEAD, which compares every file by its
    /// content: nothing is lost with it but time.
    fn status(&self) -> Result<Status, GitError> {
        self.ready()?;
        if !self.index.is_file() {
            self.index_of_head()?;
        }
        match self.git().status(&self.place) {
            Err(GitError::Refused { .. }) => {
                remove_if_there(&self.index)?;
                self.index_of_head()?;
                self.git().status(&self.place)
            }
            answer => answer,
        }
    }

    /// Where HEAD stands on no commit there is no index, and git takes every file for new.
    fn index_of_head(&self) -> Result<(), GitError> {
        self.git().ask_at(&self.place, &["read-tree", "--reset", "HEAD"])?;
        Ok(())
    }

    /// Lets the agent's git see what ours sees. In the user's folder it sees the user's own, which is not ours to write.
    fn show_index(&self) -> Result<(), GitError> {
        if self.is_in_place() {
            return Ok(());
        }
        let failed = |source| GitError::Io { path: self.index.clone(), source };
        let copy = self.git_dir.join("index.autopilot");
        remove_if_there(&copy)?;
        copy_with_time(&self.index, &copy).map_err(failed)?;
        std::fs::rename(&copy, self.git_dir.join("index")).map_err(failed)
    }
}

/// Git knows by the time of its index which files it has to look into although they seem unchanged. A copy that looked newer
/// would hide an edit made in the second of the checkout that left the file as long as it was.
fn copy_with_time(index: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::copy(index, to)?;
    let modified = std::fs::metadata(index)?.modified()?;
    std::fs::File::options().write(true).open(to)?.set_modified(modified)
}

/// The path with something added to its name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().map(OsString::from).unwrap_or_default();
    name.push(ending);
    path.with_file_name(name)
}

/// A folder that is no link and lies behind none.
fn require_plain(folder: &Path) -> Result<(), GitError> {
    let failed = |source| GitError::Io { path: folder.to_path_buf(), source };
    let is_folder = std::fs::symlink_metadata(folder).map_err(failed)?.is_dir();
    if is_folder && folder.canonicalize().map_err(failed)? == folder {
        return Ok(());
    }
    Err(GitError::NotAPlainFolder { path: folder.to_path_buf() })
}

#[cfg(test)]
pub(crate) mod fixture;

#[cfg(test)]
#[path = "slot/slot_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "slot/attack_tests.rs"]
mod attack_tests;

#[cfg(test)]
#[path = "slot/recovery_tests.rs"]
mod recovery_tests;

#[cfg(test)]
#[path = "slot/work_tests.rs"]
mod work_tests;
