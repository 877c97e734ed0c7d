//! The one place that starts programs. Owns finding them, their bounds in time and output, and that the whole process group
//! of a program ends with it. What a child may see is `environment`'s, what is kept of its output is `capture`'s, and what the
//! output means is the caller's.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use autopilot_core::limits;
use rustix::fs::Access;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

mod capture;
mod environment;

use capture::Capture;
pub use capture::{Captured, Closing};
pub use environment::Environment;

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
}

impl Finished {
    pub fn succeeded(&self) -> bool {
        self.ending == Ending::Exited(0)
    }
}

/// Runs a program to its end, or to the end of its time, and ends every process of its group with it.
pub fn run(order: Order) -> Result<Finished, SpawnError> {
    let program = locate(&order.program, order.environment.path())?;
    if !order.folder.is_dir() {
        return Err(SpawnError::NoFolder { folder: order.folder });
    }
    let failed = |source| SpawnError::Io { path: program.clone(), source };
    let started = Instant::now();
    let time_max = order.time_max;
    let (mut child, stdout, stderr) = spawn(&program, order)?;
    let ended = Group::of(&child).end(time_max).map_err(failed)?;
    let ending = match ended {
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
    Ok(Finished { ending, stdout, stderr, took: started.elapsed() })
}

/// Ends everything that is running in any thread. For a front end that was asked to stop: the children have process groups
/// of their own, so the terminal's Ctrl-C does not reach them.
pub fn end_all() {
    for group in running().iter().filter_map(|id| Pid::from_raw(*id)) {
        // One that ended meanwhile is what was wanted; its id is still taken because it is not reaped while listed.
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
}

/// The first executable file of that name in a list of folders like `PATH`.
pub fn find_program(name: impl AsRef<OsStr>, path: &OsStr) -> Option<PathBuf> {
    match look_for(name.as_ref(), path) {
        Looked::Found(program) => Some(program),
        Looked::NotExecutable(_) | Looked::Nothing => None,
    }
}

pub(crate) enum Looked {
    Found(PathBuf),
    /// Something of that name is there, but it is a folder or may not be executed.
    NotExecutable(PathBuf),
    Nothing,
}

/// Relative folders in `PATH` are passed over: they would let the project's own files stand in for system programs.
pub(crate) fn look_for(name: &OsStr, path: &OsStr) -> Looked {
    let mut refused = None;
    for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute()) {
        let candidate = folder.join(name);
        if is_executable_file(&candidate) {
            return Looked::Found(candidate);
        }
        if refused.is_none() && candidate.exists() {
            refused = Some(candidate);
        }
    }
    refused.map_or(Looked::Nothing, Looked::NotExecutable)
}

fn is_executable_file(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

fn locate(program: &Path, path: &OsStr) -> Result<PathBuf, SpawnError> {
    if program.components().count() > 1 || program.is_absolute() {
        return match (program.exists(), is_executable_file(program)) {
            (_, true) => Ok(program.to_path_buf()),
            (true, false) => Err(SpawnError::NotExecutable { path: program.to_path_buf() }),
            (false, false) => Err(SpawnError::NotFound { program: program.to_path_buf() }),
        };
    }
    match look_for(program.as_os_str(), path) {
        Looked::Found(found) => Ok(found),
        Looked::NotExecutable(path) => Err(SpawnError::NotExecutable { path }),
        Looked::Nothing => Err(SpawnError::NotFound { program: program.to_path_buf() }),
    }
}

/// Our ends of the pipes are closed when this returns: only the child's processes keep the streams open.
#[expect(clippy::disallowed_methods, reason = "this is the one place that spawns")]
fn spawn(program: &Path, order: Order) -> Result<(Child, Capture, Capture), SpawnError> {
    let failed = |source| SpawnError::Io { path: program.to_path_buf(), source };
    let (stdout, to_stdout) = Capture::start(order.output_bytes_max).map_err(failed)?;
    let (stderr, to_stderr) = Capture::start(order.output_bytes_max).map_err(failed)?;
    let to_stderr = match order.streams {
        Streams::Apart => to_stderr,
        Streams::Together => to_stdout.try_clone().map_err(failed)?,
    };
    let stdin = match order.input {
        Input::Nothing => Stdio::null(),
        Input::Bytes(bytes) => Stdio::from(feed(bytes).map_err(failed)?),
    };
    let mut command = Command::new(program);
    command
        .args(order.arguments)
        .current_dir(order.folder)
        .env_clear()
        .envs(order.environment.variables())
        .stdin(stdin)
        .stdout(to_stdout)
        .stderr(to_stderr)
        .process_group(0);
    let child = command.spawn().map_err(|error| spawn_error(program, error))?;
    Ok((child, stdout, stderr))
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

/// A pipe that a thread fills. Who closes it early does not want the rest, so the error of that is no error.
fn feed(bytes: Vec<u8>) -> io::Result<PipeReader> {
    let (reader, mut writer) = io::pipe()?;
    thread::Builder::new().name("autopilot-feed".into()).spawn(move || {
        let _ = writer.write_all(&bytes);
    })?;
    Ok(reader)
}

fn ending_of(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, Some(signal)) => Ending::Signalled(signal),
        // A waited-for child has one or the other; the number is the shell's for "cannot tell".
        (None, None) => Ending::Exited(255),
    }
}

/// A process group whose leader is our child. The leader is not reaped while this lives: as a zombie it keeps the group's id
/// from being given to somebody else, so a signal cannot hit a stranger.
struct Group {
    leader: Pid,
}

enum GroupEnd {
    LeaderExited,
    TimedOut,
    /// Even the hard signal did not end it: it hangs in the kernel and is left behind.
    Stuck,
}

impl Group {
    fn of(child: &Child) -> Self {
        let leader = Pid::from_child(child);
        running().insert(leader.as_raw_nonzero().get());
        Group { leader }
    }

    /// Waits for the leader, ends it when its time is over, and then ends whoever else is in the group.
    fn end(self, time_max: Duration) -> io::Result<GroupEnd> {
        let exited = match self.watch() {
            Ok(exited) => exited,
            Err(error) => {
                self.signal(Signal::KILL);
                return Err(error);
            }
        };
        if has_closed(&exited, time_max) {
            self.signal(Signal::KILL);
            return Ok(GroupEnd::LeaderExited);
        }
        self.signal(Signal::TERM);
        has_closed(&exited, limits::TERMINATE_TIME_MAX);
        self.signal(Signal::KILL);
        let is_gone = has_closed(&exited, limits::KILL_TIME_MAX);
        Ok(if is_gone { GroupEnd::TimedOut } else { GroupEnd::Stuck })
    }

    /// A channel that closes when the leader has exited. The kernel offers no wait with a timeout, so a thread waits.
    fn watch(&self) -> io::Result<Receiver<()>> {
        let leader = self.leader;
        let (closes, exited) = mpsc::channel();
        thread::Builder::new().name("autopilot-wait".into()).spawn(move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(rustix::process::waitid(WaitId::Pid(leader), options), Err(Errno::INTR))
            {
            }
            drop(closes);
        })?;
        Ok(exited)
    }

    fn signal(&self, signal: Signal) {
        // It fails only when nobody is left in the group, which is what the signal is for.
        let _ = rustix::process::kill_process_group(self.leader, signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        running().remove(&self.leader.as_raw_nonzero().get());
    }
}

fn has_closed(exited: &Receiver<()>, time_max: Duration) -> bool {
    exited.recv_timeout(time_max) != Err(RecvTimeoutError::Timeout)
}

/// The ids of the groups that run now.
fn running() -> MutexGuard<'static, BTreeSet<i32>> {
    static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
