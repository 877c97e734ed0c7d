//! What it costs to take a long run up again, beside reading its journal line by line into plain JSON values. The two take turns,
//! in one process, by time on the processor.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use autopilot_engine::clock::WallClock;
use autopilot_engine::memory::Memory;
use autopilot_journal::{Folder, RunId};
use serde_json::{Value, json};

use crate::instant::Instant;
use crate::long_run;
use crate::median::median;
use crate::spent::processor_ns;

/// Odd, so that the median is one of them.
const ROUNDS: usize = 7;

pub(crate) fn measure(root: &Path, phases: u32) -> Result<Value> {
    long_run::drive(root, phases, &mut Instant::new()?)?;
    let folder = Folder::open(root)?;
    let run = RunId::new(long_run::RUN)?;
    let (mut resumes, mut parses, mut lines) = (Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        let started = processor_ns();
        lines = parse(&folder.journal(&run))?;
        parses.push((processor_ns() - started) as f64);
        let lock = folder.lock(&long_run::holder())?;
        let started = processor_ns();
        let (memory, _) =
            Memory::resume(folder.clone(), lock, &run, Arc::new(WallClock::default()))?;
        resumes.push((processor_ns() - started) as f64);
        ensure!(memory.state()?.events == lines, "the journal has another number of events");
    }
    let (resume_ns, parse_ns) = (median(resumes), median(parses));
    Ok(json!({ "events": lines, "resume_ns": resume_ns, "parse_ns": parse_ns, "rounds": ROUNDS }))
}

/// How many lines there are, each of them read whole.
fn parse(journal: &Path) -> Result<u64> {
    let mut lines = 0;
    for line in BufReader::with_capacity(128 * 1024, File::open(journal)?).lines() {
        let value: Value = serde_json::from_str(&line?)?;
        lines += u64::from(value.get("event").is_some());
    }
    Ok(lines)
}
