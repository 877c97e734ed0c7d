//! Who said what in a request, read the same way from every wire format, so that a script can be about the conversation and
//! not about its form.

use serde_json::Value;

use super::request::Wire;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Rules for the model.
    System,
    User,
    Model,
    /// What came back from a tool the model asked for.
    Tool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub who: Who,
    /// For a tool call its name and its input as JSON.
    pub text: String,
}

pub(super) fn read(wire: Wire, body: &Value) -> Vec<Said> {
    let mut said = Vec::new();
    match wire {
        Wire::AnthropicMessages => {
            parts(&body["system"], Who::System, &mut said);
            for message in items(&body["messages"]) {
                parts(&message["content"], role(message), &mut said);
            }
        }
        Wire::OpenAiResponses => {
            parts(&body["instructions"], Who::System, &mut said);
            match &body["input"] {
                Value::String(text) => add(Who::User, text, &mut said),
                input => items(input).for_each(|item| part(item, role(item), &mut said)),
            }
        }
        Wire::OpenAiChat => {
            for message in items(&body["messages"]) {
                parts(&message["content"], role(message), &mut said);
                for call in items(&message["tool_calls"]) {
                    let function = &call["function"];
                    called(&function["name"], &function["arguments"], &mut said);
                }
            }
        }
        Wire::Gemini => {
            parts(&body["systemInstruction"]["parts"], Who::System, &mut said);
            for content in items(&body["contents"]) {
                parts(&content["parts"], role(content), &mut said);
            }
        }
    }
    said
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn role(message: &Value) -> Who {
    match message["role"].as_str() {
        Some("assistant" | "model") => Who::Model,
        Some("system" | "developer") => Who::System,
        Some("tool" | "function") => Who::Tool,
        Some(_) | None => Who::User,
    }
}

/// A text, or a list of parts.
fn parts(value: &Value, who: Who, said: &mut Vec<Said>) {
    match value {
        Value::String(text) => add(who, text, said),
        list => items(list).for_each(|item| part(item, who, said)),
    }
}

fn part(item: &Value, who: Who, said: &mut Vec<Said>) {
    match item["type"].as_str() {
        Some("tool_use") => called(&item["name"], &item["input"], said),
        Some("function_call") => called(&item["name"], &item["arguments"], said),
        Some("custom_tool_call") => called(&item["name"], &item["input"], said),
        Some("tool_result") => parts(&item["content"], Who::Tool, said),
        Some("function_call_output" | "custom_tool_call_output") => {
            parts(&item["output"], Who::Tool, said);
        }
        Some("message") => parts(&item["content"], role(item), said),
        Some(_) | None => untyped(item, who, said),
    }
}

fn untyped(item: &Value, who: Who, said: &mut Vec<Said>) {
    let (call, response) = (&item["functionCall"], &item["functionResponse"]);
    if call.is_object() {
        called(&call["name"], &call["args"], said);
    } else if response.is_object() {
        add(Who::Tool, &response["response"].to_string(), said);
    } else if let Some(text) = item["text"].as_str() {
        add(who, text, said);
    }
}

fn called(name: &Value, input: &Value, said: &mut Vec<Said>) {
    let input = input.as_str().map_or_else(|| input.to_string(), str::to_string);
    add(Who::Model, &format!("{} {input}", name.as_str().unwrap_or_default()), said);
}

fn add(who: Who, text: &str, said: &mut Vec<Said>) {
    said.push(Said { who, text: text.to_string() });
}
