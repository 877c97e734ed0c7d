//! An answer in the format of OpenAI's Chat Completions, which many other servers speak too.

use serde_json::{Value, json};

use super::answer::{Answer, halves};
use super::event::Event;

const CREATED: u64 = 1_700_000_000;

pub(super) fn whole(answer: &Answer) -> Value {
    let mut message = json!({"role": "assistant", "content": answer.spoken.text});
    let calls = calls(answer);
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": finish(answer)});
    json!({
        "id": id(answer), "object": "chat.completion", "created": CREATED, "model": answer.model,
        "choices": [choice], "usage": usage(answer),
    })
}

pub(super) fn events(answer: &Answer) -> Vec<Event> {
    let chunk = |choices: Value| {
        json!({
            "id": id(answer), "object": "chat.completion.chunk", "created": CREATED,
            "model": answer.model, "choices": choices,
        })
    };
    let said = |delta: Value, finish: Option<&str>| {
        Event::data(&chunk(json!([{"index": 0, "delta": delta, "finish_reason": finish}])))
    };
    let mut events = vec![said(json!({"role": "assistant", "content": ""}), None)];
    for piece in halves(answer.spoken.text.as_deref().unwrap_or_default()) {
        events.push(said(json!({"content": piece}), None));
    }
    for (index, mut call) in calls(answer).into_iter().enumerate() {
        call["index"] = json!(index);
        events.push(said(json!({"tool_calls": [call]}), None));
    }
    events.push(said(json!({}), Some(finish(answer))));
    let mut last = chunk(json!([]));
    last["usage"] = usage(answer);
    events.push(Event::data(&last));
    events.push(Event::raw("[DONE]"));
    events
}

fn id(answer: &Answer) -> String {
    format!("chatcmpl-{:04}", answer.number)
}

fn finish<'a>(answer: &Answer<'a>) -> &'a str {
    let own = if answer.spoken.calls.is_empty() { "stop" } else { "tool_calls" };
    answer.stop.unwrap_or(own)
}

fn calls(answer: &Answer) -> Vec<Value> {
    let call = |(index, call): (usize, &super::step::ToolCall)| {
        let function = json!({"name": call.name, "arguments": call.input.to_string()});
        json!({"id": format!("call_{:04}_{index}", answer.number), "type": "function", "function": function})
    };
    answer.spoken.calls.iter().enumerate().map(call).collect()
}

fn usage(answer: &Answer) -> Value {
    let usage = answer.usage;
    json!({
        "prompt_tokens": usage.input_in_all(), "completion_tokens": usage.output,
        "total_tokens": usage.input_in_all() + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
    })
}
