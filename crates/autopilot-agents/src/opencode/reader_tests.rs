//! opencode's lines and what they come to.

use serde_json::{Value, json};

use super::*;

/// As opencode 1.18.33 printed them, without ids that mean nothing here.
const START: &str = r#"{"type":"step_start","timestamp":1794823706144,"sessionID":"ses_e1","part":{"id":"prt_1","messageID":"msg_1","sessionID":"ses_e1","type":"step-start"}}"#;
const SAID: &str = r#"{"type":"text","timestamp":1794823706144,"sessionID":"ses_e1","part":{"id":"prt_2","messageID":"msg_1","type":"text","text":"I write it.","time":{"start":1794823705838,"end":1794823706081}}}"#;
const WROTE: &str = r#"{"type":"tool_use","timestamp":1794823707035,"part":{"type":"tool","tool":"write","callID":"call_1","state":{"status":"completed","input":{"filePath":"made/hello.txt","content":"hi\n"},"output":"Wrote file successfully.","metadata":{"diagnostics":{}},"title":"made/hello.txt","time":{"start":1,"end":2}},"messageID":"msg_1"}}"#;
const REJECTED: &str = r#"{"type":"tool_use","timestamp":1794772368920,"part":{"type":"tool","tool":"write","callID":"call_1","state":{"status":"error","input":{"filePath":"hello.txt","content":"hi"},"error":"The user rejected permission to use this specific tool call.","time":{"start":1,"end":2}},"messageID":"msg_1"}}"#;
const CALLED: &str = r#"{"type":"step_finish","timestamp":1794823707035,"part":{"id":"prt_3","reason":"tool-calls","messageID":"msg_1","type":"step-finish","tokens":{"total":1050,"input":700,"output":50,"reasoning":0,"cache":{"write":0,"read":300}},"cost":0.00285}}"#;
const DONE: &str = r#"{"type":"text","timestamp":1794823707036,"part":{"id":"prt_4","messageID":"msg_2","type":"text","text":"Done.","time":{"start":1,"end":2}}}"#;
const STOPPED: &str = r#"{"type":"step_finish","timestamp":1794823707036,"part":{"id":"prt_5","reason":"stop","messageID":"msg_2","type":"step-finish","tokens":{"total":1170,"input":800,"output":60,"reasoning":10,"cache":{"write":7,"read":300}},"cost":0}}"#;
const TRIED_AGAIN: &str = r#"timestamp=2026-11-16T10:09:31.824Z level=ERROR run=3e300f83 message="stream error" providerID=mock modelID=mock-model session.id=ses_e1 small=false agent=build mode=primary error.error="AI_APICallError: Too many requests""#;

const WORK: [&str; 7] = [START, SAID, WROTE, CALLED, START, DONE, STOPPED];

fn reader() -> Box<OpencodeReader> {
    Box::new(OpencodeReader::new("/own/log".into()))
}

fn concluded(lines: &[&str], how: How) -> Ending {
    let mut reader = reader();
    for line in lines {
        reader.read_line(line.as_bytes());
    }
    reader.conclude(&Stopped { how, said: String::new() })
}

fn failed(error: &Value) -> Ending {
    let line = json!({"type": "error", "timestamp": 1, "error": error}).to_string();
    concluded(&[&line], How::Exited(1))
}

fn status(status: u16) -> Value {
    json!({"name": "APIError", "data": {
        "message": format!("scripted error {status}"), "statusCode": status, "isRetryable": status != 401,
        "responseHeaders": {"content-length": "91"}, "responseBody": "{}",
    }})
}

#[test]
fn what_it_does_and_spends_is_told_and_its_last_message_is_the_answer() {
    let mut reader = reader();
    let seen: Vec<Activity> =
        WORK.iter().flat_map(|line| reader.read_line(line.as_bytes())).collect();
    let first = Spend {
        input_tokens: 700,
        output_tokens: 50,
        cache_read_tokens: 300,
        cache_write_tokens: 0,
        usd_micros: Some(2_850),
        is_estimate: false,
    };
    let second = Spend {
        input_tokens: 800,
        output_tokens: 70,
        cache_write_tokens: 7,
        usd_micros: None,
        ..first
    };
    let expected = [
        Activity::Said("I write it.".into()),
        Activity::UsedTool { name: "write".into(), summary: "made/hello.txt".into() },
        Activity::ChangedFile("made/hello.txt".into()),
        Activity::Spent(first),
        Activity::Said("Done.".into()),
        Activity::Spent(second),
    ];
    assert_eq!(seen, expected);
    let ended = reader.conclude(&Stopped { how: How::Exited(0), said: String::new() });
    assert_eq!(ended, Ending::Answered { text: "Done.".into() });
}

#[test]
fn an_end_without_a_done_step_and_a_text_is_no_answer() {
    let crashed = |lines: &[&str], words: &str| match concluded(lines, How::Exited(0)) {
        Ending::Crashed { exit: How::Exited(0), said } => assert_eq!(said, words),
        other => panic!("{other:?}"),
    };
    crashed(&[], "it ended before its model was done");
    crashed(&WORK[..6], "it ended before its model was done");
    crashed(&WORK[..4], "it ended before its model was done");
    crashed(&[START, STOPPED], "it ended without an answer");
    crashed(
        &[START, DONE, &STOPPED.replace("\"stop\"", "\"length\"")],
        "its last step ended with: length",
    );
    let killed = Ending::Crashed { exit: How::Signalled(15), said: String::new() };
    assert_eq!(concluded(&WORK, How::Signalled(15)), killed);
    let failed = Ending::Crashed { exit: How::Exited(1), said: String::new() };
    assert_eq!(concluded(&WORK, How::Exited(1)), failed);
    assert_eq!(concluded(&WORK, How::Cancelled), Ending::Cancelled);
}

#[test]
fn what_it_was_not_allowed_is_a_refusal_unless_it_went_on_without() {
    let refused = Ending::Refused { why: "it may not use write".into() };
    assert_eq!(concluded(&[START, REJECTED, CALLED], How::Exited(0)), refused);
    let lines = [START, REJECTED, CALLED, START, DONE, STOPPED];
    assert_eq!(concluded(&lines, How::Exited(0)), Ending::Answered { text: "Done.".into() });
}

#[test]
fn errors_are_known_by_their_status_first() {
    let login = |said: &str| Ending::LoginRefused { said: said.into() };
    assert_eq!(failed(&status(401)), login("scripted error 401"));
    assert_eq!(failed(&status(403)), login("scripted error 403"));
    assert_eq!(failed(&status(500)), Ending::Overloaded);
    assert_eq!(failed(&status(529)), Ending::Overloaded);
    assert_eq!(failed(&status(402)), Ending::Refused { why: "scripted error 402".into() });
    let limit = |words: &str| Ending::LimitReached { resets: Resets::Words(words.into()) };
    assert_eq!(failed(&status(429)), limit("scripted error 429"));
    let mut later = status(429);
    later["data"]["responseHeaders"]["retry-after"] = "3600".into();
    assert_eq!(failed(&later), limit("retry-after: 3600\nscripted error 429"));
    // Words only where there is neither status nor name.
    let named = |name: &str, message: &str| {
        failed(&json!({"name": name, "data": {"message": message, "isRetryable": true}}))
    };
    let words = "429 Too many requests";
    assert_eq!(named("ProviderAuthError", words), login(words));
    let unable = "Unable to connect";
    assert_eq!(named("APIError", unable), Ending::Unreachable { said: unable.into() });
    assert_eq!(named("UnknownError", "Too many requests"), limit("Too many requests"));
    let unknown = Ending::Crashed { exit: How::Exited(1), said: "it broke".into() };
    assert_eq!(named("UnknownError", "it broke"), unknown);
    let nameless = Ending::Crashed { exit: How::Exited(1), said: "Odd".into() };
    assert_eq!(failed(&json!({"name": "Odd"})), nameless);
}

#[test]
fn tries_that_only_its_log_tells_of_explain_why_it_was_silent() {
    let mut reader = reader();
    assert_eq!(reader.waits_for(), Some(WaitsFor::Model));
    assert_eq!(reader.read_side_line(b"timestamp=1 level=INFO message=loop"), []);
    let waiting = [Activity::WaitingForLimit { until_unix_s: None }];
    assert_eq!(reader.read_side_line(TRIED_AGAIN.as_bytes()), waiting);
    assert_eq!(reader.waits_for(), None, "it may wait as long as a server says");
    let stopped = Stopped { how: How::Stalled, said: String::new() };
    let limit = Ending::LimitReached { resets: Resets::Words("Too many requests".into()) };
    assert_eq!(reader.conclude(&stopped), limit);

    let mut reader = self::reader();
    reader.read_side_line(TRIED_AGAIN.replace("Too many requests", "It broke").as_bytes());
    assert_eq!(reader.conclude(&stopped), Ending::Overloaded);

    // It went on, and what was before explains nothing any more.
    let mut reader = self::reader();
    reader.read_side_line(TRIED_AGAIN.as_bytes());
    reader.read_line(START.as_bytes());
    assert_eq!(reader.waits_for(), Some(WaitsFor::Tool));
    assert_eq!(reader.conclude(&stopped), Ending::Stalled);
}

#[test]
fn lines_nobody_knows_are_kept_for_people_and_texts_are_bounded() {
    let mut reader = reader();
    assert_eq!(
        reader.read_line(b"! permission requested"),
        [Activity::Unknown("! permission requested".into())]
    );
    assert_eq!(reader.read_line(b"  "), []);
    assert_eq!(reader.read_line(br#"{"type":"reasoning","part":{"text":"hm"}}"#), []);
    let long = json!({"type": "text", "part": {"messageID": "m", "text": "x".repeat(700_000)}});
    for _ in 0..3 {
        reader.read_line(long.to_string().as_bytes());
    }
    assert!(reader.answer.1.len() < limits::ANSWER_BYTES_MAX + 16);
}

#[test]
fn who_asks_anew_for_one_answer_after_another_that_broke_off_gets_nowhere() {
    let broken = STOPPED.replace("\"stop\"", "\"unknown\"");
    let mut reader = reader();
    let mut is_stuck_after = |line: &str| {
        reader.read_line(line.as_bytes());
        reader.is_stuck()
    };
    for line in [broken.as_str(), START, &broken, &broken, &broken, CALLED] {
        assert!(!is_stuck_after(line), "an answer came in between");
    }
    for _ in 0..4 {
        assert!(!is_stuck_after(&broken));
    }
    assert!(is_stuck_after(&broken));
    let stopped = |how| Stopped { how, said: String::new() };
    assert_eq!(reader.conclude(&stopped(How::Stalled)), Ending::Overloaded);
    let crashed = concluded(&[broken.as_str(); 5], How::Signalled(9));
    assert_eq!(crashed, Ending::Crashed { exit: How::Signalled(9), said: String::new() });
}

#[test]
fn who_does_not_come_to_an_end_after_its_last_turn_is_ended() {
    let mut reader = reader();
    for _ in 0..limits::TURNS_MAX {
        reader.read_line(CALLED.as_bytes());
        assert!(!reader.is_stuck());
    }
    reader.read_line(STOPPED.as_bytes());
    assert!(!reader.is_stuck(), "it came to an end");
    reader.read_line(CALLED.as_bytes());
    assert!(reader.is_stuck());
    let stopped = Stopped { how: How::Stalled, said: String::new() };
    assert_eq!(reader.conclude(&stopped), Ending::AllowanceUsed);
}
