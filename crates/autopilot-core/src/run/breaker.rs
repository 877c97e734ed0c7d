//! The circuit breaker: stops a run that goes nowhere (CB-1). Closed, it counts; open, nothing starts until the cooldown is over;
//! half open, one attempt decides whether it closes or the run pauses.

use serde::{Deserialize, Serialize};

use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::effect::{AgentOrder, Effect};
use crate::run::event::{AgentWork, Event};
use crate::run::ids::{Moment, TaskId};
use crate::run::measured::Measured;
use crate::run::next::{Move, Waiting};
use crate::run::outcome::Pause;
use crate::run::signature::Signature;
use crate::run::state::RunState;
use crate::run::work::Work;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Breaker {
    #[default]
    Closed,
    Open {
        why: Trip,
        until: Moment,
    },
    /// `outcome` is what became of the one attempt.
    HalfOpen {
        why: Trip,
        outcome: Option<Tried>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried {
    Succeeded,
    Failed,
}

/// What opened it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Trip {
    /// Attempts in a row after which no commit, artefact or check was another.
    NoProgress {
        attempts: u32,
    },
    SameError {
        times: u32,
        error: String,
    },
    /// autopilot died that often in a row in the same step (STATE-3).
    Lost {
        step: String,
        attempts: u32,
    },
}

/// What a phase has counted since something last went well.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    pub no_progress: u32,
    pub same_error: u32,
    pub last_error: Option<Signature>,
    /// An attempt has one error, whether it says so itself or checks do afterwards.
    has_error: bool,
}

/// A step in which autopilot died, and how often in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostStep {
    phase: Option<PhaseId>,
    step: &'static str,
    task: Option<TaskId>,
    count: u32,
}

impl LostStep {
    fn is(&self, effect: &Effect) -> bool {
        self.phase.as_ref() == effect.phase()
            && self.step == effect.step()
            && self.task.as_ref() == effect.task()
    }
}

impl Counters {
    fn erred(&mut self, error: Signature) {
        let is_same = self.last_error.as_ref().is_some_and(|last| last.is_same(&error));
        self.same_error = if is_same { self.same_error.saturating_add(1) } else { 1 };
        self.last_error = Some(error);
        self.has_error = true;
    }

    pub(super) fn forget_error(&mut self) {
        self.same_error = 0;
        self.last_error = None;
    }

    fn progressed(&mut self, is_progress: bool) {
        self.no_progress = if is_progress { 0 } else { self.no_progress.saturating_add(1) };
    }
}

/// An agent's attempt ended; `failure` in its own words.
pub(super) fn agent_ended(
    counters: &mut Counters,
    order: &AgentOrder,
    used: &AgentWork,
    failure: Option<&str>,
) {
    let snapshot = used.changed.as_ref().map(|changed| &changed.snapshot);
    let has_changed = snapshot.is_some() && snapshot != order.snapshot.as_ref();
    // Whoever only reads leaves its return behind: a report.
    let has_returned = failure.is_none() && order.task.is_none();
    counters.progressed(has_changed || has_returned || !used.kept.is_empty());
    counters.has_error = false;
    if let Some(words) = failure {
        counters.erred(Signature::of(words));
    }
}

/// Checks were run after an attempt. `has_changed` when one of them is not as it was seen last.
pub(super) fn measured(counters: &mut Counters, red: &[&Measured], has_changed: bool) {
    if has_changed {
        counters.no_progress = 0;
    }
    if !red.is_empty() && !counters.has_error {
        counters.erred(Signature::of_red(red));
    }
}

/// An attempt was lost.
pub(super) fn lost(run: &mut RunState, effect: &Effect, before: Option<LostStep>) {
    let count = before.filter(|lost| lost.is(effect)).map_or(0, |lost| lost.count) + 1;
    let (phase, task) = (effect.phase().cloned(), effect.task().cloned());
    run.lost = Some(LostStep { phase, step: effect.step(), task, count });
    if count >= limits::LOST_IN_A_ROW_MAX {
        tried(run, Tried::Failed);
    }
}

/// An attempt ended that was not lost. What it means while the breaker is half open: that autopilot lived through it is all that was
/// asked where it died before; for the rest only agents count.
pub(super) fn attempt_ended(run: &mut RunState, agents: Option<Tried>) {
    let outcome = match &run.breaker {
        Breaker::HalfOpen { why: Trip::Lost { .. }, .. } => Some(Tried::Succeeded),
        Breaker::HalfOpen { .. } | Breaker::Open { .. } | Breaker::Closed => agents,
    };
    if let Some(outcome) = outcome {
        tried(run, outcome);
    }
}

fn tried(run: &mut RunState, how: Tried) {
    if let Breaker::HalfOpen { outcome, .. } = &mut run.breaker {
        *outcome = Some(how);
    }
}

/// Once the one attempt has ended.
pub(super) fn after_attempt(run: &RunState) -> Option<Move> {
    let Breaker::HalfOpen { outcome: Some(outcome), why } = &run.breaker else { return None };
    Some(Move::Record(match outcome {
        Tried::Succeeded => Event::CircuitBreakerClosed,
        Tried::Failed => Event::RunPaused { why: Pause::Breaker { trip: why.clone() } },
    }))
}

/// Instead of starting this; None when it may be started.
pub(super) fn before(run: &RunState, effect: &Effect, now: Moment) -> Option<Move> {
    match &run.breaker {
        Breaker::Closed => {
            let why = tripped(run, effect)?;
            let until = Moment(now.0.saturating_add(run.definition.settings.cooldown_ms));
            Some(Move::Record(Event::CircuitBreakerOpened { why, until }))
        }
        Breaker::Open { until, .. } if now < *until => {
            Some(Move::Wait { until: Some(*until), why: Waiting::Breaker })
        }
        Breaker::Open { .. } => Some(Move::Record(Event::CircuitBreakerHalfOpened)),
        Breaker::HalfOpen { .. } => None,
    }
}

fn tripped(run: &RunState, effect: &Effect) -> Option<Trip> {
    if let Some(lost) = run.lost.as_ref().filter(|lost| lost.count >= limits::LOST_IN_A_ROW_MAX)
        && lost.is(effect)
    {
        return Some(Trip::Lost { step: lost.step.to_string(), attempts: lost.count });
    }
    let Effect::RunAgent(order) = effect else { return None };
    let counters = &run.phase(&order.phase)?.work.as_ref()?.counters;
    let settings = &run.definition.settings;
    if counters.same_error >= settings.same_error_max {
        let error = counters.last_error.as_ref().map(|last| last.words.clone());
        let (times, error) = (counters.same_error, error.unwrap_or_default());
        return Some(Trip::SameError { times, error });
    }
    (counters.no_progress >= settings.no_progress_max)
        .then_some(Trip::NoProgress { attempts: counters.no_progress })
}

/// An event about the breaker itself.
pub(super) fn change(run: &mut RunState, event: &Event) -> Result<(), String> {
    run.breaker = match (event, std::mem::take(&mut run.breaker)) {
        (Event::CircuitBreakerOpened { why, until }, Breaker::Closed) => {
            Breaker::Open { why: why.clone(), until: *until }
        }
        (Event::CircuitBreakerHalfOpened, Breaker::Open { why, .. }) => {
            Breaker::HalfOpen { why, outcome: None }
        }
        (
            Event::CircuitBreakerClosed,
            Breaker::HalfOpen { outcome: Some(Tried::Succeeded), .. },
        ) => {
            let works = run.phases.iter_mut().filter_map(|phase| phase.work.as_mut());
            works.for_each(|work: &mut Box<Work>| work.counters = Counters::default());
            Breaker::Closed
        }
        (_, breaker) => return Err(format!("the breaker is {}", word(&breaker))),
    };
    Ok(())
}

/// The run paused because of the breaker is given one more attempt by whoever resumes it (RES-1).
pub(super) fn resumed(run: &mut RunState, pause: &Pause) {
    if let (Pause::Breaker { .. }, Breaker::HalfOpen { outcome, .. }) = (pause, &mut run.breaker) {
        *outcome = None;
    }
}

/// The word of the sources.
pub fn word(breaker: &Breaker) -> &'static str {
    match breaker {
        Breaker::Closed => "closed",
        Breaker::Open { .. } => "open",
        Breaker::HalfOpen { .. } => "half_open",
    }
}

impl Trip {
    /// For people.
    pub fn words(&self) -> String {
        match self {
            Trip::NoProgress { attempts } => {
                format!("{attempts} attempts in a row changed nothing")
            }
            Trip::SameError { times, error } => {
                format!("the same error came {times} times in a row: {error}")
            }
            Trip::Lost { step, attempts } => {
                format!("autopilot died {attempts} times in a row in the step {step}")
            }
        }
    }
}

#[cfg(test)]
#[path = "breaker_tests.rs"]
mod tests;
