//! A home that looks like a user's: stored logins, a hook, an MCP server and an extension that leave a mark, rules of the person and of
//! the project. Gemini CLI works with the login and the project's rules, and afterwards the home is as it was.

use autopilot_agents::gemini::TRIED_VERSION;
use autopilot_testkit::agents::AGENTS;
use autopilot_testkit::model_server::{AnsweredBy, Script};
use serde_json::{Value, json};

use super::claude_home::tree;
use super::gemini_stage::{WAYS, settings};
use super::model;
use super::stage::Stage;

/// With a key that the user keeps where the program looks for it, and a login with Google beside it.
fn stage(script: Script, way: &str) -> Stage {
    let stage = Stage::gemini(script, way).without("GEMINI_API_KEY");
    let marks = |who: &str| format!("echo {who} >> \"{}\"", stage.around().join("MARK").display());
    let hook = |who: &str| {
        let command = json!([{"hooks": [{"type": "command", "command": marks(who)}]}]);
        json!({"SessionStart": command, "BeforeAgent": command, "BeforeTool": command})
    };
    let server = |who: &str| json!({"mark": {"command": "sh", "args": ["-c", marks(who)]}});
    let mut own = settings();
    own["hooks"] = hook("user-hook");
    own["mcpServers"] = server("user-server");
    stage.keeps("settings.json", &format!("// The user's own.\n{own}"));
    stage.keeps(".env", "GEMINI_API_KEY=key-of-the-user\n");
    stage.keeps("oauth_creds.json", &json!({"access_token": "of-the-user"}).to_string());
    stage.keeps("GEMINI.md", "RULE-OF-THE-PERSON: sing.\n");
    stage.keeps("tmp/old/chats/session-2026-01-01T00-00-11111111.jsonl", "{}\n");
    let extension = json!({"name": "mark", "version": "1.0.0", "mcpServers": server("extension")});
    stage.keeps("extensions/mark/gemini-extension.json", &extension.to_string());
    let of_the_project =
        json!({"hooks": hook("project-hook"), "mcpServers": server("project-server")});
    let put = |path: &str, text: &str| {
        let path = stage.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put("GEMINI.md", "RULE-OF-THE-PROJECT: write plain files.\n");
    put("AGENTS.md", "RULE-OF-ALL-AGENTS: write short files.\n");
    put(".gemini/settings.json", &of_the_project.to_string());
    stage.commit_all();
    stage
}

#[test]
fn a_stored_login_is_used_and_nothing_of_the_users_is_touched() {
    std::thread::scope(|scope| {
        for way in WAYS {
            scope.spawn(move || works(way));
        }
    });
}

fn works(way: &str) {
    let stage = stage(model::good(), way);
    let before = tree(&stage.home());
    let ended = stage.run(&["run", "1"]);
    let shown = stage.shown(&ended);
    assert_eq!(ended.code, 0, "{shown}");
    let first = ended.stdout.lines().next().unwrap_or_default();
    assert!(first.contains(&format!("agent {way} {TRIED_VERSION}")), "{first}");
    let mark = std::fs::read_to_string(stage.around().join("MARK")).unwrap_or_default();
    assert_eq!(mark, "", "a hook, a server or an extension ran");
    assert_eq!(tree(&stage.home()), before, "the home is not as it was");
    let requests = stage.server.requests();
    assert!(requests.len() >= 3, "{shown}");
    for one in &requests {
        assert_eq!(one.by, AnsweredBy::Choice, "{shown}");
        assert_eq!(one.request.header("x-goog-api-key"), Some("key-of-the-user"));
        let says = |words: &str| one.request.says(words);
        assert!(says("RULE-OF-THE-PROJECT") && says("RULE-OF-ALL-AGENTS"), "{shown}");
        assert!(!says("RULE-OF-THE-PERSON"));
    }
    assert_eq!(stage.spent(), stage.server.served(), "{shown}");
    let started = stage.first("run_started").unwrap_or_default();
    assert_eq!(started["definition"]["agent"]["paid"], "key");
    stage.assert_no_process_left();
}

/// A login with Google that does not hold: to renew it takes a server that is not there.
#[test]
fn a_login_that_does_not_hold_ends_the_run_at_once_and_stays_as_it_is() {
    let mut own = settings();
    own["security"]["auth"]["selectedType"] = "oauth-personal".into();
    let login = json!({
        "access_token": "old", "refresh_token": "of-the-user", "token_type": "Bearer",
        "expiry_date": 1_000_000_000_000_u64,
    });
    let stage = Stage::gemini(model::good(), WAYS[0]).without("GEMINI_API_KEY");
    stage.keeps("settings.json", &own.to_string());
    stage.keeps("oauth_creds.json", &login.to_string());
    let before = tree(&stage.home());
    let ended = stage.run(&["run", "1"]);
    assert_eq!(ended.code, 6, "{}", stage.shown(&ended));
    let failures: Vec<Value> = stage
        .events()
        .into_iter()
        .filter(|event| event["type"] == "step_failed")
        .map(|event| event["failure"]["is"].clone())
        .collect();
    assert_eq!(failures, ["not_logged_in"], "{}", stage.shown(&ended));
    assert_eq!(tree(&stage.home()), before, "the home is not as it was");
    stage.assert_no_process_left();
}

#[test]
fn the_version_that_is_told_is_the_one_that_is_driven() {
    let pinned = AGENTS.iter().find(|agent| agent.name == "gemini").map(|agent| agent.version);
    assert_eq!(pinned, Some(TRIED_VERSION));
}
