//! Raw sockets against the server: what it sends, what it keeps, what it bounds, and that it ends.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;

const SOON: Duration = Duration::from_secs(20);

/// A client that closes after one request, and what it was sent: the status and all bytes behind the head.
fn post(server: &ModelServer, path: &str, body: &Value) -> (u16, String) {
    let body = body.to_string();
    let length = body.len();
    let head = format!("POST {path} HTTP/1.1\r\nhost: model\r\nx-api-key: secret\r\n");
    exchange(server, &format!("{head}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"))
}

fn exchange(server: &ModelServer, bytes: &str) -> (u16, String) {
    let mut stream = connect(server);
    stream.write_all(bytes.as_bytes()).unwrap();
    read_answer(&mut stream)
}

fn get(server: &ModelServer, path: &str) -> (u16, String) {
    exchange(server, &format!("GET {path} HTTP/1.1\r\nhost: model\r\nconnection: close\r\n\r\n"))
}

fn connect(server: &ModelServer) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream
}

/// 0 where nothing came.
fn read_answer(stream: &mut TcpStream) -> (u16, String) {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let status = text.split(' ').nth(1).map_or(0, |word| word.parse().unwrap());
    let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, body.to_string())
}

/// The data of the events in a chunked body, without the chunks around them.
fn events(body: &str) -> Vec<Value> {
    let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|data| serde_json::from_str(data).ok()).collect()
}

fn question(text: &str) -> Value {
    json!({
        "model": "m", "stream": true, "tools": [{"name": "Write"}],
        "messages": [{"role": "user", "content": text}],
    })
}

#[test]
fn an_anthropic_stream_has_its_blocks_its_usage_and_its_end() {
    let usage = Usage { input: 10, output: 20, cache_read: 3, cache_write: 4 };
    let step = Step::text("Two words").tool("Write", json!({"file_path": "a"})).usage(usage);
    let server = ModelServer::start(Script::new().step(step)).unwrap();
    let (status, body) = post(&server, "/v1/messages?beta=true", &question("hello"));
    assert!(body.ends_with("0\r\n\r\n"), "{body}");
    let events = events(&body);
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let block = ["content_block_start", "content_block_delta", "content_block_delta"];
    let block = [&block[..], &["content_block_stop"]].concat();
    let expected = [&["message_start"][..], &block, &block, &["message_delta", "message_stop"]];
    assert_eq!((status, kinds), (200, expected.concat()));
    let told = json!({
        "input_tokens": 10, "output_tokens": 20, "cache_read_input_tokens": 3,
        "cache_creation_input_tokens": 4, "service_tier": "standard",
    });
    assert_eq!(events[9]["usage"], told);
    assert_eq!(events[9]["delta"]["stop_reason"], "tool_use");
    let input: String =
        events[5..8].iter().filter_map(|event| event["delta"]["partial_json"].as_str()).collect();
    assert_eq!(input, "{\"file_path\":\"a\"}");
    assert_eq!(server.served(), usage);
    let requests = server.requests();
    assert_eq!(requests[0].by, AnsweredBy::Step(0));
    assert_eq!(requests[0].request.header("x-api-key"), Some("secret"));
    assert_eq!(requests[0].request.body, question("hello"));
}

/// Everything a body says in its texts, whatever the wire format calls them.
fn said(body: &str, pointers: &[&str]) -> String {
    let texts = events(body).into_iter().filter_map(|event| {
        pointers.iter().find_map(|at| event.pointer(at)?.as_str().map(str::to_string))
    });
    texts.collect()
}

#[test]
fn every_format_streams_text_calls_and_usage() {
    let usage = Usage { input: 10, output: 20, cache_read: 3, cache_write: 4 };
    let step = Step::text("Grüße dir").tool("Write", json!({"path": "a"})).usage(usage).always();
    let server = ModelServer::start(Script::new().step(step)).unwrap();
    let (_, body) = post(&server, "/v1/responses", &question("x"));
    let events_seen = events(&body);
    let last = &events_seen.last().unwrap()["response"];
    assert_eq!(said(&body, &["/delta"]), "Grüße dir{\"path\":\"a\"}");
    assert_eq!(last["output"][1]["arguments"], "{\"path\":\"a\"}");
    let details = json!({"cached_tokens": 3, "cache_write_tokens": 4});
    assert_eq!(last["usage"]["input_tokens_details"], details);
    assert_eq!(
        (&last["usage"]["input_tokens"], &last["status"]),
        (&17.into(), &"completed".into())
    );
    let (_, body) = post(&server, "/v1/chat/completions", &question("x"));
    assert_eq!(said(&body, &["/choices/0/delta/content"]), "Grüße dir");
    let call = "/choices/0/delta/tool_calls/0/function/arguments";
    assert_eq!(said(&body, &[call]), "{\"path\":\"a\"}");
    assert_eq!(events(&body).last().unwrap()["usage"]["total_tokens"], 37);
    assert!(body.contains("data: [DONE]\n\n"), "{body}");
    let path = "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";
    let (_, body) = post(&server, path, &question("x"));
    assert_eq!(said(&body, &["/candidates/0/content/parts/0/text"]), "Grüße dir");
    let last = events(&body).pop().unwrap();
    let call = &last["candidates"][0]["content"]["parts"][1]["functionCall"];
    assert_eq!((&call["name"], &call["args"]), (&"Write".into(), &json!({"path": "a"})));
    assert_eq!(last["usageMetadata"]["promptTokenCount"], 17);
    // Two of the three have no word for writing to a cache.
    let served = Usage { input: 10 + 14 + 14, output: 60, cache_read: 9, cache_write: 4 };
    assert_eq!(server.served(), served);
}

#[test]
fn every_format_answers_in_one_piece_when_no_stream_is_asked_for() {
    let step = Step::text("Hello").tool("Write", json!({})).always();
    let server = ModelServer::start(Script::new().step(step)).unwrap();
    let check = |path: &str, pointer: &str| {
        let mut question = question("x");
        question["stream"] = json!(false);
        let (status, body) = post(&server, path, &question);
        let body: Value = serde_json::from_str(&body).unwrap();
        let found = body.pointer(pointer).and_then(Value::as_str);
        assert_eq!((status, found), (200, Some("Hello")), "{path} {body}");
    };
    check("/v1/messages", "/content/0/text");
    check("/v1/responses", "/output/0/content/0/text");
    check("/v1/chat/completions", "/choices/0/message/content");
    check("/v1beta/models/g:generateContent", "/candidates/0/content/parts/0/text");
}

#[test]
fn models_and_counts_are_the_servers_own_and_take_no_step() {
    let server = ModelServer::start(Script::new().step(Step::text("Hello"))).unwrap();
    assert_eq!(get(&server, "/v1/models").0, 200);
    let counted = post(&server, "/v1/messages/count_tokens", &question("x"));
    assert_eq!(counted, (200, "{\"input_tokens\":100}".into()));
    let counted = post(&server, "/v1beta/models/g:countTokens", &question("x"));
    assert_eq!(counted, (200, "{\"totalTokens\":100}".into()));
    assert_eq!(get(&server, "/elsewhere").0, 404);
    let endings: Vec<_> = server.requests().iter().map(|one| (one.by, one.ending)).collect();
    let own = |ending| (AnsweredBy::Server, ending);
    let [whole, refused] = [Ending::Whole, Ending::Refused(404)].map(own);
    assert_eq!(endings, [whole, whole, whole, refused]);
    post(&server, "/v1/messages", &question("x"));
    assert_eq!(server.requests()[4].by, AnsweredBy::Step(0));
}

#[test]
fn a_request_without_tools_takes_no_step_and_is_counted_apart() {
    let server = ModelServer::start(Script::new().step(Step::text("Hello"))).unwrap();
    let mut title = question("a title, please");
    title["tools"] = json!([]);
    assert!(post(&server, "/v1/messages", &title).1.contains("script."));
    assert!(!post(&server, "/v1/messages", &question("x")).1.contains("script."));
    let beside = Usage { input: 5, output: 2, ..Usage::default() };
    let usual = Usage { input: 100, output: 20, ..Usage::default() };
    assert_eq!((server.served_beside(), server.served()), (beside, usual));
    let server =
        ModelServer::start(Script::new().step(Step::text("Hello")).toolless_too()).unwrap();
    post(&server, "/v1/messages", &title);
    assert_eq!(server.requests()[0].by, AnsweredBy::Step(0));
}

#[test]
fn steps_are_taken_in_order_by_those_they_are_for_and_as_often_as_they_say() {
    let script = Script::new()
        .choose(|request| (request.prompt() == "asked").then(|| Step::text("chosen")))
        .step(Step::text("red").when("rose").unless("white").times(2))
        .step(Step::text("any"))
        .otherwise(Step::text("late"));
    let server = ModelServer::start(script).unwrap();
    let by = |text: &str| {
        post(&server, "/v1/messages", &question(text));
        server.requests().last().unwrap().by
    };
    assert_eq!(by("a white rose"), AnsweredBy::Step(1));
    assert_eq!(by("a rose"), AnsweredBy::Step(0));
    assert_eq!(by("asked"), AnsweredBy::Choice);
    assert_eq!(by("a rose"), AnsweredBy::Step(0));
    assert_eq!(by("a rose"), AnsweredBy::Otherwise);
    let server = ModelServer::start(Script::new()).unwrap();
    let (status, body) = post(&server, "/v1/messages", &question("x"));
    assert!(status == 400 && body.contains("no step for this request"), "{body}");
}

#[test]
fn a_refusal_has_the_form_of_its_format_its_headers_and_no_cost() {
    let refusal = Step::status(429).header("retry-after", "7").always();
    let server = ModelServer::start(Script::new().step(refusal)).unwrap();
    let check = |path: &str, pointer: &str, expected: &str| {
        let (status, body) = post(&server, path, &question("x"));
        let body: Value = serde_json::from_str(&body).unwrap();
        let found = body.pointer(pointer).and_then(Value::as_str);
        assert_eq!((status, found), (429, Some(expected)), "{path} {body}");
    };
    check("/v1/messages", "/error/type", "rate_limit_error");
    check("/v1/responses", "/error/type", "rate_limit_exceeded");
    check("/v1/chat/completions", "/error/message", "scripted status 429");
    check("/v1beta/models/g:generateContent", "/error/status", "RESOURCE_EXHAUSTED");
    assert_eq!(server.served() + server.cut(), Usage::default());
    let mut stream = connect(&server);
    stream.write_all(&raw("/v1/messages", &question("x"), "connection: close")).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 429 Too Many Requests\r\n"), "{text}");
    assert!(text.contains("\r\nretry-after: 7\r\n"), "{text}");
    let told =
        Step::status(400).error("billing_error", "no money").error_fields(json!({"code": 9}));
    let server = ModelServer::start(Script::new().step(told)).unwrap();
    let (_, body) = post(&server, "/v1/messages", &question("x"));
    let error = json!({"type": "billing_error", "message": "no money", "code": 9});
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["error"], error);
}

fn raw(path: &str, body: &Value, header: &str) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len();
    let head = format!("POST {path} HTTP/1.1\r\n{header}\r\ncontent-length: {length}\r\n\r\n");
    format!("{head}{body}").into_bytes()
}
