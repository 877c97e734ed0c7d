//! `packages install`: brings what the projects of tests depend on from the registries into the cache folder, with the ordinary
//! clients. Which packages those are is testkit's to say.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use autopilot_testkit::packages::{NPM, PACKAGE_JSON, Packages, REGISTRY, WHEELS};

use crate::program::{answer, program, run};

pub(crate) fn install() -> Result<ExitCode> {
    install_missing().map(|()| ExitCode::SUCCESS)
}

/// What is there already is left alone.
pub(crate) fn install_missing() -> Result<()> {
    for (packages, bring) in [(NPM, npm as fn(&Path) -> Result<()>), (WHEELS, wheels)] {
        bring_aside(packages, bring).with_context(|| {
            format!(
                "the {} packages of test projects; try again with: cargo xtask packages install",
                packages.name
            )
        })?;
    }
    Ok(())
}

/// Moved to its place when it is whole.
fn bring_aside(packages: Packages, bring: impl Fn(&Path) -> Result<()>) -> Result<()> {
    let name = packages.name;
    let home = packages.home().context("neither XDG_CACHE_HOME nor HOME is set")?;
    if packages.are_in(&home) {
        println!("{name}: there");
        return Ok(());
    }
    let started = Instant::now();
    let above = home.parent().unwrap_or(&home);
    fs::create_dir_all(above).with_context(|| above.display().to_string())?;
    let aside = tempfile::Builder::new().prefix(".part-").tempdir_in(above)?;
    bring(aside.path())?;
    packages.mark(aside.path())?;
    if home.exists() {
        fs::remove_dir_all(&home).with_context(|| home.display().to_string())?;
    }
    fs::rename(aside.keep(), &home).with_context(|| home.display().to_string())?;
    println!("{name}: brought in {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// A cache of npm that has everything `npm ci` asks for.
fn npm(home: &Path) -> Result<()> {
    let project = home.join("project");
    fs::create_dir(&project)?;
    fs::write(project.join("package.json"), PACKAGE_JSON)?;
    fs::write(project.join("package-lock.json"), NPM.lock())?;
    let mut npm = program("npm");
    npm.current_dir(&project).args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
    // Nothing of a package runs before a test starts it.
    run(npm.args(["--ignore-scripts", "--cache"]).arg(home.join("cache")))?;
    fs::remove_dir_all(&project)?;
    let registry = answer(program("npm").args(["config", "get", "registry"]));
    fs::write(home.join(REGISTRY), registry.context("npm does not say which registry it uses")?)?;
    Ok(())
}

/// With a pip of its own: not every python3 has one.
fn wheels(home: &Path) -> Result<()> {
    let own = home.join("own");
    run(program("python3").args(["-m", "venv"]).arg(&own))?;
    let requirements = home.join("requirements.txt");
    fs::write(&requirements, WHEELS.lock())?;
    let mut pip = program(own.join("bin/pip"));
    pip.args(["download", "--quiet", "--only-binary", ":all:", "--require-hashes", "--dest"]);
    run(pip.arg(home).arg("--requirement").arg(&requirements))?;
    fs::remove_dir_all(&own)?;
    Ok(())
}
