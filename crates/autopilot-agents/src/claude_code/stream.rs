//! The lines of Claude Code's stream, as far as anybody asks. Every field may be missing and the order of keys differs, so
//! that a line is known by its `type` alone and read by what it is.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::activity::Spend;

/// What a line is, without a look at the rest: most lines are read no further.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Kind<'l> {
    #[serde(borrow)]
    pub r#type: Cow<'l, str>,
    #[serde(borrow)]
    pub subtype: Cow<'l, str>,
}

#[derive(Debug, Deserialize)]
pub(super) struct User {
    pub message: Message,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Init {
    pub model: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Retry {
    pub error: Option<String>,
}

/// One content block of a message; the same message comes once for each of its blocks.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Assistant {
    pub message: Message,
    /// What went wrong with the model, on the message that Claude Code writes in the model's place.
    pub error: Option<String>,
    pub api_error: Option<String>,
    pub api_error_params: Option<ApiErrorParams>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ApiErrorParams {
    pub rate_limit_info: Option<RateLimit>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message {
    pub id: String,
    pub content: Value,
    pub usage: Option<Usage>,
}

impl Message {
    pub(super) fn blocks(&self) -> impl Iterator<Item = Block> {
        let blocks = self.content.as_array().into_iter().flatten();
        blocks.filter_map(|block| Block::deserialize(block).ok())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block {
    pub r#type: String,
    pub text: String,
    pub id: String,
    pub name: String,
    pub input: Value,
    pub tool_use_id: String,
    pub is_error: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StreamEvent {
    pub event: PartEvent,
    pub api_message_id: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PartEvent {
    pub r#type: String,
    pub message: Option<Message>,
    pub usage: Option<Usage>,
}

/// Of one message, and it grows while the message comes.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub cache_read_input_tokens: Option<u64>,
    pub cache_creation_input_tokens: Option<u64>,
}

impl Usage {
    pub(super) fn spend(self) -> Spend {
        Spend {
            input_tokens: self.input_tokens.unwrap_or_default(),
            output_tokens: self.output_tokens.unwrap_or_default(),
            cache_read_tokens: self.cache_read_input_tokens.unwrap_or_default(),
            cache_write_tokens: self.cache_creation_input_tokens.unwrap_or_default(),
            usd_micros: None,
            is_estimate: false,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RateLimitEvent {
    pub rate_limit_info: RateLimit,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct RateLimit {
    pub status: String,
    pub resets_at: Option<u64>,
    pub is_using_overage: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Denied {
    pub message: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ResultLine {
    pub subtype: String,
    pub is_error: bool,
    pub result: Option<String>,
    pub structured_output: Option<Value>,
    pub api_error_status: Option<u16>,
    pub errors: Option<Vec<String>>,
    pub permission_denials: Option<Vec<Value>>,
    pub usage: Usage,
    #[serde(rename = "modelUsage")]
    pub model_usage: BTreeMap<String, ModelUsage>,
    pub total_cost_usd: Option<f64>,
}

/// Of all calls to one model since the process began, subagents included.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ModelUsage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_input_tokens: u64,
    pub cache_creation_input_tokens: u64,
    pub cost_basis: Option<String>,
}

impl ResultLine {
    /// What the process has spent by now. `usage` leaves subagents out, so it is asked only where there is nothing else.
    pub(super) fn total(&self) -> Spend {
        if self.model_usage.is_empty() {
            return self.usage.spend();
        }
        let models = self.model_usage.values();
        let tokens = models.fold(Spend::default(), |sum, model| Spend {
            input_tokens: sum.input_tokens.saturating_add(model.input_tokens),
            output_tokens: sum.output_tokens.saturating_add(model.output_tokens),
            cache_read_tokens: sum.cache_read_tokens.saturating_add(model.cache_read_input_tokens),
            cache_write_tokens: sum
                .cache_write_tokens
                .saturating_add(model.cache_creation_input_tokens),
            ..sum
        });
        Spend { usd_micros: self.usd_micros(), ..tokens }
    }

    /// Claude Code makes a price up for a model it does not know; such a price is none.
    fn usd_micros(&self) -> Option<u64> {
        let is_made_up = |model: &ModelUsage| model.cost_basis.as_deref() == Some("unknown");
        if self.model_usage.values().any(is_made_up) {
            return None;
        }
        let micros = (self.total_cost_usd? * 1e6).round();
        // Millionths of a dollar are exact up to nine billion dollars.
        (0.0..9e15).contains(&micros).then_some(micros).and_then(whole)
    }
}

fn whole(number: f64) -> Option<u64> {
    format!("{number:.0}").parse().ok()
}
