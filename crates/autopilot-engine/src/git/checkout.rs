//! The user's checkout: its root, and where git keeps what belongs to it. Found once, then every command names the folders.
//! Nothing that works on a checkout changes a file, the index or HEAD of it, or a branch that is not a run's, but for `landing`,
//! which is asked for it by name.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{Ending, Git, GitError, Identity, ObjectId, Place, answered, line_of};

#[derive(Debug, Clone)]
pub struct Checkout {
    pub(crate) git: Git,
    pub(crate) place: Place,
    pub(crate) common_dir: PathBuf,
}

impl Checkout {
    /// Asks git where the repository of a folder lies; commits are made as whoever git would commit as there. Two processes and
    /// two listings of settings.
    pub fn find(git: &Git, root: &Path) -> Result<Checkout, GitError> {
        let identity = git.identity(root)?;
        Checkout::of(git, root, &identity)
    }

    /// The same for whoever makes no commit: a machine that only measures, such as one that tests what others push, has no name
    /// for git. Only where HEAD of a worktree of ours stood is noted under the stand-in.
    pub fn find_to_measure(git: &Git, root: &Path) -> Result<Checkout, GitError> {
        match Checkout::find(git, root) {
            Err(GitError::NoIdentity) => {
                let (name, email) = ("autopilot".to_string(), "autopilot@localhost".to_string());
                Checkout::of(git, root, &Identity { name, email })
            }
            found => found,
        }
    }

    fn of(git: &Git, root: &Path, identity: &Identity) -> Result<Checkout, GitError> {
        let failed = |source| GitError::Io { path: root.to_path_buf(), source };
        let root = root.canonicalize().map_err(failed)?;
        let asked = ["rev-parse", "--git-dir", "--git-common-dir"];
        let finished = answered("rev-parse", git.ask(&root, &asked)?)?;
        let said = finished.stdout.bytes();
        let mut lines = said.split(|byte| *byte == b'\n').map(|line| {
            use std::os::unix::ffi::OsStrExt;
            root.join(std::ffi::OsStr::from_bytes(line)).canonicalize().map_err(failed)
        });
        let (Some(git_dir), Some(common_dir)) = (lines.next(), lines.next()) else {
            let said = String::from_utf8_lossy(&said).into_owned();
            return Err(GitError::NotUnderstood { asked: "rev-parse".into(), said });
        };
        let (git_dir, common_dir) = (git_dir?, common_dir?);
        let git = Git { environment: git.environment_as(identity), ..git.clone() };
        let place = Place::named(&root, &git_dir, &common_dir);
        Ok(Checkout { git, place, common_dir })
    }

    pub fn root(&self) -> &Path {
        self.place.folder()
    }

    /// Takes away the lock a killed git left on a ref of ours. Only under the run's lock, which says that no git of ours runs.
    pub(crate) fn remove_stale_lock(&self, full: &str) -> Result<(), GitError> {
        let is_ours =
            full.starts_with("refs/autopilot/") || full.starts_with("refs/heads/autopilot/");
        assert!(is_ours, "{full} is not a ref of a run");
        remove_if_there(&self.common_dir.join(format!("{full}.lock")))
    }

    /// Whether the commit would be gone without whoever stands on it. One process.
    pub(crate) fn is_held_by_none(&self, commit: &ObjectId) -> Result<bool, GitError> {
        let arguments = ["rev-list", "--max-count=1", commit.as_str(), "--not", "--all"];
        Ok(!line_of(&self.git.must_at(&self.place, &arguments)?).is_empty())
    }

    /// How many commits of it no branch or tag of the user's has. One process.
    pub(crate) fn count_unmerged(&self, commit: &ObjectId) -> Result<usize, GitError> {
        let words = ["--not", "--exclude=autopilot/*", "--branches", "--tags", "--remotes"];
        let arguments = [&["rev-list", "--count", commit.as_str()], &words[..]].concat();
        let said = line_of(&self.git.must_at(&self.place, &arguments)?);
        said.parse().map_err(|_| GitError::NotUnderstood { asked: "rev-list".into(), said })
    }

    /// Whether git would take a file of the checkout into the next commit of everything as a new one. One process.
    pub(crate) fn is_new(&self, path: &Path) -> Result<bool, GitError> {
        let words = ["ls-files", "-z", "--others", "--exclude-standard", "--"];
        let words = words.iter().map(OsStr::new).chain([path.as_os_str()]);
        let listed = self.git.must_at(&self.place, &words.collect::<Vec<_>>())?;
        Ok(!listed.stdout.bytes().is_empty())
    }

    /// The tree of a commit. One process.
    pub fn tree_of(&self, commit: &ObjectId) -> Result<ObjectId, GitError> {
        self.git.tree_of(&self.place, commit)
    }
}

impl Git {
    pub(crate) fn tree_of(&self, place: &Place, commit: &ObjectId) -> Result<ObjectId, GitError> {
        self.id_from(place, &["rev-parse", "--quiet", "--verify", &commit.tree_of()])
    }

    /// Runs a command that answers with the id of an object.
    pub(crate) fn id_from(&self, place: &Place, arguments: &[&str]) -> Result<ObjectId, GitError> {
        let finished = self.must_at(place, arguments)?;
        read_id(arguments.first().copied().unwrap_or_default(), &line_of(&finished))
    }

    /// The same where there may be none, which git says with exit code 1. A git that was killed says nothing.
    pub(crate) fn id_or_none(
        &self,
        place: &Place,
        arguments: &[&str],
    ) -> Result<Option<ObjectId>, GitError> {
        let finished = self.ask_at(place, arguments)?;
        if finished.ending == Ending::Exited(1) {
            return Ok(None);
        }
        let asked = arguments.first().copied().unwrap_or_default();
        read_id(asked, &line_of(&answered(asked, finished)?)).map(Some)
    }

    /// A commit of a tree, which no branch knows of yet. One process.
    pub(crate) fn commit_object(
        &self,
        place: &Place,
        tree: &ObjectId,
        parent: &ObjectId,
        message: &str,
    ) -> Result<ObjectId, GitError> {
        let arguments = ["commit-tree", tree.as_str(), "-p", parent.as_str(), "-F", "-"];
        let finished = self.tell_at(place, &arguments, message)?;
        read_id("commit-tree", &line_of(&finished))
    }

    /// Whether everything in `old` is in `new` too. One process, none when they are the same.
    pub(crate) fn contains(
        &self,
        place: &Place,
        new: &ObjectId,
        old: &ObjectId,
    ) -> Result<bool, GitError> {
        if new == old {
            return Ok(true);
        }
        let arguments = ["merge-base", "--is-ancestor", old.as_str(), new.as_str()];
        let finished = self.ask_at(place, &arguments)?;
        match finished.ending {
            Ending::Exited(1) => Ok(false),
            _ => answered("merge-base", finished).map(|_| true),
        }
    }
}

pub(crate) fn remove_if_there(path: &Path) -> Result<(), GitError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(GitError::Io { path: path.to_path_buf(), source })
        }
        _ => Ok(()),
    }
}

fn read_id(asked: &str, said: &str) -> Result<ObjectId, GitError> {
    ObjectId::parse(said)
        .ok_or_else(|| GitError::NotUnderstood { asked: asked.into(), said: said.into() })
}
