//! How agents and checks are started alike: inside the fence, with their tree, a folder for what they throw away, caches and what an
//! agent needs for its own state to write, and nothing else; and with what is none of their business hidden.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::fence::caches;
use crate::fence::own_folders::{self, Passing};
use crate::fence::{FenceError, Kind};
use crate::hidden_checks;
use crate::launcher::Launcher;
use crate::machine::Machine;
use crate::process::{Environment, OWNER_MARK, Owner};

/// What every child of a project has in common.
#[derive(Debug, Clone)]
pub struct Ground {
    pub machine: Machine,
    pub launcher: Launcher,
    /// What keeps agents and checks in.
    pub fence: Kind,
    /// Named in the environment of everything that is started.
    pub owner: Owner,
    /// The user's own: what no child may ever write, whatever an agent's state is said to be.
    pub kept: Vec<PathBuf>,
    pub hidden: Hidden,
    /// The user's project.
    pub root: PathBuf,
}

/// What children may not read.
#[derive(Debug, Clone, Default)]
pub struct Hidden {
    /// From every child: autopilot's own records, which have what agents said and did.
    pub records: Vec<PathBuf>,
    /// From every child that is no hidden check: the folder of hidden checks (PIPE-5a).
    pub checks: Option<PathBuf>,
    /// The same for files of the user that tell a hidden command.
    pub told: Vec<PathBuf>,
    /// From agents: where checks are run, and what those leave there.
    pub proofs: Vec<PathBuf>,
}

/// Who is started.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Child<'a> {
    /// With what it may write beside its own folders.
    Agent {
        also: &'a [PathBuf],
    },
    /// The same in the user's own folder, of which it may not write what git and autopilot keep there.
    AgentInPlace {
        also: &'a [PathBuf],
    },
    Check,
    HiddenCheck,
}

impl Hidden {
    fn from(&self, child: Child<'_>) -> Vec<PathBuf> {
        let secrets = || self.checks.iter().chain(&self.told);
        match child {
            Child::Agent { .. } | Child::AgentInPlace { .. } => {
                self.records.iter().chain(secrets()).chain(&self.proofs).cloned().collect()
            }
            Child::Check => self.records.iter().chain(secrets()).cloned().collect(),
            Child::HiddenCheck => self.records.clone(),
        }
    }
}

/// What a child is started with. What it throws away is gone with this.
pub(crate) struct Inside {
    pub(crate) launcher: Launcher,
    pub(crate) environment: Environment,
    _temp: Option<Passing>,
}

/// What the folder for what children throw away is called beside their tree.
const TEMP: &str = ".tmp";

impl Ground {
    /// That folder, for a tree in which one child follows another. Where it cannot be made each child says so itself.
    pub(crate) fn lasting_temp(&self, tree: &Path) -> Option<Passing> {
        match self.fence {
            Kind::Unfenced { .. } => None,
            Kind::Landlock { .. } | Kind::Bubblewrap { .. } => Passing::lasting(tree, TEMP).ok(),
        }
    }

    /// `cache` is the name of the cache folder beside the tree. Without a fence a child is started as the user would.
    pub(crate) fn inside(
        &self,
        tree: &Path,
        cache: &str,
        child: Child<'_>,
    ) -> Result<Inside, String> {
        let also = match child {
            Child::Agent { also } | Child::AgentInPlace { also } => also,
            Child::Check | Child::HiddenCheck => &[],
        };
        let (launcher, environment) = (self.launcher.clone(), self.environment(child));
        let no_folder = |error: std::io::Error| format!("no own folder: {error}");
        match self.fence {
            Kind::Unfenced { .. } => return Ok(Inside { launcher, environment, _temp: None }),
            Kind::Landlock { .. } | Kind::Bubblewrap { .. } => {}
        }
        let temp = Passing::beside(tree, TEMP).map_err(no_folder)?;
        let cache = tree.with_file_name(cache);
        own_folders::make_cache(&self.machine, &self.root, &cache).map_err(no_folder)?;
        also.iter().try_for_each(|path| make(path)).map_err(no_folder)?;
        let files = match child {
            Child::AgentInPlace { .. } => &self.root,
            Child::Agent { .. } | Child::Check | Child::HiddenCheck => tree,
        };
        let own = [files.to_path_buf(), temp.folder().to_path_buf(), cache.clone()];
        let writable: Vec<PathBuf> = own.into_iter().chain(also.iter().cloned()).collect();
        let no_fence = |error: FenceError| format!("the fence: {error}");
        let (kept, sealed) = self.kept(tree, child);
        let fence = self.fence.around(&writable, &kept).map_err(no_fence)?;
        let fence = fence
            .map(|fence| fence.hiding(&self.hidden.from(child))?.sealing(&sealed))
            .transpose()
            .map_err(no_fence)?;
        let environment = caches::told(environment, &self.machine, temp.folder(), &cache);
        let launcher = match fence {
            Some(fence) => launcher.fenced(fence),
            None => launcher,
        };
        Ok(Inside { launcher, environment, _temp: Some(temp) })
    }

    /// What checks and agents see of the environment: no secrets of the shell.
    fn environment(&self, child: Child<'_>) -> Environment {
        let environment = Environment::listed(&self.machine).with(OWNER_MARK, self.owner.mark());
        match (child, &self.hidden.checks) {
            (Child::HiddenCheck, Some(folder)) => {
                environment.with(hidden_checks::VARIABLE, folder.as_os_str())
            }
            (Child::HiddenCheck, None)
            | (Child::Agent { .. } | Child::AgentInPlace { .. } | Child::Check, _) => environment,
        }
    }

    /// What no folder may be written around, and what may not be written in one that may.
    fn kept(&self, tree: &Path, child: Child<'_>) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let trees = tree.parent().map(Path::to_path_buf);
        let others = trees.into_iter().chain(self.machine.home());
        match child {
            Child::Agent { .. } | Child::Check | Child::HiddenCheck => {
                (self.kept.iter().cloned().chain(others).collect(), Vec::new())
            }
            Child::AgentInPlace { .. } => {
                let kept = self.kept.iter().filter(|path| **path != self.root).cloned();
                let (inside, outside): (Vec<_>, Vec<_>) =
                    kept.partition(|path| path.starts_with(&self.root));
                // In a linked worktree it is a file that says where the repository is.
                let pointer = self.root.join(".git");
                let sealed = inside.into_iter().chain([pointer]).collect();
                (outside.into_iter().chain(others).collect(), sealed)
            }
        }
    }
}

/// An agent that was never used has no state yet, and could not make a folder for it from inside.
fn make(path: &Path) -> std::io::Result<()> {
    match path.exists() {
        true => Ok(()),
        false => DirBuilder::new().recursive(true).mode(0o700).create(path),
    }
}
