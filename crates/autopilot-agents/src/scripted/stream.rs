//! The lines of the scripted agent's stream, as it writes and as they are read back: one JSON object a line.

use serde::{Deserialize, Serialize};

use crate::script::{Failure, Spending};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum StreamLine {
    /// Always the first.
    System {
        model: String,
        agent: String,
        version: u32,
        part: String,
        prompt_bytes: u64,
    },
    Say {
        text: String,
    },
    Tool {
        name: String,
        summary: String,
    },
    /// What a command printed, and how it ended.
    Output {
        text: String,
        exit: Option<i32>,
    },
    Change {
        path: String,
    },
    Usage {
        spent: Spending,
    },
    LimitWait {
        until_unix_s: Option<u64>,
    },
    Ask {
        question: String,
    },
    LeftBehind {
        pid: u32,
    },
    /// The answer. Usually the last.
    Result {
        text: String,
    },
    Failure {
        failure: Failure,
    },
    /// The script cannot be played.
    Error {
        message: String,
    },
}
