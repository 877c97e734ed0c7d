//! What the agent that drafts is shown: a copy of the user's last commit in a folder of its own, outside the project, that is thrown away
//! afterwards. Where nothing is committed the folder is empty. Neither git nor the user's files can be reached from there for writing.

use std::path::{Path, PathBuf};

use autopilot_core::problem::Problem;
use autopilot_core::settings::Settings;
use autopilot_journal::Folder;

use crate::fence::Kind;
use crate::fence::own_folders::Passing;
use crate::git::{Checkout, Git, GitError, ObjectId, Repository, user_tree};
use crate::ground::{Ground, Hidden};
use crate::hidden_checks::HiddenChecks;
use crate::launcher::Launcher;
use crate::process::Owner;
use crate::start::{Means, no_folder_for_worktrees};
use crate::{files, slot};

/// What an agent can see of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sight {
    /// None where there is no git at all.
    pub repository: Option<Repository>,
    /// Whether there is anything to read.
    pub has_files: bool,
    /// Files that are not committed, which it does not see.
    pub uncommitted: usize,
}

/// Found, and not laid out yet.
pub(super) struct Found {
    repository: Option<Repository>,
    commit: Option<(Checkout, ObjectId)>,
    uncommitted: usize,
}

/// The folder an agent works in, and what keeps it there.
pub(super) struct Stage {
    pub(super) ground: Ground,
    view: Passing,
}

/// Looks at the repository and changes nothing.
pub(super) fn look(root: &Path, means: &Means) -> Result<Found, Problem> {
    let Ok(git) = Git::find(&means.machine) else {
        return Ok(Found { repository: None, commit: None, uncommitted: 0 });
    };
    let repository = git.repository(root).map_err(|error| unreadable(&error))?;
    let (commit, uncommitted) = match &repository {
        Repository::Ready { .. } => {
            let checkout =
                Checkout::find_to_measure(&git, root).map_err(|error| unreadable(&error))?;
            let seen = user_tree::look(&checkout).map_err(|error| unreadable(&error))?;
            (seen.head.map(|head| (checkout, head)), seen.dirty.len())
        }
        Repository::NoCommit | Repository::NotARepository | Repository::Bare => (None, 0),
    };
    Ok(Found { repository: Some(repository), commit, uncommitted })
}

impl Stage {
    pub(super) fn make(
        root: &Path,
        folder: &Folder,
        found: Found,
        (settings, fence): (&Settings, Kind),
        means: &Means,
    ) -> Result<(Stage, Sight), Problem> {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let place = slot::named_folder_of(&means.machine, &root, "draft");
        let place = place.ok_or_else(no_folder_for_worktrees)?;
        // By this ending `worktrees clean` knows what a kill left of it.
        let view = Passing::beside(&place, ".tmp").map_err(|error| no_folder(&place, &error))?;
        let mut kept = vec![root.clone(), folder.path().to_path_buf()];
        if let Some((checkout, commit)) = &found.commit {
            let index = place.with_file_name("draft-index");
            checkout.export(commit, &index, view.folder()).map_err(|error| unreadable(&error))?;
            kept.push(checkout.common_dir.clone());
        }
        let hidden = Hidden {
            records: vec![folder.path().to_path_buf()],
            checks: HiddenChecks::place(settings, &means.machine, &root)?,
            ..Hidden::default()
        };
        let ground = Ground {
            machine: means.machine.clone(),
            launcher: Launcher::at(&means.program),
            fence,
            owner: Owner::of_project(folder.path()),
            kept,
            hidden,
            root,
        };
        let names = files::names_in(view.folder()).unwrap_or_default();
        let sight = Sight {
            repository: found.repository,
            has_files: !names.is_empty(),
            uncommitted: found.uncommitted,
        };
        Ok((Stage { ground, view }, sight))
    }

    pub(super) fn view(&self) -> &Path {
        self.view.folder()
    }
}

fn unreadable(error: &GitError) -> Problem {
    Problem::environment(
        format!("git: {error}"),
        "the agent is shown your last commit, and nothing else",
        error
            .fix()
            .unwrap_or_else(|| "mend the repository; autopilot doctor says more".to_string()),
    )
}

fn no_folder(place: &Path, error: &std::io::Error) -> Problem {
    let around: PathBuf = place.parent().map(Path::to_path_buf).unwrap_or_default();
    Problem::environment(
        format!("no folder can be made in {}: {error}", around.display()),
        "the agent is shown a copy of your last commit there",
        "make room, or give yourself the right to write there",
    )
}
