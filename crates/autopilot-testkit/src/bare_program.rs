//! A program started as anybody would start it, without anything of autopilot's: what measurements compare with.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub struct BareProgram<'a> {
    pub program: &'a Path,
    pub arguments: &'a [OsString],
    /// Beside what this process has.
    pub environment: &'a [(OsString, OsString)],
    pub folder: &'a Path,
    pub input: &'a [u8],
}

/// Hands it its input, reads what it prints to the end, and tells how it ended and how long all of that took.
#[expect(clippy::disallowed_methods, reason = "started without autopilot on purpose")]
pub fn run(bare: &BareProgram<'_>) -> io::Result<(ExitStatus, Duration)> {
    let mut command = Command::new(bare.program);
    command.args(bare.arguments).current_dir(bare.folder);
    command.envs(bare.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let started = Instant::now();
    let mut child = command.spawn()?;
    let missing = || io::Error::other("it has no pipe");
    child.stdin.take().ok_or_else(missing)?.write_all(bare.input)?;
    let mut said = Vec::new();
    child.stdout.take().ok_or_else(missing)?.read_to_end(&mut said)?;
    let ended = child.wait()?;
    Ok((ended, started.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gets_its_input_and_is_waited_for() {
        let arguments = ["-c", "read word; exit \"$word\""].map(OsString::from);
        let bare = BareProgram {
            program: Path::new("/bin/sh"),
            arguments: &arguments,
            environment: &[],
            folder: Path::new("/"),
            input: b"3\n",
        };
        let (ended, took) = run(&bare).unwrap();
        assert_eq!(ended.code(), Some(3));
        assert!(took > Duration::ZERO);
    }
}
