//! opencode, by `opencode run --format json`. Owns its command line and its folders; `settings` what of the user's settings goes along,
//! `stream` its lines, `reader` what they mean.
//!
//! Data, settings, state and home are folders of its own below the scratch folder, into which only the user's stored login is linked: so
//! no plugin, server, command or agent of the user's takes part, and the list of sessions does not grow. A login that is renewed is
//! written through the link. The project's own settings stay out too, because they start servers; its rules for agents are named.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::agent::{Agent, AgentCommand, Handed, StreamReader};
use crate::limits;
use crate::profile::{Answer, Apart, LoginState, Variables};
use crate::request::{Access, Request};

mod reader;
mod settings;
mod stream;

/// The version that our tests drive.
pub const TRIED_VERSION: &str = "1.18.33";

/// Keys of the providers it knows by itself. What settings name beside these is read when they are.
pub const VARIABLES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "DEEPSEEK_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "OPENAI_API_KEY",
    "OPENCODE_API_KEY",
    "OPENROUTER_API_KEY",
    "XAI_API_KEY",
];

/// Where the user keeps what a run needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    pub login: PathBuf,
    /// The models it has heard of.
    pub models: PathBuf,
    /// Which model was used last: the one it takes when none is named.
    recent: PathBuf,
    /// Later ones win.
    pub settings: [PathBuf; 3],
}

impl Places {
    pub fn of(variable: impl Fn(&str) -> Option<OsString>) -> Places {
        let set = |name: &str| variable(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        let home = set("HOME").unwrap_or_default();
        let folder = |name: &str, otherwise: &str| {
            set(name).unwrap_or_else(|| home.join(otherwise)).join("opencode")
        };
        let config = folder("XDG_CONFIG_HOME", ".config");
        Places {
            login: folder("XDG_DATA_HOME", ".local/share").join("auth.json"),
            models: folder("XDG_CACHE_HOME", ".cache").join("models.json"),
            recent: folder("XDG_STATE_HOME", ".local/state").join("model.json"),
            settings: ["config.json", "opencode.json", "opencode.jsonc"]
                .map(|name| config.join(name)),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Opencode {
    program: PathBuf,
    /// Those of these places that are there.
    login: Option<PathBuf>,
    models: Option<PathBuf>,
    recent: PathBuf,
    settings: Map<String, Value>,
}

impl Opencode {
    /// `texts` are the settings of the user and of the project as they are written, and `is_there` says which files exist.
    pub fn of(
        program: PathBuf,
        places: Places,
        texts: &[String],
        variable: impl Fn(&str) -> Option<OsString>,
        is_there: impl Fn(&Path) -> bool,
    ) -> Opencode {
        Opencode {
            program,
            login: Some(places.login).filter(|path| is_there(path)),
            models: Some(places.models).filter(|path| is_there(path)),
            recent: places.recent,
            settings: settings::of_providers(texts, variable),
        }
    }

    fn settings(&self, request: &Request) -> Vec<u8> {
        let mut settings = self.settings.clone();
        let ours = json!({
            "autoupdate": false,
            "share": "disabled",
            // Whoever runs it keeps the work; its own copies of the tree would cost time.
            "snapshot": false,
            "instructions": RULES,
            "permission": permissions(request),
            "agent": {"build": {"steps": limits::TURNS_MAX}},
        });
        if let Value::Object(ours) = ours {
            settings.extend(ours);
        }
        Value::Object(settings).to_string().into_bytes()
    }

    fn environment(&self, request: &Request) -> Vec<(OsString, OsString)> {
        let own = |name: &str| request.scratch.join(OWN).join(name).into();
        let folders = [
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_STATE_HOME", "state"),
            ("OPENCODE_TEST_HOME", "home"),
        ];
        let mut environment: Vec<(OsString, OsString)> =
            folders.map(|(name, folder)| (name.into(), own(folder))).into();
        // Inside the fence every child is told a cache of the project's; outside it would be the user's.
        if !request.is_fenced {
            environment.push(("XDG_CACHE_HOME".into(), own("cache")));
        }
        let models = self.models.as_ref();
        environment.extend(models.map(|path| ("OPENCODE_MODELS_PATH".into(), path.clone().into())));
        environment.push(("OPENCODE_DB".into(), ":memory:".into()));
        environment.extend(OFF.map(|name| (name.into(), "1".into())));
        environment
    }
}

/// Below the scratch folder.
const OWN: &str = "opencode";

/// The project's rules for agents. It does not look for them itself without the project's settings, and takes only whole paths; this one
/// leads to where it works.
const RULES: &[&str] = match cfg!(target_os = "linux") {
    true => &["/proc/self/cwd/AGENTS.md", "/proc/self/cwd/CLAUDE.md"],
    false => &[],
};

const OFF: [&str; 9] = [
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_DISABLE_PROJECT_CONFIG",
    "OPENCODE_DISABLE_SHARE",
    "OPENCODE_DISABLE_TERMINAL_TITLE",
    "OPENCODE_PURE",
];

/// It fetches this package for plugins into its folder of settings at every start. With this it takes it for being there.
const PLUGIN_LOCK: &str = r#"{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}"#;

/// Nothing is left to be asked: what is asked for is refused, and the run then ends as if all were well. Agents below it are refused,
/// because what they spend is not told.
fn permissions(request: &Request) -> Value {
    let elsewhere = if request.is_fenced { "allow" } else { "deny" };
    match request.access {
        Access::ReadOnly => json!({
            "*": "deny", "bash": "allow", "codesearch": "allow", "external_directory": elsewhere,
            "glob": "allow", "grep": "allow", "list": "allow", "read": "allow", "webfetch": "allow",
            "websearch": "allow",
        }),
        Access::Writable => json!({
            "*": "allow", "external_directory": elsewhere, "question": "deny", "task": "deny",
        }),
    }
}

impl Agent for Opencode {
    fn name(&self) -> &str {
        "opencode"
    }

    /// A model has its provider before it: `anthropic/claude-sonnet-4-5`. Without one it uses what the user does.
    fn model(&self, asked: Option<&str>) -> Option<String> {
        asked.filter(|asked| asked.contains('/')).map(str::to_string)
    }

    fn command(&self, request: &Request) -> AgentCommand {
        // A session that has a title does not ask the model for one.
        let mut arguments: Vec<OsString> =
            ["run", "--format", "json", "--title", "autopilot"].map(Into::into).into();
        // One argument: it may begin with a dash.
        let model = self.model(request.model.as_deref());
        arguments.extend(model.map(|model| format!("--model={model}").into()));
        let own = |path: &str| format!("{OWN}/{path}");
        let empty = || Handed::Bytes(Vec::new());
        let mut files = vec![
            (own("config/opencode/opencode.json"), Handed::Bytes(self.settings(request))),
            (own("config/opencode/package-lock.json"), Handed::Bytes(PLUGIN_LOCK.into())),
            // Folders come into being with what is put there.
            (own("config/opencode/node_modules/.none"), empty()),
            (own("state/opencode/.none"), empty()),
            (own("home/.none"), empty()),
        ];
        let login = self.login.iter();
        files.extend(
            login
                .clone()
                .map(|path| (own("data/opencode/auth.json"), Handed::LinkTo(path.clone()))),
        );
        AgentCommand {
            program: self.program.clone(),
            arguments,
            environment: self.environment(request),
            variables: VARIABLES,
            files,
            copies: vec![("opencode/state/opencode/model.json", self.recent.clone())],
            writes: login.cloned().collect(),
            stdin: request.prompt.clone().into_bytes(),
        }
    }

    fn reader(&self, request: &Request) -> Box<dyn StreamReader> {
        Box::new(reader::OpencodeReader::new(request.scratch.join(OWN).join("data/opencode/log")))
    }
}

/// Asked who is logged in, it would make folders in the user's home.
pub fn apart(variable: Variables<'_>, folder: &Path) -> Apart {
    let names = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
    Apart {
        environment: names.map(|name| (name.into(), folder.into())).into(),
        copies: vec![("opencode/auth.json", Places::of(variable).login)],
    }
}

/// It lists what is stored and which variables are set. Where nothing is, a provider may still stand in the settings, and some models
/// want no login.
pub fn read_login(answer: &Answer<'_>) -> LoginState {
    let counts = answer.stdout.lines().filter_map(|line| {
        let words = line.trim_start_matches(|one: char| !one.is_ascii_digit());
        let (count, what) = words.split_once(' ')?;
        let is_count = what.starts_with("credential") || what.starts_with("environment variable");
        count.parse::<u32>().ok().filter(|_| is_count)
    });
    match (answer.exit, counts.reduce(u32::saturating_add)) {
        (Some(0), Some(1..)) => LoginState::In(None),
        (Some(0), Some(0)) => LoginState::NoneStored,
        (_, _) => LoginState::Unknown,
    }
}

#[cfg(test)]
#[path = "opencode/command_tests.rs"]
mod tests;
