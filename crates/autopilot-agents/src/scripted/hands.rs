//! What the scripted agent starts. Its children stay in its own process group, as those of a real agent do; the one place of
//! this crate that starts programs, and it does so only inside the agent's own process.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, Signal};

use crate::limits;
use crate::script::LeftIn;

/// Runs a program to its end: what it printed on both streams, bounded, and its exit code unless a signal ended it. Its time
/// is bounded by whoever supervises the agent.
#[expect(clippy::disallowed_methods, reason = "an agent's process starts programs of its own")]
pub(super) fn run(
    workspace: &Path,
    program: &str,
    arguments: &[&str],
    input: &str,
) -> io::Result<(String, Option<i32>)> {
    let (mut reader, writer) = io::pipe()?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(workspace).stdin(Stdio::piped());
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn()?;
    // The command holds our ends of the pipe; while it lives the stream does not end.
    drop(command);
    let stdin = child.stdin.take();
    let input = input.as_bytes().to_vec();
    let feeder = thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let mut output = Vec::new();
    reader.by_ref().take(limits::COMMAND_OUTPUT_BYTES_MAX as u64).read_to_end(&mut output)?;
    io::copy(&mut reader, &mut io::sink())?;
    let exit = child.wait()?;
    // Whether the input was wanted is the program's business.
    let _ = feeder.join();
    Ok((String::from_utf8_lossy(&output).into_owned(), exit.code()))
}

/// Starts a sleeper that nobody waits for and gives its process id back.
#[expect(clippy::disallowed_methods, reason = "an agent's process starts programs of its own")]
pub(super) fn leave_behind(workspace: &Path, left_in: LeftIn) -> io::Result<u32> {
    let seconds = limits::LEFT_BEHIND_SECONDS.to_string();
    let mut command = match left_in {
        LeftIn::SameGroup => Command::new("sleep"),
        LeftIn::OwnSession => {
            let mut command = Command::new("setsid");
            command.arg("sleep");
            command
        }
    };
    let child = command.arg(seconds).current_dir(workspace).stdin(Stdio::null()).spawn()?;
    let id = child.id();
    match left_in {
        LeftIn::SameGroup => {}
        LeftIn::OwnSession => wait_for_own_session(id)?,
    }
    Ok(id)
}

/// Until then it would still end with the agent's group, and the script would not play what it says.
fn wait_for_own_session(id: u32) -> io::Result<()> {
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
    let deadline = Instant::now() + limits::LEAVE_TIME_MAX;
    while rustix::process::getsid(pid)? != pid.unwrap_or(Pid::INIT) {
        if Instant::now() > deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::yield_now();
    }
    Ok(())
}

/// Ends this process as a real crash would. A signal that does not end it, or does not exist, comes back.
pub(super) fn signal_self(number: i32) {
    let Some(signal) = Signal::from_named_raw(number) else { return };
    // Rust's own handler for a broken stack takes the first SEGV or BUS and steps aside.
    for _ in 0..2 {
        let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
    }
}
