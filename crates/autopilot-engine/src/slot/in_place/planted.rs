//! What an agent can leave in the user's folder that no git must meet there, the user's own least of all: repositories with settings
//! that run programs, pipes in the place of files git reads, and what nobody may read. Such things are moved to
//! `.autopilot/damaged/`, where they are found and do nothing.

use std::collections::BTreeSet;
use std::fs::{DirEntry, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use autopilot_core::limits;

use crate::git::GitError;

/// Files git reads whenever it looks at a folder.
const READ_BY_GIT: [&str; 2] = [".gitignore", ".gitattributes"];

/// Where things are moved to.
pub(super) struct Aside {
    root: PathBuf,
    folder: PathBuf,
}

impl Aside {
    pub(super) fn of(root: &Path, run: &str) -> Aside {
        let folder = root.join(".autopilot/damaged").join(format!("in-place-{run}"));
        Aside { root: root.to_path_buf(), folder }
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.is_dir().then_some(&self.folder)
    }

    /// Takes it out of the way, whatever it is. Of several with one name each is kept.
    pub(super) fn take(&self, path: &Path) -> Result<(), GitError> {
        let from = self.root.join(path);
        if std::fs::symlink_metadata(&from).is_err() {
            return Ok(());
        }
        let failed = |source| GitError::Io { path: from.clone(), source };
        for above in path.ancestors().skip(1).filter(|it| !it.as_os_str().is_empty()) {
            open_up(&self.root.join(above), 0o700);
        }
        let name = path.to_string_lossy().replace('/', "%");
        let places =
            (1..=limits::RESCUES_MAX).map(|number| self.folder.join(format!("{name}.{number}")));
        let mut free = places.filter(|place| std::fs::symlink_metadata(place).is_err());
        let to = free.next().ok_or_else(|| failed(std::io::ErrorKind::AlreadyExists.into()))?;
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        std::fs::rename(&from, &to).map_err(failed)
    }
}

/// Moves aside what must not be met. `theirs` was there before and is the user's.
pub(super) fn clear(aside: &Aside, theirs: &BTreeSet<PathBuf>) -> Result<(), GitError> {
    let mut folders = vec![PathBuf::new()];
    let mut left = limits::LENT_ENTRIES_MAX;
    while let Some(folder) = folders.pop() {
        open_up(&aside.root.join(&folder), 0o700);
        let entries = std::fs::read_dir(aside.root.join(&folder)).into_iter().flatten().flatten();
        for entry in entries {
            left = left.saturating_sub(1);
            if left == 0 {
                return Ok(());
            }
            let path = folder.join(entry.file_name());
            let is_own = folder.as_os_str().is_empty()
                && (entry.file_name() == ".git" || entry.file_name() == ".autopilot");
            if is_own || theirs.contains(&path) {
                continue;
            }
            match what(&entry) {
                What::Planted => aside.take(&path)?,
                What::Folder => folders.push(path),
                What::File => open_up(&aside.root.join(&path), 0o400),
                What::Other => {}
            }
        }
    }
    Ok(())
}

enum What {
    Planted,
    Folder,
    File,
    Other,
}

fn what(entry: &DirEntry) -> What {
    let name = entry.file_name();
    let Ok(kind) = entry.file_type() else { return What::Other };
    let is_read = READ_BY_GIT.iter().any(|it| name == *it);
    if name.eq_ignore_ascii_case(".git") || (is_read && !kind.is_file()) {
        return What::Planted;
    }
    match (kind.is_dir(), kind.is_file()) {
        (true, _) => What::Folder,
        (false, true) => What::File,
        (false, false) => What::Other,
    }
}

/// What cannot be read could be neither kept nor taken away. Of somebody else's it stays as it is.
fn open_up(path: &Path, wanted: u32) {
    let Ok(found) = std::fs::symlink_metadata(path) else { return };
    let mode = found.permissions().mode();
    if !found.is_symlink() && mode & wanted != wanted {
        let _refused = std::fs::set_permissions(path, Permissions::from_mode(mode | wanted));
    }
}
