//! Claude Code. Owns how it is asked: with the user's login and the project's own rules, and without the user's hooks, MCP
//! servers, settings and session history. `stream` has its lines, `reader` what they tell, `spending` what they cost, `verdict`
//! how it ended.
//!
//! Its state lies in the scratch folder of the attempt, so that nothing of the user's is written; the login alone stays where
//! it is. A copy of the login would cost the user theirs: a token that is refreshed replaces the one before, and the copy would
//! be the only one that knows.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::agent::{Agent, AgentCommand, Handed, StreamReader};
use crate::limits;
use crate::profile::{Apart, Variables};
use crate::request::{Access, Request};

mod reader;
mod spending;
mod stored_login;
mod stream;
mod verdict;

pub use stored_login::{is_login_over, stored_login};

/// The version that our tests drive.
pub const TRIED_VERSION: &str = "2.1.325";

/// Tools that change nothing by themselves. Names a version does not know are no fault to it. Left out of all are the tools that
/// wait, wake up later, ask somebody or make worktrees of their own.
const READING: [&str; 7] = ["Bash", "Read", "Glob", "Grep", "Task", "WebFetch", "WebSearch"];
/// What a writer keeps its list of things to do with.
const LISTING: [&str; 4] = ["TodoWrite", "TaskCreate", "TaskUpdate", "TaskList"];
/// What it edits with. Its mode allows these in the folder it works in; on the list they would be allowed everywhere.
const EDITING: [&str; 3] = ["Edit", "Write", "NotebookEdit"];

/// Keys, and where models are reached.
pub const VARIABLES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_MODEL",
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CONFIG_DIR",
];

/// The keys of clouds, for somebody who reaches the models through one.
const CLOUD_VARIABLES: &[&str] = &[
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_FOUNDRY_API_KEY",
    "ANTHROPIC_FOUNDRY_BASE_URL",
    "ANTHROPIC_FOUNDRY_RESOURCE",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_CONFIG_FILE",
    "AWS_DEFAULT_REGION",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SHARED_CREDENTIALS_FILE",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    "CLAUDE_CODE_SKIP_FOUNDRY_AUTH",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "CLOUD_ML_REGION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
];

/// Settings of the user's that say how to log in and where. The rest of that file stays out.
const LOGIN_SETTINGS: [&str; 4] = ["apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "env"];

const SETTINGS_FILE: &str = "autopilot-settings.json";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaudeCode {
    pub program: PathBuf,
    place: Place,
    retries_max: u32,
    /// Those of a cloud, where one is used.
    cloud_variables: Vec<String>,
    login_settings: Map<String, Value>,
}

/// Where the user's own state lies.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// The folder with the login.
    folder: PathBuf,
    /// What the user moved the folder to. The default has to be named as nothing: the name of a stored login depends on it.
    moved_to: Option<OsString>,
    /// The file with the account.
    account: PathBuf,
}

impl Place {
    fn of(variable: impl Fn(&str) -> Option<OsString>) -> Place {
        let home = PathBuf::from(variable("HOME").unwrap_or_default());
        match variable("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty()) {
            Some(moved_to) => {
                let folder = PathBuf::from(&moved_to);
                Place { account: folder.join(".claude.json"), folder, moved_to: Some(moved_to) }
            }
            None => Place {
                account: home.join(".claude.json"),
                folder: home.join(".claude"),
                moved_to: None,
            },
        }
    }

    fn apart(&self, folder: &Path) -> Apart {
        let moved_to = self.moved_to.clone().unwrap_or_default();
        let environment = [
            ("CLAUDE_CONFIG_DIR", folder.into()),
            ("CLAUDE_SECURESTORAGE_CONFIG_DIR", moved_to),
            ("CLAUDE_CODE_TMPDIR", folder.into()),
        ];
        Apart {
            environment: environment.map(|(name, value)| (name.into(), value)).into(),
            copies: vec![(".claude.json", self.account.clone())],
        }
    }
}

impl ClaudeCode {
    /// The file with the user's settings, which `of` wants to know.
    pub fn settings_file(variable: impl Fn(&str) -> Option<OsString>) -> PathBuf {
        Place::of(variable).folder.join("settings.json")
    }

    /// As the user's variables and the text of the settings file have it.
    pub fn of(
        program: PathBuf,
        variable: impl Fn(&str) -> Option<OsString>,
        user_settings: Option<&str>,
    ) -> ClaudeCode {
        let is_set = |name: &str| variable(name).is_some_and(|value| value != OsStr::new("0"));
        let own = user_settings.and_then(|text| serde_json::from_str::<Map<_, _>>(text).ok());
        let login_settings: Map<String, Value> = own
            .into_iter()
            .flatten()
            .filter(|(name, _)| LOGIN_SETTINGS.contains(&name.as_str()))
            .collect();
        let clouds =
            ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_VERTEX"];
        let in_settings = |name: &str| {
            login_settings.get("env").is_some_and(|variables| variables.get(name).is_some())
        };
        let uses_cloud = clouds.iter().any(|name| is_set(name) || in_settings(name));
        let retries = variable("CLAUDE_CODE_MAX_RETRIES");
        let retries = retries.and_then(|text| text.to_str()?.parse::<u32>().ok());
        ClaudeCode {
            program,
            place: Place::of(&variable),
            retries_max: retries
                .map_or(limits::MODEL_RETRIES_MAX, |count| count.min(limits::MODEL_RETRIES_MAX)),
            cloud_variables: CLOUD_VARIABLES
                .iter()
                .filter(|_| uses_cloud)
                .map(ToString::to_string)
                .collect(),
            login_settings,
        }
    }

    fn settings(&self) -> Vec<u8> {
        let mut settings = self.login_settings.clone();
        settings.insert("disableAllHooks".into(), true.into());
        Value::Object(settings).to_string().into_bytes()
    }

    fn environment(&self, scratch: &Path) -> Vec<(OsString, OsString)> {
        let retries = self.retries_max.to_string();
        let fixed = [
            ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("CLAUDE_CODE_MAX_RETRIES", retries.as_str()),
            ("DISABLE_AUTOUPDATER", "1"),
        ];
        let fixed = fixed.map(|(name, value)| (name.into(), value.into()));
        self.place.apart(scratch).environment.into_iter().chain(fixed).collect()
    }
}

/// Without the name of the draft it is written in: Claude Code refuses all but one, and reads ours as that.
fn plain(mut schema: Value) -> Value {
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("$schema");
    }
    schema
}

/// As a decimal, to the last digit.
fn dollars(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// Keeps its state in a folder, and the login where it is.
pub fn apart(variable: Variables<'_>, folder: &Path) -> Apart {
    Place::of(variable).apart(folder)
}

impl Agent for ClaudeCode {
    fn name(&self) -> &str {
        "claude"
    }

    fn more_variables(&self) -> &[String] {
        &self.cloud_variables
    }

    fn holds_its_cost(&self) -> bool {
        true
    }

    /// Nothing it does can stop and wait for an answer: what is not on the list is denied at once, as root too.
    fn command(&self, request: &Request) -> AgentCommand {
        let (allowed, tools) = match request.access {
            Access::ReadOnly => (READING.to_vec(), READING.to_vec()),
            Access::Writable => {
                let allowed = [READING.as_slice(), &LISTING].concat();
                (allowed.clone(), [allowed.as_slice(), &EDITING].concat())
            }
        };
        let (allowed, tools) = (allowed.join(","), tools.join(","));
        let turns = limits::TURNS_MAX.to_string();
        let mut arguments: Vec<OsString> = [
            "-p",
            "--output-format=stream-json",
            "--verbose",
            "--include-partial-messages",
            "--no-session-persistence",
            "--strict-mcp-config",
            "--setting-sources=project,local",
            "--permission-mode=acceptEdits",
            "--max-turns",
            &turns,
            "--tools",
            &tools,
            "--allowedTools",
            &allowed,
            "--settings",
        ]
        .map(OsString::from)
        .into();
        arguments.push(request.scratch.join(SETTINGS_FILE).into());
        let cost = request.allowance_usd_micros.map(dollars);
        arguments.extend(cost.map(|usd| format!("--max-budget-usd={usd}").into()));
        // One argument each: they may begin with a dash.
        arguments.extend(request.model.as_ref().map(|model| format!("--model={model}").into()));
        let schema = request.schema.clone().map(plain);
        arguments.extend(schema.map(|schema| format!("--json-schema={schema}").into()));
        AgentCommand {
            program: self.program.clone(),
            arguments,
            environment: self.environment(&request.scratch),
            variables: VARIABLES,
            files: vec![(SETTINGS_FILE.to_string(), Handed::Bytes(self.settings()))],
            copies: self.place.apart(&request.scratch).copies,
            writes: vec![self.place.folder.clone()],
            stdin: request.prompt.clone().into_bytes(),
        }
    }

    fn reader(&self, request: &Request) -> Box<dyn StreamReader> {
        Box::new(reader::ClaudeReader::of(request.access))
    }
}

#[cfg(test)]
#[path = "claude_code/command_tests.rs"]
mod command_tests;
