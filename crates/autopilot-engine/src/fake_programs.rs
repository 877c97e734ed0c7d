//! Programs and machines for tests: shell scripts in a folder of their own, and a `Machine` whose `PATH` has them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::machine::Machine;
use crate::process::{self, Environment, Order};

/// Longer than any test may take: a bound that is only reached when something hangs.
pub(crate) const TEST_TIME_MAX: Duration = Duration::from_secs(60);

/// A temporary home, a folder for programs, and a project folder. No variable of the machine the tests run on gets in,
/// except where the shell, git and the coreutils lie.
pub(crate) struct FakeMachine {
    folder: TempDir,
}

impl FakeMachine {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "programs", "project"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        FakeMachine { folder }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn programs(&self) -> PathBuf {
        self.folder.path().join("programs")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The fake programs come first, then those of the system.
    pub(crate) fn machine(&self) -> Machine {
        let system = Machine::of_this_process();
        let folders = std::env::split_paths(system.path()).collect::<Vec<_>>();
        self.machine_with_path(std::iter::once(self.programs()).chain(folders))
    }

    /// Only the fake programs and what a shell script cannot do without.
    pub(crate) fn bare_machine(&self) -> Machine {
        let system = Machine::of_this_process();
        for name in ["sh", "sleep", "cat", "head"] {
            let program = process::find_program(name, system.path()).unwrap();
            let link = self.programs().join(name);
            if !link.exists() {
                std::os::unix::fs::symlink(program, link).unwrap();
            }
        }
        self.machine_with_path([self.programs()])
    }

    fn machine_with_path(&self, folders: impl IntoIterator<Item = PathBuf>) -> Machine {
        Machine::with_variables([
            ("PATH", std::env::join_paths(folders).unwrap()),
            ("HOME", self.home().into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("SECRET_OF_THE_USER", "swordfish".into()),
        ])
    }

    /// A script that `sh` runs.
    pub(crate) fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.programs().join(name);
        write_executable(&path, &format!("#!/bin/sh\n{body}\n"));
        path
    }
}

/// The file is written by a child: while this process held it open for writing, a child forked by another test would hold it
/// too for a moment, and executing it would fail with "text file busy".
pub(crate) fn write_executable(path: &Path, text: &str) {
    let environment = Environment::listed(&Machine::of_this_process());
    let line = format!("cat > '{0}' && chmod 755 '{0}'", path.display());
    let order = Order::shell(&line, "/", environment, TEST_TIME_MAX).input(text);
    let finished = process::run(order).unwrap();
    assert!(finished.succeeded(), "{}", finished.stderr.text());
}
