//! The lines of `gemini -o stream-json`, as far as they mean something here. Fields come and go between versions, so everything is
//! optional and what is not known is passed over.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Line {
    Init {
        #[serde(default)]
        session_id: String,
        #[serde(default)]
        model: String,
    },
    Message {
        #[serde(default)]
        role: String,
        #[serde(default)]
        content: String,
    },
    ToolUse {
        #[serde(default)]
        tool_name: String,
        #[serde(default)]
        tool_id: String,
        #[serde(default)]
        parameters: Value,
    },
    ToolResult {
        #[serde(default)]
        tool_id: String,
        #[serde(default)]
        status: String,
    },
    /// A remark on the way, such as a loop that was noticed. It goes on.
    Error {
        #[serde(default)]
        message: String,
    },
    Result(ResultLine),
    #[serde(other)]
    Other,
}

/// The last line of a run that came to an end by itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ResultLine {
    pub(super) status: String,
    pub(super) error: Option<ErrorLine>,
    pub(super) stats: Option<Stats>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ErrorLine {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) message: String,
}

/// Of the whole run. What came from the cache is part of the input; what was thought is only in the total.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Stats {
    pub(super) total_tokens: u64,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) cached: u64,
}
