//! What lies between two commits, for people: the commits, the files with their lines, the patch. Read from the objects alone.

use autopilot_core::limits;

use super::{Checkout, GitError, ObjectId};

/// A path, and how many lines were added and removed; none for what is no text.
pub type FileLines = (String, Option<(u64, u64)>);

/// How a patch is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patch {
    Plain,
    Coloured,
}

impl Checkout {
    /// Identity and subject, oldest first, at most `limits::COMMITS_LISTED_MAX`. One process.
    pub fn commits_between(
        &self,
        base: &ObjectId,
        head: &ObjectId,
    ) -> Result<Vec<(String, String)>, GitError> {
        let count = format!("--max-count={}", limits::COMMITS_LISTED_MAX);
        let range = format!("{base}..{head}");
        let words =
            ["log", "-z", "--reverse", "--no-patch", "--format=%H %s", &count, &range, "--"];
        let finished = self.git.must_at(&self.place, &words)?;
        let text = finished.stdout.text();
        let records = text.split('\0').filter_map(|record| record.split_once(' '));
        Ok(records.map(|(id, subject)| (id.to_string(), subject.to_string())).collect())
    }

    /// Every file that differs, as far as the list can be held. One process.
    pub fn lines_between(
        &self,
        base: &ObjectId,
        head: &ObjectId,
    ) -> Result<Vec<FileLines>, GitError> {
        let words = ["diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff"];
        let more = ["--no-textconv", "--ignore-submodules=all", base.as_str(), head.as_str()];
        let words: Vec<&str> = words.into_iter().chain(more).collect();
        let finished = self.git.must_at(&self.place, &words)?;
        let text = finished.stdout.text();
        let rows = text.split('\0').filter_map(|row| {
            let mut fields = row.splitn(3, '\t');
            let (added, removed, path) = (fields.next()?, fields.next()?, fields.next()?);
            let lines = added.parse().ok().zip(removed.parse().ok());
            Some((path.to_string(), lines))
        });
        Ok(rows.collect())
    }

    /// The patch, and whether it is whole: what is longer than can be held breaks off. One process.
    pub fn patch_between(
        &self,
        base: &ObjectId,
        head: &ObjectId,
        patch: Patch,
    ) -> Result<(Vec<u8>, bool), GitError> {
        let colour = match patch {
            Patch::Plain => "--color=never",
            Patch::Coloured => "--color=always",
        };
        let words = ["diff-tree", "-r", "-p", "--stat", colour, "--find-renames", "-l400"];
        let more = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
        let range = [base.as_str(), head.as_str()];
        let words: Vec<&str> = words.into_iter().chain(more).chain(range).collect();
        let finished = self.git.must_at(&self.place, &words)?;
        Ok((finished.stdout.bytes().to_vec(), finished.stdout.dropped_bytes() == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slot::fixture::{Fixture, write};

    #[test]
    fn what_lies_between_two_commits_is_told() {
        let fixture = Fixture::new();
        let (checkout, base) = (fixture.checkout(), fixture.head());
        write(&fixture.root(), "src/new.rs", "fn new() {}\n");
        fixture.plain("git add -A && git commit --quiet -m 'feat: one'");
        write(&fixture.root(), "README.md", "one\nthree\n");
        write(&fixture.root(), "bytes", [0, 1, 2]);
        fixture.plain("git add -A && git commit --quiet -m 'feat: two'");
        let head = fixture.head();
        let commits = checkout.commits_between(&base, &head).unwrap();
        let subjects: Vec<&str> = commits.iter().map(|(_, subject)| subject.as_str()).collect();
        assert_eq!(subjects, ["feat: one", "feat: two"]);
        assert_eq!(commits[1].0, head.as_str());
        let expected = [("README.md", Some((0, 1))), ("bytes", None), ("src/new.rs", Some((1, 0)))];
        let expected = expected.map(|(path, lines)| (path.to_string(), lines));
        assert_eq!(checkout.lines_between(&base, &head).unwrap(), expected);
        let (patch, is_whole) = checkout.patch_between(&base, &head, Patch::Plain).unwrap();
        let patch = String::from_utf8(patch).unwrap();
        assert!(is_whole && patch.contains("+fn new() {}") && patch.contains("-two"), "{patch}");
    }
}
