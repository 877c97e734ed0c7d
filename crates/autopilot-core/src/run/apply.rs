//! Folds one event into the state, and refuses what cannot have happened: a journal that says so was not written by this
//! program, or this program has a bug. Either way nothing is built on it.

use crate::phase_id::PhaseId;
use crate::run::addition;
use crate::run::apply_checked;
use crate::run::apply_decided;
use crate::run::apply_work::finish_attempt;
use crate::run::breaker;
use crate::run::cut_off;
use crate::run::definition::PhaseDefinition;
use crate::run::effect::Effect;
use crate::run::event::Event;
use crate::run::fencing;
use crate::run::ids::{AttemptId, Moment};
use crate::run::landing::{self, change as land};
use crate::run::outcome::{Halt, Pause};
use crate::run::quiet;
use crate::run::state::{
    BatchReport, InFlight, PhaseState, PhaseStatus, RunBranch, RunState, RunStatus,
};
use crate::run::usage_limit;
use crate::run::usage_limit::Obstacles;
use crate::run::work::Work;

/// An event that does not fit the state it meets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {number} ({event}) cannot have happened: {why}")]
pub struct Illegal {
    pub number: u64,
    pub event: String,
    pub why: String,
}

/// The first event of a run makes its state, every other one changes it.
pub fn apply(state: Option<RunState>, event: &Event, at: Moment) -> Result<RunState, Illegal> {
    match (state, event) {
        (None, Event::RunStarted { definition }) => Ok(RunState::begin(definition.clone(), at)),
        (None, event) => Err(Illegal {
            number: 0,
            event: event.name().to_string(),
            why: "a run begins with run_started".to_string(),
        }),
        (Some(mut state), event) => {
            let number = state.events;
            pass_time(&mut state, event, at);
            change(&mut state, event, at).map_err(|why| Illegal {
                number,
                event: event.name().to_string(),
                why,
            })?;
            state.events += 1;
            state.last_at = state.last_at.max(at);
            Ok(state)
        }
    }
}

/// Whatever passed until a run was taken up again was no running time. Of a dead run only its last event is known: how long it
/// lived after it is not, and is not counted.
fn pass_time(state: &mut RunState, event: &Event, at: Moment) {
    let gap = at.milliseconds_since(state.last_at);
    let is_taken_up = matches!(event, Event::AttemptLost { .. } | Event::RunResumed { .. });
    if is_taken_up || state.status != RunStatus::Running {
        state.clock.stood_ms = state.clock.stood_ms.saturating_add(gap);
    } else {
        let waited_ms = state.waits_ms(at);
        state.clock.waited_ms = state.clock.waited_ms.saturating_add(waited_ms);
    }
}

type Refusal = String;

fn change(state: &mut RunState, event: &Event, at: Moment) -> Result<(), Refusal> {
    refuse_if_still(state, event)?;
    match event {
        Event::RunStarted { .. } | Event::ProjectRead { .. } => change_run(state, event),
        Event::PhaseRead { .. } | Event::RunResumed { .. } => change_run(state, event),
        Event::RunPaused { .. } | Event::RunHalted { .. } => change_run(state, event),
        Event::RunCompleted { .. } | Event::StopRequested { .. } => change_run(state, event),
        Event::AddRequested { .. } | Event::PhaseAdded { .. } => addition::change(state, event),
        Event::MergeRequested { .. } | Event::RollbackInitiated { .. } => land(state, event),
        Event::RunMerged { .. } | Event::MergeRefused { .. } => land(state, event),
        Event::RollbackCompleted { .. } | Event::RollbackRefused { .. } => land(state, event),
        Event::LimitReached { .. } | Event::AgentSwitched { .. } => hold_up(state, event, at),
        Event::CircuitBreakerOpened { .. } => hold_up(state, event, at),
        Event::CircuitBreakerHalfOpened | Event::CircuitBreakerClosed => hold_up(state, event, at),
        Event::StepStarted { .. }
        | Event::AttemptSpawned { .. }
        | Event::AttemptLost { .. }
        | Event::AttemptCancelled { .. }
        | Event::RunOpened { .. }
        | Event::BatchCompletionReport { .. }
        | Event::ReportWritten { .. } => change_attempt(state, event, at),
        Event::AttemptQuiet { attempt, quiet } => quiet::note(state, *attempt, *quiet, at),
        Event::PhaseStarted { phase } => start_phase(state, phase, at),
        Event::PhaseSkipped { phase, reason } => skip_phase(state, phase, reason),
        Event::StepCompleted { attempt, .. }
        | Event::StepFailed { attempt, .. }
        | Event::PhaseOpened { attempt, .. }
        | Event::EvidenceMeasured { attempt, .. }
        | Event::PlacesLookedUp { attempt, .. }
        | Event::TaskPlanned { attempt, .. }
        | Event::PlanRead { attempt, .. }
        | Event::TaskCompleted { attempt, .. }
        | Event::RolledBack { attempt, .. }
        | Event::PhaseMerged { attempt, .. }
        | Event::ConfidenceDiagnosticWritten { attempt, .. }
        | Event::EffectFailed { attempt, .. } => finish_attempt(state, *attempt, event),
        Event::ReturnRejected { .. }
        | Event::IntegrityWarning { .. }
        | Event::UnnecessaryDeferralWarning { .. }
        | Event::CrossContaminationWarning { .. }
        | Event::RubberStampWarning { .. }
        | Event::RubberStampEnhanced { .. }
        | Event::RubberStampCritical { .. } => apply_checked::change(state, event),
        Event::StepSkipped { phase, .. }
        | Event::PhaseDelegated { phase, .. }
        | Event::PlanSentBack { phase, .. }
        | Event::CriteriaAdopted { phase, .. }
        | Event::TaskRetried { phase, .. }
        | Event::TaskFailed { phase, .. }
        | Event::TaskSkipped { phase, .. }
        | Event::VerdictReached { phase, .. }
        | Event::DebugAttempt { phase, .. }
        | Event::ReplanAttempt { phase, .. }
        | Event::RemediationStarted { phase, .. }
        | Event::PhaseCompleted { phase, .. }
        | Event::PhaseFailed { phase, .. }
        | Event::PhaseDeferred { phase, .. } => apply_decided::decided(state, phase, event),
    }
}

fn refuse_if_still(state: &RunState, event: &Event) -> Result<(), Refusal> {
    if landing::is_by_hand(state, event) {
        return Ok(());
    }
    refuse_if(matches!(state.status, RunStatus::Completed(_)), "the run is over")?;
    // A run that stands still goes on only when somebody says so.
    let stands = state.status != RunStatus::Running;
    refuse_if(stands && !comes_from_outside(event), "the run stands still")
}

/// Somebody's wish, not a decision of the rules.
pub(super) fn comes_from_outside(event: &Event) -> bool {
    matches!(
        event,
        Event::RunResumed { .. }
            | Event::StopRequested { .. }
            | Event::AddRequested { .. }
            | Event::PhaseAdded { .. }
            | Event::MergeRequested { .. }
            | Event::RollbackInitiated { .. }
    )
}

fn hold_up(state: &mut RunState, event: &Event, at: Moment) -> Result<(), Refusal> {
    refuse_if(state.in_flight.is_some(), UNDER_WAY)?;
    match event {
        Event::LimitReached { limit, until } => usage_limit::wait(state, (*limit, *until), at),
        Event::AgentSwitched { from, to, until } => usage_limit::switch(state, (from, to), *until),
        _ => breaker::change(state, event),
    }
}

fn change_run(state: &mut RunState, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::ProjectRead { project } => {
            refuse_if(state.project.is_some(), "the project was read already")?;
            state.project = Some(project.clone());
        }
        Event::PhaseRead { phase, is_last } => {
            read_phase(state, phase)?;
            state.is_read = *is_last;
        }
        Event::RunResumed { caps, agent, fencing, .. } => {
            // Nothing would ever end it: whoever goes on has to say first what became of it.
            refuse_if(state.in_flight.is_some(), UNDER_WAY)?;
            if let Some(caps) = caps {
                state.definition.settings.set_caps(caps);
            }
            if let Some(agent) = agent {
                state.definition.agent = (**agent).clone();
            }
            if let Some(fencing) = fencing {
                fencing::take_up(state, fencing);
            }
            take_up(state);
        }
        Event::RunPaused { why } => {
            refuse_if(state.in_flight.is_some(), UNDER_WAY)?;
            state.status = RunStatus::Paused(why.clone());
        }
        Event::RunHalted { why } => {
            refuse_if(state.in_flight.is_some(), UNDER_WAY)?;
            state.status = RunStatus::Halted(why.clone());
        }
        Event::RunCompleted { result } => {
            refuse_if(state.in_flight.is_some(), UNDER_WAY)?;
            let is_open = |phase: &PhaseState| !phase.status.is_over();
            refuse_if(state.phases.iter().any(is_open), "a phase is not over")?;
            state.status = RunStatus::Completed(result.clone());
        }
        Event::StopRequested { how } => state.stop = Some(*how),
        Event::RunStarted { definition } => {
            return Err(format!("run {} started already", definition.run));
        }
        _ => return Err("it is not about the run".to_string()),
    }
    Ok(())
}

/// A halted run is taken up where it can go on: a failed phase is tried once more, a red baseline is measured again (RES-1).
fn take_up(state: &mut RunState) {
    if let RunStatus::Paused(why) = &state.status {
        let why = why.clone();
        breaker::resumed(state, &why);
        match why {
            // Whoever resumes says that it can be tried again.
            Pause::Limit { .. } | Pause::NotLoggedIn => state.obstacles = Obstacles::default(),
            Pause::Stopped | Pause::Breaker { .. } => {}
        }
    }
    if let RunStatus::Halted(why) = &state.status {
        if matches!(why, Halt::RedBaseline { .. }) {
            state.baseline = None;
        }
        for phase in &mut state.phases {
            if matches!(phase.status, PhaseStatus::Failed(_)) {
                phase.begin_again();
            }
        }
    }
    state.status = RunStatus::Running;
    state.stop = None;
}

fn read_phase(state: &mut RunState, phase: &PhaseDefinition) -> Result<(), Refusal> {
    refuse_if(state.project.is_none(), "no project was read yet")?;
    refuse_if(state.is_read, "all phases were read already")?;
    refuse_if(state.phase(&phase.id).is_some(), "the phase was read already")?;
    let known = |id: &PhaseId| state.phase(id).is_some();
    refuse_if(!phase.depends_on.iter().all(known), "it depends on a later phase")?;
    state.add_phase(phase.clone());
    Ok(())
}

fn change_attempt(state: &mut RunState, event: &Event, at: Moment) -> Result<(), Refusal> {
    match event {
        Event::StepStarted { attempt, effect } => {
            refuse_if(!state.is_read, "the project is not read")?;
            refuse_if(state.in_flight.is_some(), UNDER_WAY)?;
            refuse_if(attempt.0 != state.attempts + 1, "attempts are counted one by one")?;
            let running = state.running().map(|phase| &phase.definition.id);
            let is_elsewhere = effect.phase().is_some_and(|phase| Some(phase) != running);
            refuse_if(is_elsewhere, "its phase is not being worked on")?;
            state.attempts = attempt.0;
            state.in_flight = Some(InFlight {
                attempt: *attempt,
                effect: effect.clone(),
                started_at: at,
                group: None,
                quiet: None,
                tasks: Vec::new(),
            });
        }
        Event::AttemptSpawned { attempt, group } => {
            let under_way = state.in_flight.as_mut().filter(|one| one.attempt == *attempt);
            let under_way = under_way.ok_or_else(|| not_under_way(*attempt))?;
            under_way.group = Some(group.clone());
        }
        Event::AttemptLost { attempt, spend } => {
            let before = state.lost.clone();
            let lost = cut_off::take(state, *attempt, spend.as_ref())?;
            breaker::lost(state, &lost.effect, before);
        }
        Event::AttemptCancelled { attempt, spend, .. } => {
            cut_off::take(state, *attempt, spend.as_ref())?;
        }
        Event::RunOpened { attempt, branch, commit, .. } => {
            take_in_flight(state, *attempt)?;
            open_run(state, RunBranch { name: branch.clone(), head: commit.clone() })?;
        }
        Event::BatchCompletionReport { attempt, path, percent } => {
            let is_report =
                |one: &&InFlight| one.attempt == *attempt && matches!(one.effect, Effect::Report);
            let under_way = state.in_flight.as_ref().filter(is_report);
            refuse_if(under_way.is_none(), "no report is being written")?;
            let before = state.batch.as_ref().map(|batch| batch.attempt);
            refuse_if(before == Some(*attempt), "it was written already")?;
            let (attempt, path, percent) = (*attempt, path.clone(), *percent);
            state.batch = Some(BatchReport { attempt, path, percent });
        }
        Event::ReportWritten { attempt, path, trend } => {
            take_in_flight(state, *attempt)?;
            breaker::attempt_ended(state, None);
            // One that a phase was added to meanwhile is not the last.
            let is_whole = state.phases.iter().all(|phase| phase.status.is_over());
            state.report = is_whole.then(|| path.clone());
            state.trend.clone_from(trend);
        }
        _ => return Err("it is not about an attempt".to_string()),
    }
    Ok(())
}

fn open_run(state: &mut RunState, branch: RunBranch) -> Result<(), Refusal> {
    breaker::attempt_ended(state, None);
    refuse_if(state.branch.is_some(), "the run's branch exists")?;
    state.landing.opened = Some(branch.head.clone());
    state.branch = Some(branch);
    Ok(())
}

const UNDER_WAY: &str = "an attempt is under way";

fn not_under_way(attempt: AttemptId) -> Refusal {
    format!("attempt {attempt} is not under way")
}

pub(super) fn refuse_if(is_wrong: bool, why: &str) -> Result<(), Refusal> {
    if is_wrong { Err(why.to_string()) } else { Ok(()) }
}

pub(super) fn take_in_flight(
    state: &mut RunState,
    attempt: AttemptId,
) -> Result<InFlight, Refusal> {
    let is_it = state.in_flight.as_ref().is_some_and(|one| one.attempt == attempt);
    refuse_if(!is_it, &not_under_way(attempt))?;
    state.lost = None;
    state.in_flight.take().ok_or_else(|| "nothing is under way".to_string())
}

fn waiting<'a>(state: &'a mut RunState, id: &PhaseId) -> Result<&'a mut PhaseState, Refusal> {
    let phase = state.phase_mut(id).ok_or_else(|| format!("phase {id} is not part of the run"))?;
    refuse_if(phase.status != PhaseStatus::Waiting, "the phase does not wait")?;
    Ok(phase)
}

fn skip_phase(state: &mut RunState, id: &PhaseId, reason: &str) -> Result<(), Refusal> {
    refuse_if(state.in_flight.is_some(), UNDER_WAY)?;
    waiting(state, id)?.status = PhaseStatus::Skipped { reason: reason.to_string() };
    Ok(())
}

fn start_phase(state: &mut RunState, id: &PhaseId, at: Moment) -> Result<(), Refusal> {
    refuse_if(state.in_flight.is_some(), UNDER_WAY)?;
    refuse_if(state.running().is_some(), "another phase is being worked on")?;
    let head = state.branch.as_ref().map(|branch| branch.head.clone());
    let head = head.ok_or("the run's branch does not exist")?;
    let passed = |id: &PhaseId| {
        state.phase(id).is_some_and(|phase| matches!(phase.status, PhaseStatus::Passed(_)))
    };
    let depends_on =
        state.phase(id).map(|phase| phase.definition.depends_on.clone()).unwrap_or_default();
    refuse_if(!depends_on.iter().all(passed), "a phase it depends on has not passed")?;
    let began_ms = state.running_ms(at);
    waiting(state, id)?;
    let mut work = Work::begin(head, at, began_ms);
    work.checked.is_enhanced = state.stamps.is_enhanced();
    state.start_phase(id, work);
    Ok(())
}

#[cfg(test)]
#[path = "apply_tests.rs"]
mod tests;
