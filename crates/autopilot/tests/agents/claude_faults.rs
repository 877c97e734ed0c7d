//! What only Claude Code tells apart, and other ways in which what it shares with others goes wrong. The faults of every agent are in
//! `faults`.

use std::time::Duration;

use autopilot_testkit::model_server::{Script, Step, Trouble, Usage};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::stage::{Stage, soon, spend_of};

const COST: Usage = Usage { input: 700, output: 31, cache_read: 90, cache_write: 12 };

fn fails(step: Step) -> (Stage, Value, String) {
    let stage = Stage::planned(Script::new().step(step.always()));
    let (failure, ended) = stage.failure();
    let shown = stage.shown(&ended);
    (stage, failure, shown)
}

#[test]
fn a_key_without_rights_asks_for_a_login_and_one_without_credit_is_refused() {
    let (stage, failure, shown) = fails(Step::status(403));
    let said = "Failed to authenticate. API Error: 403 scripted status 403";
    let login = json!({"is": "not_logged_in", "said": said});
    assert_eq!((failure, stage.first_spend()), (login, Usage::default()), "{shown}");
    let words = "Your credit balance is too low to access the Anthropic API.";
    let (stage, failure, shown) = fails(Step::status(400).error("invalid_request_error", words));
    let refused = json!({"is": "refused", "why": "Credit balance is too low"});
    assert_eq!((failure, stage.first_spend()), (refused, Usage::default()), "{shown}");
}

#[test]
fn an_answer_that_breaks_off_again_and_again_is_waited_for_or_has_crashed() {
    let (kind, message) = ("overloaded_error".to_string(), "Overloaded".to_string());
    let overloaded = Trouble::ErrorEvent { kind, message };
    let troubles = [Trouble::InvalidJson, Trouble::DroppedInStream, overloaded];
    let seen = troubles.map(|trouble| {
        let step = Step::text("I begin").usage(COST).trouble(trouble.clone());
        let (stage, failure, shown) = fails(step);
        let told = stage.first_spend();
        let begun = stage.server.requests().len() as u64;
        // How many of the beginnings came through depends on how the line was cut; none is counted twice.
        let is_within = told.input.is_multiple_of(COST.input) && told.input <= begun * COST.input;
        assert!(is_within, "{trouble:?} {told:?} {shown}");
        failure["is"].as_str().unwrap_or_default().to_string()
    });
    assert_eq!(seen, ["crashed", "overloaded", "overloaded"]);
}

#[test]
fn a_server_that_hangs_up_is_out_of_reach_and_not_overloaded() {
    let (_stage, failure, shown) = fails(Step::silent().trouble(Trouble::DroppedBefore));
    assert_eq!(failure["is"], "overloaded", "{shown}");
    let said = failure["unreachable"].as_str().unwrap_or_default();
    assert!(said.starts_with("API Error: Connection dropped"), "{shown}");
}

#[test]
fn it_holds_itself_to_what_the_run_may_cost() {
    let step = Step::silent().runs("true").usage(COST).always();
    let stage = Stage::planned(Script::new().step(step));
    let ended = stage.run(&["run", "1", "--max-cost", "0.005"]);
    let shown = stage.shown(&ended);
    let failed = stage.first("step_failed").unwrap_or_default();
    assert_eq!(failed["failure"], json!({"is": "allowance_used"}), "{shown}");
    // It has these words only from its own switch; nobody else ended it.
    assert!(stage.logged("error_max_budget_usd") > 0, "{shown}");
    assert_eq!(ended.code, 4, "{shown}");
    let halted = stage.first("run_halted").unwrap_or_default();
    assert_eq!(halted["why"]["cap"], "run_cost", "{shown}");
    stage.assert_no_process_left();
}

#[test]
fn an_agent_that_is_killed_or_interrupted_has_crashed_and_its_spend_is_known() {
    for signal in [Signal::KILL, Signal::INT] {
        let step = Step::text("I begin").usage(COST).trouble(Trouble::SilentInStream).always();
        let stage = Stage::planned(Script::new().step(step));
        let mut run = stage.start(&["run", "1"]);
        soon("the stream tells it", || stage.logged("\"message_start\"") > 0);
        let claude = stage.at_work("claude", "stream-json");
        let claude = claude.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        kill_process(claude.unwrap(), signal).unwrap();
        soon("the step failed", || {
            stage.first("step_failed").is_some() || run.ends_within(Duration::ZERO).unwrap()
        });
        run.signal(Signal::INT).unwrap();
        let ended = run.finish().unwrap();
        let failed = stage.first("step_failed").unwrap_or_default();
        assert_eq!(failed["failure"]["is"], "crashed", "{}", stage.shown(&ended));
        // An answer that never ended has cost what its beginning told.
        assert_eq!(spend_of(&failed), Usage { output: 1, ..COST }, "{}", stage.shown(&ended));
        stage.assert_no_process_left();
    }
}
