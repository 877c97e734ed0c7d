//! Why the user's branch was left where it is, and what to do about it.

use std::path::PathBuf;

use autopilot_core::finding::quote;

use super::LandingOrder;
use crate::git::ObjectId;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    NoBranch,
    /// Somebody committed to it, or put it elsewhere.
    Moved {
        at: ObjectId,
    },
    /// The run's work does not build upon it.
    NotForward,
    /// Another worktree has it, whose files would be behind.
    CheckedOut {
        at: PathBuf,
    },
    /// Not committed.
    Changed {
        paths: Vec<PathBuf>,
    },
    /// Ignored files where new ones would go.
    InTheWay {
        paths: Vec<PathBuf>,
    },
    UnderWay {
        what: &'static str,
        end: &'static str,
    },
    /// A git of the user's is at work, or was killed.
    Locked {
        lock: PathBuf,
    },
}

impl Obstacle {
    /// What happened, and what to do; `source` is the branch with the run's work, `again` the command that tries again.
    pub fn words(&self, order: &LandingOrder, source: &str, again: &str) -> (String, String) {
        let branch = &order.branch;
        match self {
            Obstacle::NoBranch => (
                format!("the branch {branch} is gone"),
                format!("merge it into another one: git merge {source}"),
            ),
            Obstacle::Moved { at } => (
                format!(
                    "{branch} has moved since: it is at {}, not at {}",
                    short(at),
                    short(&order.from)
                ),
                format!("merge it yourself: git switch {branch} && git merge {source}"),
            ),
            Obstacle::NotForward => (
                format!("{source} does not build on {branch}"),
                format!("merge it yourself: git switch {branch} && git merge {source}"),
            ),
            Obstacle::CheckedOut { at } => (
                format!("{branch} is checked out in {}", at.display()),
                format!("merge it there: git -C '{}' merge {source}", at.display()),
            ),
            Obstacle::Changed { paths } => {
                let (are, them) = if paths.len() == 1 { ("is", "it") } else { ("are", "them") };
                (
                    format!("{} {are} not committed", list(paths)),
                    format!("commit or stash {them}, then {again}"),
                )
            }
            Obstacle::InTheWay { paths } => {
                let (are, them, files) = match paths.len() {
                    1 => ("is", "it", "a file of that name"),
                    _ => ("are", "them", "files of those names"),
                };
                (
                    format!(
                        "{} {are} in the way: git ignores {them} here, and the run has {files}",
                        list(paths)
                    ),
                    format!("move {them} away, then {again}"),
                )
            }
            Obstacle::UnderWay { what, end } => {
                (format!("a {what} is under way"), format!("{end}, then {again}"))
            }
            Obstacle::Locked { lock } => (
                format!("another git is at work here: {} is there", lock.display()),
                format!("wait for it, or delete the file if none runs, then {again}"),
            ),
        }
    }
}

fn short(id: &ObjectId) -> &str {
    id.as_str().get(..8).unwrap_or(id.as_str())
}

/// A few of them; many would hide what to do.
fn list(paths: &[PathBuf]) -> String {
    const SHOWN_MAX: usize = 5;
    let mut names: Vec<String> =
        paths.iter().take(SHOWN_MAX).map(|path| printable(&path.to_string_lossy())).collect();
    if paths.len() > SHOWN_MAX {
        names.push(format!("and {} more", paths.len() - SHOWN_MAX));
    }
    names.join(", ")
}

/// Names of files may hold anything; those that a line cannot show are quoted.
fn printable(name: &str) -> String {
    if name.chars().any(char::is_control) { quote(name) } else { name.to_string() }
}
