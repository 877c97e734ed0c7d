//! The files of a slot as a tree: everything that is not ignored, except what does not belong into a commit. It is put together
//! in a copy of our index, so that looking at the files changes nothing.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use autopilot_core::limits;

use super::{Slot, beside, copy_with_time};
use crate::git::{Entry, GitError, ObjectId, OnDisk, Place, null_terminated, remove_if_there};

/// A file that is not in the commit, named so that a person can be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub path: PathBuf,
    pub why: LeftOutWhy,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftOutWhy {
    /// A repository inside the repository. As a commit's part it would be a link to a commit nobody else has.
    Repository,
    TooLarge {
        bytes: u64,
    },
    /// Together with the files before it, it would be too much.
    TooMuch,
    /// A pipe, a socket, a device, or a folder in a file's place.
    NotAFile,
    /// A name that git takes for its own folder on some machine, such as `.GIT`.
    ForbiddenName,
}

/// How much one snapshot may take in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    file_bytes_max: u64,
    bytes_max: u64,
}

pub(super) const FOR_COMMIT: Bounds =
    Bounds { file_bytes_max: limits::COMMIT_FILE_BYTES_MAX, bytes_max: limits::COMMIT_BYTES_MAX };
pub(super) const FOR_RESCUE: Bounds =
    Bounds { file_bytes_max: limits::RESCUE_FILE_BYTES_MAX, bytes_max: limits::RESCUE_BYTES_MAX };

#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) tree: ObjectId,
    /// The index the tree was written from.
    pub(super) index: PathBuf,
}

/// What is taken in and what is left out, in the order of the status.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    pub(super) paths: Vec<PathBuf>,
    /// Those of them that were deleted and lie behind a link now. Git looks at no path behind a link, so it has to be told
    /// that they are gone.
    behind_links: BTreeSet<PathBuf>,
    pub(super) left_out: Vec<LeftOut>,
}

impl Slot {
    /// Sorts the changed files. Excluded ones, files or whole folders, are in neither list.
    pub(super) fn sort(&self, entries: &[Entry], exclude: &[PathBuf], bounds: Bounds) -> Sorted {
        let mut sorted = Sorted::default();
        let mut bytes_left = bounds.bytes_max;
        for entry in entries {
            if exclude.iter().any(|excluded| entry.path.starts_with(excluded)) {
                continue;
            }
            let metadata = std::fs::symlink_metadata(self.folder.join(&entry.path));
            let metadata = metadata.ok();
            let bytes = metadata.as_ref().map_or(0, Metadata::len);
            match why_left_out(entry, metadata.as_ref(), bytes_left, bounds) {
                Some(why) => sorted.left_out.push(LeftOut { path: entry.path.clone(), why }),
                None if entry.on_disk == OnDisk::Same => {}
                None => {
                    bytes_left -= bytes;
                    sorted.paths.push(entry.path.clone());
                    if entry.on_disk == OnDisk::Deleted && self.is_behind_link(&entry.path) {
                        sorted.behind_links.insert(entry.path.clone());
                    }
                }
            }
        }
        sorted
    }

    fn is_behind_link(&self, path: &Path) -> bool {
        let is_link = |folder: &Path| {
            let metadata = std::fs::symlink_metadata(self.folder.join(folder));
            metadata.is_ok_and(|metadata| metadata.is_symlink())
        };
        path.ancestors().skip(1).any(is_link)
    }

    /// Two processes, three where a folder became a link.
    pub(super) fn snapshot(&self, sorted: &Sorted) -> Result<Snapshot, GitError> {
        let index = beside(&self.index, "-next");
        let place = self.copy_index(&index)?;
        let gone = &sorted.behind_links;
        if !gone.is_empty() {
            let arguments = ["update-index", "--force-remove", "-z", "--stdin"];
            let listed = null_terminated(gone.iter().map(PathBuf::as_path));
            self.git().tell_at(&place, &arguments, listed)?;
        }
        let arguments = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        let rest = sorted.paths.iter().filter(|path| !gone.contains(*path));
        let listed = null_terminated(rest.map(PathBuf::as_path));
        self.git().tell_at(&place, &arguments, listed)?;
        let tree = self.git().id_from(&place, &["write-tree"])?;
        Ok(Snapshot { tree, index })
    }

    fn copy_index(&self, to: &Path) -> Result<Place, GitError> {
        remove_if_there(to)?;
        match copy_with_time(&self.index, to) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(GitError::Io { path: to.to_path_buf(), source });
            }
            // Without an index git takes every file for new, which is right for a snapshot.
            _ => {}
        }
        Ok(self.place.with_index(to))
    }
}

fn why_left_out(
    entry: &Entry,
    metadata: Option<&Metadata>,
    bytes_left: u64,
    bounds: Bounds,
) -> Option<LeftOutWhy> {
    if entry.on_disk == OnDisk::NewRepository {
        return Some(LeftOutWhy::Repository);
    }
    if entry.path.components().any(|part| is_gits_own(part.as_os_str().as_bytes())) {
        return Some(LeftOutWhy::ForbiddenName);
    }
    // What is not there was deleted, and that is a change like any other.
    let metadata = metadata?;
    let kind = metadata.file_type();
    let bytes = metadata.len();
    if kind.is_dir() && entry.on_disk == OnDisk::Deleted {
        return None;
    }
    if !kind.is_file() && !kind.is_symlink() {
        return Some(LeftOutWhy::NotAFile);
    }
    if bytes > bounds.file_bytes_max {
        return Some(LeftOutWhy::TooLarge { bytes });
    }
    (bytes > bytes_left).then_some(LeftOutWhy::TooMuch)
}

/// The names git itself refuses: its folder in any case, and the short name Windows gives it.
fn is_gits_own(name: &[u8]) -> bool {
    // Windows drops dots and blanks at the end of a name, and what follows a colon.
    let until = name.iter().position(|byte| *byte == b':').unwrap_or(name.len());
    let end = name[..until].iter().rposition(|byte| !matches!(byte, b' ' | b'.'));
    let trimmed = &name[..end.map_or(0, |last| last + 1)];
    trimmed.eq_ignore_ascii_case(b".git") || trimmed.eq_ignore_ascii_case(b"git~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_git_takes_for_its_own_folder_is_known() {
        let check = |name: &str, expected: bool| {
            assert_eq!(is_gits_own(name.as_bytes()), expected, "{name}");
        };
        for name in [".git", ".GIT", ".Git", "git~1", "GIT~1", ".git ", ".git...", ".git::$INDEX"] {
            check(name, true);
        }
        for name in [".gitignore", ".gitattributes", "git", "git~2", "...", " ", ".github"] {
            check(name, false);
        }
    }
}
