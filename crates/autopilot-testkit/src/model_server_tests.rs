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
