//! What a simulation has seen, as a table. A row that stays empty means that a rule was never tried.

use std::fmt;

use autopilot_core::run::event::Event;
use autopilot_core::run::outcome::{Cap, Halt};
use autopilot_core::run::state::{RunState, RunStatus};

/// Everything that is counted besides events, by what it is about.
pub const ROWS: [(&str, &[&str]); 9] = [
    ("delegate", &["asked", "asked after a replan", "passed"]),
    ("breaker opened by", &["no progress", "same error", "lost"]),
    ("waits for", &["limit", "overload", "nothing: another agent goes on"]),
    (
        // Reviewers that are the same run as another cannot be had in this world.
        "rejected for",
        &[
            "independent review",
            "work that was there already",
            "evidence of the phase's kind",
            "judge's own evidence",
            "verifier's own evidence",
            "time of the verification",
            "reason to wait for a person",
            "need of a person",
            "blind review",
            "truth of what is claimed",
            "honesty of the change",
            "what work is measured by",
        ],
    ),
    (
        "warned of",
        &[
            "time of the phase",
            "verifier's own evidence",
            "time of the verification",
            "categories of failures",
            "truth of what is claimed",
            "footprint of the plan",
            "processes left running",
            "what was red before the run",
        ],
    ),
    (
        "verdict",
        &[
            "rollback",
            "fail",
            "defer",
            "debug",
            "pass",
            "pass incomplete",
            "pass judged",
            "pass unproven",
            "remediate",
            "replan",
        ],
    ),
    (
        "ending",
        &[
            "completed, exit 0",
            "completed, exit 1",
            "completed, exit 3",
            "completed, exit 5",
            "halted, phase failed",
            "halted, red before",
            "halted, engine failed",
            "halted, rolled back",
            "halted, run tokens",
            "halted, run time",
            "halted, retries",
            "halted, run cost",
            "paused, stopped",
            "paused, limit",
            "paused, not logged in",
            "paused, breaker",
        ],
    ),
    (
        "bound",
        &[
            "debug 3",
            "replan 1",
            "cycles 2",
            "plan rounds 3",
            "fixes 2",
            "step tries 2",
            "rejections 2",
            "phase tokens",
            "phase time",
        ],
    ),
    (
        "phase",
        &["passed", "failed", "blocked", "waits for a person", "passed with an earlier candidate"],
    ),
];

#[derive(Debug, Clone)]
pub struct Tally {
    pub runs: u64,
    pub phases: u64,
    /// Events that could not happen, all refused.
    pub forged: u64,
    /// Events of the longest run, disturbances left out.
    pub longest: usize,
    /// In the order of `Event::NAMES`.
    pub events: Vec<u64>,
    counts: Vec<Vec<u64>>,
}

impl Default for Tally {
    fn default() -> Self {
        let counts = ROWS.iter().map(|(_, rows)| vec![0; rows.len()]).collect();
        let events = vec![0; Event::NAMES.len()];
        Tally { runs: 0, phases: 0, forged: 0, longest: 0, events, counts }
    }
}

impl Tally {
    /// A row that is none of the table is not counted, so it shows as one that was never reached.
    pub fn count(&mut self, about: &str, row: &str) {
        for ((name, rows), counts) in ROWS.iter().zip(&mut self.counts) {
            let at = rows.iter().position(|known| *known == row).filter(|_| *name == about);
            if let Some(at) = at {
                counts[at] += 1;
            }
        }
    }

    pub(super) fn end(&mut self, state: &RunState) {
        self.runs += 1;
        self.phases += state.phases.len() as u64;
        let word = match &state.status {
            // A pause is counted when it happens; no run of a simulation ends with one.
            RunStatus::Running | RunStatus::Paused(_) => return,
            RunStatus::Halted(Halt::PhaseFailed { .. }) => "halted, phase failed",
            RunStatus::Halted(Halt::RedBaseline { .. }) => "halted, red before",
            RunStatus::Halted(Halt::EffectFailed { .. }) => "halted, engine failed",
            RunStatus::Halted(Halt::RolledBack { .. }) => "halted, rolled back",
            RunStatus::Halted(Halt::BudgetReached(reached)) => match reached.cap {
                Cap::RunTokens => "halted, run tokens",
                Cap::RunTime => "halted, run time",
                Cap::RunRetries => "halted, retries",
                Cap::RunCost => "halted, run cost",
                // A row that is none of the table shows as one that was never reached.
                Cap::PhaseTokens | Cap::PhaseTime => "halted, a phase's cap",
            },
            RunStatus::Completed(result) => match result.exit().code() {
                0 => "completed, exit 0",
                1 => "completed, exit 1",
                3 => "completed, exit 3",
                _ => "completed, exit 5",
            },
        };
        self.count("ending", word);
    }

    pub fn add(&mut self, other: &Tally) {
        self.runs += other.runs;
        self.phases += other.phases;
        self.forged += other.forged;
        self.longest = self.longest.max(other.longest);
        let sums = self.events.iter_mut().zip(&other.events);
        sums.for_each(|(sum, more)| *sum += more);
        let rows = self.counts.iter_mut().flatten().zip(other.counts.iter().flatten());
        rows.for_each(|(sum, more)| *sum += more);
    }

    pub fn events_in_all(&self) -> u64 {
        self.events.iter().sum()
    }

    /// Every row with its number.
    pub fn rows(&self) -> Vec<(String, u64)> {
        let events = Event::NAMES.iter().zip(&self.events);
        let events = events.map(|(name, count)| (format!("event {name}"), *count));
        let others = ROWS.iter().zip(&self.counts).flat_map(|((about, rows), counts)| {
            rows.iter().zip(counts).map(move |(row, count)| (format!("{about} {row}"), *count))
        });
        events.chain(others).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (row, count) in self.rows() {
            writeln!(f, "{count:>10}  {row}")?;
        }
        writeln!(f, "{:>10}  forged events, all refused", self.forged)?;
        let (runs, phases, events) = (self.runs, self.phases, self.events_in_all());
        let longest = self.longest;
        write!(f, "{runs} runs, {phases} phases, {events} events, at most {longest} in one run")
    }
}
