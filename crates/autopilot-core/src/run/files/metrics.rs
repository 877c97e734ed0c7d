//! The figures of one run, as they are kept over all runs (MET-1). Where the file lies and how it is read is the journal crate's;
//! what its entries say together is `trend`'s.

use crate::contract::Category;
use crate::documents::metrics::{MetricsDocument, PhaseMetrics};
use crate::limits;
use crate::run::ids::Moment;
use crate::run::next;
use crate::run::projection::iso;
use crate::run::state::{PhaseState, PhaseStatus, RunState};
use crate::score::Score;

const VERSION: u32 = 1;

/// A phase that passed below this is no success.
const SUCCESS: Score = match Score::from_tenths(70) {
    Some(score) => score,
    None => Score::ZERO,
};

pub fn document(state: &RunState, at: Moment) -> MetricsDocument {
    let result = next::result(state);
    let attempted = state.phases.iter().filter(|phase| phase.summary.started_at.is_some());
    let attempted: Vec<&PhaseState> = attempted.collect();
    let succeeded = attempted.iter().filter(|phase| is_success(phase)).count();
    let sum = |of: fn(&PhaseState) -> u32| {
        attempted.iter().fold(0u32, |sum, phase| sum.saturating_add(of(phase)))
    };
    let estimates = attempted.iter().map(|phase| phase.definition.estimate_tokens);
    let listed = attempted.iter().take(limits::METRICS_PHASES_MAX);
    let counts = state.taxonomy.counts();
    MetricsDocument {
        version: VERSION,
        run_id: state.definition.run.to_string(),
        timestamp: iso(at),
        phases_attempted: count(attempted.len()),
        phases_succeeded: count(succeeded),
        phases_failed: result.failed,
        phases_human_deferred: result.deferred,
        phases_skipped: result.skipped,
        failure_taxonomy_histogram: counts.map(|(word, count)| (word.to_string(), count)).collect(),
        avg_alignment_score: result.average,
        total_duration_minutes: state.running_ms(at) / 60_000,
        total_estimated_tokens: estimates.fold(0, u64::saturating_add),
        total_tokens_used: state.spend.counted_tokens(),
        total_debug_loops: sum(|phase| phase.summary.debug_attempts),
        total_replan_attempts: sum(|phase| phase.summary.replan_attempts),
        success_rate: f64::from(permille(succeeded, attempted.len())) / 1_000.0,
        per_phase_summary: listed.map(|phase| of_phase(phase)).collect(),
    }
}

fn is_success(phase: &PhaseState) -> bool {
    match &phase.status {
        PhaseStatus::Passed(result) => result.score.is_some_and(|score| score >= SUCCESS),
        PhaseStatus::Waiting
        | PhaseStatus::Running
        | PhaseStatus::Failed(_)
        | PhaseStatus::Skipped { .. }
        | PhaseStatus::Deferred { .. } => false,
    }
}

fn of_phase(phase: &PhaseState) -> PhaseMetrics {
    let summary = &phase.summary;
    let (status, score) = match &phase.status {
        PhaseStatus::Waiting => ("not_started", summary.score),
        PhaseStatus::Running => ("in_progress", summary.score),
        PhaseStatus::Passed(result) => ("completed", result.score),
        PhaseStatus::Failed(_) => ("failed", summary.score),
        PhaseStatus::Skipped { .. } => ("skipped", summary.score),
        PhaseStatus::Deferred { .. } => ("needs_human_verification", summary.score),
    };
    PhaseMetrics {
        phase_id: phase.definition.id.to_string(),
        status: status.to_string(),
        alignment_score: score,
        estimated_tokens: phase.definition.estimate_tokens,
        tokens_used: summary.tokens,
        duration_minutes: summary.running_ms / 60_000,
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn permille(part: usize, whole: usize) -> u16 {
    let share = part.saturating_mul(1_000).checked_div(whole).unwrap_or_default();
    u16::try_from(share.min(1_000)).unwrap_or(1_000)
}

/// Kinds of failure that two runs have in common.
pub(super) fn in_common(one: &MetricsDocument, other: &MetricsDocument) -> Vec<Category> {
    let (one, other) = (&one.failure_taxonomy_histogram, &other.failure_taxonomy_histogram);
    let words = Category::words().into_iter();
    let both = words.filter(|word| one.contains_key(*word) && other.contains_key(*word));
    both.map(Category::from_word).collect()
}
