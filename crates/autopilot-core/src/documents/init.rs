//! `autopilot init --json`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::documents::FindingDocument;

/// What was written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "init")]
pub struct InitDocument<'a> {
    /// Paths of new files.
    pub written: Vec<String>,
    /// Paths that were there before and were left alone.
    pub kept: Vec<String>,
    pub commands: Vec<TriedDocument>,
    /// Phases converted from the source, with the line each came from.
    pub phases: usize,
    /// The commit that holds the new files, with --commit.
    pub commit: Option<String>,
    /// The command to go on with.
    pub next: String,
    pub findings: Vec<FindingDocument<'a>>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TriedDocument {
    pub slot: String,
    pub line: String,
    pub source: String,
    /// passed, failed, timed_out, cannot_start or not_tried.
    pub result: String,
    pub detail: String,
}
