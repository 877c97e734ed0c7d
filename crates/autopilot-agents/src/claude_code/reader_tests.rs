//! On lines that Claude Code 2.1.325 printed against a scripted model, shortened.

use super::*;
use crate::activity::Spend;
use crate::ending::{How, Resets};

fn read(access: Access, lines: &str, how: How) -> (Vec<Activity>, Ending) {
    let mut reader = Box::new(ClaudeReader::of(access));
    let seen = lines.lines().flat_map(|line| reader.read_line(line.as_bytes())).collect();
    (seen, reader.conclude(&Stopped { how, said: "stderr".into() }))
}

fn spent(seen: &[Activity]) -> Spend {
    // The cost is told once, and `plus` would lose it to the parts that do not tell.
    let parts = seen.iter().filter_map(|activity| match activity {
        Activity::Spent(spend) => Some(*spend),
        _ => None,
    });
    parts.fold(Spend::default(), |sum, part| {
        let usd = sum.usd_micros.into_iter().chain(part.usd_micros).reduce(|one, two| one + two);
        Spend { usd_micros: usd, ..sum.plus(part) }
    })
}

fn tokens(input: u64, output: u64, usd_micros: Option<u64>) -> Spend {
    Spend { input_tokens: input, output_tokens: output, usd_micros, ..Spend::default() }
}

const WORK: &str = include_str!("captured/work.jsonl");
const INTERRUPTED: &str = include_str!("captured/interrupted.jsonl");

#[test]
fn work_is_told_as_it_is_done() {
    let (seen, ending) = read(Access::Writable, WORK, How::Exited(0));
    let part = |input, cache_write, cache_read, output| {
        Activity::Spent(Spend {
            cache_read_tokens: cache_read,
            cache_write_tokens: cache_write,
            ..tokens(input, output, None)
        })
    };
    let expected = vec![
        Activity::Started { model: "claude-sonnet-4-5".into() },
        part(1000, 200, 0, 1),
        Activity::Said("I will write the file.".into()),
        Activity::UsedTool { name: "Write".into(), summary: "/project/hello.txt".into() },
        part(0, 0, 0, 49),
        Activity::ChangedFile("/project/hello.txt".into()),
        part(1200, 0, 1000, 1),
        Activity::Said("Done.".into()),
        part(0, 0, 0, 29),
        Activity::Spent(Spend { usd_micros: Some(8_850), ..Spend::default() }),
    ];
    assert_eq!(seen, expected);
    assert_eq!(ending, Ending::Answered { text: "Done.".into() });
}

#[test]
fn it_waits_for_a_tool_while_one_runs_and_for_its_model_otherwise() {
    let mut reader = ClaudeReader::of(Access::Writable);
    let mut seen = Vec::new();
    for line in WORK.lines() {
        reader.read_line(line.as_bytes());
        seen.push(reader.waits_for());
    }
    seen.dedup();
    let (tool, model) = (Some(WaitsFor::Tool), Some(WaitsFor::Model));
    assert_eq!(seen, [None, model, tool, model, None], "at first it is not up");
}

#[test]
fn what_is_spent_is_told_once_and_to_the_token() {
    let check = |lines: &str, expected: Spend| {
        let (seen, _) = read(Access::Writable, lines, How::Exited(0));
        assert_eq!(spent(&seen), expected);
    };
    // Two calls of a subagent, one of them not in the stream, are in the result's total.
    let subagent = Spend { cache_read_tokens: 1000, ..tokens(2350, 95, Some(8_775)) };
    check(include_str!("captured/subagent.jsonl"), subagent);
    // The second result's total has the first in it.
    check(include_str!("captured/two_results.jsonl"), tokens(3300, 83, Some(11_145)));
    // The last call is missing in `usage` here.
    check(include_str!("captured/budget.jsonl"), tokens(20_000, 2_000, Some(90_000)));
    // Eight answers that broke off, two of them not in the stream.
    check(include_str!("captured/broken_stream.jsonl"), tokens(800, 46, Some(3_090)));
    // A call that is cut off is in no total, and has cost its input.
    check(INTERRUPTED, tokens(1000, 1, None));
    check(include_str!("captured/terminated.jsonl"), tokens(1000, 1, None));
    check(include_str!("captured/status_429.jsonl"), Spend::default());
    // Without parts, as of a stream that lost some lines, the result still has all of it.
    let lines: Vec<&str> = WORK.lines().filter(|line| !line.contains("\"stream_event\"")).collect();
    let work =
        Spend { cache_read_tokens: 1000, cache_write_tokens: 200, ..tokens(2200, 80, Some(8_850)) };
    check(&lines.join("\n"), work);
    check(WORK, work);
    // The price of a model it does not know is made up.
    let priced = WORK.replace(r#""costBasis":"list""#, r#""costBasis":"unknown""#);
    check(&priced, Spend { usd_micros: None, ..work });
}

#[test]
fn every_fault_has_its_ending() {
    let check = |lines: &str, exit: i32, expected: Ending| {
        let (_, ending) = read(Access::Writable, lines, How::Exited(exit));
        assert_eq!(ending, expected, "{}", lines.lines().last().unwrap_or_default());
    };
    let refused = |why: &str| Ending::Refused { why: why.into() };
    let crashed = |exit, said: &str| Ending::Crashed { exit: How::Exited(exit), said: said.into() };
    let limit = |resets| Ending::LimitReached { resets };
    let words = "API Error: Request rejected (429) · scripted error 429".to_string();
    check(include_str!("captured/status_429.jsonl"), 1, limit(Resets::Words(words)));
    check(include_str!("captured/limit.jsonl"), 1, limit(Resets::At(1_794_900_000)));
    check(include_str!("captured/status_529.jsonl"), 1, Ending::Overloaded);
    check(include_str!("captured/status_500.jsonl"), 1, Ending::Overloaded);
    let unreachable = |said: &str| Ending::Unreachable { said: said.into() };
    let dropped = "API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL, then try again.";
    check(include_str!("captured/dropped.jsonl"), 1, unreachable(dropped));
    let refused_connection =
        "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)";
    check(include_str!("captured/unreachable.jsonl"), 1, unreachable(refused_connection));
    let login = |said: &str| Ending::LoginRefused { said: said.into() };
    let key = login("Failed to authenticate. API Error: 401 scripted error 401");
    check(include_str!("captured/status_401.jsonl"), 1, key);
    let key = login("Failed to authenticate. API Error: 403 scripted error 403");
    check(include_str!("captured/status_403.jsonl"), 1, key);
    check(include_str!("captured/not_logged_in.jsonl"), 1, Ending::NotLoggedIn);
    let over = login("Failed to authenticate: OAuth session expired and could not be refreshed");
    check(include_str!("captured/expired.jsonl"), 1, over);
    check(include_str!("captured/no_credit.jsonl"), 1, refused("Credit balance is too low"));
    let malformed = refused("API Error: 400 scripted error 400");
    check(include_str!("captured/status_400.jsonl"), 1, malformed);
    check(include_str!("captured/turns.jsonl"), 1, Ending::AllowanceUsed);
    check(include_str!("captured/budget.jsonl"), 1, Ending::AllowanceUsed);
    check(include_str!("captured/denied.jsonl"), 0, refused("it may not use Write"));
    let broken =
        "[ede_diagnostic] result_type=assistant last_content_type=none stop_reason=end_turn";
    check(include_str!("captured/broken_stream.jsonl"), 1, crashed(1, broken));
    // Interrupted, it ends with 0 and says so only in its fields.
    let interrupted = "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null";
    check(INTERRUPTED, 0, crashed(0, interrupted));
    check(include_str!("captured/terminated.jsonl"), 143, crashed(143, "stderr"));
    check("", 1, crashed(1, "stderr"));
    check(WORK, 1, crashed(1, "stderr"));
}

#[test]
fn an_answer_is_the_structured_one_or_else_its_text_and_the_last_one_counts() {
    let answer = |lines: &str| read(Access::ReadOnly, lines, How::Exited(0)).1;
    let answered = |text: &str| Ending::Answered { text: text.into() };
    assert_eq!(answer(include_str!("captured/schema.jsonl")), answered(r#"{"status":"done"}"#));
    let never = include_str!("captured/schema_never.jsonl");
    assert_eq!(answer(never), answered(r#"{"status":"plain"}"#));
    let other = never.replace(r#""result":"{\"status\":\"plain\"}""#, r#""result":"429 too many""#);
    assert_eq!(answer(&other), answered("429 too many"), "a text is no limit");
    assert_eq!(answer(include_str!("captured/two_results.jsonl")), answered("second answer"));
    // Who may only read is denied writing and can still answer.
    assert_eq!(answer(include_str!("captured/denied.jsonl")), answered("could not"));
}

#[test]
fn who_ended_it_says_how_it_ended() {
    let check = |how, expected: Ending| {
        assert_eq!(read(Access::Writable, WORK, how).1, expected);
        assert_eq!(read(Access::Writable, INTERRUPTED, how).1, expected);
    };
    check(How::TimedOut, Ending::TimedOut);
    check(How::Stalled, Ending::Stalled);
    check(How::Cancelled, Ending::Cancelled);
    check(How::AllowanceUsed, Ending::AllowanceUsed);
    let killed = How::Signalled(9);
    check(killed, Ending::Crashed { exit: killed, said: "stderr".into() });
}

#[test]
fn waiting_is_seen_and_so_is_what_was_denied() {
    let seen = |lines: &str| read(Access::Writable, lines, How::Exited(1)).0;
    let waiting = |until| Activity::WaitingForLimit { until_unix_s: until };
    let started = Activity::Started { model: "claude-sonnet-4-5".into() };
    let twice = vec![started.clone(), waiting(None), waiting(None)];
    assert_eq!(seen(include_str!("captured/status_429.jsonl")), twice);
    let limit = vec![started.clone(), waiting(Some(1_794_900_000))];
    assert_eq!(seen(include_str!("captured/limit.jsonl")), limit);
    assert_eq!(seen(include_str!("captured/status_401.jsonl")), [started]);
    let warned =
        include_str!("captured/limit.jsonl").replace("\"rejected\"", "\"allowed_warning\"");
    assert!(!seen(&warned).iter().any(|one| matches!(one, Activity::WaitingForLimit { .. })));
    let denied = seen(include_str!("captured/denied.jsonl"));
    assert!(denied.iter().any(|one| matches!(one, Activity::Asked(_))), "{denied:?}");
    assert!(!denied.iter().any(|one| matches!(one, Activity::ChangedFile(_))), "{denied:?}");
}

#[test]
fn what_nobody_understands_is_shown_and_bounded() {
    let mut reader = ClaudeReader::of(Access::ReadOnly);
    let long = format!(r#"{{"type":"new","text":"{}"}}"#, "x".repeat(100_000));
    for line in
        ["", "Hello", "[]", "{}", r#"{"type":"user"}"#, r#"{"type":"result","usage":1}"#, &long]
    {
        let seen = reader.read_line(line.as_bytes());
        let [Activity::Unknown(text)] = seen.as_slice() else { panic!("{seen:?}") };
        assert!(text.len() <= limits::ACTIVITY_BYTES_MAX + '…'.len_utf8());
    }
    assert_eq!(reader.read_line(br#"{"type":"system","subtype":"anything"}"#), []);
    for number in 0..10_000 {
        let line = format!(
            r#"{{"type":"assistant","message":{{"id":"{number}","content":[{{"type":"tool_use","id":"{number}","name":"Bash"}}],"usage":{{"output_tokens":1}}}}}}"#
        );
        assert_eq!(reader.read_line(line.as_bytes()).len(), 2);
    }
    assert_eq!(reader.calls.len(), limits::CALLS_OPEN_MAX);
}
