//! One request to the real Claude Code, asked by autopilot and asked bare, in turns. Autopilot's way is all of an attempt but the slot and
//! the journal, which `bench run` measures: folders, settings, fence, launcher, supervision, reading every line, the ending. Bare is the
//! same program with the same arguments, and somebody who reads what it prints.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use autopilot_agents::agent::{Agent, Handed};
use autopilot_agents::claude_code::ClaudeCode;
use autopilot_agents::ending::Ending;
use autopilot_engine::agents::choice::Chosen;
use autopilot_engine::agents::try_out::{self, try_out};
use autopilot_engine::fence;
use autopilot_engine::launcher::Launcher;
use autopilot_engine::machine::Machine;
use autopilot_testkit::bare_program::{self, BareProgram};
use serde_json::{Value, json};

/// The environment has the model's address; `TMPDIR` and `HOME` are in the folder.
pub(crate) fn measure(
    folder: &Path,
    autopilot: &Path,
    claude: &Path,
    pairs: usize,
) -> Result<Value> {
    let machine = Machine::of_this_process();
    let variable = |name: &str| machine.variable(name).map(Into::into);
    let agent: Arc<dyn Agent> = Arc::new(ClaudeCode::of(claude.to_path_buf(), variable, None));
    let chosen = Chosen { agent, version: String::new(), paid: None };
    let fence = fence::Kind::find(&machine).around(&[folder.to_path_buf()], &[])?;
    let is_fenced = fence.is_some();
    let launcher = Launcher::at(autopilot);
    let launcher = match fence {
        Some(fence) => launcher.fenced(fence),
        None => launcher,
    };
    let ours = || -> Result<f64> {
        let started = Instant::now();
        let tried = try_out(&chosen, None, &machine, launcher.clone())?;
        let took = started.elapsed();
        match tried.ending {
            Ending::Answered { .. } => Ok(took.as_secs_f64() * 1e3),
            other => bail!("autopilot's claude ended with {other:?}"),
        }
    };
    // The first of each reads the program from the disk.
    ours()?;
    bare(chosen.agent.as_ref(), folder)?;
    let (mut our_ms, mut bare_ms) = (Vec::new(), Vec::new());
    for pair in 0..pairs {
        // Who comes first changes too.
        if pair % 2 == 0 {
            our_ms.push(ours()?);
            bare_ms.push(bare(chosen.agent.as_ref(), folder)?);
        } else {
            bare_ms.push(bare(chosen.agent.as_ref(), folder)?);
            our_ms.push(ours()?);
        }
    }
    Ok(json!({ "our_ms": our_ms, "bare_ms": bare_ms, "is_fenced": is_fenced }))
}

/// Milliseconds from its start to its end, without laying out its files.
fn bare(agent: &dyn Agent, folder: &Path) -> Result<f64> {
    let (work, scratch) = (folder.join("bare-work"), folder.join("bare-scratch"));
    for folder in [&work, &scratch] {
        fs::create_dir_all(folder)?;
    }
    let request = try_out::request(agent, None, &scratch);
    let asked = agent.command(&request);
    for (path, handed) in &asked.files {
        match handed {
            Handed::Bytes(bytes) => fs::write(scratch.join(path), bytes)?,
            Handed::LinkTo(path) => bail!("{} is a file of the user's", path.display()),
        }
    }
    let (ended, took) = bare_program::run(&BareProgram {
        program: &asked.program,
        arguments: &asked.arguments,
        environment: &asked.environment,
        folder: &work,
        input: &asked.stdin,
    })?;
    ensure!(ended.success(), "bare claude ended with {ended}");
    for folder in [&work, &scratch] {
        fs::remove_dir_all(folder)?;
    }
    Ok(took.as_secs_f64() * 1e3)
}
