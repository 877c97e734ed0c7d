//! What an agent is asked: the words, what they are for, and what it may do and spend.

use std::path::PathBuf;

use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub prompt: String,
    /// As the roadmap spells it: `3`, `2.1`, `PROJ-42`.
    pub phase: String,
    /// `plan`, `execute`, `verify`, …
    pub step: String,
    pub task: Option<String>,
    /// Which counted try of this step this is, from 1. A try that was lost in a crash is not counted: it is asked again with
    /// the same number, so that a script plays the same part again.
    pub round: u32,
    pub access: Access,
    /// `None` leaves the choice to the agent's own settings.
    pub model: Option<String>,
    /// Tokens it may spend. Who starts the agent enforces it; agents that have a switch of their own get it too.
    pub allowance_tokens: u64,
    /// What it may cost, in millionths of a dollar; `None` where nobody said. Enforced as the tokens are.
    pub allowance_usd_micros: Option<u64>,
    /// JSON Schema of the answer, for agents that can be held to one. The answer is checked by others in any case.
    pub schema: Option<Value>,
    /// Whoever starts the agent keeps it from writing elsewhere. An agent that has a fence of its own needs it no more, and most of them
    /// cannot put one up inside another.
    pub is_fenced: bool,
    /// An empty folder outside the workspace that is there for as long as the attempt and is the agent's alone.
    pub scratch: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    ReadOnly,
    Writable,
}
