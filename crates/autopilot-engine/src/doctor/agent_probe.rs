//! Which agents work? Each one is run: it has to say its version, and, where it can be asked, whether somebody is logged in.
//! Owns what autopilot knows of each agent's questions; driving an agent is not done here.

use std::thread;
use std::time::Duration;

use autopilot_core::finding::quote;
use autopilot_core::limits;

use super::{Check, CheckState};
use crate::machine::Machine;
use crate::process::{self, Ending, Environment, Finished, Looked, Order, SpawnError};

/// One line an agent, and a last one that blocks when none of them could work in a run.
pub fn agents(machine: &Machine) -> Vec<Check> {
    let patience = Patience { version: limits::VERSION_TIME_MAX, login: limits::LOGIN_TIME_MAX };
    agents_within(machine, patience)
}

/// How long an answer is waited for.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    pub(super) version: Duration,
    pub(super) login: Duration,
}

pub(super) fn agents_within(machine: &Machine, patience: Patience) -> Vec<Check> {
    // All at once: each takes a second or more to start, and a hanging one all of its time.
    let probed: Vec<Probed> = thread::scope(|scope| {
        let ask =
            |agent: &'static Agent| (agent, scope.spawn(move || probe(agent, machine, patience)));
        let asked: Vec<_> = AGENTS.iter().map(ask).collect();
        let answer = |(agent, thread): (&Agent, thread::ScopedJoinHandle<'_, Probed>)| {
            thread.join().unwrap_or_else(|_| agent.broken("the probe itself failed"))
        };
        asked.into_iter().map(answer).collect()
    });
    let none_ready = none_ready(&probed);
    probed.into_iter().map(|probed| probed.check).chain(none_ready).collect()
}

struct Agent {
    name: &'static str,
    install: &'static str,
    login: Login,
    /// What of the user's variables the agent needs to find its login.
    variables: &'static [&'static str],
}

enum Login {
    Asked {
        question: &'static [&'static str],
        read: fn(&Finished) -> LoginState,
        command: &'static str,
        /// A variable that serves instead of a login and that the question does not know of.
        key: Option<&'static str>,
    },
    NoQuestion,
}

enum LoginState {
    In,
    Out,
    Unknown(String),
}

static AGENTS: [Agent; 5] = [
    Agent {
        name: "claude",
        install: "npm install -g @anthropic-ai/claude-code",
        login: Login::Asked {
            question: &["auth", "status"],
            read: read_claude_login,
            command: "claude auth login",
            key: None,
        },
        variables: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX",
            "CLAUDE_CONFIG_DIR",
        ],
    },
    Agent {
        name: "codex",
        install: "npm install -g @openai/codex",
        login: Login::Asked {
            question: &["login", "status"],
            read: read_codex_login,
            command: "codex login",
            key: Some("CODEX_API_KEY"),
        },
        variables: &["CODEX_HOME", "CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"],
    },
    Agent {
        name: "gemini",
        install: "npm install -g @google/gemini-cli",
        login: Login::NoQuestion,
        variables: &[],
    },
    Agent {
        name: "opencode",
        install: "npm install -g opencode-ai",
        login: Login::NoQuestion,
        variables: &[],
    },
    Agent {
        name: "goose",
        install: "npm install -g @aaif/goose",
        login: Login::NoQuestion,
        variables: &[],
    },
];

/// A question is no reason to fetch an update or to report home.
const QUIET: [(&str, &str); 4] = [
    ("DISABLE_AUTOUPDATER", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
];

/// Characters of a version shown: `2.1.325 (Claude Code)` has 21.
const VERSION_CHARS_MAX: usize = 32;

struct Probed {
    check: Check,
    readiness: Readiness,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Readiness {
    /// Works, and nobody said that nobody is logged in.
    Ready,
    LoggedOut {
        command: &'static str,
    },
    Unusable,
}

impl Agent {
    fn missing(&self) -> Probed {
        let check = Check::new(self.name, CheckState::Missing, "not found on PATH");
        Probed { check, readiness: Readiness::Unusable }
    }

    fn broken(&self, detail: impl Into<String>) -> Probed {
        let check = Check::new(self.name, CheckState::Broken, detail)
            .fix(format!("install it anew: {}", self.install));
        Probed { check, readiness: Readiness::Unusable }
    }

    fn ready(&self, state: CheckState, detail: String) -> Probed {
        Probed { check: Check::new(self.name, state, detail), readiness: Readiness::Ready }
    }
}

fn probe(agent: &'static Agent, machine: &Machine, patience: Patience) -> Probed {
    let program = match process::look_for(agent.name.as_ref(), machine.path()) {
        Looked::Found(program) => program,
        Looked::NotExecutable(path) => {
            return agent.broken(SpawnError::NotExecutable { path }.to_string());
        }
        Looked::Nothing => return agent.missing(),
    };
    // An empty folder: an agent started in the project would read its settings, and some run what they find there.
    let folder = match tempfile::Builder::new().prefix("autopilot-agent-").tempdir() {
        Ok(folder) => folder,
        Err(error) => return agent.broken(format!("no temporary folder for it: {error}")),
    };
    let environment = Environment::listed(machine).also(machine, agent.variables);
    let quiet = QUIET
        .iter()
        .fold(environment, |environment, (name, value)| environment.with(*name, *value));
    let ask = |question: &[&str], time_max: Duration| {
        let order = Order::new(&program, folder.path(), quiet.clone(), time_max);
        process::run(order.arguments(question.iter().copied()))
    };
    let version = match ask(&["--version"], patience.version) {
        Ok(finished) if finished.ending == Ending::TimedOut => {
            Err(format!("did not answer --version within {} s", patience.version.as_secs()))
        }
        Ok(finished) => read_version(&finished),
        Err(error) => Err(error.to_string()),
    };
    let version = match version {
        Ok(version) => version,
        Err(why) => return agent.broken(why),
    };
    match &agent.login {
        Login::NoQuestion => agent.ready(
            CheckState::Good,
            format!("{version}; login not asked: it has no such question"),
        ),
        Login::Asked { key: Some(key), .. } if machine.variable(key).is_some() => {
            agent.ready(CheckState::Good, format!("{version}, {key} is set"))
        }
        Login::Asked { question, read, command, key: _ } => {
            let state = match ask(question, patience.login) {
                Ok(finished) => read(&finished),
                Err(error) => LoginState::Unknown(error.to_string()),
            };
            with_login(agent, &version, state, command)
        }
    }
}

fn with_login(
    agent: &'static Agent,
    version: &str,
    state: LoginState,
    command: &'static str,
) -> Probed {
    match state {
        LoginState::In => agent.ready(CheckState::Good, format!("{version}, logged in")),
        LoginState::Unknown(why) => {
            agent.ready(CheckState::Warning, format!("{version}; login unknown: {why}"))
        }
        LoginState::Out => {
            let detail = format!("{version}, not logged in");
            let check = Check::new(agent.name, CheckState::Broken, detail).fix(command);
            Probed { check, readiness: Readiness::LoggedOut { command } }
        }
    }
}

/// The line that names a version, or why there is none.
fn read_version(finished: &Finished) -> Result<String, String> {
    if !finished.succeeded() {
        return Err(format!("--version {}", ending_text(finished)));
    }
    let text = finished.stdout.text();
    let Some(first) = finished.stdout.first_line() else {
        return Err("answered --version with nothing".into());
    };
    match text.lines().find(|line| names_a_version(line)) {
        Some(line) => Ok(cut(line.trim(), VERSION_CHARS_MAX)),
        None => {
            let said = quote(&cut(&first, VERSION_CHARS_MAX));
            Err(format!("answered --version with {said}"))
        }
    }
}

/// A number, a point and a number: `0.61.0`, `codex-cli 0.166.0`.
fn names_a_version(line: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    line.as_bytes()
        .windows(3)
        .any(|part| is_digit(&part[0]) && part[1] == b'.' && is_digit(&part[2]))
}

fn cut(text: &str, chars_max: usize) -> String {
    let mut shown: String = text.chars().take(chars_max).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    autopilot_core::finding::printable(&shown)
}

/// Prints JSON whoever is logged in; the exit code only repeats it.
fn read_claude_login(finished: &Finished) -> LoginState {
    let answer = serde_json::from_str::<serde_json::Value>(&finished.stdout.text()).ok();
    match answer.as_ref().and_then(|answer| answer.get("loggedIn")?.as_bool()) {
        Some(true) => LoginState::In,
        Some(false) => LoginState::Out,
        None => LoginState::Unknown(ending_text(finished)),
    }
}

/// Exit code 1 stands for "not logged in" and for a broken settings file alike, so the words decide.
fn read_codex_login(finished: &Finished) -> LoginState {
    let said = finished.stderr.text() + &finished.stdout.text();
    match finished.ending {
        Ending::Exited(0) => LoginState::In,
        Ending::Exited(_) if said.to_lowercase().contains("not logged in") => LoginState::Out,
        Ending::Exited(_) | Ending::Signalled(_) | Ending::TimedOut => {
            LoginState::Unknown(ending_text(finished))
        }
    }
}

/// How it ended, and the last it said.
fn ending_text(finished: &Finished) -> String {
    let how = match finished.ending {
        Ending::Exited(code) => format!("ended with exit code {code}"),
        Ending::Signalled(signal) => format!("was ended by signal {signal}"),
        Ending::TimedOut => "did not answer in time".into(),
    };
    match finished.stderr.last_lines().pop() {
        Some(line) => format!("{how}: {line}"),
        None => how,
    }
}

fn none_ready(probed: &[Probed]) -> Option<Check> {
    if probed.iter().any(|probed| probed.readiness == Readiness::Ready) {
        return None;
    }
    let login = probed.iter().find_map(|probed| match probed.readiness {
        Readiness::LoggedOut { command } => Some(command.to_owned()),
        Readiness::Ready | Readiness::Unusable => None,
    });
    let install = || format!("{}   (or another of them)", AGENTS[0].install);
    let check = Check::new("agents", CheckState::Missing, "none is ready, and a run needs one");
    Some(check.fix(login.unwrap_or_else(install)).blocking())
}
