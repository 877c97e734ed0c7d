//! The peer: `gsd-tools roadmap analyze`, the reader most projects with a `.planning/` folder use today. Runs on Node.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::measure::Subject;
use crate::cache;
use crate::program::{answer, program, run};

const PACKAGE: &str = "get-shit-done-cc";
/// The newest version that carries `gsd-tools`.
const VERSION: &str = "1.42.3";
const SCRIPT: &str = "get-shit-done/bin/gsd-tools.cjs";

pub(super) struct Peer {
    node: PathBuf,
    script: PathBuf,
}

pub(super) fn installed() -> Result<Peer> {
    let home = cache::folder()?.join(format!("{PACKAGE}-{VERSION}"));
    let script = home.join("node_modules").join(PACKAGE).join(SCRIPT);
    if !script.is_file() {
        let mut install = program("npm");
        install.args([
            "install",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--save-exact",
            "--prefix",
        ]);
        run(install.arg(&home).arg(format!("{PACKAGE}@{VERSION}")))?;
    }
    // Version managers put a script before the real node; starting that would be timed as the peer's.
    let node = answer(program("node").args(["-p", "process.execPath"]));
    let node = node.context("node does not answer: https://nodejs.org")?.into();
    Ok(Peer { node, script })
}

impl Peer {
    pub(super) fn subject(&self, project: &Path) -> Subject {
        let subject = Subject::new(&self.node).with(&self.script).with("roadmap").with("analyze");
        subject.with("--cwd").with(project)
    }
}
