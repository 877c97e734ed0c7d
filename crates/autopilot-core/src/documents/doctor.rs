//! `autopilot doctor --json`.

use schemars::JsonSchema;
use serde::Serialize;

/// What works on this machine and in this project, and what does not.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "doctor")]
pub struct DoctorDocument {
    /// Whether a run could start.
    pub can_run: bool,
    pub checks: Vec<CheckDocument>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CheckDocument {
    pub topic: String,
    pub state: CheckWord,
    pub detail: String,
    /// What to do about it.
    pub fix: Option<String>,
    /// A run could not start because of this.
    pub blocks_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CheckWord {
    Good,
    Warning,
    Missing,
    Broken,
}
