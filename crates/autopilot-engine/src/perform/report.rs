//! Writes the report of a whole run into `.autopilot/`, and tidies up after it.

use autopilot_core::run::completion;
use autopilot_core::run::event::Event;
use autopilot_journal::durable;

use super::{Failed, Performer, object};
use crate::drive::Ordered;
use crate::run_branch;

impl Performer {
    pub(super) fn report(&self, ordered: &Ordered) -> Result<Vec<Event>, Failed> {
        let Some(state) = ordered.whole.as_deref() else {
            return Err(Failed::World("a report of nothing".to_string()));
        };
        let name = completion::report_name(state, state.started_at);
        let text = completion::report(state, ordered.at);
        durable::write_atomically(&self.folder.path().join(&name), text.as_bytes())?;
        // What passed is on the run's branch; a list of thirty branches more helps nobody.
        if let Some(branch) = &state.branch {
            self.slot.put_detached(&object(&branch.head)?)?;
            run_branch::retire_phases(&self.checkout, &self.names)?;
        }
        let path = format!(".autopilot/{name}");
        Ok(vec![Event::ReportWritten { attempt: ordered.attempt, path }])
    }
}
