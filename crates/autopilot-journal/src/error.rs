//! Everything that can go wrong with what is stored, and what a person is told about it.

use std::io;
use std::path::{Path, PathBuf};

use autopilot_core::limits;
use autopilot_core::problem::Problem;

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("cannot {doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    /// Something else lies where a file or folder of ours belongs.
    #[error("{} is {found}, not {wanted}", path.display())]
    WrongKind { path: PathBuf, found: &'static str, wanted: &'static str },
    #[error("{} does not exist", path.display())]
    Absent { path: PathBuf },
    #[error("{} exists already", path.display())]
    Exists { path: PathBuf },
    #[error("{} has {bytes} bytes; at most {bytes_max} are read", path.display())]
    TooLarge { path: PathBuf, bytes: u64, bytes_max: u64 },
    /// Lines count from 1; `seq` is the number that belongs there.
    #[error("{} line {line} (record {seq}): {what}", path.display())]
    Damaged { path: PathBuf, line: u64, seq: u64, what: String },
    #[error("{} line {line} has version {version}, which a newer autopilot wrote", path.display())]
    Newer { path: PathBuf, line: u64, version: u64 },
    /// The line is whole, and what it says is unknown here.
    #[error("{} line {line} (record {seq}) is no event this autopilot knows: {why}", path.display())]
    UnknownEvent { path: PathBuf, line: u64, seq: u64, why: String },
    /// The caller's bug: nothing was written.
    #[error("an event cannot be stored: {why}")]
    BadEvent { why: String },
    /// The caller's bug: nothing was written.
    #[error("{name:?} cannot be the name of a file: {why}")]
    BadName { name: String, why: &'static str },
    #[error("{} is full: it has {bytes} bytes of at most {}", path.display(), limits::JOURNAL_BYTES_MAX)]
    Full { path: PathBuf, bytes: u64 },
    /// A failed sync may have dropped what was written before it, so a later one that succeeds proves nothing.
    #[error("{} takes no more records since writing to it failed", path.display())]
    Poisoned { path: PathBuf },
    /// Somebody deleted the file under the writer: what goes into it now is gone with the process.
    #[error("{} was deleted while it was written", path.display())]
    Vanished { path: PathBuf },
}

/// A file of ours that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub path: PathBuf,
    pub what: String,
    /// Where it lies now, if it was moved out of the way.
    pub moved_to: Option<PathBuf>,
}

impl Broken {
    pub(crate) fn new(path: &Path, what: impl ToString) -> Broken {
        Broken { path: path.to_path_buf(), what: what.to_string(), moved_to: None }
    }
}

impl JournalError {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> JournalError {
        move |source| JournalError::Io { doing, path: path.to_path_buf(), source }
    }

    pub fn problem(&self) -> Problem {
        let what = self.to_string();
        let why = self.why();
        match self {
            JournalError::Absent { .. } | JournalError::Exists { .. } => {
                Problem::usage(what, why, "see which runs there are: autopilot status")
            }
            JournalError::WrongKind { path, .. } => {
                Problem::usage(what, why, format!("move it away: mv {0} {0}.aside", path.display()))
            }
            JournalError::Damaged { .. } => {
                Problem::environment(what, why, "keep what is whole: autopilot doctor --repair")
            }
            JournalError::Newer { .. } | JournalError::UnknownEvent { .. } => Problem::environment(
                what,
                why,
                "use the autopilot that wrote it, or a newer one; autopilot --version tells yours",
            ),
            JournalError::TooLarge { .. } | JournalError::Full { .. } => {
                Problem::environment(what, why, "archive the run: autopilot abandon")
            }
            JournalError::BadEvent { .. } | JournalError::BadName { .. } => {
                Problem::environment(what, why, "this is a bug of autopilot: please report it")
            }
            JournalError::Io { .. }
            | JournalError::Poisoned { .. }
            | JournalError::Vanished { .. } => Problem::environment(
                what,
                why,
                "look at the disk (df -h .) and at the rights (ls -ld .autopilot), then: autopilot resume",
            ),
        }
    }

    fn why(&self) -> &'static str {
        match self {
            JournalError::Io { .. }
            | JournalError::Poisoned { .. }
            | JournalError::Vanished { .. }
            | JournalError::Full { .. } => {
                "nothing is done before it is written down, so a run cannot go on without its journal"
            }
            JournalError::WrongKind { .. } => {
                "autopilot keeps its memory there and follows no link out of the project"
            }
            JournalError::Absent { .. } | JournalError::Exists { .. } => {
                "a run is known by its journal, and each has exactly one"
            }
            JournalError::Damaged { .. } => {
                "a record that was counted on cannot be read, and going on would repeat or skip work"
            }
            JournalError::Newer { .. } | JournalError::UnknownEvent { .. } => {
                "going on without understanding every record would repeat or skip work"
            }
            JournalError::TooLarge { .. } => "what is read must fit in memory",
            JournalError::BadEvent { .. } | JournalError::BadName { .. } => {
                "what cannot be written down cannot be done"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use autopilot_core::exit::Exit;

    use super::*;

    #[test]
    fn every_error_says_what_to_do() {
        let path = || PathBuf::from(".autopilot/journal/run-1.jsonl");
        let check = |error: JournalError, exit: Exit, fix: &str| {
            let problem = error.problem();
            assert!(problem.fix.contains(fix), "{problem:?}");
            assert_eq!((problem.exit, &problem.what), (exit, &error.to_string()));
        };
        let what = || "its checksum is wrong".to_string();
        let damaged = JournalError::Damaged { path: path(), line: 3, seq: 2, what: what() };
        check(damaged, Exit::Environment, "autopilot doctor --repair");
        let newer = JournalError::Newer { path: path(), line: 3, version: 2 };
        check(newer, Exit::Environment, "the autopilot that wrote it");
        check(JournalError::Poisoned { path: path() }, Exit::Environment, "df -h");
        check(JournalError::Absent { path: path() }, Exit::Usage, "autopilot status");
        let wrong = JournalError::WrongKind { path: path(), found: "a pipe", wanted: "a file" };
        check(wrong, Exit::Usage, "mv .autopilot/journal/run-1.jsonl ");
    }
}
