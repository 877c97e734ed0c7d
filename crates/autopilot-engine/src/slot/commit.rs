//! The commits the engine makes: one for each piece of work, as the user, unsigned, without hooks, with trailers that say
//! what it belongs to. A commit is looked for by its key before it is made, so that a kill in between costs nothing.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use autopilot_core::limits;

use super::rescue::RefCommand;
use super::snapshot::FOR_COMMIT;
use super::{LeftOut, Slot};
use crate::git::{Branch, GitError, ObjectId, Status};

/// One commit to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitOrder {
    pub branch: Branch,
    /// Where the branch began. A commit with the same key is looked for from there on.
    pub base: ObjectId,
    /// Subject and body. What follows them is written here.
    pub message: String,
    /// Names this commit for ever; it must not be guessable by the one whose work is committed.
    pub key: String,
    /// `Autopilot-Phase`, `Autopilot-Task` and what else belongs to it. The run and the key are added.
    pub trailers: Vec<(String, String)>,
    /// Files and folders that stay out, relative to the slot.
    pub exclude: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Made {
        commit: ObjectId,
        files: Vec<PathBuf>,
        left_out: Vec<LeftOut>,
    },
    NothingToCommit {
        left_out: Vec<LeftOut>,
    },
    /// It was made before.
    Found {
        commit: ObjectId,
    },
}

/// The commits since the base: is one of them ours, and which tree has the last?
struct Since {
    found: Option<ObjectId>,
    tree: Option<ObjectId>,
}

impl Slot {
    /// Commits every file that is not ignored, except the excluded ones and what is left out by name: repositories inside the
    /// repository, too large files, what is no file. A symbolic link is committed as a link and never followed.
    ///
    /// HEAD has to stand on the branch: what an agent committed is folded first. Six processes, two when it is found.
    pub fn commit(&self, order: &CommitOrder) -> Result<Outcome, GitError> {
        let mut status = self.status()?;
        let elsewhere = || GitError::HeadElsewhere {
            folder: self.folder.clone(),
            branch: order.branch.short().into(),
        };
        let on_branch = status.branch.as_deref() == Some(order.branch.short());
        let tip = status.head.clone().filter(|_| on_branch).ok_or_else(elsewhere)?;
        let since = self.since(&order.base, &tip, &order.key)?;
        if let Some(commit) = since.found {
            self.take_over_index(&status, &tip)?;
            return Ok(Outcome::Found { commit });
        }
        if self.take_over_index(&status, &tip)? {
            status = self.status()?;
        }
        let sorted = self.sort(&status.entries, &order.exclude, FOR_COMMIT);
        if sorted.paths.is_empty() {
            return Ok(Outcome::NothingToCommit { left_out: sorted.left_out });
        }
        let snapshot = self.snapshot(&sorted)?;
        let (files, left_out) = (sorted.paths, sorted.left_out);
        if since.tree.as_ref() == Some(&snapshot.tree) {
            return Ok(Outcome::NothingToCommit { left_out });
        }
        let message = self.text(&order.message, &order.key, &order.trailers);
        let commit = self.git().commit_object(&self.place, &snapshot.tree, &tip, &message)?;
        let moved = RefCommand::move_to(&order.branch.full(), &commit, Some(&tip));
        self.update_refs(&[moved])?;
        let failed = |source| GitError::Io { path: snapshot.index.clone(), source };
        std::fs::rename(&snapshot.index, &self.index).map_err(failed)?;
        self.show_index()?;
        Ok(Outcome::Made { commit, files, left_out })
    }

    /// After a kill between moving the branch and taking over the index, or without an index, ours is not what HEAD has. What
    /// is excluded from a commit would then be committed as it was in the index.
    fn take_over_index(&self, status: &Status, tip: &ObjectId) -> Result<bool, GitError> {
        let is_old = status.entries.iter().any(|entry| entry.is_staged);
        if is_old {
            self.git().must_at(&self.place, &["read-tree", "--reset", tip.as_str()])?;
            self.show_index()?;
        }
        Ok(is_old)
    }

    fn since(&self, base: &ObjectId, tip: &ObjectId, key: &str) -> Result<Since, GitError> {
        let count = format!("--max-count={}", limits::COMMITS_LISTED_MAX);
        let format = "--format=%H %T %(trailers:key=Autopilot-Key,valueonly,separator=%x0A)";
        // The base is listed too, for its tree; its parents and what came before are not.
        let before_base = format!("{base}^@");
        let arguments =
            ["log", "-z", "--no-patch", format, &count, tip.as_str(), "--not", &before_base, "--"];
        let finished = self.git().must_at(&self.place, &arguments)?;
        let said = finished.stdout.text();
        let mut since = Since { found: None, tree: None };
        for record in said.split('\0') {
            let mut parts = record.splitn(3, ' ');
            let mut id = || parts.next().and_then(ObjectId::parse);
            let (Some(commit), Some(tree)) = (id(), id()) else { continue };
            let keys = parts.next().unwrap_or_default();
            if commit != *base && keys.lines().any(|found| found == one_line(key)) {
                since.found.get_or_insert(commit);
            }
            since.tree.get_or_insert(tree);
        }
        Ok(since)
    }

    /// A commit with this key between the base and the tip. One process, none when they are the same.
    pub(super) fn found(
        &self,
        base: &ObjectId,
        tip: &ObjectId,
        key: &str,
    ) -> Result<Option<ObjectId>, GitError> {
        if base == tip { Ok(None) } else { Ok(self.since(base, tip, key)?.found) }
    }

    /// The commit with this key that the branch has on top of `base`, made before its record was lost. Only if it touches
    /// nothing but what lies at `paths`: a key can be forged by whoever sees the repository. One process when the branch stands
    /// at the base, three otherwise.
    pub fn made_before(
        &self,
        branch: &Branch,
        base: &ObjectId,
        key: &str,
        paths: &[PathBuf],
    ) -> Result<Option<ObjectId>, GitError> {
        let Some(tip) = self.refs(Some(branch))?.tip else { return Ok(None) };
        if self.found(base, &tip, key)?.as_ref() != Some(&tip) {
            return Ok(None);
        }
        let changed = ["diff-tree", "-r", "-z", "--name-only", base.as_str(), tip.as_str()];
        let finished = self.git().must_at(&self.place, &changed)?;
        let said = finished.stdout.bytes();
        let mut names = said.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let is_ours = |name: &[u8]| {
            let name = Path::new(OsStr::from_bytes(name));
            paths.iter().any(|path| name.starts_with(path))
        };
        Ok((finished.stdout.dropped_bytes() == 0 && names.all(is_ours)).then_some(tip))
    }

    /// The trailers are a paragraph of their own at the end, so nothing in the message can pass for one.
    pub(super) fn text(&self, message: &str, key: &str, trailers: &[(String, String)]) -> String {
        let run = [("Autopilot-Run".to_owned(), self.names.run().to_owned())];
        let key = [("Autopilot-Key".to_owned(), key.to_owned())];
        let trailers = run.iter().chain(trailers).chain(&key);
        // Git refuses a message with a zero byte in it.
        let mut text = message.replace('\0', " ").trim().to_owned();
        text.push_str("\n\n");
        for (name, value) in trailers {
            text.push_str(&format!("{}: {}\n", one_line(name), one_line(value)));
        }
        text
    }
}

/// A line break in a value would begin another trailer.
fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c == '\0')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
