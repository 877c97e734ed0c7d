//! Writes down what keeps a phase from 9.0 (CHECK-15).

use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::event::Event;
use autopilot_core::run::files::confidence;
use autopilot_core::score::Score;
use autopilot_journal::durable;

use super::{Failed, Performer};
use crate::drive::Ordered;

impl Performer {
    pub(super) fn write_diagnostic(
        &self,
        ordered: &Ordered,
        phase: &PhaseId,
        score: Score,
    ) -> Result<Vec<Event>, Failed> {
        let Some(known) = &ordered.phase else {
            return Err(Failed::World("a diagnostic of no phase".to_string()));
        };
        let text = confidence::document(known, &ordered.definition.settings, score);
        let file = confidence::file(phase);
        durable::write_atomically(&self.folder.path().join(&file), text.as_bytes())?;
        let (attempt, path) = (ordered.attempt, format!(".autopilot/{file}"));
        Ok(vec![Event::ConfidenceDiagnosticWritten { attempt, score, path }])
    }
}
