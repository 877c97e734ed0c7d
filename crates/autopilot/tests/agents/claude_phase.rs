//! Whole phases with the real Claude Code.

use autopilot_agents::claude_code::TRIED_VERSION;
use autopilot_testkit::agents::AGENTS;
use autopilot_testkit::book;
use autopilot_testkit::model_server::Usage;

use super::model;
use super::stage::Stage;

#[test]
fn a_phase_goes_through_every_step_and_passes_the_gate() {
    let stage = Stage::unplanned(model::good());
    let ended = stage.whole_phase();
    let first = ended.stdout.lines().next().unwrap_or_default();
    let agent = format!("agent claude {TRIED_VERSION}, paid by API key");
    assert!(first.contains(&agent), "{first}");

    // Who only looks has nothing to edit with.
    for one in &stage.server.requests() {
        let can_edit = one.request.tools().iter().any(|tool| tool == "Edit" || tool == "Write");
        let writes = ["research", "plan", "execute"];
        let role = model::role(&one.request).unwrap_or_default();
        assert_eq!(can_edit, writes.contains(&role.as_str()), "{role}");
    }

    let costs: Vec<bool> = stage
        .events()
        .iter()
        .filter(|event| event["type"] == "step_completed")
        .map(|event| event["work"]["spend"]["usd_micros"].as_u64().is_some_and(|usd| usd > 0))
        .collect();
    assert_eq!(costs, [true; 8]);
}

#[test]
fn the_version_that_is_told_is_the_one_that_is_driven() {
    let pinned = AGENTS.iter().find(|agent| agent.name == "claude").map(|agent| agent.version);
    assert_eq!(pinned, Some(TRIED_VERSION));
}

#[test]
fn one_line_is_asked_and_answered_for_real() {
    use autopilot_testkit::model_server::{Script, Step};
    let cost = Usage { input: 321, output: 5, cache_read: 11, cache_write: 3 };
    let stage = Stage::planned(Script::new().step(Step::text("ready").usage(cost).always()));
    let ended = stage.run(&["agents", "try", "claude", "--json"]);
    assert_eq!(ended.code, 0, "{}", stage.shown(&ended));
    let told: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&told["answered"], &told["answer"]), (&true.into(), &"ready".into()));
    assert_eq!((&told["input_tokens"], &told["output_tokens"]), (&321.into(), &5.into()));
    assert_eq!((&told["cache_read_tokens"], &told["cache_write_tokens"]), (&11.into(), &3.into()));
    assert!(told["cost_usd"].as_f64().is_some_and(|usd| usd > 0.0), "{told}");
    let line = book::line("troubleshooting.md", "autopilot agents try claude").unwrap();
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    let ended = stage.run(&words);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{}", stage.shown(&ended));
    assert!(ended.stdout.contains("ready"), "{}", stage.shown(&ended));
    let stage = stage.without("ANTHROPIC_API_KEY");
    let ended = stage.run(&words);
    assert_eq!(ended.code, 6, "{}", stage.shown(&ended));
    assert!(ended.stderr.contains("claude is not logged in"), "{}", ended.stderr);
    stage.assert_no_process_left();
}

#[test]
fn a_project_is_drafted_from_an_idea_without_a_tool_to_edit_with() {
    use autopilot_testkit::model_server::{Script, Step};
    let draft = autopilot_core::contract::drafting::example();
    let draft: serde_json::Value = serde_json::from_str(draft).unwrap();
    let cost = Usage { input: 4_000, output: 900, cache_read: 11, cache_write: 3 };
    let stage = Stage::planned(Script::new().step(Step::structured(draft).usage(cost).always()));
    std::fs::remove_dir_all(stage.root().join(".planning")).unwrap();
    let idea = "a command that prints the tides of a harbour";
    let ended = stage.run(&["new", idea, "--yes", "--json"]);
    assert_eq!(ended.code, 0, "{}", stage.shown(&ended));
    let told: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&told["agent"], &told["tries"]), (&"claude".into(), &1.into()));
    assert_eq!(told["written"].as_array().map(Vec::len), Some(4), "{told}");
    assert!(told["cost_usd"].as_f64().is_some_and(|usd| usd > 0.0), "{told}");
    for one in &stage.server.requests() {
        let tools = one.request.tools();
        assert!(!tools.iter().any(|tool| tool == "Edit" || tool == "Write"), "{tools:?}");
        let said = one.request.conversation();
        assert!(said.iter().any(|said| said.text.contains(idea)), "the idea is in the prompt");
    }
    stage.assert_no_process_left();
}
