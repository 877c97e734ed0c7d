//! What did trying the project's commands leave in the user's folder? They run there because packages and caches are there; cargo, say,
//! writes a Cargo.lock. A run would refuse to start over such a file, and nobody would know where it came from.

use std::path::{Path, PathBuf};

use super::{Check, CheckState};
use crate::git::Git;
use crate::machine::Machine;

/// Enough to know what made them.
const SHOWN_MAX: usize = 3;

/// The folder as it was: what differed from the last commit then.
pub struct BeforeTrying(Vec<PathBuf>);

impl BeforeTrying {
    pub fn look(machine: &Machine, root: &Path) -> BeforeTrying {
        BeforeTrying(changed(machine, root))
    }

    /// What differs now and did not before.
    pub fn leftovers(&self, machine: &Machine, root: &Path) -> Option<Check> {
        let mut new = changed(machine, root);
        new.retain(|path| !self.0.contains(path));
        let first = new.first()?;
        let mut names: Vec<String> =
            new.iter().take(SHOWN_MAX).map(|path| path.display().to_string()).collect();
        if new.len() > SHOWN_MAX {
            names.push(format!("and {} more", new.len() - SHOWN_MAX));
        }
        let detail = format!("trying the commands changed or made {}", names.join(", "));
        let fix = match plain_file(first).filter(|_| new.len() == 1) {
            Some(name) => {
                format!("git add {name} && git commit -m 'add {name}', or name it in .gitignore")
            }
            None => "commit what belongs to the project, and name the rest in .gitignore".into(),
        };
        Some(Check::new("leftovers", CheckState::Warning, detail).fix(fix))
    }
}

/// Nothing where git cannot tell, which is a line of its own.
fn changed(machine: &Machine, root: &Path) -> Vec<PathBuf> {
    let git = Git::find(machine).ok();
    git.and_then(|git| git.changed(root).ok()).unwrap_or_default()
}

/// A file whose name can be typed as it is.
fn plain_file(path: &Path) -> Option<&str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    let name = path.to_str()?;
    (name.bytes().all(is_plain) && !name.starts_with('-') && !name.ends_with('/')).then_some(name)
}
