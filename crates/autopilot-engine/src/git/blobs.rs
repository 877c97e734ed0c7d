//! Looks into commits: what a file says there, and which files differ between two. Nothing is checked out, no link is followed, and
//! a path is a name in a tree, never a place on the disk.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use autopilot_core::limits;

use super::{Checkout, GitError, ObjectId};

/// A plain file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub id: ObjectId,
    pub bytes: u64,
}

/// Files that differ, the last state of each; None where it is gone or no plain file.
pub type Changed = Vec<(PathBuf, Option<ObjectId>)>;

impl Checkout {
    /// The plain file of that name; a folder, a link and a submodule are none. One process.
    pub fn blob_at(&self, commit: &ObjectId, path: &str) -> Result<Option<Blob>, GitError> {
        let arguments = ["ls-tree", "-z", "-l", "--full-tree", commit.as_str(), "--", path];
        let finished = self.git.must_at(&self.place, &arguments)?;
        let bytes = finished.stdout.bytes();
        let mut entries = bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
        Ok(entries.find_map(|entry| listed(entry, path)))
    }

    /// What a file says; None when it is larger than anybody wants to read. One process.
    pub fn blob_text(&self, blob: &Blob) -> Result<Option<Vec<u8>>, GitError> {
        if blob.bytes > limits::PLACE_FILE_BYTES_MAX {
            return Ok(None);
        }
        let finished = self.git.must_at(&self.place, &["cat-file", "blob", blob.id.as_str()])?;
        Ok((finished.stdout.dropped_bytes() == 0).then(|| finished.stdout.bytes()))
    }

    /// Which files differ between two commits. One process.
    pub fn changed(&self, base: &ObjectId, head: &ObjectId) -> Result<Changed, GitError> {
        let arguments = [
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=all",
            base.as_str(),
            head.as_str(),
        ];
        let finished = self.git.must_at(&self.place, &arguments)?;
        if finished.stdout.dropped_bytes() > 0 {
            return Err(GitError::TooManyChanges { root: self.root().to_path_buf() });
        }
        let bytes = finished.stdout.bytes();
        changed(&bytes).ok_or_else(|| {
            let said = String::from_utf8_lossy(&bytes).into_owned();
            GitError::NotUnderstood { asked: "diff-tree".into(), said }
        })
    }

    /// The files below a folder that have this name. One process.
    pub fn files_named(
        &self,
        commit: &ObjectId,
        folder: &str,
        name: &str,
    ) -> Result<Vec<String>, GitError> {
        let words = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit.as_str()];
        let arguments: Vec<&str> = words.into_iter().chain(["--", folder]).collect();
        let finished = self.git.must_at(&self.place, &arguments)?;
        let text = finished.stdout.text();
        let is_it = |path: &&str| path.rsplit('/').next() == Some(name);
        Ok(text.split('\0').filter(is_it).map(str::to_string).collect())
    }

    /// The commit that somebody named; None where there is none of that name. One process.
    pub fn commit_named(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        let wanted = format!("{name}^{{commit}}");
        let arguments = ["rev-parse", "--quiet", "--verify", "--end-of-options", &wanted];
        let finished = self.git.ask_at(&self.place, &arguments)?;
        Ok(ObjectId::parse(&super::line_of(&finished)))
    }

    /// Whether a word stands in a file of the commit that is not named for it. Planning files are words about the work: a plan names
    /// every file there will be. One process.
    pub fn names(&self, commit: &ObjectId, word: &str) -> Result<bool, GitError> {
        let options = ["grep", "--fixed-strings", "--word-regexp", "-I", "--files-with-matches"];
        let rest = ["-z", "-e", word, commit.as_str()];
        let arguments: Vec<&str> = options.into_iter().chain(rest).collect();
        let finished = self.git.ask_at(&self.place, &arguments)?;
        let text = finished.stdout.text();
        let planning = format!("{}:.planning/", commit.as_str());
        let found = text.split('\0').filter(|found| !found.starts_with(&planning));
        let mut stems = found.filter_map(|found| {
            let name = found.rsplit('/').next()?.rsplit(':').next()?;
            Some(name.split('.').next().unwrap_or(name))
        });
        Ok(stems.any(|stem| !stem.is_empty() && stem != word))
    }

    /// The size of a blob. One process.
    pub fn blob_of(&self, id: &ObjectId) -> Result<Blob, GitError> {
        let finished = self.git.must_at(&self.place, &["cat-file", "-s", id.as_str()])?;
        let said = super::line_of(&finished);
        let bytes = said.parse();
        let bytes =
            bytes.map_err(|_| GitError::NotUnderstood { asked: "cat-file".into(), said })?;
        Ok(Blob { id: id.clone(), bytes })
    }
}

/// `mode type id size TAB path`.
fn listed(entry: &[u8], path: &str) -> Option<Blob> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let (fields, name) = (&entry[..tab], &entry[tab + 1..]);
    let fields = String::from_utf8_lossy(fields).into_owned();
    let mut fields = fields.split_whitespace();
    let (mode, _kind) = (fields.next()?, fields.next()?);
    let (id, bytes) = (ObjectId::parse(fields.next()?)?, fields.next()?.parse().ok()?);
    (is_plain(mode) && name == path.as_bytes()).then_some(Blob { id, bytes })
}

pub(super) fn is_plain(mode: &str) -> bool {
    mode.starts_with("100")
}

/// `:mode mode id id letter` and the path, one after the other.
fn changed(bytes: &[u8]) -> Option<Changed> {
    let mut fields = bytes.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut found = Vec::new();
    while let Some(raw) = fields.next() {
        let raw = String::from_utf8_lossy(raw).into_owned();
        let mut parts = raw.strip_prefix(':')?.split(' ');
        let (_, mode, _, id) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let id = ObjectId::parse(id).filter(|_| is_plain(mode));
        found.push((PathBuf::from(OsStr::from_bytes(fields.next()?)), id));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slot::fixture::{Fixture, write};

    #[test]
    fn plain_files_are_read_from_a_commit_and_nothing_else_is() {
        let fixture = Fixture::new();
        write(&fixture.root(), "dir/a b.txt", "said\n");
        fixture.plain("ln -s /etc/passwd link && git add -A && git commit --quiet -m second");
        // What lies in the user's tree now is another matter.
        write(&fixture.root(), "dir/a b.txt", "changed since\n");
        let (checkout, head) = (fixture.checkout(), fixture.head());
        let read = |path: &str| {
            let blob = checkout.blob_at(&head, path).unwrap()?;
            checkout.blob_text(&blob).unwrap().map(|bytes| String::from_utf8(bytes).unwrap())
        };
        assert_eq!(read("dir/a b.txt").as_deref(), Some("said\n"));
        for none in ["dir", "link", "dir/none", "*.txt", "dir/*", "README.md/x", ":(top)README.md"]
        {
            assert_eq!(read(none), None, "{none}");
        }
        let blob = checkout.blob_at(&head, "README.md").unwrap().unwrap();
        assert_eq!(checkout.blob_of(&blob.id).unwrap(), blob);
        let large = Blob { bytes: limits::PLACE_FILE_BYTES_MAX + 1, ..blob };
        assert_eq!(checkout.blob_text(&large).unwrap(), None);
    }

    #[test]
    fn a_word_is_looked_for_in_files_that_are_not_named_for_it() {
        let fixture = Fixture::new();
        write(&fixture.root(), "src/parser.rs", "//! parser\n");
        write(&fixture.root(), "src/lonely.rs", "//! lonely\n");
        write(&fixture.root(), "src/main.rs", "mod parser;\n");
        // A plan that names a file does not use it.
        write(&fixture.root(), ".planning/phases/01/01-PLAN.md", "src/lonely.rs\n");
        fixture.plain("git add -A && git commit --quiet -m second");
        let names = |word: &str| fixture.checkout().names(&fixture.head(), word).unwrap();
        assert_eq!(["parser", "lonely", "par", "none"].map(names), [true, false, false, false]);
    }

    #[test]
    fn what_differs_is_listed_with_its_last_state() {
        let fixture = Fixture::new();
        let base = fixture.head();
        write(&fixture.root(), "data.json", "{}\n");
        fixture.plain("rm README.md && ln -s x link && git add -A && git commit --quiet -m second");
        let changed = fixture.checkout().changed(&base, &fixture.head()).unwrap();
        let shown: Vec<_> =
            changed.iter().map(|(path, id)| (path.to_str().unwrap(), id.is_some())).collect();
        assert_eq!(shown, [("README.md", false), ("data.json", true), ("link", false)]);
        assert_eq!(fixture.checkout().changed(&base, &base).unwrap(), []);
    }
}
