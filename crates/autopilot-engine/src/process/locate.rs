//! Finds programs by name, as a shell would, but never by a relative folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

use super::SpawnError;

/// The first executable file of that name in a list of folders like `PATH`.
pub fn find_program(name: impl AsRef<OsStr>, path: &OsStr) -> Option<PathBuf> {
    match look_for(name.as_ref(), path) {
        Looked::Found(program) => Some(program),
        Looked::NotExecutable(_) | Looked::Nothing => None,
    }
}

pub(crate) enum Looked {
    Found(PathBuf),
    /// Something of that name is there, but it is a folder or may not be executed.
    NotExecutable(PathBuf),
    Nothing,
}

/// Relative folders in `PATH` are passed over: they would let the project's own files stand in for system programs.
pub(crate) fn look_for(name: &OsStr, path: &OsStr) -> Looked {
    let mut refused = None;
    for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute()) {
        let candidate = folder.join(name);
        if is_executable_file(&candidate) {
            return Looked::Found(candidate);
        }
        if refused.is_none() && candidate.exists() {
            refused = Some(candidate);
        }
    }
    refused.map_or(Looked::Nothing, Looked::NotExecutable)
}

fn is_executable_file(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

pub(super) fn locate(program: &Path, path: &OsStr) -> Result<PathBuf, SpawnError> {
    if program.components().count() > 1 || program.is_absolute() {
        return match (program.exists(), is_executable_file(program)) {
            (_, true) => Ok(program.to_path_buf()),
            (true, false) => Err(SpawnError::NotExecutable { path: program.to_path_buf() }),
            (false, false) => Err(SpawnError::NotFound { program: program.to_path_buf() }),
        };
    }
    match look_for(program.as_os_str(), path) {
        Looked::Found(found) => Ok(found),
        Looked::NotExecutable(path) => Err(SpawnError::NotExecutable { path }),
        Looked::Nothing => Err(SpawnError::NotFound { program: program.to_path_buf() }),
    }
}
