//! The peak memory of a program that prints more than a pipe holds, taken from the kernel while it waits for its reader.
//!
//! `getrusage` would be wrong here: its maximum also counts the image of the parent that the child had before `exec`, so a
//! big parent makes every child look big. `VmHWM` in `/proc/<pid>/status` counts the program's own memory only, but it is gone
//! once the program has ended. So the program is held: its output goes into a pipe that nobody drains, the pipe fills up
//! (64 KiB), and the program stands still in its write. There the figure is read; then one pipeful is taken out, and so on to
//! the end, because the figure only grows.

use std::fs;
use std::io::Read;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::measure::Subject;

const PIPE_BYTES: usize = 64 * 1024;
/// A program that used no processor for so long is waiting for us.
const STILL: Duration = Duration::from_millis(60);
const TIME_MAX: Duration = Duration::from_secs(60);

pub(super) fn peak_kib(subject: Subject) -> Result<u64> {
    let mut child = subject.command().stdout(Stdio::piped()).spawn().context("cannot start it")?;
    let peak = held_peak(&mut child);
    // Not killed on success: it has ended. On failure it must not stay behind.
    child.kill().context("cannot end it")?;
    child.wait()?;
    peak
}

fn held_peak(child: &mut Child) -> Result<u64> {
    let deadline = Instant::now() + TIME_MAX;
    let mut pipe = child.stdout.take().context("it has no output")?;
    let mut peak = None;
    let mut chunk = vec![0; PIPE_BYTES];
    loop {
        if let Some(here) = peak_when_still(child.id(), deadline)? {
            peak = Some(here);
        }
        if pipe.read(&mut chunk)? == 0 {
            return peak.context("its output fits into a pipe, so it never stood still");
        }
    }
}

/// Waits until the program neither runs nor grows, and returns its peak; `None` when it has ended.
fn peak_when_still(pid: u32, deadline: Instant) -> Result<Option<u64>> {
    let mut before = None;
    loop {
        let now = Snapshot::of(pid);
        match now {
            None => return Ok(None),
            Some(snapshot) if before == now && snapshot.is_sleeping => {
                return Ok(Some(snapshot.peak_kib));
            }
            Some(_) if Instant::now() > deadline => bail!("it was never still within {TIME_MAX:?}"),
            Some(_) => before = now,
        }
        std::thread::sleep(STILL);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Snapshot {
    is_sleeping: bool,
    peak_kib: u64,
    processor_ticks: u64,
}

impl Snapshot {
    fn of(pid: u32) -> Option<Snapshot> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        Snapshot::read(&status, &stat)
    }

    /// A program that has ended but was not waited for still has a status, without any memory in it.
    fn read(status: &str, stat: &str) -> Option<Snapshot> {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let peak_kib = peak.trim().strip_suffix(" kB")?.parse().ok()?;
        // The name in parentheses may hold spaces and parentheses itself; fields count from behind it.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
        let is_sleeping = *fields.first()? == "S";
        Some(Snapshot { is_sleeping, peak_kib, processor_ticks: ticks(11)? + ticks(12)? })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_snapshot_reads_what_the_kernel_writes() {
        let status = "Name:\tx\nVmPeak:\t 9000 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 1000 kB\n";
        let stat = "7 (a) S b) S 1 7 7 0 -1 4194304 96 0 0 0 3 4 0 0 20 0 1 0\n";
        let snapshot = Snapshot::read(status, stat);
        let expected = Snapshot { is_sleeping: true, peak_kib: 1234, processor_ticks: 7 };
        assert!(snapshot == Some(expected));
        assert!(Snapshot::read("Name:\tx\nState:\tZ (zombie)\n", stat).is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_peak_is_taken_while_the_pipe_is_full() {
        let shell = |script: &str| Subject::new(Path::new("/bin/sh")).with("-c").with(script);
        let held = peak_kib(shell("exec head -c 300000 /dev/zero")).unwrap();
        assert!((100..100_000).contains(&held), "{held} KiB");
        let quiet = peak_kib(shell("exec head -c 10 /dev/zero"));
        assert!(quiet.is_err_and(|error| error.to_string().contains("never stood still")));
    }
}
