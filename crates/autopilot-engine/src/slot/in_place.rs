//! The user's own folder lent to a run (`--in-place`): agents that change files work there, with the user's caches and
//! installed packages around them. Branches, refs and HEAD are the slot's; only the files are the user's, and an index of ours
//! that says what they are. The user's HEAD, index and branch stay as they are while the folder is lent.
//!
//! What the files were is kept under a ref before the first of them is touched, and the folder goes back to that, whoever was
//! killed when. Nothing in it is overwritten or removed that is not in some commit: what nobody knows is kept under a rescue
//! ref first, and what cannot be kept stays where it is.

use std::path::PathBuf;

use super::rescue::Refs;
use super::settle::Files;
use super::snapshot::{FOR_COMMIT, Snapshot};
use super::{LeftOutWhy, Rescue, Slot, beside};
use crate::git::{Branch, Entry, GitError, ObjectId, OnDisk, Place, remove_if_there, user_tree};

/// For the refs of what was found in the folder and is in no commit.
const LABEL: &str = "in-place";

/// A slot whose files are the user's.
#[derive(Debug, Clone)]
pub struct InPlace {
    slot: Slot,
}

impl InPlace {
    /// On the branches of `slot`.
    pub fn of(slot: &Slot) -> InPlace {
        let index = beside(&slot.worktree, "-in-place.index");
        let folder = slot.checkout.root().to_path_buf();
        let place = Place::named(&folder, &slot.git_dir, &slot.checkout.common_dir);
        let place = place.with_index(&index);
        InPlace { slot: Slot { folder, index, place, ..slot.clone() } }
    }

    /// What is left in it is looked at and kept like in any slot.
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Puts the files on the branch at `head`, with kept work on top of it where there is some. The folder is lent from here
    /// on; before that the user has to stand on `users` with nothing uncommitted but planning files.
    pub fn put(
        &self,
        branch: &Branch,
        head: &ObjectId,
        work: Option<&ObjectId>,
        users: Option<&str>,
    ) -> Result<Vec<Rescue>, GitError> {
        self.lend(users)?;
        let mut kept = self.slot.settle(branch, head, LABEL, Files::Leave)?;
        kept.extend(self.replace_files(work.unwrap_or(head))?);
        let reset = ["read-tree", "--reset", head.as_str()];
        self.slot.git().must_at(&self.slot.place, &reset)?;
        Ok(kept)
    }

    /// Whether a run has the folder, or had it when it was killed. One process.
    pub fn is_lent(&self) -> Result<bool, GitError> {
        Ok(self.home()?.is_some())
    }

    /// The files become what they were when they were lent. Nothing where they are the user's already.
    pub fn give_back(&self) -> Result<Vec<Rescue>, GitError> {
        let Some(home) = self.home()? else { return Ok(Vec::new()) };
        let kept = self.replace_files(&home)?;
        // What it says of the files is of no use to whoever lends them next.
        remove_if_there(&self.slot.index)?;
        let name = self.slot.names.home();
        self.slot.checkout.remove_stale_lock(&name)?;
        let gone = ["update-ref", "--no-deref", "-d", &name, home.as_str()];
        self.slot.git().must_at(&self.slot.place, &gone)?;
        Ok(kept)
    }

    /// What the files become between two attempts: as in the commit, without what was laid out for the last agent, which is on
    /// record and not kept once more.
    pub fn leave_at(&self, head: &ObjectId, work: Option<&ObjectId>) -> Result<(), GitError> {
        let (snapshot, _) = self.files()?;
        self.take_over(&snapshot, work.unwrap_or(head))?;
        let reset = ["read-tree", "--reset", head.as_str()];
        self.slot.git().must_at(&self.slot.place, &reset)?;
        Ok(())
    }

    /// The refs of what was found in the folder during this run and was in no commit. One process.
    pub fn found(&self) -> Result<Vec<String>, GitError> {
        let pattern = format!("{}{LABEL}*", self.slot.names.rescues());
        let asked = ["for-each-ref", "--format=%(refname)", &pattern];
        let finished = self.slot.git().must_at(&self.slot.place, &asked)?;
        Ok(finished.stdout.text().lines().map(ToString::to_string).collect())
    }

    /// What the files were, while they are lent. One process.
    fn home(&self) -> Result<Option<ObjectId>, GitError> {
        let name = format!("{}^{{commit}}", self.slot.names.home());
        let asked = ["rev-parse", "--quiet", "--verify", &name];
        self.slot.git().id_or_none(&self.slot.place, &asked)
    }

    fn lend(&self, users: Option<&str>) -> Result<(), GitError> {
        if self.home()?.is_some() {
            return Ok(());
        }
        let seen = user_tree::look(&self.slot.checkout)?;
        if let Some(expected) = users.filter(|expected| seen.branch.as_deref() != Some(expected)) {
            return Err(GitError::UserElsewhere { found: seen.branch, expected: expected.into() });
        }
        if let Some(path) = seen.dirty.into_iter().next() {
            return Err(GitError::UserChanged { path });
        }
        // Of an earlier lending it may tell of files that were changed since.
        remove_if_there(&self.slot.index)?;
        let (snapshot, parent) = self.files()?;
        let parent = match seen.head {
            Some(head) => head,
            None => parent,
        };
        let git = self.slot.git();
        let home = match snapshot.tree == git.tree_of(&self.slot.place, &parent)? {
            true => parent,
            false => {
                let message =
                    format!("planning: before run {} had the folder\n", self.slot.names.run());
                git.commit_object(&self.slot.place, &snapshot.tree, &parent, &message)?
            }
        };
        self.slot.update_ref_to(&self.slot.names.home(), &home)
    }

    /// The files as a tree, with an index that knows each of them; and the commit HEAD stands on.
    fn files(&self) -> Result<(Snapshot, ObjectId), GitError> {
        let status = self.slot.status()?;
        let sorted = self.slot.sort(&status.entries, &[], FOR_COMMIT);
        let is_tracked = |entry: &&Entry| entry.on_disk == OnDisk::Changed;
        let tracked = status.entries.iter().filter(is_tracked).map(|entry| &entry.path);
        let tracked: Vec<&PathBuf> = tracked.collect();
        let is_too_large = |why: &LeftOutWhy| match why {
            LeftOutWhy::TooLarge { .. } | LeftOutWhy::TooMuch => true,
            LeftOutWhy::Repository | LeftOutWhy::NotAFile | LeftOutWhy::ForbiddenName => false,
        };
        let mut lost = sorted.left_out.iter().filter(|one| is_too_large(&one.why));
        if let Some(lost) = lost.find(|one| tracked.contains(&&one.path)) {
            return Err(GitError::TooLargeToKeep { path: lost.path.clone() });
        }
        let head = match status.head {
            Some(head) => head,
            None => {
                let users = &self.slot.checkout.place;
                self.slot.git().id_from(users, &["rev-parse", "--verify", "HEAD"])?
            }
        };
        Ok((self.slot.snapshot(&sorted)?, head))
    }

    /// Files and index become those of the commit. New files that were kept go; what could not be kept stays.
    fn replace_files(&self, to: &ObjectId) -> Result<Vec<Rescue>, GitError> {
        let (snapshot, head) = self.files()?;
        let mut kept = Vec::new();
        if !self.is_known(&snapshot.tree, &[to, &head])? {
            let refs: Refs = self.slot.refs(None)?;
            let (rescue, command) = self.slot.keep_tree(&snapshot.tree, &head, &refs, LABEL)?;
            self.slot.update_refs(command.as_slice())?;
            kept.push(rescue);
        }
        self.take_over(&snapshot, to)?;
        Ok(kept)
    }

    fn take_over(&self, snapshot: &Snapshot, to: &ObjectId) -> Result<(), GitError> {
        let failed = |source| GitError::Io { path: self.slot.index.clone(), source };
        // It knows the new files too, so that git takes them away with the rest, and only those.
        std::fs::rename(&snapshot.index, &self.slot.index).map_err(failed)?;
        let reset = ["read-tree", "--reset", "-u", to.as_str()];
        self.slot.git().must_at(&self.slot.place, &reset)?;
        Ok(())
    }

    /// Whether some commit has these files: one of those named, the last work that was kept, or what the files were.
    fn is_known(&self, tree: &ObjectId, commits: &[&ObjectId]) -> Result<bool, GitError> {
        let names = [self.slot.names.work(), self.slot.names.home()];
        let names = names.iter().map(|name| format!("{name}^{{tree}}"));
        let trees = commits.iter().map(|commit| commit.tree_of()).chain(names);
        for name in trees {
            let asked = ["rev-parse", "--quiet", "--verify", &name];
            if self.slot.git().id_or_none(&self.slot.place, &asked)?.as_ref() == Some(tree) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
#[path = "in_place_tests.rs"]
mod tests;
