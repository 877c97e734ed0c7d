//! What a new cache folder begins with: the packages that cargo has already fetched for the user, so that a build in a slot
//! fetches nothing twice and works without a network. Links, not copies: the user's files stay readable and cannot be changed
//! through them. Other tools fetch into the empty folder once.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use autopilot_core::limits;

use crate::files;
use crate::machine::Machine;

/// Fills the folder of caches. Whatever of the user's is not there or cannot be read is left out.
pub(super) fn fill(machine: &Machine, project: &Path, cache: &Path) -> io::Result<()> {
    let own = machine.variable("CARGO_HOME").map(PathBuf::from);
    let own = own.or_else(|| Some(machine.home()?.join(".cargo")));
    let Some(cargo) = own.filter(|folder| folder.is_absolute() && folder.is_dir()) else {
        return Ok(());
    };
    let to = cache.join("cargo");
    fs::create_dir(&to)?;
    // How the user reaches a registry, and as whom.
    for name in ["config.toml", "config", "credentials.toml", "credentials"] {
        if cargo.join(name).is_file() {
            symlink(cargo.join(name), to.join(name))?;
        }
    }
    if !has_packages(project) {
        return Ok(());
    }
    let mut entries_max = limits::OWN_FOLDER_ENTRIES_MAX;
    for name in ["index", "cache"] {
        let (from, to) = (cargo.join("registry").join(name), to.join("registry").join(name));
        mirror(&from, &to, &mut entries_max)?;
    }
    Ok(())
}

/// Without packages of others there is nothing to fetch.
fn has_packages(project: &Path) -> bool {
    let lock = files::read_text(&project.join("Cargo.lock"));
    lock.is_ok_and(|text| text.lines().any(|line| line.starts_with("source = ")))
}

/// The same folders with links to the files in them.
fn mirror(from: &Path, to: &Path, entries_max: &mut usize) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(from) else { return Ok(()) };
    fs::create_dir_all(to)?;
    for entry in entries.flatten() {
        let Some(left) = entries_max.checked_sub(1) else { return Ok(()) };
        *entries_max = left;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => mirror(&from, &to, entries_max)?,
            Ok(kind) if kind.is_file() => symlink(&from, &to)?,
            Ok(_) | Err(_) => {}
        }
    }
    Ok(())
}
