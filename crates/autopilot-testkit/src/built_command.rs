//! Runs the built program as a user does and gives back what it printed and how it ended. Bounded: a hang is a failure.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long any command without an agent may take before a test calls it a hang.
const TIME_MAX: Duration = Duration::from_secs(60);

pub struct BuiltCommand {
    program: PathBuf,
    folder: PathBuf,
    columns: u16,
    variables: Vec<(String, String)>,
    user: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub stdout: String,
    pub stderr: String,
    /// The exit code, or 128 and the signal's number.
    pub code: i32,
}

impl Ended {
    /// All of it in one text, for snapshots; `hide` is replaced by `[PROJECT]`.
    pub fn shown(&self, hide: &Path) -> String {
        let text = format!("{}--- talk\n{}--- exit {}\n", self.stdout, self.stderr, self.code);
        text.replace(&hide.display().to_string(), "[PROJECT]")
    }
}

impl BuiltCommand {
    pub fn new(program: &str, folder: &Path) -> BuiltCommand {
        let path = std::env::var("PATH").unwrap_or_default();
        let variables = vec![("PATH".to_string(), path), ("NO_COLOR".to_string(), "1".to_string())];
        BuiltCommand {
            program: program.into(),
            folder: folder.into(),
            columns: 80,
            variables,
            user: None,
        }
    }

    pub fn columns(mut self, columns: u16) -> BuiltCommand {
        self.columns = columns;
        self
    }

    pub fn variable(mut self, name: &str, value: &str) -> BuiltCommand {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_string(), value.to_string()));
        self
    }

    /// Colours as on a terminal.
    pub fn in_colour(mut self) -> BuiltCommand {
        self.variables.retain(|(name, _)| name != "NO_COLOR");
        self.variable("CLICOLOR_FORCE", "1")
    }

    /// As this user; needs to be root.
    pub fn user(mut self, user: u32) -> BuiltCommand {
        self.user = Some(user);
        self
    }

    #[expect(clippy::disallowed_methods, reason = "tests start the program as a shell does")]
    pub fn run(&self, arguments: &[&str]) -> io::Result<Ended> {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(&self.folder).env_clear();
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.env("COLUMNS", self.columns.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        let mut child = command.spawn()?;
        let stdout = reader(child.stdout.take());
        let stderr = reader(child.stderr.take());
        let id = child.id();
        let (ended, end) = mpsc::channel();
        std::thread::spawn(move || ended.send(child.wait()));
        let Ok(status) = end.recv_timeout(TIME_MAX) else {
            end_group(id);
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("{arguments:?} did not end in {TIME_MAX:?}"),
            ));
        };
        let status = status?;
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(-1);
        let text = |read: mpsc::Receiver<String>| read.recv().unwrap_or_default();
        Ok(Ended { stdout: text(stdout), stderr: text(stderr), code })
    }
}

fn end_group(id: u32) {
    let group = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

fn reader(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        sender.send(String::from_utf8_lossy(&bytes).into_owned())
    });
    receiver
}
