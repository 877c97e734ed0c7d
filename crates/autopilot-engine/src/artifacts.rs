//! The files of a phase's folder that a run makes: research, plans, reports. They are kept in `.autopilot/artifacts/`, which no
//! agent can write, and laid out in a slot for whoever may see them; the closing commit takes them from here (invariant 14).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use autopilot_core::limits;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::event::KeptFile;
use autopilot_journal::{Folder, JournalError, durable};
use sha2::{Digest, Sha256};

use crate::files;

#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// The store of one phase of one run.
#[derive(Debug, Clone)]
pub struct Artifacts {
    folder: PathBuf,
}

impl Artifacts {
    pub fn of(folder: &Folder, run: &str, phase: &PhaseId) -> Artifacts {
        Artifacts {
            folder: folder.path().join("artifacts").join(run).join(format!("phase-{phase}")),
        }
    }

    /// The names of what is kept, sorted.
    pub fn names(&self) -> Vec<String> {
        files::names_in(&self.folder).unwrap_or_default()
    }

    pub fn read(&self, name: &str) -> Option<String> {
        files::read_text(&self.folder.join(name)).ok()
    }

    pub fn write(&self, name: &str, text: &str) -> Result<KeptFile, ArtifactError> {
        fs::create_dir_all(&self.folder).map_err(|source| self.failed(source))?;
        durable::write_atomically(&self.folder.join(name), text.as_bytes())?;
        Ok(KeptFile { name: name.to_string(), hash: hash(text) })
    }

    /// Takes over what an agent wrote into a folder of its slot: plain text files of sane size and name, in that folder alone.
    /// Links, pipes and folders are passed over, also a folder that lies behind a link: an agent's files are looked at, never
    /// followed.
    pub fn collect(&self, slot: &Path, folder: &str) -> Result<Vec<KeptFile>, ArtifactError> {
        let mut kept = Vec::new();
        let from = slot.join(folder);
        let is_within = |at: &&Path| *at != slot && at.starts_with(slot);
        let is_plain = |at: &Path| fs::symlink_metadata(at).is_ok_and(|found| found.is_dir());
        if !from.ancestors().take_while(is_within).all(is_plain) {
            return Ok(kept);
        }
        for name in files::names_in(&from).unwrap_or_default() {
            if kept.len() >= limits::ARTIFACTS_MAX || !is_plain_name(&name) {
                continue;
            }
            let path = from.join(&name);
            let is_file = fs::symlink_metadata(&path)
                .is_ok_and(|found| found.is_file() && found.len() <= limits::ARTIFACT_BYTES_MAX);
            let Some(text) = is_file.then(|| files::read_text(&path).ok()).flatten() else {
                continue;
            };
            if self.read(&name).as_deref() != Some(&text) {
                kept.push(self.write(&name, &text)?);
            }
        }
        Ok(kept)
    }

    /// Writes what is kept into a folder, as far as `is_shown` says.
    pub fn lay_out(
        &self,
        to: &Path,
        is_shown: impl Fn(&str) -> bool,
    ) -> Result<Vec<PathBuf>, ArtifactError> {
        let mut written = Vec::new();
        for name in self.names().into_iter().filter(|name| is_shown(name)) {
            let Some(text) = self.read(&name) else { continue };
            let path = to.join(&name);
            let failed = |source| ArtifactError::Io { path: path.clone(), source };
            fs::create_dir_all(to).map_err(failed)?;
            // An agent may have left a link there.
            if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
                fs::remove_file(&path).map_err(failed)?;
            }
            fs::write(&path, text).map_err(failed)?;
            written.push(path);
        }
        Ok(written)
    }

    fn failed(&self, source: io::Error) -> ArtifactError {
        ArtifactError::Io { path: self.folder.clone(), source }
    }
}

pub fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// A Markdown or JSON file whose name needs no quoting anywhere.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_text = [".md", ".json", ".jsonl"].iter().any(|ending| name.ends_with(ending));
    is_text && !name.starts_with('.') && name.len() <= 128 && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_text_files_are_taken_over() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let store = Artifacts::of(&folder, "run-1", &PhaseId::number(3));
        let slot = root.path().join("slot");
        fs::create_dir(&slot).unwrap();
        fs::write(slot.join("RESEARCH.md"), "found").unwrap();
        fs::write(slot.join("binary.md"), [0xFF, 0xFE]).unwrap();
        fs::write(slot.join("run.sh"), "echo").unwrap();
        fs::write(root.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(root.path().join("secret"), slot.join("PLAN.md")).unwrap();
        fs::create_dir(slot.join("folder.md")).unwrap();
        let names = |kept: Vec<KeptFile>| kept.into_iter().map(|one| one.name).collect::<Vec<_>>();
        assert_eq!(names(store.collect(root.path(), "slot").unwrap()), ["RESEARCH.md"]);
        assert!(store.collect(root.path(), "slot").unwrap().is_empty(), "nothing is new");
        fs::write(slot.join("NEW.md"), "new").unwrap();
        std::os::unix::fs::symlink(&slot, root.path().join("link")).unwrap();
        assert!(store.collect(root.path(), "link").unwrap().is_empty(), "behind a link");
        let other = root.path().join("other");
        store.lay_out(&other, |name| name != "SECRET.md").unwrap();
        assert_eq!(fs::read_to_string(other.join("RESEARCH.md")).unwrap(), "found");
    }
}
