//! The lines of `goose run --output-format stream-json` and of its logs, as far as they mean something here. Fields come and
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

/// A line of its logs: of one request to the model, of which the last has what it cost, or of what it does.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LogLine {
    pub(super) usage: Option<Usage>,
    fields: Fields,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Fields {
    message: String,
}

/// A request that failed and will be tried again, which its stream does not say.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Failing {
    pub(super) is_limit: bool,
    /// How long it waits, where its server told it to.
    pub(super) wait_s: Option<u64>,
}

impl LogLine {
    pub(super) fn failing(&self) -> Option<Failing> {
        let told = self.fields.message.strip_prefix("Request failed, retrying (")?;
        let (_, error) = told.split_once("): ")?;
        let delay = error.rsplit_once("retry_delay: Some(").map(|(_, rest)| rest);
        let digits = |text: &str| text.split(|it: char| !it.is_ascii_digit()).next()?.parse().ok();
        Some(Failing {
            is_limit: error.starts_with("RateLimitExceeded"),
            // Under a second it is written in thousandths of one.
            wait_s: delay.filter(|delay| !delay.contains("ms)")).and_then(digits),
        })
    }
}
