//! Cuts one piece of kept work into several commits by its files. What each commit holds comes from the kept tree alone: the names that
//! somebody gave for a part only choose among the files the work really changed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::work::WorkOrder;
use super::{Slot, beside};
use crate::git::{GitError, ObjectId, remove_if_there};

/// Some of the files of kept work, with the message of their commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkPart {
    pub message: String,
    pub files: Vec<PathBuf>,
}

/// A changed file as `update-index --index-info` takes it.
struct Changed {
    path: PathBuf,
    line: Vec<u8>,
}

impl Slot {
    /// The last commit of a chain on the order's parent; its tree is `tree`, and it alone carries the key. Nothing points to the
    /// chain yet: a kill leaves objects nobody sees.
    ///
    /// One process for work that is not cut, and four a part.
    pub(super) fn commit_in_parts(
        &self,
        order: &WorkOrder,
        tree: &ObjectId,
    ) -> Result<ObjectId, GitError> {
        let mut parent = order.parent.clone();
        let mut left = if order.parts.is_empty() { Vec::new() } else { self.changed(order, tree)? };
        let mut last_message = order.message.clone();
        for part in &order.parts {
            let wanted: BTreeSet<&Path> = part.files.iter().map(PathBuf::as_path).collect();
            let (taken, rest): (Vec<Changed>, Vec<Changed>) =
                left.into_iter().partition(|one| wanted.contains(one.path.as_path()));
            left = rest;
            if left.is_empty() {
                // Nothing is left over: this part is the last commit.
                last_message.clone_from(&part.message);
                break;
            }
            if !taken.is_empty() {
                parent = self.commit_part(order, &parent, &part.message, &taken)?;
            }
        }
        let message = self.text(&last_message, &order.key, &order.trailers);
        self.git().commit_object(&self.place, tree, &parent, &message)
    }

    fn commit_part(
        &self,
        order: &WorkOrder,
        parent: &ObjectId,
        message: &str,
        taken: &[Changed],
    ) -> Result<ObjectId, GitError> {
        let index = beside(&self.index, "-part");
        remove_if_there(&index)?;
        let place = self.place.with_index(&index);
        self.git().must_at(&place, &["read-tree", parent.as_str()])?;
        let lines: Vec<u8> = taken.iter().flat_map(|one| one.line.iter().copied()).collect();
        self.git().tell_at(&place, &["update-index", "-z", "--index-info"], lines)?;
        let tree = self.git().id_from(&place, &["write-tree"])?;
        remove_if_there(&index)?;
        // Found again by the key of the last one; a key of its own would be taken for the whole.
        let key = format!("{}.part", order.key);
        let message = self.text(message, &key, &order.trailers);
        self.git().commit_object(&self.place, &tree, parent, &message)
    }

    /// What differs between the order's parent and its tree.
    fn changed(&self, order: &WorkOrder, tree: &ObjectId) -> Result<Vec<Changed>, GitError> {
        let from = order.parent.as_str();
        let arguments = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from];
        let arguments = arguments.into_iter().chain([tree.as_str()]).collect::<Vec<_>>();
        let finished = self.git().must_at(&self.place, &arguments)?;
        if finished.stdout.dropped_bytes() > 0 {
            return Err(GitError::TooManyChanges { root: self.folder.clone() });
        }
        let bytes = finished.stdout.bytes();
        read(&bytes).ok_or_else(|| {
            let said = String::from_utf8_lossy(&bytes).into_owned();
            GitError::NotUnderstood { asked: "diff-tree".into(), said }
        })
    }
}

/// `:mode mode id id X`, path, each ended by a zero byte.
fn read(bytes: &[u8]) -> Option<Vec<Changed>> {
    let mut fields = bytes.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut changed = Vec::new();
    while let Some(raw) = fields.next() {
        let words: Vec<&[u8]> = raw.strip_prefix(b":")?.split(|byte| *byte == b' ').collect();
        let path = fields.next()?;
        let [_, mode, _, id, _] = words.as_slice() else { return None };
        // A mode of zeros takes the path out.
        let line = [*mode, b" ", *id, b"\t", path, b"\0"].concat();
        changed.push(Changed { path: PathBuf::from(OsStr::from_bytes(path)), line });
    }
    Some(changed)
}
