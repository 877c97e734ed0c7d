//! Does an agent work? It is run: it has to say its version, and, where it can be asked, whether somebody is logged in. Nothing
//! of the user's is written by a question.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use autopilot_agents::profile::{
    Answer, Expiry, Kept, Login, LoginState, PROFILES, Paid, Profile, QUIET, Variables,
};
use autopilot_core::finding::quote;
use autopilot_core::limits;

use crate::clock::{Clock, WallClock};
use crate::machine::Machine;
use crate::process::{self, Ending, Environment, Finished, Looked, Order, SpawnError};

/// Characters of a version shown: `2.1.325 (Claude Code)` has 21.
const VERSION_CHARS_MAX: usize = 32;

/// An agent of the catalogue, and what was seen of it here.
#[derive(Debug)]
pub struct Probed {
    pub profile: &'static Profile,
    pub state: State,
}

impl Probed {
    /// Whether it can be chosen by itself: an answer about its login that nobody understands is no reason not to.
    pub fn is_ready(&self) -> bool {
        match &self.state {
            State::Works {
                login: Seen::Out { .. } | Seen::Expired { .. } | Seen::NoneStored,
                ..
            } => false,
            State::Works { .. } => true,
            State::Missing | State::Broken { .. } => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Missing,
    Broken {
        why: String,
    },
    Works {
        program: PathBuf,
        /// The line it names its version in.
        version: String,
        login: Seen,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    In(Option<Paid>),
    /// This variable is set, which serves instead.
    Key(&'static str),
    Out {
        command: &'static str,
    },
    /// There is a login, and it is over.
    Expired {
        command: &'static str,
    },
    /// It may work without one.
    NoneStored,
    Unknown {
        why: String,
    },
    NotAsked,
}

impl Seen {
    pub fn paid(&self) -> Option<Paid> {
        match self {
            Seen::In(paid) => *paid,
            Seen::Key(_) => Some(Paid::Key),
            Seen::Out { .. }
            | Seen::Expired { .. }
            | Seen::NoneStored
            | Seen::Unknown { .. }
            | Seen::NotAsked => None,
        }
    }
}

/// How long an answer is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    pub version: Duration,
    pub login: Duration,
}

impl Patience {
    pub const USUAL: Patience =
        Patience { version: limits::VERSION_TIME_MAX, login: limits::LOGIN_TIME_MAX };
}

/// Every agent of the catalogue, in its order.
pub fn all(machine: &Machine, patience: Patience) -> Vec<Probed> {
    // All at once: each takes a second or more to start, and a hanging one all of its time.
    thread::scope(|scope| {
        let ask = |profile: &'static Profile| {
            (profile, scope.spawn(move || probe(profile, machine, patience)))
        };
        let is_first = |profile: &&Profile| profile.name == profile.program();
        let asked: Vec<_> = PROFILES.iter().filter(is_first).map(ask).collect();
        let answer = |(profile, thread): (_, thread::ScopedJoinHandle<'_, Probed>)| {
            let failed = State::Broken { why: "the probe itself failed".to_string() };
            thread.join().unwrap_or(Probed { profile, state: failed })
        };
        let answers: Vec<Probed> = asked.into_iter().map(answer).collect();
        // A program with two names is asked once.
        let of = |profile: &'static Profile| {
            let same = answers.iter().find(|one| one.profile.name == profile.program());
            let state = same.map_or(State::Missing, |one| one.state.clone());
            Probed { profile, state }
        };
        PROFILES.iter().map(of).collect()
    })
}

pub fn probe(profile: &'static Profile, machine: &Machine, patience: Patience) -> Probed {
    let state = match process::look_for(profile.program().as_ref(), machine.path()) {
        Looked::Found(program) => ask(profile, program, machine, patience),
        Looked::NotExecutable(path) => Err(SpawnError::NotExecutable { path }.to_string()),
        Looked::Nothing => Ok(State::Missing),
    };
    Probed { profile, state: state.unwrap_or_else(|why| State::Broken { why }) }
}

fn ask(
    profile: &'static Profile,
    program: PathBuf,
    machine: &Machine,
    patience: Patience,
) -> Result<State, String> {
    // An empty folder: an agent started in the project would read its settings, and some run what they find there.
    let folder = || tempfile::Builder::new().prefix("autopilot-agent-").tempdir();
    let no_folder = |error| format!("no temporary folder for it: {error}");
    let (empty, own) = (folder().map_err(no_folder)?, folder().map_err(no_folder)?);
    let environment = environment(profile, machine, own.path()).map_err(no_folder)?;
    let ask = |question: &[&str], time_max: Duration| {
        let order = Order::new(&program, empty.path(), environment.clone(), time_max);
        process::run(order.arguments(question.iter().copied()))
    };
    let version = match ask(&["--version"], patience.version) {
        Ok(finished) if finished.ending == Ending::TimedOut => {
            Err(format!("did not answer --version within {} s", patience.version.as_secs()))
        }
        Ok(finished) => read_version(&finished),
        Err(error) => Err(error.to_string()),
    }?;
    let login = match &profile.login {
        Login::NoQuestion => Seen::NotAsked,
        Login::Asked { key: Some(key), .. } | Login::Kept { key: Some(key), .. }
            if machine.variable(key).is_some() =>
        {
            Seen::Key(key)
        }
        Login::Kept { folder, read, command, key: _ } => {
            seen(look(machine, *folder, *read), command, || "nothing is known of it".to_string())
        }
        Login::Asked { question, read, command, expiry, key: _ } => {
            match ask(question, patience.login) {
                Ok(finished) => match read_login(&finished, *read, command) {
                    Seen::In(Some(Paid::Subscription)) if is_over(*expiry, machine) => {
                        Seen::Expired { command }
                    }
                    seen => seen,
                },
                Err(error) => Seen::Unknown { why: error.to_string() },
            }
        }
    };
    Ok(State::Works { program, version, login })
}

/// Whether the program would be refused with the login it has stored.
fn is_over(expiry: Option<Expiry>, machine: &Machine) -> bool {
    let Some(Expiry { file, is_over }) = expiry else { return false };
    let path = file(&|name| machine.variable(name).map(Into::into));
    let text = crate::files::read_text(&path).unwrap_or_default();
    is_over(&text, WallClock::default().now().0)
}

fn environment(profile: &Profile, machine: &Machine, own: &Path) -> std::io::Result<Environment> {
    let listed = Environment::listed(machine).also(machine, profile.variables);
    let quiet =
        QUIET.iter().fold(listed, |environment, (name, value)| environment.with(*name, *value));
    let Some(apart) = profile.apart else { return Ok(quiet) };
    let apart = apart(&|name| machine.variable(name).map(Into::into), own);
    crate::files::copy_fit(&apart.copies, own)?;
    let set = apart.environment.into_iter();
    Ok(set.fold(quiet, |environment, (name, value)| environment.with(name, value)))
}

fn read_login(
    finished: &Finished,
    read: fn(&Answer<'_>) -> LoginState,
    command: &'static str,
) -> Seen {
    let exit = match finished.ending {
        Ending::Exited(code) => Some(code),
        Ending::Signalled(_) | Ending::TimedOut => None,
    };
    let (stdout, stderr) = (finished.stdout.text(), finished.stderr.text());
    let state = read(&Answer { exit, stdout: &stdout, stderr: &stderr });
    seen(state, command, || ending_text(finished))
}

fn seen(state: LoginState, command: &'static str, why: impl FnOnce() -> String) -> Seen {
    match state {
        LoginState::In(paid) => Seen::In(paid),
        LoginState::Out => Seen::Out { command },
        LoginState::NoneStored => Seen::NoneStored,
        LoginState::Unknown => Seen::Unknown { why: why() },
    }
}

/// What a login left behind in the folder of the program's own.
fn look(
    machine: &Machine,
    folder: fn(Variables<'_>) -> PathBuf,
    read: fn(&Kept<'_>) -> LoginState,
) -> LoginState {
    let variable = |name: &str| machine.variable(name).map(Into::into);
    let folder = folder(&variable);
    let settings = crate::files::read_text(&folder.join("settings.json")).ok();
    let has = |name: &str| folder.join(name).is_file();
    read(&Kept { settings: settings.as_deref(), has: &has, variable: &variable })
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
