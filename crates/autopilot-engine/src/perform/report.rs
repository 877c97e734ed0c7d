//! Writes the report of a whole run into `.autopilot/`.

use autopilot_core::run::completion;
use autopilot_core::run::event::Event;
use autopilot_journal::durable;

use super::{Failed, Performer};
use crate::drive::Ordered;

impl Performer {
    pub(super) fn report(&self, ordered: &Ordered) -> Result<Vec<Event>, Failed> {
        let Some(state) = ordered.whole.as_deref() else {
            return Err(Failed::World("a report of nothing".to_string()));
        };
        let name = completion::report_name(state, state.started_at);
        let text = completion::report(state, ordered.at);
        durable::write_atomically(&self.folder.path().join(&name), text.as_bytes())?;
        let path = format!(".autopilot/{name}");
        Ok(vec![Event::ReportWritten { attempt: ordered.attempt, path }])
    }
}
