//! The part of `apply` that concerns attempts: how each kind of effect ends and what it leaves in the phase. Decisions are
//! `apply_decided`'s.

use crate::contract::returns::Review;
use crate::contract::{Returned, Role};
use crate::phase_id::PhaseId;
use crate::run::apply::{refuse_if, take_in_flight};
use crate::run::apply_checked;
use crate::run::breaker::{self, Tried};
use crate::run::checks::{Difference, claimed};
use crate::run::definition::{TaskDefinition, TaskKind};
use crate::run::effect::{AgentOrder, Effect, Measurement, Purpose};
use crate::run::event::{AgentWork, Event, Failure, PlanFault, PlanFile};
use crate::run::ids::{AttemptId, Commit, TaskId};
use crate::run::landing::PhaseMerge;
use crate::run::measured::{Measured, reds};
use crate::run::outcome::Halt;
use crate::run::spending;
use crate::run::state::{InFlight, RunState, RunStatus};
use crate::run::usage_limit::Obstacle;
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
    if !matches!(ended.effect, Effect::RunAgent(_)) {
        breaker::attempt_ended(state, None);
    }
    if let Event::EffectFailed { what, .. } = event {
        let what = format!("{}: {what}", ended.effect.step());
        state.status = RunStatus::Halted(Halt::EffectFailed { what });
        return Ok(());
    }
    match (event, &ended.effect) {
        (Event::EvidenceMeasured { measured, difference, .. }, Effect::Measure(measurement)) => {
            measured_by(state, measurement, measured, difference.as_ref())
        }
        (Event::PlacesLookedUp { seen, facts, commits, .. }, Effect::LookUp(order)) => {
            apply_checked::looked_up(state, order, (seen, facts, commits))
        }
        (Event::PhaseOpened { .. }, Effect::OpenPhase { phase, .. }) => {
            work_of(state, phase)?.is_open = true;
            Ok(())
        }
        (Event::PlanRead { faults, plans, .. }, Effect::ReadPlan { phase }) => {
            plan_read(work_of(state, phase)?, (faults, plans), ended.tasks)
        }
        (Event::StepCompleted { work: used, returned, .. }, Effect::RunAgent(order)) => {
            completed_in(state, (order, attempt), used, returned)
        }
        (Event::StepFailed { work: used, failure, .. }, Effect::RunAgent(order)) => {
            spending::charge(state, order, used);
            apply_checked::worked(work_of(state, &order.phase)?, order, attempt);
            failed_in(state, order, used, failure)
        }
        (Event::TaskCompleted { commit, .. }, Effect::CommitTask(order)) => {
            task_done(work_of(state, &order.phase)?, &order.task, commit.as_ref())
        }
        (Event::RolledBack { .. }, Effect::RollBack { phase, task, .. }) => {
            rolled_back(work_of(state, phase)?, task.as_ref())
        }
        (Event::PhaseMerged { commit, .. }, Effect::ClosePhase { phase, onto, .. }) => {
            merged(state, phase, onto, commit)
        }
        (
            Event::ConfidenceDiagnosticWritten { path, .. },
            Effect::WriteDiagnostic { phase, .. },
        ) => {
            work_of(state, phase)?.diagnostic = Some(path.clone());
            Ok(())
        }
        (_, effect) => Err(format!("it does not end an attempt at {}", effect.step())),
    }
}

fn plan_read(
    work: &mut Work,
    (faults, plans): (&[PlanFault], &[PlanFile]),
    tasks: Vec<TaskDefinition>,
) -> Result<(), Refusal> {
    let is_users = plans.iter().any(|plan| plan.is_users);
    let files = plans.iter().flat_map(|plan| plan.files.clone()).collect();
    work.plan = Some(PlanFacts { faults: faults.to_vec(), is_users, files });
    work.tasks = tasks.into_iter().map(TaskWork::new).collect();
    Ok(())
}

fn merged(
    state: &mut RunState,
    phase: &PhaseId,
    onto: &Commit,
    commit: &Commit,
) -> Result<(), Refusal> {
    work_of(state, phase)?.merged = Some(commit.clone());
    let (from, to) = (onto.clone(), commit.clone());
    state.landing.merges.push(PhaseMerge { phase: phase.clone(), from, to });
    let branch = state.branch.as_mut().ok_or("the run's branch does not exist")?;
    branch.head = commit.clone();
    Ok(())
}

fn measured_by(
    state: &mut RunState,
    measurement: &Measurement,
    measured: &[Measured],
    difference: Option<&Difference>,
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
        Some(phase) => {
            let work = work_of(state, phase)?;
            measured_in(work, &measurement.purpose, measured)?;
            if measurement.purpose == Purpose::Candidate {
                work.candidate.difference = difference.cloned();
            }
            Ok(())
        }
    }
}

fn task_done(work: &mut Work, task: &TaskId, commit: Option<&Commit>) -> Result<(), Refusal> {
    let done = task_of(work, task)?;
    done.outcome = Some(TaskOutcome::Done { commit: commit.cloned() });
    // A repair is committed also when the candidate stays as red as it was.
    if done.task.kind != TaskKind::Debug {
        work.counters.forget_error();
    }
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
    let is_another = |one: &Measured| {
        work.last_seen.get(&one.check).is_some_and(|seen| *seen != one.result.is_green())
    };
    let has_changed = measured.iter().any(is_another);
    match purpose {
        Purpose::Task(_) | Purpose::Candidate | Purpose::Brought => {
            let red: Vec<&Measured> =
                measured.iter().filter(|one| !one.result.is_green()).collect();
            breaker::measured(&mut work.counters, &red, has_changed);
        }
        Purpose::Baseline
        | Purpose::Triage
        | Purpose::TestsBefore
        | Purpose::AllTestsBefore
        | Purpose::CriteriaBefore
        | Purpose::WithoutWork => {}
    }
    // With other files laid over it, it is not the work that was seen.
    if purpose.is_of_work() {
        work.last_seen.extend(measured.iter().map(|one| (one.check, one.result.is_green())));
    }
    match purpose {
        Purpose::Baseline => return Err("the baseline belongs to no phase".to_string()),
        Purpose::TestsBefore => work.candidate.tests_before = Some(measured.to_vec()),
        Purpose::AllTestsBefore => work.candidate.all_tests_before = Some(measured.to_vec()),
        Purpose::CriteriaBefore => work.candidate.criteria_before = Some(measured.to_vec()),
        Purpose::WithoutWork => work.candidate.without_work = Some(measured.to_vec()),
        Purpose::Brought => {
            let evidence = work.candidate.evidence.as_mut();
            evidence.ok_or("the candidate was not measured")?.extend_from_slice(measured);
            work.candidate.brought = Some(measured.iter().map(|one| one.check).collect());
        }
        Purpose::Triage => work.triage = Stage::Done(measured.to_vec()),
        Purpose::Task(task) => {
            let task = task_of(work, task)?;
            task.last_red = measured.iter().filter(|one| !one.result.is_green()).cloned().collect();
            task.measured = Some(measured.to_vec());
        }
        Purpose::Candidate => {
            if reds(measured).is_empty() {
                work.counters.forget_error();
            }
            work.candidate.evidence = Some(measured.to_vec());
        }
    }
    Ok(())
}

fn count(work: &mut Work, order: &AgentOrder, used: &AgentWork) {
    work.spend.charge(&used.spend);
    *work.rounds.entry((order.role, order.task.clone())).or_default() += 1;
    let kept = used.kept.iter().map(|one| (one.name.clone(), one.hash.clone()));
    work.kept.extend(kept);
    apply_checked::left(work, order, used);
}

fn completed_in(
    state: &mut RunState,
    (order, attempt): (&AgentOrder, AttemptId),
    used: &AgentWork,
    returned: &Returned,
) -> Result<(), Refusal> {
    refuse_if(!is_of(order.role, returned), "it is the return of another role")?;
    spending::charge(state, order, used);
    state.obstacles.pass(state.definition.agent.asked(order));
    state.taxonomy.count_returned(returned);
    let work = work_of(state, &order.phase)?;
    count(work, order, used);
    apply_checked::returned(work, order, (attempt, used.took_ms), returned);
    breaker::agent_ended(&mut work.counters, order, used, None);
    let is_stuck = work.counters.no_progress > 0;
    work.failures_in_a_row = 0;
    work.last_failure = None;
    work.is_cut_off = false;
    returned_in(work, order, used, returned)?;
    let tried = if is_stuck { Tried::Failed } else { Tried::Succeeded };
    breaker::attempt_ended(state, Some(tried));
    Ok(())
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
        Role::Delegate => matches!(returned, Returned::Delegation(_)),
    }
}

fn returned_in(
    work: &mut Work,
    order: &AgentOrder,
    used: &AgentWork,
    returned: &Returned,
) -> Result<(), Refusal> {
    if let Returned::Delegation(said) = returned {
        work.claims = Some(said.clone());
    }
    if let Some(task) = &order.task {
        if let Returned::Execution(said) = returned {
            task_of(work, task)?.claims = claimed::of_execution(said);
        }
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
        Returned::Execution(_)
        | Returned::Debugging(_)
        | Returned::Delegation(_)
        | Returned::NeedsAnswer(_) => {
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
    if let Some(obstacle) = Obstacle::of(failure) {
        state.obstacles.meet(state.definition.agent.asked(order), obstacle);
        let work = work_of(state, &order.phase)?;
        count(work, order, used);
        return keep_changes(work, order, used);
    }
    state.obstacles.pass(state.definition.agent.asked(order));
    let work = work_of(state, &order.phase)?;
    count(work, order, used);
    breaker::agent_ended(&mut work.counters, order, used, Some(&failure.words()));
    work.is_cut_off = matches!(failure, Failure::AllowanceUsed | Failure::TimedOut);
    let words = failure.words();
    match &order.task {
        Some(task) => {
            // Whoever does a whole phase is told what was wrong with the last answer.
            work.last_failure = (order.role == Role::Delegate).then(|| words.clone());
            worked_on(work, task, used, Some(words))
        }
        None => {
            work.failures_in_a_row += 1;
            work.last_failure = Some(words);
            state.retries += 1;
            Ok(())
        }
    }?;
    breaker::attempt_ended(state, Some(Tried::Failed));
    Ok(())
}

/// What an agent did before it met a limit is where the next one goes on.
fn keep_changes(work: &mut Work, order: &AgentOrder, used: &AgentWork) -> Result<(), Refusal> {
    if let (Some(task), Some(changed)) = (&order.task, &used.changed) {
        task_of(work, task)?.snapshot = Some(changed.snapshot.clone());
    }
    Ok(())
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

pub(super) fn work_of<'a>(state: &'a mut RunState, id: &PhaseId) -> Result<&'a mut Work, Refusal> {
    let phase = state.phase_mut(id).ok_or_else(|| format!("phase {id} is not part of the run"))?;
    phase.work.as_deref_mut().ok_or_else(|| format!("phase {id} has not begun"))
}

pub(super) fn task_of<'a>(work: &'a mut Work, id: &TaskId) -> Result<&'a mut TaskWork, Refusal> {
    let task = work.tasks.iter_mut().find(|task| &task.task.id == id);
    task.ok_or_else(|| format!("there is no task {id}"))
}
