//! A line of `TRACE.jsonl` and of the step traces beside it (OBS-1).

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpanDocument {
    /// When it began, as in `2026-01-02T03:04:05Z`.
    pub timestamp: String,
    pub ended_at: String,
    pub phase_id: String,
    /// The step of the pipeline, or `phase_runner` for decisions about the phase as a whole.
    pub step: String,
    pub action: ActionWord,
    /// One line of at most 200 characters.
    #[schemars(length(max = 200))]
    pub input_summary: String,
    /// One line of at most 200 characters.
    #[schemars(length(max = 200))]
    pub output_summary: String,
    pub duration_ms: u64,
    pub status: SpanStatus,
    /// Counted over the whole run; `logs/<run>/<attempt>.jsonl` has what an agent printed.
    pub attempt: Option<u32>,
    pub task: Option<String>,
    /// Input, cache writes and output of an agent.
    pub tokens: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ActionWord {
    FileRead,
    FileWrite,
    /// Checks were run.
    CommandRun,
    /// Git was asked for something.
    ToolCall,
    AgentSpawn,
    Decision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum SpanStatus {
    Success,
    Failure,
    Skipped,
}
