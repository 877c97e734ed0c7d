//! The part of `apply` that concerns attempts: how each kind of effect ends and what it leaves in the phase. Decisions are
//! `apply_decided`'s.

use crate::contract::returns::Review;
use crate::contract::{Returned, Role};
use crate::phase_id::PhaseId;
use crate::run::apply::{refuse_if, take_in_flight};
use crate::run::definition::TaskDefinition;
use crate::run::effect::{AgentOrder, Effect, Measurement, Purpose};
use crate::run::event::{AgentWork, Event, Failure};
use crate::run::ids::{AttemptId, Commit, TaskId};
use crate::run::measured::{Measured, reds};
use crate::run::outcome::{Halt, Pause};
use crate::run::state::{InFlight, RunState, RunStatus};
use crate::run::work::{Candidate, PlanFacts, Rated, Stage, TaskOutcome, TaskWork, Work, Worked};

type Refusal = String;

/// An attempt ended with a fact.
pub(super) fn finish_attempt(
    state: &mut RunState,
    attempt: AttemptId,
    event: &Event,
) -> Result<(), Refusal> {
    if let Event::TaskPlanned { task, .. } = event {
        return add_planned(state, attempt, task);
    }
    let ended = take_in_flight(state, attempt)?;
    if let Event::EffectFailed { what, .. } = event {
        let what = format!("{}: {what}", ended.effect.step());
        state.status = RunStatus::Halted(Halt::EffectFailed { what });
        return Ok(());
    }
    match (event, &ended.effect) {
        (Event::EvidenceMeasured { measured, .. }, Effect::Measure(measurement)) => {
            measured_by(state, measurement, measured)
        }
        (Event::PhaseOpened { .. }, Effect::OpenPhase { phase, .. }) => {
            work_of(state, phase)?.is_open = true;
            Ok(())
        }
        (Event::PlanRead { faults, plans, .. }, Effect::ReadPlan { phase }) => {
            let is_users = plans.iter().any(|plan| plan.is_users);
            let work = work_of(state, phase)?;
            work.plan = Some(PlanFacts { faults: faults.clone(), is_users });
            work.tasks = ended.tasks.into_iter().map(TaskWork::new).collect();
            Ok(())
        }
        (Event::StepCompleted { work: used, returned, .. }, Effect::RunAgent(order)) => {
            refuse_if(!is_of(order.role, returned), "it is the return of another role")?;
            state.spend.add(&used.spend);
            let work = work_of(state, &order.phase)?;
            count(work, order, used);
            work.failures_in_a_row = 0;
            work.last_failure = None;
            work.is_cut_off = false;
            returned_in(work, order, used, returned)
        }
        (Event::StepFailed { work: used, failure, .. }, Effect::RunAgent(order)) => {
            state.spend.add(&used.spend);
            failed_in(state, order, used, failure)
        }
        (Event::TaskCompleted { commit, .. }, Effect::CommitTask(order)) => {
            task_done(work_of(state, &order.phase)?, &order.task, commit.as_ref())
        }
        (Event::RolledBack { .. }, Effect::RollBack { phase, task, .. }) => {
            rolled_back(work_of(state, phase)?, task.as_ref())
        }
        (Event::PhaseMerged { commit, .. }, Effect::ClosePhase { phase, .. }) => {
            work_of(state, phase)?.merged = Some(commit.clone());
            let branch = state.branch.as_mut().ok_or("the run's branch does not exist")?;
            branch.head = commit.clone();
            Ok(())
        }
        (_, effect) => Err(format!("it does not end an attempt at {}", effect.step())),
    }
}

fn measured_by(
    state: &mut RunState,
    measurement: &Measurement,
    measured: &[Measured],
) -> Result<(), Refusal> {
    // What was ordered and not measured would count as green.
    let ordered = measurement.checks.iter().map(|order| order.name);
    let is_all = ordered.eq(measured.iter().map(|one| one.check));
    refuse_if(!is_all, "other checks were ordered")?;
    match &measurement.phase {
        None => {
            state.baseline = Some(measured.to_vec());
            Ok(())
        }
        Some(phase) => measured_in(work_of(state, phase)?, &measurement.purpose, measured),
    }
}

fn task_done(work: &mut Work, task: &TaskId, commit: Option<&Commit>) -> Result<(), Refusal> {
    task_of(work, task)?.outcome = Some(TaskOutcome::Done { commit: commit.cloned() });
    if let Some(commit) = commit {
        work.head = commit.clone();
    }
    // Whatever was known of the candidate was known of another commit.
    new_candidate(work);
    Ok(())
}

fn add_planned(
    state: &mut RunState,
    attempt: AttemptId,
    task: &TaskDefinition,
) -> Result<(), Refusal> {
    let under_way = state.in_flight.as_mut().filter(|one| one.attempt == attempt);
    let under_way: &mut InFlight = under_way.ok_or("the attempt is not under way")?;
    refuse_if(!matches!(under_way.effect, Effect::ReadPlan { .. }), "no plan is being read")?;
    let is_known = under_way.tasks.iter().any(|known| known.id == task.id);
    refuse_if(is_known, "the task was planned already")?;
    under_way.tasks.push(task.clone());
    Ok(())
}

fn measured_in(work: &mut Work, purpose: &Purpose, measured: &[Measured]) -> Result<(), Refusal> {
    match purpose {
        Purpose::Baseline => Err("the baseline belongs to no phase".to_string()),
        Purpose::Triage => {
            work.triage = Stage::Done(measured.to_vec());
            Ok(())
        }
        Purpose::Task(task) => {
            let task = task_of(work, task)?;
            task.last_red = measured.iter().filter(|one| !one.result.is_green()).cloned().collect();
            task.measured = Some(measured.to_vec());
            Ok(())
        }
        Purpose::Candidate => {
            work.candidate.evidence = Some(measured.to_vec());
            Ok(())
        }
    }
}

fn count(work: &mut Work, order: &AgentOrder, used: &AgentWork) {
    work.spend.add(&used.spend);
    *work.rounds.entry((order.role, order.task.clone())).or_default() += 1;
    let kept = used.kept.iter().map(|one| (one.name.clone(), one.hash.clone()));
    work.kept.extend(kept);
}

/// Questions are recorded as a failure of the step, so they are nobody's return.
fn is_of(role: Role, returned: &Returned) -> bool {
    match role {
        Role::Research => matches!(returned, Returned::Research(_)),
        Role::Plan => matches!(returned, Returned::Planning(_)),
        Role::PlanCheck => matches!(returned, Returned::PlanCheck(_)),
        Role::Execute => matches!(returned, Returned::Execution(_)),
        Role::Verify => matches!(returned, Returned::Verification(_)),
        Role::Judge | Role::JudgeDivergence => matches!(returned, Returned::Judgement(_)),
        Role::Rate => matches!(returned, Returned::Rating(_)),
        Role::Review => matches!(returned, Returned::Review(_)),
        Role::Debug => matches!(returned, Returned::Debugging(_)),
    }
}

fn returned_in(
    work: &mut Work,
    order: &AgentOrder,
    used: &AgentWork,
    returned: &Returned,
) -> Result<(), Refusal> {
    if let Some(task) = &order.task {
        return worked_on(work, task, used, None);
    }
    match returned {
        Returned::Research(_) => work.research = Stage::Done(()),
        Returned::Planning(_) => {
            work.planning = Stage::Done(());
            work.plan = None;
        }
        Returned::PlanCheck(check) => work.plan_check = Stage::Done(check.clone()),
        Returned::Verification(said) => work.candidate.verification = Some(said.clone()),
        Returned::Judgement(said) if order.role == Role::Judge => {
            work.candidate.judgement = Some(said.clone());
        }
        Returned::Judgement(said) => work.candidate.divergence = Some(said.clone()),
        Returned::Rating(said) => {
            work.candidate.rating = Some(said.clone());
            rate(work);
        }
        Returned::Review(Review { verification, rating }) => {
            work.candidate.verification = Some(verification.clone());
            work.candidate.rating = Some(rating.clone());
            rate(work);
        }
        Returned::Execution(_) | Returned::Debugging(_) | Returned::NeedsAnswer(_) => {
            return Err("it is the return of a task, and none was ordered".to_string());
        }
    }
    Ok(())
}

fn rate(work: &mut Work) {
    let is_green = work.candidate.evidence.as_deref().is_some_and(|all| reds(all).is_empty());
    if let Some(score) = work.score() {
        let cycle = work.remediation_cycles;
        let commit = work.head.clone();
        let facts = work.candidate.clone();
        work.rated.push(Rated { cycle, commit, score, is_green, is_accepted: false, facts });
    }
}

fn worked_on(
    work: &mut Work,
    task: &TaskId,
    used: &AgentWork,
    failure: Option<String>,
) -> Result<(), Refusal> {
    let task = task_of(work, task)?;
    let snapshot = used.changed.as_ref().map(|changed| changed.snapshot.clone());
    let lines = used.changed.as_ref().map_or(0, |changed| changed.lines);
    // A try that changed nothing leaves the work of the one before it.
    let snapshot = snapshot.or_else(|| task.snapshot.clone());
    task.snapshot = snapshot.clone();
    task.worked = Some(Worked { snapshot, lines, failure });
    Ok(())
}

fn failed_in(
    state: &mut RunState,
    order: &AgentOrder,
    used: &AgentWork,
    failure: &Failure,
) -> Result<(), Refusal> {
    let hindrance = hindrance(failure);
    let work = work_of(state, &order.phase)?;
    count(work, order, used);
    if hindrance.is_some() {
        // It is nobody's failure: no try and no repair is used up, and the next attempt goes on from here (BUD-3).
        if let (Some(task), Some(changed)) = (&order.task, &used.changed) {
            task_of(work, task)?.snapshot = Some(changed.snapshot.clone());
        }
        state.hindrance = hindrance;
        return Ok(());
    }
    work.is_cut_off = matches!(failure, Failure::AllowanceUsed | Failure::TimedOut);
    let words = failure.words();
    match &order.task {
        Some(task) => worked_on(work, task, used, Some(words)),
        None => {
            work.failures_in_a_row += 1;
            work.last_failure = Some(words);
            state.retries += 1;
            Ok(())
        }
    }
}

/// Whatever is tried next would fail in the same way, until somebody logs in or a limit is lifted.
fn hindrance(failure: &Failure) -> Option<Pause> {
    match failure {
        Failure::NotLoggedIn => Some(Pause::NotLoggedIn),
        Failure::LimitReached { resets_at } => Some(Pause::Limit { resets_at: *resets_at }),
        Failure::Overloaded => Some(Pause::Limit { resets_at: None }),
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

fn rolled_back(work: &mut Work, task: Option<&TaskId>) -> Result<(), Refusal> {
    let Some(task) = task else {
        work.is_rolled_back = true;
        return Ok(());
    };
    match &mut task_of(work, task)?.outcome {
        Some(TaskOutcome::Failed { is_put_back, .. }) => {
            *is_put_back = true;
            Ok(())
        }
        _ => Err("the task did not fail".to_string()),
    }
}

pub(super) fn new_candidate(work: &mut Work) {
    work.candidate = Candidate::default();
    work.verdict = None;
}

fn work_of<'a>(state: &'a mut RunState, id: &PhaseId) -> Result<&'a mut Work, Refusal> {
    let phase = state.phase_mut(id).ok_or_else(|| format!("phase {id} is not part of the run"))?;
    phase.work.as_deref_mut().ok_or_else(|| format!("phase {id} has not begun"))
}

pub(super) fn task_of<'a>(work: &'a mut Work, id: &TaskId) -> Result<&'a mut TaskWork, Refusal> {
    let task = work.tasks.iter_mut().find(|task| &task.task.id == id);
    task.ok_or_else(|| format!("there is no task {id}"))
}
