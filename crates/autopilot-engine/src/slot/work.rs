//! Work that is not committed yet: kept after every attempt as a commit outside the branches, so that it survives a crash, can be
//! put back under the next attempt, and becomes a commit of the branch exactly as it was measured.

use std::path::{Path, PathBuf};

use super::parts::WorkPart;
use super::rescue::RefCommand;
use super::settle::Head;
use super::snapshot::FOR_COMMIT;
use super::{LeftOut, Slot};
use crate::git::{Branch, Entry, GitError, ObjectId, OnDisk, line_of};

/// What an attempt left in the slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptWork {
    /// Its tree is the slot; its parent the commit the attempt started from.
    pub commit: ObjectId,
    pub files: u32,
    /// Added and removed ones together.
    pub lines: u64,
    /// Commits the agent made itself; they are part of the work now.
    pub own_commits: u32,
    pub left_out: Vec<LeftOut>,
}

/// What is kept of an attempt, and which of its changes are not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// None when nothing that is kept differs.
    pub work: Option<KeptWork>,
    /// Changed files that were passed over because the caller said so.
    pub passed_over: Vec<PathBuf>,
}

/// Kept work that becomes a commit of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkOrder {
    pub branch: Branch,
    /// Where the branch must stand.
    pub parent: ObjectId,
    pub work: ObjectId,
    pub message: String,
    /// Commits of some of its files each, which come before.
    pub parts: Vec<WorkPart>,
    pub key: String,
    pub trailers: Vec<(String, String)>,
}

impl Slot {
    /// Keeps what differs from `head`, except what is to be passed over.
    ///
    /// One process when nothing changed, seven otherwise.
    pub fn keep_work(
        &self,
        branch: &Branch,
        head: &ObjectId,
        is_passed_over: &dyn Fn(&Path) -> bool,
    ) -> Result<Kept, GitError> {
        let mut status = self.status()?;
        let own_commits = match self.head_in(&status, branch, head)? {
            Head::InPlace => 0,
            Head::Moved { .. } => {
                let folded = self.fold(branch, head, "folded")?;
                status = self.status()?;
                folded.commits.len()
            }
        };
        let (passed, entries): (Vec<Entry>, Vec<Entry>) =
            status.entries.into_iter().partition(|entry| is_passed_over(&entry.path));
        let passed = passed.into_iter().filter(|entry| entry.on_disk != OnDisk::Same);
        let passed_over: Vec<PathBuf> = passed.map(|entry| entry.path).collect();
        let sorted = self.sort(&entries, &[], FOR_COMMIT);
        if sorted.paths.is_empty() {
            return Ok(Kept { work: None, passed_over });
        }
        let tree = self.snapshot(&sorted)?.tree;
        if tree == self.git().tree_of(&self.place, head)? {
            return Ok(Kept { work: None, passed_over });
        }
        let run = self.names.run();
        let message = format!("work in progress\n\nAutopilot-Run: {run}\n");
        let commit = self.git().commit_object(&self.place, &tree, head, &message)?;
        self.update_ref_to(&self.names.work(), &commit)?;
        let (files, lines) = self.size_of(head, &commit)?;
        let work = KeptWork {
            commit,
            files,
            lines,
            own_commits: u32::try_from(own_commits).unwrap_or(u32::MAX),
            left_out: sorted.left_out,
        };
        Ok(Kept { work: Some(work), passed_over })
    }

    /// Puts the slot on the branch at `head`, clean, and lays kept work on top of it, uncommitted. Files that differ are dropped:
    /// whatever was worth keeping was kept when its attempt ended. Commits of the branch that `head` lacks are rescued.
    ///
    /// One process when there is nothing to do; two more for the work.
    pub fn put(
        &self,
        branch: &Branch,
        head: &ObjectId,
        work: Option<&ObjectId>,
        label: &str,
    ) -> Result<(), GitError> {
        self.reset(branch, head, label)?;
        if let Some(work) = work {
            self.git().must_at(&self.place, &["read-tree", "--reset", "-u", work.as_str()])?;
            self.git().must_at(&self.place, &["read-tree", "--reset", head.as_str()])?;
            self.show_index()?;
        }
        Ok(())
    }

    /// Puts the slot on a commit without a branch. What was left in it by somebody else is rescued.
    pub fn put_detached(&self, at: &ObjectId) -> Result<(), GitError> {
        if self.has_files() {
            self.rescue("left-in-slot")?;
        }
        let moved = ["update-ref", "--no-deref", "-m", "autopilot", "HEAD", at.as_str()];
        self.git().must_at(&self.place, &moved)?;
        let status = self.status()?;
        self.replace_files(&status, at)
    }

    /// Makes the kept work the next commit of its branch; the commit is returned, or the one that was made before. None when
    /// the work has nothing that its parent has not.
    ///
    /// Five processes; the files of the slot are not touched.
    pub fn commit_work(&self, order: &WorkOrder) -> Result<Option<ObjectId>, GitError> {
        self.ready()?;
        let refs = self.refs(Some(&order.branch))?;
        let tip = refs.tip.unwrap_or_else(|| order.parent.clone());
        if let Some(made) = self.found(&order.parent, &tip, &order.key)? {
            return Ok(Some(made));
        }
        let tree = self.git().tree_of(&self.place, &order.work)?;
        if tree == self.git().tree_of(&self.place, &order.parent)? {
            return Ok(None);
        }
        let commit = self.commit_in_parts(order, &tree)?;
        self.update_refs(&[RefCommand::move_to(&order.branch.full(), &commit, Some(&tip))])?;
        Ok(Some(commit))
    }

    /// Gives a commit a name under the run's rescues, so that it lasts. The name that it has already is returned.
    pub fn keep_ref(&self, commit: &ObjectId, label: &str) -> Result<String, GitError> {
        let refs = self.refs(None)?;
        let (rescue, command) = self.keep_commit(commit, &refs, label, &[])?;
        self.update_refs(command.as_slice())?;
        Ok(rescue.name)
    }

    /// Sets a ref of ours wherever it stands.
    pub(super) fn update_ref_to(&self, name: &str, commit: &ObjectId) -> Result<(), GitError> {
        self.checkout.remove_stale_lock(name)?;
        let moved = ["update-ref", "--no-deref", "-m", "autopilot", name, commit.as_str()];
        self.git().must_at(&self.place, &moved)?;
        Ok(())
    }

    /// Files and lines that differ between two commits.
    fn size_of(&self, from: &ObjectId, to: &ObjectId) -> Result<(u32, u64), GitError> {
        let arguments = ["diff-tree", "-r", "--shortstat", from.as_str(), to.as_str()];
        let finished = self.git().must_at(&self.place, &arguments)?;
        // ` 3 files changed, 10 insertions(+), 2 deletions(-)`
        let said = line_of(&finished);
        let number = |part: &str| part.split_whitespace().next()?.parse::<u64>().ok();
        let mut numbers = said.split(',').filter_map(number);
        let files = numbers.next().unwrap_or_default();
        Ok((u32::try_from(files).unwrap_or(u32::MAX), numbers.sum()))
    }
}
