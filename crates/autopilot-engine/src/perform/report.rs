//! Writes the report of a whole run into `.autopilot/`, and tidies up after it.

use autopilot_core::run::definition::RunMode;
use autopilot_core::run::event::Event;
use autopilot_core::run::files::{batch_report, completion};
use autopilot_core::run::state::RunState;
use autopilot_journal::durable;

use super::{Failed, Performer, object};
use crate::drive::Ordered;
use crate::run_branch;
use crate::run_metrics::{self, Recorded};

impl Performer {
    pub(super) fn report(&self, ordered: &Ordered) -> Result<Vec<Event>, Failed> {
        let Some(state) = ordered.whole.as_deref() else {
            return Err(Failed::World("a report of nothing".to_string()));
        };
        self.give_back()?;
        let (attempt, at) = (ordered.attempt, ordered.at);
        let mut events = Vec::new();
        if state.definition.mode == RunMode::Complete {
            events.push(self.batch_report(ordered, state)?);
        }
        let Recorded { trend, remark } = run_metrics::record(&self.folder, state, at)?;
        let name = completion::report_name(state, state.started_at);
        let mut text = completion::report(state, at, Some(&trend));
        if let Some(remark) = remark {
            text.push_str(&format!("\n{remark}\n"));
        }
        durable::write_atomically(&self.folder.path().join(&name), text.as_bytes())?;
        // What passed is on the run's branch; a list of thirty branches more helps nobody.
        if let Some(branch) = &state.branch {
            self.slot.put_detached(&object(&branch.head)?)?;
            run_branch::retire_phases(&self.checkout, &self.names)?;
        }
        let path = format!(".autopilot/{name}");
        events.push(Event::ReportWritten { attempt, path, trend: Some(trend) });
        Ok(events)
    }

    /// How far the whole project is (REP-4).
    fn batch_report(&self, ordered: &Ordered, state: &RunState) -> Result<Event, Failed> {
        let text = batch_report::document(state, ordered.at);
        let path = self.folder.path().join(batch_report::FILE);
        durable::write_atomically(&path, text.as_bytes())?;
        let path = format!(".autopilot/{}", batch_report::FILE);
        let percent = batch_report::percent(state);
        Ok(Event::BatchCompletionReport { attempt: ordered.attempt, path, percent })
    }
}
