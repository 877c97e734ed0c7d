//! What a step costs and how much memory a run holds, in a run so long that anything that grows with its phases or events shows.
//! The folder should be in memory: the disk is measured elsewhere, and here it would hide what autopilot itself does.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::instant::Instant;
use crate::long_run;

/// Steps whose cost is compared: whole phases, so that what happens once a phase has its share.
const PHASES_COMPARED: usize = 20;
/// Where in a long run they end.
const AT_EVENT: usize = 100_000;

pub(crate) fn measure(root: &Path, phases: u32) -> Result<Value> {
    let mut performer = Instant::new()?;
    long_run::drive(root, phases, &mut performer)?;
    let peak_kib = peak_kib()?;
    let steps = &performer.steps_ns;
    let compared = (steps.len() / phases as usize) * PHASES_COMPARED.min(phases as usize);
    let events = events(root)?;
    let end = (steps.len() * AT_EVENT.min(events) / events).max(compared);
    Ok(json!({
        "phases": phases,
        "events": events,
        "steps": steps.len(),
        "first_step_ns": mean(&steps[..compared]),
        "late_step_ns": mean(&steps[end - compared..end]),
        "tick_ns": performer.tick_ns,
        "peak_kib": peak_kib,
    }))
}

fn mean(values: &[u64]) -> f64 {
    values.iter().sum::<u64>() as f64 / values.len() as f64
}

/// Lines of the journal.
fn events(root: &Path) -> Result<usize> {
    let journal = root.join(".autopilot/journal").join(format!("{}.jsonl", long_run::RUN));
    let file = fs::File::open(&journal).with_context(|| journal.display().to_string())?;
    Ok(BufReader::new(file).lines().count())
}

/// The most memory this process ever held.
pub(crate) fn peak_kib() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("no /proc here")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB")).context("no VmHWM")?;
    Ok(peak.parse()?)
}
