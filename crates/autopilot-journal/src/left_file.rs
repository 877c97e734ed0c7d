//! Whether a file is as this process left it, told by its entry in the file system and not by reading it: any write, rename or
//! replacement shows there. Spares a run of many phases reading its own files again after each of them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeftFile {
    device: u64,
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl LeftFile {
    pub(crate) fn look(path: &Path) -> Option<LeftFile> {
        let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(LeftFile {
            device: found.dev(),
            inode: found.ino(),
            bytes: found.len(),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_touched_by_anybody_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert_eq!(LeftFile::look(&path), None);
        fs::write(&path, "one").unwrap();
        let left = LeftFile::look(&path);
        assert!(left.is_some() && left == LeftFile::look(&path));
        fs::write(folder.path().join("other"), "one").unwrap();
        fs::rename(folder.path().join("other"), &path).unwrap();
        assert_ne!(left, LeftFile::look(&path), "the same text in another file");
        let left = LeftFile::look(&path);
        fs::write(&path, "longer").unwrap();
        assert_ne!(left, LeftFile::look(&path));
    }
}
