//! How agents and checks are started alike: inside the fence, with the slot, a folder for what they throw away, the project's
//! caches and what an agent needs for its own state to write, and nothing else.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::{Failed, Performer};
use crate::fence::Kind;
use crate::fence::caches;
use crate::fence::own_folders::{self, Passing};
use crate::launcher::Launcher;
use crate::process::Environment;

/// What a child is started with. What it throws away is gone with this.
pub(super) struct Inside {
    pub(super) launcher: Launcher,
    pub(super) environment: Environment,
    _temp: Option<Passing>,
}

impl Performer {
    /// `also` is what the child may write beside its own folders. Without a fence it is started as the user would.
    pub(super) fn inside(&self, also: &[PathBuf]) -> Result<Inside, Failed> {
        let (launcher, environment) = (self.launcher.clone(), self.environment());
        let no_folder = |error: std::io::Error| Failed::World(format!("no own folder: {error}"));
        match self.fence {
            Kind::Unfenced { .. } => return Ok(Inside { launcher, environment, _temp: None }),
            Kind::Landlock { .. } | Kind::Bubblewrap { .. } => {}
        }
        let slot = self.slot.folder();
        let temp = Passing::beside(slot, ".tmp").map_err(no_folder)?;
        let root = self.checkout.root();
        let cache = own_folders::cache(&self.machine, root, slot).map_err(no_folder)?;
        also.iter().try_for_each(|path| make(path)).map_err(no_folder)?;
        let own = [slot.to_path_buf(), temp.folder().to_path_buf(), cache.clone()];
        let writable: Vec<PathBuf> = own.into_iter().chain(also.iter().cloned()).collect();
        let fence = self.fence.around(&writable, &self.kept());
        let fence = fence.map_err(|error| Failed::World(format!("the fence: {error}")))?;
        let environment = caches::told(environment, &self.machine, temp.folder(), &cache);
        let launcher = match fence {
            Some(fence) => launcher.fenced(fence),
            None => launcher,
        };
        Ok(Inside { launcher, environment, _temp: Some(temp) })
    }

    /// What no child may ever write, whatever an agent's state is said to be.
    fn kept(&self) -> Vec<PathBuf> {
        let slots = self.slot.folder().parent().map(Path::to_path_buf);
        let repository = [self.checkout.root(), &self.checkout.common_dir, self.folder.path()];
        let kept = repository.into_iter().map(Path::to_path_buf);
        kept.chain(slots).chain(self.machine.home()).collect()
    }
}

/// An agent that was never used has no state yet, and could not make a folder for it from inside.
fn make(path: &Path) -> std::io::Result<()> {
    match path.exists() {
        true => Ok(()),
        false => DirBuilder::new().recursive(true).mode(0o700).create(path),
    }
}
