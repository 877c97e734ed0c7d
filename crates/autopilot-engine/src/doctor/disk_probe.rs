//! Is there room for a run, and may it write there: in the project's folder and where worktrees will lie?

use std::path::Path;

use rustix::fs::Access;

use super::{Check, CheckState};
use crate::machine::Machine;

/// So much must be free in each.
pub fn disk(machine: &Machine, root: &Path, mebibytes_min: u64) -> Vec<Check> {
    let bytes_min = mebibytes_min.saturating_mul(1024 * 1024);
    let project = folder("disk", "the project's folder", root, bytes_min);
    let state = match machine.state_folder() {
        Some(state) => folder("state", "the state folder", &state, bytes_min),
        None => Check::new("state", CheckState::Missing, "HOME is not set to a folder")
            .fix("set HOME, or XDG_STATE_HOME, to an absolute path")
            .blocking(),
    };
    vec![project, state]
}

fn folder(topic: &str, name: &str, path: &Path, bytes_min: u64) -> Check {
    // The state folder is made by the first run; until then the folder it will be made in tells.
    let existing = path.ancestors().find(|ancestor| ancestor.is_dir()).unwrap_or(path);
    if let Err(error) = rustix::fs::access(existing, Access::WRITE_OK) {
        let detail = format!("{name} cannot be written: {error}");
        let fix = format!("make {} writable for you", existing.display());
        return Check::new(topic, CheckState::Broken, detail).fix(fix).blocking();
    }
    match rustix::fs::statvfs(existing) {
        Ok(status) => room(topic, name, status.f_bavail.saturating_mul(status.f_frsize), bytes_min),
        Err(error) => {
            let detail = format!("the room in {name} is not known: {error}");
            Check::new(topic, CheckState::Warning, detail)
        }
    }
}

fn room(topic: &str, name: &str, free_bytes: u64, bytes_min: u64) -> Check {
    let detail = format!("{} free in {name}", gibibytes(free_bytes));
    if free_bytes >= bytes_min {
        return Check::good(topic, detail);
    }
    let fix = format!(
        "free some: a run needs {}, or what the setting min_free_disk says",
        gibibytes(bytes_min)
    );
    Check::new(topic, CheckState::Broken, detail).fix(fix).blocking()
}

/// One decimal, rounded down: 0.99 must not read as enough.
fn gibibytes(bytes: u64) -> String {
    const GIBIBYTE: u64 = 1024 * 1024 * 1024;
    format!("{}.{} GiB", bytes / GIBIBYTE, bytes % GIBIBYTE * 10 / GIBIBYTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN: u64 = 1024 * 1024 * 1024;

    #[test]
    fn too_little_room_blocks_and_enough_does_not() {
        let check = |free_bytes: u64, detail: &str, blocks_run: bool| {
            let seen = room("disk", "the project's folder", free_bytes, MIN);
            assert_eq!((seen.detail.as_str(), seen.blocks_run), (detail, blocks_run));
            assert_eq!(seen.fix.is_some(), blocks_run);
        };
        check(0, "0.0 GiB free in the project's folder", true);
        check(MIN - 1, "0.9 GiB free in the project's folder", true);
        check(MIN, "1.0 GiB free in the project's folder", false);
        check(u64::MAX, "17179869183.9 GiB free in the project's folder", false);
    }

    #[test]
    fn a_folder_that_does_not_exist_yet_is_judged_by_where_it_will_lie() {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::with_variables([("HOME", folder.path())]);
        let seen = disk(&machine, folder.path(), 1);
        let states: Vec<_> = seen.iter().map(|check| (check.topic.as_str(), check.state)).collect();
        assert_eq!(states, [("disk", CheckState::Good), ("state", CheckState::Good)]);
        assert!(!folder.path().join(".local").exists());
    }

    #[test]
    fn without_a_home_there_is_no_place_for_a_run() {
        let machine = Machine::with_variables([("PATH", "/bin")]);
        let state = disk(&machine, Path::new("/"), 1).pop().unwrap();
        assert_eq!((state.state, state.blocks_run), (CheckState::Missing, true));
    }
}
