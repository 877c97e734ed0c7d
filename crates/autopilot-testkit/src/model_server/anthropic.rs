//! An answer in the format of Anthropic's Messages.

use serde_json::{Value, json};

use super::answer::{Answer, halves};
use super::event::Event;
use super::usage::Usage;

/// A stream tells the output only at its end; until then it stands at the one token a message begins with.
const FIRST_OUTPUT: u64 = 1;

pub(super) fn whole(answer: &Answer) -> Value {
    let usage = usage(answer.usage);
    let (content, stop) = (blocks(answer), stop(answer));
    json!({
        "id": id(answer), "type": "message", "role": "assistant", "model": answer.model,
        "content": content, "stop_reason": stop, "stop_sequence": null, "usage": usage,
    })
}

pub(super) fn events(answer: &Answer) -> Vec<Event> {
    let first_usage = usage(Usage { output: FIRST_OUTPUT, ..answer.usage });
    let message = json!({
        "id": id(answer), "type": "message", "role": "assistant", "model": answer.model,
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": first_usage,
    });
    let mut events = vec![event("message_start", json!({"message": message}))];
    for (index, block) in blocks(answer).iter().enumerate() {
        let (opening, deltas) = taken_apart(block);
        events
            .push(event("content_block_start", json!({"index": index, "content_block": opening})));
        let delta = |delta| event("content_block_delta", json!({"index": index, "delta": delta}));
        events.extend(deltas.into_iter().map(delta));
        events.push(event("content_block_stop", json!({"index": index})));
    }
    let delta = json!({"stop_reason": stop(answer), "stop_sequence": null});
    events.push(event("message_delta", json!({"delta": delta, "usage": usage(answer.usage)})));
    events.push(event("message_stop", json!({})));
    events
}

fn id(answer: &Answer) -> String {
    format!("msg_{:04}", answer.number)
}

fn stop<'a>(answer: &Answer<'a>) -> &'a str {
    let own = if answer.spoken.calls.is_empty() { "end_turn" } else { "tool_use" };
    answer.stop.unwrap_or(own)
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input, "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
        "service_tier": "standard",
    })
}

fn blocks(answer: &Answer) -> Vec<Value> {
    let thinking = answer.thinking;
    let thinking =
        thinking.map(|text| json!({"type": "thinking", "thinking": text, "signature": "c2lnbmVk"}));
    let text = answer.spoken.text.as_ref().map(|text| json!({"type": "text", "text": text}));
    let calls = answer.spoken.calls.iter().enumerate().map(|(index, call)| {
        let id = format!("toolu_{:04}_{index}", answer.number);
        json!({"type": "tool_use", "id": id, "name": call.name, "input": call.input})
    });
    thinking.into_iter().chain(text).chain(calls).collect()
}

/// How a block begins, and the pieces it comes in.
fn taken_apart(block: &Value) -> (Value, Vec<Value>) {
    let text = |name: &str| block[name].as_str().unwrap_or_default();
    match text("type") {
        "text" => {
            let delta = |piece: &str| json!({"type": "text_delta", "text": piece});
            let deltas = halves(text("text")).into_iter().map(delta).collect();
            (json!({"type": "text", "text": ""}), deltas)
        }
        "thinking" => {
            let deltas = vec![
                json!({"type": "thinking_delta", "thinking": text("thinking")}),
                json!({"type": "signature_delta", "signature": text("signature")}),
            ];
            (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
        }
        _ => {
            let input = block["input"].to_string();
            let delta = |piece: &str| json!({"type": "input_json_delta", "partial_json": piece});
            let deltas = halves(&input).into_iter().map(delta).collect();
            let opening =
                json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}});
            (opening, deltas)
        }
    }
}

/// Every event of this format repeats its name in its data.
fn event(name: &str, mut data: Value) -> Event {
    data["type"] = json!(name);
    Event::named(name, &data)
}
