//! An HTTP error as each wire format words it.

use serde_json::{Value, json};

use super::request::Wire;
use super::step::Refusal;

pub(super) fn body(refusal: &Refusal, wire: Wire, number: usize) -> Value {
    let message = refusal.message.clone();
    let message = message.unwrap_or_else(|| format!("scripted status {}", refusal.status));
    let kind = refusal.kind.clone().unwrap_or_else(|| usual_kind(refusal.status, wire).into());
    let mut error = match wire {
        Wire::AnthropicMessages => json!({"type": kind, "message": message}),
        Wire::OpenAiResponses | Wire::OpenAiChat => {
            json!({"message": message, "type": kind, "param": null, "code": null})
        }
        Wire::Gemini => json!({"code": refusal.status, "message": message, "status": kind}),
    };
    if let (Some(error), Some(more)) = (error.as_object_mut(), refusal.more.as_object()) {
        error.extend(more.clone());
    }
    match wire {
        Wire::AnthropicMessages => {
            json!({"type": "error", "error": error, "request_id": format!("req_{number}")})
        }
        Wire::OpenAiResponses | Wire::OpenAiChat | Wire::Gemini => json!({"error": error}),
    }
}

/// What an error inside of a stream is where there is no stream.
pub(super) fn of_event(kind: &str, message: &str) -> Refusal {
    let status = match kind {
        "overloaded_error" => 529,
        "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => 429,
        _ => 500,
    };
    let (kind, message) = (Some(kind.to_string()), Some(message.to_string()));
    Refusal { status, kind, message, more: Value::Null }
}

fn usual_kind(status: u16, wire: Wire) -> &'static str {
    match wire {
        Wire::AnthropicMessages => match status {
            400 => "invalid_request_error",
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            _ => "api_error",
        },
        Wire::OpenAiResponses | Wire::OpenAiChat => match status {
            400 | 401 | 403 | 404 => "invalid_request_error",
            429 => "rate_limit_exceeded",
            _ => "server_error",
        },
        Wire::Gemini => match status {
            400 => "INVALID_ARGUMENT",
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            429 => "RESOURCE_EXHAUSTED",
            500 => "INTERNAL",
            503 => "UNAVAILABLE",
            _ => "UNKNOWN",
        },
    }
}
