//! A project in a folder of its own, made of paths and texts, gone when the test ends.

use std::fs;
use std::path::{Path, PathBuf};

pub struct TemporaryProject {
    folder: tempfile::TempDir,
    root: PathBuf,
}

impl TemporaryProject {
    /// The project's folder is called `name`, for that is what commands show.
    pub fn named(name: &str) -> std::io::Result<TemporaryProject> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().join(name);
        fs::create_dir(&root)?;
        Ok(TemporaryProject { folder, root })
    }

    /// A project whose roadmap is this text.
    pub fn with_roadmap(text: &str) -> std::io::Result<TemporaryProject> {
        TemporaryProject::named("shop")?.file(".planning/ROADMAP.md", text)
    }

    pub fn file(self, path: &str, text: impl AsRef<[u8]>) -> std::io::Result<TemporaryProject> {
        let path = self.root.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
        Ok(self)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder around the project, for what must not lie in it.
    pub fn around(&self) -> &Path {
        self.folder.path()
    }
}
