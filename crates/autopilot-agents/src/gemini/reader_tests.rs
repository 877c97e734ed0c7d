//! Gemini CLI's lines and what they come to.

use super::*;
use crate::activity::Spend;
use crate::ending::{How, Resets};

/// As Gemini CLI 0.61.0 printed them.
const INIT: &str = r#"{"type":"init","timestamp":"2026-11-16T09:57:42.485Z","session_id":"3bcd8ab0-4348-4376-8fc6-6ebe81977312","model":"gemini-2.5-pro"}"#;
const ASKED: &str = r#"{"type":"message","timestamp":"2026-11-16T09:57:42.486Z","role":"user","content":"make hello"}"#;
const SAID: &str = r#"{"type":"message","timestamp":"2026-11-16T09:57:42.590Z","role":"assistant","content":"I write","delta":true}"#;
const USED: &str = r#"{"type":"tool_use","timestamp":"2026-11-16T09:57:42.718Z","tool_name":"write_file","tool_id":"write_file__fc_1","parameters":{"file_path":"hello.txt","content":"hi\n"}}"#;
const DONE_IT: &str = r#"{"type":"tool_result","timestamp":"2026-11-16T09:57:43.048Z","tool_id":"write_file__fc_1","status":"success"}"#;
const FAILED_IT: &str = r#"{"type":"tool_result","tool_id":"write_file__fc_1","status":"error","output":"Tool \"write_file\" not found.","error":{"type":"tool_not_registered","message":"no"}}"#;
const DO: &str = r#"{"type":"message","role":"assistant","content":"Do","delta":true}"#;
const NE: &str = r#"{"type":"message","role":"assistant","content":"ne.","delta":true}"#;
const RESULT: &str = r#"{"type":"result","timestamp":"2026-11-16T09:57:43.098Z","status":"success","stats":{"total_tokens":2220,"input_tokens":2100,"output_tokens":120,"cached":1200,"input":900,"duration_ms":614,"tool_calls":1,"models":{"mock":{"total_tokens":2220,"input_tokens":2100,"output_tokens":120,"cached":1200,"input":900}}}}"#;
const COUNTED: &str = r#"{"id":"063a6a63","timestamp":"2026-11-16T09:57:42.891Z","type":"gemini","content":"I write","thoughts":[],"tokens":{"input":1000,"output":50,"cached":300,"thoughts":0,"tool":0,"total":1050},"model":"gemini-2.5-pro"}"#;

fn reader() -> Box<GeminiReader> {
    Box::new(GeminiReader::new("/scratch/tmp".into()))
}

fn concluded(lines: &[&str], how: How) -> Ending {
    let mut reader = reader();
    for line in lines {
        reader.read_line(line.as_bytes());
    }
    reader.conclude(&Stopped { how, said: "why".into() })
}

fn failed(kind: &str, message: &str, code: i32) -> Ending {
    let error = serde_json::json!({
        "type": "result", "status": "error", "error": {"type": kind, "message": message},
        "stats": {"total_tokens": 0, "input_tokens": 0, "output_tokens": 0, "cached": 0},
    });
    concluded(&[INIT, &error.to_string()], How::Exited(code))
}

#[test]
fn what_it_does_is_told_and_its_last_words_are_the_answer() {
    let mut reader = reader();
    let lines = [INIT, ASKED, SAID, USED, DONE_IT, DO, NE];
    let seen: Vec<Activity> =
        lines.iter().flat_map(|line| reader.read_line(line.as_bytes())).collect();
    let used = Activity::UsedTool { name: "write_file".into(), summary: "hello.txt".into() };
    let expected = [
        Activity::Started { model: "gemini-2.5-pro".into() },
        Activity::Said("I write".into()),
        used,
        Activity::ChangedFile("hello.txt".into()),
        Activity::Said("Do".into()),
        Activity::Said("ne.".into()),
    ];
    assert_eq!(seen, expected);
    reader.read_line(RESULT.as_bytes());
    let ending = reader.conclude(&Stopped { how: How::Exited(0), said: String::new() });
    assert_eq!(ending, Ending::Answered { text: "Done.".into() });
}

#[test]
fn a_tool_that_failed_changed_nothing() {
    let mut reader = reader();
    reader.read_line(USED.as_bytes());
    assert_eq!(reader.read_line(FAILED_IT.as_bytes()), []);
}

#[test]
fn it_waits_for_a_tool_or_for_its_model_and_for_nothing_in_the_end() {
    let mut reader = reader();
    assert_eq!(reader.waits_for(), None);
    let mut after = |line: &str| {
        reader.read_line(line.as_bytes());
        reader.waits_for()
    };
    assert_eq!(after(INIT), Some(WaitsFor::Model));
    assert_eq!(after(USED), Some(WaitsFor::Tool));
    assert_eq!(after(DONE_IT), Some(WaitsFor::Model));
    assert_eq!(after(RESULT), None);
}

#[test]
fn spend_is_told_as_it_grows_and_once() {
    let mut reader = reader();
    assert_eq!(reader.side_file(), None, "before it said which session it is");
    reader.read_line(INIT.as_bytes());
    assert_eq!(reader.side_file().unwrap().name_ends[0], "-3bcd8ab0.jsonl");
    let spend = |input_tokens, cache_read_tokens, output_tokens| {
        [Activity::Spent(Spend {
            input_tokens,
            cache_read_tokens,
            output_tokens,
            ..Spend::default()
        })]
    };
    assert_eq!(reader.read_side_line(COUNTED.as_bytes()), spend(700, 300, 50));
    assert_eq!(reader.read_line(RESULT.as_bytes()), spend(200, 900, 70));
    assert_eq!(reader.read_side_line(COUNTED.as_bytes()), []);
}

#[test]
fn each_way_to_fail_has_its_ending() {
    let api = |status: u16, words: &str| {
        format!(r#"[API Error: {{"error":{{"code":{status},"message":"{words}","status":"X"}}}}]"#)
    };
    let login = |said: &str| Ending::LoginRefused { said: said.into() };
    assert_eq!(failed("unknown", &api(401, "no"), 145), login("no"));
    assert_eq!(failed("unknown", &api(403, "no"), 147), login("no"));
    let key = "API key not valid. Please pass a valid API key.";
    assert_eq!(failed("unknown", &api(400, key), 144), login(key));
    let refused = Ending::Refused { why: "too long".into() };
    assert_eq!(failed("unknown", &api(400, "too long"), 144), refused);
    assert_eq!(failed("unknown", &api(500, "oh"), 244), Ending::Overloaded);
    let advice = "[API Error: scripted error]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method";
    let resets = Resets::Words("scripted error".into());
    assert_eq!(failed("unknown", advice, 173), Ending::LimitReached { resets });
    assert_eq!(failed("unknown", "[API Error: scripted error]", 247), Ending::Overloaded);
    let used_up =
        "You have exhausted your capacity on this model. Your quota will reset after 2h5m.";
    let message = format!("[API Error: {used_up}]\nPlease wait and try again later.");
    let resets = Resets::Words(used_up.into());
    assert_eq!(failed("unknown", &message, 173), Ending::LimitReached { resets });
    let unreached = "[API Error: exception TypeError: fetch failed sending request]";
    let said = "exception TypeError: fetch failed sending request".to_string();
    assert_eq!(failed("unknown", unreached, 1), Ending::Unreachable { said });
    let turns = "Reached max session turns for this session.";
    assert_eq!(failed("FatalTurnLimitedError", turns, 53), Ending::AllowanceUsed);
    assert_eq!(failed("FatalAuthenticationError", "log in", 41), Ending::NotLoggedIn);
    let other = "the handler of status 429 panicked";
    let crashed = Ending::Crashed { exit: How::Exited(1), said: other.into() };
    assert_eq!(failed("unknown", other, 1), crashed, "words that merely contain 429 are no limit");
}

#[test]
fn only_a_result_and_a_good_exit_are_an_answer() {
    let crashed = |exit| Ending::Crashed { exit, said: "why".into() };
    assert_eq!(concluded(&[INIT, DO, NE], How::Exited(0)), crashed(How::Exited(0)));
    assert_eq!(concluded(&[INIT, DO, RESULT], How::Exited(1)), crashed(How::Exited(1)));
    assert_eq!(concluded(&[INIT, DO], How::Signalled(9)), crashed(How::Signalled(9)));
    assert_eq!(concluded(&[INIT, DO], How::Cancelled), Ending::Cancelled);
    assert_eq!(concluded(&[INIT, DO, RESULT], How::Cancelled), Ending::Cancelled);
    assert_eq!(concluded(&[INIT], How::Stalled), Ending::Stalled);
    assert_eq!(concluded(&[], How::Exited(55)), crashed(How::Exited(55)), "an untrusted folder");
    assert_eq!(concluded(&[], How::Exited(41)), Ending::NotLoggedIn);
}

#[test]
fn what_is_no_json_is_passed_over_and_a_new_kind_of_line_too() {
    let mut reader = reader();
    let garbage = reader.read_line(b"YOLO mode\xff");
    assert_eq!(garbage, [Activity::Unknown("YOLO mode\u{FFFD}".into())]);
    assert_eq!(reader.read_line(br#"{"type":"hologram","x":1}"#), []);
    assert_eq!(reader.read_line(b"  "), []);
    let remark = br#"{"type":"error","severity":"warning","message":"Loop detected"}"#;
    assert_eq!(reader.read_line(remark), [Activity::Said("Loop detected".into())]);
}

#[test]
fn an_error_without_a_reason_has_the_one_that_was_said_before() {
    let remark = r#"{"type":"error","severity":"error","message":"Model stream ended without a finish reason."}"#;
    let result = r#"{"type":"result","status":"error","stats":{"total_tokens":0}}"#;
    assert_eq!(concluded(&[INIT, DO, remark, result], How::Exited(1)), Ending::Overloaded);
    let crashed = Ending::Crashed { exit: How::Exited(1), said: "why".into() };
    assert_eq!(concluded(&[INIT, DO, result], How::Exited(1)), crashed);
    let loops = r#"{"type":"error","message":"Loop detected"}"#;
    let answered = Ending::Answered { text: "Do".into() };
    let found = concluded(&[INIT, loops, DO, RESULT], How::Exited(0));
    assert_eq!(std::mem::discriminant(&found), std::mem::discriminant(&answered));
}
