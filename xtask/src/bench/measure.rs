//! Starts a program and takes its time from the start to its end. Bare on purpose: no shell, no pipe, no folder change, so
//! that std uses `posix_spawn` and what is measured is the program.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::program::wait_at_most;

/// Enough for a steady median; one more round costs about ten seconds, nearly all of them the peer's.
pub(super) const ROUNDS: usize = 20;
/// What one roadmap may cost of the peer's time; past it the rounds so far count.
const BUDGET: Duration = Duration::from_secs(60);
/// A program that takes longer at its first look hangs.
const LOOK_TIME_MAX: Duration = Duration::from_secs(300);

/// A program with its arguments.
#[derive(Clone)]
pub(super) struct Subject {
    program: PathBuf,
    arguments: Vec<OsString>,
}

/// A subject, how it ends, and the times it took.
pub(super) struct Timing {
    subject: Subject,
    ending: ExitStatus,
    times: Vec<Duration>,
}

impl Subject {
    pub(super) fn new(program: &Path) -> Subject {
        Subject { program: program.into(), arguments: Vec::new() }
    }

    pub(super) fn with(mut self, argument: impl AsRef<OsStr>) -> Subject {
        self.arguments.push(argument.as_ref().into());
        self
    }

    pub(super) fn autopilot(binary: &Path, project: &Path) -> Subject {
        Subject::new(binary).with("-C").with(project).with("plan").with("--json")
    }

    pub(super) fn version(binary: &Path) -> Subject {
        Subject::new(binary).with("--version")
    }

    /// What it costs to start any program at all.
    pub(super) fn floor() -> Result<Subject> {
        let candidates = ["/bin/true", "/usr/bin/true"].map(Path::new);
        let found = candidates.into_iter().find(|path| path.is_file());
        Ok(Subject::new(found.context("there is no /bin/true")?))
    }

    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Runs once, bounded, with its output kept. Later runs need no bound: they do the same work.
    pub(super) fn looked_at(self) -> Result<(Timing, Vec<u8>)> {
        let mut output = tempfile::tempfile().context("cannot make a temporary file")?;
        let shown = self.program.display().to_string();
        let mut child = self
            .command()
            .stdout(output.try_clone()?)
            .spawn()
            .with_context(|| format!("cannot start {shown}"))?;
        let Some(ending) = wait_at_most(&mut child, LOOK_TIME_MAX)? else {
            bail!("{shown} did not end within {} s", LOOK_TIME_MAX.as_secs());
        };
        let mut said = Vec::new();
        output.rewind()?;
        output.read_to_end(&mut said)?;
        Ok((Timing { subject: self, ending, times: Vec::new() }, said))
    }
}

impl Timing {
    pub(super) fn measure(&mut self) -> Result<()> {
        let mut command = self.subject.command();
        let started = Instant::now();
        let ending = command.spawn()?.wait()?;
        self.times.push(started.elapsed());
        if ending != self.ending {
            bail!(
                "{} ended with {ending}, before with {}",
                self.subject.program.display(),
                self.ending
            );
        }
        Ok(())
    }

    pub(super) fn measure_within_budget(&mut self) -> Result<()> {
        if self.times.iter().sum::<Duration>() < BUDGET { self.measure() } else { Ok(()) }
    }

    pub(super) fn median_ms(&self) -> f64 {
        median_ms(&self.times)
    }

    pub(super) fn rounds(&self) -> usize {
        self.times.len()
    }

    /// Autopilot's own endings: done, or a roadmap with faults that it named. Anything else is no reading.
    pub(super) fn ran(&self) -> bool {
        matches!(self.ending.code(), Some(0 | 2))
    }

    pub(super) fn exit(&self) -> String {
        self.ending.code().map_or("sig".into(), |code| code.to_string())
    }
}

fn median_ms(times: &[Duration]) -> f64 {
    let mut sorted: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1_000.0).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_and_not_the_mean() {
        let check = |times: &[u64], expected: f64| {
            let times: Vec<_> = times.iter().copied().map(Duration::from_millis).collect();
            assert_eq!(median_ms(&times), expected);
        };
        check(&[5], 5.0);
        check(&[100, 1, 2], 2.0);
        check(&[4, 1, 2, 100], 3.0);
        assert!(median_ms(&[]).is_nan(), "nothing measured meets no expectation");
    }

    #[test]
    fn a_program_is_timed_with_its_ending_and_output() {
        let shell = |script: &str| Subject::new(Path::new("/bin/sh")).with("-c").with(script);
        let (mut timing, output) = shell("echo said; exit 2").looked_at().unwrap();
        timing.measure().unwrap();
        assert_eq!(
            (output.as_slice(), timing.exit().as_str(), timing.rounds()),
            (&b"said\n"[..], "2", 1)
        );
        assert!(timing.median_ms() > 0.0);
    }
}
