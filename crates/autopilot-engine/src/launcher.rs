//! The small process between autopilot and a child. Owns that nothing starts before autopilot has written down what it is
//! about to start, and that nothing of it is left when it, or autopilot, is gone. The fence is put up here; what it lets through is `fence`'s.
//!
//! It runs as `autopilot launch-child PARENT [FENCE…] -- PROGRAM ARGUMENTS…` in a process group of its own:
//!
//! 1. It asks the kernel to be killed when its parent dies, and looks whether the parent died before that.
//! 2. It prepares the fence, which holds nobody yet, and reads `go` and a line feed from stdin, byte by byte, so that the rest is the program's own. If the pipe closes
//!    instead, it ends and nothing has been started.
//! 3. It puts up the fence, around itself too, starts the program and stays. A program that took its place would die with autopilot, but the program's children
//!    would not: the kernel tells nobody but the direct child of a parent's death. The launcher ends the whole group then,
//!    and, as the one to whom the kernel gives orphans, also those that left the group for a session of their own.
//! 4. When the program ends, the launcher ends who is left and ends the same way: the same exit code, the same signal.
//!
//! The parent's death counts from the *thread* that spawned. Before `go` that thread must live on, and both `process::run` and
//! `process::supervise` spawn from the thread that waits. After `go` it makes no difference: the signal only makes the
//! launcher look who its parent is.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Instant;

use autopilot_core::limits;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;

use crate::fence::{Fence, FenceError, Prepared};
use crate::process::{GROUP_MARK, ProcessGroup, strays};

/// The first argument that makes autopilot a launcher. Looked at before anything else is set up.
pub const SUBCOMMAND: &str = "launch-child";
/// What the launcher waits for.
pub(crate) const GO: &[u8] = b"go\n";
/// Ends the launcher with everything it started.
pub(crate) const END_NOW: Signal = Signal::USR1;
/// The exit code of a launcher that could not start its program, as shells have it.
pub(crate) const CANNOT_START: i32 = 127;
/// How its message begins; the system's number of the error ends it.
pub(crate) const CANNOT_START_WORDS: &str = "autopilot could not start";

/// How the reason begins when it is the fence, and no number ends the message.
pub(crate) const NO_FENCE_WORDS: &str = "there is no fence";

/// The program that can be started as a launcher: autopilot itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    program: PathBuf,
    fence: Option<Fence>,
}

impl Launcher {
    /// The running program, also when its file was replaced since it was started.
    pub fn of_this_program() -> io::Result<Launcher> {
        let same_file = Path::new("/proc/self/exe");
        if same_file.exists() {
            return Ok(Launcher::at(same_file));
        }
        Ok(Launcher::at(std::env::current_exe()?))
    }

    pub fn at(program: impl Into<PathBuf>) -> Launcher {
        Launcher { program: program.into(), fence: None }
    }

    /// One that starts its program inside the fence, or not at all.
    pub fn fenced(self, fence: Fence) -> Launcher {
        Launcher { fence: Some(fence), ..self }
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    pub(crate) fn arguments(&self, program: &Path, own: Vec<OsString>) -> Vec<OsString> {
        let parent = rustix::process::getpid().as_raw_nonzero().to_string();
        let fence = self.fence.iter().flat_map(Fence::words);
        let before = [SUBCOMMAND.into(), parent.into()].into_iter().chain(fence);
        before.chain(["--".into(), program.into()]).chain(own).collect()
    }
}

/// Why the program did not start. For a line on stderr, which the other side of the launcher reads.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error(
        "this command is for autopilot itself: {SUBCOMMAND} PARENT [FENCE…] -- PROGRAM ARGUMENTS…"
    )]
    Usage,
    #[error("{CANNOT_START_WORDS} {}: {source}", program.display())]
    CannotStart { program: PathBuf, source: io::Error },
    #[error("{CANNOT_START_WORDS} {}: {NO_FENCE_WORDS}: {source}", program.display())]
    NoFence { program: PathBuf, source: FenceError },
    #[error("the launcher cannot look after the program: {0}")]
    Io(#[from] io::Error),
}

impl LaunchError {
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(u8::try_from(CANNOT_START).unwrap_or(u8::MAX))
    }
}

/// The whole life of a launcher, from the arguments after `launch-child`. `tell` prints a line on stderr, last of all.
pub fn launch(
    arguments: impl Iterator<Item = OsString>,
    tell: impl FnOnce(&str),
) -> Result<ExitCode, LaunchError> {
    let wanted = Wanted::read(arguments).ok_or(LaunchError::Usage)?;
    end_with_parent(Signal::KILL)?;
    let fence = wanted.fence.as_ref().map(Fence::prepare);
    if rustix::process::getppid() != Some(wanted.parent) || !is_told_to_go() {
        // Nothing was started, and nobody is there to ask how it went.
        return Ok(ExitCode::SUCCESS);
    }
    let parent = wanted.parent;
    adopt_orphans()?;
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1])?;
    // From here on the parent's death must not kill the launcher before it has ended the others.
    end_with_parent(Signal::TERM)?;
    if rustix::process::getppid() != Some(parent) {
        return Ok(ExitCode::SUCCESS);
    }
    let program = wanted.start(fence)?;
    thread::Builder::new().name("autopilot-guard".into()).spawn(move || {
        for signal in signals.forever() {
            // The polite signals are for the program, which is in the group and got them too.
            if signal == SIGUSR1 || rustix::process::getppid() != Some(parent) {
                end_everything();
            }
        }
    })?;
    let status = wait_for(program)?;
    let left = left_running();
    end_strays();
    if let Some(line) = strays::line(&left) {
        tell(&line);
    }
    Ok(end_as(status))
}

struct Wanted {
    parent: Pid,
    fence: Option<Fence>,
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Wanted {
    fn read(mut arguments: impl Iterator<Item = OsString>) -> Option<Wanted> {
        let parent: i32 = arguments.next()?.to_str()?.parse().ok()?;
        let parent = if parent > 0 { Pid::from_raw(parent)? } else { return None };
        let words: Vec<OsString> = arguments.by_ref().take_while(|word| word != "--").collect();
        // What is not understood is never taken for no fence.
        let fence = match words.is_empty() {
            true => None,
            false => Some(Fence::read(&words)?),
        };
        let program = arguments.next()?.into();
        Some(Wanted { parent, fence, program, arguments: arguments.collect() })
    }

    /// The program gets the launcher's streams, folder and environment, and a mark by which it is known again after a crash.
    #[expect(clippy::disallowed_methods, reason = "the launcher is what the spawning place starts")]
    fn start(self, prepared: Option<Result<Prepared, FenceError>>) -> Result<Pid, LaunchError> {
        let Wanted { program, arguments, fence, .. } = self;
        let (started, arguments) = match fence.zip(prepared) {
            None => (program.clone(), arguments),
            Some((fence, prepared)) => prepared
                .and_then(|prepared| fence.put_up(prepared, program.clone(), arguments))
                .map_err(|source| LaunchError::NoFence { program: program.clone(), source })?,
        };
        let group = ProcessGroup::led_by(rustix::process::getpid());
        let mut command = Command::new(started);
        command.args(arguments).env(GROUP_MARK, group.mark());
        let failed = |source| LaunchError::CannotStart { program: program.clone(), source };
        // Reaped with the orphans, by number.
        let child = command.spawn().map_err(failed)?;
        Ok(Pid::from_child(&child))
    }
}

/// Whether the handshake came whole. Not a byte more is read.
fn is_told_to_go() -> bool {
    let Ok(stdin) = rustix::io::dup(io::stdin()) else { return false };
    let mut stdin = fs::File::from(stdin);
    let mut byte = [0];
    GO.iter().all(|expected| stdin.read_exact(&mut byte).is_ok() && byte[0] == *expected)
}

/// Reaps whoever ends, orphans too, until the program does.
fn wait_for(program: Pid) -> io::Result<WaitStatus> {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == program => return Ok(status),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Who does not end by itself now that the program has, by name.
fn left_running() -> Vec<String> {
    let deadline = Instant::now() + limits::STRAYS_GRACE;
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) if Instant::now() < deadline => thread::sleep(limits::STRAYS_PAUSE),
            Ok(None) => return strays::names(),
            // No children at all.
            Err(_) => return Vec::new(),
        }
    }
}

/// Ends and reaps everybody the program left, until nobody is left or the time is over.
fn end_strays() {
    let deadline = Instant::now() + limits::STRAYS_TIME_MAX;
    while Instant::now() < deadline {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => {
                kill_children();
                thread::sleep(limits::STRAYS_PAUSE);
            }
            // No children at all.
            Err(_) => return,
        }
    }
}

/// Those in other groups first: once our own group is ended, so are we.
fn end_everything() {
    let deadline = Instant::now() + limits::STRAYS_TIME_MAX;
    // The waiting thread reaps them; who is killed makes his children ours, so one round is not enough.
    while kill_children() > 0 && Instant::now() < deadline {
        thread::sleep(limits::STRAYS_PAUSE);
    }
    let _ = rustix::process::kill_process_group(rustix::process::getpid(), Signal::KILL);
}

/// How many children there are, all of them told to die.
fn kill_children() -> usize {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let mut count = 0;
    for list in lists {
        for child in
            list.split_whitespace().filter_map(|id| id.parse().ok().and_then(Pid::from_raw))
        {
            // It is our child and not reaped, so the number is still its own, or it just went.
            let _ = rustix::process::kill_process(child, Signal::KILL);
            count += 1;
        }
    }
    count
}

/// Ends this process as the program ended.
fn end_as(status: WaitStatus) -> ExitCode {
    if let Some(number) = status.terminating_signal() {
        if let Some(signal) =
            Signal::from_named_raw(number).filter(|signal| *signal == Signal::KILL)
        {
            let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
        }
        let _ = signal_hook::low_level::emulate_default_handler(number);
        return ExitCode::from(u8::try_from(128 + number).unwrap_or(u8::MAX));
    }
    let code = status.exit_status().and_then(|code| u8::try_from(code).ok());
    ExitCode::from(code.unwrap_or(u8::MAX))
}

#[cfg(target_os = "linux")]
fn end_with_parent(signal: Signal) -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(signal))?)
}

#[cfg(target_os = "linux")]
fn adopt_orphans() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Other kernels have no such signal. What is left there after a crash is ended by the next start, from the journal.
#[cfg(not(target_os = "linux"))]
fn end_with_parent(_signal: Signal) -> io::Result<()> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() -> io::Result<()> {
    Ok(())
}
