//! The files of a phase's folder that agents make: research and plans. They are kept in `.autopilot/artifacts/`, which no agent
//! can write, and laid out in a slot for whoever may see them; the closing commit takes them from here (invariant 14).
//!
//! A text lies there under its hash, and which of them belong to the phase is in the journal alone. So what an attempt left that
//! was killed before its end was on record counts for nothing, and overwrites nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use autopilot_core::digest;
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
    #[error("{name} is on record and not in {}", path.display())]
    Lost { name: String, path: PathBuf },
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

    /// A text that is on record.
    pub fn read(&self, name: &str, kept: &str) -> Result<String, ArtifactError> {
        let path = self.folder.join(file_of(kept));
        match files::read_text(&path) {
            Ok(text) if hash(&text) == kept => Ok(text),
            Ok(_) | Err(_) => Err(ArtifactError::Lost { name: name.to_string(), path }),
        }
    }

    fn write(&self, name: &str, text: &str) -> Result<KeptFile, ArtifactError> {
        fs::create_dir_all(&self.folder).map_err(|source| self.failed(source))?;
        let hash = hash(text);
        durable::write_atomically(&self.folder.join(file_of(&hash)), text.as_bytes())?;
        Ok(KeptFile { name: name.to_string(), hash })
    }

    /// Takes over what an agent wrote into a folder of its slot: plain text files of sane size and name, in that folder alone.
    /// Links, pipes and folders are passed over, also a folder that lies behind a link: an agent's files are looked at, never
    /// followed. What is `known` already is not returned again.
    pub fn collect(
        &self,
        slot: &Path,
        folder: &str,
        known: &BTreeMap<String, String>,
    ) -> Result<Vec<KeptFile>, ArtifactError> {
        let mut kept = Vec::new();
        let from = slot.join(folder);
        if !is_plain_below(slot, &from) {
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
            if known.get(&name) != Some(&hash(&text)) {
                kept.push(self.write(&name, &text)?);
            }
        }
        Ok(kept)
    }

    fn failed(&self, source: io::Error) -> ArtifactError {
        ArtifactError::Io { path: self.folder.clone(), source }
    }
}

/// Writes texts into a folder of a slot.
pub fn lay_out<'a>(
    to: &Path,
    texts: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<(), ArtifactError> {
    for (name, text) in texts {
        let path = to.join(name);
        let failed = |source| ArtifactError::Io { path: path.clone(), source };
        fs::create_dir_all(to).map_err(failed)?;
        if has_text(&path, text) {
            continue;
        }
        // An agent may have left a link there.
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            fs::remove_file(&path).map_err(failed)?;
        }
        fs::write(&path, text).map_err(failed)?;
    }
    Ok(())
}

/// Takes back what was laid out, and folders that are empty then, so that git need not be asked to. Only files that lie behind no
/// link; whatever stays is in the way of nobody, for the slot is put in order afterwards. A file that would be laid out again
/// and is as it was stays too: making one anew is what takes the time.
pub fn take_back<'a>(
    slot: &Path,
    folder: &str,
    names: impl Iterator<Item = &'a str>,
    stays: &BTreeMap<String, String>,
) {
    let from = slot.join(folder);
    if !is_plain_below(slot, &from) {
        return;
    }
    for name in names.filter(|name| is_plain_name(name)) {
        let path = from.join(name);
        if stays.get(name).is_some_and(|text| has_text(&path, text)) {
            continue;
        }
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_file()) {
            let _ = fs::remove_file(path);
        }
    }
    let within = from.ancestors().take_while(|at| *at != slot && at.starts_with(slot));
    // A folder that is not empty cannot be removed like this.
    let _ = within.map(fs::remove_dir).find(Result::is_err);
}

/// Whether a file is there that has this text and no second name, by which somebody could change it.
fn has_text(path: &Path, text: &str) -> bool {
    let is_plain = |found: fs::Metadata| {
        found.is_file() && found.nlink() == 1 && found.len() == text.len() as u64
    };
    fs::symlink_metadata(path).is_ok_and(is_plain)
        && files::read_text(path).is_ok_and(|found| found == text)
}

/// Whether a folder and all above it, up to the slot, are folders and no links.
pub(crate) fn is_plain_below(slot: &Path, folder: &Path) -> bool {
    let is_within = |at: &&Path| *at != slot && at.starts_with(slot);
    let is_plain = |at: &Path| fs::symlink_metadata(at).is_ok_and(|found| found.is_dir());
    folder.starts_with(slot) && folder.ancestors().take_while(is_within).all(is_plain)
}

pub fn hash(text: &str) -> String {
    digest::text(&Sha256::digest(text.as_bytes()))
}

/// Where a text of this hash lies.
fn file_of(hash: &str) -> &str {
    hash.strip_prefix(digest::PREFIX).unwrap_or(hash)
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
        let mut known = BTreeMap::new();
        let kept = store.collect(root.path(), "slot", &known).unwrap();
        assert_eq!(kept.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["RESEARCH.md"]);
        known.extend(kept.into_iter().map(|one| (one.name, one.hash)));
        assert_eq!(store.collect(root.path(), "slot", &known).unwrap(), [], "nothing is new");
        fs::write(slot.join("NEW.md"), "new").unwrap();
        std::os::unix::fs::symlink(&slot, root.path().join("link")).unwrap();
        assert_eq!(store.collect(root.path(), "link", &known).unwrap(), [], "behind a link");
        let text = store.read("RESEARCH.md", &known["RESEARCH.md"]).unwrap();
        let other = root.path().join("other");
        lay_out(&other, [("RESEARCH.md", text.as_str())].into_iter()).unwrap();
        assert_eq!(fs::read_to_string(other.join("RESEARCH.md")).unwrap(), "found");
    }

    #[test]
    fn what_was_laid_out_is_taken_back_and_nothing_else() {
        let slot = tempfile::tempdir().unwrap();
        let folder = slot.path().join("a/b");
        lay_out(&folder, [("ONE.md", "1"), ("TWO.md", "2")].into_iter()).unwrap();
        fs::write(folder.join("agents.md"), "3").unwrap();
        fs::write(slot.path().join("ONE.md"), "the user's").unwrap();
        let none = BTreeMap::new();
        take_back(slot.path(), "a/b", ["ONE.md", "../../ONE.md"].into_iter(), &none);
        assert_eq!(crate::files::names_in(&folder).unwrap(), ["TWO.md", "agents.md"]);
        std::os::unix::fs::symlink(&folder, slot.path().join("link")).unwrap();
        take_back(slot.path(), "link", ["TWO.md"].into_iter(), &none);
        assert!(folder.join("TWO.md").exists(), "behind a link");
        take_back(slot.path(), "a/b", ["TWO.md", "agents.md"].into_iter(), &none);
        assert!(!slot.path().join("a").exists() && slot.path().join("ONE.md").exists());
    }

    #[test]
    fn what_would_be_laid_out_again_stays_only_as_it_was() {
        let slot = tempfile::tempdir().unwrap();
        let names = ["SAME.md", "CHANGED.md", "LINKED.md", "OTHER.md"];
        let texts = || names.into_iter().map(|name| (name, "text"));
        lay_out(slot.path(), texts()).unwrap();
        let at = |name: &str| slot.path().join(name);
        let number = |name: &str| fs::metadata(at(name)).unwrap().ino();
        let same = number("SAME.md");
        fs::write(at("CHANGED.md"), "texT").unwrap();
        fs::hard_link(at("LINKED.md"), at("second-name")).unwrap();
        let mut stays: BTreeMap<String, String> =
            texts().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        stays.remove("OTHER.md");
        take_back(slot.path(), "", names.into_iter(), &stays);
        assert_eq!(crate::files::names_in(slot.path()).unwrap(), ["SAME.md", "second-name"]);
        lay_out(slot.path(), texts()).unwrap();
        assert_eq!(number("SAME.md"), same);
        fs::write(at("second-name"), "not ours").unwrap();
        for name in names {
            assert_eq!(fs::read_to_string(at(name)).unwrap(), "text", "{name}");
        }
    }

    #[test]
    fn a_later_text_overwrites_no_earlier_one_and_a_changed_one_is_not_used() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let store = Artifacts::of(&folder, "run-1", &PhaseId::number(3));
        let (first, second) =
            (store.write("P.md", "1").unwrap(), store.write("P.md", "2").unwrap());
        assert_eq!(store.read("P.md", &first.hash).unwrap(), "1");
        assert_eq!(store.read("P.md", &second.hash).unwrap(), "2");
        fs::write(store.folder.join(file_of(&first.hash)), "3").unwrap();
        let error = store.read("P.md", &first.hash).unwrap_err().to_string();
        assert!(error.starts_with("P.md is on record and not in "), "{error}");
    }
}
