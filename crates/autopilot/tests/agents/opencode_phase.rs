//! The real opencode: a task done for real in a home like a user's.

use std::path::Path;

use autopilot_agents::opencode::TRIED_VERSION;
use autopilot_testkit::agents::AGENTS;
use autopilot_testkit::model_server::{Script, Usage};
use serde_json::{Value, json};

use super::claude_home::tree;
use super::model;
use super::stage::{CONFIG, PLAN, Stage, soon, spend_of};

/// One phase with a plan, and a user whose settings name the scripted provider, with a stored key.
pub(crate) fn planned(script: Script) -> Stage {
    let config = |_: &str| {
        let mut config: Value = serde_json::from_str(CONFIG).unwrap();
        config["autopilot"]["agent"] = "opencode".into();
        config.to_string()
    };
    let stage = Stage::set_up(script, "opencode", config, |it| {
        it.file(".planning/phases/01-base/01-01-PLAN.md", PLAN)
    });
    let settings = json!({
        "model": "scripted/model",
        "provider": {"scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": format!("{}/v1", stage.server.url())},
            "models": {"model": {"limit": {"context": 100_000, "output": 8_000}}},
        }},
    });
    put(&stage.home(), ".config/opencode/opencode.json", &settings.to_string());
    let login = json!({"scripted": {"type": "api", "key": "sk-of-the-user"}});
    put(&stage.home(), ".local/share/opencode/auth.json", &login.to_string());
    stage
}

fn put(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Runs until the first step is done, and stops there.
fn first_step(stage: &Stage) -> (Value, String) {
    let mut run = stage.start(&["run", "1"]);
    soon("a step is over", || {
        let is_over = ["step_completed", "step_failed"].iter().any(|it| stage.first(it).is_some());
        is_over || run.ends_within(std::time::Duration::from_millis(20)).unwrap()
    });
    run.signal(rustix::process::Signal::INT).unwrap();
    let ended = run.finish().unwrap();
    stage.assert_no_process_left();
    (stage.first("step_completed").unwrap_or_default(), stage.shown(&ended))
}

#[test]
fn the_version_that_is_told_is_the_one_that_is_driven() {
    let pinned = AGENTS.iter().find(|agent| agent.name == "opencode").map(|agent| agent.version);
    assert_eq!(pinned, Some(TRIED_VERSION));
}

#[test]
fn a_task_is_done_with_the_users_login_and_nothing_of_the_users_takes_part() {
    let stage = planned(model::good());
    let mark = stage.around().join("MARK");
    let command = json!(["sh", "-c", format!("echo ran >> {}", mark.display())]);
    let server = json!({"mcp": {"mark": {"type": "local", "command": command}}});
    let plugin = format!(
        "export const Mark = async () => {{ require('fs').writeFileSync({:?}, 'x'); return {{}} }}",
        mark.display().to_string()
    );
    let home = stage.home();
    put(&home, ".config/opencode/config.json", &server.to_string());
    put(&home, ".config/opencode/plugin/mark.js", &plugin);
    put(&home, ".config/opencode/AGENTS.md", "RULE-OF-THE-PERSON: sing.\n");
    put(&home, ".opencode/opencode.json", &server.to_string());
    put(stage.root(), "opencode.json", &server.to_string());
    put(stage.root(), ".opencode/plugin/mark.js", &plugin);
    put(stage.root(), "AGENTS.md", "RULE-OF-THE-PROJECT: write plain files.\n");
    stage.commit_all();
    let before = tree(&home);
    let (event, shown) = first_step(&stage);
    assert_eq!(tree(&home), before, "the home is not as it was");
    assert!(!mark.exists(), "a plugin or a server ran");
    assert_eq!(event["work"]["changed"]["files"], 1, "{shown}");
    let requests = stage.server.requests();
    // Two turns of the task; another step may have begun.
    let spent: Usage = requests[..2].iter().map(|one| one.usage).sum();
    assert_eq!(spend_of(&event), spent, "{shown}");
    for one in &requests {
        assert_eq!(one.request.header("authorization"), Some("Bearer sk-of-the-user"), "{shown}");
        assert!(one.request.says("RULE-OF-THE-PROJECT") && !one.request.says("RULE-OF-THE-PERSON"));
    }
}
