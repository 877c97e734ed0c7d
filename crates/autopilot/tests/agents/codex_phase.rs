//! The real Codex: whole phases and the login of a user. What goes wrong is in `faults`.

use autopilot_agents::codex::TRIED_VERSION;
use autopilot_testkit::agents::AGENTS;
use autopilot_testkit::model_server::Script;
use serde_json::json;

use super::claude_home::tree;
use super::model;
use super::stage::Stage;

/// The provider's key is in a variable.
const BY_KEY: &str = "env_key=\"CODEX_API_KEY\"";
/// It is the stored one.
const STORED: &str = "requires_openai_auth=true";

/// One phase with a plan of one task, and a key.
pub(crate) fn planned(script: Script) -> Stage {
    Stage::codex(script, true, BY_KEY).variable("CODEX_API_KEY", "sk-scripted")
}

#[test]
fn a_phase_goes_through_every_step_and_passes_the_gate() {
    let stage = Stage::codex(model::good(), false, BY_KEY).variable("CODEX_API_KEY", "sk-scripted");
    let before = tree(&stage.home());
    let ended = stage.whole_phase();
    let first = ended.stdout.lines().next().unwrap_or_default();
    assert!(first.contains(&format!("agent codex {TRIED_VERSION}")), "{first}");
    assert_eq!(tree(&stage.home()), before, "the home is not as it was");
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
