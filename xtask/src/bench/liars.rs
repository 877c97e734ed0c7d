//! `bench liars`: builds the program as tests do and lets `autopilot-bench` play the cases with it. Its exit code is the bench's.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::program::{cargo, program, root, run, shown, target_folder};

/// Where the sets lie; the second and the third were written by people who had not seen the code.
const FOLDER: &str = "crates/autopilot-bench/liars";
const SETS: [&str; 3] = ["first", "second", "third"];

/// `folders` stand in for the sets of the repository.
pub(crate) fn play(only: Option<&str>, folders: Vec<PathBuf>) -> Result<ExitCode> {
    run(&mut cargo([
        "build",
        "--locked",
        "--package",
        "autopilot-cli",
        "--package",
        "autopilot-bench",
    ]))?;
    let built = target_folder().join("debug");
    let sets = SETS.map(|set| root().join(FOLDER).join(set)).into_iter();
    let sets = sets.filter(|folder| folder.is_dir());
    let folders = if folders.is_empty() { sets.collect() } else { folders };
    let mut command = program(built.join("autopilot-bench"));
    command.arg("liars").arg(built.join("autopilot")).arg(only.unwrap_or("-")).args(folders);
    let status = command.status().with_context(|| shown(&command))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
