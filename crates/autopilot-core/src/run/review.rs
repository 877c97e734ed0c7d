//! What is asked about a candidate and in which order: measurements first, then reviewers, then the gate. A candidate that is
//! measured red is not shown to reviewers: it goes to debug at no cost in tokens (PIPE-13).

use crate::contract::Role;
use crate::contract::returns::{ConcernSeverity, Recommendation};
use crate::limits;
use crate::run::brought;
use crate::run::checks;
use crate::run::effect::{Access, Purpose};
use crate::run::event::{Event, Finding};
use crate::run::gate::{self, Case, Evidence};
use crate::run::measured::{CheckName, Measured, reds_against};
use crate::run::next::Move;
use crate::run::noticed;
use crate::run::outcome::{CriteriaCount, CriterionClass};
use crate::run::pipeline::At;
use crate::run::tasks;
use crate::run::work::{Candidate, TaskOutcome, Work};
use crate::score::Score;

pub(super) fn next(at: At<'_>) -> Move {
    if let Some(moved) = tasks::next(at) {
        return moved;
    }
    let candidate = &at.work.candidate;
    let Some(evidence) = &candidate.evidence else {
        let project = at.run.project.as_ref().map(|project| project.checks.clone());
        let mut checks = project.unwrap_or_default();
        checks.extend(at.phase.criterion_checks());
        return at.measure(Purpose::Candidate, checks);
    };
    let is_red = !reds_of(at, evidence).is_empty() || at.work.failed_tasks().next().is_some();
    if is_red {
        return decide(at, evidence);
    }
    let measured = brought::order(at)
        .or_else(|| noticed::next(at))
        .or_else(|| checks::tests_before::order(at))
        .or_else(|| checks::criteria_before::order(at));
    if let Some(moved) = measured {
        return moved;
    }
    if let Some(moved) = checks::of_candidate(at) {
        return moved;
    }
    let roles: &[Role] = if at.is_lean() { &LEAN } else { &FULL };
    let due = roles.iter().copied().find(|role| !candidate.has_returned(*role));
    // Those before the last one were accepted when they came.
    let last = roles.iter().copied().take_while(|role| Some(*role) != due).last();
    if let Some(moved) = last.and_then(|role| checks::of_return(at, role)) {
        return moved;
    }
    match due {
        Some(role) => at.agent(role, None, Access::ReadOnly),
        None => checks::of_phase(at, roles).unwrap_or_else(|| decide(at, evidence)),
    }
}

/// Who reviews a candidate, in this order (PIPE-7, PIPE-15).
const FULL: [Role; 4] = [Role::Verify, Role::Judge, Role::JudgeDivergence, Role::Rate];
const LEAN: [Role; 1] = [Role::Review];

fn decide(at: At<'_>, evidence: &[Measured]) -> Move {
    let verdict = gate::decide(&case(at, evidence));
    Move::Record(Event::VerdictReached { phase: at.phase.id.clone(), verdict })
}

fn reds_of(at: At<'_>, evidence: &[Measured]) -> Vec<CheckName> {
    let mut reds = reds_against(evidence, at.run.baseline.as_deref().unwrap_or_default());
    let excused = checks::known_red::excused(at);
    reds.retain(|check| !excused.contains(check));
    reds
}

fn case(at: At<'_>, evidence: &[Measured]) -> Case {
    let At { run, work, .. } = at;
    let settings = &run.definition.settings;
    let candidate = &work.candidate;
    let left = |max: u32, used: u32| max.saturating_sub(used);
    let failed_tasks = u32::try_from(work.failed_tasks().count()).unwrap_or(u32::MAX);
    let verification = candidate.verification.as_ref();
    let deferral = verification.and_then(|said| said.deferral_evidence.as_ref());
    Case {
        recommendation: recommendation(at),
        score: work.score().map(|score| best_so_far(work, score)),
        threshold: settings.threshold,
        deferral: deferral.map(|said| format!("{} ({})", said.what, said.why)),
        needs_person: checks::needs_person(at),
        red_before: checks::known_red::undecidable(at, &reds_of(at, evidence)),
        reds: reds_of(at, evidence),
        failed_tasks,
        evidence: strength(at, evidence),
        debug_left: left(settings.debug_attempts_max, work.debug_attempts),
        replan_left: left(settings.replan_attempts_max, work.replan_attempts),
        cycles_left: left(settings.remediation_cycles_max, work.remediation_cycles),
        has_findings: !findings(at).is_empty(),
        allows_unproven: settings.allows_unproven,
    }
}

/// The best candidate is kept and its score is the phase's: a cycle that made things worse takes nothing away (PIPE-11).
fn best_so_far(work: &Work, score: Score) -> Score {
    work.best().map_or(score, |best| best.score.max(score))
}

/// The judge's last word. Where it lets the work through, a verifier that failed it is heard all the same: what one of two found
/// wanting is repaired.
fn recommendation(at: At<'_>) -> Recommendation {
    let candidate = &at.work.candidate;
    let judged = candidate.divergence.as_ref().or(candidate.judgement.as_ref());
    let judged = judged.map_or(Recommendation::Proceed, |judged| judged.recommendation);
    let is_failed = candidate.verification.as_ref().is_some_and(|said| !said.pass);
    match judged {
        Recommendation::Proceed if is_failed => Recommendation::Debug,
        judged => judged,
    }
}

/// How much the green checks say about this phase (GATE-2, GATE-3).
fn strength(at: At<'_>, evidence: &[Measured]) -> Evidence {
    let has_test = evidence.iter().any(|one| noticed::speaks_for_work(at, one));
    match (evidence.is_empty(), criteria_count(at).proven, has_test) {
        (true, _, _) => Evidence::NoCheck,
        (false, 0, false) => Evidence::OnlyJudged,
        (false, _, _) => Evidence::Proven,
    }
}

/// Proven, standing and judged criteria of the candidate (PIPE-5a).
pub(super) fn criteria_count(at: At<'_>) -> CriteriaCount {
    let (before, after) = (at.work.before(), at.work.after());
    let mut count = CriteriaCount::default();
    for (number, criterion) in (1u32..).zip(&at.phase.criteria) {
        let check = CheckName::Criterion(number);
        match CriterionClass::of(criterion.command.is_some(), check, before, after) {
            CriterionClass::Proven => count.proven += 1,
            CriterionClass::Standing => count.standing += 1,
            CriterionClass::Judged => count.judged += 1,
        }
    }
    count
}

/// What a remediation would start from, and so the one whose findings count: after a cycle that made nothing better that is not
/// the last candidate.
fn to_improve(work: &Work) -> &Candidate {
    let last = &work.candidate;
    let Some(best) = work.best().filter(|best| best.commit != work.head) else { return last };
    let is_better = work.score().is_none_or(|score| best.score >= score);
    if is_better { &best.facts } else { last }
}

/// What a remediation could work on: scorecard entries below the threshold that say what is missing, the judge's concerns, and
/// what the verifier saw fail. A low number without a deficiency is an opinion (PIPE-11).
pub(super) fn findings(at: At<'_>) -> Vec<Finding> {
    let candidate = to_improve(at.work);
    let threshold = at.run.definition.settings.threshold;
    let mut found = Vec::new();
    let rated = candidate.rating.iter().flat_map(|rating| &rating.scorecard);
    for entry in rated.filter(|entry| entry.score < threshold) {
        let Some(deficiency) = entry.deficiency.clone().filter(|text| !text.trim().is_empty())
        else {
            continue;
        };
        found.push((Role::Rate, entry.file.clone(), deficiency));
    }
    // A later review sends back only what is serious; the rest was there to be said the first time.
    let least = match at.work.remediation_cycles {
        0 => ConcernSeverity::Minor,
        _ => ConcernSeverity::Major,
    };
    let judged = candidate.divergence.as_ref().or(candidate.judgement.as_ref());
    let concerns = judged.into_iter().flat_map(|judged| &judged.concerns);
    for concern in concerns.filter(|concern| concern.severity >= least) {
        found.push((Role::Judge, concern.file.clone(), concern.description.clone()));
    }
    let failures = candidate.verification.iter().flat_map(|said| &said.failures);
    for failure in failures {
        found.push((Role::Verify, failure.file.clone(), failure.description.clone()));
    }
    let cycle = at.work.remediation_cycles + 1;
    let numbered = (1u32..).zip(found).take(limits::FINDINGS_PER_CYCLE_MAX);
    numbered
        .map(|(number, (role, file, deficiency))| {
            let id = format!("{cycle}.{number}");
            Finding { id, role, file, deficiency }
        })
        .collect()
}

/// Why a whole new plan is asked for.
pub(super) fn shortcomings(work: &Work) -> Vec<String> {
    let rated = work.candidate.rating.iter().flat_map(|rating| &rating.scorecard);
    let said = rated.map(|entry| {
        let why = entry.deficiency.as_deref().unwrap_or(&entry.justification);
        format!("{} was rated {}: {why}", entry.criterion, entry.score)
    });
    let failed = work.tasks.iter().filter_map(|task| match task.outcome {
        Some(TaskOutcome::Failed { .. }) => Some(format!("task {} failed", task.task.id)),
        _ => None,
    });
    said.chain(failed).take(limits::PLAN_ISSUES_MAX).collect()
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
