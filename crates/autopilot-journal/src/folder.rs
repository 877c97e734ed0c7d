//! The folder `.autopilot/` of a project and where each thing lies in it. Owns that it exists, is really a folder of this
//! project, and is ignored by git (INV-6).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::durable;
use crate::error::JournalError;
use crate::run_id::RunId;

const NAME: &str = ".autopilot";
const IGNORE_FILE: &str = ".gitignore";
const IGNORE_EVERYTHING: &[u8] = b"*\n";
const SUBFOLDERS: [&str; 7] =
    ["journal", "inbox", "diagnostics", "traces", "archive", "logs", "damaged"];
const RECORDS_ENDING: &str = ".jsonl";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder of this project, made if it is not there yet.
    pub fn open(project_root: &Path) -> Result<Folder, JournalError> {
        let folder = Folder { path: project_root.join(NAME) };
        make(&folder.path)?;
        // First of all: a folder killed half made must not show up in the user's git.
        let ignore = folder.path.join(IGNORE_FILE);
        if fs::symlink_metadata(&ignore).is_err() {
            durable::write_atomically(&ignore, IGNORE_EVERYTHING)?;
        }
        for name in SUBFOLDERS {
            make(&folder.path.join(name))?;
        }
        // Also when all was there: who made it may have been killed before it could sync.
        durable::sync_folder(&folder.path)?;
        durable::sync_folder(project_root)?;
        Ok(folder)
    }

    /// The folder of this project if it is there. Nothing is created.
    pub fn find(project_root: &Path) -> Result<Option<Folder>, JournalError> {
        let folder = Folder { path: project_root.join(NAME) };
        if !is_folder(&folder.path)? {
            return Ok(None);
        }
        for name in SUBFOLDERS {
            is_folder(&folder.path.join(name))?;
        }
        Ok(Some(folder))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn journal(&self, run: &RunId) -> PathBuf {
        self.path.join("journal").join(format!("{run}{RECORDS_ENDING}"))
    }

    pub fn archived_journal(&self, run: &RunId) -> PathBuf {
        self.archive().join(format!("{run}{RECORDS_ENDING}"))
    }

    pub fn state(&self) -> PathBuf {
        self.path.join("state.json")
    }

    pub fn state_backup(&self) -> PathBuf {
        self.path.join("state.json.backup")
    }

    pub fn ledger(&self) -> PathBuf {
        self.path.join("ledger.json")
    }

    pub fn ledger_backup(&self) -> PathBuf {
        self.path.join("ledger.json.backup")
    }

    pub fn lock_file(&self) -> PathBuf {
        self.path.join("lock")
    }

    pub fn inbox(&self) -> PathBuf {
        self.path.join("inbox")
    }

    pub fn diagnostics(&self) -> PathBuf {
        self.path.join("diagnostics")
    }

    pub fn archive(&self) -> PathBuf {
        self.path.join("archive")
    }

    pub fn metrics(&self) -> PathBuf {
        self.archive().join("metrics.json")
    }

    pub fn logs(&self) -> PathBuf {
        self.path.join("logs")
    }

    /// What phases rest on whose papers are in no commit.
    pub fn receipts(&self) -> PathBuf {
        self.path.join("receipts")
    }

    pub fn damaged(&self) -> PathBuf {
        self.path.join("damaged")
    }

    /// The runs that have a journal and are not archived, sorted by id.
    pub fn runs(&self) -> Result<Vec<RunId>, JournalError> {
        runs_in(&self.path.join("journal"))
    }
}

/// The runs whose journals lie in a folder; what has no name of ours is none.
pub(crate) fn runs_in(folder: &Path) -> Result<Vec<RunId>, JournalError> {
    let names = durable::names_in(folder)?.into_iter().filter_map(|name| name.into_string().ok());
    let mut runs: Vec<RunId> =
        names.filter_map(|name| RunId::new(name.strip_suffix(RECORDS_ENDING)?).ok()).collect();
    // `a.b.jsonl` sorts before `a.jsonl` as a file and after it as an id.
    runs.sort();
    Ok(runs)
}

fn make(path: &Path) -> Result<(), JournalError> {
    match fs::create_dir(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => is_folder(path).map(|_| ()),
        Err(error) => Err(JournalError::io("create the folder", path)(error)),
    }
}

/// A link is refused: it could make us write anywhere on the machine.
fn is_folder(path: &Path) -> Result<bool, JournalError> {
    let kind = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(JournalError::io("look at", path)(error)),
    };
    match kind.is_dir() {
        true => Ok(true),
        false => Err(JournalError::WrongKind {
            path: path.to_path_buf(),
            found: durable::kind_of(kind),
            wanted: "a folder",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn the_folder_ignores_itself_and_is_found_again() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(Folder::find(root.path()).unwrap(), None);
        assert!(fs::read_dir(root.path()).unwrap().next().is_none(), "finding makes nothing");

        let folder = Folder::open(root.path()).unwrap();
        assert_eq!(fs::read(folder.path().join(".gitignore")).unwrap(), b"*\n");
        assert_eq!(Folder::open(root.path()).unwrap(), folder);
        assert_eq!(Folder::find(root.path()).unwrap(), Some(folder));
    }

    #[test]
    fn what_the_user_wrote_in_the_ignore_file_stays() {
        let scratch = Scratch::new();
        let ignore = scratch.folder.path().join(".gitignore");
        fs::write(&ignore, "*\n!learnings.md\n").unwrap();
        Folder::open(scratch.root()).unwrap();
        assert_eq!(fs::read(ignore).unwrap(), b"*\n!learnings.md\n");
    }

    #[test]
    fn a_link_or_a_file_in_its_place_is_refused() {
        let check = |prepare: fn(&Path), found: &str| {
            let root = tempfile::tempdir().unwrap();
            prepare(root.path());
            for outcome in
                [Folder::open(root.path()).map(|_| ()), Folder::find(root.path()).map(|_| ())]
            {
                let error = outcome.unwrap_err().to_string();
                assert!(error.ends_with(&format!("is {found}, not a folder")), "{error}");
            }
        };
        check(|root| fs::write(root.join(".autopilot"), "").unwrap(), "a file");
        check(
            |root| {
                fs::create_dir(root.join("elsewhere")).unwrap();
                std::os::unix::fs::symlink("elsewhere", root.join(".autopilot")).unwrap();
            },
            "a symbolic link",
        );
        check(
            |root| {
                fs::create_dir(root.join(".autopilot")).unwrap();
                std::os::unix::fs::symlink("/tmp", root.join(".autopilot/inbox")).unwrap();
            },
            "a symbolic link",
        );
    }
}
