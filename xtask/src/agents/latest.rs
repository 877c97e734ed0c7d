//! Tries the newest versions: installs them beside the pinned ones, runs the tests of the agents with them, and tells what
//! changed. Pins nothing; raising a version stays a decision.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::{Context, Result};
use autopilot_testkit::agents::{AGENTS, Agent, OTHER_VERSIONS};

use super::install::{self, Installed};
use super::{install_all, install_pinned};
use crate::program::{answer, cargo, program, run};

pub(crate) fn latest() -> Result<ExitCode> {
    install_pinned()?;
    let mut newest = Vec::new();
    for agent in &AGENTS {
        newest.push((*agent, newest_version(agent)?));
    }
    if newest.iter().all(|(agent, version)| version == agent.version) {
        println!("the pinned versions are the newest, there is nothing to try");
        return Ok(ExitCode::SUCCESS);
    }
    println!();
    let installed = install_all(&newest)?;
    let versions: Vec<String> =
        installed.iter().map(|one| format!("{}={}", one.agent.name, one.version)).collect();
    println!("\n=== tests of the agents with {}", versions.join(", "));
    let mut tests = cargo(["test", "--locked", "--package", "autopilot-cli", "--test", "agents"]);
    let tested = run(tests.env(OTHER_VERSIONS, versions.join(",")));
    println!("\n=== what changed");
    for one in &installed {
        println!("{}", changed(one)?);
    }
    if let Err(error) = &tested {
        println!("\nthe tests fail with the newest versions: {error:#}");
        return Ok(ExitCode::FAILURE);
    }
    println!("\nthe tests pass with the newest versions; they are pinned in {PINS}");
    Ok(ExitCode::SUCCESS)
}

const PINS: &str = "crates/autopilot-testkit/src/agents.rs";

fn newest_version(agent: &Agent) -> Result<String> {
    let package = agent.package.context("there is no package of it for this platform")?;
    let said = answer(program("npm").args(["view", package, "version"]));
    said.filter(|said| !said.is_empty()).with_context(|| format!("npm does not know {package}"))
}

fn changed(newest: &Installed) -> Result<String> {
    let agent = &newest.agent;
    if newest.version == agent.version {
        return Ok(format!("{} {}: pinned is the newest", agent.name, agent.version));
    }
    let pinned_home = agent.home(agent.version).context("no cache folder")?;
    let newest_home = agent.home(&newest.version).context("no cache folder")?;
    let megabytes = |folder| -> Result<u64> { Ok(install::bytes_in(folder)? / 1_000_000) };
    let mut lines = vec![format!(
        "{} {} -> {}, {} MB -> {} MB",
        agent.name,
        agent.version,
        newest.version,
        megabytes(&pinned_home)?,
        megabytes(&newest_home)?
    )];
    let help = |path| answer(program(path).args(agent.help)).unwrap_or_default();
    let before = help(agent.program_in(&pinned_home));
    let now = help(newest.program.clone());
    lines.extend(differences(&options(&before), &options(&now)));
    Ok(lines.join("\n"))
}

fn differences(before: &BTreeSet<String>, now: &BTreeSet<String>) -> Vec<String> {
    let gone = before.difference(now).map(|option| format!("  gone {option}"));
    let new = now.difference(before).map(|option| format!("  new  {option}"));
    gone.chain(new).collect()
}

/// Every `--option` a help text names.
fn options(help: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let words = help.split(|c: char| !is_part(c)).filter(|word| word.starts_with("--"));
    words.filter(|word| word.len() > 2).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_told_by_options() {
        let before = options("  -m, --model <MODEL>  which model\n  [--old]\n -- and the rest");
        let now = options("  --model=<MODEL> `--new-one`, see --model");
        assert_eq!(differences(&before, &now), ["  gone --old", "  new  --new-one"]);
        assert_eq!(differences(&now, &now), Vec::<String>::new());
    }
}
