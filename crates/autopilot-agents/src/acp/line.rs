//! The lines in which the client tells what happens. Ours on both sides, and written and read by the same program; still only data, for
//! every text in them is the agent's.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Line {
    Started {
        session: String,
        /// Name and version, as it introduces itself.
        agent: Option<String>,
    },
    Said {
        text: String,
    },
    Thought {
        text: String,
    },
    /// A call of a tool was begun, or is told more about.
    Tool {
        id: String,
        kind: Option<String>,
        title: Option<String>,
        status: Option<String>,
        #[serde(default)]
        paths: Vec<String>,
    },
    /// It asked whether it may.
    Asked {
        id: String,
        kind: Option<String>,
        title: Option<String>,
        is_allowed: bool,
    },
    /// What the session has cost so far, in millionths of a dollar.
    Cost {
        usd_micros: u64,
    },
    Ended {
        stop: Stop,
        usage: Option<Usage>,
    },
    /// It answered with an error.
    Failed {
        code: i32,
        kind: Option<String>,
        status: Option<u16>,
        message: String,
    },
    /// It ended, or fell silent, without an answer.
    Gone {
        why: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stop {
    EndTurn,
    MaxTokens,
    MaxTurnRequests,
    Refusal,
    Cancelled,
    /// One that a later protocol has.
    Other,
}

/// Of the whole session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Usage {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) cache_read: u64,
    pub(super) cache_write: u64,
}
