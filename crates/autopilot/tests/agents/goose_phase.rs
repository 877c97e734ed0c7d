//! The real goose: a whole phase in a home like a user's.

use std::path::Path;

use autopilot_agents::goose::TRIED_VERSION;
use autopilot_testkit::agents::AGENTS;
use autopilot_testkit::model_server::Script;
use serde_json::Value;

use super::claude_home::tree;
use super::model;
use super::stage::{CONFIG, PLAN, Stage};

/// One phase with a plan, and a user who has configured the scripted provider, with a stored key and an extension.
pub(crate) fn planned(script: Script) -> Stage {
    let config = |_: &str| {
        let mut config: Value = serde_json::from_str(CONFIG).unwrap();
        config["autopilot"]["agent"] = "goose".into();
        config.to_string()
    };
    let stage = Stage::set_up(script, "goose", config, |it| {
        it.file(".planning/phases/01-base/01-01-PLAN.md", PLAN)
    });
    let settings = format!(
        "GOOSE_PROVIDER: anthropic\nGOOSE_MODEL: claude-sonnet-4-5\nANTHROPIC_HOST: {}\n\
         extensions:\n  mark:\n    enabled: true\n    type: stdio\n    name: mark\n    cmd: sh\n    args: [-c, 'echo ran >> {}']\n",
        stage.server.url(),
        mark(&stage).display()
    );
    put(&stage.home(), ".config/goose/config.yaml", &settings);
    put(&stage.home(), ".config/goose/secrets.yaml", "ANTHROPIC_API_KEY: sk-of-the-user\n");
    put(&stage.home(), ".config/goose/.goosehints", "RULE-OF-THE-PERSON: sing.\n");
    // There is no keyring where tests run.
    stage.variable("GOOSE_DISABLE_KEYRING", "1")
}

fn mark(stage: &Stage) -> std::path::PathBuf {
    stage.around().join("MARK")
}

fn put(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn the_version_that_is_told_is_the_one_that_is_driven() {
    let pinned = AGENTS.iter().find(|agent| agent.name == "goose").map(|agent| agent.version);
    assert_eq!(pinned, Some(TRIED_VERSION));
}

#[test]
fn a_phase_passes_the_gate_with_the_users_login_and_nothing_of_the_users_takes_part() {
    let stage = planned(model::good());
    put(stage.root(), "AGENTS.md", "RULE-OF-THE-PROJECT: write plain files.\n");
    stage.commit_all();
    let before = tree(&stage.home());
    let ended = stage.run(&["run", "1"]);
    assert_eq!(ended.code, 0, "{}", stage.shown(&ended));
    assert_eq!(tree(&stage.home()), before, "the home is not as it was");
    assert!(!mark(&stage).exists(), "an extension ran");
    for one in stage.server.requests() {
        assert_eq!(one.request.header("x-api-key"), Some("sk-of-the-user"));
        assert!(one.request.says("RULE-OF-THE-PROJECT") && !one.request.says("RULE-OF-THE-PERSON"));
    }
    assert_eq!(stage.spent(), stage.server.served(), "{}", stage.shown(&ended));
    stage.assert_no_process_left();
}
