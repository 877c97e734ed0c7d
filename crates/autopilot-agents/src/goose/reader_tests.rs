//! goose's lines and what they come to.

use super::*;

/// As goose 1.52.0 printed them.
const SAID: &str = r#"{"type":"message","message":{"id":"msg_48","role":"assistant","created":1794823769,"content":[{"type":"text","text":"I write it."}],"metadata":{"userVisible":true,"agentVisible":true,"inference":{"provider":"anthropic","requestedModel":"claude-sonnet-4-5"}}}}"#;
const CALLED: &str = r#"{"type":"message","message":{"id":"msg_48","role":"assistant","created":1794823769,"content":[{"type":"toolRequest","id":"toolu_01","toolCall":{"status":"success","value":{"name":"write","arguments":{"path":"made/hello.txt","content":"hi\n"}}},"_meta":{"goose_extension":"developer"}}],"metadata":{"userVisible":true,"agentVisible":true,"inference":{"provider":"anthropic","requestedModel":"claude-sonnet-4-5"}}}}"#;
const WROTE: &str = r#"{"type":"message","message":{"id":"msg_ed","role":"user","created":1794823769,"content":[{"type":"toolResponse","id":"toolu_01","toolResult":{"status":"success","value":{"resultType":"complete","content":[{"type":"text","text":"Created made/hello.txt (1 lines)"}],"isError":false}}}],"metadata":{"userVisible":true,"agentVisible":true}}}"#;
const ALMOST: &str = r#"{"type":"message","message":{"id":"msg_0a","role":"assistant","created":1794823769,"content":[{"type":"text","text":"Done. "}],"metadata":{"inference":{"provider":"anthropic","requestedModel":"claude-sonnet-4-5"}}}}"#;
const DONE: &str = r#"{"type":"message","message":{"id":"msg_0a","role":"assistant","created":1794823769,"content":[{"type":"text","text":"All."}],"metadata":{"inference":{"provider":"anthropic","requestedModel":"claude-sonnet-4-5"}}}}"#;
const COMPLETE: &str = r#"{"type":"complete","total_tokens":3020,"input_tokens":2900,"output_tokens":120,"cache_read_input_tokens":600,"cache_write_input_tokens":200,"cost_usd":0.00903}"#;
const NOTHING: &str = r#"{"type":"complete","total_tokens":0,"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":0,"cache_write_input_tokens":0}"#;
/// Of its log of the first request.
const COST: &str = r#"{"data":null,"usage":{"input_tokens":1500,"output_tokens":50,"total_tokens":1550,"cache_read_input_tokens":300,"cache_write_input_tokens":200}}"#;
const REFUSED: [&str; 2] = [
    r#"{"type":"message","message":{"id":"msg_1a","role":"assistant","created":1794823777,"content":[{"type":"error","kind":"authentication","message":"Ran into this error: Something: 401."}],"metadata":{"userVisible":true,"agentVisible":false}}}"#,
    r#"{"type":"error","error":"Ran into this error: Something: 401."}"#,
];

const WORK: [&str; 6] = [SAID, CALLED, WROTE, ALMOST, DONE, COMPLETE];

fn reader() -> Box<GooseReader> {
    Box::new(GooseReader::new("/own/logs".into()))
}

fn concluded(lines: &[&str], how: How) -> Ending {
    let mut reader = reader();
    for line in lines {
        reader.read_line(line.as_bytes());
    }
    reader.conclude(&Stopped { how, said: "why".into() })
}

/// What goose says itself names no model.
fn own(text: &str) -> String {
    let message = serde_json::json!({
        "id": "msg_54", "role": "assistant", "created": 1, "content": [{"type": "text", "text": text}],
        "metadata": {"userVisible": true, "agentVisible": true},
    });
    serde_json::json!({"type": "message", "message": message}).to_string()
}

fn ended_by(text: &str) -> Ending {
    concluded(&[&own(text), NOTHING], How::Exited(0))
}

#[test]
fn what_it_does_and_spends_is_told_and_the_last_message_is_the_answer() {
    let mut reader = reader();
    let seen: Vec<Activity> =
        WORK.iter().flat_map(|line| reader.read_line(line.as_bytes())).collect();
    let spent = Spend {
        input_tokens: 2_100,
        output_tokens: 120,
        cache_read_tokens: 600,
        cache_write_tokens: 200,
        usd_micros: Some(9_030),
        is_estimate: false,
    };
    let expected = [
        Activity::Said("I write it.".into()),
        Activity::UsedTool { name: "write".into(), summary: "made/hello.txt".into() },
        Activity::Said("Done. ".into()),
        Activity::Said("All.".into()),
        Activity::Spent(spent),
    ];
    assert_eq!(seen, expected);
    let ended = reader.conclude(&Stopped { how: How::Exited(0), said: String::new() });
    assert_eq!(ended, Ending::Answered { text: "Done. All.".into() });
}

#[test]
fn what_its_logs_told_is_not_counted_again() {
    let mut reader = reader();
    let first = Spend {
        input_tokens: 1_000,
        output_tokens: 50,
        cache_read_tokens: 300,
        cache_write_tokens: 200,
        usd_micros: None,
        is_estimate: false,
    };
    assert_eq!(reader.read_side_line(br#"{"model_config":{},"input":{}}"#), []);
    assert_eq!(reader.read_side_line(COST.as_bytes()), [Activity::Spent(first)]);
    let rest = Spend {
        input_tokens: 1_100,
        output_tokens: 70,
        cache_read_tokens: 300,
        cache_write_tokens: 0,
        usd_micros: Some(9_030),
        is_estimate: false,
    };
    assert_eq!(reader.read_line(COMPLETE.as_bytes()), [Activity::Spent(rest)]);
    assert_eq!(reader.read_side_line(COST.as_bytes()), [], "the sum had it");
}

#[test]
fn an_error_ends_well_and_is_no_answer() {
    let limit = "Ran into this error: Rate limit exceeded: scripted error 429.\n\nPlease retry.";
    let resets = Resets::Words(limit.into());
    assert_eq!(ended_by(limit), Ending::LimitReached { resets });
    let server = "Ran into this error: Server error: Server error (500 Internal Server Error) at http://x: y.";
    assert_eq!(ended_by(server), Ending::Overloaded);
    let network = "Network error: Could not connect to 127.0.0.1:9 — check your network connection and try again.";
    assert_eq!(ended_by(network), Ending::Unreachable { said: network.into() });
    let login = "Ran into this error: Authentication error: Authentication failed for http://x.";
    assert_eq!(ended_by(login), Ending::LoginRefused { said: login.into() });
    let bad = "Ran into this error: Request failed: Bad request (400): scripted error 400.";
    assert_eq!(ended_by(bad), Ending::Refused { why: bad.into() });
    let other = "Ran into this error: Execution error: it broke.";
    let crashed = Ending::Crashed { exit: How::Exited(0), said: other.into() };
    assert_eq!(ended_by(other), crashed);
    let by_kind = concluded(&REFUSED, How::Exited(1));
    assert_eq!(
        by_kind,
        Ending::LoginRefused { said: "Ran into this error: Something: 401.".into() }
    );
}

#[test]
fn words_of_goose_itself_are_no_answer_after_those_of_a_model() {
    let turns = own("I've reached the maximum number of actions I can do without user input.");
    assert_eq!(
        concluded(&[SAID, CALLED, WROTE, &turns, COMPLETE], How::Exited(0)),
        Ending::AllowanceUsed
    );
    let notice = own("The conversation was compacted.");
    let said = "The conversation was compacted.".to_string();
    let crashed = Ending::Crashed { exit: How::Exited(0), said };
    assert_eq!(concluded(&[SAID, &notice, COMPLETE], How::Exited(0)), crashed);
    // A model may write about errors.
    let about = SAID.replace("I write it.", "Ran into this error: Rate limit exceeded: solved.");
    let text = "Ran into this error: Rate limit exceeded: solved.".to_string();
    assert_eq!(concluded(&[&about, COMPLETE], How::Exited(0)), Ending::Answered { text });
}

#[test]
fn a_version_that_names_no_models_is_known_by_what_was_spent() {
    let unnamed = own("Done.");
    let answered = Ending::Answered { text: "Done.".into() };
    assert_eq!(concluded(&[&unnamed, COMPLETE], How::Exited(0)), answered);
    let null = r#"{"type":"complete","total_tokens":null}"#;
    let crashed = Ending::Crashed { exit: How::Exited(0), said: "Done.".into() };
    assert_eq!(concluded(&[&unnamed, null], How::Exited(0)), crashed);
}

#[test]
fn an_end_before_the_last_line_is_no_answer() {
    let crashed = |exit| Ending::Crashed { exit, said: "why".into() };
    assert_eq!(concluded(&WORK[..5], How::Exited(0)), crashed(How::Exited(0)));
    assert_eq!(concluded(&WORK, How::Signalled(15)), crashed(How::Signalled(15)));
    assert_eq!(concluded(&[], How::Exited(1)), crashed(How::Exited(1)));
    assert_eq!(concluded(&WORK, How::Stalled), Ending::Stalled);
}

#[test]
fn it_waits_for_its_model_or_a_tool_as_its_lines_tell() {
    let mut reader = reader();
    let mut after = |line: &str| {
        reader.read_line(line.as_bytes());
        reader.waits_for()
    };
    assert_eq!(after("banner"), Some(WaitsFor::Model));
    assert_eq!(after(CALLED), Some(WaitsFor::Tool));
    assert_eq!(after(WROTE), Some(WaitsFor::Model));
    assert_eq!(after(COMPLETE), None);
}

/// As its log has them, without the fields that mean nothing here.
fn failing(error: &str) -> String {
    let message = format!("Request failed, retrying (1/3): {error}");
    serde_json::json!({"timestamp": "2026-11-16T16:34:06Z", "level": "WARN", "fields": {"message": message}}).to_string()
}

fn stalled_after(lines: &[&str]) -> (bool, Ending) {
    let mut reader = reader();
    for line in lines {
        reader.read_side_line(line.as_bytes());
    }
    let is_stuck = reader.is_stuck();
    (is_stuck, reader.conclude(&Stopped { how: How::Stalled, said: String::new() }))
}

#[test]
fn a_wait_that_only_its_log_tells_of_is_ours_when_it_is_long() {
    let limit = |delay: &str| {
        failing(&format!(r#"RateLimitExceeded {{ details: "slow 429", retry_delay: {delay} }}"#))
    };
    let reached = |words: &str| Ending::LimitReached { resets: Resets::Words(words.into()) };
    let hour = reached("retry-after: 3600");
    assert_eq!(stalled_after(&[&limit("Some(3600s)")]), (true, hour));
    assert!(!stalled_after(&[&limit("Some(60s)")]).0, "it may wait that long itself");
    assert_eq!(stalled_after(&[&limit("Some(250ms)")]), (false, reached("")));
    assert_eq!(stalled_after(&[&limit("None")]), (false, reached("")));
    let server = failing(r#"ServerError("oh")"#);
    assert_eq!(stalled_after(&[&server]), (false, Ending::Overloaded));
    assert_eq!(stalled_after(&[COST, "{", "[]"]), (false, Ending::Stalled));
}

#[test]
fn who_went_on_after_an_error_is_not_held_by_it() {
    let mut reader = reader();
    let hour = failing(r#"RateLimitExceeded { details: "", retry_delay: Some(3600s) }"#);
    reader.read_side_line(hour.as_bytes());
    assert!(reader.is_stuck());
    reader.read_line(SAID.as_bytes());
    assert!(!reader.is_stuck());
    let stalled = Stopped { how: How::Stalled, said: String::new() };
    assert_eq!(reader.conclude(&stalled), Ending::Stalled);
}
