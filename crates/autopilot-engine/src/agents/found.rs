//! Agents as they are found here: with the user's logins that lie in files, and with what the user's settings say about models. What of
//! these texts goes along is each agent's own to say.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use autopilot_agents::claude_code::ClaudeCode;
use autopilot_agents::codex::{self, Codex, LOGIN_FILES};
use autopilot_agents::gemini::{self, Gemini};
use autopilot_agents::goose::{self, Goose};
use autopilot_agents::opencode::{Opencode, Places};

use crate::files;

pub(super) fn claude(
    program: PathBuf,
    variable: impl Fn(&str) -> Option<OsString> + Copy,
) -> ClaudeCode {
    let settings = files::read_text(&ClaudeCode::settings_file(variable)).ok();
    ClaudeCode::of(program, variable, settings.as_deref())
}

/// With the login where it is found: in files of its home, else in a variable.
pub(super) fn codex(
    program: PathBuf,
    arguments: &[String],
    variable: impl Fn(&str) -> Option<OsString>,
) -> Codex {
    let home = codex::home(variable);
    let is_there = |name: &&'static str| home.join(name).is_file();
    let stored: Vec<&'static str> = LOGIN_FILES.into_iter().filter(is_there).collect();
    let login = match stored.contains(&LOGIN_FILES[0]) {
        true => codex::Login::Stored(stored),
        false => codex::Login::InVariable,
    };
    Codex { program, home, login, arguments: arguments.iter().map(Into::into).collect() }
}

/// With the login where it is found, and what the user's settings say of it.
pub(super) fn gemini(program: PathBuf, variable: impl Fn(&str) -> Option<OsString>) -> Gemini {
    let settings = files::read_text(&gemini::folder(&variable).join("settings.json")).ok();
    Gemini::of(program, variable, settings.as_deref(), |path| path.is_file())
}

/// Settings lie in the user's folders and in the project.
pub(super) fn opencode(
    program: PathBuf,
    root: &Path,
    variable: impl Fn(&str) -> Option<OsString> + Copy,
) -> Opencode {
    let places = Places::of(variable);
    let project = ["opencode.json", "opencode.jsonc"].map(|name| root.join(name));
    let settings = places.settings.iter().chain(&project);
    let texts: Vec<String> = settings.filter_map(|path| files::read_text(path).ok()).collect();
    Opencode::of(program, places, &texts, variable, Path::is_file)
}

pub(super) fn goose(program: PathBuf, variable: impl Fn(&str) -> Option<OsString>) -> Goose {
    let home = goose::home(variable);
    let is_there = |name: &&'static str| home.join(name).exists();
    let stored = goose::LOGINS.into_iter().filter(is_there).collect();
    let settings = files::read_text(&home.join(goose::SETTINGS_FILE)).unwrap_or_default();
    Goose { program, home, stored, settings }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use autopilot_agents::agent::{Agent, AgentCommand, Handed};
    use autopilot_agents::request::{Access, Request};

    use super::*;

    fn command(agent: &dyn Agent) -> AgentCommand {
        agent.command(&Request {
            prompt: String::new(),
            phase: "1".into(),
            step: "execute".into(),
            task: None,
            round: 1,
            access: Access::Writable,
            model: None,
            allowance_tokens: 1,
            allowance_usd_micros: None,
            schema: None,
            is_fenced: true,
            scratch: "/scratch".into(),
        })
    }

    fn put(home: &Path, path: &str, text: &str) {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(command: &AgentCommand, name: &str) -> String {
        match command.files.iter().find(|(path, _)| path.ends_with(name)) {
            Some((_, Handed::Bytes(bytes))) => String::from_utf8(bytes.clone()).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn logins_that_are_there_are_linked_and_settings_of_user_and_project_are_read() {
        let around = tempfile::tempdir().unwrap();
        let (home, root) = (around.path().join("home"), around.path().join("project"));
        let variable = |name: &str| (name == "HOME").then(|| home.clone().into_os_string());
        let program = || PathBuf::from("agent");
        assert!(command(&opencode(program(), &root, variable)).writes.is_empty());
        assert!(command(&goose(program(), variable)).writes.is_empty());

        put(&home, ".local/share/opencode/auth.json", "{}");
        put(&home, ".config/opencode/opencode.jsonc", "{\"model\": \"own/a\"} // mine");
        put(&root, "opencode.json", "{\"small_model\": \"own/b\"}");
        let seen = command(&opencode(program(), &root, variable));
        assert_eq!(seen.writes, [home.join(".local/share/opencode/auth.json")]);
        let settings = text(&seen, "opencode.json");
        assert!(settings.contains("own/a") && settings.contains("own/b"), "{settings}");

        put(&home, ".config/goose/config.yaml", "GOOSE_PROVIDER: openai\n");
        put(&home, ".config/goose/secrets.yaml", "OPENAI_API_KEY: x\n");
        put(&home, ".config/goose/xai_oauth/tokens.json", "{}");
        let seen = command(&goose(program(), variable));
        let folder = home.join(".config/goose");
        assert_eq!(seen.writes, [folder.join("secrets.yaml"), folder.join("xai_oauth")]);
        assert_eq!(text(&seen, "config.yaml"), "GOOSE_PROVIDER: openai\n");
    }
}
