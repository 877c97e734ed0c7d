//! `agents install` brings the pinned agents into the cache folder, `agents latest` tries the newest ones. Which agents there are
//! is testkit's to say.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use autopilot_testkit::agents::{AGENTS, Agent};

use install::Installed;

mod install;
mod latest;

pub(crate) use latest::latest;

pub(crate) fn install() -> Result<ExitCode> {
    install_pinned().map(|()| ExitCode::SUCCESS)
}

/// Those that are missing, all at once. What is there already is asked for its version and left alone.
pub(crate) fn install_pinned() -> Result<()> {
    let wanted: Vec<(Agent, String)> =
        AGENTS.iter().map(|agent| (*agent, agent.version.to_string())).collect();
    install_all(&wanted).map(|_| ())
}

/// Tells about each as it is done; an error names every one that could not be had.
fn install_all(wanted: &[(Agent, String)]) -> Result<Vec<Installed>> {
    let started = Instant::now();
    let results: Vec<Result<Installed>> = std::thread::scope(|scope| {
        let one = |(agent, version): &'_ (Agent, String)| {
            let (agent, version) = (*agent, version.clone());
            scope.spawn(move || install::agent(&agent, &version))
        };
        let threads: Vec<_> = wanted.iter().map(one).collect();
        threads.into_iter().map(joined).collect()
    });
    let (mut installed, mut faults) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(one) => installed.push(one),
            Err(fault) => faults.push(format!("{fault:#}")),
        }
    }
    anyhow::ensure!(
        faults.is_empty(),
        "{}\ntry again with: cargo xtask agents install",
        faults.join("\n")
    );
    let is_new = installed.iter().any(|one| one.is_new);
    let verb = if is_new { "installing" } else { "looking for them" };
    println!("{verb} took {:.1} s", started.elapsed().as_secs_f64());
    Ok(installed)
}

fn joined(thread: std::thread::ScopedJoinHandle<'_, Result<Installed>>) -> Result<Installed> {
    thread.join().ok().context("a thread that installs has panicked")?
}
