//! What `--json` prints and what lies in files for other tools, and its JSON Schemas. The shapes people script against: types of their own, converted by hand, so that a
//! change inside cannot change them by accident.

pub mod agents;
pub mod doctor;
pub mod error;
pub mod init;
pub mod landing;
pub mod metrics;
pub mod new;
pub mod plan;
pub mod post_mortem;
pub mod prove;
pub mod replay;
pub mod show;
pub mod status;
pub mod trace;
pub mod worktrees;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::config::keys;
use crate::finding::{Finding, Severity};

/// One remark on the project's files.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FindingDocument<'a> {
    pub severity: Severity,
    pub file: &'a str,
    /// From 1; absent when the remark is about the whole file.
    pub line: Option<u32>,
    pub message: &'a str,
}

impl<'a> From<&'a Finding> for FindingDocument<'a> {
    fn from(finding: &'a Finding) -> Self {
        FindingDocument {
            severity: finding.severity,
            file: &finding.place.file,
            line: finding.place.line,
            message: &finding.message,
        }
    }
}

/// The documents that have a schema, by the name `autopilot schema` knows.
pub const NAMES: [&str; 19] = [
    "config",
    "plan",
    "status",
    "doctor",
    "agents",
    "agents-try",
    "init",
    "new",
    "prove",
    "show",
    "merge",
    "rollback",
    "worktrees",
    "worktrees-clean",
    "replay",
    "error",
    "trace",
    "post-mortem",
    "metrics",
];

pub fn schema(name: &str) -> Option<Value> {
    let schema = match name {
        "config" => return Some(in_order(keys::schema())),
        "plan" => schemars::schema_for!(plan::PlanDocument),
        "status" => schemars::schema_for!(status::StatusDocument),
        "doctor" => schemars::schema_for!(doctor::DoctorDocument),
        "agents" => schemars::schema_for!(agents::AgentsDocument),
        "agents-try" => schemars::schema_for!(agents::AgentTryDocument),
        "init" => schemars::schema_for!(init::InitDocument),
        "new" => schemars::schema_for!(new::NewDocument),
        "prove" => schemars::schema_for!(prove::ProveDocument),
        "show" => schemars::schema_for!(show::ShowDocument),
        "merge" => schemars::schema_for!(landing::MergeDocument),
        "rollback" => schemars::schema_for!(landing::RollbackDocument),
        "worktrees" => schemars::schema_for!(worktrees::WorktreesDocument),
        "worktrees-clean" => schemars::schema_for!(worktrees::WorktreesCleanDocument),
        "replay" => schemars::schema_for!(replay::ReplayDocument),
        "error" => schemars::schema_for!(error::ErrorDocument),
        "trace" => schemars::schema_for!(trace::SpanDocument),
        "post-mortem" => schemars::schema_for!(post_mortem::PostMortemDocument),
        "metrics" => schemars::schema_for!(Vec<metrics::MetricsDocument>),
        _ => return None,
    };
    Some(in_order(schema.to_value()))
}

/// Fields by their names: whether serde_json keeps them in the order they came depends on which other crates are built beside it.
fn in_order(mut schema: Value) -> Value {
    schema.sort_all_objects();
    schema
}
