//! A folder for one attempt of an agent: what it is handed beside its prompt, and room for what it tells beside its stream. It lies
//! beside the slot, so that nothing of it is taken for work.

use std::io;
use std::path::{Path, PathBuf};

use crate::fence::own_folders::Passing;

const ENDING: &str = "-scratch";

/// Gone when dropped.
pub(crate) struct Scratch {
    passing: Passing,
}

impl Scratch {
    pub(crate) fn beside(slot: &Path) -> io::Result<Scratch> {
        Ok(Scratch { passing: Passing::beside(slot, ENDING)? })
    }

    /// The folder for all attempts in a slot, which each of them finds empty.
    pub(crate) fn lasting(slot: &Path) -> io::Result<Passing> {
        Passing::lasting(slot, ENDING)
    }

    /// Where it is, or was: of an attempt that was killed it lies there until the next begins.
    pub(super) fn place(slot: &Path) -> PathBuf {
        Passing::place(slot, ENDING)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.passing.folder()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_an_agent_is_handed_lies_beside_its_slot_and_goes_with_the_attempt() {
        let around = tempfile::tempdir().unwrap();
        let slot = around.path().join("slot-1");
        let scratch = Scratch::beside(&slot).unwrap();
        assert_eq!(scratch.folder(), Scratch::place(&slot));
        fs::write(scratch.folder().join("left"), "over").unwrap();
        assert!(around.path().join("slot-1-scratch/left").exists());
        drop(scratch);
        assert_eq!(fs::read_dir(around.path()).unwrap().count(), 0);
    }
}
