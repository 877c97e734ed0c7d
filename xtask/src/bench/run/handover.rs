//! The time from an agent's end to the next one's start, in real runs of the real program with real processes, where no check and
//! no commit lies between. Both moments are taken by the agents themselves, so that everything autopilot does counts: reading the
//! answer, the journal, the slot, the prompt, the launcher.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::program::{run, wait_at_most};

/// Enough for a steady median in a few seconds: four handovers a phase.
const PHASES: u32 = 20;
/// A small project; what git needs for a large one is git's.
const FILES: u32 = 100;
const RUN_TIME_MAX: Duration = Duration::from_secs(120);
/// Steps that follow each other directly.
const PAIRS: [(&str, &str); 4] = [
    ("research", "plan"),
    ("verify", "judge"),
    ("judge", "judge_divergence"),
    ("judge_divergence", "rate"),
];

/// Milliseconds of every handover, by pair.
pub(super) struct Handover {
    pairs: Vec<(&'static str, &'static str, Vec<f64>)>,
}

impl Handover {
    pub(super) fn median_ms(&self) -> f64 {
        median(self.pairs.iter().flat_map(|(_, _, times)| times.iter().copied()).collect())
    }

    pub(super) fn table(&self) -> String {
        let mut text =
            format!("{:<28} {:>7} {:>10} {:>10}\n", "handover", "times", "least", "median");
        for (from, to, times) in &self.pairs {
            let least = times.iter().copied().fold(f64::INFINITY, f64::min);
            let name = format!("{from} to {to}");
            let median = median(times.clone());
            text += &format!("{name:<28} {:>7} {least:>7.2} ms {median:>7.2} ms\n", times.len());
        }
        text
    }
}

pub(super) fn measure(autopilot: &Path, bench: &Path, inside: &Path) -> Result<Handover> {
    let around = tempfile::tempdir_in(inside)?;
    let project = around.path().join("way");
    make_project(&project, bench)?;
    let mut command = at_home(Command::new(autopilot), &project, around.path());
    command.args(["run", "--complete"]).stdin(Stdio::null());
    command.stdout(fs::File::create(around.path().join("said"))?);
    command.stderr(fs::File::create(around.path().join("told"))?);
    let ended = wait_at_most(&mut command.spawn()?, RUN_TIME_MAX)?;
    if !ended.is_some_and(|status| status.success()) {
        let told = fs::read_to_string(around.path().join("told")).unwrap_or_default();
        bail!("the run ended with {ended:?}: {told}");
    }
    Ok(Handover { pairs: read(&log_below(&around.path().join("state/autopilot"))?) })
}

/// A phase, a step, when it began, when it ended: one line an agent.
fn read(log: &str) -> Vec<(&'static str, &'static str, Vec<f64>)> {
    let lines: Vec<Vec<&str>> = log.lines().map(|line| line.split(' ').collect()).collect();
    let between = |from: &str, to: &str| {
        let pairs = lines.iter().zip(lines.iter().skip(1));
        let times = pairs.filter_map(|(before, after)| match (&before[..], &after[..]) {
            ([phase, step, _, ended], [next_phase, next_step, started, _])
                if phase == next_phase && *step == from && *next_step == to =>
            {
                let (ended, started): (u64, u64) = (ended.parse().ok()?, started.parse().ok()?);
                Some(started.saturating_sub(ended) as f64 / 1e6)
            }
            _ => None,
        });
        times.collect()
    };
    PAIRS.into_iter().map(|(from, to)| (from, to, between(from, to))).collect()
}

/// Where the agent writes down when it worked, seen from its slot: a folder it may write in and that stays.
const LOG: &str = "../cache/log";

/// What it wrote there, in the one project there is.
fn log_below(state: &Path) -> Result<String> {
    let projects = fs::read_dir(state).with_context(|| state.display().to_string())?;
    let mut logs = projects.flatten().map(|project| project.path().join("cache/log"));
    let log = logs.find(|log| log.is_file()).context("the agent wrote nothing down")?;
    fs::read_to_string(&log).with_context(|| log.display().to_string())
}

fn make_project(root: &Path, bench: &Path) -> Result<()> {
    fs::create_dir_all(root.join("lib"))?;
    fs::create_dir_all(root.join(".planning"))?;
    for number in 1..=FILES {
        fs::write(root.join(format!("lib/file-{number}")), format!("file {number}\n"))?;
    }
    let phase = |number: u32| {
        format!(
            "### Phase {number}: Part {number}\n**Goal**: There is a part\n**Depends on**: Nothing\n\
             **Success Criteria**:\n  1. The part is there -- verified by: `test -s lib/part-{number}`\n  \
             2. The part is pleasant to look at\n\n"
        )
    };
    let phases: String = (1..=PHASES).map(phase).collect();
    fs::write(root.join(".planning/ROADMAP.md"), format!("# Roadmap: Way\n\n{phases}"))?;
    let none = serde_json::Value::Null;
    let config = serde_json::json!({
        "project": {"commands": {"compile": none, "test": "true", "lint": none, "build": none}},
        // Agents that answer at once would be asked again, since nobody verifies that fast.
        "autopilot": {
            "agent": "command", "agent_command": [bench, "agent", LOG], "depth": "full",
            "min_phase_time": 0, "min_verify_time": 0, "keep_awake": false,
        },
    });
    fs::write(root.join(".planning/config.json"), config.to_string())?;
    let around = root.parent().context("the project lies nowhere")?;
    for arguments in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["config", "user.name", "A Person"],
        &["config", "user.email", "person@example.org"],
        &["add", "--all"],
        &["commit", "--quiet", "-m", "the project as it was"],
    ] {
        run(at_home(Command::new("git"), root, around).args(arguments))?;
    }
    Ok(())
}

/// Nothing of whoever runs the bench has a say.
fn at_home(mut command: Command, root: &Path, around: &Path) -> Command {
    command.current_dir(root).env("HOME", around).env("XDG_STATE_HOME", around.join("state"));
    command.env("XDG_CONFIG_HOME", around.join("config")).env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    // The upper one of two in the middle: an expectation is not met by half a step.
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_agents_of_one_phase_that_follow_each_other_directly_are_counted() {
        let log = "1 research 0 1000000\n1 plan 5000000 6000000\n1 verify 8000000 9000000\n\
                   2 judge 9500000 9600000\n1 research 0 7\n";
        let read = read(log);
        assert_eq!(read[0], ("research", "plan", vec![4.0]));
        assert_eq!(read[1].2, [] as [f64; 0]);
        let handover = Handover { pairs: read };
        assert_eq!(handover.median_ms(), 4.0);
        assert!(Handover { pairs: Vec::new() }.median_ms().is_nan());
    }
}
