//! Closes a phase: its reports and the roadmap's tick as one commit, then the run's branch moves to it (PIPE-14).

use std::path::PathBuf;

use autopilot_core::phase_id::PhaseId;
use autopilot_core::roadmap::tick::tick;
use autopilot_core::run::definition::PhaseDefinition;
use autopilot_core::run::event::Event;
use autopilot_core::run::files::receipt::{self, Receipt};
use autopilot_core::run::files::reports;
use autopilot_core::run::ids::Commit;
use autopilot_journal::durable;

use super::{Failed, Performer, commit, definition, object};
use crate::drive::Ordered;
use crate::git::ObjectId;
use crate::run_branch::{self, Forwarded};
use crate::slot::{CommitOrder, Outcome};
use crate::{artifacts, files};

impl Performer {
    pub(super) fn close_phase(
        &self,
        ordered: &Ordered,
        phase: &PhaseId,
        head: &Commit,
        onto: &Commit,
    ) -> Result<Vec<Event>, Failed> {
        let (closed, kept) = if self.commits_docs {
            (self.closing_commit(ordered, phase, head)?, None)
        } else {
            (head.clone(), self.keep_receipt(ordered, phase, head)?)
        };
        let (from, to) = (object(onto)?, object(&closed)?);
        let moved = run_branch::fast_forward(&self.checkout, &self.names, &from, &to)?;
        match moved {
            Forwarded::Moved | Forwarded::AlreadyThere => {}
            Forwarded::NotAncestor => {
                return Err(Failed::World(format!("{closed} does not build on {onto}")));
            }
            Forwarded::MovedBySomebodyElse { at } => {
                let at = at.map_or("nowhere".to_string(), |at| at.to_string());
                let branch = self.names.branch().short().to_string();
                return Err(Failed::World(format!("somebody else moved {branch}: it is at {at}")));
            }
            Forwarded::CheckedOut { at } => {
                let branch = self.names.branch().short().to_string();
                return Err(Failed::World(format!(
                    "{branch} is checked out in {}; switch to another branch there",
                    at.display()
                )));
            }
        }
        // What is merged next comes into the folder as the user left it.
        self.give_back()?;
        let receipt = match kept {
            Some(hash) => Some(hash),
            None => self.receipt_in(ordered, &to)?,
        };
        Ok(vec![Event::PhaseMerged { attempt: ordered.attempt, commit: closed, receipt }])
    }

    /// Where no commit takes papers, what the phase rests on stays with our own records.
    fn keep_receipt(
        &self,
        ordered: &Ordered,
        phase: &PhaseId,
        head: &Commit,
    ) -> Result<Option<String>, Failed> {
        let Some(receipt) = self.receipt_of(ordered, head)? else { return Ok(None) };
        let folder = self.folder.receipts();
        let failed = |error| Failed::World(format!("{}: {error}", folder.display()));
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let path = folder.join(format!("{phase}.json"));
        durable::write_atomically(&path, receipt.text().as_bytes())?;
        Ok(Some(receipt.hash))
    }

    fn receipt_of(&self, ordered: &Ordered, head: &Commit) -> Result<Option<Receipt>, Failed> {
        let tree = self.checkout.tree_of(&object(head)?)?;
        Ok(ordered.phase.as_ref().and_then(|phase| {
            receipt::of(phase, self.names.run(), tree.as_str(), ordered.journal.clone())
        }))
    }

    /// The hash of the receipt as it was committed, which may have been before a crash.
    fn receipt_in(&self, ordered: &Ordered, at: &ObjectId) -> Result<Option<String>, Failed> {
        let path = format!("{}/{}", definition(ordered)?.folder, receipt::FILE);
        let Some(blob) = self.checkout.blob_at(at, &path)? else { return Ok(None) };
        let bytes = self.checkout.blob_text(&blob)?;
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        Ok(text.and_then(|text| Receipt::read(&text).ok()).map(|receipt| receipt.hash))
    }

    fn closing_commit(
        &self,
        ordered: &Ordered,
        phase: &PhaseId,
        head: &Commit,
    ) -> Result<Commit, Failed> {
        let definition = definition(ordered)?;
        let mut texts = self.kept_texts(ordered)?;
        let reports = ordered.phase.iter().flat_map(reports::of_phase);
        texts.extend(reports.map(|(name, text)| (name.to_string(), text)));
        let (branch, base) = (self.branch(phase)?, object(head)?);
        let receipt = self.receipt_of(ordered, head)?;
        texts.extend(receipt.map(|receipt| (receipt::FILE.to_string(), receipt.text())));
        let key = format!("{}.{phase}.close.{head}", self.names.run());
        if let Some(made) =
            self.slot.made_before(&branch, &base, &key, &ours(ordered, definition))?
        {
            return commit(&made);
        }
        self.put(phase, head, None)?;
        let texts = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        artifacts::lay_out(&self.phase_folder(definition), texts)?;
        self.tick(ordered, phase)?;
        let outcome = self.slot.commit(&CommitOrder {
            branch,
            base,
            message: format!("docs(phase {phase}): {}", definition.name),
            key,
            trailers: vec![("Autopilot-Phase".to_string(), phase.to_string())],
            exclude: Vec::new(),
        })?;
        match outcome {
            Outcome::Made { commit: made, .. } | Outcome::Found { commit: made } => commit(&made),
            Outcome::NothingToCommit { .. } => Ok(head.clone()),
        }
    }

    /// The roadmap's box, in the slot only.
    fn tick(&self, ordered: &Ordered, phase: &PhaseId) -> Result<(), Failed> {
        let Some(project) = &ordered.project else { return Ok(()) };
        let path = self.slot.folder().join(&project.roadmap);
        // A roadmap that is not in the repository has no box to tick there.
        let Ok(text) = files::read_text(&path) else { return Ok(()) };
        if let Some(ticked) = tick(&text, phase) {
            let failed = |error| Failed::World(format!("{}: {error}", path.display()));
            std::fs::write(&path, ticked).map_err(failed)?;
        }
        Ok(())
    }
}

/// What a closing commit may touch: the phase's folder and the roadmap.
fn ours(ordered: &Ordered, definition: &PhaseDefinition) -> Vec<PathBuf> {
    let roadmap = ordered.project.as_ref().map(|project| PathBuf::from(&project.roadmap));
    [PathBuf::from(&definition.folder)].into_iter().chain(roadmap).collect()
}
