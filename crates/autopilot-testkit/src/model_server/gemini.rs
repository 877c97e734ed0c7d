//! An answer in the format of Gemini. A stream has the same objects as a whole answer, each with a part of it.

use serde_json::{Value, json};

use super::answer::{Answer, halves};
use super::event::Event;

pub(super) fn whole(answer: &Answer) -> Value {
    let text = answer.spoken.text.as_ref().map(|text| json!({"text": text}));
    let parts: Vec<Value> = text.into_iter().chain(calls(answer)).collect();
    finished(answer, json!(parts))
}

pub(super) fn events(answer: &Answer) -> Vec<Event> {
    let mut pieces = halves(answer.spoken.text.as_deref().unwrap_or_default());
    let last = if pieces.is_empty() { None } else { pieces.pop() };
    let begun = pieces.into_iter().map(|piece| object(answer, json!([{"text": piece}])));
    let last = last.map(|piece| json!({"text": piece}));
    let parts: Vec<Value> = last.into_iter().chain(calls(answer)).collect();
    let objects = begun.chain([finished(answer, json!(parts))]);
    objects.map(|object| Event::data(&object)).collect()
}

fn object(answer: &Answer, parts: Value) -> Value {
    let content = json!({"role": "model", "parts": parts});
    json!({
        "candidates": [{"content": content, "index": 0}],
        "modelVersion": answer.model, "responseId": format!("response-{:04}", answer.number),
    })
}

fn finished(answer: &Answer, parts: Value) -> Value {
    let usage = answer.usage;
    let mut object = object(answer, parts);
    object["candidates"][0]["finishReason"] = json!(answer.stop.unwrap_or("STOP"));
    object["usageMetadata"] = json!({
        "promptTokenCount": usage.input_in_all(), "candidatesTokenCount": usage.output,
        "totalTokenCount": usage.input_in_all() + usage.output,
        "cachedContentTokenCount": usage.cache_read,
    });
    object
}

fn calls(answer: &Answer) -> impl Iterator<Item = Value> {
    answer.spoken.calls.iter().enumerate().map(|(index, call)| {
        let id = format!("call_{:04}_{index}", answer.number);
        json!({"functionCall": {"id": id, "name": call.name, "args": call.input}})
    })
}
