//! The scripted agent as a run would use it: asked by a request, started through the launcher, read line by line.

use std::path::Path;
use std::time::Duration;

use autopilot_agents::activity::{Activity, Spend};
use autopilot_agents::agent::{Agent, StreamReader};
use autopilot_agents::ending::{Ending, How, Resets, Stopped};
use autopilot_agents::request::{Access, Request};
use autopilot_agents::scripted::Scripted;
use autopilot_core::limits;
use autopilot_engine::process::Order;
use autopilot_engine::process::supervise::{Event, Exit, Grace, Outcome, Running};
use autopilot_testkit::temporary_project::TemporaryProject;

use super::{BRIEF, PROGRAM, TEST_TIME_MAX, assert_soon_gone, environment, start};

struct Played {
    seen: Vec<Activity>,
    ending: Ending,
    exit: Exit,
}

fn request(round: u32) -> Request {
    Request {
        prompt: "make it so".into(),
        phase: "-3".into(),
        step: "execute".into(),
        task: Some("2".into()),
        round,
        access: Access::Writable,
        model: Some("a real one".into()),
        allowance_tokens: 1000,
        allowance_usd_micros: None,
        schema: None,
        is_fenced: false,
        scratch: std::path::PathBuf::new(),
    }
}

/// A project whose script plays these actions in its first round.
fn stage(actions: &str) -> TemporaryProject {
    let when = r#"{"phase": "-3", "step": "execute", "task": "2", "round": 1}"#;
    let script = format!(r#"{{"version": 1, "entries": [{{"when": {when}, "do": [{actions}]}}]}}"#);
    TemporaryProject::named("workspace").and_then(|it| it.file("../script.json", script)).unwrap()
}

fn agent(stage: &TemporaryProject) -> Scripted {
    Scripted {
        program: PROGRAM.into(),
        subcommand: "scripted-agent".into(),
        script: stage.around().join("script.json"),
    }
}

fn begin(stage: &TemporaryProject, round: u32, time_max: Duration) -> Running {
    let command = agent(stage).command(&request(round));
    let order = Order::new(command.program, stage.root(), environment(), time_max)
        .arguments(command.arguments)
        .input(command.stdin);
    start(order)
}

/// Looks at the agent until its end; `look` may end it.
fn watch(stage: &TemporaryProject, running: &Running, look: impl Fn(&Activity)) -> Played {
    let mut reader: Box<dyn StreamReader> = agent(stage).reader(&request(1));
    let mut seen = Vec::new();
    loop {
        match running.next(TEST_TIME_MAX) {
            Some(Event::Line(line)) => {
                let new = reader.read_line(&line.bytes);
                new.iter().for_each(&look);
                seen.extend(new);
            }
            Some(Event::Exited(exit)) => {
                let stopped = Stopped { how: how(&exit.outcome), said: exit.stderr.text() };
                return Played { seen, ending: reader.conclude(&stopped), exit };
            }
            None => unreachable!("an agent is ended after its time"),
        }
    }
}

fn how(outcome: &Outcome) -> How {
    match outcome {
        Outcome::Exited(code) => How::Exited(*code),
        Outcome::Signalled(signal) => How::Signalled(*signal),
        Outcome::TimedOut => How::TimedOut,
        Outcome::Cancelled => How::Cancelled,
        Outcome::TooMuchOutput => How::TooMuchOutput,
        Outcome::CannotStart { .. } | Outcome::Lost { .. } => How::CannotStart,
    }
}

fn play(actions: &str) -> Played {
    let stage = stage(actions);
    watch(&stage, &begin(&stage, 1, TEST_TIME_MAX), |_| {})
}

fn crashed(exit: How, said: &str) -> Ending {
    Ending::Crashed { exit, said: said.into() }
}

#[test]
fn a_part_is_played_and_the_model_is_said_to_be_scripted() {
    let stage = stage(
        r#"{"say": {"text": "on it"}},
           {"write": {"path": "src/new.rs", "text": "fn new() {}\n"}},
           {"run": {"command": "cat src/new.rs > copy"}},
           {"spend": {"input_tokens": 10, "output_tokens": 2, "usd_micros": 30}},
           {"reply": {"json": {"status": "completed"}}}"#,
    );
    let played = watch(&stage, &begin(&stage, 1, TEST_TIME_MAX), |_| {});
    let spend =
        Spend { input_tokens: 10, output_tokens: 2, usd_micros: Some(30), ..Spend::default() };
    let expected = [
        Activity::Started { model: "scripted".into() },
        Activity::Said("on it".into()),
        Activity::ChangedFile("src/new.rs".into()),
        Activity::UsedTool { name: "sh".into(), summary: "cat src/new.rs > copy".into() },
        Activity::Spent(spend),
    ];
    assert_eq!(played.seen, expected);
    assert_eq!(played.ending, Ending::Answered { text: r#"{"status":"completed"}"#.into() });
    let text = |path: &str| std::fs::read_to_string(stage.root().join(path)).unwrap();
    assert_eq!(
        (text("src/new.rs"), text("copy")),
        ("fn new() {}\n".into(), "fn new() {}\n".into())
    );
}

#[test]
fn a_round_that_is_not_in_the_script_is_said_plainly() {
    let stage = stage(r#"{"reply": {"text": "first"}}"#);
    let played = watch(&stage, &begin(&stage, 2, TEST_TIME_MAX), |_| {});
    let said = "the script has no entry for phase -3, step execute, task 2, round 2";
    assert_eq!(played.ending, crashed(How::Exited(65), said));
    assert_eq!(played.seen, [Activity::Started { model: "scripted".into() }]);
}

#[test]
fn every_bad_end_can_be_played() {
    let check =
        |actions: &str, ending: Ending| assert_eq!(play(actions).ending, ending, "{actions}");
    check(r#"{"crash": {"exit": 3}}"#, crashed(How::Exited(3), ""));
    check(r#"{"crash": {"signal": 9}}"#, crashed(How::Signalled(9), ""));
    check(r#"{"crash": {"signal": 11}}"#, crashed(How::Signalled(11), ""));
    check(r#"{"say": {"text": "no answer"}}"#, crashed(How::Exited(0), ""));
    let limit = Ending::LimitReached { resets: Resets::At(1_800_000_000) };
    check(r#"{"fail": {"limit_reached": {"resets_at_unix_s": 1800000000}}}"#, limit);
    check(r#"{"fail": "overloaded"}"#, Ending::Overloaded);
    check(r#"{"fail": {"refused": {"why": "policy"}}}"#, Ending::Refused { why: "policy".into() });
    check(r#"{"fail": "not_logged_in"}"#, Ending::NotLoggedIn);
    let broken = Ending::Answered { text: "{\"half\": ".into() };
    check(r#"{"reply": {"text": "{\"half\": "}}"#, broken);
}

#[test]
fn an_agent_that_hangs_is_ended_after_its_time_or_when_somebody_says_so() {
    let stage = stage(r#"{"say": {"text": "thinking"}}, "hang""#);
    let played = watch(&stage, &begin(&stage, 1, BRIEF), |_| {});
    assert_eq!(played.ending, Ending::TimedOut);
    let running = begin(&stage, 1, TEST_TIME_MAX);
    let said = Activity::Said("thinking".into());
    let played = watch(&stage, &running, |activity| {
        if *activity == said {
            running.cancel(Grace::Given);
        }
    });
    assert_eq!(played.ending, Ending::Cancelled);
    assert!(played.exit.took < limits::AGENT_TERMINATE_TIME_MAX, "{:?}", played.exit.took);
}

#[test]
fn garbage_and_floods_do_not_hide_the_answer() {
    let played = play(
        r#"{"garbage": {"bytes": 200000}},
           {"flood": {"bytes": 2000000}},
           {"flood": {"bytes": 20000000, "line_bytes": 20000000}},
           {"reply": {"text": "still here"}}"#,
    );
    assert_eq!(played.ending, Ending::Answered { text: "still here".into() });
    let unknown = played.seen.iter().filter(|seen| matches!(seen, Activity::Unknown(_))).count();
    assert!(unknown > 2000, "{unknown}");
    assert!(played.exit.output_bytes > 22_200_000, "{}", played.exit.output_bytes);
}

#[test]
fn what_an_agent_leaves_behind_is_ended_with_it() {
    for left_in in ["same_group", "own_session"] {
        let stage = stage(&format!(
            r#"{{"leave_behind": "{left_in}"}}, {{"run": {{"command": "sleep 300 > /dev/null 2>&1 & echo $! > sleeper"}}}}, {{"reply": {{"text": "done"}}}}"#
        ));
        let running = begin(&stage, 1, TEST_TIME_MAX);
        let mut left = Vec::new();
        let exit = loop {
            match running.next(TEST_TIME_MAX) {
                Some(Event::Line(line)) => left.extend(left_behind(&line.bytes)),
                Some(Event::Exited(exit)) => break exit,
                None => unreachable!("an agent is ended after its time"),
            }
        };
        assert_eq!(exit.outcome, Outcome::Exited(0), "{left_in}");
        assert!(exit.took < Duration::from_secs(30), "{left_in}: its streams were closed");
        assert_eq!(left.len(), 1, "{left_in}");
        left.push(std::fs::read_to_string(stage.root().join("sleeper")).unwrap());
        left.iter().for_each(|id| assert_soon_gone(id.trim()));
    }
}

fn left_behind(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let id = text.strip_prefix(r#"{"type":"left_behind","pid":"#)?;
    Some(id.trim_end_matches('}').to_string())
}

#[test]
fn an_attacker_can_be_played_who_leaves_the_workspace_and_moves_head() {
    let stage = stage(
        r#"{"run": {"command": "git init --quiet ."}},
           {"write": {"path": "../outside.txt", "text": "x", "outside": true}},
           {"commit": {"message": "not asked for"}},
           {"reply": {"text": "done"}}"#,
    );
    let played = watch(&stage, &begin(&stage, 1, TEST_TIME_MAX), |_| {});
    assert_eq!(played.ending, Ending::Answered { text: "done".into() });
    assert!(stage.around().join("outside.txt").exists());
    let head = |folder: &Path| std::fs::read_dir(folder.join(".git/refs/heads")).unwrap().count();
    assert_eq!(head(stage.root()), 1);
}
