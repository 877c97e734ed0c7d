//! The dependencies of the projects that tests take through a phase: lock files, and where in the cache folder every package of them
//! lies. `cargo xtask packages install` brings them there from the registries; tests install from there with the ordinary clients, and
//! reach no network.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cache_folder::cache_folder;

/// All packages of one lock file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packages {
    pub name: &'static str,
    lock: &'static str,
}

/// The lock file names no registry, so that it fits whichever one a contributor uses.
pub const NPM: Packages =
    Packages { name: "npm", lock: include_str!("packages/package-lock.json") };
pub const WHEELS: Packages =
    Packages { name: "wheels", lock: include_str!("packages/requirements.txt") };

/// What belongs beside the lock file of npm.
pub const PACKAGE_JSON: &str = include_str!("packages/package.json");

/// In the folder of npm's packages: the registry they came from, by which npm finds them again.
pub const REGISTRY: &str = "registry";

impl Packages {
    pub const fn lock(&self) -> &'static str {
        self.lock
    }

    /// None where the environment names no place for it.
    pub fn home(&self) -> Option<PathBuf> {
        Some(cache_folder()?.join("packages").join(self.name))
    }

    /// Says of a folder that it has every package of the lock file. Written last.
    pub fn mark(&self, home: &Path) -> std::io::Result<()> {
        fs::write(home.join("lock"), self.lock)
    }

    pub fn are_in(&self, home: &Path) -> bool {
        fs::read_to_string(home.join("lock")).is_ok_and(|lock| lock == self.lock)
    }

    /// The folder that has them, for a test that installs from it.
    ///
    /// # Panics
    ///
    /// Where they are missing, with the command that brings them: such a test must not pass.
    #[expect(clippy::panic, reason = "a test without its packages fails, and says how to get them")]
    pub fn path(&self) -> PathBuf {
        let home = self.home().unwrap_or_default();
        match self.are_in(&home) {
            true => home,
            false => panic!(
                "the packages of test projects ({}) are not in {}; get them with: cargo xtask packages install",
                self.name,
                home.display()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_count_as_there_only_for_the_lock_file_they_were_brought_for() {
        let home = tempfile::tempdir().unwrap();
        assert!(!NPM.are_in(home.path()));
        WHEELS.mark(home.path()).unwrap();
        assert!(WHEELS.are_in(home.path()) && !NPM.are_in(home.path()));
    }

    #[test]
    fn every_package_has_one_exact_version_and_a_hash() {
        for line in WHEELS.lock.lines() {
            assert!(line.contains("==") && line.contains(" --hash=sha256:"), "{line}");
        }
        let lock: serde_json::Value = serde_json::from_str(NPM.lock).unwrap();
        for (name, package) in lock["packages"].as_object().unwrap() {
            let is_exact = package["version"].is_string() && package["integrity"].is_string();
            assert!(name.is_empty() || is_exact, "{name}");
        }
    }
}
