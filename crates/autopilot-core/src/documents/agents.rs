//! `autopilot agents --json` and `autopilot agents try NAME --json`.

use schemars::JsonSchema;
use serde::Serialize;

/// The agents of this machine, and who would do which step.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "agents")]
pub struct AgentsDocument {
    /// Who does what no other agent is set for; absent when none is ready.
    pub chosen: Option<String>,
    /// Why none is ready.
    pub problem: Option<String>,
    pub agents: Vec<AgentDocument>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AgentDocument {
    pub name: String,
    /// As the program tells it; absent when it does not work or is not installed.
    pub version: Option<String>,
    pub login: LoginWord,
    /// Who pays for what it spends, where that is known.
    pub paid: Option<String>,
    /// The version that autopilot's own tests drive; absent for an agent that none of them ever drove.
    pub tried_version: Option<String>,
    /// The steps it would do.
    pub steps: Vec<String>,
    /// What is wrong with it.
    pub trouble: Option<String>,
    /// What to do about it.
    pub fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoginWord {
    In,
    Out,
    Unknown,
    NotAsked,
}

/// One line asked of an agent for real.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "agents-try")]
pub struct AgentTryDocument {
    pub name: String,
    pub version: String,
    pub model: Option<String>,
    /// Whether it answered.
    pub answered: bool,
    pub answer: Option<String>,
    /// How it ended instead.
    pub trouble: Option<String>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
    /// In dollars; absent where the agent does not tell.
    pub cost_usd: Option<f64>,
    pub seconds: f64,
}
