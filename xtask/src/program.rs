//! Starts programs for xtask: cargo as it started us, others by name, and short questions that must not hang.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// A `--version` that takes longer is no answer; npm on a cold disk needs about two seconds.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(20);
/// What a pipe holds, for it is read when the program has ended. The longest help text of an agent has 22 KB.
const ANSWER_BYTES_MAX: u64 = 64 * 1024;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// Where cargo builds: its own variable wins, as it does for cargo.
pub(crate) fn target_folder() -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty());
    chosen.map_or_else(|| root().join("target"), |folder| root().join(folder))
}

pub(crate) fn program(name: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// The cargo that runs us, so that a toolchain chosen by hand stays chosen.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// Runs to the end with its output streamed through ours.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let status = command.status().with_context(|| format!("cannot start {shown}"))?;
    if !status.success() {
        bail!("{shown} ended with {status}");
    }
    Ok(())
}

/// The command as a contributor would type it.
pub(crate) fn shown(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// All that a program of ours prints, however much it is.
pub(crate) fn printed(command: &mut Command) -> Result<Vec<u8>> {
    let shown = shown(command);
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {shown}"))?;
    if !output.status.success() {
        bail!("{shown} ended with {}", output.status);
    }
    Ok(output.stdout)
}

/// What a program prints first, when it is there, succeeds and is quick about it.
pub(crate) fn answer(command: &mut Command) -> Option<String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let status = wait_at_most(&mut child, ANSWER_TIME_MAX).ok()??;
    let mut said = String::new();
    child.stdout.take()?.take(ANSWER_BYTES_MAX).read_to_string(&mut said).ok()?;
    status.success().then(|| said.trim().to_string())
}

/// How the program ended; `None` when it had to be killed at the limit.
pub(crate) fn wait_at_most(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let started = Instant::now();
    while started.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}
