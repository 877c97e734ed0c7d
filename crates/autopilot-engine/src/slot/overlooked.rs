//! Files of a slot that git was told to overlook, for telling: ignored ones that look like work, which are in no commit whatever the
//! agent saw with them, and those that an agent hid in its own index, which are committed all the same because ours counts.

use std::ffi::OsStr;
use std::path::Path;

use autopilot_core::limits;

use super::Slot;
use super::clean::is_tools_own;
use crate::git::GitError;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overlooked {
    pub ignored: Vec<String>,
    pub hidden: Vec<String>,
}

/// Ignored folders in which nobody works, beside those that stay in a clean tree: what tools leave behind.
const LEFT_BY_TOOLS: [&str; 14] = [
    "dist",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    "coverage",
    ".nyc_output",
    ".next",
    ".turbo",
    ".cache",
    ".idea",
    ".vscode",
    ".autopilot",
];
/// What somebody may have written by hand.
const ENDINGS: [&str; 24] = [
    "rs", "py", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "go", "java", "kt", "rb",
    "php", "cs", "c", "h", "cpp", "sh", "sql", "json", "yaml", "toml",
];

impl Slot {
    /// One process, and a second where the agent's git has written its index.
    pub fn overlooked(&self) -> Result<Overlooked, GitError> {
        let words =
            ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
        let finished = self.git().must_at(&self.place, &words)?;
        let text = finished.stdout.text();
        let mut ignored = Vec::new();
        // Our own records lie in the user's folder.
        let is_others = |entry: &&str| !entry.is_empty() && !entry.starts_with(".autopilot/");
        for entry in text.split('\0').filter(is_others) {
            let mut entries_left = limits::OVERLOOKED_ENTRIES_MAX;
            self.gather(entry.trim_end_matches('/'), &mut entries_left, &mut ignored);
        }
        ignored.truncate(limits::OVERLOOKED_FILES_MAX);
        Ok(Overlooked { ignored, hidden: self.hidden()? })
    }

    fn gather(&self, path: &str, entries_left: &mut usize, found: &mut Vec<String>) {
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_tools = is_tools_own(OsStr::new(name)) || LEFT_BY_TOOLS.contains(&name);
        if is_tools || *entries_left == 0 || found.len() >= limits::OVERLOOKED_FILES_MAX {
            return;
        }
        *entries_left -= 1;
        let on_disk = self.folder.join(path);
        let Ok(kind) = std::fs::symlink_metadata(&on_disk).map(|data| data.file_type()) else {
            return;
        };
        if kind.is_file() && is_written(name) {
            found.push(path.to_string());
        }
        if !kind.is_dir() {
            return;
        }
        let entries = std::fs::read_dir(&on_disk).into_iter().flatten().flatten();
        let mut names: Vec<_> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        for name in names {
            self.gather(&format!("{path}/{name}"), entries_left, found);
        }
    }

    /// An agent's index that git cannot read hides nothing: ours is asked for everything that counts.
    fn hidden(&self) -> Result<Vec<String>, GitError> {
        let agents = self.git_dir.join("index");
        let read = |path: &Path| std::fs::read(path).unwrap_or_default();
        if read(&agents) == read(&self.index) {
            return Ok(Vec::new());
        }
        let finished =
            self.git().ask_at(&self.place.with_index(&agents), &["ls-files", "-v", "-z"])?;
        let text = finished.stdout.text();
        let entries = text.split('\0').filter_map(|entry| entry.split_once(' '));
        // Small letters are assumed to be unchanged, `S` is skipped.
        let marked =
            entries.filter(|(mark, _)| mark.starts_with(|c: char| c.is_lowercase() || c == 'S'));
        // Planning files are marked by ourselves where an agent has another copy of one; what becomes of them is put back anyhow.
        let is_planning = |path: &str| path.starts_with(".planning/") || path == "ROADMAP.md";
        let marked = marked.filter(|(_, path)| !is_planning(path));
        Ok(marked.map(|(_, path)| path.to_string()).take(limits::OVERLOOKED_FILES_MAX).collect())
    }
}

fn is_written(name: &str) -> bool {
    name == ".env"
        || name
            .rsplit_once('.')
            .is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, write};

    #[test]
    fn ignored_work_and_files_hidden_from_git_are_named() {
        let repository = Fixture::new();
        write(
            &repository.root(),
            ".gitignore",
            "build/\nnode_modules/\n__pycache__/\n*.log\n.env\n",
        );
        write(&repository.root(), "src/a.py", "one");
        write(&repository.root(), "src/b.py", "one");
        repository.plain("git add -A && git commit -qm more");
        let slot = repository.slot();
        let head = repository.head();
        slot.put_clean(&head).unwrap();
        assert_eq!(slot.overlooked().unwrap(), super::Overlooked::default());
        for file in [
            "build/rates.py",
            "build/x/y.bin",
            "node_modules/a/index.js",
            "src/__pycache__/a.py",
            "a.log",
            ".env",
        ] {
            write(slot.folder(), file, "left");
        }
        repository.plain_in(slot.folder(), "git update-index --skip-worktree src/a.py");
        repository.plain_in(slot.folder(), "git update-index --assume-unchanged src/b.py");
        let overlooked = slot.overlooked().unwrap();
        assert_eq!(overlooked.ignored, [".env", "build/rates.py"]);
        assert_eq!(overlooked.hidden, ["src/a.py", "src/b.py"]);
    }
}
