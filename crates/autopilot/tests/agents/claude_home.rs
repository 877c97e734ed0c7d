//! A home that looks like a user's: a stored login, a hook and an MCP server that leave a mark, rules of the person and of the
//! project. Claude Code works with the login and the project's rules, and afterwards the home is as it was.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use autopilot_testkit::model_server::{Script, Step};
use serde_json::json;

use super::model;
use super::stage::Stage;

const LOGIN: &str = "sk-ant-oat01-of-the-user";
/// The year 2100, in milliseconds.
const FAR: u64 = 4_102_444_800_000;
const LONG_AGO: u64 = 1_000_000_000_000;

fn stage(script: Script, expires_at: u64) -> Stage {
    let hooks = |mark: &str| {
        let command = json!([{"hooks": [{"type": "command", "command": format!("echo {mark} >> \"$HOME/../MARK\"")}]}]);
        json!({"hooks": {"SessionStart": command, "Stop": command, "PreToolUse": command}})
            .to_string()
    };
    let server = |mark: &str| json!({"mark": {"command": "sh", "args": ["-c", format!("echo {mark} >> \"$HOME/../MARK\"")]}});
    let stage = Stage::of(script, |it| {
        it.file(".planning/phases/01-base/01-01-PLAN.md", super::stage::PLAN)?
            .file("CLAUDE.md", "RULE-OF-THE-PROJECT: write plain files.\n")?
            .file(".claude/settings.json", hooks("project-hook"))?
            .file(".mcp.json", json!({"mcpServers": server("project-mcp")}).to_string())
    });
    let home = stage.home();
    let put = |path: &str, text: String| {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let login = json!({"claudeAiOauth": {
        "accessToken": LOGIN, "refreshToken": "sk-ant-ort01-of-the-user", "expiresAt": expires_at,
        "scopes": ["user:inference", "user:profile"], "subscriptionType": "max",
    }});
    put(".claude/.credentials.json", login.to_string());
    let only_mine = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(home.join(".claude/.credentials.json"), only_mine).unwrap();
    put(".claude/settings.json", hooks("user-hook"));
    put(".claude/CLAUDE.md", "RULE-OF-THE-PERSON: sing.\n".to_string());
    put(".claude/projects/-old/11111111-1111-4111-8111-111111111111.jsonl", "{}\n".to_string());
    let account =
        json!({"numStartups": 7, "hasCompletedOnboarding": true, "mcpServers": server("user-mcp")});
    put(".claude.json", account.to_string());
    stage
}

/// Every file with its content, every folder with nothing.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                found.insert(path.clone(), None);
                open.push(path);
            } else {
                found.insert(path.clone(), std::fs::read(&path).ok());
            }
        }
    }
    found
}

/// Works through the phase and says with which login every request came.
fn works(stage: &Stage) -> Vec<String> {
    let before = tree(&stage.home());
    let ended = stage.run(&["run", "1"]);
    assert_eq!(ended.code, 0, "{}", stage.shown(&ended));
    let mark = std::fs::read_to_string(stage.around().join("MARK")).unwrap_or_default();
    assert_eq!(mark, "", "a hook or a server ran");
    assert_eq!(tree(&stage.home()), before, "the home is not as it was");
    let requests = stage.server.requests();
    assert!(requests.len() >= 2, "{}", stage.shown(&ended));
    for one in &requests {
        assert!(one.request.says("RULE-OF-THE-PROJECT"));
        assert!(!one.request.says("RULE-OF-THE-PERSON"));
    }
    assert_eq!(stage.spent(), stage.server.served(), "{}", stage.shown(&ended));
    stage.assert_no_process_left();
    let login = |name: &str, one: &autopilot_testkit::model_server::Recorded| {
        one.request.header(name).map(str::to_string).unwrap_or_default()
    };
    let mut logins: Vec<String> = requests
        .iter()
        .map(|one| format!("{}{}", login("authorization", one), login("x-api-key", one)))
        .collect();
    logins.dedup();
    logins
}

#[test]
fn a_stored_login_is_used_and_nothing_of_the_users_is_touched() {
    let stage = stage(model::good(), FAR);
    assert_eq!(works(&stage), [format!("Bearer {LOGIN}")]);
    let started = stage.first("run_started").unwrap_or_default();
    assert_eq!(started["definition"]["agent"]["paid"], "subscription");
}

#[test]
fn a_key_is_used_with_a_stored_login_and_without_one() {
    let both = stage(model::good(), FAR).variable("ANTHROPIC_API_KEY", "sk-of-the-user");
    assert_eq!(works(&both), ["sk-of-the-user"]);
    let key = stage(model::good(), FAR).variable("ANTHROPIC_API_KEY", "sk-of-the-user");
    std::fs::remove_file(key.home().join(".claude/.credentials.json")).unwrap();
    assert_eq!(works(&key), ["sk-of-the-user"]);
    let started = key.first("run_started").unwrap_or_default();
    assert_eq!(started["definition"]["agent"]["paid"], "key");
}

#[test]
fn a_login_that_has_expired_ends_the_run_at_once() {
    let refused = Step::status(401).error("authentication_error", "OAuth token has expired");
    let stage = stage(Script::new().step(refused.always()), LONG_AGO);
    let before = tree(&stage.home());
    let ended = stage.run(&["run", "1"]);
    assert_eq!(ended.code, 6, "{}", stage.shown(&ended));
    let failed: Vec<_> =
        stage.events().into_iter().filter(|event| event["type"] == "step_failed").collect();
    assert_eq!(failed.len(), 1, "{}", stage.shown(&ended));
    assert_eq!(failed[0]["failure"]["is"], "not_logged_in");
    let fix = "log in first: claude auth login, or a valid key in ANTHROPIC_API_KEY";
    assert!(ended.stdout.contains(fix), "{}", stage.shown(&ended));
    assert_eq!(tree(&stage.home()), before, "the home is not as it was");
    stage.assert_no_process_left();
}
