//! Brings a slot to a commit of a branch, and sees whether an agent moved it. Whatever would be lost on the way is kept first.
//! Doing it again after a kill at any instant ends in the same place.

use std::path::{Path, PathBuf};

use autopilot_core::limits;

use super::rescue::{RefCommand, Refs};
use super::{Rescue, Slot};
use crate::git::{Branch, GitError, ObjectId, OnDisk, Status};

/// Where HEAD stands, compared with where it was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    InPlace,
    /// Somebody committed, or switched to another branch. Agents are not meant to.
    Moved {
        /// `None` when HEAD is detached.
        branch: Option<String>,
        /// `None` when HEAD stands on no commit at all.
        commit: Option<ObjectId>,
        /// What was committed, newest first, at most `limits::COMMITS_LISTED_MAX`.
        commits: Vec<ForeignCommit>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignCommit {
    pub commit: ObjectId,
    pub subject: String,
}

/// What `fold` did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    /// The commits that are plain changes now, newest first, and the refs they are kept under.
    pub commits: Vec<ForeignCommit>,
    pub kept: Vec<Rescue>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Files {
    /// Differences are kept under a ref, then go.
    Rescue,
    /// Differences go.
    Drop,
    /// Differences stay.
    Leave,
}

impl Slot {
    /// Puts the slot on `branch` at `base`, clean: tracked files as in the commit, untracked ones removed, ignored ones (build
    /// caches) kept. The branch is made if it is not there. Commits of the branch that `base` lacks, and files that differ,
    /// are kept under `rescue/<label>` first and returned.
    ///
    /// One process when there is nothing to do, four for a new branch on the same commit, seven in a new slot. Keeping commits
    /// takes one more, keeping files four.
    pub fn begin(
        &self,
        branch: &Branch,
        base: &ObjectId,
        label: &str,
    ) -> Result<Vec<Rescue>, GitError> {
        self.settle(branch, base, label, Files::Rescue)
    }

    /// The same for files that are known to be worthless, or rescued already: they are not kept. Commits always are.
    ///
    /// One process when there is nothing to do, three when files changed.
    pub fn reset(
        &self,
        branch: &Branch,
        to: &ObjectId,
        label: &str,
    ) -> Result<Vec<Rescue>, GitError> {
        self.settle(branch, to, label, Files::Drop)
    }

    /// Whether HEAD is still on the branch at that commit. One process, two when it is not.
    pub fn head(&self, branch: &Branch, expected: &ObjectId) -> Result<Head, GitError> {
        self.head_in(&self.status()?, branch, expected)
    }

    /// The same for a status that was asked already.
    pub(super) fn head_in(
        &self,
        status: &Status,
        branch: &Branch,
        expected: &ObjectId,
    ) -> Result<Head, GitError> {
        if is_at(status, branch, expected) {
            return Ok(Head::InPlace);
        }
        let commits = match &status.head {
            Some(head) => self.commits_since(expected, head)?,
            None => Vec::new(),
        };
        Ok(Head::Moved { branch: status.branch.clone(), commit: status.head.clone(), commits })
    }

    /// Makes plain changes of what an agent committed: HEAD and branch go back to `expected`, the files stay. The commits are
    /// kept under `rescue/<label>`.
    ///
    /// One process when there is nothing to fold, six otherwise.
    pub fn fold(
        &self,
        branch: &Branch,
        expected: &ObjectId,
        label: &str,
    ) -> Result<Folded, GitError> {
        let Head::Moved { commits, .. } = self.head(branch, expected)? else {
            return Ok(Folded { commits: Vec::new(), kept: Vec::new() });
        };
        let kept = self.settle(branch, expected, label, Files::Leave)?;
        Ok(Folded { commits, kept })
    }

    pub(super) fn settle(
        &self,
        branch: &Branch,
        to: &ObjectId,
        label: &str,
        files: Files,
    ) -> Result<Vec<Rescue>, GitError> {
        let status = self.status()?;
        let others = self.others_on(branch);
        if is_at(&status, branch, to) && others.as_ref().is_some_and(Vec::is_empty) {
            let has_files_to_keep = files == Files::Rescue && !status.entries.is_empty();
            // The branch is where HEAD is, so no commit can be lost, and refs need not be looked at.
            if files != Files::Leave && !has_files_to_keep {
                self.point_to_repository()?;
                self.replace_files(&status, to)?;
                return Ok(Vec::new());
            }
        }
        let refs = self.refs(Some(branch))?;
        // Of several trees git names one, and that may be ours.
        let others = others.iter().flatten().find_map(|git_dir| tree_of(git_dir));
        if let Some(at) = refs.checked_out.clone().filter(|at| *at != self.worktree).or(others) {
            let branch = branch.short().to_owned();
            return Err(GitError::BranchInUse { branch, at });
        }
        let (kept, mut commands) = self.keep(&status, &refs, to, label, files)?;
        if refs.tip.as_ref() != Some(to) {
            commands.push(RefCommand::move_to(&branch.full(), to, refs.tip.as_ref()));
        }
        self.update_refs(&commands)?;
        self.point_to_repository()?;
        if status.branch.as_deref() != Some(branch.short()) {
            let note = ["symbolic-ref", "-m", "autopilot", "HEAD", &branch.full()];
            self.git().must_at(&self.place, &note)?;
        }
        if files != Files::Leave {
            self.replace_files(&status, to)?;
        }
        Ok(kept)
    }

    /// The git folders besides ours whose HEAD stands on the branch, told by the files alone. None where nothing can be told:
    /// where ours does not stand on it, or refs are not kept in files.
    fn others_on(&self, branch: &Branch) -> Option<Vec<PathBuf>> {
        let on_branch = format!("ref: {}", branch.full());
        let is_on_branch = |git_dir: &Path| {
            let text = crate::files::read_text(&git_dir.join("HEAD")).unwrap_or_default();
            text.trim_end() == on_branch
        };
        let common_dir = &self.checkout.common_dir;
        let linked = std::fs::read_dir(common_dir.join("worktrees")).into_iter().flatten();
        let linked: Vec<PathBuf> =
            linked.take(limits::WORKTREES_MAX).flatten().map(|entry| entry.path()).collect();
        if !is_on_branch(&self.git_dir) || linked.len() >= limits::WORKTREES_MAX {
            return None;
        }
        let others = linked.into_iter().filter(|git_dir| *git_dir != self.git_dir);
        Some(others.chain([common_dir.clone()]).filter(|git_dir| is_on_branch(git_dir)).collect())
    }

    /// What would be lost: commits on the branch, commits HEAD stands on elsewhere, files.
    fn keep(
        &self,
        status: &Status,
        refs: &Refs,
        to: &ObjectId,
        label: &str,
        files: Files,
    ) -> Result<(Vec<Rescue>, Vec<RefCommand>), GitError> {
        let (mut kept, mut commands) = (Vec::new(), Vec::new());
        let head = status.head.as_ref().filter(|head| Some(*head) != refs.tip.as_ref());
        for commit in refs.tip.iter().chain(head) {
            if !self.git().contains(&self.place, to, commit)? {
                let (rescue, command) = self.keep_commit(commit, refs, label, &kept)?;
                kept.push(rescue);
                commands.extend(command);
            }
        }
        if files == Files::Rescue && !status.entries.is_empty() && self.has_files() {
            let parent = status.head.as_ref().unwrap_or(to);
            let label = if kept.is_empty() { label.to_owned() } else { format!("{label}-files") };
            if let Some((rescue, command)) = self.keep_files(status, parent, refs, &label)? {
                kept.push(rescue);
                commands.extend(command);
            }
        }
        Ok((kept, commands))
    }

    /// A slot that is new, or whose folder was deleted, differs from every commit and has nothing to lose.
    pub(super) fn has_files(&self) -> bool {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.take(2).any(|entry| entry.file_name() != ".git")
    }

    /// Files and index as in the commit. Only what is untracked and not ignored is removed, also whole repositories.
    pub(super) fn replace_files(&self, status: &Status, to: &ObjectId) -> Result<(), GitError> {
        let has_index = self.index.is_file();
        let is_same = status.head.as_ref() == Some(to) && has_index;
        let is_changed = |disk: OnDisk| !matches!(disk, OnDisk::New | OnDisk::NewRepository);
        let has_changed = status.entries.iter().any(|entry| is_changed(entry.on_disk));
        let has_new = status.entries.iter().any(|entry| !is_changed(entry.on_disk));
        if is_same && !has_changed && !has_new {
            return self.show_index();
        }
        if !is_same || has_changed {
            let reset = ["read-tree", "--reset", "-u", to.as_str()];
            self.git().must_at(&self.place, &reset)?;
        }
        // Another commit may ignore other files, so what was ignored before may be untracked now.
        self.git().must_at(&self.place, &["clean", "-ffdq"])?;
        self.show_index()
    }

    fn commits_since(
        &self,
        expected: &ObjectId,
        head: &ObjectId,
    ) -> Result<Vec<ForeignCommit>, GitError> {
        let count = format!("--max-count={}", limits::COMMITS_LISTED_MAX);
        let range = format!("{expected}..{head}");
        let arguments = ["log", "-z", "--no-patch", "--format=%H %s", &count, &range, "--"];
        let finished = self.git().must_at(&self.place, &arguments)?;
        let said = finished.stdout.text();
        let commits = said.split('\0').filter_map(|record| {
            let (id, subject) = record.split_once(' ')?;
            Some(ForeignCommit { commit: ObjectId::parse(id)?, subject: subject.into() })
        });
        Ok(commits.collect())
    }
}

pub(super) fn is_at(status: &Status, branch: &Branch, commit: &ObjectId) -> bool {
    status.head.as_ref() == Some(commit) && status.branch.as_deref() == Some(branch.short())
}

/// The working tree that a git folder belongs to, as long as it is there.
fn tree_of(git_dir: &Path) -> Option<PathBuf> {
    let link = match crate::files::read_text(&git_dir.join("gitdir")) {
        Ok(text) => git_dir.join(text.trim_end()),
        Err(_) => git_dir.to_path_buf(),
    };
    link.parent().filter(|_| link.exists()).map(Path::to_path_buf)
}
