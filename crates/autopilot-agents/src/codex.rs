//! Codex, by `codex exec --json`. Owns its command line; `stream` its lines, `reader` what they mean.
//!
//! It gets a home of its own for every attempt, below the scratch folder, into which only the user's stored login is linked: so no hook,
//! no server and no setting of the user takes part, and the user's list of threads does not grow. A login that is renewed is written
//! through the link. A login in a keyring is not found: it is known by the path of the home.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::agent::{Agent, AgentCommand, Handed, StreamReader};
use crate::profile::{Apart, Variables};
use crate::request::{Access, Request};

mod reader;
mod stream;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codex {
    pub program: PathBuf,
    /// `CODEX_HOME` of the user, or what stands for it.
    pub home: PathBuf,
    pub login: Login,
    /// The user's own, before ours: a provider, a profile.
    pub arguments: Vec<OsString>,
}

/// Where the login is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Login {
    /// In these of `LOGIN_FILES`, which are in the home.
    Stored(Vec<&'static str>),
    InVariable,
}

/// The version that our tests drive.
pub const TRIED_VERSION: &str = "0.166.0";
/// The file of the login, and the one by which two programs that renew it agree.
pub const LOGIN_FILES: [&str; 2] = ["auth.json", "auth.lock"];
/// A variable with a key, which serves instead of a login.
pub const KEY: &str = "CODEX_API_KEY";

const VARIABLES: &[&str] = &[KEY, "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT"];

/// What the model profiles are called by another vendor.
const FOREIGN_MODELS: [&str; 3] = ["opus", "sonnet", "haiku"];

impl Agent for Codex {
    fn name(&self) -> &str {
        "codex"
    }

    /// The names that profiles stand for are another vendor's; without one of its own it uses its default.
    fn model(&self, asked: Option<&str>) -> Option<String> {
        asked.filter(|asked| !FOREIGN_MODELS.contains(asked)).map(str::to_string)
    }

    fn command(&self, request: &Request) -> AgentCommand {
        let mut arguments: Vec<OsString> = vec!["exec".into(), "--json".into()];
        arguments.extend(self.arguments.iter().cloned());
        // Nothing but its model is asked for anything, and a dead network ends the attempt instead of lasting for ever.
        for feature in ["plugins", "apps", "hooks", "unbounded_connection_retries"] {
            arguments.extend(["--disable".into(), feature.into()]);
        }
        for setting in ["check_for_update_on_startup=false", "analytics.enabled=false"] {
            arguments.extend(["-c".into(), setting.into()]);
        }
        arguments.extend(["--skip-git-repo-check", "--color", "never"].map(Into::into));
        arguments.extend(sandbox(request).iter().map(Into::into));
        if let Some(model) = self.model(request.model.as_deref()) {
            arguments.extend(["--model".into(), model.into()]);
        }
        // No schema: its provider takes only those of a strict dialect, in which no field may be left out.
        arguments.push("-".into());
        let mut command = AgentCommand {
            program: self.program.clone(),
            arguments,
            environment: Vec::new(),
            variables: VARIABLES,
            // The folder comes into being with what is put there.
            files: vec![(format!("{HOME}/config.toml"), Handed::Bytes(Vec::new()))],
            copies: Vec::new(),
            writes: Vec::new(),
            stdin: request.prompt.clone().into_bytes(),
        };
        command.environment.push(("CODEX_HOME".into(), request.scratch.join(HOME).into()));
        let stored = match &self.login {
            Login::InVariable => &[][..],
            Login::Stored(names) => names,
        };
        for name in stored {
            let file = self.home.join(name);
            command.writes.push(file.clone());
            command.files.push((format!("{HOME}/{name}"), Handed::LinkTo(file)));
        }
        command
    }

    fn reader(&self, request: &Request) -> Box<dyn StreamReader> {
        Box::new(reader::CodexReader::new(request.scratch.join(HOME).join("sessions")))
    }
}

/// Below the scratch folder and beside the temporary files: Codex refuses to work with a home among them.
const HOME: &str = "codex-home";

/// Where the user keeps it.
pub fn home(variable: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let named = variable("CODEX_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let home = || PathBuf::from(variable("HOME").unwrap_or_default()).join(".codex");
    named.unwrap_or_else(home)
}

/// Asked whether somebody is logged in, it would write into the user's home.
pub fn apart(variable: Variables<'_>, folder: &Path) -> Apart {
    Apart {
        environment: vec![("CODEX_HOME".into(), folder.into())],
        copies: vec![(LOGIN_FILES[0], home(variable).join(LOGIN_FILES[0]))],
    }
}

/// Its own fence cannot be put up inside another one; without ours it has to do.
fn sandbox(request: &Request) -> &'static [&'static str] {
    match (request.is_fenced, request.access) {
        (true, _) => &["--dangerously-bypass-approvals-and-sandbox"],
        (false, Access::ReadOnly) => &["--sandbox", "read-only"],
        (false, Access::Writable) => &["--sandbox", "workspace-write"],
    }
}

#[cfg(test)]
#[path = "codex/command_tests.rs"]
mod tests;
