//! A folder for one attempt of an agent: what it is handed beside its prompt, and room for what it throws away. It lies beside the slot,
//! so that nothing of it is taken for work.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Gone when dropped.
pub(super) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Empty, whatever a killed attempt left there, and nobody else's to look into.
    pub(super) fn beside(slot: &Path) -> io::Result<Scratch> {
        let mut name = slot.file_name().unwrap_or_default().to_os_string();
        name.push("-scratch");
        let folder = slot.with_file_name(name);
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::create_dir_all(&folder)?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        Ok(Scratch { folder })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left is taken away before the next attempt.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_attempt_left_is_gone_for_the_next_and_afterwards() {
        let around = tempfile::tempdir().unwrap();
        let slot = around.path().join("slot-1");
        let first = Scratch::beside(&slot).unwrap();
        fs::write(first.folder().join("left"), "over").unwrap();
        std::mem::forget(first);
        let second = Scratch::beside(&slot).unwrap();
        assert_eq!(fs::read_dir(second.folder()).unwrap().count(), 0);
        assert_eq!(fs::metadata(second.folder()).unwrap().permissions().mode() & 0o777, 0o700);
        drop(second);
        assert_eq!(fs::read_dir(around.path()).unwrap().count(), 0);
    }
}
