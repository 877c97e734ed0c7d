//! Plays an agent that talks without a pause: lines as Claude Code printed them, a megabyte a second.

use std::io::{Write, stdout};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

const LINES: &str = include_str!("../../autopilot-agents/src/claude_code/captured/work.jsonl");
const BYTES_A_SECOND: u64 = 1_000_000;
/// Between two pieces: a model's words come about as often.
const PAUSE: Duration = Duration::from_millis(20);
/// Longer than any measurement.
const SECONDS_MAX: u64 = 600;

pub(crate) fn work(seconds: u64) -> Result<()> {
    ensure!(seconds <= SECONDS_MAX, "at most {SECONDS_MAX} seconds");
    let mut out = stdout().lock();
    let mut lines = LINES.split_inclusive('\n').cycle();
    let (started, total) = (Instant::now(), seconds * BYTES_A_SECOND);
    let mut sent = 0;
    while sent < total {
        let due = (started.elapsed().as_secs_f64() * BYTES_A_SECOND as f64) as u64;
        let mut piece = String::new();
        while sent + (piece.len() as u64) < due.min(total) {
            piece.push_str(lines.next().unwrap_or_default());
        }
        out.write_all(piece.as_bytes())?;
        out.flush()?;
        sent += piece.len() as u64;
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
