//! The returns of all roles, as agents write them and as events keep them (RET-1). A field without a default is required.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::category::Category;
use super::claims::{CheckClaim, Tally};
use super::delegation::Delegation;
use crate::limits;
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
    /// Of whoever did a whole phase; boxed, because it is by far the largest.
    Delegation(Box<Delegation>),
    /// The agent cannot go on without a person's answer; any role may say so.
    NeedsAnswer(NeedsAnswer),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Research {
    /// Three to five, each with the file and line it rests on.
    pub key_findings: Vec<String>,
    /// One or two sentences.
    pub recommended_approach: String,
    pub risks: Vec<String>,
    /// What the planner still has to settle.
    pub open_questions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Planning {
    /// Plan files you wrote.
    pub plans_created: u32,
    /// Groups of plans that build on one another.
    pub waves: u32,
    pub total_tasks: u32,
    pub complexity: Complexity,
    /// Which plan needs which, and why.
    pub dependencies: Vec<String>,
    /// Decisions put off, and doubts.
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
    /// That carrying the plans out reaches the goal.
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
    /// What the planner should change.
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
    /// Leave it out unless you were told to commit.
    #[serde(default)]
    pub commit_shas: Vec<String>,
    pub evidence: Vec<TaskEvidence>,
    /// Where you went another way than the plan, and why.
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
    /// What you saw of `compile`, `lint`, `test` and `build`; the engine runs them itself.
    #[schemars(extend("maxProperties" = limits::RETURN_ENTRIES_MAX))]
    pub automated_checks: BTreeMap<String, CheckClaim>,
    pub criteria_results: Vec<CriterionResult>,
    /// Each as `command -> result`.
    pub commands_run: Vec<String>,
    pub failures: Vec<Failure>,
    /// Work in the diff that nobody asked for.
    pub scope_creep: Vec<String>,
    // TYPE-1.
    /// How sure you are without a person having looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autonomous_confidence: Option<Score>,
    /// Only when a person has to look; without it nothing is put off.
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
    /// Words that stand on that line; the engine looks for them there.
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
    /// The checkpoint task in the plan that asks for a person.
    pub task_id: String,
    /// What could not be verified.
    pub what: String,
    /// Why you could not do it yourself.
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    pub recommendation: Recommendation,
    pub concerns: Vec<Concern>,
    /// What you found yourself, each with file:line or the command that shows it.
    pub independent_evidence: Vec<String>,
    // The judge's first round has not seen the report.
    /// Whether you agree with the verifier's report on everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier_agreement: Option<bool>,
    /// What the verifier's report overlooked or got wrong.
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

// From `major` on, a concern found in a later review is still sent back (PIPE-11).
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
    #[schemars(length(min = 1))]
    pub scorecard: Vec<CriterionScore>,
    // PIPE-8: recorded and never used.
    /// Your own total, if you must. The engine takes the mean of the scorecard.
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
    /// With one decimal; more are cut off.
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

// Of the one reviewer of a lean phase.
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
    /// Instead of a return, and only when the work cannot go on without a person's answer.
    #[schemars(length(min = 1, max = limits::RETURN_QUESTIONS_MAX))]
    pub needs_answer: Vec<Question>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    pub question: String,
    /// Answers to choose from; without any, the answer is free text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = limits::RETURN_OPTIONS_MAX))]
    pub options: Vec<String>,
}
