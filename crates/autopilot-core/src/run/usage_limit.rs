//! What is done when no agent can be used: a usage limit or an overload is waited for, at most so long; a missing login and a limit
//! without a known end pause the run (BUD-3). None of it spends a retry.

use serde::{Deserialize, Serialize};

use crate::limits;
use crate::run::event::{Event, Failure};
use crate::run::ids::Moment;
use crate::run::next::{Move, Waiting};
use crate::run::outcome::Pause;
use crate::run::state::RunState;

/// Why no agent can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    Limit { resets_at: Option<Moment> },
    Overload,
    NotLoggedIn,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsageLimit {
    Limit,
    Overload,
}

/// Attempts in a row that met an obstacle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstructed {
    pub last: Obstacle,
    pub times: u32,
    /// All waits of the row together.
    pub waits_ms: u64,
    /// None until it is decided how long to wait.
    pub until: Option<Moment>,
}

impl Obstacle {
    pub(super) fn of(failure: &Failure) -> Option<Obstacle> {
        match failure {
            Failure::LimitReached { resets_at } => {
                Some(Obstacle::Limit { resets_at: resets_at.map(Moment) })
            }
            Failure::Overloaded => Some(Obstacle::Overload),
            Failure::NotLoggedIn => Some(Obstacle::NotLoggedIn),
            Failure::ContractBroken { .. }
            | Failure::Crashed { .. }
            | Failure::TimedOut
            | Failure::Stalled
            | Failure::Refused { .. }
            | Failure::AllowanceUsed
            | Failure::TooMuchOutput
            | Failure::Asked { .. } => None,
        }
    }
}

impl Obstructed {
    pub(super) fn again(before: Option<&Obstructed>, obstacle: Obstacle) -> Obstructed {
        let (times, waits_ms) = before.map_or((0, 0), |before| (before.times, before.waits_ms));
        Obstructed { last: obstacle, times: times.saturating_add(1), waits_ms, until: None }
    }

    /// Each wait of a row is at least twice as long as the one before, so that a limit whose reset is told wrong is not run into
    /// again and again.
    fn least_wait_ms(&self) -> u64 {
        let doublings = self.times.saturating_sub(1).min(u64::BITS / 2);
        limits::USAGE_WAIT_MIN_MS.saturating_mul(1 << doublings)
    }
}

/// Instead of starting an agent; None when one can be started.
pub(super) fn before_agent(run: &RunState, now: Moment) -> Option<Move> {
    let held = run.obstructed.as_ref()?;
    let (limit, resets_at) = match held.last {
        Obstacle::NotLoggedIn => {
            return Some(Move::Record(Event::RunPaused { why: Pause::NotLoggedIn }));
        }
        Obstacle::Limit { resets_at } => (UsageLimit::Limit, resets_at),
        Obstacle::Overload => (UsageLimit::Overload, Some(now)),
    };
    if let Some(until) = held.until {
        return (now < until)
            .then_some(Move::Wait { until: Some(until), why: Waiting::Usage(limit) });
    }
    let least = Moment(now.0.saturating_add(held.least_wait_ms()));
    let until = resets_at.map(|at| at.max(least));
    let is_near = |until: &Moment| {
        let wait_ms = until.milliseconds_since(now);
        held.waits_ms.saturating_add(wait_ms) <= limits::USAGE_WAIT_MAX_MS
    };
    Some(Move::Record(match until.filter(is_near) {
        Some(until) => Event::LimitReached { limit, until },
        None => {
            let resets_at = match held.last {
                Obstacle::Limit { resets_at } => resets_at.map(|at| at.0),
                Obstacle::Overload | Obstacle::NotLoggedIn => None,
            };
            Event::RunPaused { why: Pause::Limit { resets_at } }
        }
    }))
}

/// It was decided to wait.
pub(super) fn wait(run: &mut RunState, until: Moment, at: Moment) -> Result<(), String> {
    let held = run.obstructed.as_mut().filter(|held| held.until.is_none());
    let held = held.ok_or("no agent has met a limit")?;
    held.until = Some(until);
    held.waits_ms = held.waits_ms.saturating_add(until.milliseconds_since(at));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wait_of_a_row_is_twice_the_one_before_however_long_the_row() {
        let check = |times: u32, factor: u64| {
            let held = Obstructed { last: Obstacle::Overload, times, waits_ms: 0, until: None };
            assert_eq!(held.least_wait_ms(), limits::USAGE_WAIT_MIN_MS * factor, "{times}");
        };
        check(1, 1);
        check(2, 2);
        check(5, 16);
        check(u32::MAX, 1 << 32);
    }
}
