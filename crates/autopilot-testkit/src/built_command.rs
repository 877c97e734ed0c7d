//! Runs the built program as a user does and gives back what it printed and how it ended, or lets a test deal with it while it
//! runs. Bounded: a hang is a failure.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

/// How long any command without an agent may take before a test calls it a hang.
const TIME_MAX: Duration = Duration::from_secs(60);

pub struct BuiltCommand {
    program: PathBuf,
    folder: PathBuf,
    columns: u16,
    variables: Vec<(String, String)>,
    user: Option<u32>,
    time_max: Duration,
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
            time_max: TIME_MAX,
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

    /// For a command that may take longer than one without an agent.
    pub fn time_max(mut self, time_max: Duration) -> BuiltCommand {
        self.time_max = time_max;
        self
    }

    /// Starts it and waits for its end.
    pub fn run(&self, arguments: &[&str]) -> io::Result<Ended> {
        self.start(arguments)?.finish()
    }

    /// Starts it, for whoever wants to do something to it meanwhile.
    #[expect(clippy::disallowed_methods, reason = "tests start the program as a shell does")]
    pub fn start(&self, arguments: &[&str]) -> io::Result<Started> {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(&self.folder).env_clear();
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.env("COLUMNS", self.columns.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        let mut child = command.spawn()?;
        let stdout = Heard::of(child.stdout.take());
        let stderr = Heard::of(child.stderr.take());
        let id = child.id();
        let (ended, end) = mpsc::channel();
        std::thread::spawn(move || ended.send(child.wait()));
        let (words, time_max) = (format!("{arguments:?}"), self.time_max);
        Ok(Started { id, words, time_max, stdout, stderr, end, status: None })
    }
}

/// The program while it runs. Dropped before its end, it is killed.
pub struct Started {
    id: u32,
    words: String,
    time_max: Duration,
    stdout: Heard,
    stderr: Heard,
    end: mpsc::Receiver<io::Result<ExitStatus>>,
    status: Option<ExitStatus>,
}

impl Started {
    pub fn id(&self) -> u32 {
        self.id
    }

    /// What it has printed to stdout so far.
    pub fn said(&self) -> String {
        self.stdout.so_far()
    }

    /// What it has printed to stderr so far.
    pub fn talked(&self) -> String {
        self.stderr.so_far()
    }

    /// To the program alone, as `kill` does it. One that has ended meanwhile gets nothing.
    pub fn signal(&self, signal: rustix::process::Signal) -> io::Result<()> {
        let id = i32::try_from(self.id).ok().and_then(rustix::process::Pid::from_raw);
        let Some(id) = id.filter(|_| self.status.is_none()) else { return Ok(()) };
        match rustix::process::kill_process(id, signal) {
            // It ended while it was aimed at, and nobody has told us yet.
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits so long for its end, and says whether it came.
    pub fn ends_within(&mut self, time: Duration) -> io::Result<bool> {
        if self.status.is_none() {
            match self.end.recv_timeout(time) {
                Ok(status) => self.status = Some(status?),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("nobody waits for it"));
                }
            }
        }
        Ok(self.status.is_some())
    }

    pub fn finish(mut self) -> io::Result<Ended> {
        if !self.ends_within(self.time_max)? {
            let (said, talked) = (self.said(), self.talked());
            let time_max = self.time_max;
            let what = format!("{} did not end in {time_max:?}\n{said}{talked}", self.words);
            return Err(io::Error::new(io::ErrorKind::TimedOut, what));
        }
        let signal = self.status.and_then(|status| status.signal()).map(|signal| 128 + signal);
        let code = self.status.and_then(|status| status.code()).or(signal).unwrap_or(-1);
        Ok(Ended { stdout: self.stdout.whole(), stderr: self.stderr.whole(), code })
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if self.status.is_none() {
            end_group(self.id);
        }
    }
}

fn end_group(id: u32) {
    let group = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

/// A stream that is read as it comes.
struct Heard {
    text: Arc<Mutex<Vec<u8>>>,
    end: mpsc::Receiver<()>,
}

impl Heard {
    fn of(stream: Option<impl Read + Send + 'static>) -> Heard {
        let text = Arc::new(Mutex::new(Vec::new()));
        let (at_end, end) = mpsc::channel();
        let heard = Heard { text: Arc::clone(&text), end };
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            let Some(mut stream) = stream else { return };
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                text.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend_from_slice(&buffer[..count]);
            }
            let _ = at_end.send(());
        });
        heard
    }

    fn so_far(&self) -> String {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).into_owned()
    }

    fn whole(&self) -> String {
        let _ = self.end.recv_timeout(TIME_MAX);
        self.so_far()
    }
}
