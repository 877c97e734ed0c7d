//! The agents autopilot knows by name: how each is installed, asked whether somebody is logged in, and whether our tests have
//! ever driven it. Owns the order in which they are chosen; asking and choosing are the engine's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::{claude_code, codex, gemini, goose, opencode};

#[derive(Debug)]
pub struct Profile {
    /// Also the name of its program, unless it is another way to talk to it.
    pub name: &'static str,
    pub install: &'static str,
    pub login: Login,
    /// A variable with a key that serves instead of a login.
    pub key: Option<&'static str>,
    /// What of the user's variables it needs to find its login.
    pub variables: &'static [&'static str],
    /// How a question is kept from writing into the user's files, where that is known.
    pub apart: Option<fn(Variables<'_>, &Path) -> Apart>,
    pub standing: Standing,
}

/// What the name of an agent ends with that is another one, talked to in the Agent Client Protocol.
const BY_PROTOCOL: &str = "-acp";

impl Profile {
    pub fn program(&self) -> &'static str {
        self.name.strip_suffix(BY_PROTOCOL).unwrap_or(self.name)
    }

    /// What a person does to give it a login that works.
    pub fn log_in(&self) -> Option<String> {
        let command = match &self.login {
            Login::Asked { command, .. } | Login::Kept { command, .. } => command,
            Login::NoQuestion => return None,
        };
        let key = self.key.map(|key| format!(", or a valid key in {key}"));
        Some(format!("{command}{}", key.unwrap_or_default()))
    }
}

pub type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// What a program needs to keep its state in a folder of ours.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Apart {
    pub environment: Vec<(OsString, OsString)>,
    /// Files of the user's that are copied there first if they exist, by the name they get.
    pub copies: Vec<(&'static str, PathBuf)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Our tests drive the real program, in this version.
    Tried { version: &'static str },
    /// No test of ours has driven it. It is never chosen by itself.
    Untried,
}

impl Standing {
    pub fn is_tried(self) -> bool {
        match self {
            Standing::Tried { .. } => true,
            Standing::Untried => false,
        }
    }
}

#[derive(Debug)]
pub enum Login {
    Asked {
        question: &'static [&'static str],
        read: fn(&Answer<'_>) -> LoginState,
        /// What a person types to log in.
        command: &'static str,
        /// A variable that serves instead of a login and that the question does not know of.
        key: Option<&'static str>,
        /// Where the answer says nothing of a login that is over.
        expiry: Option<Expiry>,
    },
    /// It cannot be asked, and what a login leaves behind can be looked at.
    Kept {
        folder: fn(Variables<'_>) -> PathBuf,
        read: fn(&Kept<'_>) -> LoginState,
        command: &'static str,
        key: Option<&'static str>,
    },
    NoQuestion,
}

/// How to see from what a login left behind that it is over.
#[derive(Debug, Clone, Copy)]
pub struct Expiry {
    pub file: fn(Variables<'_>) -> PathBuf,
    /// Whether it was over at that moment, in milliseconds since 1970, with nothing to renew it by.
    pub is_over: fn(&str, u64) -> bool,
}

/// What lies in the folder of an agent's own.
pub struct Kept<'a> {
    /// The text of its `settings.json`.
    pub settings: Option<&'a str>,
    /// Whether a file of that name is there.
    pub has: &'a dyn Fn(&str) -> bool,
    pub variable: Variables<'a>,
}

/// What a program said to the question.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// None where it did not end by itself.
    pub exit: Option<i32>,
    pub stdout: &'a str,
    pub stderr: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginState {
    In(Option<Paid>),
    Out,
    /// It may work all the same, with a model that wants no login: whose, its user should know.
    NoneStored,
    /// The answer is not understood.
    Unknown,
}

/// Who pays for what is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paid {
    Subscription,
    Key,
    /// A token somebody set; what it is charged to is not told.
    Token,
    Cloud,
}

/// In the order they are chosen from.
pub static PROFILES: [Profile; 7] = [
    Profile {
        name: "claude",
        install: "npm install -g @anthropic-ai/claude-code",
        login: Login::Asked {
            question: &["auth", "status"],
            read: read_claude_login,
            command: "claude auth login",
            key: None,
            expiry: Some(Expiry {
                file: claude_code::stored_login,
                is_over: claude_code::is_login_over,
            }),
        },
        key: Some("ANTHROPIC_API_KEY"),
        variables: claude_code::VARIABLES,
        apart: Some(claude_code::apart),
        standing: Standing::Tried { version: claude_code::TRIED_VERSION },
    },
    Profile {
        name: "codex",
        install: "npm install -g @openai/codex",
        login: Login::Asked {
            question: &["login", "status"],
            read: read_codex_login,
            command: "codex login",
            key: Some("CODEX_API_KEY"),
            expiry: None,
        },
        key: Some("CODEX_API_KEY"),
        variables: &["CODEX_HOME", "CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"],
        apart: Some(codex::apart),
        standing: Standing::Tried { version: codex::TRIED_VERSION },
    },
    by_gemini("gemini"),
    by_gemini("gemini-acp"),
    Profile {
        name: "opencode",
        install: "npm install -g opencode-ai",
        login: Login::Asked {
            question: &["auth", "list"],
            read: opencode::read_login,
            command: "opencode auth login",
            key: None,
            expiry: None,
        },
        key: None,
        variables: opencode::VARIABLES,
        apart: Some(opencode::apart),
        standing: Standing::Tried { version: opencode::TRIED_VERSION },
    },
    Profile {
        name: "goose",
        install: "npm install -g @aaif/goose",
        login: Login::Asked {
            question: &["info"],
            read: goose::read_login,
            command: "goose configure",
            key: Some(goose::PROVIDER),
            expiry: None,
        },
        key: None,
        variables: &["GOOSE_PATH_ROOT"],
        apart: Some(goose::apart),
        standing: Standing::Tried { version: goose::TRIED_VERSION },
    },
    untried("qwen", "npm install -g @qwen-code/qwen-code"),
];

/// Gemini CLI, one way or the other.
const fn by_gemini(name: &'static str) -> Profile {
    Profile {
        name,
        install: "npm install -g @google/gemini-cli",
        login: Login::Kept {
            folder: |variable| gemini::folder(variable),
            read: gemini::login,
            command: "gemini, and there /auth",
            key: Some(gemini::KEY),
        },
        key: Some(gemini::KEY),
        variables: gemini::VARIABLES,
        apart: Some(gemini::apart),
        standing: Standing::Tried { version: gemini::TRIED_VERSION },
    }
}

const fn untried(name: &'static str, install: &'static str) -> Profile {
    Profile {
        name,
        install,
        login: Login::NoQuestion,
        key: None,
        variables: &[],
        apart: None,
        standing: Standing::Untried,
    }
}

pub fn named(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}

/// A question is no reason to fetch an update or to report home.
pub const QUIET: [(&str, &str); 4] = [
    ("DISABLE_AUTOUPDATER", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
];

/// Prints JSON whoever is logged in; the exit code only repeats it.
fn read_claude_login(answer: &Answer<'_>) -> LoginState {
    let said = serde_json::from_str::<serde_json::Value>(answer.stdout).unwrap_or_default();
    match said.get("loggedIn").and_then(serde_json::Value::as_bool) {
        Some(true) => {
            LoginState::In(match said.get("authMethod").and_then(serde_json::Value::as_str) {
                Some("claude.ai") => Some(Paid::Subscription),
                Some("api_key" | "api_key_helper") => Some(Paid::Key),
                Some("oauth_token") => Some(Paid::Token),
                Some("third_party") => Some(Paid::Cloud),
                Some(_) | None => None,
            })
        }
        Some(false) => LoginState::Out,
        None => LoginState::Unknown,
    }
}

/// Exit code 1 stands for "not logged in" and for a broken settings file alike, so the words decide.
fn read_codex_login(answer: &Answer<'_>) -> LoginState {
    let said = format!("{}{}", answer.stderr, answer.stdout).to_lowercase();
    match answer.exit {
        Some(0) if said.contains("using chatgpt") => LoginState::In(Some(Paid::Subscription)),
        Some(0) if said.contains("api key") => LoginState::In(Some(Paid::Key)),
        Some(0) => LoginState::In(None),
        Some(_) if said.contains("not logged in") => LoginState::Out,
        Some(_) | None => LoginState::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_read_from_what_the_program_really_says() {
        let check = |name: &str, exit: i32, said: &str, expected: LoginState| {
            let Some(Profile { login: Login::Asked { read, .. }, .. }) = named(name) else {
                panic!("{name} has no question")
            };
            let answer = Answer { exit: Some(exit), stdout: said, stderr: "" };
            assert_eq!(read(&answer), expected, "{name}: {said}");
        };
        let claude = |method: &str| {
            format!(r#"{{"loggedIn":true,"authMethod":"{method}","apiProvider":"firstParty"}}"#)
        };
        let paid = |paid| LoginState::In(Some(paid));
        check("claude", 0, &claude("claude.ai"), paid(Paid::Subscription));
        check("claude", 0, &claude("api_key"), paid(Paid::Key));
        check("claude", 0, &claude("oauth_token"), paid(Paid::Token));
        check("claude", 0, &claude("third_party"), paid(Paid::Cloud));
        check("claude", 0, &claude("new"), LoginState::In(None));
        check("claude", 1, r#"{"loggedIn":false,"authMethod":"none"}"#, LoginState::Out);
        check("claude", 1, "Unknown command", LoginState::Unknown);
        check("codex", 0, "Logged in using ChatGPT", paid(Paid::Subscription));
        check("codex", 0, "API key configured - ***", paid(Paid::Key));
        check("codex", 0, "Logged in", LoginState::In(None));
        check("codex", 1, "Not logged in", LoginState::Out);
        check("codex", 1, "config.toml is broken", LoginState::Unknown);
    }

    #[test]
    fn who_has_no_login_that_works_is_told_the_command_and_the_variable() {
        let told = |name: &str| named(name).and_then(Profile::log_in);
        let claude = "claude auth login, or a valid key in ANTHROPIC_API_KEY";
        assert_eq!(told("claude").as_deref(), Some(claude));
        assert_eq!(told("opencode").as_deref(), Some("opencode auth login"));
        assert_eq!(told("qwen"), None);
    }

    #[test]
    fn names_are_one_each_and_what_is_tried_comes_first() {
        for (at, profile) in PROFILES.iter().enumerate() {
            let found = named(profile.name).map(|found| found.install);
            assert_eq!(found, Some(profile.install));
            assert!(profile.name.starts_with(profile.program()));
            let later = PROFILES.get(at + 1);
            let is_later_tried = later.is_some_and(|later| later.standing.is_tried());
            assert!(profile.standing.is_tried() || !is_later_tried, "{}", profile.name);
        }
    }
}
