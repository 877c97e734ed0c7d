//! An entry of `archive/metrics.json`, which is a list with one for each run (MET-1).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::score::Score;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricsDocument {
    #[serde(default)]
    pub version: u32,
    pub run_id: String,
    pub timestamp: String,
    pub phases_attempted: u32,
    /// Passed with at least 7.0.
    pub phases_succeeded: u32,
    pub phases_failed: u32,
    pub phases_human_deferred: u32,
    #[serde(default)]
    pub phases_skipped: u32,
    /// How often each kind of failure was seen, by verifiers, debuggers and the gate.
    #[serde(default)]
    pub failure_taxonomy_histogram: BTreeMap<String, u32>,
    pub avg_alignment_score: Option<Score>,
    /// Running time; what the run stood still or waited is not in it.
    pub total_duration_minutes: u64,
    pub total_estimated_tokens: u64,
    #[serde(default)]
    pub total_tokens_used: u64,
    pub total_debug_loops: u32,
    pub total_replan_attempts: u32,
    /// Of the attempted phases, from 0 to 1.
    pub success_rate: f64,
    #[serde(default)]
    pub per_phase_summary: Vec<PhaseMetrics>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseMetrics {
    pub phase_id: String,
    pub status: String,
    pub alignment_score: Option<Score>,
    pub estimated_tokens: u64,
    #[serde(default)]
    pub tokens_used: u64,
    pub duration_minutes: u64,
}
