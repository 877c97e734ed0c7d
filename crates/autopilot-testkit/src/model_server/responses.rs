//! An answer in the format of OpenAI's Responses.

use serde_json::{Value, json};

use super::answer::{Answer, halves};
use super::event::Event;

pub(super) fn whole(answer: &Answer) -> Value {
    let usage = answer.usage;
    let usage = json!({
        "input_tokens": usage.input_in_all(),
        "input_tokens_details": {
            "cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write,
        },
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input_in_all() + usage.output,
    });
    response(answer, "completed", json!(items(answer)), usage)
}

pub(super) fn events(answer: &Answer) -> Vec<Event> {
    let begun = response(answer, "in_progress", json!([]), Value::Null);
    let mut told = vec![("response.created", json!({"response": begun}))];
    for (index, item) in items(answer).into_iter().enumerate() {
        told.extend(item_events(index, &item));
    }
    told.push(("response.completed", json!({"response": whole(answer)})));
    told.into_iter().enumerate().map(|(number, (name, data))| event(number, name, data)).collect()
}

/// The event of a response that came to nothing.
pub(super) fn failed(answer: &Answer, kind: &str, message: &str) -> Event {
    let mut response = response(answer, "failed", json!([]), Value::Null);
    response["error"] = json!({"code": kind, "message": message});
    event(1, "response.failed", json!({"response": response}))
}

fn response(answer: &Answer, status: &str, output: Value, usage: Value) -> Value {
    json!({
        "id": format!("resp_{:04}", answer.number), "object": "response", "created_at": 1_700_000_000,
        "status": status, "model": answer.model, "output": output, "usage": usage,
    })
}

fn items(answer: &Answer) -> Vec<Value> {
    let number = answer.number;
    let message = answer.spoken.text.as_ref().map(|text| {
        let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
        json!({
            "type": "message", "id": format!("msg_{number:04}"), "role": "assistant",
            "status": "completed", "content": content,
        })
    });
    let calls = answer.spoken.calls.iter().enumerate().map(|(index, call)| {
        let call_id = format!("call_{number:04}_{index}");
        let mut item = match call.is_free_form {
            true => json!({"type": "custom_tool_call", "id": format!("ctc_{call_id}"), "input": call.input}),
            false => {
                let arguments = call.input.to_string();
                json!({"type": "function_call", "id": format!("fc_{call_id}"), "arguments": arguments})
            }
        };
        item["call_id"] = json!(call_id);
        item["name"] = json!(call.name);
        item["status"] = json!("completed");
        if let Some(namespace) = &call.namespace {
            item["namespace"] = json!(namespace);
        }
        item
    });
    message.into_iter().chain(calls).collect()
}

fn item_events(index: usize, item: &Value) -> Vec<(&'static str, Value)> {
    let id = &item["id"];
    let mut begun = item.clone();
    begun["status"] = json!("in_progress");
    let mut told = Vec::new();
    match item["type"].as_str() {
        Some("message") => {
            begun["content"] = json!([]);
            let text = item["content"][0]["text"].as_str().unwrap_or_default();
            let empty = json!({"type": "output_text", "text": "", "annotations": []});
            let place = json!({"output_index": index, "item_id": id, "content_index": 0});
            told.push(("response.content_part.added", with(&place, "part", empty)));
            for piece in halves(text) {
                told.push(("response.output_text.delta", with(&place, "delta", json!(piece))));
            }
            told.push(("response.output_text.done", with(&place, "text", json!(text))));
            told.push((
                "response.content_part.done",
                with(&place, "part", item["content"][0].clone()),
            ));
        }
        Some("function_call") => {
            begun["arguments"] = json!("");
            let place = json!({"output_index": index, "item_id": id});
            let arguments = item["arguments"].as_str().unwrap_or_default();
            for piece in halves(arguments) {
                let delta = with(&place, "delta", json!(piece));
                told.push(("response.function_call_arguments.delta", delta));
            }
            let done = with(&place, "arguments", json!(arguments));
            told.push(("response.function_call_arguments.done", done));
        }
        Some(_) | None => begun["input"] = json!(""),
    }
    let added = ("response.output_item.added", json!({"output_index": index, "item": begun}));
    told.insert(0, added);
    told.push(("response.output_item.done", json!({"output_index": index, "item": item})));
    told
}

fn with(place: &Value, name: &str, value: Value) -> Value {
    let mut data = place.clone();
    data[name] = value;
    data
}

fn event(number: usize, name: &str, mut data: Value) -> Event {
    data["type"] = json!(name);
    data["sequence_number"] = json!(number);
    Event::named(name, &data)
}
