//! Everybody who descends from a process, and what they have done. A launcher takes orphans in, so that its tree has everybody it
//! started, whatever group or session they went to.
//!
//! The kernel's list is Linux's. Elsewhere the tree is empty and nobody knows its CPU time.

use std::fs;
use std::time::Duration;

use autopilot_core::limits;
use rustix::process::{Pid, Signal};

/// The kernel counts in hundredths of a second towards programs, whatever it counts in itself.
const TICK: Duration = Duration::from_millis(10);

/// CPU time of the whole tree since each of them began, children that have ended included. It may shrink: not everybody waits for
/// their children. `None` where the kernel does not tell.
pub(crate) fn cpu_time(leader: Pid) -> Option<Duration> {
    let ticks: Vec<u64> = members(leader).iter().map(|one| one.ticks).collect();
    let ticks = u32::try_from(ticks.iter().sum::<u64>()).unwrap_or(u32::MAX);
    (ticks > 0 || fs::exists("/proc/self/stat").unwrap_or(false)).then(|| TICK * ticks)
}

/// Wakes those who were stopped, by a signal or because they wanted to read from a terminal.
pub(crate) fn go_on(leader: Pid) {
    for one in members(leader).iter().filter(|one| one.is_stopped) {
        // Gone meanwhile is fine.
        let _ = rustix::process::kill_process(one.id, Signal::CONT);
    }
}

/// Everybody below a process who has not ended.
pub(crate) fn living_below(leader: Pid) -> Vec<Pid> {
    let below = members(leader).into_iter().filter(|one| one.id != leader && !one.is_over);
    below.map(|one| one.id).collect()
}

struct Member {
    id: Pid,
    is_stopped: bool,
    is_over: bool,
    ticks: u64,
}

/// The leader and all below it.
fn members(leader: Pid) -> Vec<Member> {
    let mut found = Vec::new();
    let mut waiting = vec![leader];
    while let Some(id) = waiting.pop() {
        if found.len() >= limits::TREE_PROCESSES_MAX {
            break;
        }
        found.extend(read(id));
        waiting.extend(children(id));
    }
    found
}

fn read(id: Pid) -> Option<Member> {
    let text = fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero())).ok()?;
    // The name in parentheses may hold anything, also spaces and parentheses.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    // Counted from the state: own time in programs and in the kernel, then that of children waited for.
    let ticks = fields.skip(10).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
    let (is_stopped, is_over) = (matches!(state, "T" | "t"), matches!(state, "Z" | "X"));
    Some(Member { id, is_stopped, is_over, ticks })
}

fn children(id: Pid) -> Vec<Pid> {
    let tasks = fs::read_dir(format!("/proc/{}/task", id.as_raw_nonzero()));
    let lists = tasks.into_iter().flatten().flatten();
    let lists = lists.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| ids(&list)).take(limits::TREE_PROCESSES_MAX).collect()
}

fn ids(list: &str) -> Vec<Pid> {
    list.split_whitespace().filter_map(|id| id.parse().ok().and_then(Pid::from_raw)).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Path;
    use std::time::Instant;

    use super::*;
    use crate::process::start_detached;

    fn soon(what: &str, mut holds: impl FnMut() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !holds() {
            assert!(Instant::now() < deadline, "{what} did not come true");
            std::thread::yield_now();
        }
    }

    /// Ends the tree when the test does, however it does.
    struct Tree(Pid);

    impl Drop for Tree {
        fn drop(&mut self) {
            for one in members(self.0) {
                let _ = rustix::process::kill_process(one.id, Signal::KILL);
            }
        }
    }

    fn start(line: &str, folder: &Path) -> Tree {
        let output = File::create(folder.join("output")).unwrap();
        let arguments = ["-c".into(), line.into()];
        let child = start_detached(Path::new("/bin/sh"), &arguments, folder, output).unwrap();
        Tree(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap())
    }

    #[test]
    fn the_time_of_everybody_below_counts_also_in_another_session() {
        let folder = tempfile::tempdir().unwrap();
        let busy = start("setsid sh -c 'while :; do :; done' & wait", folder.path());
        soon("CPU time", || cpu_time(busy.0).unwrap() > Duration::from_millis(200));
        let idle = start("setsid sleep 300 & wait", folder.path());
        soon("both", || members(idle.0).len() == 2);
        assert!(cpu_time(idle.0).unwrap() < Duration::from_millis(200));
    }

    #[test]
    fn whoever_was_stopped_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let tree =
            start("setsid sh -c 'kill -STOP $$; touch went_on; sleep 300' & wait", folder.path());
        soon("a stop", || members(tree.0).iter().any(|one| one.is_stopped));
        assert!(!folder.path().join("went_on").exists());
        go_on(tree.0);
        soon("going on", || folder.path().join("went_on").exists());
        assert!(!members(tree.0).iter().any(|one| one.is_stopped));
    }
}
