//! The part of `apply` that concerns the checks of returns: who brought what, what was not accepted, what was warned of.

use crate::contract::{Category, Returned, Role};
use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::apply::refuse_if;
use crate::run::apply_work::{new_candidate, work_of};
use crate::run::checks::claims;
use crate::run::checks::places::{CommitSeen, LookUpOrder, Looked, LookedUp, Seen};
use crate::run::checks::{Checked, Integrity, REJECTIONS_MAX, Reviewed, Warned};
use crate::run::definition::TaskDefinition;
use crate::run::effect::AgentOrder;
use crate::run::event::{AgentWork, Event, Finding};
use crate::run::ids::AttemptId;
use crate::run::state::{PhaseStatus, RunState};
use crate::run::work::{TaskWork, Work};

type Refusal = String;

/// An agent worked on a task, whatever came of it.
pub(super) fn worked(work: &mut Work, order: &AgentOrder, attempt: AttemptId) {
    if order.task.is_some() {
        work.checked.workers.insert(attempt);
    }
}

/// What it had changed that it may not, and what it started and did not end.
pub(super) fn left(work: &mut Work, order: &AgentOrder, used: &AgentWork) {
    if order.task.is_some() && work.checked.left_running.len() < limits::STRAYS_NAMED_MAX {
        work.checked.left_running.extend(used.left_running.iter().cloned());
    }
    if order.task.is_some() {
        work.checked.ignored =
            used.ignored.iter().take(limits::OVERLOOKED_FILES_MAX).cloned().collect();
        work.checked.hidden.extend(used.hidden.iter().take(limits::OVERLOOKED_FILES_MAX).cloned());
    }
    if order.task.is_none() && !used.dropped.is_empty() {
        let dropped = work.candidate.dropped.entry(order.role).or_default();
        dropped.extend(used.dropped.iter().cloned());
    }
    let known = &mut work.checked.put_back;
    for one in &used.put_back {
        if known.len() < limits::DEFINITIONS_TOUCHED_MAX && !known.contains(one) {
            known.push(one.clone());
        }
    }
}

/// A return came. Asked again or not, its reasons were told.
pub(super) fn returned(
    work: &mut Work,
    order: &AgentOrder,
    (attempt, took_ms): (AttemptId, u64),
    returned: &Returned,
) {
    worked(work, order, attempt);
    if let Some(rejected) = work.checked.rejected.get_mut(&Checked::step(order.role))
        && rejected.role == Some(order.role)
    {
        rejected.reasons.clear();
    }
    if order.task.is_none() {
        work.candidate.reviewed.insert(order.role, Reviewed { attempt, took_ms });
    }
    if let Returned::Debugging(said) = returned {
        let unknown = said.failure_categories.iter().filter_map(|category| match category {
            Category::Unclassified(word) => Some(word.clone()),
            _ => None,
        });
        work.checked.unclassified.extend(unknown);
        work.checked.unclassified.truncate(limits::REJECTION_REASONS_MAX);
    }
}

/// What a return claims was looked up.
pub(super) fn looked_up(
    state: &mut RunState,
    order: &LookUpOrder,
    (seen, facts, commits): (&[Seen], &[String], &[CommitSeen]),
) -> Result<(), Refusal> {
    let work = work_of(state, &order.phase)?;
    let is_all = order.places.len() == seen.len() && order.commits.len() == commits.len();
    refuse_if(!is_all, "other places were to be looked up")?;
    refuse_if(!facts.is_empty() && facts.len() != seen.len(), "other places were looked into")?;
    let each = order.places.iter().zip(seen).enumerate();
    let places = each.map(|(at, (place, seen))| LookedUp {
        place: place.clone(),
        seen: *seen,
        fact: facts.get(at).cloned().unwrap_or_default(),
    });
    let commits = order.commits.iter().cloned().zip(commits.iter().copied());
    let looked = Looked { places: places.collect(), commits: commits.collect() };
    if order.role == Role::Execute {
        claims::looked_up_of_work(work, &looked);
        return Ok(());
    }
    // Earlier versions did not say whose return it was.
    let has_returned =
        work.candidate.has_returned(order.role) || work.candidate.verification.is_some();
    refuse_if(!has_returned, "nobody named a place")?;
    work.candidate.places.insert(order.role, looked);
    Ok(())
}

/// A rejection or a warning.
pub(super) fn change(state: &mut RunState, event: &Event) -> Result<(), Refusal> {
    refuse_if(state.in_flight.is_some(), "an attempt is under way")?;
    match event {
        Event::ReturnRejected { phase, .. }
        | Event::IntegrityWarning { phase, .. }
        | Event::UnnecessaryDeferralWarning { phase, .. }
        | Event::CrossContaminationWarning { phase, .. } => checked(state, phase, event),
        _ => state.stamps.tell(event),
    }
}

fn checked(state: &mut RunState, id: &PhaseId, event: &Event) -> Result<(), Refusal> {
    let phase = state.phase(id).ok_or_else(|| format!("phase {id} is not part of the run"))?;
    refuse_if(phase.status != PhaseStatus::Running, "the phase is not being worked on")?;
    let work = work_of(state, id)?;
    refuse_if(work.verdict.is_some(), "there is a verdict already")?;
    match event {
        Event::ReturnRejected { role, reasons, .. } => {
            reject(work, *role, reasons)?;
            state.retries += 1;
            Ok(())
        }
        Event::IntegrityWarning { role, check, reason, .. } => warn(work, *check, *role, reason),
        Event::UnnecessaryDeferralWarning { role, reason, .. } => {
            warn(work, Integrity::UnnecessaryDeferral, *role, reason)
        }
        Event::CrossContaminationWarning { role, reason, .. } => {
            warn(work, Integrity::Contamination, *role, reason)
        }
        _ => Err("it is no finding about a return".to_string()),
    }
}

fn warn(work: &mut Work, check: Integrity, role: Role, reason: &str) -> Result<(), Refusal> {
    refuse_if(work.checked.has_warned(check, role), "it was told already")?;
    work.checked.warned.push(Warned { check, role, reason: reason.to_string() });
    Ok(())
}

fn reject(work: &mut Work, role: Role, reasons: &[String]) -> Result<(), Refusal> {
    refuse_if(work.candidate.evidence.is_none(), "nothing was measured yet")?;
    match role {
        Role::Execute => {}
        _ => refuse_if(!work.candidate.has_returned(role), "nobody returned it")?,
    }
    let rejected = work.checked.rejected.entry(Checked::step(role)).or_default();
    refuse_if(rejected.count >= REJECTIONS_MAX, "it was rejected too often already")?;
    rejected.count += 1;
    rejected.reasons = reasons.to_vec();
    rejected.last = reasons.to_vec();
    rejected.role = Some(role);
    let count = rejected.count;
    take_back(work, role);
    if role == Role::Execute {
        work_again(work, count, reasons);
    }
    Ok(())
}

/// The return is as if it had never come.
fn take_back(work: &mut Work, role: Role) {
    if matches!(role, Role::Rate | Role::Review) && work.score().is_some() {
        work.rated.pop();
    }
    let candidate = &mut work.candidate;
    candidate.reviewed.remove(&role);
    candidate.places.remove(&role);
    match role {
        Role::Verify | Role::Review => candidate.verification = None,
        Role::Judge => candidate.judgement = None,
        Role::JudgeDivergence => candidate.divergence = None,
        _ => {}
    }
    if matches!(role, Role::Rate | Role::Review) {
        candidate.rating = None;
    }
}

/// Executors have no step of their own to do again: what is missing becomes a task, with the reasons as its findings.
fn work_again(work: &mut Work, count: u32, reasons: &[String]) {
    let finding = |(number, reason): (usize, &String)| Finding {
        id: format!("rejected-{count}.{number}"),
        role: Role::Execute,
        file: None,
        deficiency: reason.clone(),
    };
    work.findings = (1..).zip(reasons).map(finding).collect();
    work.checked.put_back.clear();
    work.checked.hidden.clear();
    work.checked.contradicted = claims::Contradicted::default();
    let task = TaskDefinition::rejected(count, |id| work.task(id).is_some());
    work.tasks.push(TaskWork::new(task));
    new_candidate(work);
}
