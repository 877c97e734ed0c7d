//! A folder for one attempt of an agent: what it is handed beside its prompt, and room for what it throws away. It lies beside the slot,
//! so that nothing of it is taken for work.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use autopilot_agents::agent::Handed;

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

    pub(super) fn put(&self, files: &[(String, Handed)]) -> io::Result<()> {
        for (path, handed) in files {
            let path = self.folder.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            match handed {
                Handed::Bytes(bytes) => fs::write(&path, bytes)?,
                Handed::LinkTo(target) => symlink(target, &path)?,
            }
        }
        Ok(())
    }

    /// Files of the user's, if they are there. The agent says what it misses.
    pub(super) fn copy(&self, copies: &[(&'static str, PathBuf)]) -> io::Result<()> {
        crate::files::copy_fit(copies, &self.folder)
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
        let schema = ("schema.json".to_string(), Handed::Bytes(b"{}".to_vec()));
        let login = around.path().join("login");
        fs::write(&login, "secret").unwrap();
        first.put(&[schema, ("home/login".to_string(), Handed::LinkTo(login.clone()))]).unwrap();
        let read = |path: &str| fs::read_to_string(first.folder().join(path)).unwrap();
        assert_eq!((read("schema.json"), read("home/login")), ("{}".into(), "secret".into()));
        let account = around.path().join("account");
        fs::write(&account, "me").unwrap();
        first
            .copy(&[
                ("a", account.clone()),
                ("b", around.path().join("none")),
                ("c", around.path().into()),
            ])
            .unwrap();
        assert_eq!(fs::read(first.folder().join("a")).unwrap(), b"me");
        assert!(!first.folder().join("b").exists() && !first.folder().join("c").exists());
        fs::remove_file(account).unwrap();
        std::mem::forget(first);
        let second = Scratch::beside(&slot).unwrap();
        assert_eq!(fs::read_dir(second.folder()).unwrap().count(), 0);
        assert_eq!(fs::metadata(second.folder()).unwrap().permissions().mode() & 0o777, 0o700);
        drop(second);
        assert_eq!(fs::read(login).unwrap(), b"secret", "what a link leads to is the user's");
        assert_eq!(fs::read_dir(around.path()).unwrap().count(), 1);
    }
}
