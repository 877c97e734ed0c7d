//! Events that cannot have happened in a state: the last one once more, answers nobody waits for, decisions nobody may make now.

use autopilot_core::contract::Category;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::event::Event;
use autopilot_core::run::gate::Verdict;
use autopilot_core::run::ids::AttemptId;
use autopilot_core::run::outcome::{Halt, Passing, PhaseFailure, PhaseResult, RunResult};
use autopilot_core::run::state::{PhaseState, PhaseStatus, RunState};

use super::chance::Chance;

/// An event and why it cannot have happened; none where the one that was thought of could have.
pub fn event(state: &RunState, last: &Event, chance: &mut Chance) -> Option<(&'static str, Event)> {
    match chance.below(8) {
        0..=2 => again(last).map(|event| ("the same event twice", event)),
        3 => {
            let attempt = AttemptId(state.attempts + 1);
            Some(("no such attempt", Event::AttemptLost { attempt, spend: None }))
        }
        4 => finished_early(state).map(|event| ("the phase is not merged", event)),
        5 => started_early(state).map(|event| ("a dependency has not passed", event)),
        6 => in_between(state).map(|event| ("an attempt is under way", event)),
        _ => {
            let is_open = state.phases.iter().any(|phase| !phase.status.is_over());
            let result = RunResult::default();
            is_open.then_some(("a phase is open", Event::RunCompleted { result }))
        }
    }
}

/// A second wish to stop or for more, a second start and a second program of the same attempt are nothing odd.
fn again(last: &Event) -> Option<Event> {
    let may_repeat = matches!(
        last,
        Event::RunResumed { .. }
            | Event::StopRequested { .. }
            | Event::AddRequested { .. }
            | Event::AttemptSpawned { .. }
            | Event::AttemptQuiet { .. }
    );
    (!may_repeat).then(|| last.clone())
}

fn finished_early(state: &RunState) -> Option<Event> {
    let is_open = |phase: &&PhaseState| {
        !phase.status.is_over() && phase.work.as_ref().is_none_or(|work| work.merged.is_none())
    };
    let phase = state.phases.iter().find(is_open)?.definition.id.clone();
    let result = PhaseResult {
        score: None,
        how: Passing::Proven,
        commit: state.definition.base.clone(),
        criteria: Default::default(),
        score_history: Vec::new(),
    };
    Some(Event::PhaseCompleted { phase, result })
}

fn started_early(state: &RunState) -> Option<Event> {
    let has_passed = |id: &PhaseId| {
        state.phase(id).is_some_and(|phase| matches!(phase.status, PhaseStatus::Passed(_)))
    };
    let is_blocked = |phase: &&PhaseState| {
        phase.status == PhaseStatus::Waiting && !phase.definition.depends_on.iter().all(has_passed)
    };
    let phase = state.phases.iter().find(is_blocked)?.definition.id.clone();
    Some(Event::PhaseStarted { phase })
}

fn in_between(state: &RunState) -> Option<Event> {
    let attempt = state.in_flight.as_ref()?.attempt;
    let phase = state.running()?.definition.id.clone();
    Some(match attempt.0 % 4 {
        0 => Event::VerdictReached { phase, verdict: Verdict::Pass { how: Passing::Proven } },
        1 => Event::PhaseFailed {
            phase,
            failure: PhaseFailure {
                category: Category::ToolFailure,
                step: String::new(),
                reason: String::new(),
            },
        },
        2 => Event::RunHalted { why: Halt::RolledBack { phase } },
        _ => Event::DebugAttempt { phase, attempt: 1 },
    })
}
