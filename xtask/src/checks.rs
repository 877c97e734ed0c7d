//! `test` is everything a change must pass, `check` its quick half. Both run all their parts, so that one run shows all faults.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::agents;
use crate::cache::CARGO_DENY;
use crate::packages;
use crate::parts::Parts;
use crate::program::{cargo, program, root, target_folder};
use crate::requirements;
use crate::test_packages;

/// EXIT-1 of the program itself: the machine lacks something.
const EXIT_ENVIRONMENT: u8 = 6;

pub(crate) fn test() -> Result<ExitCode> {
    packages::install_missing();
    if let Some(missing) = requirements::missing() {
        eprintln!("error: {missing}");
        return Ok(ExitCode::from(EXIT_ENVIRONMENT));
    }
    let mut parts = Parts::default();
    let deny = parts.step("tools", || CARGO_DENY.installed());
    // When one is missing, the tests that need it fail and say so; the others still tell what they know.
    parts.step("agents", agents::install_pinned);
    parts.step("packages", test_packages::install_missing);
    parts.command("format", cargo(["fmt", "--all", "--check"]));
    parts.command("clippy", clippy(&["--locked"]));
    let references = target_folder().join("snapshot-references");
    let tested = parts.command("tests", tests(&["--locked"], &references)?);
    match tested {
        true => drop(parts.step("snapshots", || unused_snapshots(&references))),
        false => parts.not_run("snapshots", "only a full test run knows which are used"),
    }
    let mut documentation = cargo(["doc", "--workspace", "--no-deps", "--locked"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    parts.command("docs", documentation);
    parts.command(
        "tidy",
        cargo(["test", "--locked", "--package", "autopilot-testkit", "--test", "tidy"]),
    );
    parts.command("fuzz targets", fuzz_targets());
    match deny {
        Some(folder) => drop(parts.command("licences", licences(&folder))),
        None => parts.not_run("licences", "cargo-deny could not be installed"),
    }
    Ok(parts.finish())
}

pub(crate) fn check() -> Result<ExitCode> {
    let mut parts = Parts::default();
    parts.command("format", cargo(["fmt", "--all", "--check"]));
    parts.command("clippy", clippy(&["--locked", "--offline"]));
    let references = target_folder().join("snapshot-references");
    parts.command("tests", tests(&["--locked", "--offline"], &references)?);
    Ok(parts.finish())
}

fn clippy(options: &[&str]) -> Command {
    let mut command = cargo(["clippy", "--workspace", "--all-targets"]);
    command.args(options).args(["--", "-D", "warnings"]);
    command
}

/// The tests compare snapshots and never rewrite them; insta notes in `references` which ones they looked at.
fn tests(options: &[&str], references: &Path) -> Result<Command> {
    match fs::remove_file(references) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot delete {}", references.display()));
        }
        Ok(()) | Err(_) => {}
    }
    let mut command = cargo(["test", "--workspace", "--no-fail-fast"]);
    command.args(options);
    command.env("INSTA_UPDATE", "no").env("INSTA_SNAPSHOT_REFERENCES_FILE", references);
    Ok(command)
}

/// A snapshot no test looked at guards nothing, and the next reader takes it for the truth.
fn unused_snapshots(references: &Path) -> Result<()> {
    let noted = fs::read_to_string(references).unwrap_or_default();
    let used: BTreeSet<PathBuf> =
        noted.lines().filter_map(|line| fs::canonicalize(line).ok()).collect();
    let mut unused = Vec::new();
    for folder in [root().join("crates"), root().join("xtask")] {
        collect_snapshots(&folder, &mut |path| {
            if !used.contains(&path) {
                unused.push(path.display().to_string());
            }
        })?;
    }
    if !unused.is_empty() {
        bail!("no test uses these, delete them:\n  {}", unused.join("\n  "));
    }
    println!("{} snapshots, all in use", used.len());
    Ok(())
}

fn collect_snapshots(folder: &Path, found: &mut impl FnMut(PathBuf)) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            collect_snapshots(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "snap") {
            found(fs::canonicalize(&path)?);
        }
    }
    Ok(())
}

/// The targets compile, on stable and without a C++ compiler: with a library of one's own named, libfuzzer-sys builds none,
/// and a check links none.
fn fuzz_targets() -> Command {
    let mut command = cargo(["check", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    command.env("CUSTOM_LIBFUZZER_PATH", "/none/libnone.a");
    command
}

/// Licences, bans and sources; advisories need a database from outside and are looked at by hand.
fn licences(folder: &Path) -> Command {
    let mut command = program(folder.join(CARGO_DENY.name));
    command.args(["--locked", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"]);
    command
}
