//! Runs checks and says what was seen. A check that could not be started or did not end is never green.

use std::time::Duration;

use autopilot_core::digest;
use autopilot_core::limits;
use autopilot_core::run::definition::CheckOrder;
use autopilot_core::run::effect::{Measurement, Purpose};
use autopilot_core::run::event::Event;
use autopilot_core::run::measured::{CheckResult, Measured};
use sha2::{Digest, Sha256};

use super::fenced::Inside;
use super::{Failed, Performer, object, recorded};
use crate::drive::{Host, Ordered};
use crate::process::supervise::{self, Exit, Grace, Outcome, StartError, Supervision};
use crate::process::{Order, SpawnError};

impl Performer {
    pub(super) fn measure(
        &self,
        ordered: &Ordered,
        order: &Measurement,
        host: &mut dyn Host,
    ) -> Result<Vec<Event>, Failed> {
        match &order.phase {
            Some(phase) => self.put(phase, &order.at, order.snapshot.as_ref())?,
            None => self.slot.put_detached(&object(&order.at)?)?,
        }
        let time_max = Duration::from_millis(ordered.definition.settings.check_time_max_ms);
        let inside = self.inside(&[])?;
        let mut measured = Vec::with_capacity(order.checks.len());
        for check in &order.checks {
            measured.push(self.check(check, &inside, time_max, host)?);
        }
        let difference = match order.purpose {
            Purpose::Candidate => Some(self.difference(ordered, &order.at)?),
            Purpose::Baseline | Purpose::Triage | Purpose::Task(_) => None,
        };
        let attempt = ordered.attempt;
        Ok(vec![Event::EvidenceMeasured { attempt, measured, difference }])
    }

    fn check(
        &self,
        check: &CheckOrder,
        inside: &Inside,
        time_max: Duration,
        host: &mut dyn Host,
    ) -> Result<Measured, Failed> {
        // Both streams in the order they were printed.
        let line = format!("exec 2>&1\n{}", check.command);
        let order = Order::shell(&line, self.slot.folder(), inside.environment.clone(), time_max);
        let supervision = Supervision {
            launcher: inside.launcher.clone(),
            log: None,
            total_bytes_max: limits::CHECK_OUTPUT_BYTES_MAX,
            grace: limits::TERMINATE_TIME_MAX,
        };
        let started = supervise::start(order, supervision, |group| host.spawned(recorded(group)));
        let running = match started {
            Ok(running) => running,
            Err(StartError::Spawn(SpawnError::Io { source, .. })) => {
                return Err(Failed::World(format!("{} cannot be started: {source}", check.name)));
            }
            Err(StartError::Spawn(error)) => return Ok(not_run(check, &error.to_string())),
            Err(StartError::NotRecorded(error)) => return Err(Failed::World(error.to_string())),
        };
        let mut output = Output::default();
        let mut is_cancelled = false;
        let exit = loop {
            match running.next(limits::TICK_TIME) {
                Some(supervise::Event::Line(line)) => output.add(&line.bytes),
                Some(supervise::Event::Exited(exit)) => break exit,
                None => {}
            }
            // Also for a check that never stops talking: requests to stop come in here.
            host.tick(None);
            if host.must_end() && !is_cancelled {
                is_cancelled = true;
                running.cancel(Grace::Given);
            }
        };
        if is_cancelled {
            return Err(Failed::Cancelled { rescue: None, spend: None });
        }
        Ok(output.measured(check, &exit))
    }
}

fn not_run(check: &CheckOrder, why: &str) -> Measured {
    Measured {
        check: check.name,
        command: shown(check),
        result: CheckResult::NotRun,
        took_ms: 0,
        output_hash: String::new(),
        tail: why.to_string(),
    }
}

/// Whatever is measured ends up in prompts and reports; a hidden check only says that there is one.
fn shown(check: &CheckOrder) -> String {
    if check.is_hidden { "(hidden)".to_string() } else { check.command.clone() }
}

/// What is kept of a check's output: a hash of all, and the end.
#[derive(Default)]
struct Output {
    hasher: Sha256,
    tail: std::collections::VecDeque<String>,
    tail_bytes: usize,
}

impl Output {
    fn add(&mut self, line: &[u8]) {
        self.hasher.update(line);
        self.hasher.update(b"\n");
        let text: String =
            String::from_utf8_lossy(line).chars().take(limits::TAIL_LINE_CHARS_MAX).collect();
        self.tail_bytes += text.len() + 1;
        self.tail.push_back(text);
        while self.tail.len() > limits::CHECK_TAIL_LINES_MAX
            || self.tail_bytes > limits::CHECK_TAIL_BYTES_MAX
        {
            let Some(gone) = self.tail.pop_front() else { break };
            self.tail_bytes -= gone.len() + 1;
        }
    }

    fn measured(self, check: &CheckOrder, exit: &Exit) -> Measured {
        let result = match &exit.outcome {
            Outcome::Exited(0) => CheckResult::Green,
            Outcome::Exited(code) => CheckResult::Red { exit: Some(*code) },
            Outcome::Signalled(_) | Outcome::TooMuchOutput => CheckResult::Red { exit: None },
            Outcome::TimedOut | Outcome::Cancelled => CheckResult::TimedOut,
            Outcome::CannotStart { .. } | Outcome::Lost { .. } => CheckResult::NotRun,
        };
        let lines: Vec<&str> = self.tail.iter().map(String::as_str).collect();
        Measured {
            check: check.name,
            command: shown(check),
            result,
            took_ms: u64::try_from(exit.took.as_millis()).unwrap_or(u64::MAX),
            output_hash: digest::text(&self.hasher.finalize()),
            tail: if check.is_hidden { String::new() } else { lines.join("\n") },
        }
    }
}
