//! Process groups as a journal records them, and how one is ended after the autopilot that started it is gone. Never ends a
//! stranger: numbers of processes are given out again, so a group is known by when its leader started, since which boot, and
//! by a mark in the environment of everybody the launcher started.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Instant;

use autopilot_core::limits;
use rustix::process::Pid;
#[cfg(target_os = "linux")]
use rustix::process::{PidfdFlags, Signal};

/// The variable that carries the mark of a group.
pub(crate) const GROUP_MARK: &str = "PROCESS_GROUP_MARK";

/// What is written down of a process group before anything runs in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessGroup {
    /// Also the process id of its leader.
    pub id: i32,
    /// When the leader started, in the kernel's ticks since boot; `None` where the kernel does not tell.
    pub start_ticks: Option<u64>,
    /// Ticks begin anew with each boot.
    pub boot_id: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedEnd {
    Ended,
    WasGone,
    /// Somebody has that number now, and it cannot be shown that it is still ours.
    NotOurs,
    /// It was told to die and is still there: it hangs in the kernel.
    Stuck,
}

impl ProcessGroup {
    pub(crate) fn led_by(leader: Pid) -> ProcessGroup {
        let id = leader.as_raw_nonzero().get();
        ProcessGroup {
            id,
            start_ticks: Process::read(id).map(|one| one.start_ticks),
            boot_id: boot_id(),
        }
    }

    pub(crate) fn mark(&self) -> String {
        match self.start_ticks {
            Some(ticks) => format!("{}:{ticks}", self.id),
            None => format!("{}:", self.id),
        }
    }
}

/// Ends what is left of a group that an earlier autopilot recorded, members that left it for a session of their own included.
pub fn end_recorded_group(recorded: &ProcessGroup) -> RecordedEnd {
    let rebooted = recorded.boot_id.is_some() && recorded.boot_id != boot_id();
    if rebooted {
        return RecordedEnd::WasGone;
    }
    if recorded.start_ticks.is_none() {
        return if exists(recorded.id) { RecordedEnd::NotOurs } else { RecordedEnd::WasGone };
    }
    let deadline = Instant::now() + limits::KILL_TIME_MAX;
    let mut has_ended_some = false;
    loop {
        match look(recorded) {
            Left::Nobody if has_ended_some => return RecordedEnd::Ended,
            Left::Nobody => return RecordedEnd::WasGone,
            Left::Stranger if has_ended_some => return RecordedEnd::Ended,
            Left::Stranger => return RecordedEnd::NotOurs,
            Left::Ours(processes) => processes.iter().for_each(kill),
        }
        has_ended_some = true;
        if Instant::now() > deadline {
            return RecordedEnd::Stuck;
        }
        thread::sleep(limits::STRAYS_PAUSE);
    }
}

enum Left {
    Nobody,
    Stranger,
    Ours(Vec<Process>),
}

fn look(recorded: &ProcessGroup) -> Left {
    let everybody = processes();
    let in_group = |one: &&Process| one.group == recorded.id;
    let mark = recorded.mark();
    let is_marked = |one: &&Process| one.variable(GROUP_MARK).as_ref() == Some(&mark);
    let mut ours: Vec<Process> = everybody.iter().filter(is_marked).cloned().collect();
    let leader = everybody.iter().find(|one| one.id == recorded.id);
    let is_same_leader =
        leader.is_some_and(|leader| Some(leader.start_ticks) == recorded.start_ticks);
    // While a group has members its number is not given to a new one, so one member that is ours proves the others.
    let is_same_group = is_same_leader || ours.iter().any(|one| in_group(&one));
    if is_same_group && Some(recorded.id) != own_group() {
        ours.extend(everybody.iter().filter(in_group).cloned());
    }
    if !ours.is_empty() {
        return Left::Ours(ours);
    }
    if everybody.iter().any(|one| in_group(&one)) { Left::Stranger } else { Left::Nobody }
}

/// Whether anybody is in the group. The numbers 0 and 1 mean ourselves and everybody to the kernel.
fn exists(id: i32) -> bool {
    let group = if id > 1 { Pid::from_raw(id) } else { None };
    group.is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
}

/// The kernel is asked for a handle first and the process looked at again: the handle stays with that very process.
#[cfg(target_os = "linux")]
pub(super) fn kill(process: &Process) {
    let Some(pid) = Pid::from_raw(process.id) else { return };
    let Ok(handle) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { return };
    if Process::read(process.id).is_some_and(|now| now.start_ticks == process.start_ticks) {
        let _ = rustix::process::pidfd_send_signal(handle, Signal::KILL);
    }
}

/// Without `/proc` no process was found that could come here.
#[cfg(not(target_os = "linux"))]
pub(super) fn kill(_process: &Process) {}

/// `None` where our group's leader is outside the process namespace: then nobody we can see has its number.
fn own_group() -> Option<i32> {
    let own = i32::try_from(std::process::id()).ok()?;
    Process::read(own).map(|own| own.group)
}

/// One line of the kernel's list, as far as it is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) id: i32,
    group: i32,
    pub(super) start_ticks: u64,
}

impl Process {
    /// `None` for a process that is gone, or dead and not yet reaped.
    pub(super) fn read(id: i32) -> Option<Process> {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name in parentheses may hold anything, also spaces and parentheses.
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let state = fields.first()?;
        if matches!(*state, "Z" | "X") {
            return None;
        }
        // Counted from the state: parent, group, …, start.
        Some(Process {
            id,
            group: fields.get(2)?.parse().ok()?,
            start_ticks: fields.get(19)?.parse().ok()?,
        })
    }

    /// A variable of the environment it was started with, if it is text.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let variables = fs::read(format!("/proc/{}/environ", self.id)).ok()?;
        let value = variables.split(|byte| *byte == 0).find_map(|variable| {
            variable.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="))
        })?;
        String::from_utf8(value.to_vec()).ok()
    }

    /// Who it works for. The folder of a process that changed its rights belongs to root, so that its owner does not tell.
    pub(super) fn user(&self) -> Option<u32> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
        line.split_whitespace().next()?.parse().ok()
    }
}

pub(super) fn processes() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.take(limits::PROCESSES_MAX).filter_map(Process::read).collect()
}

fn boot_id() -> Option<String> {
    let text = fs::read_to_string(Path::new("/proc/sys/kernel/random/boot_id")).ok()?;
    Some(text.trim().to_string())
}
