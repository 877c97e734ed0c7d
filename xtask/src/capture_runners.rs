//! `capture-runners`: makes a small project for each test runner, runs the real runner in it, and keeps what was printed for the
//! readers of `autopilot_core::test_counts` to be tested on. How many tests a project has is known because it was made so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::program::{program, root, wait_at_most};
use captures::{CAPTURES, Capture};
use tools::{Tool, Tools};

mod captures;
mod projects;
mod scrub;
mod tools;

/// Where the captured files live.
const FOLDER: &str = "crates/autopilot-core/src/test_counts/captured";
/// The slowest, a first build in an empty folder, takes some ten seconds on a busy machine.
const RUN_TIME_MAX: Duration = Duration::from_secs(300);
/// One file; the longest has 6 KB. More means that a runner prints something nobody thought of.
const FILE_BYTES_MAX: usize = 20_000;

/// How many tests a project has, by what they do.
#[derive(Clone, Copy)]
struct Made {
    passing: u32,
    failing: u32,
    skipped: u32,
}

/// Captures everything, or only the files whose name begins with `only`.
pub(crate) fn capture(only: Option<&str>) -> Result<ExitCode> {
    let wanted = |one: &&Capture| only.is_none_or(|start| one.file.starts_with(start));
    let chosen: Vec<&Capture> = CAPTURES.iter().filter(wanted).collect();
    if chosen.is_empty() {
        bail!("no capture begins with `{}`", only.unwrap_or_default());
    }
    let folder = root().join(FOLDER);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let scratch = tempfile::tempdir().context("cannot make a scratch folder")?;
    let mut tools = Tools::new(scratch.path())?;
    let mut missing = Vec::new();
    for one in chosen {
        let Some(tool) = tools.get(one.tool)? else {
            missing.push(one.file);
            continue;
        };
        let text = taken(one, &tool, scratch.path())?;
        let path = folder.join(format!("{}.txt", one.file));
        fs::write(&path, &text).with_context(|| path.display().to_string())?;
        println!("{}: {} bytes", one.file, text.len());
    }
    for file in &missing {
        println!("{file}: NOT captured, its runner is not on this machine and in no registry");
    }
    Ok(if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The first line says what printed the rest.
fn taken(one: &Capture, tool: &Tool, scratch: &Path) -> Result<String> {
    let project = scratch.join(one.file);
    for (name, text) in (one.files)(one.made) {
        let path = project.join(name);
        let parent = path.parent().unwrap_or(&project);
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    if let Some(modules) = &tool.modules {
        std::os::unix::fs::symlink(modules, project.join("node_modules"))?;
    }
    let printed = printed(one, tool, scratch, &project)?;
    let printed = scrub::scrub(&printed, scratch, &project)?;
    if printed.len() > FILE_BYTES_MAX {
        bail!("{} printed {} bytes, at most {FILE_BYTES_MAX} are kept", one.file, printed.len());
    }
    let Made { passing, failing, skipped } = one.made;
    let (runner, version, command) = (one.tool.name(), &tool.version, one.command);
    Ok(format!(
        "# {runner} {version} | {command} | made of {passing} passing, {failing} failing, {skipped} skipped\n{printed}"
    ))
}

/// Both streams in the order they were printed, as a check of a run is taken.
fn printed(one: &Capture, tool: &Tool, scratch: &Path, project: &Path) -> Result<String> {
    let path: PathBuf = scratch.join(format!("{}.out", one.file));
    let output = fs::File::create(&path).with_context(|| path.display().to_string())?;
    let mut shell = program("sh");
    shell.arg("-c").arg(format!("exec 2>&1\n{}", one.command)).current_dir(project);
    shell.env_clear().envs(&tool.environment);
    shell.stdin(Stdio::null()).stdout(output).stderr(Stdio::null());
    let mut child = shell.spawn().context("cannot start sh")?;
    let status = wait_at_most(&mut child, RUN_TIME_MAX)?;
    let status = status.with_context(|| format!("{} did not end", one.file))?;
    let is_red = one.made.failing > 0 || one.ends_red;
    if status.success() == is_red {
        let said = fs::read_to_string(&path).unwrap_or_default();
        bail!("{} ended with {status}, which was not expected:\n{said}", one.file);
    }
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}
