//! What a fresh worktree needs before anything can run in it: the project's dependencies, and ignored files that the user named. Done
//! once for a tree and again when a lock file has changed; what is done is the user's setting or follows from the lock files.

use std::path::{Path, PathBuf};

use autopilot_core::digest;
use autopilot_core::limits;
use autopilot_core::settings::Settings;
use sha2::{Digest, Sha256};

use crate::files;

/// The user's choice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeSetup {
    /// Empty: what the lock files say.
    commands: Vec<String>,
    /// Relative to the project.
    copies: Vec<String>,
}

/// Lock files and what brings in what they lock. Of a family a project has one; the first that is found counts.
const FAMILIES: [&[(&str, &str)]; 3] = [
    &[
        ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
        ("yarn.lock", "yarn install --frozen-lockfile"),
        ("package-lock.json", "npm ci --no-audit --no-fund"),
    ],
    &[
        ("uv.lock", "uv sync --frozen"),
        ("poetry.lock", "poetry install --no-interaction"),
        ("requirements.txt", WITH_PIP),
    ],
    &[("Gemfile.lock", "bundle install --quiet")],
];

const WITH_PIP: &str = "{ [ -x .venv/bin/python ] || python3 -m venv .venv; } && .venv/bin/pip install -q -r requirements.txt";

/// Folders that installing brings into a tree. One that the project does not ignore would be taken for work: committed where agents
/// work, cleared away where checks are measured. So it is made to ignore itself, as newer tools do it.
const BROUGHT: [&str; 2] = ["node_modules", ".venv"];
const IGNORE_FILE: &str = ".gitignore";

/// What is to be done in a tree, and the mark of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) commands: Vec<String>,
    stamp: String,
}

impl TreeSetup {
    pub fn of(settings: &Settings) -> TreeSetup {
        TreeSetup {
            commands: settings.worktree_setup.clone(),
            copies: settings.worktree_copy.clone(),
        }
    }

    /// Whether the lock files say what is brought in: then it lies where tools keep their own.
    pub(crate) fn is_detected(&self) -> bool {
        self.commands.is_empty()
    }

    /// Whether it lies there because the user named it.
    pub(crate) fn is_copied(&self, path: &Path) -> bool {
        self.copies.iter().any(|copy| path == Path::new(copy) || Path::new(copy).starts_with(path))
    }

    /// None where it is done already, or nothing is to be done.
    pub(crate) fn due(&self, tree: &Path) -> Option<Due> {
        let commands = match self.commands.is_empty() {
            true => detect(tree),
            false => self.commands.clone(),
        };
        if commands.is_empty() {
            return None;
        }
        let stamp = stamp(tree, &commands);
        let before = files::read_text(&mark(tree)).unwrap_or_default();
        (before != stamp).then_some(Due { commands, stamp })
    }

    /// Copies what the user named into a tree.
    pub(crate) fn copy(&self, project: &Path, tree: &Path) -> std::io::Result<()> {
        for path in self.copied(project) {
            let to = tree.join(&path);
            if to.exists() {
                continue;
            }
            if let Some(folder) = to.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::copy(project.join(&path), &to)?;
        }
        Ok(())
    }

    /// What of the named is copied, seen from the project. What is missing, no file, or not inside the project is left out.
    pub(crate) fn copied(&self, project: &Path) -> Vec<PathBuf> {
        let Ok(project) = project.canonicalize() else { return Vec::new() };
        let inside = |name: &String| {
            let path = project.join(name).canonicalize().ok()?;
            let is_fit = std::fs::metadata(&path)
                .is_ok_and(|it| it.is_file() && it.len() <= limits::WORKTREE_COPY_BYTES_MAX);
            let inside = path.strip_prefix(&project).ok()?.to_path_buf();
            is_fit.then_some(inside)
        };
        self.copies.iter().take(limits::WORKTREE_COPIES_MAX).filter_map(inside).collect()
    }
}

impl Due {
    /// It was done. Kept beside the tree, where no child can write.
    pub(crate) fn done(&self, tree: &Path) -> std::io::Result<()> {
        std::fs::write(mark(tree), &self.stamp)
    }
}

/// Where installing may bring something new. A folder that is there and ignores nothing may be the project's own.
pub(crate) fn about_to_come(tree: &Path) -> Vec<PathBuf> {
    let folders = BROUGHT.iter().map(|name| tree.join(name));
    folders.filter(|folder| !folder.exists() || folder.join(IGNORE_FILE).exists()).collect()
}

/// Keeps what has come out of every commit. Never through a link that an agent left.
pub(crate) fn hide(come: &[PathBuf]) -> std::io::Result<()> {
    let is_folder = |path: &&PathBuf| std::fs::symlink_metadata(path).is_ok_and(|it| it.is_dir());
    for folder in come.iter().filter(is_folder) {
        match std::fs::File::create_new(folder.join(IGNORE_FILE)) {
            Ok(mut file) => std::io::Write::write_all(&mut file, b"*\n")?,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// What the lock files of a folder ask for.
pub fn detect(folder: &Path) -> Vec<String> {
    let first = |family: &&[(&str, &'static str)]| {
        let found = family.iter().find(|(lock, _)| folder.join(lock).is_file());
        found.map(|(_, command)| (*command).to_string())
    };
    FAMILIES.iter().filter_map(first).collect()
}

/// Changes when the commands or a lock file do.
fn stamp(tree: &Path, commands: &[String]) -> String {
    let mut hasher = Sha256::new();
    for command in commands {
        hasher.update(command);
        hasher.update([0]);
    }
    for (name, _) in FAMILIES.into_iter().flatten() {
        if let Ok(text) = files::read_text(&tree.join(name)) {
            hasher.update(name);
            hasher.update([0]);
            hasher.update(text);
        }
    }
    digest::text(&hasher.finalize())
}

/// Where a virtual environment that was set up here keeps its programs: `pytest` means the one in there.
pub(crate) fn programs(tree: &Path) -> Option<PathBuf> {
    let programs = tree.join(".venv/bin");
    (mark(tree).is_file() && programs.is_dir()).then_some(programs)
}

fn mark(tree: &Path) -> PathBuf {
    let mut name = tree.file_name().unwrap_or_default().to_os_string();
    name.push(".setup");
    tree.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn setup(commands: &[&str], copies: &[&str]) -> TreeSetup {
        let list = |words: &[&str]| words.iter().map(ToString::to_string).collect();
        TreeSetup { commands: list(commands), copies: list(copies) }
    }

    #[test]
    fn lock_files_say_what_is_to_be_done_one_for_each_family() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(detect(folder.path()), [""; 0]);
        for name in ["package-lock.json", "yarn.lock", "requirements.txt", "Gemfile.lock"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = detect(folder.path());
        assert_eq!(found.len(), 3);
        assert!(found[0].starts_with("yarn") && found[1].contains(".venv"), "{found:?}");
        assert_eq!(found[2], "bundle install --quiet");
    }

    #[test]
    fn it_is_done_once_and_again_when_a_lock_file_or_the_setting_changed() {
        let around = tempfile::tempdir().unwrap();
        let tree = around.path().join("proof-1");
        fs::create_dir(&tree).unwrap();
        assert_eq!(setup(&[], &[]).due(&tree), None);
        fs::write(tree.join("package-lock.json"), "one").unwrap();
        let due = setup(&[], &[]).due(&tree).unwrap();
        assert_eq!(setup(&[], &[]).due(&tree).unwrap(), due, "nothing was done yet");
        due.done(&tree).unwrap();
        assert_eq!(setup(&[], &[]).due(&tree), None);
        fs::write(tree.join("package-lock.json"), "two").unwrap();
        setup(&[], &[]).due(&tree).unwrap().done(&tree).unwrap();
        assert_eq!(setup(&["make deps"], &[]).due(&tree).unwrap().commands, ["make deps"]);
    }

    #[test]
    fn what_installing_brought_ignores_itself_and_what_was_there_is_left_alone() {
        let around = tempfile::tempdir().unwrap();
        let (tree, elsewhere) = (around.path().join("tree"), around.path().join("elsewhere"));
        fs::create_dir_all(tree.join("node_modules")).unwrap();
        fs::create_dir_all(&elsewhere).unwrap();
        assert_eq!(about_to_come(&tree), [tree.join(".venv")], "packages that are committed");
        std::os::unix::fs::symlink(&elsewhere, tree.join(".venv")).unwrap();
        hide(&[tree.join(".venv")]).unwrap();
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "behind a link");
        fs::remove_file(tree.join(".venv")).unwrap();
        fs::create_dir(tree.join(".venv")).unwrap();
        for _ in 0..2 {
            hide(&[tree.join(".venv")]).unwrap();
            assert_eq!(fs::read_to_string(tree.join(".venv/.gitignore")).unwrap(), "*\n");
        }
        assert_eq!(about_to_come(&tree), [tree.join(".venv")], "it is brought anew");
    }

    #[test]
    fn only_files_of_the_project_are_copied_and_none_over_another() {
        let around = tempfile::tempdir().unwrap();
        let (project, tree) = (around.path().join("project"), around.path().join("tree"));
        fs::create_dir_all(project.join("conf")).unwrap();
        fs::create_dir_all(&tree).unwrap();
        for (name, text) in [(".env", "KEY=1"), ("conf/local.toml", "a"), ("README", "mine")] {
            fs::write(project.join(name), text).unwrap();
        }
        fs::write(around.path().join("secret"), "no").unwrap();
        std::os::unix::fs::symlink("../secret", project.join("link")).unwrap();
        fs::write(tree.join("README"), "committed").unwrap();
        let names = [".env", "conf/local.toml", "README", "../secret", "link", "missing", "conf"];
        setup(&[], &names).copy(&project, &tree).unwrap();
        assert_eq!(fs::read_to_string(tree.join(".env")).unwrap(), "KEY=1");
        assert_eq!(fs::read_to_string(tree.join("conf/local.toml")).unwrap(), "a");
        assert_eq!(fs::read_to_string(tree.join("README")).unwrap(), "committed");
        assert_eq!(fs::read_dir(&tree).unwrap().count(), 3);
    }
}
