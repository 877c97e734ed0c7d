//! Adds the figures of a run to those of the runs before it, once however often it is done, and says how it compares with them.

use autopilot_core::documents::metrics::MetricsDocument;
use autopilot_core::run::files::metrics;
use autopilot_core::run::files::trend::{self, Trend};
use autopilot_core::run::ids::Moment;
use autopilot_core::run::state::RunState;
use autopilot_journal::metrics::MetricsFile;
use autopilot_journal::{Folder, JournalError};
use serde_json::Value;

/// What became of the figures.
pub struct Recorded {
    pub trend: Trend,
    /// Earlier figures could not be read and were kept aside.
    pub remark: Option<String>,
}

pub fn record(folder: &Folder, state: &RunState, at: Moment) -> Result<Recorded, JournalError> {
    let MetricsFile { mut entries, broken } = folder.take_metrics()?;
    let current = metrics::document(state, at);
    let place = entries.iter().position(|entry| is_of(entry, &current.run_id));
    let place = place.unwrap_or(entries.len());
    // What another version wrote in another form is kept and cannot be compared with.
    let read = |entry: &Value| serde_json::from_value::<MetricsDocument>(entry.clone()).ok();
    let before: Vec<MetricsDocument> = entries[..place].iter().filter_map(read).collect();
    let bad = |error: serde_json::Error| JournalError::BadEvent { why: error.to_string() };
    let entry = serde_json::to_value(&current).map_err(bad)?;
    match entries.get_mut(place) {
        Some(known) => *known = entry,
        None => entries.push(entry),
    }
    folder.write_metrics(&entries)?;
    let remark = broken.map(|broken| {
        let moved_to = broken.moved_to.as_deref().unwrap_or(&broken.path);
        format!(
            "earlier figures could not be read ({}); they are in {}",
            broken.what,
            moved_to.display()
        )
    });
    Ok(Recorded { trend: trend::of(&before, &current), remark })
}

fn is_of(entry: &Value, run: &str) -> bool {
    entry.get("run_id").and_then(Value::as_str) == Some(run)
}
