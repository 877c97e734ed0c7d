//! The return of a delegate, who does a phase from research to execution alone (RET-2). Every word of it is a claim: it is kept and
//! shown as one, and nothing of it reaches the gate.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::claims::{CheckClaim, Tally};
use super::returns::{Complexity, Judgement, Rating, Recommendation, Verification};
use crate::limits;
use crate::score::Score;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delegation {
    /// The phase you were given.
    pub phase: String,
    pub status: DelegationStatus,
    /// Your own rating, or null. The engine has the work rated by somebody else.
    pub alignment_score: Option<Score>,
    pub tasks_completed: Tally,
    pub tasks_failed: Tally,
    /// What you did, task by task, in the order you did it. Each becomes a commit of its own; without any, the phase is one commit.
    #[serde(default)]
    pub tasks: Vec<DelegatedTask>,
    /// Commits you made yourself. They are folded into the engine's.
    #[serde(default)]
    pub commit_shas: Vec<String>,
    /// What you saw of `compile`, `lint`, `test` and `build`; the engine runs them itself.
    #[schemars(extend("maxProperties" = limits::RETURN_ENTRIES_MAX))]
    pub automated_checks: BTreeMap<String, CheckClaim>,
    /// What is not as it should be.
    pub issues: Vec<String>,
    #[serde(default)]
    pub debug_attempts: u32,
    #[serde(default)]
    pub replan_attempts: u32,
    pub recommendation: Recommendation,
    /// One or two sentences.
    pub summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_sha: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification_duration_seconds: Option<u32>,
    pub evidence: DelegationEvidence,
    /// Only where the status is `needs_human_verification`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_verify_justification: Option<HumanVerifyJustification>,
    /// Only where the status is `split_request`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_details: Option<SplitDetails>,
    /// What you did of `research`, `plan`, `plan_check`, `execute`, `verify`, `judge` and `rate`.
    #[serde(default)]
    #[schemars(extend("maxProperties" = limits::RETURN_ENTRIES_MAX))]
    pub pipeline_steps: BTreeMap<String, PipelineStep>,
    /// What a verifier of your own said, if you asked one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier: Option<Verification>,
    /// What a judge of your own said, if you asked one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judgement>,
    /// What a rater of your own said, if you asked one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rater: Option<Rating>,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub enum DelegationStatus {
    Completed,
    Failed,
    NeedsHumanVerification,
    SplitRequest,
}

impl DelegationStatus {
    pub fn words(self) -> &'static str {
        match self {
            DelegationStatus::Completed => "it is completed",
            DelegationStatus::Failed => "it failed",
            DelegationStatus::NeedsHumanVerification => "a person has to look",
            DelegationStatus::SplitRequest => "the phase should be split",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DelegatedTask {
    pub task_id: String,
    /// As the first line of a commit says it.
    pub name: String,
    /// Every file it changed, added or removed, relative to the repository. A file of two tasks belongs to the later one.
    pub files: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DelegationEvidence {
    /// Each as `file:line -- finding`.
    pub files_checked: Vec<String>,
    /// Each as `command -> result`.
    pub commands_run: Vec<String>,
    #[serde(default)]
    pub git_diff_summary: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HumanVerifyJustification {
    pub checkpoint_task_id: String,
    pub task_description: String,
    #[serde(default)]
    pub auto_tasks_passed: u32,
    #[serde(default)]
    pub auto_tasks_total: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SplitDetails {
    pub reason: String,
    pub recommended_sub_phases: Vec<SubPhase>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubPhase {
    pub sub_phase_id: String,
    pub name: String,
    pub scope: String,
    #[serde(default)]
    pub issues: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_complexity: Option<Complexity>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PipelineStep {
    pub status: String,
    #[serde(default)]
    pub agent_spawned: bool,
}
