//! goose, by `goose run --output-format stream-json`. Owns its command line and its folders; `settings` what of the user's settings goes
//! along, `stream` its lines, `reader` what they mean.
//!
//! It gets a root of its own for every attempt, below the scratch folder, with how the user reaches models and with the stored logins
//! linked: so no extension, recipe, hint or prompt of the user's takes part, and the list of sessions does not grow. A login that is
//! renewed is written through the link; one in a keyring is found as ever.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::agent::{Agent, AgentCommand, Handed, StreamReader};
use crate::limits;
use crate::profile::{Answer, Apart, LoginState, Variables};
use crate::request::Request;

mod reader;
mod settings;
mod stream;

/// The version that our tests drive.
pub const TRIED_VERSION: &str = "1.52.0";
/// With these two set, nothing has to be configured.
pub const PROVIDER: &str = "GOOSE_PROVIDER";

/// Which model, and the keys and places of the providers.
pub const VARIABLES: &[&str] = &[
    PROVIDER,
    "GOOSE_MODEL",
    "GOOSE_DISABLE_KEYRING",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_HOST",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_DEPLOYMENT_NAME",
    "AZURE_OPENAI_ENDPOINT",
    "DATABRICKS_HOST",
    "DATABRICKS_TOKEN",
    "GOOGLE_API_KEY",
    "GROQ_API_KEY",
    "OLLAMA_HOST",
    "OPENAI_API_KEY",
    "OPENAI_BASE_PATH",
    "OPENAI_HOST",
    "OPENROUTER_API_KEY",
    "XAI_API_KEY",
];

/// The user's logins and providers, in the folder of settings: files, and folders with what was got by logging in.
pub const LOGINS: [&str; 8] = [
    "secrets.yaml",
    "custom_providers",
    "chatgpt_codex",
    "databricks",
    "gemini_oauth",
    "githubcopilot",
    "huggingface",
    "xai_oauth",
];

pub const SETTINGS_FILE: &str = "config.yaml";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goose {
    pub program: PathBuf,
    /// The user's folder of settings.
    pub home: PathBuf,
    /// Those of `LOGINS` that are there.
    pub stored: Vec<&'static str>,
    /// What the user's settings say, as they are written.
    pub settings: String,
}

/// Where the user keeps settings and logins.
pub fn home(variable: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let set = |name: &str| variable(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    if let Some(root) = set("GOOSE_PATH_ROOT") {
        return root.join("config");
    }
    let home = || set("HOME").unwrap_or_default().join(".config");
    set("XDG_CONFIG_HOME").unwrap_or_else(home).join("goose")
}

/// Below the scratch folder.
const ROOT: &str = "goose";

/// What the model profiles are called by one vendor, of the many it can use.
const FOREIGN_MODELS: [&str; 3] = ["opus", "sonnet", "haiku"];

impl Agent for Goose {
    fn name(&self) -> &str {
        "goose"
    }

    /// Without a name that its provider knows it uses what the user does.
    fn model(&self, asked: Option<&str>) -> Option<String> {
        asked.filter(|asked| !FOREIGN_MODELS.contains(asked)).map(str::to_string)
    }

    /// It has no leave that allows a shell and no edits, so who may only read has the same tools; what it writes is thrown away.
    fn command(&self, request: &Request) -> AgentCommand {
        let turns = limits::TURNS_MAX.to_string();
        // Without `-q` it prints a banner into its stream.
        let mut arguments: Vec<OsString> = [
            "run",
            "-q",
            "--no-session",
            "--no-profile",
            "--with-builtin",
            "developer",
            "--output-format",
            "stream-json",
            "--max-turns",
            &turns,
        ]
        .map(OsString::from)
        .into();
        let model = self.model(request.model.as_deref());
        // One argument: it may begin with a dash.
        arguments.extend(model.map(|model| format!("--model={model}").into()));
        arguments.extend(["-i", "-"].map(OsString::from));
        let settings = settings::of_providers(&self.settings).into_bytes();
        let mut files = vec![(format!("{ROOT}/config/{SETTINGS_FILE}"), Handed::Bytes(settings))];
        let stored = self.stored.iter().map(|name| (name, self.home.join(name)));
        files.extend(
            stored
                .clone()
                .map(|(name, path)| (format!("{ROOT}/config/{name}"), Handed::LinkTo(path))),
        );
        let fixed = [
            ("GOOSE_MODE", "auto"),
            ("GOOSE_DISABLE_SESSION_NAMING", "true"),
            ("GOOSE_TELEMETRY_OFF", "1"),
        ];
        let fixed = fixed.map(|(name, value)| (name.into(), value.into()));
        let root = ("GOOSE_PATH_ROOT".into(), request.scratch.join(ROOT).into());
        AgentCommand {
            program: self.program.clone(),
            arguments,
            environment: [root].into_iter().chain(fixed).collect(),
            variables: VARIABLES,
            files,
            copies: Vec::new(),
            writes: stored.map(|(_, path)| path).collect(),
            stdin: request.prompt.clone().into_bytes(),
        }
    }

    fn reader(&self, request: &Request) -> Box<dyn StreamReader> {
        Box::new(reader::GooseReader::new(request.scratch.join(ROOT).join("state/logs")))
    }
}

/// Asked where its files lie, it would begin a log in the user's home.
pub fn apart(_: Variables<'_>, folder: &Path) -> Apart {
    Apart { environment: vec![("XDG_STATE_HOME".into(), folder.into())], copies: Vec::new() }
}

/// It tells which of its files are there. Who has configured nothing has no provider; whether the key of one holds is seen at work.
pub fn read_login(answer: &Answer<'_>) -> LoginState {
    let mut lines = answer.stdout.lines().filter(|line| line.contains(SETTINGS_FILE));
    match (answer.exit, lines.next()) {
        (Some(0), Some(line)) if line.contains(" missing") => LoginState::Out,
        (Some(0), Some(_)) => LoginState::In(None),
        (_, _) => LoginState::Unknown,
    }
}

#[cfg(test)]
#[path = "goose/command_tests.rs"]
mod tests;
