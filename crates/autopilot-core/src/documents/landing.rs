//! `autopilot merge --json` and `autopilot rollback --json`.

use schemars::JsonSchema;
use serde::Serialize;

/// The user's branch was moved to a run's work, or stood on it already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(title = "merge")]
pub struct MergeDocument {
    pub run: String,
    /// The branch that was moved.
    pub branch: String,
    /// Where it stands now.
    pub commit: String,
    /// The branch the work came from.
    pub source: String,
}

/// Phases were taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(title = "rollback")]
pub struct RollbackDocument {
    pub run: String,
    /// The newest first.
    pub phases: Vec<String>,
    /// The branch that is without them.
    pub branch: String,
    /// Where it stands now.
    pub commit: String,
    /// The ref that keeps what was taken back.
    pub rescue: String,
    /// The command that brings it back.
    pub bring_back: String,
    /// The phases are on the user's branch, which is left as it is unless `merged`.
    pub was_merged: bool,
    /// The user's branch was moved too.
    pub merged: Option<MergeDocument>,
}
