//! An agent without a model for the `command` adapter. Does at once what its role asks, and writes down when it started and
//! ended, by a clock that all processes share.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use autopilot_core::contract::Role;

use crate::{answers, spent};

/// More than any prompt has.
const PROMPT_BYTES_MAX: u64 = 8 * 1024 * 1024;

pub(crate) fn work(log: &Path, started_ns: u64) -> Result<()> {
    io::copy(&mut io::stdin().take(PROMPT_BYTES_MAX), &mut io::sink())?;
    let variable = |name: &str| std::env::var(name).with_context(|| name.to_string());
    let (phase, step) = (variable("REQUEST_PHASE")?, variable("REQUEST_STEP")?);
    let role = Role::ALL.into_iter().find(|role| role.name() == step);
    let role = role.with_context(|| format!("no role is called {step}"))?;
    leave_work(role, &phase)?;
    io::stdout().write_all(answers::text(role).as_bytes())?;
    let line = format!("{phase} {step} {started_ns} {}\n", spent::monotonic_ns());
    let mut log = OpenOptions::new().append(true).create(true).open(log)?;
    log.write_all(line.as_bytes())?;
    Ok(())
}

fn leave_work(role: Role, phase: &str) -> Result<()> {
    let folder = format!(".planning/phases/{phase:0>2}-part-{phase}");
    match role {
        Role::Research => write(&format!("{folder}/RESEARCH.md"), "lib/ holds the parts.\n"),
        Role::Plan => write(&format!("{folder}/{phase:0>2}-01-PLAN.md"), &plan(phase)),
        Role::Execute | Role::Delegate => write(&format!("lib/part-{phase}"), "part\n"),
        Role::PlanCheck
        | Role::Verify
        | Role::Judge
        | Role::JudgeDivergence
        | Role::Rate
        | Role::Review
        | Role::Debug => Ok(()),
    }
}

fn write(path: &str, text: &str) -> Result<()> {
    let path = Path::new(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text).with_context(|| path.display().to_string())
}

fn plan(phase: &str) -> String {
    format!(
        "---\nphase: part-{phase}\nplan: 01\ntype: execute\nwave: 1\ndepends_on: []\n\
         files_modified: [lib/part-{phase}]\nautonomous: true\n---\n\n<tasks>\n\n\
         <task type=\"auto\">\n  <name>Make the part</name>\n  <files>lib/part-{phase}</files>\n  \
         <action>Write the word part to lib/part-{phase}.</action>\n  \
         <verify>\n    <automated>test -s lib/part-{phase}</automated>\n  </verify>\n  \
         <done>The check is green.</done>\n</task>\n\n</tasks>\n"
    )
}
