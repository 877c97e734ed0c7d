//! The proof tree: a worktree like a slot, in which nobody works. It is brought to a commit as a fresh clone would be, so that what
//! is measured there rests on what was committed and on nothing an agent left lying about.

use std::ffi::OsStr;

use super::Slot;
use crate::git::{GitError, ObjectId};

/// Ignored folders that stay: what tools fetch or build and bring up to date by themselves. They were written by checks of this tree
/// only, never by an agent's session; without them every measurement would begin with an installation.
const TOOLS_OWN: [&str; 10] = [
    "target",
    "node_modules",
    ".venv",
    "venv",
    "vendor",
    ".bundle",
    ".gradle",
    "deps",
    "_build",
    "Pods",
];

pub(super) fn is_tools_own(name: &OsStr) -> bool {
    TOOLS_OWN.iter().any(|own| name == *own)
}

impl Slot {
    /// The files of the commit and none besides, ignored ones neither, but for what tools keep for themselves. HEAD stands on
    /// the commit, without a branch. What lay there is nobody's work and is not kept.
    ///
    /// Four processes.
    pub fn put_clean(&self, at: &ObjectId) -> Result<(), GitError> {
        self.ready()?;
        self.point_to_repository()?;
        let moved = ["update-ref", "--no-deref", "-m", "autopilot", "HEAD", at.as_str()];
        self.git().must_at(&self.place, &moved)?;
        self.put_tracked(at)?;
        self.git().must_at(&self.place, &["clean", "-ffdq"])?;
        self.clear_ignored()?;
        self.show_index()
    }

    /// The files of the commit that `put_clean` brought, as they are in it. Whatever else lies there stays.
    ///
    /// One process.
    pub fn put_tracked(&self, at: &ObjectId) -> Result<(), GitError> {
        self.git().must_at(&self.place, &["read-tree", "--reset", "-u", at.as_str()])?;
        Ok(())
    }

    /// Takes ignored files away, but for what tools keep for themselves: what a worker left in one nobody is to find there.
    ///
    /// One process.
    pub fn clear_ignored(&self) -> Result<(), GitError> {
        // Also what lies below them: many projects ignore `dist` or `lib`, and packages have folders of that name.
        let kept: Vec<String> = TOOLS_OWN
            .iter()
            .flat_map(|name| [format!("--exclude=!{name}/"), format!("--exclude=!**/{name}/**")])
            .collect();
        let ignored = ["clean", "-ffdqX"].into_iter().chain(kept.iter().map(String::as_str));
        self.git().must_at(&self.place, &ignored.collect::<Vec<_>>())?;
        Ok(())
    }
}

impl Slot {
    /// Lays files over what `put_clean` left, as they are in another commit; what that one does not have is taken away. The next
    /// `put_clean` undoes it.
    ///
    /// One process.
    pub fn lay_over(&self, from: &ObjectId, files: &[String]) -> Result<(), GitError> {
        let source = format!("--source={from}");
        let order = ["restore", &source, "--worktree", "--"].into_iter();
        let order: Vec<&str> = order.chain(files.iter().map(String::as_str)).collect();
        self.git().must_at(&self.place, &order)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, write};

    #[test]
    fn files_of_another_commit_are_laid_over_and_the_next_clean_tree_has_none_of_them() {
        let repository = Fixture::new();
        write(&repository.root(), "tests/a*.txt", "as it was");
        write(&repository.root(), "tests/ab.txt", "as it was");
        repository.plain("git add -A && git commit -qm before");
        let before = repository.head();
        write(&repository.root(), "tests/a*.txt", "another");
        write(&repository.root(), "tests/ab.txt", "another");
        write(&repository.root(), "tests/new.txt", "new");
        repository.plain("git rm -q --cached tests/ab.txt && rm tests/ab.txt");
        repository.plain("git add -A && git commit -qm after");
        let after = repository.head();
        let proof = repository.slot();
        let seen = || {
            let read = |name: &str| std::fs::read_to_string(proof.folder().join(name)).ok();
            ["tests/a*.txt", "tests/ab.txt", "tests/new.txt"].map(read)
        };
        let text = |text: &str| Some(text.to_string());
        proof.put_clean(&after).unwrap();
        proof.lay_over(&before, &["tests/a*.txt".to_string()]).unwrap();
        assert_eq!(seen(), [text("as it was"), None, text("new")], "the star is no pattern");
        let all = ["tests/a*.txt", "tests/ab.txt", "tests/new.txt"].map(str::to_string);
        proof.lay_over(&before, &all).unwrap();
        assert_eq!(seen(), [text("as it was"), text("as it was"), None]);
        proof.put_clean(&after).unwrap();
        assert_eq!(seen(), [text("another"), None, text("new")]);
    }

    #[test]
    fn committed_files_are_put_back_and_what_was_built_stays() {
        let repository = Fixture::new();
        write(&repository.root(), "a.txt", "as committed");
        write(&repository.root(), "b.txt", "as committed");
        repository.plain("git add -A && git commit -qm more");
        let proof = repository.slot();
        let head = repository.head();
        proof.put_clean(&head).unwrap();
        write(proof.folder(), "a.txt", "as bent here");
        std::fs::remove_file(proof.folder().join("b.txt")).unwrap();
        write(proof.folder(), "built.txt", "built");
        proof.put_tracked(&head).unwrap();
        let read = |name: &str| std::fs::read_to_string(proof.folder().join(name)).unwrap();
        let seen = ["a.txt", "b.txt", "built.txt"].map(read);
        assert_eq!(seen, ["as committed", "as committed", "built"]);
    }

    #[test]
    fn nothing_lies_there_but_the_commit_and_what_tools_keep() {
        let repository = Fixture::new();
        write(
            &repository.root(),
            ".gitignore",
            "*.cache\n/target\nnode_modules\n.env\ndist\nlib/\n.venv\n",
        );
        write(&repository.root(), "src/a.txt", "as committed");
        repository.plain("git add -A && git commit -qm more");
        let head = repository.head();
        let proof = repository.slot();
        proof.put_clean(&head).unwrap();
        let folder = proof.folder();
        for left in ["left.txt", "x.cache", "src/y.cache", ".env", "src/deep/z.cache", "dist/built"]
        {
            write(folder, left, "left behind");
        }
        write(folder, "src/a.txt", "changed");
        write(folder, "target/debug/built", "kept");
        write(folder, "web/node_modules/one/index.js", "kept");
        write(folder, "web/node_modules/one/dist/index.js", "kept");
        write(folder, ".venv/lib/site-packages/one.cache", "kept");
        std::fs::remove_file(folder.join(".git")).unwrap();
        repository.plain_in(folder, "git init -q . && rm -rf .git/index");
        proof.put_clean(&head).unwrap();
        let found = repository.plain_in(folder, "find . -type f -not -path './.git*' | sort");
        let mut expected = repository.plain_in(&repository.root(), "git ls-files");
        expected += "\ntarget/debug/built\nweb/node_modules/one/index.js";
        expected += "\nweb/node_modules/one/dist/index.js\n.venv/lib/site-packages/one.cache";
        let mut expected: Vec<String> = expected
            .lines()
            .filter(|line| !line.starts_with(".git") && !line.is_empty())
            .map(|line| format!("./{line}"))
            .collect();
        expected.sort();
        assert_eq!(found.lines().collect::<Vec<_>>(), expected);
        assert_eq!(std::fs::read_to_string(folder.join("src/a.txt")).unwrap(), "as committed");
        assert_eq!(repository.plain_in(folder, "git rev-parse HEAD").trim(), head.as_str());
    }
}
