//! One agent in one version: found, or installed aside and moved to its place when it answers, so that half an installation is
//! never taken for a whole one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use autopilot_testkit::agents::Agent;

use crate::program::{answer, program, wait_at_most};

/// The largest has 436 MB unpacked and takes half a minute beside two others; a slow line may need ten times that.
const INSTALL_TIME_MAX: Duration = Duration::from_secs(600);
/// How much of npm's words is shown when it fails: its reasons stand at the end.
const WORDS_MAX: usize = 20;

pub(super) struct Installed {
    pub(super) agent: Agent,
    pub(super) version: String,
    pub(super) program: PathBuf,
    pub(super) is_new: bool,
}

pub(super) fn agent(agent: &Agent, version: &str) -> Result<Installed> {
    let home = agent.home(version).context("neither XDG_CACHE_HOME nor HOME is set")?;
    let installed = |is_new| Installed {
        agent: *agent,
        version: version.to_string(),
        program: agent.program_in(&home),
        is_new,
    };
    let name = agent.name;
    let _turn = turn(&home.with_file_name(format!(".{name}.lock")))?;
    if says_version(&agent.program_in(&home), version) {
        println!("{name} {version}: there");
        return Ok(installed(false));
    }
    let started = Instant::now();
    let aside = home.with_file_name(format!(".{name}.part"));
    let result = install_aside(agent, version, &aside).and_then(|()| replace(&aside, &home));
    result.with_context(|| format!("{name} {version} could not be installed"))?;
    let (seconds, megabytes) = (started.elapsed().as_secs_f64(), bytes_in(&home)? / 1_000_000);
    println!("{name} {version}: installed in {seconds:.1} s, {megabytes} MB");
    Ok(installed(true))
}

/// Two installations of an agent wait for each other; one that was killed lets go.
fn turn(path: &Path) -> Result<fs::File> {
    let shown = || path.display().to_string();
    fs::create_dir_all(path.parent().unwrap_or(path)).with_context(shown)?;
    let file = fs::File::create(path).with_context(shown)?;
    file.lock().with_context(shown)?;
    Ok(file)
}

fn says_version(path: &Path, version: &str) -> bool {
    let said = answer(program(path).arg("--version"));
    said.is_some_and(|said| said.split_whitespace().any(|word| word == version))
}

fn install_aside(agent: &Agent, version: &str, aside: &Path) -> Result<()> {
    let package = agent.package.context("there is no package of it for this platform")?;
    let spec = format!("{package}@{version}");
    remove(aside)?;
    fs::create_dir_all(aside).with_context(|| aside.display().to_string())?;
    let words = aside.join("npm.log");
    let log = fs::File::create(&words).with_context(|| words.display().to_string())?;
    let mut npm = program("npm");
    npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]);
    // Nothing of a package runs before a test starts it.
    npm.args(["--ignore-scripts", "--prefix"]).arg(aside).arg(&spec);
    npm.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    let mut child = npm.spawn().context("cannot start npm")?;
    let status = wait_at_most(&mut child, INSTALL_TIME_MAX)?;
    if !status.is_some_and(|status| status.success()) {
        let how = status.map_or("did not end in ten minutes".into(), |s| format!("ended with {s}"));
        bail!("npm install {spec} {how}:\n{}", last_lines(&words));
    }
    let path = agent.program_in(aside);
    if !says_version(&path, version) {
        bail!("{} does not answer --version with {version}", path.display());
    }
    Ok(())
}

/// What stands in its place does not answer, or it would not have been installed again.
fn replace(aside: &Path, home: &Path) -> Result<()> {
    remove(home)?;
    fs::rename(aside, home).with_context(|| home.display().to_string())
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    Ok(())
}

fn last_lines(path: &Path) -> String {
    let text = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(WORDS_MAX)..].join("\n")
}

pub(super) fn bytes_in(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        bytes += match entry.file_type()?.is_dir() {
            true => bytes_in(&entry.path())?,
            false => entry.metadata()?.len(),
        };
    }
    Ok(bytes)
}
