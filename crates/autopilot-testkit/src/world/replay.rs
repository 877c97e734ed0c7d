//! What must hold for every prefix of a journal: its fold leads to the event that follows, and a run that died there ends as the
//! unbroken one did.

use autopilot_core::run::definition::RunMode;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::{Commit, Moment};
use autopilot_core::run::replay::replay;
use autopilot_core::run::state::{PhaseStatus, RunState, RunStatus};
use autopilot_core::run::work_summary::WorkSummary;
use autopilot_core::score::Score;

use super::Script;
use super::drive::{Drive, Trouble};

/// How a run ended, as far as a kill must not change it: verdicts, scores, commits. Attempts and spending may differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    pub mode: RunMode,
    pub status: RunStatus,
    pub head: Option<Commit>,
    pub phases: Vec<PhaseEnding>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PhaseEnding {
    pub status: PhaseStatus,
    pub scores: Vec<Score>,
    pub debug_attempts: u32,
    pub replan_attempts: u32,
    pub remediation_cycles: u32,
    pub plan_rounds: u32,
}

pub fn ending(state: &RunState) -> Ending {
    let phases = state.phases.iter().map(|phase| {
        let summary = phase.work_summary();
        let count = |of: fn(&WorkSummary) -> u32| summary.as_deref().map_or(0, of);
        PhaseEnding {
            status: phase.status.clone(),
            scores: summary.iter().flat_map(|summary| summary.scores.clone()).collect(),
            debug_attempts: count(|summary| summary.debug_attempts),
            replan_attempts: count(|summary| summary.replan_attempts),
            remediation_cycles: count(|summary| summary.remediation_cycles),
            plan_rounds: count(|summary| summary.plan_rounds),
        }
    });
    Ending {
        mode: state.definition.mode,
        status: state.status.clone(),
        head: state.branch.as_ref().map(|branch| branch.head.clone()),
        phases: phases.collect(),
    }
}

/// How the run ends that died after the first `kept` events of a journal and was started again in the same world.
pub fn ending_after_kill(
    script: &impl Script,
    opening: &[Event],
    (journal, times): (&[Event], &[Moment]),
    kept: usize,
    events_max: usize,
) -> Result<Option<Ending>, Trouble> {
    let mut drive = Drive::open(script, opening, &journal[..kept], &times[..kept])?;
    drive.recover()?;
    drive.finish(events_max)?;
    Ok(drive.state().map(ending))
}

/// The first place where the fold of what went before does not lead to the event that follows. Events from outside (a stop, a
/// kill, a new start, an answer of the world) are not the rules' to foresee; an answer has to be about what is under way.
pub fn unforeseen(journal: &[Event], times: &[Moment]) -> Option<String> {
    let replayed = replay(times.iter().copied().zip(journal));
    let first = replayed.differences.first();
    first.map(|it| format!("event {}: {} was to follow, and there is {it:?}", it.number, it.today))
}
