//! The real Codex: whole phases, the login of a user, and what goes wrong with a model or a process.

use std::time::Duration;

use autopilot_agents::codex::TRIED_VERSION;
use autopilot_testkit::agents::AGENTS;
use autopilot_testkit::model_server::{AnsweredBy, Script, Step, Trouble, Usage};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::claude_home::tree;
use super::model;
use super::stage::{Stage, soon, spend_of};

/// The provider's key is in a variable.
const BY_KEY: &str = "env_key=\"CODEX_API_KEY\"";
/// It is the stored one.
const STORED: &str = "requires_openai_auth=true";

const COST: Usage = Usage { input: 700, output: 31, cache_read: 90, cache_write: 12 };

fn planned(script: Script) -> Stage {
    Stage::codex(script, true, BY_KEY).variable("CODEX_API_KEY", "sk-scripted")
}

fn check(script: Script, expected: &Value, spent: Usage) {
    let stage = planned(script);
    let (failure, ended) = stage.failure();
    assert_eq!(failure, *expected, "{}", stage.shown(&ended));
    assert_eq!(stage.first_spend(), spent, "{}", stage.shown(&ended));
}

fn is(word: &str) -> Value {
    json!({"is": word})
}

#[test]
fn a_phase_goes_through_every_step_and_passes_the_gate() {
    let stage = Stage::codex(model::good(), false, BY_KEY).variable("CODEX_API_KEY", "sk-scripted");
    let before = tree(&stage.home());
    let ended = stage.run(&["run", "1", "--depth", "full"]);
    assert_eq!(ended.code, 0, "{}", stage.shown(&ended));
    let first = ended.stdout.lines().next().unwrap_or_default();
    assert!(first.contains(&format!("agent codex {TRIED_VERSION}")), "{first}");
    let requests = stage.server.requests();
    let mut roles: Vec<String> =
        requests.iter().filter_map(|one| model::role(&one.request)).collect();
    roles.dedup();
    let expected = [
        "research",
        "plan",
        "plan_check",
        "execute",
        "verify",
        "judge",
        "judge_divergence",
        "rate",
    ];
    assert_eq!(roles, expected, "{}", stage.shown(&ended));
    assert!(requests.iter().all(|one| one.by == AnsweredBy::Choice), "{}", stage.shown(&ended));
    assert_ne!(stage.server.served(), Usage::default());
    assert_eq!(stage.spent(), stage.server.served(), "{}", stage.shown(&ended));
    assert_eq!(tree(&stage.home()), before, "the home is not as it was");
    stage.assert_no_process_left();
}

#[test]
fn the_version_that_is_told_is_the_one_that_is_driven() {
    let pinned = AGENTS.iter().find(|agent| agent.name == "codex").map(|agent| agent.version);
    assert_eq!(pinned, Some(TRIED_VERSION));
}

#[test]
fn a_stored_login_is_used_and_nothing_of_the_users_is_touched() {
    let stage = Stage::codex(model::good(), true, STORED);
    let home = stage.home().join(".codex");
    std::fs::create_dir(&home).unwrap();
    let put = |name: &str, text: String| std::fs::write(home.join(name), text).unwrap();
    put(
        "auth.json",
        json!({"auth_mode": "apikey", "OPENAI_API_KEY": "sk-of-the-user"}).to_string(),
    );
    put("auth.lock", String::new());
    let mark = stage.around().join("MARK");
    let marks = format!("echo ran >> {}", mark.display());
    put(
        "config.toml",
        format!("[mcp_servers.mark]\ncommand = \"sh\"\nargs = [\"-c\", \"{marks}\"]\n"),
    );
    let hook = json!([{"hooks": [{"type": "command", "command": marks}]}]);
    put("hooks.json", json!({"hooks": {"SessionStart": hook, "Stop": hook}}).to_string());
    put("AGENTS.md", "RULE-OF-THE-PERSON: sing.\n".to_string());
    std::fs::write(stage.root().join("AGENTS.md"), "RULE-OF-THE-PROJECT: write plain files.\n")
        .unwrap();
    stage.commit_all();
    let before = tree(&stage.home());
    let ended = stage.run(&["run", "1"]);
    assert_eq!(ended.code, 0, "{}", stage.shown(&ended));
    assert_eq!(tree(&stage.home()), before, "the home is not as it was");
    assert!(!mark.exists(), "a hook or a server ran");
    for one in stage.server.requests() {
        assert_eq!(one.request.header("authorization"), Some("Bearer sk-of-the-user"));
        assert!(one.request.says("RULE-OF-THE-PROJECT") && !one.request.says("RULE-OF-THE-PERSON"));
    }
    assert_eq!(stage.spent(), stage.server.served(), "{}", stage.shown(&ended));
    stage.assert_no_process_left();
}

#[test]
fn a_server_that_fails_limits_or_is_out_of_reach_is_waited_for() {
    let limit = json!({"is": "limit_reached", "resets_at": null});
    check(Script::new().step(Step::status(429).always()), &limit, Usage::default());
    let used_up =
        Step::status(429).error("usage_limit_reached", "The usage limit has been reached");
    check(Script::new().step(used_up.always()), &limit, Usage::default());
    for status in [500, 529] {
        check(
            Script::new().step(Step::status(status).always()),
            &is("overloaded"),
            Usage::default(),
        );
    }
    let dropped = Step::silent().trouble(Trouble::DroppedBefore).always();
    check(Script::new().step(dropped), &is("overloaded"), Usage::default());
    let broken = Step::text("I begin").usage(COST).trouble(Trouble::EndsEarly).always();
    check(Script::new().step(broken), &is("overloaded"), Usage::default());
}

#[test]
fn a_key_that_does_not_hold_pauses_the_run_at_once() {
    let stage = planned(Script::new().step(Step::status(401).always()));
    let ended = stage.run(&["run", "1"]);
    assert_eq!(ended.code, 6, "{}", stage.shown(&ended));
    let failed = stage.events().into_iter().filter(|event| event["type"] == "step_failed");
    assert_eq!(
        failed.map(|event| event["failure"].clone()).collect::<Vec<_>>(),
        [is("not_logged_in")]
    );
    stage.assert_no_process_left();
}

#[test]
fn an_answer_in_no_form_breaks_the_contract_and_counts_what_it_cost() {
    let step = Step::text("All is well; error 429 was long ago.").usage(COST).always();
    let stage = planned(Script::new().step(step));
    let (failure, ended) = stage.failure();
    assert_eq!(failure["is"], "contract_broken", "{}", stage.shown(&ended));
    assert_eq!(stage.first_spend(), COST, "{}", stage.shown(&ended));
}

/// A model that answers once and then says no more.
fn silent_after_one() -> Script {
    let first = Step::text("I look.").runs("true").usage(COST);
    let second = Step::text("I begin").usage(COST).trouble(Trouble::SilentInStream).always();
    Script::new().step(first).step(second)
}

fn is_silent(stage: &Stage) -> bool {
    stage.server.requests().len() > 1
}

#[test]
fn an_agent_that_is_ended_by_somebody_has_crashed_and_its_spend_is_known() {
    for signal in [Signal::TERM, Signal::KILL] {
        let stage = planned(silent_after_one());
        let mut run = stage.start(&["run", "1"]);
        soon("the model is silent", || is_silent(&stage));
        let codex =
            stage.at_work("codex", "exec").and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        kill_process(codex.unwrap(), signal).unwrap();
        soon("the step failed", || {
            stage.first("step_failed").is_some() || run.ends_within(Duration::ZERO).unwrap()
        });
        run.signal(Signal::INT).unwrap();
        let ended = run.finish().unwrap();
        let failed = stage.first("step_failed").unwrap_or_default();
        assert_eq!(failed["failure"]["is"], "crashed", "{}", stage.shown(&ended));
        assert_eq!(spend_of(&failed), COST, "{}", stage.shown(&ended));
        stage.assert_no_process_left();
    }
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
    let stage = planned(script);
    let run = stage.start(&["run", "1"]);
    soon("the model is asked", || !stage.server.requests().is_empty());
    run.signal(Signal::KILL).unwrap();
    assert_eq!(run.finish().unwrap().code, 137);
    stage.assert_no_process_left();
    let ended = stage.run(&["resume"]);
    assert_eq!(ended.code, 0, "{}", stage.shown(&ended));
    assert!(stage.first("attempt_lost").is_some(), "{}", stage.shown(&ended));
    assert_eq!(stage.spent(), stage.server.served(), "{}", stage.shown(&ended));
    stage.assert_no_process_left();
}
