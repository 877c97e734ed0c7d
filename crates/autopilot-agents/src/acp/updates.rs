//! What the agent tells on the way, and what it answers in the end, as lines of ours. Every text is cut to a bound here, before it is
//! printed.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, Meta, PromptResponse, RequestPermissionRequest, SessionUpdate,
    StopReason, ToolCallContent, ToolCallLocation, ToolCallUpdateFields, ToolKind,
};
use serde_json::Value;

use super::line::{Line, Stop, Usage};
use crate::bounded_text::start_of;
use crate::limits;

pub(super) fn line(update: SessionUpdate) -> Option<Line> {
    match update {
        SessionUpdate::AgentMessageChunk(chunk) => Some(Line::Said { text: text(chunk)? }),
        SessionUpdate::AgentThoughtChunk(chunk) => {
            let text = start_of(&text(chunk)?, limits::ACTIVITY_BYTES_MAX);
            Some(Line::Thought { text })
        }
        SessionUpdate::ToolCall(call) => Some(Line::Tool {
            id: short(&call.tool_call_id.to_string()),
            kind: word(&call.kind),
            title: Some(short(&call.title)),
            status: word(&call.status),
            paths: paths(&call.content, &call.locations),
        }),
        SessionUpdate::ToolCallUpdate(update) => {
            Some(tool(short(&update.tool_call_id.to_string()), &update.fields))
        }
        SessionUpdate::UsageUpdate(update) => {
            let cost = update.cost.filter(|cost| cost.currency == "USD")?;
            Some(Line::Cost { usd_micros: micros(cost.amount) })
        }
        // Plans, titles, commands and modes are for editors.
        _ => None,
    }
}

pub(super) fn asked(request: &RequestPermissionRequest, is_allowed: bool) -> Line {
    let call = &request.tool_call;
    Line::Asked {
        id: short(&call.tool_call_id.to_string()),
        kind: call.fields.kind.as_ref().and_then(word),
        title: call.fields.title.as_deref().map(short),
        is_allowed,
    }
}

pub(super) fn kind_of(request: &RequestPermissionRequest) -> Option<ToolKind> {
    request.tool_call.fields.kind
}

pub(super) fn ended(response: &PromptResponse) -> Line {
    let stop = match response.stop_reason {
        StopReason::EndTurn => Stop::EndTurn,
        StopReason::MaxTokens => Stop::MaxTokens,
        StopReason::MaxTurnRequests => Stop::MaxTurnRequests,
        StopReason::Refusal => Stop::Refusal,
        StopReason::Cancelled => Stop::Cancelled,
        _ => Stop::Other,
    };
    let usage = response.usage.as_ref().map(|usage| Usage {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cache_read: usage.cached_read_tokens.unwrap_or_default(),
        cache_write: usage.cached_write_tokens.unwrap_or_default(),
    });
    Line::Ended { stop, usage: usage.or_else(|| response.meta.as_ref().and_then(quota)) }
}

/// Where it is told before the protocol has a field for it: what came from a cache is then part of the input.
fn quota(meta: &Meta) -> Option<Usage> {
    let count = meta.get("quota")?.get("token_count")?;
    let number = |name: &str| count.get(name).and_then(Value::as_u64);
    let (input, output) = (number("input_tokens")?, number("output_tokens")?);
    Some(Usage { input, output, ..Usage::default() })
}

pub(super) fn failed(error: &Error) -> Line {
    let field = |name: &str| error.data.as_ref().and_then(|data| data.get(name));
    let status = field("statusCode").or_else(|| field("status")).and_then(Value::as_u64);
    Line::Failed {
        code: error.code.value(),
        kind: field("errorKind").and_then(Value::as_str).map(short),
        status: status.and_then(|status| u16::try_from(status).ok()),
        message: start_of(&error.message, limits::SAID_BYTES_MAX),
    }
}

fn tool(id: String, fields: &ToolCallUpdateFields) -> Line {
    let content = fields.content.as_deref().unwrap_or_default();
    let locations = fields.locations.as_deref().unwrap_or_default();
    Line::Tool {
        id,
        kind: fields.kind.as_ref().and_then(word),
        title: fields.title.as_deref().map(short),
        status: fields.status.as_ref().and_then(word),
        paths: paths(content, locations),
    }
}

/// The files that a call is about: those it shows a difference of, else those it points at.
fn paths(content: &[ToolCallContent], locations: &[ToolCallLocation]) -> Vec<String> {
    let shown = content.iter().filter_map(|content| match content {
        ToolCallContent::Diff(diff) => Some(diff.path.display().to_string()),
        _ => None,
    });
    let mut paths: Vec<String> = shown.take(limits::CALL_PATHS_MAX).collect();
    if paths.is_empty() {
        let named = locations.iter().map(|location| location.path.display().to_string());
        paths = named.take(limits::CALL_PATHS_MAX).collect();
    }
    paths.iter().map(|path| start_of(path, limits::ACTIVITY_BYTES_MAX)).collect()
}

fn text(chunk: ContentChunk) -> Option<String> {
    match chunk.content {
        ContentBlock::Text(text) => Some(start_of(&text.text, limits::ANSWER_BYTES_MAX)),
        _ => None,
    }
}

/// As the protocol spells a value of its lists.
fn word(value: &impl serde::Serialize) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_string)
}

fn short(text: &str) -> String {
    start_of(text, limits::SUMMARY_BYTES_MAX)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float stops at the ends of the integer, and costs are small"
)]
fn micros(usd: f64) -> u64 {
    (usd * 1_000_000.0).round() as u64
}
