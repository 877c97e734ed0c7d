//! Is git there, new enough and able to commit, and is the project a repository a run can start from?

use std::path::Path;

use autopilot_core::finding::printable;

use super::{Check, CheckState};
use crate::git::{Git, GitError, Repository, Unfit, repository_fit};
use crate::machine::Machine;

/// The first git that takes settings from variables, which is how a repository's own filters are switched off.
const OLDEST: (u32, u32) = (2, 31);

pub fn git(machine: &Machine, root: &Path) -> Vec<Check> {
    let git = match Git::find(machine) {
        Ok(git) => git,
        Err(error) => return vec![failed("git", &error.into())],
    };
    let version = program(&git);
    if version.blocks_run {
        return vec![version];
    }
    vec![version, commits(&git, root), repository(&git, root)]
}

fn program(git: &Git) -> Check {
    match git.version() {
        Ok(version) if (version.major, version.minor) < OLDEST => {
            let (major, minor) = OLDEST;
            let detail = format!("{} is too old", printable(&version.text));
            let fix = format!("install git {major}.{minor} or newer");
            Check::new("git", CheckState::Broken, detail).fix(fix).blocking()
        }
        Ok(version) => Check::good("git", printable(&version.text)),
        Err(error) => failed("git", &error),
    }
}

fn commits(git: &Git, root: &Path) -> Check {
    match git.throw_away_commit(root) {
        Ok(identity) => Check::good("commits", printable(&format!("as {identity}, tried"))),
        Err(error) => failed("commits", &error),
    }
}

fn repository(git: &Git, root: &Path) -> Check {
    let blocked = |detail: &str, fix: &str| {
        Check::new("repository", CheckState::Missing, detail).fix(fix).blocking()
    };
    match git.repository(root) {
        Ok(Repository::NotARepository) => blocked(
            "this folder is not in a git repository",
            "git init && git add -A && git commit -m 'first commit'",
        ),
        Ok(Repository::Bare) => {
            blocked("a bare repository has no files to work on", "run autopilot in a clone of it")
        }
        Ok(Repository::NoCommit) => {
            blocked("there is no commit yet", "git add -A && git commit -m 'first commit'")
        }
        Ok(Repository::Ready { branch, dirty }) => match repository_fit(git, root) {
            Ok(unfit) => match unfit.first() {
                Some(first) => not_fit(first),
                None => ready(branch.as_deref(), dirty),
            },
            Err(error) => failed("repository", &error),
        },
        Err(error) => failed("repository", &error),
    }
}

/// The words with which a run would refuse.
fn not_fit(unfit: &Unfit) -> Check {
    let problem = unfit.problem();
    Check::new("repository", CheckState::Broken, problem.what).fix(problem.fix).blocking()
}

fn ready(branch: Option<&str>, dirty: usize) -> Check {
    let place = branch.map_or("on no branch".into(), |branch| format!("on {}", printable(branch)));
    let state = match dirty {
        0 => "clean".into(),
        1 => "1 changed or new file".into(),
        more => format!("{more} changed or new files"),
    };
    let detail = format!("{place}, {state}");
    match (branch, dirty) {
        (Some(_), 0) => Check::good("repository", detail),
        (None, 0) => Check::new("repository", CheckState::Warning, detail)
            .fix("git switch to the branch that the work belongs on"),
        (_, _) => Check::new("repository", CheckState::Warning, detail)
            .fix("commit or stash them: a run starts from the last commit"),
    }
}

fn failed(topic: &str, error: &GitError) -> Check {
    let state = match error {
        GitError::Spawn(crate::process::SpawnError::NotFound { .. }) => CheckState::Missing,
        _ => CheckState::Broken,
    };
    let check = Check::new(topic, state, error.to_string()).blocking();
    match error.fix() {
        Some(fix) => check.fix(fix),
        None => check,
    }
}
