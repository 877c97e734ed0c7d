//! Starts that would end badly, told before anything is spent: no room on the disk, and for a single task nothing to measure it by or
//! no branch to bring it to. What git, the agents and the settings refuse is told by those.

use std::path::{Path, PathBuf};

use autopilot_core::commands::{self, Slot};
use autopilot_core::config::ProjectConfig;
use autopilot_core::problem::Problem;
use autopilot_core::project::Project;
use autopilot_core::settings::Settings;

use super::{Means, Wish};
use crate::doctor;
use crate::machine::Machine;
use crate::{files, project};

/// Folders of a repository in which a package is looked for.
const FOLDERS_MAX: usize = 50;

/// Everything but the branch, which is known as soon as git is asked.
pub(super) fn refuse(
    root: &Path,
    wish: &Wish,
    (project, settings): (&Project, &Settings),
    means: &Means,
) -> Result<(), Problem> {
    require_room(&means.machine, root, settings.free_disk_mebibytes_min)?;
    require_check(wish, project, root)
}

/// Where the run would write: the project and the folder of worktrees.
fn require_room(machine: &Machine, root: &Path, mebibytes_min: u64) -> Result<(), Problem> {
    let seen = doctor::disk(machine, root, mebibytes_min);
    let wanting = seen.into_iter().find(|check| check.blocks_run);
    match wanting {
        None => Ok(()),
        Some(check) => Err(Problem::environment(
            check.detail,
            "a run that finds no room in the middle of its work stops there",
            check.fix.unwrap_or_else(|| "see autopilot doctor".to_string()),
        )),
    }
}

/// Work that nothing measures cannot be proven; whoever asks for a single task is told before it is paid for.
fn require_check(wish: &Wish, project: &Project, root: &Path) -> Result<(), Problem> {
    let Some(errand) = &wish.errand else { return Ok(()) };
    if !project.commands.is_empty() || errand.has_checks() || wish.flags.allows_unproven {
        return Ok(());
    }
    match packages(root, wish.folder.as_deref()).into_iter().next() {
        Some((folder, test)) => Err(Problem::usage(
            format!("{} is a project of its own inside this repository", folder.display()),
            "autopilot works on the whole repository, whose top has no check, so its tests would not be run",
            format!("name them: --check \"cd {} && {test}\"", folder.display()),
        )),
        None => Err(Problem::usage(
            "no check was found in this project: no compile, test, lint or build command",
            "what nothing measures cannot be proven, and would wait for a person",
            "name a command that shows it is done: --check \"…\". Or let it pass unproven: --allow-unproven",
        )),
    }
}

/// A task ends with the one command that merges it.
pub(super) fn require_branch(wish: &Wish, branch: Option<&str>) -> Result<(), Problem> {
    if wish.errand.is_none() || branch.is_some() {
        return Ok(());
    }
    Err(Problem::usage(
        "HEAD stands on no branch",
        "what is done would have no branch of yours to come to",
        "git switch to a branch, or make one here: git switch -c NAME",
    ))
}

/// What of the user's is in no commit.
pub(super) fn not_committed(wish: &Wish, paths: &[PathBuf]) -> Problem {
    const SHOWN_MAX: usize = 5;
    let shown = paths.iter().take(SHOWN_MAX).map(|path| path.display().to_string());
    let mut names: Vec<String> = shown.collect();
    if paths.len() > SHOWN_MAX {
        names.push(format!("and {} more", paths.len() - SHOWN_MAX));
    }
    let (are, them) = if paths.len() == 1 { ("is", "it") } else { ("are", "them") };
    let or_without = match wish.flags.in_place {
        true => String::new(),
        false => format!(", or go on without {them}: --allow-dirty"),
    };
    Problem::usage(
        format!("{} {are} not committed", names.join(", ")),
        format!("agents work on your last commit and would not see {them}"),
        format!("commit or stash {them}{or_without}"),
    )
}

/// Folders with tests of their own, the one where somebody stands first; seen from the top.
fn packages(root: &Path, stands: Option<&Path>) -> Vec<(PathBuf, String)> {
    let below = stands.and_then(|folder| folder.strip_prefix(root).ok().map(Path::to_path_buf));
    let upward = below.iter().flat_map(|folder| folder.ancestors()).map(Path::to_path_buf);
    let names = files::names_in(root).unwrap_or_default();
    let beside = names.into_iter().filter(|name| !name.starts_with('.')).map(PathBuf::from);
    let folders = upward.chain(beside).filter(|folder| !folder.as_os_str().is_empty());
    let tested = folders.take(FOLDERS_MAX).filter_map(|folder| {
        let manifests = project::read_manifests(&root.join(&folder), &mut Vec::new());
        let (found, _) = commands::settle("", &ProjectConfig::default(), &manifests);
        let test = found.get(Slot::Test)?.line.clone();
        Some((folder, test))
    });
    tested.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_is_not_committed_and_several_are_not() {
        let check = |names: &[&str], what: &str, fix: &str| {
            let paths: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
            let problem = not_committed(&Wish::default(), &paths);
            assert_eq!((problem.what.as_str(), problem.fix.as_str()), (what, fix));
        };
        let one = "commit or stash it, or go on without it: --allow-dirty";
        let several = "commit or stash them, or go on without them: --allow-dirty";
        check(&["new.txt"], "new.txt is not committed", one);
        check(&["new.txt", "src/lib.rs"], "new.txt, src/lib.rs are not committed", several);
        let many = "1, 2, 3, 4, 5, and 2 more are not committed";
        check(&["1", "2", "3", "4", "5", "6", "7"], many, several);
    }
}
