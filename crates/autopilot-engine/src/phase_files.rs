//! Writes the files a run leaves to learn from: traces, post-mortems, learnings. They are pictures of the journal: written after the
//! events they show, made again where they are missing when a run is resumed, and never read back. That one cannot be written is told
//! and stops nothing.

use std::collections::BTreeSet;
use std::fs;

use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::phase_files::{self, Kind, PhaseFile};
use autopilot_core::run::state::RunState;
use autopilot_core::run::trace::Trail;
use autopilot_journal::{Folder, JournalError, durable};

#[derive(Default)]
pub(crate) struct PhaseFiles {
    trail: Trail,
    /// What the events noted so far ask for.
    pending: Vec<PhaseFile>,
    /// What the newest of the events that were read back asked for.
    newest: Vec<PhaseFile>,
    /// Paths that were made again; what a later event says about them counts.
    restored: BTreeSet<String>,
    troubles: Vec<String>,
}

impl PhaseFiles {
    /// Before an event is folded in: the state still has every fact of the phase that it ends.
    pub(crate) fn happens(&mut self, before: Option<&RunState>, event: &Event, at: Moment) {
        self.trail.add(before, event, at);
        if let Some(before) = before {
            self.pending.extend(phase_files::of_phase(before, &self.trail, event, at));
        }
    }

    /// After it.
    pub(crate) fn happened(&mut self, after: &RunState, event: &Event) {
        self.pending.extend(phase_files::of_run(after, event));
    }

    /// For an event that was read back: what was written when it happened is there, unless somebody removed it.
    pub(crate) fn restore(&mut self, folder: &Folder) {
        if self.pending.is_empty() {
            return;
        }
        let files = std::mem::take(&mut self.pending);
        for file in &files {
            if !is_there(folder, file) || self.restored.contains(&file.path) {
                self.write(folder, file);
                self.restored.insert(file.path.clone());
            }
        }
        self.newest = files;
    }

    /// All events were read back. Those that were on disk last may have been all that was, so their files are written once more.
    pub(crate) fn restored(&mut self) {
        self.pending = std::mem::take(&mut self.newest);
        self.restored.clear();
    }

    /// Writes what is pending; only after the events are on disk. Returned is what could not be written.
    pub(crate) fn leave(&mut self, folder: &Folder) -> Vec<String> {
        for file in std::mem::take(&mut self.pending) {
            match file.kind {
                Kind::Diagnostic | Kind::Trace => self.write(folder, &file),
                Kind::OfEffect => {}
            }
        }
        std::mem::take(&mut self.troubles)
    }

    fn write(&mut self, folder: &Folder, file: &PhaseFile) {
        if let Err(error) = written(folder, file) {
            self.troubles.push(format!("{} is not written: {error}", file.path));
        }
    }
}

/// One that a power cut left empty counts as missing.
fn is_there(folder: &Folder, file: &PhaseFile) -> bool {
    let found = fs::symlink_metadata(folder.path().join(&file.path));
    found.is_ok_and(|found| found.is_file() && found.len() > 0)
}

fn written(folder: &Folder, file: &PhaseFile) -> Result<(), JournalError> {
    let path = folder.path().join(&file.path);
    match file.kind {
        Kind::Diagnostic | Kind::OfEffect => durable::write_atomically(&path, file.text.as_bytes()),
        Kind::Trace => durable::write_unsynced(&path, file.text.as_bytes()),
    }
}
