//! The lines of `opencode run --format json`, as far as they mean something here. A part comes when it is complete: a text when it is
//! said, a tool when it has run. Fields come and go between versions, so everything is optional and what is not known is passed over.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Line {
    /// The model begins to answer.
    StepStart,
    Text {
        part: Text,
    },
    ToolUse {
        part: ToolUse,
    },
    StepFinish {
        part: StepFinish,
    },
    Error {
        error: Fault,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct Text {
    #[serde(default)]
    pub(super) text: String,
    #[serde(default, rename = "messageID")]
    pub(super) message: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct ToolUse {
    #[serde(default)]
    pub(super) tool: String,
    #[serde(default)]
    pub(super) state: ToolState,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolState {
    pub(super) status: String,
    pub(super) title: Option<String>,
    pub(super) input: Value,
    pub(super) error: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StepFinish {
    #[serde(default)]
    pub(super) reason: String,
    #[serde(default)]
    pub(super) tokens: Tokens,
    pub(super) cost: Option<f64>,
}

/// The caches are not part of the input, nor is reasoning of the output.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) reasoning: u64,
    pub(super) cache: Cache,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Cache {
    pub(super) read: u64,
    pub(super) write: u64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Fault {
    pub(super) name: String,
    pub(super) data: FaultData,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct FaultData {
    pub(super) message: String,
    pub(super) status_code: Option<u16>,
    pub(super) is_retryable: bool,
    pub(super) response_headers: Value,
}

/// A line of its log that tells of an answer that failed; it tries again by itself and its stream does not say so. The last field is
/// the message, in quotes.
pub(super) fn failed_answer(line: &str) -> Option<&str> {
    let (before, message) = line.split_once(" error.error=")?;
    let is_it = before.contains(" level=ERROR ") && before.contains(" message=\"stream error\" ");
    is_it.then(|| message.trim().trim_matches('"'))
}
