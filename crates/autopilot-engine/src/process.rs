//! The one place that starts programs. Owns their bounds in time and output, and that the whole process group of a program
//! ends with it. Finding them is `locate`'s, what a child may see `environment`'s, what is kept of its output `capture`'s;
//! `supervise` follows a child while it works, `recorded` and
//! `owner` end what a crash left, `tree` knows who descends from whom. What output means is the caller's.
//!
//! There are two ways in. Directly, for short programs that start no others: git, and questions for a version; a launcher
//! would cost them more than they cost themselves. Through the launcher, for agents and for the project's own commands, whose
//! children must not outlive us.

use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use autopilot_core::limits;
use rustix::io::Errno;
use rustix::process::Signal;

use crate::launcher::{self, Launcher};

mod capture;
mod companion;
mod detached;
mod environment;
mod group;
mod lines;
mod locate;
mod owner;
mod recorded;
pub mod supervise;
pub(crate) mod strays;
pub(crate) mod tree;

use capture::Capture;
pub use capture::{Captured, Closing};
pub use companion::Companion;
pub use detached::{Detached, start_detached};
pub use environment::Environment;
use group::{Group, LedBy};
pub(crate) use lines::Splitter;
pub use locate::find_program;
pub(crate) use locate::{Looked, look_for};
pub(crate) use owner::OWNER_MARK;
pub use owner::{Owner, Swept};
pub(crate) use recorded::GROUP_MARK;
pub use recorded::{ProcessGroup, RecordedEnd, end_recorded_group};

/// One program to run, with everything it gets and every bound it has.
#[derive(Debug, Clone)]
pub struct Order {
    /// A name is looked for in the `PATH` of `environment`; anything with a slash is taken as it is.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub folder: PathBuf,
    pub environment: Environment,
    pub input: Input,
    pub streams: Streams,
    pub time_max: Duration,
    /// For each stream.
    pub output_bytes_max: usize,
    pub way: Way,
}

/// How a program is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    Directly,
    Through(Launcher),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Nothing,
    Bytes(Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streams {
    Apart,
    /// Errors come in `stdout`, in the order they were printed; `stderr` stays empty.
    Together,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub ending: Ending,
    pub stdout: Captured,
    pub stderr: Captured,
    pub took: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Exited(i32),
    Signalled(i32),
    /// It was still running after `time_max` and was ended.
    TimedOut,
}

/// Why a program did not run at all.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("{} was not found", program.display())]
    NotFound { program: PathBuf },
    #[error("{} is not an executable file", path.display())]
    NotExecutable { path: PathBuf },
    /// A script whose interpreter is missing, or a program made for another machine.
    #[error("{} cannot be executed on this machine", path.display())]
    WrongFormat { path: PathBuf },
    #[error("the folder {} does not exist", folder.display())]
    NoFolder { folder: PathBuf },
    /// Nothing was started because the fence did not stand.
    #[error("{} was not started: {why}", path.display())]
    NoFence { path: PathBuf, why: String },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl Order {
    /// No arguments, no input, the streams apart and the usual bound on output.
    pub fn new(
        program: impl Into<PathBuf>,
        folder: impl Into<PathBuf>,
        environment: Environment,
        time_max: Duration,
    ) -> Self {
        Order {
            program: program.into(),
            arguments: Vec::new(),
            folder: folder.into(),
            environment,
            input: Input::Nothing,
            streams: Streams::Apart,
            time_max,
            output_bytes_max: limits::OUTPUT_BYTES_MAX,
            way: Way::Directly,
        }
    }

    /// A command line as a person would type it, read by `sh`.
    pub fn shell(
        line: &str,
        folder: impl Into<PathBuf>,
        environment: Environment,
        time_max: Duration,
    ) -> Self {
        Order::new("sh", folder, environment, time_max).arguments(["-c", line])
    }

    pub fn arguments<A: Into<OsString>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        Order { arguments: arguments.into_iter().map(Into::into).collect(), ..self }
    }

    pub fn input(self, bytes: impl Into<Vec<u8>>) -> Self {
        Order { input: Input::Bytes(bytes.into()), ..self }
    }

    pub fn streams(self, streams: Streams) -> Self {
        Order { streams, ..self }
    }

    pub fn through(self, launcher: Launcher) -> Self {
        Order { way: Way::Through(launcher), ..self }
    }
}

impl Finished {
    pub fn succeeded(&self) -> bool {
        self.ending == Ending::Exited(0)
    }
}

/// Runs a program to its end, or to the end of its time, and ends every process of its group with it.
pub fn run(order: Order) -> Result<Finished, SpawnError> {
    let program = program_of(&order)?;
    let failed = |source| SpawnError::Io { path: program.clone(), source };
    let started = Instant::now();
    let time_max = order.time_max;
    let (mut child, group, stdout, stderr) = begin(&program, order)?;
    let led_by = group.led_by();
    let ending = match end(group, time_max).map_err(failed)? {
        GroupEnd::LeaderExited => ending_of(child.wait().map_err(failed)?),
        GroupEnd::TimedOut => {
            // Reaped so that it does not stay a zombie; how it died under our signal says nothing.
            child.wait().map_err(failed)?;
            Ending::TimedOut
        }
        GroupEnd::Stuck => Ending::TimedOut,
    };
    let deadline = Instant::now() + limits::PIPE_CLOSE_TIME_MAX;
    let (stdout, stderr) = (stdout.finish(deadline), stderr.finish(deadline));
    if led_by == LedBy::Launcher {
        let said = [&stderr, &stdout].map(|stream| stream.last_lines().pop().unwrap_or_default());
        if let Some(error) = said.iter().find_map(|said| launch_error(&program, ending, said)) {
            return Err(error);
        }
    }
    Ok(Finished { ending, stdout, stderr, took: started.elapsed() })
}

/// Ends everything that is running in any thread. For a front end that was asked to stop: the children have process groups
/// of their own, so the terminal's Ctrl-C does not reach them.
pub fn end_all() {
    group::end_all();
}

/// The file to execute, where there is one and a folder to do it in.
fn program_of(order: &Order) -> Result<PathBuf, SpawnError> {
    let program = locate::locate(&order.program, order.environment.path())?;
    if !order.folder.is_dir() {
        return Err(SpawnError::NoFolder { folder: order.folder.clone() });
    }
    Ok(program)
}

fn begin(program: &Path, order: Order) -> Result<(Child, Group, Capture, Capture), SpawnError> {
    let failed = |source| SpawnError::Io { path: program.to_path_buf(), source };
    let (stdout, to_stdout) = Capture::start(order.output_bytes_max, |_| {}).map_err(failed)?;
    let (stderr, to_stderr) = Capture::start(order.output_bytes_max, |_| {}).map_err(failed)?;
    let to_stderr = match order.streams {
        Streams::Apart => to_stderr,
        Streams::Together => to_stdout.try_clone().map_err(failed)?,
    };
    let input = match order.input {
        Input::Nothing => Vec::new(),
        Input::Bytes(bytes) => bytes,
    };
    let (led_by, stdin) = match &order.way {
        Way::Directly if input.is_empty() => (LedBy::Program, Stdio::null()),
        Way::Directly => (LedBy::Program, feed(&[], input).map_err(failed)?.into()),
        Way::Through(_) => (LedBy::Launcher, feed(launcher::GO, input).map_err(failed)?.into()),
    };
    let ends = Ends { stdin, stdout: to_stdout, stderr: to_stderr };
    let child =
        spawn(program, order.arguments, &order.folder, &order.environment, &order.way, ends)?;
    let group = Group::of(&child, led_by);
    Ok((child, group, stdout, stderr))
}

/// The child's ends of its streams. They are closed on our side when it is spawned: only its processes keep them open.
struct Ends {
    stdin: Stdio,
    stdout: PipeWriter,
    stderr: PipeWriter,
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that spawns")]
fn spawn(
    program: &Path,
    arguments: Vec<OsString>,
    folder: &Path,
    environment: &Environment,
    way: &Way,
    ends: Ends,
) -> Result<Child, SpawnError> {
    let mut command = match way {
        Way::Directly => {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        }
        Way::Through(launcher) => {
            // The launcher stands in the child's folder, where a relative path would mean something else.
            let failed = |source| SpawnError::Io { path: program.to_path_buf(), source };
            let program = std::path::absolute(program).map_err(failed)?;
            let mut command = Command::new(launcher.program());
            command.arg0("autopilot").args(launcher.arguments(&program, arguments));
            command
        }
    };
    command
        .current_dir(folder)
        .env_clear()
        .envs(environment.variables())
        .stdin(ends.stdin)
        .stdout(ends.stdout)
        .stderr(ends.stderr)
        .process_group(0);
    command.spawn().map_err(|error| spawn_error(program, error))
}

/// What a launcher says when it could not start its program, as the error it stands for.
fn launch_error(program: &Path, ending: Ending, said: &str) -> Option<SpawnError> {
    if ending != Ending::Exited(launcher::CANNOT_START)
        || !said.starts_with(launcher::CANNOT_START_WORDS)
    {
        return None;
    }
    if let Some(at) = said.find(launcher::NO_FENCE_WORDS) {
        let (path, why) = (program.to_path_buf(), said[at..].to_string());
        return Some(SpawnError::NoFence { path, why });
    }
    let (_, number) = said.trim_end_matches(')').rsplit_once(' ')?;
    Some(spawn_error(program, io::Error::from_raw_os_error(number.parse().ok()?)))
}

/// The program was there and executable a moment ago, which narrows what these errors can mean.
fn spawn_error(program: &Path, source: io::Error) -> SpawnError {
    let path = program.to_path_buf();
    match Errno::from_io_error(&source) {
        Some(Errno::NOENT | Errno::NOEXEC) => SpawnError::WrongFormat { path },
        Some(Errno::ACCESS) => SpawnError::NotExecutable { path },
        _ => SpawnError::Io { path, source },
    }
}

/// A pipe that is filled.
fn feed(first: &'static [u8], bytes: Vec<u8>) -> io::Result<PipeReader> {
    let (reader, writer) = io::pipe()?;
    fill(writer, first, bytes)?;
    Ok(reader)
}

/// Fills a pipe from a thread. Who closes it early does not want the rest, so the error of that is no error.
fn fill(mut writer: PipeWriter, first: &'static [u8], bytes: Vec<u8>) -> io::Result<()> {
    thread::Builder::new().name("autopilot-feed".into()).spawn(move || {
        let _ = writer.write_all(first).and_then(|()| writer.write_all(&bytes));
    })?;
    Ok(())
}

fn ending_of(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, Some(signal)) => Ending::Signalled(signal),
        // A waited-for child has one or the other; the number is the shell's for "cannot tell".
        (None, None) => Ending::Exited(255),
    }
}

enum GroupEnd {
    LeaderExited,
    TimedOut,
    /// Even the hard signal did not end it: it hangs in the kernel and is left behind.
    Stuck,
}

/// Waits for the leader, ends it when its time is over, and then ends whoever else is in the group.
fn end(group: Group, time_max: Duration) -> io::Result<GroupEnd> {
    let (closes, exited) = mpsc::channel::<()>();
    if let Err(error) = group.watch(move || drop(closes)) {
        group.signal(Signal::KILL);
        return Err(error);
    }
    if has_closed(&exited, time_max) {
        group.signal(Signal::KILL);
        return Ok(GroupEnd::LeaderExited);
    }
    group.signal(Signal::TERM);
    if !has_closed(&exited, limits::TERMINATE_TIME_MAX) && group.led_by() == LedBy::Launcher {
        group.ask_launcher();
        has_closed(&exited, limits::LAUNCHER_END_TIME_MAX);
    }
    group.signal(Signal::KILL);
    let is_gone = has_closed(&exited, limits::KILL_TIME_MAX);
    Ok(if is_gone { GroupEnd::TimedOut } else { GroupEnd::Stuck })
}

fn has_closed(exited: &Receiver<()>, time_max: Duration) -> bool {
    exited.recv_timeout(time_max) != Err(RecvTimeoutError::Timeout)
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
