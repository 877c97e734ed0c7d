//! The returns of all roles, as agents write them and as events keep them (RET-1). A field without a default is required.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::category::Category;
use super::claims::{CheckClaim, Tally};
use crate::score::Score;

/// The return of whoever was asked, or questions instead of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum Returned {
    Research(Research),
    Planning(Planning),
    PlanCheck(PlanCheck),
    Execution(Execution),
    Verification(Verification),
    /// Of both rounds of the judge.
    Judgement(Judgement),
    Rating(Rating),
    Review(Review),
    Debugging(Debugging),
    /// The agent cannot go on without a person's answer; any role may say so.
    NeedsAnswer(NeedsAnswer),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Research {
    pub key_findings: Vec<String>,
    pub recommended_approach: String,
    pub risks: Vec<String>,
    pub open_questions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Planning {
    pub plans_created: u32,
    pub waves: u32,
    pub total_tasks: u32,
    pub complexity: Complexity,
    pub dependencies: Vec<String>,
    pub concerns: Vec<String>,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(inline)]
#[serde(rename_all = "lowercase")]
pub enum Complexity {
    Simple,
    Medium,
    Complex,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanCheck {
    pub pass: bool,
    pub confidence: Score,
    pub issues: Vec<Issue>,
    pub blocker_count: u32,
    pub warning_count: u32,
}

impl PlanCheck {
    /// Blockers listed or claimed, whichever are more: a count that hides an issue must not let a plan through.
    pub fn blockers(&self) -> usize {
        let listed = self.issues.iter().filter(|i| i.severity == IssueSeverity::Blocker).count();
        listed.max(self.blocker_count as usize)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Issue {
    pub severity: IssueSeverity,
    pub description: String,
    pub fix_hint: String,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(inline)]
#[serde(rename_all = "lowercase")]
pub enum IssueSeverity {
    Info,
    Warning,
    Blocker,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Execution {
    pub tasks_completed: Tally,
    pub tasks_failed: Tally,
    /// Only a delegate commits; for everybody else the engine does.
    #[serde(default)]
    pub commit_shas: Vec<String>,
    pub evidence: Vec<TaskEvidence>,
    pub deviations: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskEvidence {
    pub task_id: String,
    /// Each as `criterion -- file:line -- finding`.
    pub criteria_met: Vec<String>,
    /// Each as `command -> result`.
    pub commands_run: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    pub pass: bool,
    /// What the verifier saw of compile, lint, test and build; a claim beside the engine's own measurement.
    pub automated_checks: BTreeMap<String, CheckClaim>,
    pub criteria_results: Vec<CriterionResult>,
    /// Each as `command -> result`.
    pub commands_run: Vec<String>,
    pub failures: Vec<Failure>,
    /// Work in the diff that nobody asked for.
    pub scope_creep: Vec<String>,
    /// How sure the verifier is without a person (TYPE-1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autonomous_confidence: Option<Score>,
    /// What only a person can see, and why. Without it nothing is put off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deferral_evidence: Option<DeferralEvidence>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CriterionResult {
    pub criterion: String,
    pub status: CriterionStatus,
    pub evidence: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Words that stand at that line; the engine looks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub enum CriterionStatus {
    Verified,
    Failed,
    NotVerified,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeferralEvidence {
    /// The checkpoint task of the plan that asks for a person.
    pub task_id: String,
    /// What could not be verified.
    pub what: String,
    /// Why not by the agent itself.
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    pub recommendation: Recommendation,
    pub concerns: Vec<Concern>,
    /// What the judge found by itself, each with file:line or the command that shows it.
    pub independent_evidence: Vec<String>,
    /// Whether the judge agrees with the verifier's report; the first round has not seen it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier_agreement: Option<bool>,
    /// What the verifier's report overlooked.
    #[serde(default)]
    pub verifier_missed: Vec<String>,
    /// Requirements of the phase the work does not meet.
    pub missing_requirements: Vec<String>,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(inline)]
#[serde(rename_all = "lowercase")]
pub enum Recommendation {
    Proceed,
    Debug,
    Rollback,
    Halt,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Concern {
    pub severity: ConcernSeverity,
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Points the score would rise by if this were mended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_gain: Option<Score>,
}

/// From `major` on, a concern found in a later review is still sent back (PIPE-11).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(inline)]
#[serde(rename_all = "lowercase")]
pub enum ConcernSeverity {
    Minor,
    Major,
    Critical,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rating {
    pub scorecard: Vec<CriterionScore>,
    /// The rater's own total. Recorded and never used: the engine computes the mean (PIPE-8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment_score: Option<Score>,
}

impl Rating {
    /// The mean over the scorecard, cut to one decimal.
    pub fn mean(&self) -> Option<Score> {
        Score::mean(&self.scorecard.iter().map(|entry| entry.score).collect::<Vec<_>>())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CriterionScore {
    pub criterion: String,
    pub score: Score,
    pub evidence: String,
    pub justification: String,
    /// The command that shows it, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What keeps the score from 10.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deficiency: Option<String>,
}

/// Of the one reviewer of a lean phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Review {
    pub verification: Verification,
    pub rating: Rating,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Debugging {
    pub fixed: bool,
    /// Each as `file -- what was changed`.
    pub changes: Vec<String>,
    pub remaining_issues: Vec<String>,
    pub failure_categories: Vec<Category>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NeedsAnswer {
    pub needs_answer: Vec<Question>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    pub question: String,
    /// Answers to choose from; without any, the answer is free text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}
