//! `diagnostics/phase-N-postmortem.json`: why a phase failed and what was tried (OBS-2).

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PostMortemDocument {
    pub version: u32,
    pub run_id: String,
    pub phase_id: String,
    pub phase_name: String,
    /// When the phase was given up.
    pub timestamp: String,
    /// Always `failed`.
    pub status: String,
    pub root_cause: RootCause,
    /// What led to it, the oldest first.
    #[schemars(length(max = 20))]
    pub timeline: Vec<TimelineEntry>,
    pub evidence: EvidenceDocument,
    pub attempted_fixes: Vec<FixDocument>,
    /// What later phases of the run are told.
    pub prevention_rule: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RootCause {
    /// One of the ten categories of failure.
    pub category: String,
    pub description: String,
    /// When something first went wrong in this try.
    pub first_observed_at: String,
    pub step: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimelineEntry {
    pub timestamp: String,
    pub step: String,
    pub event: String,
    pub status: TimelineStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum TimelineStatus {
    Success,
    Failure,
    /// A repair that mended some of what was red and not all.
    Partial,
    Skipped,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EvidenceDocument {
    /// Run by autopilot itself, each as `command -> result`.
    pub commands_run: Vec<String>,
    /// Named by reviewers, each as `file -- what is wrong`.
    pub files_checked: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FixDocument {
    pub attempt: u32,
    pub description: String,
    pub commit_sha: Option<String>,
    /// Red before it and not after it.
    pub resolved: Vec<String>,
    /// Red after it.
    pub remaining: Vec<String>,
}
