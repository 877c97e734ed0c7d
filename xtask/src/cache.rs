//! The tools in the cache folder, which testkit names: each in its pinned version, installed when it is first needed.

use std::path::PathBuf;

use anyhow::{Context, Result};
use autopilot_testkit::cache_folder::cache_folder;

use crate::program::{answer, cargo, program, run};

/// A cargo tool, pinned so that every contributor and every later day gets the same answers.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

pub(crate) const CARGO_DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };
pub(crate) const CARGO_FUZZ: Tool = Tool { name: "cargo-fuzz", version: "0.13.2" };

pub(crate) fn folder() -> Result<PathBuf> {
    cache_folder().context("neither XDG_CACHE_HOME nor HOME is set: nowhere to keep tools")
}

impl Tool {
    /// The folder of its binary, after installing it when it is not there yet.
    pub(crate) fn installed(&self) -> Result<PathBuf> {
        let home = folder()?.join(format!("{}-{}", self.name, self.version));
        let folder = home.join("bin");
        let version = answer(program(folder.join(self.name)).arg("--version"));
        if version.is_some_and(|said| said.ends_with(self.version)) {
            return Ok(folder);
        }
        let spec = format!("{}@{}", self.name, self.version);
        // Unoptimised: it builds in about half the time, and the tools work for less than a second here.
        let mut install = cargo(["install", "--locked", "--debug", "--force", &spec, "--root"]);
        // Its build must not mix with ours; without the variable cargo uses a folder it deletes afterwards.
        run(install.arg(&home).env_remove("CARGO_TARGET_DIR"))?;
        Ok(folder)
    }
}
