//! One durable event, as a run writes it, beside one synced append of as many bytes to a plain file on the same disk. The two take
//! turns, so that whatever else the disk does is the same for both.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use autopilot_core::run::event::{Event, ProcessGroup};
use autopilot_core::run::ids::AttemptId;
use autopilot_journal::{Folder, RunId, Writer};
use serde_json::{Value, json};

use crate::long_run;
use crate::median::median;
use crate::spent::monotonic_ns;

/// Steady medians in about a second on a slow disk.
const ROUNDS: u32 = 300;

pub(crate) fn measure(root: &Path) -> Result<Value> {
    let folder = Folder::open(root)?;
    let lock = folder.lock(&long_run::holder())?;
    let mut writer = Writer::create(&folder, &lock, &RunId::new("run-1")?)?;
    let mut plain = OpenOptions::new().append(true).create_new(true).open(root.join("plain"))?;
    let (mut events, mut syncs) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        let event = spawned(round);
        let bytes_before = writer.path().metadata()?.len();
        let started = monotonic_ns();
        writer.append(u64::from(round), &[event])?;
        events.push((monotonic_ns() - started) as f64);
        let line = vec![b'x'; usize::try_from(writer.path().metadata()?.len() - bytes_before)?];
        let started = monotonic_ns();
        plain.write_all(&line)?;
        plain.sync_data()?;
        syncs.push((monotonic_ns() - started) as f64);
    }
    Ok(json!({ "event_ns": median(events), "sync_ns": median(syncs), "rounds": ROUNDS }))
}

fn spawned(attempt: u32) -> Event {
    let boot_id = Some("0f3a1c58-7a52-4b0e-9d47-1f6f2f3f4a5b".to_string());
    let group = ProcessGroup { id: attempt.cast_signed(), start_ticks: Some(1_234_567), boot_id };
    Event::AttemptSpawned { attempt: AttemptId(attempt), group }
}
