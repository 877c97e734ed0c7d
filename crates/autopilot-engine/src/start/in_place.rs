//! What must hold before agents are let into the user's own folder (`--in-place`), and giving the folder back without a run.

use std::path::{Path, PathBuf};

use autopilot_core::problem::Problem;

use super::{Means, RunFlags, checkout, no_folder_for_worktrees, of_git, require_branch};
use crate::fence::Kind;
use crate::git::{Checkout, RunNames};
use crate::landing;
use crate::slot::{self, InPlace, Slot};

/// Whoever switched the fence off has said that agents may write everything. A machine on which only Landlock holds cannot keep a
/// folder inside of another from being written.
pub(super) fn require(
    flags: &RunFlags,
    branch: Option<&str>,
    (checkout, fence, telling): (&Checkout, &Kind, &[PathBuf]),
    means: &Means,
) -> Result<(), Problem> {
    if !flags.in_place {
        return Ok(());
    }
    let root = checkout.root();
    require_branch("--in-place", branch)?;
    if root.join(".git").is_symlink() {
        return Err(Problem::usage(
            ".git is a symbolic link",
            "with --in-place agents work beside it, and could put something else in its place",
            "leave --in-place out, or put the repository itself there",
        ));
    }
    let machine = &means.machine;
    for (what, path) in
        [("your home", machine.home()), ("the state folder", machine.state_folder())]
    {
        let path = path.map(|path| path.canonicalize().unwrap_or(path));
        if let Some(path) = path.filter(|path| path.starts_with(root)) {
            return Err(Problem::usage(
                format!("{what} ({}) lies in the project", path.display()),
                "with --in-place agents may write everything in it but .git and .autopilot",
                "leave --in-place out",
            ));
        }
    }
    if let Some(path) = telling.first() {
        return Err(Problem::usage(
            format!("{} tells a hidden check", path.display()),
            "with --in-place agents work in the folder where it lies, and would read it",
            "put the check into the folder that the setting hidden_checks names, or leave --in-place out",
        ));
    }
    match fence {
        Kind::Unfenced { why } if !why.starts_with("switched off") => Err(Problem::environment(
            format!("agents cannot be kept out of .git here: {why}"),
            "with --in-place they work in your own folder, and a hook or a setting they leave in .git runs as you",
            "install bubblewrap, or leave --in-place out; --no-fence goes on without any fence",
        )),
        Kind::Unfenced { .. } | Kind::Bubblewrap { .. } | Kind::Landlock { .. } => Ok(()),
    }
}

pub(super) fn dirty() -> Problem {
    Problem::usage(
        "--in-place and --allow-dirty exclude each other",
        "agents would work on files that no commit has, and nobody could tell your changes from theirs",
        "commit or stash what you have, or leave --in-place out",
    )
}

/// Whether files of the user may be half way between two commits, because a merge was cut off.
pub fn is_merge_cut_off(root: &Path, means: &Means) -> bool {
    checkout(root, means).is_ok_and(|checkout| landing::is_cut_off(&checkout))
}

/// Puts the user's folder back where a run has it that nobody goes on with, and names the refs of what was in no commit. None where
/// the folder is the user's.
pub fn give_back(root: &Path, run: &str, means: &Means) -> Result<Option<Vec<String>>, Problem> {
    let checkout = checkout(root, means)?;
    let names = RunNames::of(run).map_err(|error| of_git(&error))?;
    let folder = slot::folder_of(&means.machine, checkout.root(), 1);
    let folder = folder.ok_or_else(no_folder_for_worktrees)?;
    let slot = Slot::open(&checkout, &names, &folder).map_err(|error| of_git(&error))?;
    let lent = InPlace::of(&slot);
    let is_lent = lent.is_lent().map_err(|error| of_git(&error))?;
    lent.give_back().map_err(|error| of_git(&error))?;
    if !is_lent {
        return Ok(None);
    }
    lent.found().map(Some).map_err(|error| of_git(&error))
}
