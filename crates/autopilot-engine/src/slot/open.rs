//! Makes the slot, finds it again, and mends what a kill, a clean-up or an agent did to it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use autopilot_core::limits;

use super::{Slot, beside, require_plain};
use crate::git::{Checkout, GitError, Place, RunNames};

const REASON: &str = "autopilot works here; it is used again by the next run\n";

impl Slot {
    /// Opens the slot at `folder`, and makes it if it is not there. What is missing is mended: a deleted folder, what git
    /// knows about the worktree, locks of a killed git. The files are left as they are; `begin` brings them in order.
    ///
    /// No process when the slot is there, one when it has to be made.
    pub fn open(checkout: &Checkout, names: &RunNames, folder: &Path) -> Result<Slot, GitError> {
        let folder = make_parent(folder)?;
        let aside = beside(&folder, ".aside");
        take_back(&aside, &folder)?;
        let git_dir = match find(checkout, &folder)? {
            Some(git_dir) => git_dir,
            None => {
                // Left by another repository in the project's place, it names objects this one does not have.
                crate::git::remove_if_there(&beside(&folder, ".index"))?;
                add(checkout, &folder, &aside)?
            }
        };
        make_folder(&folder)?;
        require_plain(&folder)?;
        write(&git_dir.join("locked"), REASON.as_bytes())?;
        mend_head(&git_dir)?;
        let place = Place::named(&folder, &git_dir, &checkout.common_dir);
        let index = beside(&folder, ".index");
        let place = place.with_index(&index);
        let (checkout, names) = (checkout.clone(), names.clone());
        let worktree = folder.clone();
        let slot = Slot { checkout, names, folder, worktree, index, git_dir, place };
        slot.ready()?;
        slot.point_to_repository()?;
        Ok(slot)
    }

    /// Writes the `.git` file anew if it is not as it must be, whatever an agent made of it. A repository that an agent began
    /// there is no work: its files are in the slot and are rescued with everything else.
    pub(super) fn point_to_repository(&self) -> Result<(), GitError> {
        if self.is_in_place() {
            return Ok(());
        }
        let pointer = self.folder.join(".git");
        let wanted = [b"gitdir: ", self.git_dir.as_os_str().as_bytes(), b"\n"].concat();
        let failed = |source| GitError::Io { path: pointer.clone(), source };
        match std::fs::symlink_metadata(&pointer) {
            Ok(metadata) if metadata.is_dir() => {
                std::fs::remove_dir_all(&pointer).map_err(failed)?;
            }
            Ok(metadata)
                if metadata.is_file()
                    && metadata.len() == wanted.len() as u64
                    && std::fs::read(&pointer).is_ok_and(|bytes| bytes == wanted) =>
            {
                return Ok(());
            }
            _ => {}
        }
        write(&pointer, &wanted)
    }
}

/// The whole path of the slot, its parents made and without links. The last part is only named, not made.
fn make_parent(folder: &Path) -> Result<PathBuf, GitError> {
    let failed = |source| GitError::Io { path: folder.to_path_buf(), source };
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return Err(failed(std::io::ErrorKind::InvalidInput.into()));
    };
    make_folder(parent)?;
    Ok(parent.canonicalize().map_err(failed)?.join(name))
}

/// Only for the user: what agents write, and what is copied there for them, is nobody else's business.
fn make_folder(folder: &Path) -> Result<(), GitError> {
    let mut builder = std::fs::DirBuilder::new();
    let made = builder.recursive(true).mode(0o700).create(folder);
    made.map_err(|source| GitError::Io { path: folder.to_path_buf(), source })
}

/// After a kill between the two renames of `add` the files lie aside; the slot then has nothing but its `.git`.
fn take_back(aside: &Path, folder: &Path) -> Result<(), GitError> {
    if std::fs::symlink_metadata(aside).is_err() {
        return Ok(());
    }
    let failed = |source| GitError::Io { path: folder.to_path_buf(), source };
    if folder.is_dir() {
        crate::git::remove_if_there(&folder.join(".git"))?;
        std::fs::remove_dir(folder).map_err(failed)?;
    }
    std::fs::rename(aside, folder).map_err(failed)
}

/// Looks through what git knows of worktrees for the one at `folder`. What a killed `worktree add` left half made is removed.
fn find(checkout: &Checkout, folder: &Path) -> Result<Option<PathBuf>, GitError> {
    let Ok(known) = std::fs::read_dir(checkout.common_dir.join("worktrees")) else {
        return Ok(None);
    };
    let wanted = folder.join(".git");
    let mut found: Vec<PathBuf> =
        known.take(limits::WORKTREES_MAX).flatten().map(|entry| entry.path()).collect();
    found.sort();
    for git_dir in found {
        let Ok(gitdir) = std::fs::read(git_dir.join("gitdir")) else { continue };
        if OsStr::from_bytes(gitdir.trim_ascii_end()) != wanted.as_os_str() {
            continue;
        }
        if ["HEAD", "commondir"].iter().all(|file| git_dir.join(file).is_file()) {
            return Ok(Some(git_dir));
        }
        let failed = |source| GitError::Io { path: git_dir.clone(), source };
        std::fs::remove_dir_all(&git_dir).map_err(failed)?;
    }
    Ok(None)
}

/// Git makes what belongs to a worktree, because how refs are stored is its business. It wants an empty folder: files that
/// are there already, build caches among them, step aside and come back.
fn add(checkout: &Checkout, folder: &Path, aside: &Path) -> Result<PathBuf, GitError> {
    let failed = |source| GitError::Io { path: folder.to_path_buf(), source };
    let is_there = std::fs::symlink_metadata(folder).is_ok();
    if is_there {
        require_plain(folder)?;
        std::fs::rename(folder, aside).map_err(failed)?;
    }
    let words = ["worktree", "add", "--detach", "--no-checkout", "--lock", "--force"];
    let mut arguments: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
    arguments.extend([folder.as_os_str(), OsStr::new("HEAD")]);
    let added = checkout.git.must_at(&checkout.place, &arguments);
    if is_there {
        take_back(aside, folder)?;
    }
    added?;
    find(checkout, folder)?.ok_or_else(|| {
        let said = format!("no worktree at {}", folder.display());
        GitError::NotUnderstood { asked: "worktree".into(), said }
    })
}

/// Git does not take a folder for a repository whose HEAD makes no sense to it. `begin` puts HEAD where it belongs; until then
/// it stands on a branch that never is.
fn mend_head(git_dir: &Path) -> Result<(), GitError> {
    let head = git_dir.join("HEAD");
    let is_file = std::fs::symlink_metadata(&head).is_ok_and(|metadata| metadata.is_file());
    let text =
        if is_file { crate::files::read_text(&head).unwrap_or_default() } else { String::new() };
    let line = text.trim_end();
    let makes_sense = line.strip_prefix("ref: refs/").is_some_and(|rest| !rest.is_empty())
        || crate::git::ObjectId::parse(line).is_some();
    if makes_sense { Ok(()) } else { write(&head, b"ref: refs/heads/autopilot/nowhere\n") }
}

/// Whole or not at all, and never through a link.
fn write(path: &Path, bytes: &[u8]) -> Result<(), GitError> {
    let failed = |source| GitError::Io { path: path.to_path_buf(), source };
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    std::io::Write::write_all(&mut file, bytes).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
