//! The lines of `goose run --output-format stream-json` and of its log of requests, as far as they mean something here. Fields come and
//! go between versions, so everything is optional and what is not known is passed over.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Line {
    /// A part of a message: one of several that have the same id.
    Message { message: Message },
    Error {
        #[serde(default)]
        error: String,
    },
    /// All is over, and this was spent.
    Complete(Usage),
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) role: String,
    #[serde(default)]
    pub(super) content: Vec<Content>,
    #[serde(default)]
    pub(super) metadata: Metadata,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata {
    /// Which model said it. What goose itself says has none.
    pub(super) inference: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(super) enum Content {
    Text {
        text: String,
    },
    #[serde(rename_all = "camelCase")]
    ToolRequest {
        #[serde(default)]
        tool_call: Value,
    },
    ToolResponse,
    Error {
        #[serde(default)]
        kind: String,
        #[serde(default)]
        message: String,
    },
    #[serde(other)]
    Other,
}

/// What came from or went into a cache is part of the input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    pub(super) cache_read_input_tokens: Option<u64>,
    pub(super) cache_write_input_tokens: Option<u64>,
    pub(super) cost_usd: Option<f64>,
}

/// A line of a log of one request to the model. The last one has what it cost.
#[derive(Debug, Deserialize)]
pub(super) struct RequestLine {
    pub(super) usage: Option<Usage>,
}
