//! Where a git command works. Either git looks for the repository from a folder upward, as it does for a person; or every part
//! is named, and nothing an agent wrote into the files is believed, the `.git` of a worktree least of all.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use autopilot_core::limits;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    folder: PathBuf,
    named: Option<Named>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    git_dir: PathBuf,
    common_dir: PathBuf,
    index: Option<PathBuf>,
}

/// For a named place. Each of these decides whether a changed file is seen; the repository's settings have no say in that.
const SEES_EVERYTHING: &[(&str, &str)] = &[
    ("core.trustctime", "true"),
    ("core.checkStat", "default"),
    ("core.ignoreStat", "false"),
    ("core.sparseCheckout", "false"),
    ("core.untrackedCache", "false"),
    ("core.splitIndex", "false"),
    // A file whose line ends would not come back as they are is no reason to keep nothing at all.
    ("core.safecrlf", "false"),
];

impl Place {
    pub(crate) fn found_from(folder: &Path) -> Place {
        Place { folder: folder.to_path_buf(), named: None }
    }

    /// A working tree and the folders that belong to it. `common_dir` is where objects, branches and settings lie; it differs
    /// from `git_dir` for a linked worktree.
    pub(crate) fn named(work_tree: &Path, git_dir: &Path, common_dir: &Path) -> Place {
        let (git_dir, common_dir) = (git_dir.to_path_buf(), common_dir.to_path_buf());
        let named = Some(Named { git_dir, common_dir, index: None });
        Place { folder: work_tree.to_path_buf(), named }
    }

    /// The same place with another index than the worktree's own.
    pub(crate) fn with_index(&self, index: &Path) -> Place {
        let named = self.named.clone();
        let named = named.map(|named| Named { index: Some(index.to_path_buf()), ..named });
        Place { named, ..self.clone() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn git_dir(&self) -> Option<&Path> {
        self.named.as_ref().map(|named| named.git_dir.as_path())
    }

    pub(super) fn settings(&self) -> &'static [(&'static str, &'static str)] {
        if self.named.is_some() { SEES_EVERYTHING } else { &[] }
    }

    /// The repository's own settings files; `None` when git has yet to find the repository.
    pub(super) fn settings_files(&self) -> Option<[PathBuf; 3]> {
        let named = self.named.as_ref()?;
        Some([
            named.common_dir.join("config"),
            named.common_dir.join("config.worktree"),
            named.git_dir.join("config.worktree"),
        ])
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = (&'static str, OsString)> {
        let named = self.named.as_ref();
        let always = named.map(|named| {
            [
                ("GIT_DIR", named.git_dir.clone().into_os_string()),
                ("GIT_COMMON_DIR", named.common_dir.clone().into_os_string()),
                ("GIT_WORK_TREE", self.folder.clone().into_os_string()),
            ]
        });
        let index = named.and_then(|named| named.index.clone());
        let index = index.map(|index| ("GIT_INDEX_FILE", index.into_os_string()));
        always.into_iter().flatten().chain(index)
    }

    pub(super) fn time_max(&self) -> Duration {
        match self.named {
            Some(_) => limits::GIT_WORKTREE_TIME_MAX,
            None => limits::GIT_TIME_MAX,
        }
    }

    pub(super) fn output_bytes_max(&self) -> usize {
        match self.named {
            Some(_) => limits::GIT_STATUS_BYTES_MAX,
            None => limits::OUTPUT_BYTES_MAX,
        }
    }
}
