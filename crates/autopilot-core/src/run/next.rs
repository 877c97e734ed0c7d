//! What comes next, decided from the state and the moment alone. Every decision of a run is made here and in the files below it;
//! whoever performs has no choices left.

use crate::phase_id::PhaseId;
use crate::run::breaker;
use crate::run::definition::RunMode;
use crate::run::effect::{Effect, Measurement, Purpose};
use crate::run::event::{Event, StopRequest};
use crate::run::ids::Moment;
use crate::run::landing;
use crate::run::measured::reds;
use crate::run::outcome::{Halt, Passing, Pause, RunResult};
use crate::run::pipeline;
use crate::run::state::{PhaseState, PhaseStatus, RunState, RunStatus};
use crate::run::usage_limit::UsageLimit;
use crate::score::Score;

/// One step of the loop.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "made and taken apart at once, never kept in a list")]
pub enum Move {
    /// A decision: write it down and ask again.
    Record(Event),
    /// An order: write down that it starts, carry it out, write down what happened.
    Start(Effect),
    /// Nothing to decide before that moment, or until something under way ends.
    Wait { until: Option<Moment>, why: Waiting },
    /// The run stands still; its status says why.
    Done,
}

/// What a run waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// The end of what is under way.
    Attempt,
    /// An agent can be used again.
    Usage(UsageLimit),
    /// The cooldown of the breaker.
    Breaker,
}

pub fn next(state: &RunState, now: Moment) -> Move {
    if let Some(moved) = landing::by_hand(state) {
        return moved;
    }
    match decide(state, now) {
        Move::Start(effect) => {
            let held = breaker::before(state, &effect, now);
            held.unwrap_or(Move::Start(effect))
        }
        moved => moved,
    }
}

fn decide(state: &RunState, now: Moment) -> Move {
    if state.status != RunStatus::Running || !state.is_read {
        return Move::Done;
    }
    if state.in_flight.is_some() {
        return Move::Wait { until: None, why: Waiting::Attempt };
    }
    if state.stop.is_some() {
        return Move::Record(Event::RunPaused { why: Pause::Stopped });
    }
    if let Some(moved) = breaker::after_attempt(state) {
        return moved;
    }
    let Some(branch) = &state.branch else {
        return Move::Start(Effect::OpenRun { base: state.definition.base.clone() });
    };
    let Some(baseline) = &state.baseline else {
        return Move::Start(Effect::Measure(Measurement {
            phase: None,
            purpose: Purpose::Baseline,
            at: branch.head.clone(),
            snapshot: None,
            checks: state
                .project
                .as_ref()
                .map(|project| project.checks.clone())
                .unwrap_or_default(),
            laid_over: None,
        }));
    };
    let red = reds(baseline);
    if !red.is_empty() && !state.definition.settings.accepts_red {
        return Move::Record(Event::RunHalted { why: Halt::RedBaseline { checks: red } });
    }
    match state.running() {
        Some(phase) => pipeline::next(state, phase, now),
        None => between_phases(state),
    }
}

/// The next phase that can start, or the end of the run.
fn between_phases(state: &RunState) -> Move {
    if let Some(event) = state.stamps.due() {
        return Move::Record(event);
    }
    if let Some(moved) = landing::in_place(state) {
        return moved;
    }
    if let Some(halt) = halting_failure(state) {
        return Move::Record(Event::RunHalted { why: halt });
    }
    let waiting = state.phases.iter().filter(|phase| phase.status == PhaseStatus::Waiting);
    for phase in waiting {
        match obstacle(state, phase) {
            None => return Move::Record(Event::PhaseStarted { phase: id(phase) }),
            Some(Obstacle::For(reason)) => {
                return Move::Record(Event::PhaseSkipped { phase: id(phase), reason });
            }
            // In schedule order whatever it waits for stands before it and is over by now.
            Some(Obstacle::ForNow) => {}
        }
    }
    if let Some(moved) = landing::at_end(state) {
        return moved;
    }
    if state.report.is_none() {
        return Move::Start(Effect::Report);
    }
    Move::Record(Event::RunCompleted { result: result(state) })
}

fn id(phase: &PhaseState) -> PhaseId {
    phase.definition.id.clone()
}

enum Obstacle {
    For(String),
    ForNow,
}

fn obstacle(state: &RunState, phase: &PhaseState) -> Option<Obstacle> {
    for dependency in &phase.definition.depends_on {
        match state.phase(dependency).map(|phase| &phase.status) {
            Some(PhaseStatus::Passed(_)) => {}
            Some(PhaseStatus::Failed(_) | PhaseStatus::Skipped { .. }) | None => {
                return Some(Obstacle::For(format!("blocked_by_phase_{dependency}")));
            }
            Some(PhaseStatus::Deferred { .. }) => {
                return Some(Obstacle::For(format!("blocked_by_phase_{dependency} (verdict)")));
            }
            Some(PhaseStatus::Waiting | PhaseStatus::Running) => return Some(Obstacle::ForNow),
        }
    }
    None
}

/// Without `--complete` a failure that others depend on ends the run. A phase that failed again after a resume only blocks what
/// depends on it (RES-1).
fn halting_failure(state: &RunState) -> Option<Halt> {
    let failed_first =
        |phase: &&PhaseState| matches!(phase.status, PhaseStatus::Failed(_)) && phase.failures == 1;
    for phase in state.phases.iter().filter(failed_first) {
        if phase.work_summary().is_some_and(|summary| summary.is_rolled_back) {
            return Some(Halt::RolledBack { phase: id(phase) });
        }
        if state.definition.mode == RunMode::Complete {
            continue;
        }
        let blocks = state.dependents(&phase.definition.id);
        if !blocks.is_empty() {
            let blocks = blocks.into_iter().cloned().collect();
            return Some(Halt::PhaseFailed { phase: id(phase), blocks });
        }
    }
    None
}

/// Counts how the phases ended.
pub fn result(state: &RunState) -> RunResult {
    let mut result = RunResult::default();
    let mut scores: Vec<Score> = Vec::new();
    for phase in &state.phases {
        match &phase.status {
            PhaseStatus::Passed(passed) => {
                result.passed += 1;
                scores.extend(passed.score);
                let falls_short = match passed.how {
                    Passing::Proven => false,
                    Passing::ForceIncomplete | Passing::Unproven => true,
                    Passing::Judged => !state.definition.settings.accepts_judged,
                };
                result.short_of_the_gate += u32::from(falls_short);
            }
            PhaseStatus::Failed(_) => result.failed += 1,
            PhaseStatus::Skipped { .. } => result.skipped += 1,
            PhaseStatus::Deferred { .. } => result.deferred += 1,
            PhaseStatus::Waiting | PhaseStatus::Running => {}
        }
    }
    result.average = Score::mean(&scores);
    result
}

/// Whether a request to stop also ends what is under way.
pub fn must_cancel(state: &RunState) -> bool {
    state.in_flight.is_some() && state.stop == Some(StopRequest::Now)
}
