//! The files a phase leaves when it ends, and those a run keeps up to date: which they are and what is in them. All are made of events,
//! so that they can be made again after a crash; writing them is the engine's.

use crate::phase_id::PhaseId;
use crate::run::event::Event;
use crate::run::files::trace::{self, Trail};
use crate::run::files::{confidence, post_mortem};
use crate::run::ids::Moment;
use crate::run::learnings;
use crate::run::state::{PhaseState, RunState};

/// A file below `.autopilot/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseFile {
    pub path: String,
    pub text: String,
    pub kind: Kind,
}

/// How much is lost when a power cut takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// People look for it: it is synced.
    Diagnostic,
    /// It follows from the journal at any time.
    Trace,
    /// The effect that the event ends has written it; it is made again only where it is missing.
    OfEffect,
}

/// The folder of a phase's traces below `.autopilot/`.
pub fn traces(state: &RunState, phase: &PhaseId) -> String {
    format!("traces/{}/phase-{phase}", state.definition.run)
}

/// The file of a phase's traces that is written last: where it is, all that its end leaves was written.
pub fn last_trace(state: &RunState, phase: &PhaseId) -> String {
    format!("{}/{}", traces(state, phase), trace::FILE)
}

/// The files beside the traces that follow from an event about a phase.
pub fn diagnostic(before: &RunState, event: &Event) -> Option<String> {
    match event {
        Event::PhaseFailed { phase, .. } => Some(post_mortem::file(phase)),
        Event::ConfidenceDiagnosticWritten { .. } => {
            before.running().map(|phase| confidence::file(&phase.definition.id))
        }
        _ => None,
    }
}

/// What follows from an event about a phase. `before` is the state that still has all facts of it; the event is the last in the trail.
pub fn of_phase(before: &RunState, trail: &Trail, event: &Event, at: Moment) -> Vec<PhaseFile> {
    match event {
        Event::PhaseFailed { phase, failure } => {
            let known = before.phase(phase);
            let post_mortem = known.map(|known| {
                let document = post_mortem::document(before, trail, known, failure, at);
                let (path, text) = (post_mortem::file(phase), post_mortem::text(&document));
                PhaseFile { path, text, kind: Kind::Diagnostic }
            });
            post_mortem.into_iter().chain(trace_files(before, trail, phase)).collect()
        }
        Event::PhaseCompleted { phase, .. } | Event::PhaseDeferred { phase, .. } => {
            trace_files(before, trail, phase)
        }
        Event::ConfidenceDiagnosticWritten { score, .. } => {
            let file = |phase: &PhaseState| PhaseFile {
                path: confidence::file(&phase.definition.id),
                text: confidence::document(phase, &before.definition.settings, *score),
                kind: Kind::OfEffect,
            };
            before.running().map(file).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// What follows from an event about the run, in the state it leads to.
pub fn of_run(after: &RunState, event: &Event) -> Option<PhaseFile> {
    match event {
        // What an earlier run taught is not carried over, so the file begins anew (INV-6).
        Event::RunStarted { .. } | Event::PhaseFailed { .. } => Some(PhaseFile {
            path: learnings::FILE.to_string(),
            text: learnings::document(after),
            kind: Kind::Diagnostic,
        }),
        _ => None,
    }
}

fn trace_files(state: &RunState, trail: &Trail, phase: &PhaseId) -> Vec<PhaseFile> {
    let folder = traces(state, phase);
    let files = trail.files().into_iter();
    files
        .map(|(name, text)| PhaseFile { path: format!("{folder}/{name}"), text, kind: Kind::Trace })
        .collect()
}
