//! Does a command line of the project run here? Runs it once as a person would, in the project's root, and tells a command
//! that says no from one that cannot start.

use std::path::Path;
use std::time::Duration;

use autopilot_core::finding::quote;

use super::{Check, CheckState};
use crate::machine::Machine;
use crate::process::{self, Ending, Environment, Finished, Order, Streams};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tried {
    Passed {
        took: Duration,
    },
    /// It ran and said no. One ended by a signal has 128 and the signal's number, as shells count.
    Failed {
        code: i32,
        took: Duration,
        tail: Vec<String>,
    },
    /// It, or a program it calls, is not there or not executable.
    CannotStart {
        why: String,
    },
    TimedOut {
        time_max: Duration,
    },
}

/// Runs one of the project's own lines with the whole environment: it is the user's command in the user's shell. `CI` keeps
/// test runners from waiting for a key.
pub fn try_command(machine: &Machine, root: &Path, line: &str, time_max: Duration) -> Tried {
    let environment = Environment::inherited(machine).with("CI", "1");
    let order = Order::shell(line, root, environment, time_max).streams(Streams::Together);
    match process::run(order) {
        Ok(finished) => judge(&finished, time_max),
        Err(error) => Tried::CannotStart { why: error.to_string() },
    }
}

impl Tried {
    /// A line of the report about the command called `label`. Never one that blocks: mending it may be what the run is for.
    pub fn check(&self, label: &str, line: &str) -> Check {
        let line = quote(line);
        match self {
            Tried::Passed { took } => {
                Check::good(label, format!("{line} passed in {}", seconds(*took)))
            }
            Tried::Failed { code, took, tail: _ } => {
                let took = seconds(*took);
                let detail = format!("{line} failed with exit code {code} in {took}");
                Check::new(label, CheckState::Warning, detail)
                    .fix("run it by hand and mend what it shows")
            }
            Tried::CannotStart { why } => {
                Check::new(label, CheckState::Broken, format!("{line} cannot start: {why}"))
                    .fix("install what is missing, or name another command in the settings")
            }
            Tried::TimedOut { time_max } => {
                let detail = format!("{line} did not end within {}", seconds(*time_max));
                Check::new(label, CheckState::Warning, detail)
                    .fix("name a command that ends by itself in the settings")
            }
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn judge(finished: &Finished, time_max: Duration) -> Tried {
    let code = match finished.ending {
        Ending::Exited(0) => return Tried::Passed { took: finished.took },
        Ending::TimedOut => return Tried::TimedOut { time_max },
        Ending::Exited(code) => code,
        Ending::Signalled(signal) => 128 + signal,
    };
    match (code, complaint(code, &finished.stdout.text())) {
        (_, Some(why)) => Tried::CannotStart { why },
        (127, None) => Tried::CannotStart { why: or_last(finished, "a program was not found") },
        (126, None) => Tried::CannotStart { why: or_last(finished, "a program may not be run") },
        (_, None) => {
            let tail = finished.stdout.last_lines();
            Tried::Failed { code, took: finished.took, tail }
        }
    }
}

fn or_last(finished: &Finished, otherwise: &str) -> String {
    finished.stdout.last_lines().pop().unwrap_or_else(|| otherwise.to_owned())
}

/// Lines searched from the end. After the shell's own, npm prints about ten and make one for each folder it leaves.
const COMPLAINT_LINES_MAX: usize = 40;

/// Who writes such lines. Others write "not found" too, about pages, files and modules.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ash", "env"];

/// What a shell said about a program it could not start, or make about its shell.
fn complaint(code: i32, text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().rev().take(COMPLAINT_LINES_MAX).collect();
    let of_a_shell = lines.iter().find_map(|line| complaint_of_a_shell(code, line));
    let of_make = || lines.iter().find_map(|line| complaint_of_make(line));
    of_a_shell.or_else(of_make)
}

/// `sh: 1: vitest: not found`, `bash: line 1: x: command not found`, `zsh: command not found: x`,
/// `env: 'node': No such file or directory`, `sh: 1: ./x: Permission denied`.
fn complaint_of_a_shell(code: i32, line: &str) -> Option<String> {
    let (speaker, rest) = line.split_once(": ")?;
    let speaker = Path::new(speaker).file_name()?.to_str()?;
    if !SHELLS.contains(&speaker) {
        return None;
    }
    if let Some(program) = rest.strip_prefix("command not found: ") {
        return Some(format!("{} was not found", quote(program)));
    }
    let (subject, why) = rest.rsplit_once(": ")?;
    let program = subject.rsplit(": ").next()?;
    let program = quote(program.trim_matches(['\'', '"', '‘', '’', '`']));
    match why {
        "not found" | "command not found" => Some(format!("{program} was not found")),
        "No such file or directory" if speaker == "env" => Some(format!("{program} was not found")),
        // Shells say the same of a file they may not write; only this code means a program.
        "Permission denied" if code == 126 => Some(format!("{program} may not be run")),
        _ => None,
    }
}

/// `make: gcc: No such file or directory`, `make: *** [Makefile:2: all] Error 127`.
fn complaint_of_make(line: &str) -> Option<String> {
    let (speaker, rest) = line.split_once(": ")?;
    let is_make = matches!(speaker.split('[').next(), Some("make" | "gmake"));
    if !is_make {
        return None;
    }
    if rest.starts_with("***") && rest.ends_with("Error 127") {
        return Some("a program that make calls was not found".into());
    }
    let program = rest.strip_suffix(": No such file or directory")?;
    (!program.starts_with("***")).then(|| format!("{} was not found", quote(program)))
}

#[cfg(test)]
#[path = "command_probe_tests.rs"]
mod tests;
