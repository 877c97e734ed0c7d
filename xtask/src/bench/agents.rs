//! `bench agents`: what autopilot adds to an agent's own time, and what it takes to follow many that talk at once. Both are asked of the
//! release build; the model is a scripted one.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use autopilot_testkit::agents;
use autopilot_testkit::model_server::{ModelServer, Script, Step};
use serde_json::Value;

use super::run::{Built, MEASURE_TIME_MAX, build, in_memory};
use super::show;
use crate::agents::install_pinned;
use expectations::Figures;

mod expectations;

/// Pairs of one attempt asked by autopilot and one asked bare.
const PAIRS: u32 = 20;
/// Agents that talk at once, and for how long.
const AGENTS: u32 = 32;
const SECONDS: u32 = 10;
/// Forty starts of Claude Code, a second each on an idle machine.
const PAIRS_TIME_MAX: Duration = Duration::from_secs(600);

pub(crate) fn measure() -> Result<ExitCode> {
    install_pinned()?;
    let built = build()?;
    println!("one attempt with Claude Code, by autopilot and bare, {PAIRS} times in turns");
    let overhead = overhead(&built)?;
    println!("{AGENTS} agents that print a megabyte a second each, for {SECONDS} s");
    let memory = in_memory()?;
    let numbers = [AGENTS, SECONDS].map(|number| number.to_string());
    let words = [built.autopilot.display().to_string()].into_iter().chain(numbers);
    let streams =
        built.ask_within("streams", memory.path(), words, MEASURE_TIME_MAX, |_, it| it)?;
    let figures = Figures::of(&overhead, &streams);
    print!("\n{}", figures.table());
    Ok(show(&figures.judged()))
}

fn overhead(built: &Built) -> Result<Value> {
    let server = ModelServer::start(Script::new().step(Step::text("ready").always()))?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let claude = agents::path("claude").display().to_string();
    let words = [built.autopilot.display().to_string(), claude, PAIRS.to_string()];
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Nothing of the person's who measures.
    built.ask_within("overhead", folder.path(), words, PAIRS_TIME_MAX, |folder: &Path, command| {
        let command = command.env_clear().env("PATH", &path).env("HOME", folder);
        let command = command.env("TMPDIR", folder).env("ANTHROPIC_BASE_URL", server.url());
        command.env("ANTHROPIC_API_KEY", "sk-scripted")
    })
}
