//! Where the sample project lies. In a folder the user named it is a project like any other; in a temporary one even its
//! worktrees lie beside it, so that nothing is left once that folder is removed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use autopilot_core::problem::Problem;
use autopilot_engine::machine::Machine;

#[derive(Debug)]
pub(super) enum Place {
    Kept {
        root: PathBuf,
    },
    /// Removed with everything in it, unless it is left.
    Temporary {
        folder: tempfile::TempDir,
        root: PathBuf,
    },
}

/// Which state folder the project's worktrees lie in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum State {
    Usual,
    Own(PathBuf),
}

impl Place {
    pub(super) fn make(named: Option<&Path>) -> Result<Place, Problem> {
        match named {
            Some(named) => kept(named),
            None => temporary().map_err(|error| no_room(&std::env::temp_dir(), &error)),
        }
    }

    pub(super) fn root(&self) -> &Path {
        match self {
            Place::Kept { root } | Place::Temporary { root, .. } => root,
        }
    }

    pub(super) fn state(&self) -> State {
        match self {
            Place::Kept { .. } => State::Usual,
            Place::Temporary { folder, .. } => State::Own(folder.path().join("state")),
        }
    }

    /// The machine as runs in this project see it.
    pub(super) fn machine(&self, machine: &Machine) -> Machine {
        let mut variables = machine.variables().clone();
        if let State::Own(folder) = self.state() {
            variables.insert("XDG_STATE_HOME".into(), folder.into());
        }
        Machine::with_variables(variables)
    }

    /// Leaves it for the user to look at. The folder that can be removed afterwards, where it is a temporary one.
    pub(super) fn leave(self) -> Option<PathBuf> {
        match self {
            Place::Kept { .. } => None,
            Place::Temporary { folder, .. } => Some(folder.keep()),
        }
    }
}

fn kept(named: &Path) -> Result<Place, Problem> {
    let failed = |error: io::Error| no_room(named, &error);
    let holds_something = match fs::read_dir(named) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => true,
        Err(error) => return Err(failed(error)),
    };
    if holds_something {
        return Err(Problem::usage(
            format!("{} is not an empty folder", named.display()),
            "the sample project would mix with what is there",
            "name a folder that does not exist yet: autopilot demo --keep NEW",
        ));
    }
    fs::create_dir_all(named).map_err(failed)?;
    Ok(Place::Kept { root: named.canonicalize().map_err(failed)? })
}

fn temporary() -> io::Result<Place> {
    let folder = tempfile::Builder::new().prefix("autopilot-demo-").tempdir()?;
    let root = folder.path().canonicalize()?.join("bookmarks");
    fs::create_dir(&root)?;
    Ok(Place::Temporary { folder, root })
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), Problem> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| no_room(path, &error))
}

fn no_room(path: &Path, error: &io::Error) -> Problem {
    Problem::environment(
        format!("{} cannot be written: {error}", path.display()),
        "the sample project is laid out there",
        "free some space, set TMPDIR, or name another folder: autopilot demo --keep DIR",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_project_takes_its_worktrees_along() {
        let machine = Machine::with_variables([("HOME", "/h")]);
        let place = Place::make(None).unwrap();
        let root = place.root().to_path_buf();
        let state = place.machine(&machine).state_folder().unwrap();
        assert_eq!(state, root.parent().unwrap().join("state/autopilot"));
        drop(place);
        assert!(!root.exists());
        let kept = Place::make(None).unwrap();
        let folder = kept.leave().unwrap();
        assert!(folder.join("bookmarks").is_dir());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_with_something_in_it_is_refused() {
        let around = tempfile::tempdir().unwrap();
        let new = around.path().join("a/b");
        let place = Place::make(Some(&new)).unwrap();
        assert_eq!(place.root(), new.canonicalize().unwrap());
        assert_eq!((place.state(), place.leave()), (State::Usual, None));
        assert!(Place::make(Some(&new)).is_ok(), "an empty one may be there");
        fs::write(new.join("file"), "").unwrap();
        for refused in [new.clone(), new.join("file")] {
            let problem = Place::make(Some(&refused)).unwrap_err();
            assert_eq!(problem.exit, autopilot_core::exit::Exit::Usage, "{problem:?}");
        }
    }
}
