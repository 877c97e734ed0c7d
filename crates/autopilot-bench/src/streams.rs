//! Many agents that talk at once, followed by one process: as many real children through the launcher, each with its supervision, its log
//! and a reader of its own, as a run has them. A run has one slot today, so this drives what a run with many would.

use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use autopilot_agents::agent::Agent;
use autopilot_agents::claude_code::ClaudeCode;
use autopilot_core::limits;
use autopilot_engine::agents::try_out;
use autopilot_engine::launcher::Launcher;
use autopilot_engine::machine::Machine;
use autopilot_engine::process::supervise::{self, Event, Exit, Outcome, Running, Supervision};
use autopilot_engine::process::{Environment, Order};
use serde_json::{Value, json};

use crate::{spent, steps};

/// Beyond what they stream.
const SLACK: Duration = Duration::from_secs(30);

pub(crate) fn measure(folder: &Path, autopilot: &Path, agents: u32, seconds: u32) -> Result<Value> {
    let program = std::env::current_exe()?;
    let claude = ClaudeCode::of("claude".into(), |_| None, None);
    let time_max = Duration::from_secs(seconds.into()) + SLACK;
    let (started, spent_before) = (Instant::now(), spent::of_process_ns());
    let mut running = Vec::new();
    for agent in 0..agents {
        let environment = Environment::listed(&Machine::of_this_process());
        let order = Order::new(&program, folder, environment, time_max)
            .arguments(["stream".to_string(), seconds.to_string()]);
        let log = File::create(folder.join(format!("{agent}.jsonl")))?;
        let supervision = Supervision::of_agents(Launcher::at(autopilot), Some(log));
        running.push(supervise::start(order, supervision, |_| Ok(()))?);
    }
    let (lines, bytes) = thread::scope(|scope| -> Result<(u64, u64)> {
        let threads: Vec<_> =
            running.into_iter().map(|one| scope.spawn(|| follow(one, &claude, folder))).collect();
        let mut sum = (0, 0);
        for thread in threads {
            let (lines, exit) = thread.join().ok().context("a thread has panicked")?;
            ensure!(exit.outcome == Outcome::Exited(0), "an agent ended with {:?}", exit.outcome);
            sum = (sum.0 + lines, sum.1 + exit.output_bytes);
        }
        Ok(sum)
    })?;
    let took = started.elapsed();
    let spent_ns = spent::of_process_ns() - spent_before;
    Ok(json!({
        "agents": agents,
        "seconds": took.as_secs_f64(),
        "lines": lines,
        "bytes": bytes,
        "cores": spent_ns as f64 / 1e9 / took.as_secs_f64(),
        "peak_kib": steps::peak_kib()?,
    }))
}

/// As an attempt is followed: every line is read for what it means.
fn follow(running: Running, agent: &dyn Agent, folder: &Path) -> (u64, Exit) {
    let mut reader = agent.reader(&try_out::request(agent, None, folder));
    let mut lines = 0;
    loop {
        match running.next(limits::TICK_TIME) {
            Some(Event::Line(line)) => {
                lines += 1;
                reader.read_line(&line.bytes);
            }
            Some(Event::Exited(exit)) => return (lines, exit),
            None => {}
        }
    }
}
