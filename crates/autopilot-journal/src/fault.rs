//! Points at which a test lets this process die or its disk fail. Every write, sync and rename of this crate passes one before
//! and one after itself; the engine puts more around programs and git.
//!
//! `AUTOPILOT_FAULT=<point>:<nth>:<kill|error>` acts on the nth passing of a point in this process, counted from 1.
//! `AUTOPILOT_FAULT_LOG=FILE` gets the name of each point as it is passed. They are read here and not with the other
//! variables, because a point must work in every crate and before any setting was read.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

const FAULT: &str = "AUTOPILOT_FAULT";
const FAULT_LOG: &str = "AUTOPILOT_FAULT_LOG";

/// Passes a point. Without the two variables this is one atomic load.
pub fn point(name: &str) -> io::Result<()> {
    static DRILL: OnceLock<Option<Drill>> = OnceLock::new();
    match DRILL.get_or_init(Drill::of_this_process) {
        None => Ok(()),
        Some(drill) => drill.pass(name),
    }
}

/// What the variables ask for. A variable that is not understood fails every point: a test with a typing mistake in it must
/// not pass as if nothing had been asked.
struct Drill {
    fault: Result<Option<Fault>, String>,
    log: Result<Option<Mutex<File>>, String>,
}

struct Fault {
    point: String,
    nth: u64,
    action: Action,
    passed: AtomicU64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Kill,
    Error,
}

impl Drill {
    fn of_this_process() -> Option<Drill> {
        let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let (fault, log) = (set(FAULT), set(FAULT_LOG));
        if fault.is_none() && log.is_none() {
            return None;
        }
        let open = |path: String| {
            let file = OpenOptions::new().append(true).create(true).open(&path);
            file.map(Mutex::new).map_err(|error| format!("{FAULT_LOG} {path}: {error}"))
        };
        let log = log.map(open).transpose();
        Some(Drill { fault: fault.map(|text| Fault::read(&text)).transpose(), log })
    }

    fn pass(&self, name: &str) -> io::Result<()> {
        if let Some(log) = self.log.as_ref().map_err(|why| io::Error::other(why.clone()))? {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.write_all(format!("{name}\n").as_bytes())?;
        }
        let fault = self.fault.as_ref().map_err(|why| io::Error::other(why.clone()))?.as_ref();
        match fault.and_then(|fault| fault.due(name)) {
            None => Ok(()),
            Some(Action::Error) => Err(io::Error::other(format!("injected at {name}"))),
            Some(Action::Kill) => {
                let this = rustix::process::getpid();
                rustix::process::kill_process(this, rustix::process::Signal::KILL)?;
                Err(io::Error::other(format!("outlived the kill at {name}")))
            }
        }
    }
}

impl Fault {
    fn read(text: &str) -> Result<Fault, String> {
        let wrong = || format!("{FAULT}={text} is not <point>:<nth>:<kill|error>");
        let mut parts = text.split(':');
        let (Some(point), Some(nth), Some(action), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong());
        };
        let action = match action {
            "kill" => Action::Kill,
            "error" => Action::Error,
            _ => return Err(wrong()),
        };
        let nth = nth.parse().ok().filter(|nth| *nth > 0).ok_or_else(wrong)?;
        Ok(Fault { point: point.into(), nth, action, passed: AtomicU64::new(0) })
    }

    fn due(&self, name: &str) -> Option<Action> {
        if name != self.point {
            return None;
        }
        let passed = self.passed.fetch_add(1, Ordering::Relaxed) + 1;
        (passed == self.nth).then_some(self.action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_comes_at_its_passing_and_only_there() {
        let fault = Fault::read("journal.sync.before:2:error").unwrap();
        let names = ["journal.sync.before", "other", "journal.sync.before", "journal.sync.before"];
        let due = names.map(|name| fault.due(name));
        assert_eq!(due, [None, None, Some(Action::Error), None]);
    }

    #[test]
    fn a_variable_that_is_not_understood_fails_every_point() {
        for text in ["a", "a:1", "a:1:stop", "a:0:kill", "a:x:kill", "a:1:kill:2", ":"] {
            assert!(Fault::read(text).is_err(), "{text}");
        }
        let drill = Drill { fault: Err("not understood".into()), log: Ok(None) };
        assert_eq!(drill.pass("a").unwrap_err().to_string(), "not understood");
    }
}
