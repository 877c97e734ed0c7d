//! Gemini CLI, by `gemini -o stream-json`. Owns its command line and where its state lies; `settings` what it is set to, `stream` its
//! lines, `session` the file beside them, `reader` what they mean, `verdict` how it ended.
//!
//! It gets a home of its own for every attempt, below the scratch folder, into which only the user's stored login is linked: so no hook,
//! extension, server or memory of the user takes part, and the user's list of sessions does not grow. A login that is renewed is written
//! through the link. A login in a keyring is found too: it is known by the name of the service.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::agent::{Agent, AgentCommand, Handed, StreamReader};
use crate::profile::{Apart, Kept, LoginState, Paid, Variables};
use crate::request::{Access, Request};

mod reader;
pub(crate) mod session;
mod settings;
mod stream;
mod verdict;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gemini {
    pub program: PathBuf,
    /// `.gemini` of the user.
    folder: PathBuf,
    /// Those of `LOGIN_FILES` that are there.
    stored: Vec<&'static str>,
    /// Of the user's settings, what is about the login and the model.
    settings: settings::OfTheUser,
}

/// The version that our tests drive.
pub const TRIED_VERSION: &str = "0.61.0";
/// The login with Google, the one in a file that stands for a keyring, and keys that the user keeps for this program.
pub const LOGIN_FILES: [&str; 3] = ["oauth_creds.json", "gemini-credentials.json", ".env"];
/// Only these are renewed; the file with keys is the user's own work.
const RENEWED: [&str; 2] = ["oauth_creds.json", "gemini-credentials.json"];
/// A variable with a key, which serves instead of a login.
pub const KEY: &str = "GEMINI_API_KEY";

/// Who pays, where a cloud's project lies, and by which server. Keys of other programs are not among them.
pub const VARIABLES: &[&str] = &[
    KEY,
    "GEMINI_API_KEY_AUTH_MECHANISM",
    "GEMINI_FORCE_ENCRYPTED_FILE_STORAGE",
    "GEMINI_FORCE_FILE_STORAGE",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_ACCESS_TOKEN",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_QUOTA_PROJECT",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_GENAI_API_VERSION",
    "GOOGLE_GENAI_USE_GCA",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_VERTEX_BASE_URL",
    "CODE_ASSIST_ENDPOINT",
];

/// What the model profiles are called by another vendor.
const FOREIGN_MODELS: [&str; 3] = ["opus", "sonnet", "haiku"];

/// Below the scratch folder.
const HOME: &str = "gemini-home";
const FOLDER: &str = ".gemini";

/// Reviewers have a shell, as checks want to be run, and nothing to edit with: where nobody can be asked, what is not allowed is not
/// offered at all.
const READING_POLICY: &str = "[[rule]]
toolName = \"run_shell_command\"
decision = \"allow\"
priority = 500
allowRedirection = true
";

impl Gemini {
    /// As the user's variables and the text of the settings file have it; `is_there` tells which files lie in the user's folder.
    pub fn of(
        program: PathBuf,
        variable: impl Fn(&str) -> Option<OsString>,
        user_settings: Option<&str>,
        is_there: impl Fn(&Path) -> bool,
    ) -> Gemini {
        let folder = folder(variable);
        let stored = LOGIN_FILES.into_iter().filter(|name| is_there(&folder.join(name))).collect();
        Gemini { program, stored, settings: settings::OfTheUser::read(user_settings), folder }
    }

    /// All but the arguments and the prompt: what every way to start it needs.
    pub(crate) fn started_with(
        &self,
        request: &Request,
        arguments: Vec<OsString>,
        stdin: Vec<u8>,
    ) -> AgentCommand {
        let home = request.scratch.join(HOME);
        let environment = [
            ("GEMINI_CLI_HOME", home.as_os_str()),
            // It would start itself once more, and a signal would miss the one that works.
            ("GEMINI_CLI_NO_RELAUNCH", "true".as_ref()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".as_ref()),
            // A login that does not hold ends it, instead of a page that nobody sees.
            ("NO_BROWSER", "true".as_ref()),
            // It leaves a report there for every error of the model.
            ("TMPDIR", request.scratch.as_os_str()),
        ];
        let mut command = AgentCommand {
            program: self.program.clone(),
            arguments,
            environment: environment.map(|(name, value)| (name.into(), value.into())).into(),
            variables: VARIABLES,
            files: vec![(in_home("settings.json"), Handed::Bytes(self.settings.private()))],
            copies: vec![(INSTALLATION, self.folder.join("installation_id"))],
            writes: Vec::new(),
            stdin,
        };
        if request.access == Access::ReadOnly {
            let policy = Handed::Bytes(READING_POLICY.into());
            command.files.push((in_home("policies/reading.toml"), policy));
        }
        for name in &self.stored {
            let file = self.folder.join(name);
            if RENEWED.contains(name) {
                command.writes.push(file.clone());
            }
            command.files.push((in_home(name), Handed::LinkTo(file)));
        }
        command
    }

    pub(crate) fn model_arguments(&self, request: &Request) -> Option<[OsString; 2]> {
        let model = self.model(request.model.as_deref())?;
        Some(["--model".into(), model.into()])
    }
}

/// By which its statistics know it again; without it a new one is made for every attempt.
const INSTALLATION: &str = "gemini-home/.gemini/installation_id";

fn in_home(name: &str) -> String {
    format!("{HOME}/{FOLDER}/{name}")
}

/// Where it keeps what it tells beside its stream.
pub(crate) fn sessions(request: &Request) -> PathBuf {
    request.scratch.join(HOME).join(FOLDER).join("tmp")
}

impl Agent for Gemini {
    fn name(&self) -> &str {
        "gemini"
    }

    /// The names that profiles stand for are another vendor's; without one of its own it uses its default.
    fn model(&self, asked: Option<&str>) -> Option<String> {
        asked.filter(|asked| !FOREIGN_MODELS.contains(asked)).map(str::to_string)
    }

    fn command(&self, request: &Request) -> AgentCommand {
        let approval = match request.access {
            Access::ReadOnly => "default",
            Access::Writable => "yolo",
        };
        let fixed =
            ["--output-format", "stream-json", "--extensions", "none", "--approval-mode", approval];
        let mut arguments: Vec<OsString> = fixed.map(Into::into).into();
        arguments.extend(self.model_arguments(request).into_iter().flatten());
        self.started_with(request, arguments, request.prompt.clone().into_bytes())
    }

    fn reader(&self, request: &Request) -> Box<dyn StreamReader> {
        Box::new(reader::GeminiReader::new(sessions(request)))
    }
}

/// Where the user keeps it.
pub fn folder(variable: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let moved = variable("GEMINI_CLI_HOME").filter(|home| !home.is_empty());
    PathBuf::from(moved.or_else(|| variable("HOME")).unwrap_or_default()).join(FOLDER)
}

/// Asked for its version, it would write into the user's home.
pub fn apart(_: Variables<'_>, folder: &Path) -> Apart {
    Apart { environment: vec![("GEMINI_CLI_HOME".into(), folder.into())], copies: Vec::new() }
}

/// It has no question for its login, so what a login leaves behind is looked at. A keyring cannot be, and is believed to hold the key
/// that the settings speak of.
pub fn login(kept: &Kept<'_>) -> LoginState {
    let is_set = |name: &str| (kept.variable)(name).is_some_and(|value| value == "true");
    match settings::OfTheUser::read(kept.settings).login_type() {
        Some("oauth-personal") => {
            let is_elsewhere = is_set("GEMINI_FORCE_ENCRYPTED_FILE_STORAGE");
            match (kept.has)(LOGIN_FILES[0]) || is_elsewhere {
                true => LoginState::In(Some(Paid::Subscription)),
                false => LoginState::Out,
            }
        }
        Some("gemini-api-key") => LoginState::In(Some(Paid::Key)),
        Some("vertex-ai" | "compute-default-credentials") => LoginState::In(Some(Paid::Cloud)),
        Some(_) => LoginState::In(None),
        None if is_set("GOOGLE_GENAI_USE_VERTEXAI") => LoginState::In(Some(Paid::Cloud)),
        None if is_set("GOOGLE_GENAI_USE_GCA") => LoginState::In(Some(Paid::Subscription)),
        None if (kept.has)(".env") => LoginState::In(Some(Paid::Key)),
        None => LoginState::Out,
    }
}

#[cfg(test)]
#[path = "gemini/command_tests.rs"]
mod tests;
