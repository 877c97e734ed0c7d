//! Keeps what would be lost under `refs/autopilot/<run>/rescue/`, where no list of branches shows it and no clean-up takes it.

use autopilot_core::limits;

use super::snapshot::FOR_RESCUE;
use super::{LeftOut, Slot};
use crate::git::{Branch, GitError, ObjectId, Status};

/// Something that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    /// The full name of the ref, as `git show` takes it.
    pub name: String,
    pub commit: ObjectId,
    pub left_out: Vec<LeftOut>,
}

/// The refs of a run as they are now.
#[derive(Debug, Default)]
pub(super) struct Refs {
    pub(super) tip: Option<ObjectId>,
    pub(super) checked_out: Option<std::path::PathBuf>,
    rescues: Vec<Kept>,
}

#[derive(Debug)]
struct Kept {
    name: String,
    commit: ObjectId,
    tree: ObjectId,
    parents: String,
}

impl Slot {
    /// Keeps everything that differs from HEAD, untracked files included, as a commit under a ref of its own. HEAD, branch,
    /// index and files stay as they are. `None` when there is nothing to keep; the ref that is there already when the very
    /// same was kept before.
    ///
    /// One process when clean, seven otherwise.
    pub fn rescue(&self, label: &str) -> Result<Option<Rescue>, GitError> {
        let status = self.status()?;
        if status.entries.is_empty() {
            return Ok(None);
        }
        let refs = self.refs(None)?;
        let parent = match status.head.clone() {
            Some(head) => head,
            // An agent that broke HEAD does not get its files lost by it; the user's commit stands in.
            None => self.git().id_from(&self.checkout.place, &["rev-parse", "--verify", "HEAD"])?,
        };
        let Some((rescue, command)) = self.keep_files(&status, &parent, &refs, label)? else {
            return Ok(None);
        };
        self.update_refs(command.as_slice())?;
        Ok(Some(rescue))
    }

    /// What differs from HEAD and can be kept in no commit. One process.
    pub fn beyond_rescue(&self) -> Result<Vec<LeftOut>, GitError> {
        let status = self.status()?;
        Ok(self.sort(&status.entries, &[], FOR_RESCUE).left_out)
    }

    /// The rescue of the files, and the command that makes its ref unless there is one.
    pub(super) fn keep_files(
        &self,
        status: &Status,
        parent: &ObjectId,
        refs: &Refs,
        label: &str,
    ) -> Result<Option<(Rescue, Option<RefCommand>)>, GitError> {
        let sorted = self.sort(&status.entries, &[], FOR_RESCUE);
        let tree = self.snapshot(&sorted)?.tree;
        if tree == self.git().tree_of(&self.place, parent)? {
            return Ok(None);
        }
        let (rescue, command) = self.keep_tree(&tree, parent, refs, label)?;
        Ok(Some((Rescue { left_out: sorted.left_out, ..rescue }, command)))
    }

    /// The rescue of files that are a tree already.
    pub(super) fn keep_tree(
        &self,
        tree: &ObjectId,
        parent: &ObjectId,
        refs: &Refs,
        label: &str,
    ) -> Result<(Rescue, Option<RefCommand>), GitError> {
        let rescue = |name: &str, commit: &ObjectId| Rescue {
            name: name.into(),
            commit: commit.clone(),
            left_out: Vec::new(),
        };
        let is_same = |kept: &&Kept| kept.tree == *tree && kept.parents == parent.as_str();
        if let Some(kept) = refs.rescues.iter().find(is_same) {
            return Ok((rescue(&kept.name, &kept.commit), None));
        }
        let run = self.names.run();
        let message = format!("rescue: {label}\n\nAutopilot-Run: {run}\n");
        let commit = self.git().commit_object(&self.place, tree, parent, &message)?;
        let name = self.free_name(refs, label, &[])?;
        let command = RefCommand::create(&name, &commit);
        Ok((rescue(&name, &commit), Some(command)))
    }

    /// The rescue of commits. What a rescue has already is not kept twice.
    pub(super) fn keep_commit(
        &self,
        commit: &ObjectId,
        refs: &Refs,
        label: &str,
        taken: &[Rescue],
    ) -> Result<(Rescue, Option<RefCommand>), GitError> {
        let rescue =
            |name: &str| Rescue { name: name.into(), commit: commit.clone(), left_out: Vec::new() };
        let known = refs.rescues.iter().map(|kept| (&kept.name, &kept.commit));
        let mut known = known.chain(taken.iter().map(|rescue| (&rescue.name, &rescue.commit)));
        if let Some((name, _)) = known.find(|(_, kept)| *kept == commit) {
            return Ok((rescue(name), None));
        }
        let name = self.free_name(refs, label, taken)?;
        Ok((rescue(&name), Some(RefCommand::create(&name, commit))))
    }

    fn free_name(&self, refs: &Refs, label: &str, taken: &[Rescue]) -> Result<String, GitError> {
        let is_taken = |name: &String| {
            refs.rescues.iter().any(|kept| kept.name == *name)
                || taken.iter().any(|rescue| rescue.name == *name)
        };
        for number in 1..=limits::RESCUES_MAX {
            let name = self.names.rescue(label, number)?;
            if !is_taken(&name) {
                return Ok(name);
            }
        }
        let said = format!("{} rescues called {label}", limits::RESCUES_MAX);
        Err(GitError::NotUnderstood { asked: "for-each-ref".into(), said })
    }

    /// Where a branch stands, and everything that was rescued. One process.
    pub(super) fn refs(&self, branch: Option<&Branch>) -> Result<Refs, GitError> {
        let full = branch.map(Branch::full).unwrap_or_default();
        let format =
            "--format=%(refname)%00%(objectname)%00%(tree)%00%(parent)%00%(worktreepath)%00";
        let rescues = self.names.rescues();
        let mut arguments = vec!["for-each-ref", format, &rescues];
        arguments.extend(branch.is_some().then_some(full.as_str()));
        let finished = self.git().must_at(&self.place, &arguments)?;
        let bytes = finished.stdout.bytes();
        let not_understood = || {
            let said = String::from_utf8_lossy(&bytes).into_owned();
            GitError::NotUnderstood { asked: "for-each-ref".into(), said }
        };
        if finished.stdout.dropped_bytes() > 0 {
            return Err(not_understood());
        }
        read_refs(&bytes, &full).ok_or_else(not_understood)
    }

    /// Does all or nothing of it. One process, none without a command.
    pub(super) fn update_refs(&self, commands: &[RefCommand]) -> Result<(), GitError> {
        if commands.is_empty() {
            return Ok(());
        }
        let mut input = String::new();
        for RefCommand { name, new, old } in commands {
            self.checkout.remove_stale_lock(name)?;
            input.push_str(&format!("update {name} {new} {old}\n"));
        }
        let arguments = ["update-ref", "--no-deref", "-m", "autopilot", "--stdin"];
        self.git().tell_at(&self.place, &arguments, input)?;
        Ok(())
    }
}

/// A ref that is to be moved from one commit to another.
#[derive(Debug)]
pub(super) struct RefCommand {
    name: String,
    new: ObjectId,
    old: String,
}

impl RefCommand {
    pub(super) fn create(name: &str, new: &ObjectId) -> RefCommand {
        RefCommand { name: name.into(), new: new.clone(), old: new.none_yet() }
    }

    /// `old` is where it stands now, if anywhere.
    pub(super) fn move_to(name: &str, new: &ObjectId, old: Option<&ObjectId>) -> RefCommand {
        let old = old.map_or_else(|| new.none_yet(), ToString::to_string);
        RefCommand { name: name.into(), new: new.clone(), old }
    }
}

/// Five fields a ref, the line break after a record is the start of the next name.
fn read_refs(bytes: &[u8], branch: &str) -> Option<Refs> {
    use std::os::unix::ffi::OsStrExt;
    let mut refs = Refs::default();
    let fields: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
    for record in fields.chunks_exact(5) {
        let text = |index: usize| String::from_utf8_lossy(record[index]);
        let name = text(0).trim_start().to_owned();
        let commit = ObjectId::parse(&text(1))?;
        if name == branch {
            let at = std::ffi::OsStr::from_bytes(record[4]);
            refs.checked_out = (!at.is_empty()).then(|| at.into());
            refs.tip = Some(commit);
        } else if let Some(tree) = ObjectId::parse(&text(2)) {
            refs.rescues.push(Kept { name, commit, tree, parents: text(3).into_owned() });
        }
    }
    Some(refs)
}
