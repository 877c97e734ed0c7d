//! Codex's lines and what they come to.

use super::*;

/// As Codex 0.166.0 printed them.
const STARTED: &str =
    r#"{"type":"thread.started","thread_id":"01a1e333-c522-70d0-87db-6f58424e46e4"}"#;
const SAID: &str = r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"I will write."}}"#;
const RAN: &str = r#"{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"/usr/bin/bash -lc 'echo hi > hello.txt'","aggregated_output":"","exit_code":null,"status":"in_progress"}}"#;
const CHANGED: &str = r#"{"type":"item.completed","item":{"id":"item_2","type":"file_change","changes":[{"path":"src/lib.rs","kind":"add"}],"status":"completed"}}"#;
const DONE: &str =
    r#"{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"Done."}}"#;
const COMPLETED: &str = r#"{"type":"turn.completed","usage":{"input_tokens":2200,"cached_input_tokens":300,"cache_write_input_tokens":0,"output_tokens":70,"reasoning_output_tokens":0}}"#;
const COUNTED: &str = r#"{"timestamp":"2026-11-16T07:13:03.738Z","ordinal":15,"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":1000,"cached_input_tokens":300,"cache_write_input_tokens":0,"output_tokens":50,"reasoning_output_tokens":0,"total_tokens":1050}}}}"#;

fn reader() -> Box<CodexReader> {
    Box::new(CodexReader::new("/codex/sessions".into()))
}

fn concluded(lines: &[&str], how: How) -> Ending {
    let mut reader = reader();
    for line in lines {
        reader.read_line(line.as_bytes());
    }
    reader.conclude(&Stopped { how, said: "why".into() })
}

fn failed(message: &str) -> Ending {
    let error = serde_json::json!({ "type": "turn.failed", "error": { "message": message } });
    concluded(&[STARTED, &error.to_string()], How::Exited(1))
}

fn spent(activities: &[Activity]) -> (u64, u64, u64) {
    match activities {
        [Activity::Spent(spend)] => {
            (spend.input_tokens, spend.cache_read_tokens, spend.output_tokens)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_it_does_is_told_and_its_last_message_is_the_answer() {
    let mut reader = reader();
    let seen: Vec<Activity> = [STARTED, SAID, RAN, CHANGED, DONE]
        .iter()
        .flat_map(|line| reader.read_line(line.as_bytes()))
        .collect();
    let shell = Activity::UsedTool {
        name: "shell".into(),
        summary: "/usr/bin/bash -lc 'echo hi > hello.txt'".into(),
    };
    let expected = [
        Activity::Said("I will write.".into()),
        shell,
        Activity::ChangedFile("src/lib.rs".into()),
        Activity::Said("Done.".into()),
    ];
    assert_eq!(seen, expected);
    reader.read_line(COMPLETED.as_bytes());
    let ending = reader.conclude(&Stopped { how: How::Exited(0), said: String::new() });
    assert_eq!(ending, Ending::Answered { text: "Done.".into() });
}

#[test]
fn it_waits_for_a_tool_while_one_runs_and_for_its_model_otherwise() {
    let mut reader = reader();
    let ran = RAN.replace("item.started", "item.completed");
    let lines = [STARTED, r#"{"type":"turn.started"}"#, SAID, RAN, &ran, CHANGED, COMPLETED];
    let seen = lines.map(|line| {
        reader.read_line(line.as_bytes());
        reader.waits_for()
    });
    let (tool, model) = (Some(WaitsFor::Tool), Some(WaitsFor::Model));
    assert_eq!(seen, [None, model, model, tool, model, model, None]);
}

#[test]
fn spend_is_told_as_it_grows_and_once() {
    let mut reader = reader();
    assert_eq!(reader.side_file(), None, "before it said which thread it is");
    reader.read_line(STARTED.as_bytes());
    let side = reader.side_file().unwrap();
    assert_eq!(side.name_ends[0], "01a1e333-c522-70d0-87db-6f58424e46e4.jsonl");
    assert_eq!(spent(&reader.read_side_line(COUNTED.as_bytes())), (700, 300, 50));
    assert_eq!(reader.read_side_line(COUNTED.as_bytes()), []);
    assert_eq!(spent(&reader.read_line(COMPLETED.as_bytes())), (1200, 0, 20));
    assert_eq!(reader.read_side_line(COUNTED.as_bytes()), [], "the file may be behind");
    assert_eq!(reader.read_side_line(b"{\"payload\":{\"type\":\"token_count\"}}"), []);
}

#[test]
fn a_thread_that_is_no_plain_name_is_no_file() {
    let mut reader = reader();
    reader.read_line(br#"{"type":"thread.started","thread_id":"../../etc/passwd"}"#);
    assert_eq!(reader.side_file(), None);
}

#[test]
fn each_sentence_of_a_failed_turn_has_its_ending() {
    for sentence in [
        "You\u{2019}ve hit your usage limit. Try again at 3:05 PM.",
        "exceeded retry limit, last status: 429 Too Many Requests",
        "rate limit exceeded: slow down, try again in 2s",
    ] {
        let resets = Resets::Words(sentence.into());
        assert_eq!(failed(sentence), Ending::LimitReached { resets }, "{sentence}");
    }
    for sentence in [
        "exceeded retry limit, last status: 503 Service Unavailable",
        "We\u{2019}re currently experiencing high demand, which may cause temporary errors.",
    ] {
        assert_eq!(failed(sentence), Ending::Overloaded, "{sentence}");
    }
    let unsent = "stream disconnected before completion: error sending request";
    assert_eq!(failed(unsent), Ending::Unreachable { said: unsent.into() });
    let unauthorized = "unexpected status 401 Unauthorized: scripted error 401, url: http://x/v1";
    assert_eq!(failed(unauthorized), Ending::LoginRefused { said: unauthorized.into() });
    assert_eq!(failed("Not logged in"), Ending::NotLoggedIn);
    let quota = "Quota exceeded. Check your plan and billing details.";
    assert_eq!(failed(quota), Ending::Refused { why: quota.into() });
    let unlisted = "Error: rate limit reached";
    let words = Resets::Words(unlisted.into());
    assert_eq!(failed(unlisted), Ending::LimitReached { resets: words });
    let other = "the handler of status 429 panicked";
    let crashed = Ending::Crashed { exit: How::Exited(1), said: other.into() };
    assert_eq!(failed(other), crashed, "words that merely contain 429 are no limit");
}

#[test]
fn only_a_finished_turn_and_a_good_exit_are_an_answer() {
    let crashed = |exit| Ending::Crashed { exit, said: "why".into() };
    assert_eq!(concluded(&[STARTED, DONE], How::Exited(0)), crashed(How::Exited(0)));
    assert_eq!(concluded(&[STARTED, DONE, COMPLETED], How::Exited(1)), crashed(How::Exited(1)));
    assert_eq!(concluded(&[STARTED, DONE], How::Signalled(15)), crashed(How::Signalled(15)));
    assert_eq!(concluded(&[STARTED, DONE], How::Cancelled), Ending::Cancelled);
    assert_eq!(concluded(&[STARTED], How::Stalled), Ending::Stalled);
}

#[test]
fn what_is_no_json_is_passed_over_and_a_new_kind_of_line_too() {
    let mut reader = reader();
    let garbage = reader.read_line(b"Reading prompt from stdin\xff");
    assert_eq!(garbage, [Activity::Unknown("Reading prompt from stdin\u{FFFD}".into())]);
    assert_eq!(reader.read_line(br#"{"type":"turn.renamed","x":1}"#), []);
    let item = br#"{"type":"item.completed","item":{"id":"1","type":"hologram"}}"#;
    assert_eq!(reader.read_line(item), []);
    let retry = br#"{"type":"error","message":"Reconnecting... 1/1 (exceeded retry limit, last status: 429 Too Many Requests)"}"#;
    assert_eq!(reader.read_line(retry), [Activity::WaitingForLimit { until_unix_s: None }]);
}
