//! Measures what only shows inside a process, and plays the agent whose starts and ends are measured from outside. Started by
//! `cargo xtask bench run` and `bench agents`, as a release build; prints one JSON object. What a figure must be is xtask's. For
//! `bench liars` it plays the cases and prints what came of each.

#![expect(clippy::print_stdout, reason = "its figures go to whoever started it")]
#![expect(clippy::print_stderr, reason = "a program of its own, not part of autopilot")]

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use serde_json::Value;

mod agent;
mod answers;
mod append;
mod instant;
mod liars;
mod long_run;
mod median;
mod overhead;
mod resume;
mod spent;
mod steps;
mod stream;
mod streams;

fn main() -> ExitCode {
    // An agent tells when it started; whatever is done before counts as autopilot's time.
    let started_ns = spent::monotonic_ns();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let ["liars", autopilot, only, folders @ ..] = words.as_slice() {
        return play_liars(autopilot, only, folders);
    }
    let done = match words.as_slice() {
        ["agent", log] => agent::work(Path::new(log), started_ns),
        ["stream", seconds] => seconds.parse().map_err(Into::into).and_then(stream::work),
        _ => measure(&words).map(|figures| println!("{figures}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// `only` is a dash where every case is meant.
fn play_liars(autopilot: &str, only: &str, folders: &[&str]) -> ExitCode {
    let folders: Vec<&Path> = folders.iter().map(Path::new).collect();
    let only = Some(only).filter(|only| *only != "-");
    match liars::play(Path::new(autopilot), only, &folders) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Every measurement gets an empty folder to work in.
fn measure(words: &[&str]) -> Result<Value> {
    match words {
        ["append", folder] => append::measure(Path::new(folder)),
        ["steps", folder, phases] => steps::measure(Path::new(folder), phases.parse()?),
        ["resume", folder, phases] => resume::measure(Path::new(folder), phases.parse()?),
        ["overhead", folder, autopilot, claude, pairs] => {
            let [folder, autopilot, claude] = [folder, autopilot, claude].map(Path::new);
            overhead::measure(folder, autopilot, claude, pairs.parse()?)
        }
        ["streams", folder, autopilot, agents, seconds] => {
            let (agents, seconds) = (agents.parse()?, seconds.parse()?);
            streams::measure(Path::new(folder), Path::new(autopilot), agents, seconds)
        }
        _ => bail!(
            "usage: autopilot-bench agent LOG | stream SECONDS | append FOLDER | steps FOLDER PHASES | resume FOLDER PHASES | overhead FOLDER AUTOPILOT CLAUDE PAIRS | streams FOLDER AUTOPILOT AGENTS SECONDS | liars AUTOPILOT NAME|- FOLDER.."
        ),
    }
}
