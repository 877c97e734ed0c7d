//! What is told of the last try at a phase: how far each step came, its tasks, scores and cost. Made of its facts at any time, and
//! all that is kept of them once the next phase has begun, so that a run of a thousand phases needs the memory of one. The figures of
//! all tries together are `summary`'s.

use crate::contract::returns::Recommendation;
use crate::run::checks::Checked;
use crate::run::event::Spend;
use crate::run::ids::{Moment, TaskId};
use crate::run::measured::Measured;
use crate::run::work::{Stage, TaskOutcome, TaskWork, Work};
use crate::score::Score;

#[derive(Debug, Clone, PartialEq)]
pub struct WorkSummary {
    pub started_at: Moment,
    pub is_open: bool,
    pub triage: Stage<()>,
    pub research: Stage<()>,
    pub planning: Stage<()>,
    pub plan_check: Stage<Score>,
    pub tasks: Vec<TaskSummary>,
    /// What was measured of the candidate, without output.
    pub evidence: Option<Vec<Measured>>,
    pub is_verified: Option<bool>,
    pub recommendation: Option<Recommendation>,
    pub score: Option<Score>,
    /// Of every rated candidate, in order.
    pub scores: Vec<Score>,
    pub plan_rounds: u32,
    pub debug_attempts: u32,
    pub replan_attempts: u32,
    pub remediation_cycles: u32,
    /// What was not accepted and what was warned of.
    pub checked: Checked,
    pub spend: Spend,
    pub is_rolled_back: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TaskSummary {
    pub id: TaskId,
    pub fixes: u32,
    pub outcome: Option<TaskOutcome>,
}

impl WorkSummary {
    pub fn of(work: &Work) -> WorkSummary {
        let candidate = &work.candidate;
        let judged = candidate.divergence.as_ref().or(candidate.judgement.as_ref());
        WorkSummary {
            started_at: work.started_at,
            is_open: work.is_open,
            triage: work.triage.map(|_| ()),
            research: work.research.clone(),
            planning: work.planning.clone(),
            plan_check: work.plan_check.map(|check| check.confidence),
            tasks: work.tasks.iter().map(TaskSummary::of).collect(),
            evidence: candidate.evidence.as_ref().map(|seen| seen.iter().map(quiet).collect()),
            is_verified: candidate.verification.as_ref().map(|said| said.pass),
            recommendation: judged.map(|said| said.recommendation),
            score: work.score(),
            scores: work.rated.iter().map(|rated| rated.score).collect(),
            plan_rounds: work.plan_rounds,
            debug_attempts: work.debug_attempts,
            replan_attempts: work.replan_attempts,
            remediation_cycles: work.remediation_cycles,
            checked: work.checked.told(),
            spend: work.spend,
            is_rolled_back: work.is_rolled_back,
        }
    }
}

impl TaskSummary {
    fn of(work: &TaskWork) -> TaskSummary {
        TaskSummary { id: work.task.id.clone(), fixes: work.fixes, outcome: work.outcome.clone() }
    }
}

/// The check and how it came out.
fn quiet(measured: &Measured) -> Measured {
    Measured {
        check: measured.check,
        command: measured.command.clone(),
        result: measured.result,
        is_flaky: measured.is_flaky,
        tests: measured.tests.clone(),
        took_ms: measured.took_ms,
        output_hash: String::new(),
        tail: String::new(),
    }
}
