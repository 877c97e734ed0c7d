//! The part of `apply` that concerns decisions about one phase. Each must fit what is known: a verdict before what it orders, a stage
//! that is due before it is left out, attempts counted one by one.

use crate::phase_id::PhaseId;
use crate::run::apply::refuse_if;
use crate::run::apply_work::{new_candidate, task_of};
use crate::run::definition::TaskDefinition;
use crate::run::delegate;
use crate::run::event::{Event, Skippable};
use crate::run::gate::Verdict;
use crate::run::ids::TaskId;
use crate::run::learnings::{self, Lesson};
use crate::run::review;
use crate::run::state::{PhaseState, PhaseStatus, RunState};
use crate::run::work::{Candidate, Stage, TaskOutcome, TaskWork, Work};

type Refusal = String;

/// A decision about a phase that is being worked on.
pub(super) fn decided(state: &mut RunState, id: &PhaseId, event: &Event) -> Result<(), Refusal> {
    refuse_if(state.in_flight.is_some(), "an attempt is under way")?;
    let running_ms = state.running_ms(state.last_at);
    let phase = state.phase_mut(id).ok_or_else(|| format!("phase {id} is not part of the run"))?;
    refuse_if(phase.status != PhaseStatus::Running, "the phase is not being worked on")?;
    match event {
        Event::PhaseCompleted { result, .. } => {
            let work = phase.work.as_ref();
            let merged = work.and_then(|work| work.merged.as_ref());
            refuse_if(merged != Some(&result.commit), "it is not merged")?;
            let verdict = work.and_then(|work| work.verdict.as_ref());
            refuse_if(
                verdict != Some(&Verdict::Pass { how: result.how }),
                "the verdict is another",
            )?;
            sum_up(phase, running_ms);
            phase.status = PhaseStatus::Passed(result.clone());
            state.stamps.add(id, result.score);
            return Ok(());
        }
        Event::PhaseFailed { failure, .. } => {
            sum_up(phase, running_ms);
            let red = phase.work.as_deref().map(learnings::red_at_the_end).unwrap_or_default();
            phase.status = PhaseStatus::Failed(failure.clone());
            phase.failures += 1;
            let (category, rule) = (failure.category.clone(), learnings::rule(failure, &red));
            state.taxonomy.count(&category);
            let lesson = Lesson { phase: id.clone(), category, rule, at: state.last_at };
            learnings::learn(&mut state.lessons, lesson);
            return Ok(());
        }
        Event::PhaseDeferred { why, .. } => {
            sum_up(phase, running_ms);
            phase.status = PhaseStatus::Deferred { why: why.clone() };
            return Ok(());
        }
        Event::CriteriaAdopted { criteria, .. } => {
            adopt(phase.work.as_deref_mut().ok_or("the phase has not begun")?)?;
            phase.definition.criteria.clone_from(criteria);
            return Ok(());
        }
        _ => {}
    }
    let work = phase.work.as_mut().ok_or("the phase has not begun")?;
    decided_in(work, event)?;
    // Remediation is no retry: it makes better what holds already (CB-1).
    let is_retry = matches!(
        event,
        Event::TaskRetried { .. }
            | Event::DebugAttempt { .. }
            | Event::ReplanAttempt { .. }
            | Event::PlanSentBack { .. }
    );
    state.retries += u32::from(is_retry);
    Ok(())
}

/// The criteria are measured anew, before anybody has worked on the phase.
fn adopt(work: &mut Work) -> Result<(), Refusal> {
    refuse_if(work.has_adopted, "the criteria are settled")?;
    refuse_if(work.plan.is_none(), "there is no plan")?;
    let is_begun = work.tasks.iter().any(|task| task.worked.is_some() || task.outcome.is_some());
    refuse_if(is_begun, "the work has begun")?;
    work.has_adopted = true;
    work.triage = Stage::Due;
    Ok(())
}

/// What is asked of a phase that is over.
fn sum_up(phase: &mut PhaseState, running_ms: u64) {
    if let Some(work) = phase.work.as_deref() {
        phase.summary.add(work, running_ms.saturating_sub(work.began_ms));
    }
}

fn decided_in(work: &mut Work, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::StepSkipped { step, .. } => skip(work, *step),
        Event::PhaseDelegated { attempt, .. } => delegate::hand_over(work, *attempt),
        Event::PlanSentBack { round, issues, .. } => {
            refuse_if(*round != work.plan_rounds + 1, "rounds are counted one by one")?;
            work.plan_rounds = *round;
            plan_again(work, issues.clone());
            Ok(())
        }
        Event::TaskRetried { task, attempt, .. } => {
            let task = open_task(work, task)?;
            refuse_if(*attempt != task.fixes + 1, "repairs are counted one by one")?;
            refuse_if(task.worked.is_none(), "nobody has tried yet")?;
            task.fixes = *attempt;
            task.lines_before_fix = task.worked.as_ref().map_or(0, |worked| worked.lines);
            task.worked = None;
            task.measured = None;
            Ok(())
        }
        Event::TaskFailed { task, .. } => {
            let failed = TaskOutcome::Failed { is_put_back: false, is_debugged: false };
            open_task(work, task)?.outcome = Some(failed);
            Ok(())
        }
        Event::TaskSkipped { task, .. } => {
            open_task(work, task)?.outcome = Some(TaskOutcome::Skipped);
            Ok(())
        }
        Event::VerdictReached { verdict, .. } => {
            refuse_if(work.verdict.is_some(), "there is a verdict already")?;
            accept(work, verdict);
            work.verdict = Some(verdict.clone());
            Ok(())
        }
        Event::DebugAttempt { attempt, .. } => debug(work, *attempt),
        Event::ReplanAttempt { attempt, .. } => {
            refuse_if(work.verdict != Some(Verdict::Replan), NOT_ORDERED)?;
            refuse_if(*attempt != work.replan_attempts + 1, "attempts are counted one by one")?;
            work.replan_attempts = *attempt;
            work.head = work.base.clone();
            plan_again(work, review::shortcomings(work));
            new_candidate(work);
            Ok(())
        }
        Event::RemediationStarted { cycle, from, findings, .. } => {
            refuse_if(work.verdict != Some(Verdict::Remediate), NOT_ORDERED)?;
            refuse_if(*cycle != work.remediation_cycles + 1, "cycles are counted one by one")?;
            work.remediation_cycles = *cycle;
            work.head = from.clone();
            work.findings.clone_from(findings);
            let task = TaskDefinition::remediation(*cycle, |id| work.task(id).is_some());
            work.tasks.push(TaskWork::new(task));
            new_candidate(work);
            Ok(())
        }
        _ => Err("it is no decision about a phase".to_string()),
    }
}

/// A candidate whose score is all that the verdict asks about may be kept later. One that was found wanting may not, nor may an
/// earlier and kinder review of the same commit.
/// What is merged, reported and counted is one and the same candidate, which need not be the last (PIPE-11).
fn keep_best(work: &mut Work) {
    let best = work.best().map(|best| (best.commit.clone(), best.facts.clone()));
    if let Some((commit, facts)) = best {
        work.head = commit;
        work.candidate = facts;
    }
    for rated in &mut work.rated {
        rated.facts = Candidate::default();
    }
}

fn accept(work: &mut Work, verdict: &Verdict) {
    // A candidate that is red was not rated: the last one rated is another, and nothing changes for it.
    if work.score().is_none() {
        return;
    }
    let head = &work.head;
    match verdict {
        Verdict::Pass { .. } | Verdict::Remediate | Verdict::Replan => {
            work.rated.iter_mut().rev().take(1).for_each(|rated| rated.is_accepted = true);
            if matches!(verdict, Verdict::Pass { .. }) {
                keep_best(work);
            }
        }
        Verdict::RollBack
        | Verdict::Fail { .. }
        | Verdict::Defer { .. }
        | Verdict::Debug { .. } => {
            let same = work.rated.iter_mut().filter(|rated| &rated.commit == head);
            same.for_each(|rated| rated.is_accepted = false);
        }
    }
}

fn skip(work: &mut Work, step: Skippable) -> Result<(), Refusal> {
    match step {
        Skippable::Triage => leave_out(&mut work.triage),
        Skippable::Research => leave_out(&mut work.research),
        Skippable::Plan => leave_out(&mut work.planning),
        Skippable::PlanCheck => leave_out(&mut work.plan_check),
        Skippable::Execute => leave_out(&mut work.execution),
    }
}

fn leave_out<T>(stage: &mut Stage<T>) -> Result<(), Refusal> {
    refuse_if(!stage.is_due(), "the step is not due")?;
    *stage = Stage::Skipped;
    Ok(())
}

const NOT_ORDERED: &str = "the verdict does not ask for it";

fn open_task<'a>(work: &'a mut Work, id: &TaskId) -> Result<&'a mut TaskWork, Refusal> {
    let task = task_of(work, id)?;
    refuse_if(task.outcome.is_some(), "the task is over")?;
    Ok(task)
}

fn debug(work: &mut Work, attempt: u32) -> Result<(), Refusal> {
    refuse_if(!matches!(work.verdict, Some(Verdict::Debug { .. })), NOT_ORDERED)?;
    refuse_if(attempt != work.debug_attempts + 1, "attempts are counted one by one")?;
    work.debug_attempts = attempt;
    for task in &mut work.tasks {
        if let Some(TaskOutcome::Failed { is_debugged, .. }) = &mut task.outcome {
            *is_debugged = true;
        }
    }
    let task = TaskDefinition::debug(attempt, |id| work.task(id).is_some());
    work.tasks.push(TaskWork::new(task));
    // What was red is what the agent is told; it is measured anew afterwards.
    work.verdict = None;
    Ok(())
}

fn plan_again(work: &mut Work, issues: Vec<String>) {
    work.plan_issues = issues;
    work.planning = Stage::Due;
    work.plan = None;
    work.has_adopted = false;
    work.plan_check = Stage::Due;
    work.tasks.clear();
    work.execution = Stage::Due;
}
