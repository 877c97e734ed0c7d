//! The client's lines and what they come to.

use super::super::line::Stop;
use super::*;
use crate::ending::{How, Resets};

fn read(reader: &mut AcpReader, line: &Line) -> Vec<Activity> {
    reader.read_line(&serde_json::to_vec(line).unwrap())
}

fn started() -> Line {
    Line::Started { session: "3bcd8ab0-4348".into(), agent: Some("gemini-cli 0.61.0".into()) }
}

fn said(text: &str) -> Line {
    Line::Said { text: text.into() }
}

fn tool(id: &str, kind: Option<&str>, status: &str, paths: &[&str]) -> Line {
    Line::Tool {
        id: id.into(),
        kind: kind.map(Into::into),
        title: Some("Writing to hello.txt".into()),
        status: Some(status.into()),
        paths: paths.iter().map(ToString::to_string).collect(),
    }
}

fn asked(id: &str, is_allowed: bool) -> Line {
    Line::Asked { id: id.into(), kind: Some("edit".into()), title: Some("T".into()), is_allowed }
}

const USAGE: Usage = Usage { input: 30, output: 4, cache_read: 2, cache_write: 1 };

fn ended(stop: Stop) -> Line {
    Line::Ended { stop, usage: Some(USAGE) }
}

fn failed(code: i32, kind: Option<&str>, message: &str) -> Line {
    Line::Failed { code, kind: kind.map(Into::into), status: None, message: message.into() }
}

fn concluded(lines: &[Line], how: How) -> Ending {
    let mut reader = Box::new(AcpReader::default());
    for line in lines {
        read(&mut reader, line);
    }
    reader.conclude(&Stopped { how, said: "why".into() })
}

#[test]
fn what_it_does_is_told_once_and_its_last_words_are_the_answer() {
    let mut reader = AcpReader::default();
    let lines = [
        started(),
        said("I write."),
        asked("1", true),
        tool("1", Some("edit"), "in_progress", &[]),
        tool("1", None, "completed", &["/p/hello.txt"]),
        tool("2", Some("read"), "completed", &["/p/read.txt"]),
        tool("3", Some("edit"), "failed", &["/p/not.txt"]),
        asked("4", false),
        said("Do"),
        said("ne."),
        ended(Stop::EndTurn),
    ];
    let seen: Vec<Activity> = lines.iter().flat_map(|line| read(&mut reader, line)).collect();
    let used = |name: &str, summary: &str| Activity::UsedTool {
        name: name.into(),
        summary: summary.into(),
    };
    let expected = [
        Activity::Said("gemini-cli 0.61.0".into()),
        Activity::Said("I write.".into()),
        used("edit", "T"),
        Activity::ChangedFile("/p/hello.txt".into()),
        used("read", "Writing to hello.txt"),
        used("edit", "Writing to hello.txt"),
        Activity::Asked("T".into()),
        Activity::Said("Do".into()),
        Activity::Said("ne.".into()),
        Activity::Spent(Spend {
            input_tokens: 30,
            output_tokens: 4,
            cache_read_tokens: 2,
            cache_write_tokens: 1,
            usd_micros: None,
            is_estimate: false,
        }),
    ];
    assert_eq!(seen, expected);
    let ending = Box::new(reader).conclude(&Stopped { how: How::Exited(0), said: String::new() });
    assert_eq!(ending, Ending::Answered { text: "Done.".into() });
}

#[test]
fn a_cost_comes_with_the_spend_and_a_file_beside_it_has_the_caches() {
    let mut reader = AcpReader::default();
    read(&mut reader, &Line::Cost { usd_micros: 5 });
    let spent = read(&mut reader, &ended(Stop::EndTurn));
    let Some(Activity::Spent(spend)) = spent.first() else { panic!("{spent:?}") };
    assert_eq!(spend.usd_micros, Some(5));

    let mut reader = AcpReader::with_sessions("/scratch/tmp".into());
    assert_eq!(reader.side_file(), None);
    read(&mut reader, &started());
    assert_eq!(reader.side_file().unwrap().name_ends[0], "-3bcd8ab0.jsonl");
    let usage = Some(Usage { input: 1_500, output: 60, ..Usage::default() });
    assert_eq!(read(&mut reader, &Line::Ended { stop: Stop::EndTurn, usage }), []);
    let counted = br#"{"id":"a","tokens":{"input":1000,"output":50,"cached":300,"total":1050}}"#;
    let spend = |input_tokens, cache_read_tokens, output_tokens| {
        [Activity::Spent(Spend {
            input_tokens,
            cache_read_tokens,
            output_tokens,
            ..Spend::default()
        })]
    };
    assert_eq!(reader.read_side_line(counted), spend(700, 300, 50));
    assert_eq!(reader.rest(), spend(500, 0, 10));
    assert_eq!(reader.rest(), []);
}

#[test]
fn codes_and_fields_count_before_words() {
    let check = |line: Line, expected: Ending| {
        assert_eq!(concluded(&[started(), line.clone()], How::Exited(0)), expected, "{line:?}");
    };
    let limit = |words: &str| Ending::LimitReached { resets: Resets::Words(words.into()) };
    check(failed(-32000, None, "Authentication required"), Ending::NotLoggedIn);
    check(failed(-32000, None, "Gemini API key is missing."), Ending::NotLoggedIn);
    let claude = "Internal error: API Error: Request rejected (429) · later";
    check(failed(-32603, Some("rate_limit"), claude), limit(claude));
    check(failed(-32603, None, claude), limit(claude));
    check(failed(-32603, Some("overloaded"), "x"), Ending::Overloaded);
    let login = |said: &str| Ending::LoginRefused { said: said.into() };
    check(failed(-32603, Some("authentication_failed"), "x"), login("x"));
    let whole = r#"{"error":{"code":401,"message":"no","status":"UNAUTHENTICATED"}}"#;
    check(failed(401, None, whole), login("no"));
    check(failed(429, None, "scripted error"), limit("scripted error"));
    let daily = "You have exhausted your daily quota on this model.";
    check(failed(429, None, daily), limit(daily));
    check(failed(500, None, "oh"), Ending::Overloaded);
    let unreachable = Ending::Unreachable { said: "fetch failed".into() };
    check(failed(-32603, None, "fetch failed"), unreachable);
    let field = Line::Failed { code: -32603, kind: None, status: Some(529), message: "x".into() };
    check(field, Ending::Overloaded);
    let crashed = |said: &str| Ending::Crashed { exit: How::Exited(0), said: said.into() };
    let about = "the handler of status 429 panicked";
    check(failed(-32603, None, about), crashed(about));
    check(
        Line::Gone { why: "it ended without an answer".into() },
        crashed("it ended without an answer\nwhy"),
    );
}

#[test]
fn only_a_finished_turn_is_an_answer() {
    let crashed = |exit| Ending::Crashed { exit, said: "why".into() };
    let check = |stop, how, expected| {
        assert_eq!(concluded(&[said("Done."), ended(stop)], how), expected, "{stop:?} {how:?}");
    };
    check(Stop::MaxTokens, How::Exited(0), Ending::AllowanceUsed);
    check(Stop::MaxTurnRequests, How::Exited(0), Ending::AllowanceUsed);
    check(Stop::Refusal, How::Exited(0), Ending::Refused { why: "Done.".into() });
    check(Stop::Cancelled, How::Exited(143), crashed(How::Exited(143)));
    check(Stop::EndTurn, How::Exited(143), crashed(How::Exited(143)));
    check(Stop::Cancelled, How::Cancelled, Ending::Cancelled);
    check(Stop::Cancelled, How::Stalled, Ending::Stalled);
    check(Stop::Other, How::Exited(0), crashed(How::Exited(0)));
    assert_eq!(concluded(&[said("Done.")], How::Exited(0)), crashed(How::Exited(0)));
    assert_eq!(concluded(&[], How::Signalled(9)), crashed(How::Signalled(9)));
}

#[test]
fn it_waits_for_a_tool_or_for_its_model_and_for_nothing_in_the_end() {
    let mut reader = AcpReader::default();
    assert_eq!(reader.waits_for(), None);
    let mut after = |line: &Line| {
        read(&mut reader, line);
        reader.waits_for()
    };
    assert_eq!(after(&started()), Some(WaitsFor::Model));
    assert_eq!(after(&tool("1", Some("execute"), "in_progress", &[])), Some(WaitsFor::Tool));
    assert_eq!(after(&tool("1", None, "completed", &[])), Some(WaitsFor::Model));
    assert_eq!(after(&ended(Stop::EndTurn)), None);
    assert_eq!(reader.read_line(b"no json"), [Activity::Unknown("no json".into())]);
    assert_eq!(reader.read_line(b" "), []);
}
