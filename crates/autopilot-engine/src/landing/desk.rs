//! What a move of the user's branch puts into the git folder while it lasts: that it has begun, an index of its own, and git's lock.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use autopilot_journal::durable;

use super::{LandingOrder, point, remove};
use crate::git::{Checkout, GitError, Place};

pub(super) struct Desk {
    git_dir: PathBuf,
}

impl Desk {
    pub(super) fn of(checkout: &Checkout) -> Result<Desk, GitError> {
        let root = checkout.root().to_path_buf();
        let none = || std::io::Error::from(std::io::ErrorKind::NotFound);
        let git_dir = checkout.place.git_dir().map(Path::to_path_buf);
        git_dir
            .map(|git_dir| Desk { git_dir })
            .ok_or_else(|| GitError::Io { path: root, source: none() })
    }

    pub(super) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Says what has begun. Whoever finds it knows that files may be half way.
    fn mark(&self) -> PathBuf {
        self.git_dir.join("autopilot-merge")
    }

    fn index(&self) -> PathBuf {
        self.git_dir.join("autopilot-merge.index")
    }

    pub(super) fn lock_file(&self) -> PathBuf {
        self.git_dir.join("index.lock")
    }

    /// The user's tree with our index.
    pub(super) fn place(&self, checkout: &Checkout) -> Place {
        checkout.place.with_index(&self.index())
    }

    pub(super) fn drop_index(&self) -> Result<(), GitError> {
        remove(&self.git_dir.join("autopilot-merge.index.lock"))?;
        remove(&self.index())
    }

    pub(super) fn is_begun(&self) -> bool {
        self.mark().exists()
    }

    pub(super) fn is_begun_with(&self, order: &LandingOrder) -> bool {
        std::fs::read_to_string(self.mark()).is_ok_and(|text| text == words(order))
    }

    pub(super) fn begin(&self, order: &LandingOrder) -> Result<(), GitError> {
        if self.is_begun_with(order) {
            return Ok(());
        }
        self.unlock()?;
        point("landing.begin")?;
        let mark = self.mark();
        let failed = |error: autopilot_journal::JournalError| GitError::Io {
            path: mark.clone(),
            source: std::io::Error::other(error.to_string()),
        };
        durable::write_atomically(&mark, words(order).as_bytes()).map_err(failed)
    }

    /// A git of the user's at work, or what one left.
    pub(super) fn foreign_lock(&self) -> Option<PathBuf> {
        let lock = self.lock_file();
        (lock.symlink_metadata().is_ok() && !self.is_ours(&lock)).then_some(lock)
    }

    /// Takes git's lock on the index; false when somebody was faster.
    pub(super) fn lock(&self) -> Result<bool, GitError> {
        let lock = self.lock_file();
        if self.is_ours(&lock) {
            return Ok(true);
        }
        point("landing.lock")?;
        match std::fs::hard_link(self.mark(), &lock) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
            Err(source) => Err(GitError::Io { path: lock, source }),
        }
    }

    /// The user's index is ours from here on.
    pub(super) fn hand_over_index(&self) -> Result<(), GitError> {
        let index = self.git_dir.join("index");
        let failed = |source| GitError::Io { path: index.clone(), source };
        std::fs::rename(self.index(), &index).map_err(failed)
    }

    pub(super) fn unlock(&self) -> Result<(), GitError> {
        let lock = self.lock_file();
        if self.is_ours(&lock) { remove(&lock) } else { Ok(()) }
    }

    /// All is done, or nothing was: the lock goes first, because it is known by the mark.
    pub(super) fn clear(&self) -> Result<(), GitError> {
        if !self.is_begun() {
            return self.drop_index();
        }
        point("landing.clear")?;
        self.unlock()?;
        self.drop_index()?;
        remove(&self.mark())
    }

    fn is_ours(&self, lock: &Path) -> bool {
        let same = |path: &Path| path.symlink_metadata().map(|it| (it.dev(), it.ino()));
        matches!((same(lock), same(&self.mark())), (Ok(one), Ok(other)) if one == other)
    }
}

fn words(order: &LandingOrder) -> String {
    let LandingOrder { branch, from, files, to, .. } = order;
    format!("autopilot moves {branch} from {from} ({files}) to {to}\n")
}
