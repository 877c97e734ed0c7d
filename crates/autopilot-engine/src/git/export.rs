//! The files of a commit in a folder of their own, without anything of git's: for whoever is to look at a project and change nothing.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::{Checkout, GitError, ObjectId};

impl Checkout {
    /// Puts the files of a commit into an empty folder. The index it takes is made anew beside it; the user's own is not touched. Two
    /// processes.
    pub(crate) fn export(
        &self,
        commit: &ObjectId,
        index: &Path,
        folder: &Path,
    ) -> Result<(), GitError> {
        super::checkout::remove_if_there(index)?;
        let place = self.place.with_index(index);
        self.git.must_at(&place, &["read-tree", commit.as_str()])?;
        let mut prefix = OsString::from("--prefix=");
        prefix.push(folder);
        prefix.push("/");
        let words =
            [OsStr::new("checkout-index"), OsStr::new("--all"), OsStr::new("--quiet"), &prefix];
        let exported = self.git.must_at(&place, &words);
        super::checkout::remove_if_there(index)?;
        exported.map(|_| ())
    }
}
