//! The files the rules look at: what git tracks and what it would track. Reads them once; the rules only see values.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use super::source::Source;

/// A file of the repository; its path has forward slashes and starts at the root.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) bytes: u64,
    /// `None` where the file is no text.
    pub(super) text: Option<String>,
    /// Present for `.rs` files.
    pub(super) rust: Option<Source>,
}

#[derive(Debug)]
pub(super) struct Tree {
    pub(super) files: Vec<File>,
}

#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error("cannot run git in {root}: {cause}")]
    NoGit { root: PathBuf, cause: io::Error },
    #[error("git cannot list the files of {root}: {said}")]
    NotListed { root: PathBuf, said: String },
    #[error("cannot read {path}: {cause}")]
    NotRead { path: PathBuf, cause: io::Error },
    #[error("{root} is not this repository: it has no {missing}")]
    NotOurs { root: PathBuf, missing: &'static str },
}

impl Tree {
    pub(super) fn read(root: &Path) -> Result<Tree, TreeError> {
        let mut files = Vec::new();
        for path in listed_by_git(root)? {
            let on_disk = root.join(&path);
            match fs::read(&on_disk) {
                Ok(content) => files.push(File::new(path, content)),
                // Deleted but not yet committed: git still lists it, and there is nothing to check.
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => return Err(TreeError::NotRead { path: on_disk, cause }),
            }
        }
        Ok(Tree { files })
    }

    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Tree {
        let file =
            |(path, text): &(&str, &str)| File::new(path.to_string(), text.as_bytes().into());
        Tree { files: files.iter().map(file).collect() }
    }

    pub(super) fn text_of(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path)?.text.as_deref()
    }

    pub(super) fn holds(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path)
    }

    pub(super) fn holds_folder(&self, path: &str) -> bool {
        let inside = |file: &File| {
            file.path
                .strip_prefix(path)
                .is_some_and(|rest| path.is_empty() || rest.starts_with('/'))
        };
        self.files.iter().any(inside)
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = (&File, &str)> {
        self.files.iter().filter_map(|file| Some((file, file.text.as_deref()?)))
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = (&File, &Source)> {
        self.files.iter().filter_map(|file| Some((file, file.rust.as_ref()?)))
    }
}

impl File {
    fn new(path: String, content: Vec<u8>) -> File {
        let bytes = content.len() as u64;
        let text = String::from_utf8(content).ok().filter(|text| !text.contains('\0'));
        let is_rust = path.ends_with(".rs");
        let rust = text.as_deref().filter(|_| is_rust).map(Source::new);
        File { path, bytes, text, rust }
    }

    /// Data for tests, written in any shape on purpose.
    pub(super) fn is_fixture(&self) -> bool {
        self.path
            .split('/')
            .any(|part| matches!(part, "fixtures" | "golden" | "seeds" | "snapshots"))
    }

    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests may start git; the program goes through process.rs"
)]
fn listed_by_git(root: &Path) -> Result<Vec<String>, TreeError> {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"])
        .output()
        .map_err(|cause| TreeError::NoGit { root: root.into(), cause })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(TreeError::NotListed { root: root.into(), said });
    }
    let listed = String::from_utf8_lossy(&output.stdout);
    Ok(listed.split('\0').filter(|path| !path.is_empty()).map(str::to_string).collect())
}
