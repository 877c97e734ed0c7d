//! What can go wrong with git, and the command that mends it.

use std::path::PathBuf;

use autopilot_core::finding::quote;
use autopilot_core::limits;

use crate::process::SpawnError;

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error("git {asked} did not end within {} s", limits::GIT_TIME_MAX.as_secs())]
    TimedOut { asked: String },
    #[error("git {asked} failed: {said}")]
    Refused { asked: String, said: String },
    #[error("git {asked} answered {}", quote(said))]
    NotUnderstood { asked: String, said: String },
    #[error("git does not trust {}: it belongs to another user", root.display())]
    NotTrusted { root: PathBuf },
    #[error("git has no name and email for you")]
    NoIdentity,
    #[error(
        "the repository has more than {} filters and hooks in its settings",
        limits::GIT_DRIVERS_MAX
    )]
    TooManyDrivers,
    #[error("a merge is under way")]
    MergeUnderWay,
    #[error("{} is a folder, and only files are committed", path.display())]
    IsAFolder { path: PathBuf },
    #[error("{} has more than {} bytes of changes to list", root.display(), limits::GIT_STATUS_BYTES_MAX)]
    TooManyChanges { root: PathBuf },
    #[error("{} cannot be part of a branch's name", quote(name))]
    BadName { name: String },
    #[error("the branch {branch} is checked out in {}", at.display())]
    BranchInUse { branch: String, at: PathBuf },
    #[error("{} is not a folder of its own: it is, or lies behind, a symbolic link", path.display())]
    NotAPlainFolder { path: PathBuf },
    #[error("HEAD of {} does not stand on {branch}", folder.display())]
    HeadElsewhere { folder: PathBuf, branch: String },
    #[error("your folder stands on {}, and the run works there on {expected}", found.as_deref().unwrap_or("no branch"))]
    UserElsewhere { found: Option<String>, expected: String },
    #[error("your branch has moved while the run had your folder")]
    UserCommitted,
    #[error("{} in your folder is not committed", path.display())]
    UserChanged { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl GitError {
    /// The command that mends it, where there is one.
    pub fn fix(&self) -> Option<String> {
        match self {
            GitError::NotTrusted { root } => {
                Some(format!("git config --global --add safe.directory '{}'", root.display()))
            }
            GitError::NoIdentity => Some(
                "git config --global user.name 'Your Name' && \
                 git config --global user.email you@example.com"
                    .into(),
            ),
            GitError::MergeUnderWay => Some("git merge --continue, or git merge --abort".into()),
            GitError::Spawn(SpawnError::NotFound { .. }) => Some("install git".into()),
            GitError::BranchInUse { at, .. } => {
                Some(format!("git -C '{}' switch to another branch", at.display()))
            }
            GitError::UserElsewhere { expected, .. } => Some(format!("git switch {expected}")),
            GitError::UserChanged { .. } => {
                Some("commit or stash it, then autopilot resume".into())
            }
            GitError::UserCommitted => {
                Some("autopilot abandon, and a new run from where you are".into())
            }
            GitError::Spawn(_)
            | GitError::TimedOut { .. }
            | GitError::Refused { .. }
            | GitError::NotUnderstood { .. }
            | GitError::TooManyDrivers
            | GitError::IsAFolder { .. }
            | GitError::TooManyChanges { .. }
            | GitError::BadName { .. }
            | GitError::NotAPlainFolder { .. }
            | GitError::HeadElsewhere { .. }
            | GitError::Io { .. } => None,
        }
    }
}
