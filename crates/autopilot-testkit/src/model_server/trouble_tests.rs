//! Raw sockets: what goes wrong on purpose, what is bounded, and that nothing of the server outlives it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;

const SOON: Duration = Duration::from_secs(20);
const USUAL: Usage = Usage { input: 100, output: 20, cache_read: 0, cache_write: 0 };

fn connect(server: &ModelServer) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream
}

fn question(path: &str) -> Vec<u8> {
    let body = json!({"model": "m", "stream": true, "tools": [{"name": "Write"}]}).to_string();
    let length = body.len();
    let head = format!("POST {path} HTTP/1.1\r\nhost: model\r\ncontent-length: {length}\r\n\r\n");
    format!("{head}{body}").into_bytes()
}

fn sent(server: &ModelServer, bytes: &[u8]) -> TcpStream {
    let mut stream = connect(server);
    stream.write_all(bytes).unwrap();
    stream
}

/// Until the server closes.
fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset instead of an end is the same here: no more comes.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

/// Until these words came.
fn until(stream: &mut TcpStream, words: &str) -> String {
    let mut bytes = Vec::new();
    let mut one = [0];
    while !String::from_utf8_lossy(&bytes).contains(words) {
        assert_eq!(stream.read(&mut one).unwrap(), 1, "{}", String::from_utf8_lossy(&bytes));
        bytes.push(one[0]);
    }
    String::from_utf8(bytes).unwrap()
}

fn with(trouble: Trouble) -> ModelServer {
    let step = Step::text("Hello you").trouble(trouble).always();
    ModelServer::start(Script::new().step(step)).unwrap()
}

const PATHS: [&str; 4] = [
    "/v1/messages",
    "/v1/responses",
    "/v1/chat/completions",
    "/v1beta/models/g:streamGenerateContent",
];

#[test]
fn a_dropped_answer_ends_without_its_end_and_counts_as_cut() {
    for path in PATHS {
        let server = with(Trouble::DroppedBefore);
        assert_eq!(rest(&mut sent(&server, &question(path))), "", "{path}");
        assert_eq!((server.served(), server.cut()), (Usage::default(), USUAL), "{path}");
        let server = with(Trouble::DroppedInStream);
        let text = rest(&mut sent(&server, &question(path)));
        assert!(text.starts_with("HTTP/1.1 200") && text.contains("data: "), "{path} {text}");
        assert!(!text.ends_with("0\r\n\r\n"), "{path} {text}");
        assert_eq!(server.requests()[0].ending, Ending::Cut, "{path}");
    }
}

#[test]
fn a_broken_stream_has_an_event_that_is_no_json() {
    for path in PATHS {
        let server = with(Trouble::InvalidJson);
        let text = until(&mut sent(&server, &question(path)), "\r\n0\r\n\r\n");
        let data: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
        let broken = data.iter().filter(|data| serde_json::from_str::<Value>(data).is_err());
        assert_eq!(broken.count(), 1, "{path} {text}");
    }
}

#[test]
fn an_error_can_come_inside_of_a_stream() {
    for path in PATHS {
        let server = with(Trouble::ErrorEvent {
            kind: "overloaded_error".into(),
            message: "too much".into(),
        });
        let text = until(&mut sent(&server, &question(path)), "\r\n0\r\n\r\n");
        let last = text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap();
        assert!(last.contains("overloaded_error") && last.contains("too much"), "{path} {text}");
        assert_eq!(server.cut(), USUAL, "{path}");
    }
}

#[test]
fn a_stream_that_ends_early_is_in_good_order() {
    let server = with(Trouble::EndsEarly);
    let text = until(&mut sent(&server, &question("/v1/messages")), "\r\n0\r\n\r\n");
    assert!(text.contains("message_start") && !text.contains("message_stop"), "{text}");
}

#[test]
fn trouble_in_a_stream_is_trouble_in_the_body_where_there_is_none() {
    let answer = |trouble: Trouble| {
        let server = with(trouble);
        let body = json!({"tools": [{"name": "Write"}]}).to_string();
        let head = "POST /v1/messages HTTP/1.1\r\nconnection: close\r\ncontent-length";
        let text = format!("{head}: {}\r\n\r\n{body}", body.len());
        let text = rest(&mut sent(&server, text.as_bytes()));
        assert_eq!(server.served(), Usage::default());
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let length = head.split_once("content-length: ").unwrap().1.lines().next().unwrap();
        let is_all_there = body.len() == length.parse::<usize>().unwrap();
        (head[9..12].to_string(), is_all_there, serde_json::from_str::<Value>(body).is_ok())
    };
    assert_eq!(answer(Trouble::InvalidJson), ("200".into(), true, false));
    assert_eq!(answer(Trouble::DroppedInStream), ("200".into(), false, false));
    let overloaded = Trouble::ErrorEvent { kind: "overloaded_error".into(), message: "m".into() };
    assert_eq!(answer(overloaded), ("529".into(), true, true));
}

#[test]
fn silence_lasts_until_the_client_leaves() {
    for (trouble, first) in
        [(Trouble::SilentBefore, ""), (Trouble::SilentInStream, "message_start")]
    {
        let server = with(trouble);
        let mut stream = sent(&server, &question("/v1/messages"));
        until(&mut stream, first);
        assert!(server.wait_until(SOON, |seen| seen.iter().any(|one| one.ending == Ending::Cut)));
        drop(stream);
        assert!(server.wait_until_alone(SOON));
    }
}

#[test]
fn signs_of_life_come_where_the_format_has_them() {
    let server = with(Trouble::PingsInStream);
    until(&mut sent(&server, &question("/v1/messages")), "event: ping");
    until(&mut sent(&server, &question("/v1/responses")), ": ping");
}

#[test]
fn everything_ends_when_the_server_is_dropped() {
    for trouble in [Trouble::SilentBefore, Trouble::SilentInStream, Trouble::PingsInStream] {
        let server = with(trouble);
        let mut waiting = sent(&server, &question("/v1/messages"));
        let mut idle = connect(&server);
        let mut half = sent(&server, b"POST /v1/messages HTTP/1.1\r\ncontent-length: 9\r\n\r\n{");
        assert!(server.wait_until(SOON, |seen| seen.len() == 1));
        let address = server.address();
        let started = Instant::now();
        drop(server);
        assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
        for stream in [&mut waiting, &mut idle, &mut half] {
            rest(stream);
        }
        assert!(TcpStream::connect(address).is_err());
    }
    let delayed = Step::text("late").delay(Duration::from_secs(600));
    let server = ModelServer::start(Script::new().step(delayed)).unwrap();
    let mut stream = sent(&server, &question("/v1/messages"));
    assert!(server.wait_until(SOON, |seen| seen.len() == 1));
    drop(server);
    assert_eq!(rest(&mut stream), "");
}

#[test]
fn its_time_its_requests_and_its_connections_are_bounded() {
    let bounds = Bounds { life_max: Duration::from_millis(50), ..Bounds::default() };
    let server = ModelServer::bounded(Script::new(), bounds).unwrap();
    let mut stream = connect(&server);
    rest(&mut stream);
    assert!(server.is_over_within(SOON));
    let bounds = Bounds { requests_max: 1, ..Bounds::default() };
    let script = Script::new().step(Step::text("Hello").always());
    let server = ModelServer::bounded(script, bounds).unwrap();
    let mut stream = sent(&server, &question("/v1/messages"));
    until(&mut stream, "\r\n0\r\n\r\n");
    stream.write_all(&question("/v1/messages")).unwrap();
    assert!(rest(&mut stream).contains("as many requests as it may"));
    assert_eq!(server.requests().len(), 1);
    let bounds = Bounds { connections_max: 1, ..Bounds::default() };
    let server = ModelServer::bounded(Script::new(), bounds).unwrap();
    let first = sent(&server, b"GET /v1/models HTTP/1.1\r\n\r\n");
    assert!(server.wait_until(SOON, |seen| seen.len() == 1));
    assert_eq!(rest(&mut sent(&server, b"GET /v1/models HTTP/1.1\r\n\r\n")), "");
    drop(first);
    assert!(server.wait_until_alone(SOON));
    until(&mut sent(&server, b"GET /v1/models HTTP/1.1\r\n\r\n"), "scripted");
}

#[test]
fn what_is_no_request_is_refused_and_closed() {
    let bounds = Bounds { request_bytes_max: 100, ..Bounds::default() };
    let server = ModelServer::bounded(Script::new(), bounds).unwrap();
    let check = |bytes: &str, expected: &str| {
        let text = rest(&mut sent(&server, bytes.as_bytes()));
        assert!(text.starts_with(&format!("HTTP/1.1 {expected}")), "{bytes:?}: {text}");
    };
    let head = "POST /v1/messages HTTP/1.1\r\n";
    check("nonsense\r\n\r\n", "400");
    check("GET /v1/models HTTP/2\r\n\r\n", "400");
    check(&format!("{head}no colon\r\n\r\n"), "400");
    check(&format!("{head}content-length: many\r\n\r\n"), "400");
    check(&format!("{head}content-length: 101\r\n\r\n"), "413");
    check(&format!("{head}content-length: 99999999999999999999\r\n\r\n"), "400");
    check(&format!("{head}transfer-encoding: chunked\r\n\r\n{:x}\r\n", 101), "413");
    check(&format!("{head}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n"), "413");
    check(&format!("{head}transfer-encoding: chunked\r\n\r\nmany\r\n"), "400");
    check(&format!("{head}content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{{}}"), "415");
    check(&format!("{head}x: {}\r\n\r\n", "y".repeat(70_000)), "413");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn bodies_come_in_chunks_after_leave_and_one_after_the_other() {
    let server = ModelServer::start(Script::new().step(Step::text("Hello").always())).unwrap();
    let mut stream = sent(
        &server,
        b"POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
    );
    until(&mut stream, "HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"8\r\n{\"tools\"\r\n7;x=y\r\n:[null]\r\n1\r\n}\r\n0\r\n\r\n").unwrap();
    until(&mut stream, "\"Hello\"");
    stream.write_all(&question("/v1/messages")).unwrap();
    until(&mut stream, "\r\n0\r\n\r\n");
    let requests = server.requests();
    assert_eq!(requests[0].request.body, json!({"tools": [null]}));
    assert_eq!((requests.len(), requests[1].ending), (2, Ending::Whole));
    let text = "POST /v1/messages HTTP/1.1\r\ncontent-length: 4\r\nconnection: close\r\n\r\nnope";
    rest(&mut sent(&server, text.as_bytes()));
    assert_eq!(server.requests()[2].request.body, json!("nope"));
}
