//! Writes the files a run leaves to learn from: traces, post-mortems, learnings. They are pictures of the journal: written after the
//! events they show, made again where they are missing when a run is resumed, and never read back. That one cannot be written is told
//! and stops nothing.

use std::collections::BTreeSet;
use std::fs;

use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::event::Event;
use autopilot_core::run::files::phase_files::{self, Kind, PhaseFile};
use autopilot_core::run::files::trace::Trail;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::state::RunState;
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
    /// While events are read back.
    known: Option<Known>,
}

/// Phases that are over and left their files need none of their texts put together again, which is most of what a long run's
/// resume would do.
#[derive(Default)]
struct Known {
    started: BTreeSet<PhaseId>,
    /// The phase that the events are about is over and left its traces.
    is_over: bool,
    is_something_missing: bool,
}

impl Known {
    /// Whether nothing has to be made of the event.
    fn covers(&mut self, folder: &Folder, before: Option<&RunState>, event: &Event) -> bool {
        let Some(before) = before else { return false };
        if let Event::PhaseStarted { phase } = event {
            // Traces that are there may be of the first try alone, so that a second is always followed.
            let is_first = self.started.insert(phase.clone());
            self.is_over = is_first && is_there(folder, &phase_files::last_trace(before, phase));
        }
        if self.is_over {
            let diagnostic = phase_files::diagnostic(before, event);
            self.is_something_missing |= diagnostic.is_some_and(|path| !is_there(folder, &path));
        }
        self.is_over
    }
}

impl PhaseFiles {
    /// For events that are about to be read back. What phases that are over left is taken for whole unless `is_all` is asked for.
    pub(crate) fn for_reading_back(is_all: bool) -> PhaseFiles {
        PhaseFiles { known: (!is_all).then(Known::default), ..PhaseFiles::default() }
    }

    /// Before an event is folded in: the state still has every fact of the phase that it ends.
    pub(crate) fn happens(
        &mut self,
        folder: &Folder,
        before: Option<&RunState>,
        event: &Event,
        at: Moment,
    ) {
        if self.known.as_mut().is_some_and(|known| known.covers(folder, before, event)) {
            self.trail = Trail::default();
            return;
        }
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
            if !is_there(folder, &file.path) || self.restored.contains(&file.path) {
                self.write(folder, file);
                self.restored.insert(file.path.clone());
            }
        }
        self.newest = files;
    }

    /// All events were read back. Those that were on disk last may have been all that was, so their files are written once more.
    /// False when a file is missing that was taken for there: everything has to be read back.
    #[must_use]
    pub(crate) fn is_restored(&mut self) -> bool {
        self.pending = std::mem::take(&mut self.newest);
        self.restored.clear();
        !self.known.take().is_some_and(|known| known.is_something_missing)
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
fn is_there(folder: &Folder, path: &str) -> bool {
    let found = fs::symlink_metadata(folder.path().join(path));
    found.is_ok_and(|found| found.is_file() && found.len() > 0)
}

fn written(folder: &Folder, file: &PhaseFile) -> Result<(), JournalError> {
    let path = folder.path().join(&file.path);
    match file.kind {
        Kind::Diagnostic | Kind::OfEffect => durable::write_atomically(&path, file.text.as_bytes()),
        Kind::Trace => durable::write_unsynced(&path, file.text.as_bytes()),
    }
}
