//! A process group that runs now: the list of them, and how each is ended. Groups of earlier processes are `recorded`'s.

use std::collections::BTreeMap;
use std::io;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use crate::launcher;

/// A process group whose leader is our child. The leader is not reaped while this lives: as a zombie it keeps the group's id
/// from being given to somebody else, so a signal cannot hit a stranger.
pub(super) struct Group {
    leader: Pid,
    led_by: LedBy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LedBy {
    Program,
    /// It also ends those who left the group, so it is asked before it is killed.
    Launcher,
}

impl Group {
    pub(super) fn of(child: &Child, led_by: LedBy) -> Self {
        let leader = Pid::from_child(child);
        running().insert(leader.as_raw_nonzero().get(), led_by);
        Group { leader, led_by }
    }

    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    pub(super) fn led_by(&self) -> LedBy {
        self.led_by
    }

    /// Calls back when the leader has exited. The kernel offers no wait with a timeout, so a thread waits.
    pub(super) fn watch(&self, exited: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let leader = self.leader;
        thread::Builder::new().name("autopilot-wait".into()).spawn(move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(rustix::process::waitid(WaitId::Pid(leader), options), Err(Errno::INTR))
            {
            }
            exited();
        })?;
        Ok(())
    }

    pub(super) fn signal(&self, signal: Signal) {
        // It fails only when nobody is left in the group, which is what the signal is for.
        let _ = rustix::process::kill_process_group(self.leader, signal);
    }

    /// Asks the launcher to end everything it started, at once.
    pub(super) fn ask_launcher(&self) {
        let _ = rustix::process::kill_process(self.leader, launcher::END_NOW);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        running().remove(&self.leader.as_raw_nonzero().get());
    }
}

/// Ends every group that runs in any thread.
pub(super) fn end_all() {
    for (id, led_by) in running().iter() {
        let Some(leader) = Pid::from_raw(*id) else { continue };
        // One that ended meanwhile is what was wanted; its id is still taken because it is not reaped while listed.
        let _ = match led_by {
            LedBy::Program => rustix::process::kill_process_group(leader, Signal::KILL),
            LedBy::Launcher => rustix::process::kill_process(leader, launcher::END_NOW),
        };
    }
}

/// The groups that run now.
pub(super) fn running() -> MutexGuard<'static, BTreeMap<i32, LedBy>> {
    static RUNNING: Mutex<BTreeMap<i32, LedBy>> = Mutex::new(BTreeMap::new());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
