//! Starts a program that goes on without us: in a process group of its own, with its output in a file, bound to no terminal.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A program that goes on when this process ends.
#[derive(Debug)]
pub struct Detached {
    child: Child,
}

/// It has our whole environment: it is autopilot itself, asked for by the user in this shell.
#[expect(clippy::disallowed_methods, reason = "part of the one place that spawns")]
pub fn start_detached(
    program: &Path,
    arguments: &[OsString],
    folder: &Path,
    output: File,
) -> io::Result<Detached> {
    let errors = output.try_clone()?;
    let child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .process_group(0)
        .spawn()?;
    Ok(Detached { child })
}

impl Detached {
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its exit code if it has ended already; a signal counts as 1.
    pub fn ended(&mut self) -> io::Result<Option<i32>> {
        Ok(self.child.try_wait()?.map(|status| status.code().unwrap_or(1)))
    }
}
