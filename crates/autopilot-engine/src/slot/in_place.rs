//! The user's own folder lent to a run (`--in-place`): agents that change files work there, with the user's caches and
//! installed packages around them. Branches, refs and HEAD are the slot's; only the files are the user's, and an index of ours
//! that says what they are. The user's HEAD, index and branch stay as they are while the folder is lent.
//!
//! What the files were is kept under a ref before the first of them is touched, and the folder goes back to that, whoever was
//! killed when. Nothing in it is overwritten or removed that is not in some commit: what nobody knows is kept under a rescue
//! ref first, what no commit can hold is moved to `.autopilot/damaged/`, and what git ignored when the folder was lent is never
//! touched, whatever an agent made of `.gitignore`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::rescue::Refs;
use super::settle::Files;
use super::snapshot::{FOR_COMMIT, Snapshot, Sorted};
use super::{Rescue, Slot, beside};
use crate::git::{
    Branch, GitError, ObjectId, OnDisk, Place, Status, line_of, null_terminated, remove_if_there,
    user_tree,
};

mod planted;

use planted::Aside;

/// For the refs of what was found in the folder and is in no commit.
const LABEL: &str = "in-place";
/// Somebody who types in the folder while files are put there is waited for; whoever never stops is told.
const TRIES_MAX: u32 = 5;

/// A slot whose files are the user's.
#[derive(Debug, Clone)]
pub struct InPlace {
    slot: Slot,
}

/// What lies in the folder.
struct Found {
    sorted: Sorted,
    head: ObjectId,
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

    /// What is left in it is looked at and kept like in any slot, once `clear` has been there.
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Puts the files on the branch at `head`, with kept work on top of it where there is some. The folder is lent from here
    /// on. The user has to stand on `users`, where they stood when it was lent, and then with nothing uncommitted but planning
    /// files.
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
        self.refresh()?;
        Ok(kept)
    }

    /// Whether a run has the folder, or had it when it was killed. One process.
    pub fn is_lent(&self) -> Result<bool, GitError> {
        Ok(self.home()?.is_some())
    }

    /// The files become what they were when they were lent; or, where the user committed or went to another branch since, what
    /// that commit has. Nothing where they are the user's already.
    pub fn give_back(&self) -> Result<Vec<Rescue>, GitError> {
        let Some(home) = self.home()? else {
            // What was ignored goes last; whoever was killed before that has given all else back.
            self.take_away(&self.slot.names.home_ignored())?;
            return Ok(Vec::new());
        };
        let mut kept = Vec::new();
        let target = match self.users_head()? {
            Some(now) if now != self.lent_at(&home)? => {
                kept.extend(self.keep_home(&home)?);
                now
            }
            Some(_) | None => home.clone(),
        };
        match self.replace_files(&target) {
            Ok(more) => kept.extend(more),
            // A file that git cannot take in, such as one an agent gave an encoding it does not have.
            Err(GitError::Refused { .. }) => self.replace_by_force(&target)?,
            Err(error) => return Err(error),
        }
        // What it says of the files is of no use to whoever lends them next.
        remove_if_there(&self.slot.index)?;
        self.take_away(&self.slot.names.home())?;
        self.take_away(&self.slot.names.home_ignored())?;
        Ok(kept)
    }

    /// A ref, there or not.
    fn take_away(&self, name: &str) -> Result<(), GitError> {
        self.slot.checkout.remove_stale_lock(name)?;
        let words = ["update-ref", "--no-deref", "-d", name];
        self.slot.git().must_at(&self.slot.place, &words)?;
        Ok(())
    }

    /// Before anything looks at what an agent left.
    pub fn clear(&self) -> Result<(), GitError> {
        planted::clear(&self.aside(), &self.theirs()?)
    }

    /// What git ignored when the folder was lent: the user's, and no part of any work. One process.
    pub fn theirs(&self) -> Result<BTreeSet<PathBuf>, GitError> {
        let name = self.slot.names.home_ignored();
        let finished = self.slot.git().ask_at(&self.slot.place, &["cat-file", "blob", &name])?;
        let bytes = finished.stdout.bytes();
        let paths = bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| PathBuf::from(OsStr::from_bytes(path))).collect())
    }

    /// Where to find what was in the folder during this run and in no commit: refs, and the folder of what no commit can hold.
    /// One process.
    pub fn found(&self) -> Result<Vec<String>, GitError> {
        let pattern = format!("{}{LABEL}*", self.slot.names.rescues());
        let asked = ["for-each-ref", "--format=git show %(refname)", &pattern];
        let finished = self.slot.git().must_at(&self.slot.place, &asked)?;
        let mut found: Vec<String> =
            finished.stdout.text().lines().map(ToString::to_string).collect();
        found.extend(self.aside().folder().map(|folder| format!("ls -A '{}'", folder.display())));
        Ok(found)
    }

    fn aside(&self) -> Aside {
        Aside::of(&self.slot.folder, self.slot.names.run())
    }

    /// What the files were, while they are lent: a commit on top of the one the user stood on. One process.
    fn home(&self) -> Result<Option<ObjectId>, GitError> {
        self.commit_named(&self.slot.names.home())
    }

    fn lent_at(&self, home: &ObjectId) -> Result<ObjectId, GitError> {
        let asked = ["rev-parse", "--quiet", "--verify", &format!("{home}^1")];
        self.slot.git().id_from(&self.slot.place, &asked)
    }

    fn commit_named(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        let asked = ["rev-parse", "--quiet", "--verify", &format!("{name}^{{commit}}")];
        self.slot.git().id_or_none(&self.slot.place, &asked)
    }

    fn users_head(&self) -> Result<Option<ObjectId>, GitError> {
        let asked = ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"];
        self.slot.git().id_or_none(&self.slot.checkout.place, &asked)
    }

    /// The user is elsewhere by now, and their planning files were in no commit: they are named. None where all was committed.
    fn keep_home(&self, home: &ObjectId) -> Result<Option<Rescue>, GitError> {
        let before = self.lent_at(home)?;
        let tree = self.slot.git().tree_of(&self.slot.place, home)?;
        if tree == self.slot.git().tree_of(&self.slot.place, &before)? {
            return Ok(None);
        }
        self.keep(&tree, &before).map(Some)
    }

    fn keep(&self, tree: &ObjectId, parent: &ObjectId) -> Result<Rescue, GitError> {
        let refs: Refs = self.slot.refs(None)?;
        let (rescue, command) = self.slot.keep_tree(tree, parent, &refs, LABEL)?;
        self.slot.update_refs(command.as_slice())?;
        Ok(rescue)
    }

    fn lend(&self, users: Option<&str>) -> Result<(), GitError> {
        let seen = self.slot.git().status_and_ignored(&self.slot.checkout.place)?;
        if let Some(expected) = users.filter(|expected| seen.branch.as_deref() != Some(expected)) {
            return Err(GitError::UserElsewhere { found: seen.branch, expected: expected.into() });
        }
        if let Some(home) = self.home()? {
            let at = self.lent_at(&home)?;
            return match seen.head == Some(at) {
                true => Ok(()),
                false => Err(GitError::UserCommitted),
            };
        }
        let is_dirty = |path: &&PathBuf| !user_tree::is_planning(path);
        if let Some(path) = seen.entries.iter().map(|entry| &entry.path).find(is_dirty) {
            return Err(GitError::UserChanged { path: path.clone() });
        }
        let Some(head) = seen.head.clone() else { return Err(GitError::UserCommitted) };
        self.note_ignored(&seen)?;
        // Of an earlier lending it may tell of files that were changed since.
        remove_if_there(&self.slot.index)?;
        let found = self.files()?;
        let tree = self.slot.snapshot(&found.sorted)?.tree;
        let run = self.slot.names.run();
        let message = format!("the files before run {run} had the folder\n");
        let home = self.slot.git().commit_object(&self.slot.place, &tree, &head, &message)?;
        self.slot.update_ref_to(&self.slot.names.home(), &home)
    }

    fn note_ignored(&self, seen: &Status) -> Result<(), GitError> {
        let listed = null_terminated(seen.ignored.iter().map(PathBuf::as_path));
        let words = ["hash-object", "-w", "--stdin"];
        let finished = self.slot.git().tell_at(&self.slot.place, &words, listed)?;
        let said = line_of(&finished);
        let blob = ObjectId::parse(&said)
            .ok_or_else(|| GitError::NotUnderstood { asked: "hash-object".into(), said })?;
        self.slot.update_ref_to(&self.slot.names.home_ignored(), &blob)
    }

    fn files(&self) -> Result<Found, GitError> {
        let theirs = self.theirs()?;
        planted::clear(&self.aside(), &theirs)?;
        if !self.slot.index.is_file() {
            self.slot.ready()?;
            self.slot.index_of_head()?;
            self.refresh()?;
        }
        let status = self.slot.status()?;
        let theirs: Vec<PathBuf> = theirs.into_iter().collect();
        let sorted = self.slot.sort(&status.entries, &theirs, FOR_COMMIT);
        let head = match status.head {
            Some(head) => head,
            None => self.users_head()?.ok_or(GitError::UserCommitted)?,
        };
        Ok(Found { sorted, head })
    }

    /// Files that are as the index says are known to be so from here on, and are not written again.
    fn refresh(&self) -> Result<(), GitError> {
        // Says with its exit code that files differ, which is asked for next.
        self.slot.git().ask_at(&self.slot.place, &["update-index", "-q", "--refresh"])?;
        Ok(())
    }

    /// Files and index become those of the commit. New files that were kept go; what git ignored stays.
    fn replace_files(&self, to: &ObjectId) -> Result<Vec<Rescue>, GitError> {
        let mut kept = Vec::new();
        let mut tries = 1;
        loop {
            let Found { sorted, head } = self.files()?;
            let snapshot = self.slot.snapshot(&sorted)?;
            if !self.is_known(&snapshot.tree, &[to, &head])? {
                kept.push(self.keep(&snapshot.tree, &head)?);
            }
            match self.take_over(&snapshot, to) {
                Ok(()) => break,
                // A file was changed since it was looked at: git looks at each once more, and refuses before it touches the first.
                Err(GitError::Refused { .. }) if tries < TRIES_MAX => tries += 1,
                Err(error) => return Err(error),
            }
        }
        self.mend()?;
        Ok(kept)
    }

    fn take_over(&self, snapshot: &Snapshot, to: &ObjectId) -> Result<(), GitError> {
        let failed = |source| GitError::Io { path: self.slot.index.clone(), source };
        // It knows the new files too, so that git takes them away with the rest, and only those.
        std::fs::rename(&snapshot.index, &self.slot.index).map_err(failed)?;
        self.refresh()?;
        let words = ["read-tree", "-m", "-u", snapshot.tree.as_str(), to.as_str()];
        self.slot.git().must_at(&self.slot.place, &words)?;
        Ok(())
    }

    /// Nothing of what differs can be kept by git: it is moved aside, all of it.
    fn replace_by_force(&self, to: &ObjectId) -> Result<(), GitError> {
        let aside = self.aside();
        for path in &self.files()?.sorted.paths {
            aside.take(path)?;
        }
        remove_if_there(&self.slot.index)?;
        self.slot.git().must_at(&self.slot.place, &["read-tree", to.as_str()])?;
        self.refresh()?;
        self.mend()
    }

    /// What still differs from the index no commit can hold: a pipe in a file's place, a file grown too large. It is moved aside,
    /// and the file is written anew.
    fn mend(&self) -> Result<(), GitError> {
        let theirs = self.theirs()?;
        let is_theirs = |path: &Path| theirs.iter().any(|it| path.starts_with(it));
        let left = self.slot.status()?.entries.into_iter().filter(|entry| {
            matches!(entry.on_disk, OnDisk::Changed | OnDisk::Deleted) && !is_theirs(&entry.path)
        });
        let left: Vec<PathBuf> = left.map(|entry| entry.path).collect();
        if left.is_empty() {
            return Ok(());
        }
        let aside = self.aside();
        for path in &left {
            aside.take(path)?;
        }
        let listed = null_terminated(left.iter().map(PathBuf::as_path));
        let words = ["checkout-index", "--force", "-u", "-z", "--stdin"];
        self.slot.git().tell_at(&self.slot.place, &words, listed)?;
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
