//! What goes wrong with a model or a process, and what each comes to with the real Claude Code: the ending, the spend to the
//! token, and nothing left behind.

use std::time::Duration;

use autopilot_testkit::model_server::{Ending, Recorded, Script, Step, Trouble, Usage};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::model;
use super::stage::{Stage, soon, spend_of};

const COST: Usage = Usage { input: 700, output: 31, cache_read: 90, cache_write: 12 };

fn check(script: Script, expected: &Value, spent: Usage) -> Stage {
    let stage = Stage::planned(script);
    let (failure, ended) = stage.failure();
    assert_eq!(failure, *expected, "{}", stage.shown(&ended));
    assert_eq!(stage.first_spend(), spent, "{}", stage.shown(&ended));
    stage
}

fn is(word: &str) -> Value {
    json!({"is": word})
}

#[test]
fn a_rate_limit_without_a_time_is_waited_for() {
    let limit = json!({"is": "limit_reached", "resets_at": null});
    let stage = check(Script::new().step(Step::status(429).always()), &limit, Usage::default());
    assert!(stage.first("limit_reached").is_some());
}

#[test]
fn a_limit_of_a_subscription_tells_its_time() {
    const RESETS_AT: u64 = 4_000_000_000;
    let at = RESETS_AT.to_string();
    let rejected = Step::status(429)
        .header("anthropic-ratelimit-unified-status", "rejected")
        .header("anthropic-ratelimit-unified-reset", &at)
        .header("anthropic-ratelimit-unified-representative-claim", "five_hour")
        .header("anthropic-ratelimit-unified-5h-status", "rejected")
        .header("anthropic-ratelimit-unified-5h-reset", &at)
        .header("anthropic-ratelimit-unified-5h-utilization", "1.0")
        .header("anthropic-ratelimit-unified-overage-status", "rejected");
    let stage = Stage::planned(Script::new().step(rejected.always()))
        .without("ANTHROPIC_API_KEY")
        .variable("CLAUDE_CODE_OAUTH_TOKEN", "scripted");
    let ended = stage.run(&["run", "1"]);
    assert_eq!(ended.code, 75, "{}", stage.shown(&ended));
    let failed = stage.first("step_failed").unwrap_or_default();
    let expected = json!({"is": "limit_reached", "resets_at": RESETS_AT * 1_000});
    assert_eq!(failed["failure"], expected, "{}", stage.shown(&ended));
    assert_eq!(stage.server.requests().len(), 1, "{}", stage.shown(&ended));
    stage.assert_no_process_left();
}

#[test]
fn a_server_that_fails_or_is_out_of_reach_is_waited_for() {
    check(Script::new().step(Step::status(529).always()), &is("overloaded"), Usage::default());
    check(Script::new().step(Step::status(500).always()), &is("overloaded"), Usage::default());
    let dropped = Step::silent().trouble(Trouble::DroppedBefore).always();
    check(Script::new().step(dropped), &is("overloaded"), Usage::default());
}

#[test]
fn a_key_that_does_not_hold_pauses_the_run_at_once() {
    for status in [401, 403] {
        let stage = Stage::planned(Script::new().step(Step::status(status).always()));
        let ended = stage.run(&["run", "1"]);
        assert_eq!(ended.code, 6, "{}", stage.shown(&ended));
        let failed: Vec<Value> =
            stage.events().into_iter().filter(|event| event["type"] == "step_failed").collect();
        assert_eq!(failed.len(), 1, "it is no reason to try again: {}", stage.shown(&ended));
        assert_eq!(failed[0]["failure"], is("not_logged_in"));
        stage.assert_no_process_left();
    }
}

#[test]
fn no_credit_is_a_refusal() {
    let poor = Step::status(400).error(
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API.",
    );
    let expected = json!({"is": "refused", "why": "Credit balance is too low"});
    check(Script::new().step(poor.always()), &expected, Usage::default());
}

#[test]
fn an_answer_that_breaks_off_again_and_again_is_waited_for_or_has_crashed() {
    let overloaded = Trouble::ErrorEvent {
        kind: "overloaded_error".to_string(),
        message: "Overloaded".to_string(),
    };
    let troubles = [Trouble::EndsEarly, Trouble::InvalidJson, Trouble::DroppedInStream, overloaded];
    let seen = troubles.map(|trouble| {
        let step = Step::text("I begin").usage(COST).trouble(trouble.clone()).always();
        let stage = Stage::planned(Script::new().step(step));
        let (failure, ended) = stage.failure();
        let told = stage.first_spend();
        let begun = stage.server.requests().len() as u64;
        // How many of the beginnings came through depends on how the line was cut; none is counted twice.
        let is_within = told.input.is_multiple_of(COST.input) && told.input <= begun * COST.input;
        assert!(is_within, "{trouble:?} {told:?} {}", stage.shown(&ended));
        failure["is"].as_str().unwrap_or_default().to_string()
    });
    assert_eq!(seen, ["overloaded", "crashed", "overloaded", "overloaded"]);
}

#[test]
fn an_answer_in_no_form_breaks_the_contract_and_counts_what_it_cost() {
    let step = Step::text("All is well; error 429 was long ago.").usage(COST).always();
    let stage = Stage::planned(Script::new().step(step));
    let (failure, ended) = stage.failure();
    assert_eq!(failure["is"], "contract_broken", "{}", stage.shown(&ended));
    // It is reminded once of the form by itself.
    assert_eq!(stage.first_spend(), COST + COST, "{}", stage.shown(&ended));
}

#[test]
fn who_may_not_use_its_tools_says_so() {
    let script = Script::new().choose(|request| {
        Some(match request.turns() {
            0 => Step::silent().writes("/elsewhere/lib/1", "base\n").usage(COST),
            _ => Step::structured(model::returned(&model::role(request)?)?).usage(COST),
        })
    });
    let expected = json!({"is": "refused", "why": "it may not use Write"});
    check(script, &expected, COST + COST);
    assert!(!std::path::Path::new("/elsewhere").exists());
}

#[test]
fn the_last_turn_ends_an_agent_that_goes_in_circles() {
    let step = Step::silent().runs("true").usage(Usage { input: 3, output: 1, ..Usage::default() });
    let all = Usage { input: 900, output: 300, ..Usage::default() };
    check(Script::new().step(step.always()), &is("allowance_used"), all);
}

fn is_under_way(requests: &[Recorded]) -> bool {
    requests.iter().any(|one| one.ending == Ending::Waiting)
}

/// A model that has begun to answer and says no more.
fn silent() -> Stage {
    let step = Step::text("I begin").usage(COST).trouble(Trouble::SilentInStream).always();
    Stage::planned(Script::new().step(step))
}

/// An answer that never ended has cost what its beginning told.
const BEGUN: Usage = Usage { output: 1, ..COST };

#[test]
fn an_agent_that_is_ended_by_somebody_has_crashed_and_its_spend_is_known() {
    for signal in [Signal::TERM, Signal::KILL, Signal::INT] {
        let stage = silent();
        let mut run = stage.start(&["run", "1"]);
        soon("the answer has begun", || stage.server.requests().iter().any(has_begun));
        soon("the stream tells it", || stage.told_of_the_answer());
        let claude = stage
            .at_work("claude", "stream-json")
            .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?))
            .unwrap();
        kill_process(claude, signal).unwrap();
        soon("the step failed", || {
            stage.first("step_failed").is_some() || run.ends_within(Duration::ZERO).unwrap()
        });
        run.signal(Signal::INT).unwrap();
        let ended = run.finish().unwrap();
        let failed = stage.first("step_failed").unwrap_or_default();
        assert_eq!(failed["failure"]["is"], "crashed", "{}", stage.shown(&ended));
        assert_eq!(spend_of(&failed), BEGUN, "{}", stage.shown(&ended));
        stage.assert_no_process_left();
    }
}

fn has_begun(one: &Recorded) -> bool {
    matches!(one.ending, Ending::Waiting | Ending::Cut)
}

#[test]
fn a_stalled_agent_can_be_stopped_and_leaves_nothing() {
    let stage = silent();
    let run = stage.start(&["run", "1"]);
    soon("the stream tells it", || stage.told_of_the_answer());
    let stopped = stage.run(&["stop", "--now"]);
    assert_eq!(stopped.code, 0, "{stopped:?}");
    let ended = run.finish().unwrap();
    assert!(stage.first("attempt_cancelled").is_some(), "{}", stage.shown(&ended));
    stage.assert_no_process_left();
    assert!(stage.server.wait_until_alone(Duration::from_secs(30)));
    assert!(!is_under_way(&stage.server.requests()));
}

#[test]
fn killed_in_the_middle_of_a_call_a_run_leaves_no_process_and_goes_on() {
    let mut is_first = true;
    let script = Script::new().choose(move |request| {
        if std::mem::take(&mut is_first) {
            return Some(Step::text("I begin").trouble(Trouble::SilentInStream));
        }
        model::answer(request)
    });
    let stage = Stage::planned(script);
    let run = stage.start(&["run", "1"]);
    soon("the stream tells it", || stage.told_of_the_answer());
    run.signal(Signal::KILL).unwrap();
    assert_eq!(run.finish().unwrap().code, 137);
    stage.assert_no_process_left();
    let ended = stage.run(&["resume"]);
    assert_eq!(ended.code, 0, "{}", stage.shown(&ended));
    assert!(stage.first("attempt_lost").is_some(), "{}", stage.shown(&ended));
    assert_eq!(stage.spent(), stage.server.served(), "{}", stage.shown(&ended));
    stage.assert_no_process_left();
}

impl Stage {
    /// The log of the attempt has the beginning of the answer.
    fn told_of_the_answer(&self) -> bool {
        let logs = self.root().join(".autopilot/logs");
        let runs = std::fs::read_dir(logs).into_iter().flatten().flatten();
        let files = runs.flat_map(|run| std::fs::read_dir(run.path())).flatten().flatten();
        let mut texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
        texts.any(|text| text.contains("message_start"))
    }
}
