//! What was changed in a slot since a commit, file by file.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::settle::is_at;
use super::snapshot::FOR_COMMIT;
use super::{LeftOut, Slot, clean};
use crate::git::{Branch, GitError, ObjectId, OnDisk};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// Sorted as git sorts paths.
    pub files: Vec<Change>,
    /// The files as they are now, committed or not.
    pub tree: ObjectId,
    /// Changes no commit would take in.
    pub left_out: Vec<LeftOut>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    pub kind: ChangeKind,
    /// Zero for files that are not text.
    pub added_lines: u64,
    pub removed_lines: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    Renamed { from: PathBuf },
}

/// What a slot has that its commit has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// Changed, deleted and new files.
    pub changed: Vec<PathBuf>,
    /// Ignored ones that no tool keeps for itself.
    pub ignored: Vec<PathBuf>,
    /// HEAD stands where it was left.
    pub is_in_place: bool,
}

impl Changes {
    pub fn added_lines(&self) -> u64 {
        self.files.iter().map(|file| file.added_lines).sum()
    }

    pub fn removed_lines(&self) -> u64 {
        self.files.iter().map(|file| file.removed_lines).sum()
    }
}

impl Slot {
    /// What somebody did who was only to look. One process.
    pub fn touched(&self, branch: &Branch, head: &ObjectId) -> Result<Touched, GitError> {
        self.ready()?;
        let status = match self.git().status_and_ignored(&self.place) {
            // Without a sound index it is made anew; what is ignored is looked at another time.
            Err(GitError::Refused { .. }) => self.status()?,
            answer => answer?,
        };
        let is_in_place = is_at(&status, branch, head);
        let is_left = |path: &PathBuf| !path.iter().any(clean::is_tools_own);
        let entries = status.entries.into_iter().filter(|entry| entry.on_disk != OnDisk::Same);
        Ok(Touched {
            changed: entries.map(|entry| entry.path).collect(),
            ignored: status.ignored.into_iter().filter(is_left).collect(),
            is_in_place,
        })
    }

    /// The difference between a commit and the files as they are: committed since, changed, or new and not ignored. More than
    /// `limits::GIT_STATUS_BYTES_MAX` can list is an error.
    ///
    /// Three processes when nothing is uncommitted, four otherwise.
    pub fn changes(&self, base: &ObjectId) -> Result<Changes, GitError> {
        let status = self.status()?;
        let sorted = self.sort(&status.entries, &[], FOR_COMMIT);
        let tree = match &status.head {
            Some(head) if status.entries.is_empty() => self.git().tree_of(&self.place, head)?,
            _ => self.snapshot(&sorted)?.tree,
        };
        let arguments = [
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--numstat",
            "--no-abbrev",
            "--find-renames",
            "-l400",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=all",
            base.as_str(),
            tree.as_str(),
        ];
        let finished = self.git().must_at(&self.place, &arguments)?;
        if finished.stdout.dropped_bytes() > 0 {
            return Err(GitError::TooManyChanges { root: self.folder.clone() });
        }
        let bytes = finished.stdout.bytes();
        let files = read(&bytes).ok_or_else(|| {
            let said = String::from_utf8_lossy(&bytes).into_owned();
            GitError::NotUnderstood { asked: "diff-tree".into(), said }
        })?;
        Ok(Changes { files, tree, left_out: sorted.left_out })
    }
}

/// First every file as `:mode mode id id X`, path; then, in the same order, its lines as `added TAB removed TAB path`. Of a
/// renamed file the old path and the new one follow instead.
fn read(bytes: &[u8]) -> Option<Vec<Change>> {
    let mut fields = bytes.split(|byte| *byte == 0).filter(|field| !field.is_empty()).peekable();
    let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
    let mut files = Vec::new();
    while let Some(raw) = fields.next_if(|field| field.starts_with(b":")) {
        let kind = raw.rsplit(|byte| *byte == b' ').next()?.first()?;
        let first = path(fields.next()?);
        let (path, kind) = match kind {
            b'A' => (first, ChangeKind::Added),
            b'D' => (first, ChangeKind::Deleted),
            b'M' | b'T' => (first, ChangeKind::Modified),
            b'R' => (path(fields.next()?), ChangeKind::Renamed { from: first }),
            _ => return None,
        };
        files.push(Change { path, kind, added_lines: 0, removed_lines: 0 });
    }
    for file in &mut files {
        let mut parts = fields.next()?.splitn(3, |byte| *byte == b'\t');
        // A dash stands for a file that is not text.
        let mut lines = || parts.next().map(|n| String::from_utf8_lossy(n).parse().unwrap_or(0));
        (file.added_lines, file.removed_lines) = (lines()?, lines()?);
        if let ChangeKind::Renamed { .. } = file.kind {
            fields.nth(1)?;
        }
    }
    fields.next().is_none().then_some(files)
}
