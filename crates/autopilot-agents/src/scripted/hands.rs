//! What the scripted agent starts. Its children stay in its own process group, as those of a real agent do; the one place of
//! this crate that starts programs, and it does so only inside the agent's own process.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use rustix::process::Signal;

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
        LeftIn::SameGroup => {
            let mut command = Command::new("sleep");
            command.arg(seconds);
            command
        }
        LeftIn::OwnSession => {
            // It says when it has left: until then it would still end with the agent's group.
            let mut command = Command::new("setsid");
            command.args(["sh", "-c", &format!("echo left; exec sleep {seconds} >&2")]);
            command.stdout(Stdio::piped());
            command
        }
    };
    let mut child = command.current_dir(workspace).stdin(Stdio::null()).spawn()?;
    if let Some(mut said) = child.stdout.take() {
        said.read_exact(&mut [0; "left".len()])?;
    }
    Ok(child.id())
}

/// Ends this process as a real crash would. A signal that does not end it, or does not exist, comes back.
pub(super) fn signal_self(number: i32) {
    let Some(signal) = Signal::from_named_raw(number) else { return };
    // Rust's own handler for a broken stack takes the first SEGV or BUS and steps aside.
    for _ in 0..2 {
        let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
    }
}
