//! The branch a run collects its work on. It begins where the user's HEAD is, with planning files that were not committed yet
//! on top, and moves only forward. The user's tree, index and branches stay as they are.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::git::user_tree::is_planning;
use crate::git::{Branch, Checkout, GitError, ObjectId, RunNames, null_terminated};

/// Where a run's branch begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// The branch is new and stands on this commit.
    At(ObjectId),
    /// It was there before and stands here now.
    Found(ObjectId),
}

impl Created {
    pub fn commit(&self) -> &ObjectId {
        match self {
            Created::At(commit) | Created::Found(commit) => commit,
        }
    }
}

/// What became of a move forward.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forwarded {
    Moved,
    /// The branch has the commit already.
    AlreadyThere,
    /// The commit does not build upon where the branch stands.
    NotAncestor,
    /// The branch stands on another commit than was expected, or is gone.
    MovedBySomebodyElse {
        at: Option<ObjectId>,
    },
    /// A person has the branch checked out; moving it would make their tree look changed.
    CheckedOut {
        at: PathBuf,
    },
}

/// Creates the branch of a run. Looks first: if it is there, it stays as it is. `planning_changes` are committed exactly as
/// they are on disk, links as links; what is not below `.planning/` is passed over.
///
/// Two processes; with planning changes six.
pub fn create(
    checkout: &Checkout,
    names: &RunNames,
    base: &ObjectId,
    planning_changes: &[PathBuf],
) -> Result<Created, GitError> {
    let branch = names.branch();
    if let Some(seen) = seen(checkout, &branch.full())? {
        return Ok(Created::Found(seen.commit));
    }
    let planning: Vec<&PathBuf> =
        planning_changes.iter().filter(|path| is_planning(path)).collect();
    let commit = match planning.is_empty() {
        true => base.clone(),
        false => planning_commit(checkout, names, base, &planning)?,
    };
    move_branch(checkout, &branch, &commit, &base.none_yet())?;
    Ok(Created::At(commit))
}

/// Moves the branch of a run to a commit that builds upon it. Looks first, so that doing it twice is doing it once.
///
/// Three processes; one when there is nothing to do.
pub fn fast_forward(
    checkout: &Checkout,
    names: &RunNames,
    from: &ObjectId,
    to: &ObjectId,
) -> Result<Forwarded, GitError> {
    let branch = names.branch();
    let Some(seen) = seen(checkout, &branch.full())? else {
        return Ok(Forwarded::MovedBySomebodyElse { at: None });
    };
    let contains = |new, old| checkout.git.contains(&checkout.place, new, old);
    let is_forward = seen.commit == *from && from != to && contains(to, from)?;
    if !is_forward && contains(&seen.commit, to)? {
        return Ok(Forwarded::AlreadyThere);
    }
    if seen.commit != *from {
        return Ok(Forwarded::MovedBySomebodyElse { at: Some(seen.commit) });
    }
    if !is_forward {
        return Ok(Forwarded::NotAncestor);
    }
    if let Some(at) = seen.checked_out {
        return Ok(Forwarded::CheckedOut { at });
    }
    match move_branch(checkout, &branch, to, from.as_str()) {
        Ok(()) => Ok(Forwarded::Moved),
        // Somebody was faster than our look. Any other failure is told as it is.
        Err(error) => match self::seen(checkout, &branch.full())? {
            Some(seen) if seen.commit == *from => Err(error),
            other => Ok(Forwarded::MovedBySomebodyElse { at: other.map(|seen| seen.commit) }),
        },
    }
}

/// Where a branch stands, and in which worktree it is checked out.
pub(crate) struct Seen {
    pub(crate) commit: ObjectId,
    pub(crate) checked_out: Option<PathBuf>,
}

/// A branch by its full name. One process.
pub(crate) fn seen(checkout: &Checkout, full: &str) -> Result<Option<Seen>, GitError> {
    let format = "--format=%(objectname)%00%(worktreepath)%00";
    let arguments = ["for-each-ref", "--count=1", format, full];
    let finished = checkout.git.must_at(&checkout.place, &arguments)?;
    let said = finished.stdout.bytes();
    let mut fields = said.split(|byte| *byte == 0);
    let commit = fields.next().map(String::from_utf8_lossy).and_then(|id| ObjectId::parse(&id));
    let at = fields.next().filter(|path| !path.is_empty());
    let checked_out = at.map(|path| PathBuf::from(std::ffi::OsStr::from_bytes(path)));
    Ok(commit.map(|commit| Seen { commit, checked_out }))
}

/// Puts a branch on a commit if it still stands on `old`.
fn move_branch(
    checkout: &Checkout,
    branch: &Branch,
    to: &ObjectId,
    old: &str,
) -> Result<(), GitError> {
    let full = branch.full();
    checkout.remove_stale_lock(&full)?;
    let arguments = ["update-ref", "--no-deref", "-m", "autopilot", &full, to.as_str(), old];
    checkout.git.must_at(&checkout.place, &arguments)?;
    Ok(())
}

/// The commit is put together in an index of its own: the user's is neither read nor written.
fn planning_commit(
    checkout: &Checkout,
    names: &RunNames,
    base: &ObjectId,
    paths: &[&PathBuf],
) -> Result<ObjectId, GitError> {
    let failed = |source| GitError::Io { path: std::env::temp_dir(), source };
    let folder = tempfile::Builder::new().prefix("autopilot-git-").tempdir().map_err(failed)?;
    let place = checkout.place.with_index(&folder.path().join("index"));
    let git = &checkout.git;
    git.must_at(&place, &["read-tree", base.as_str()])?;
    let listed = null_terminated(paths.iter().map(|path| path.as_path()));
    git.tell_at(
        &place,
        &["update-index", "--add", "--remove", "--replace", "-z", "--stdin"],
        listed,
    )?;
    let tree = git.id_from(&place, &["write-tree"])?;
    let files = match paths.len() {
        1 => "1 file as it was".into(),
        more => format!("{more} files as they were"),
    };
    let run = names.run();
    let message = format!("planning: {files} when run {run} began\n\nAutopilot-Run: {run}\n");
    git.commit_object(&checkout.place, &tree, base, &message)
}

/// Removes the branches of phases whose every commit is on the run's branch: they say nothing more. Others stay. Doing it again
/// finds nothing to do. Two processes, one when there is nothing to remove.
pub fn retire_phases(checkout: &Checkout, names: &RunNames) -> Result<usize, GitError> {
    let merged = format!("--merged={}", names.branch().full());
    let pattern = names.phase_pattern();
    let format = "--format=delete %(refname) %(objectname)";
    let finished =
        checkout.git.must_at(&checkout.place, &["for-each-ref", format, &merged, &pattern])?;
    let commands = finished.stdout.text();
    let count = commands.lines().count();
    if count > 0 {
        let arguments = ["update-ref", "--no-deref", "-m", "autopilot", "--stdin"];
        checkout.git.tell_at(&checkout.place, &arguments, commands)?;
    }
    Ok(count)
}

/// The commit a run's branch stands on; `None` when there is no such branch. One process.
pub fn tip(checkout: &Checkout, branch: &Branch) -> Result<Option<ObjectId>, GitError> {
    let arguments = ["rev-parse", "--quiet", "--verify", &format!("{}^{{commit}}", branch.full())];
    checkout.git.id_or_none(&checkout.place, &arguments)
}

#[cfg(test)]
#[path = "run_branch_tests.rs"]
mod tests;
