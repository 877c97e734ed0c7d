//! `bench run`: what a run costs beside the work of its agents. Four questions, each asked of the release build: a durable event
//! beside a bare sync, the time between two agents, a very long run, and taking such a run up again.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::show;
use crate::program::{cargo, program, run, shown, target_folder, wait_at_most};
use crate::release;
use expectations::Figures;

mod expectations;
mod handover;

/// What `autopilot-bench` is asked may take; all together it takes well below a minute.
pub(super) const MEASURE_TIME_MAX: Duration = Duration::from_secs(120);
/// Phases of nine tasks that have more than 10,000 and more than 100,000 events.
const SHORT: u32 = 10;
const MIDDLE: u32 = 100;
const LONG: u32 = 1_000;

/// The built programs.
pub(super) struct Built {
    pub(super) autopilot: PathBuf,
    bench: PathBuf,
}

pub(crate) fn measure() -> Result<ExitCode> {
    let built = build()?;
    // Where runs lie: on a disk. What is not about the disk is kept in memory.
    let on_disk = tempfile::tempdir().context("cannot make a temporary folder")?;
    let in_memory = in_memory()?;
    println!("one durable event, beside one sync");
    let append = built.ask("append", on_disk.path(), &[])?;
    println!("from agent to agent, with real processes");
    let handover = handover::measure(&built.autopilot, &built.bench, on_disk.path())?;
    println!("a run of {SHORT} phases, and one of {LONG}");
    let short = built.ask("steps", in_memory.path(), &[SHORT])?;
    let long = built.ask("steps", in_memory.path(), &[LONG])?;
    println!("taken up again: runs of {MIDDLE} and of {LONG} phases");
    let middle_resume = built.ask("resume", in_memory.path(), &[MIDDLE])?;
    let long_resume = built.ask("resume", in_memory.path(), &[LONG])?;
    let figures = Figures::of([&append, &short, &long, &middle_resume, &long_resume], &handover);
    print!("\n{}", handover.table());
    Ok(show(&figures.judged()))
}

/// The program as its users get it, which is also what stands between two agents as their launcher.
pub(super) fn build() -> Result<Built> {
    let autopilot = release::build()?;
    run(cargo(["build", "--release", "--locked"]).args(["--package", "autopilot-bench"]))?;
    Ok(Built { autopilot, bench: target_folder().join("release/autopilot-bench") })
}

/// Linux has a file system in memory there; elsewhere the disk has to do.
pub(super) fn in_memory() -> Result<tempfile::TempDir> {
    let shared = Path::new("/dev/shm");
    let made = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() };
    made.context("cannot make a temporary folder")
}

impl Built {
    /// The figures of one measurement, in a folder of its own that is gone afterwards.
    fn ask(&self, word: &str, inside: &Path, numbers: &[u32]) -> Result<Value> {
        let numbers = numbers.iter().map(ToString::to_string);
        self.ask_within(word, inside, numbers, MEASURE_TIME_MAX, |_, it| it)
    }

    /// `around` gets the folder and sets up what it is asked in.
    pub(super) fn ask_within(
        &self,
        word: &str,
        inside: &Path,
        words: impl IntoIterator<Item = String>,
        time_max: Duration,
        around: impl for<'a> FnOnce(&Path, &'a mut Command) -> &'a mut Command,
    ) -> Result<Value> {
        let folder = tempfile::tempdir_in(inside)?;
        let mut command = program(&self.bench);
        around(folder.path(), &mut command);
        command.arg(word).arg(folder.path()).args(words);
        let asked = shown(&command);
        // What it prints fits into a pipe.
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let ended = wait_at_most(&mut child, time_max)?;
        match ended {
            Some(status) if status.success() => {}
            Some(status) => bail!("{asked} ended with {status}"),
            None => bail!("{asked} did not end within {} s", time_max.as_secs()),
        }
        let output = child.stdout.take().context("it has no output")?;
        serde_json::from_reader(output).with_context(|| asked)
    }
}
