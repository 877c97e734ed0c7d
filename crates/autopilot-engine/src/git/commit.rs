//! The commits git is asked to make: a trial one in a throw-away repository, one of exactly the given files, and the first one
//! of a new repository.

use std::path::{Path, PathBuf};

use super::{Finished, Git, GitError, Identity, Input, Order, answered, line_of, process};

/// The result of committing files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    As {
        short_id: String,
    },
    /// The last commit already has the files as they are.
    NothingChanged,
}

const TRIAL_FILE: &str = "trial.txt";
const TRIAL_TEXT: &str = "written by autopilot to see whether git can commit\n";

impl Git {
    /// Makes a commit in a temporary repository as whoever git would commit as in `folder`, reads it back, and leaves nothing
    /// behind.
    pub fn throw_away_commit(&self, folder: &Path) -> Result<Identity, GitError> {
        let identity = self.identity(folder)?;
        let failed = |source| GitError::Io { path: std::env::temp_dir(), source };
        let trial = tempfile::Builder::new().prefix("autopilot-git-").tempdir().map_err(failed)?;
        let root = trial.path();
        let git = Git { environment: self.environment_as(&identity), ..self.clone() };
        git.must(root, &["init", "--quiet", "--template="])?;
        std::fs::write(root.join(TRIAL_FILE), TRIAL_TEXT).map_err(failed)?;
        git.must(root, &["add", "--", TRIAL_FILE])?;
        git.must(root, &["commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", "trial"])?;
        let shown = git.must(root, &["cat-file", "blob", &format!("HEAD:{TRIAL_FILE}")])?;
        if shown.stdout.bytes() != TRIAL_TEXT.as_bytes() {
            let said = "another text than was committed".into();
            return Err(GitError::NotUnderstood { asked: "cat-file".into(), said });
        }
        trial.close().map_err(failed)?;
        Ok(identity)
    }

    /// Makes a repository of a folder and commits all that is in it. The settings are the repository's own, so that it stays
    /// the same whatever the user's say.
    pub fn found_repository(
        &self,
        root: &Path,
        settings: &[(&str, &str)],
        message: &str,
    ) -> Result<(), GitError> {
        self.must(root, &["init", "--quiet", "--template="])?;
        for (name, value) in settings {
            self.must(root, &["config", "--local", name, value])?;
        }
        self.must(root, &["add", "--all", "--force", "--", "."])?;
        let tree = line_of(&self.must(root, &["write-tree"])?);
        self.commit_tree(root, &tree, None, message)?;
        Ok(())
    }

    /// Commits exactly these files, as they are on disk, on top of HEAD. What else is changed or staged stays as it is: the
    /// commit is put together in an index of its own. Paths are relative to `root` or below it.
    pub fn commit_paths(
        &self,
        root: &Path,
        paths: &[PathBuf],
        message: &str,
    ) -> Result<Committed, GitError> {
        self.identity(root)?;
        if let Some(path) = paths.iter().find(|path| root.join(path).is_dir()) {
            return Err(GitError::IsAFolder { path: path.clone() });
        }
        if self.ask(root, &["rev-parse", "--quiet", "--verify", "MERGE_HEAD"])?.succeeded() {
            return Err(GitError::MergeUnderWay);
        }
        let parent = self.head(root)?;
        // The user's index learns of the files first. If it is locked or a path is ignored, nothing has happened yet.
        self.add(root, paths)?;
        let failed = |source| GitError::Io { path: std::env::temp_dir(), source };
        let folder = tempfile::Builder::new().prefix("autopilot-git-").tempdir().map_err(failed)?;
        let index = folder.path().join("index");
        let apart = Git {
            environment: self.environment.clone().with("GIT_INDEX_FILE", index),
            ..self.clone()
        };
        if parent.is_some() {
            apart.must(root, &["read-tree", "HEAD"])?;
        }
        apart.add(root, paths)?;
        let tree = line_of(&apart.must(root, &["write-tree"])?);
        if parent.is_some() && tree == line_of(&self.must(root, &["rev-parse", "HEAD^{tree}"])?) {
            return Ok(Committed::NothingChanged);
        }
        let short_id = self.commit_tree(root, &tree, parent.as_deref(), message)?;
        Ok(Committed::As { short_id })
    }

    /// Moves HEAD only if it still stands where the commit was built upon.
    fn commit_tree(
        &self,
        root: &Path,
        tree: &str,
        parent: Option<&str>,
        message: &str,
    ) -> Result<String, GitError> {
        let mut arguments = vec!["commit-tree", tree, "-F", "-"];
        arguments.extend(parent.iter().flat_map(|parent| ["-p", parent]));
        let order = self.order(root, &arguments)?.input(message);
        let commit = line_of(&answered("commit-tree", self.run(order)?)?);
        let title = message.lines().next().unwrap_or_default();
        let note = format!("commit: {title}");
        // An empty old value says that the branch must not exist yet.
        let moved = ["update-ref", "-m", &note, "HEAD", &commit, parent.unwrap_or_default()];
        self.must(root, &moved)?;
        Ok(line_of(&self.must(root, &["rev-parse", "--short", &commit])?))
    }

    fn add(&self, root: &Path, paths: &[PathBuf]) -> Result<(), GitError> {
        let listed = null_terminated(paths.iter().map(PathBuf::as_path));
        let order = self.order(root, &["add", "--pathspec-from-file=-", "--pathspec-file-nul"])?;
        answered("add", self.run(Order { input: Input::Bytes(listed), ..order })?)?;
        Ok(())
    }

    /// Runs a command that has to succeed.
    fn must(&self, root: &Path, arguments: &[&str]) -> Result<Finished, GitError> {
        answered(arguments.first().copied().unwrap_or_default(), self.ask(root, arguments)?)
    }

    pub(super) fn environment_as(&self, identity: &Identity) -> process::Environment {
        ["AUTHOR", "COMMITTER"].iter().fold(self.environment.clone(), |environment, role| {
            environment
                .with(format!("GIT_{role}_NAME"), &identity.name)
                .with(format!("GIT_{role}_EMAIL"), &identity.email)
        })
    }
}

/// Paths as git reads them from its input with `-z`, whatever is in their names.
pub(crate) fn null_terminated<'a>(paths: impl Iterator<Item = &'a Path>) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    let mut listed = Vec::new();
    for path in paths {
        listed.extend_from_slice(path.as_os_str().as_bytes());
        listed.push(0);
    }
    listed
}
