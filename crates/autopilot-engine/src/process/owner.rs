//! Whose a process is. Everything a run starts carries a mark in its environment that names the project and the autopilot that started
//! it. What such an autopilot left when it died is found by the mark at the next start, also where no journal names it: a daemon that
//! went to a session of its own and outlived its launcher. Never ends a stranger: the user, the project and the namespaces must be
//! ours, and the autopilot that is named must be dead.
//!
//! A process that emptied its environment is not found; as long as its launcher lives that one ends it. Where there is no `/proc`
//! nothing is found.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;
use std::time::Instant;

use autopilot_core::{digest, limits};
use sha2::{Digest, Sha256};

use super::recorded::{Process, kill, processes};

/// The variable that carries the mark. It does not begin with `AUTOPILOT_`: those are settings.
pub(crate) const OWNER_MARK: &str = "PROCESS_OWNER_MARK";
/// Digits of a hash that tell projects apart.
const DIGITS: usize = 16;

/// This process, at work on one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    project: String,
    id: i32,
    start_ticks: Option<u64>,
}

/// What was found of dead ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    pub ended: usize,
    /// Told to die and still there.
    pub stuck: usize,
}

impl Owner {
    pub fn of_project(root: &Path) -> Owner {
        let id = i32::try_from(std::process::id()).unwrap_or_default();
        let start_ticks = Process::read(id).map(|own| own.start_ticks);
        Owner { project: project(root), id, start_ticks }
    }

    pub(crate) fn mark(&self) -> String {
        let ticks = self.start_ticks.map(|ticks| ticks.to_string()).unwrap_or_default();
        format!("{}:{}:{ticks}", self.project, self.id)
    }

    /// Ends what dead autopilots left of this project. Whoever calls it holds the project's lock.
    pub fn end_left(&self) -> Swept {
        let deadline = Instant::now() + limits::KILL_TIME_MAX;
        let mut swept = Swept::default();
        loop {
            let left: Vec<Process> =
                processes().into_iter().filter(|one| self.is_left(one)).collect();
            if left.is_empty() {
                return swept;
            }
            if Instant::now() > deadline {
                return Swept { stuck: left.len(), ..swept };
            }
            // Whoever was being born meanwhile is found in the next round.
            swept.ended = swept.ended.max(left.len());
            left.iter().for_each(kill);
            thread::sleep(limits::STRAYS_PAUSE);
        }
    }

    fn is_left(&self, process: &Process) -> bool {
        let Some(mark) = process.variable(OWNER_MARK) else { return false };
        let Some((id, start_ticks)) = named(&mark, &self.project) else { return false };
        let owner = Process::read(id).map(|owner| owner.start_ticks);
        let is_owner_dead = owner != Some(start_ticks);
        is_owner_dead && process.id != self.id && process.user() == Some(own_user())
    }
}

/// The autopilot that a mark of this project names.
fn named(mark: &str, project: &str) -> Option<(i32, u64)> {
    let rest = mark.strip_prefix(project)?.strip_prefix(':')?;
    let (id, ticks) = rest.split_once(':')?;
    Some((id.parse().ok()?, ticks.parse().ok()?))
}

/// The folder, and the namespaces its path and the numbers of processes belong to: two containers may call their folders alike.
fn project(root: &Path) -> String {
    let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    let mut hash = Sha256::new();
    hash.update(root.as_os_str().as_bytes());
    for namespace in ["mnt", "pid"] {
        let link = fs::read_link(format!("/proc/self/ns/{namespace}")).unwrap_or_default();
        hash.update([0]);
        hash.update(link.as_os_str().as_bytes());
    }
    digest::hex(&hash.finalize()).iter().take(DIGITS).copied().map(char::from).collect()
}

fn own_user() -> u32 {
    rustix::process::getuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_names_its_project_and_its_autopilot() {
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let owner = Owner::of_project(folder.path());
        assert_eq!(owner, Owner::of_project(&folder.path().join(".")));
        let ticks = owner.start_ticks.unwrap();
        assert_eq!(named(&owner.mark(), &owner.project), Some((owner.id, ticks)));
        assert_eq!(named(&owner.mark(), &Owner::of_project(other.path()).project), None);
        for mark in ["", ":1:2", &format!("{}:1:", owner.project), &owner.project] {
            assert_eq!(named(mark, &owner.project), None, "{mark}");
        }
        assert_eq!(owner.end_left(), Swept::default());
    }
}
