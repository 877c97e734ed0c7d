//! Commits and files that somebody claims there are: what a name stands for, whether it belongs to a run, what it changed, and which
//! files a commit has. Only objects and refs are read.

use super::{Checkout, GitError, ObjectId, RunNames, line_of};

/// What a few hex digits stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    Commit(ObjectId),
    Nothing,
    /// Several objects begin like that, or one that is no commit.
    Unclear,
}

impl Checkout {
    /// Hex digits and nothing else. One process, two where it is no commit.
    pub fn commit_of_digits(&self, digits: &str) -> Result<Named, GitError> {
        if let Some(commit) = self.commit_named(digits)? {
            return Ok(Named::Commit(commit));
        }
        let asked = format!("--disambiguate={digits}");
        let finished = self.git.ask_at(&self.place, &["rev-parse", &asked])?;
        Ok(if line_of(&finished).is_empty() { Named::Nothing } else { Named::Unclear })
    }

    /// Whether a commit is in the past of `head`, or was made in the run and kept: agents' own commits are folded into ours and stay
    /// under a ref. One process, two where it is not in the past.
    pub fn belongs_to(
        &self,
        commit: &ObjectId,
        head: &ObjectId,
        run: &RunNames,
    ) -> Result<bool, GitError> {
        if self.git.contains(&self.place, head, commit)? {
            return Ok(true);
        }
        let holding = format!("--contains={commit}");
        let refs = format!("refs/autopilot/{}/", run.run());
        let arguments = ["for-each-ref", "--count=1", "--format=%(refname)", &holding, &refs];
        let finished = self.git.must_at(&self.place, &arguments)?;
        Ok(!line_of(&finished).is_empty())
    }

    /// The files a commit changed against each of its parents. None where they are too many to tell. One process.
    pub fn changed_by(&self, commit: &ObjectId) -> Result<Option<Vec<String>>, GitError> {
        let words = ["diff-tree", "--root", "-r", "-m", "-z", "--name-only", "--no-commit-id"];
        let more = ["--no-renames", "--no-ext-diff", "--no-textconv", commit.as_str()];
        self.listed(&words.into_iter().chain(more).collect::<Vec<_>>())
    }

    /// Every file of a commit. None where they are too many to tell. One process.
    pub fn files_of(&self, commit: &ObjectId) -> Result<Option<Vec<String>>, GitError> {
        self.listed(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit.as_str()])
    }

    fn listed(&self, arguments: &[&str]) -> Result<Option<Vec<String>>, GitError> {
        let finished = self.git.must_at(&self.place, arguments)?;
        let is_all = finished.stdout.dropped_bytes() == 0;
        let text = finished.stdout.text();
        let names = text.split('\0').filter(|name| !name.is_empty());
        Ok(is_all.then(|| names.map(str::to_string).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slot::fixture::{Fixture, write};

    #[test]
    fn a_commit_is_known_by_its_digits_where_it_belongs_to_the_run() {
        let fixture = Fixture::new();
        let (checkout, base) = (fixture.checkout(), fixture.head());
        let run = RunNames::of("r1").unwrap();
        write(&fixture.root(), "src/new.rs", "fn new() {}\n");
        fixture.plain("git checkout --quiet -b side && git add -A && git commit --quiet -m side");
        let side = fixture.head();
        let named = checkout.commit_of_digits(&side.as_str()[..9]).unwrap();
        assert_eq!(named, Named::Commit(side.clone()));
        assert_eq!(checkout.changed_by(&side).unwrap().unwrap(), ["src/new.rs"]);
        assert!(checkout.files_of(&side).unwrap().unwrap().contains(&"src/new.rs".to_string()));
        assert!(checkout.belongs_to(&base, &side, &run).unwrap(), "the past");
        assert!(!checkout.belongs_to(&side, &base, &run).unwrap(), "another branch");
        fixture.plain(&format!("git update-ref refs/autopilot/r1/rescue/folded {side}"));
        assert!(checkout.belongs_to(&side, &base, &run).unwrap(), "kept by the run");
        let blob = fixture.plain("git rev-parse HEAD:src/new.rs");
        assert_eq!(checkout.commit_of_digits(&blob[..9]).unwrap(), Named::Unclear);
        assert_eq!(checkout.commit_of_digits("0123abcd").unwrap(), Named::Nothing);
    }
}
