//! Ends the agent when the dialogue is over: most end by themselves once their stdin is closed, the others are told to, and then killed.
//! What they leave behind is ended by whoever started us.

use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};

use crate::limits;

/// A child that somebody waits for.
pub(super) struct Leaving {
    pid: Pid,
    exit: Receiver<Option<ExitStatus>>,
}

impl Leaving {
    pub(super) fn of(mut child: Child) -> std::io::Result<Leaving> {
        let pid = Pid::from_child(&child);
        let (tell, exit) = mpsc::channel();
        thread::Builder::new().name("acp-agent".to_string()).spawn(move || {
            let _ = tell.send(child.wait().ok());
        })?;
        Ok(Leaving { pid, exit })
    }

    /// How it ended; `None` where even the last means took too long.
    pub(super) fn end(&self) -> Option<ExitStatus> {
        for signal in [None, Some(Signal::TERM), Some(Signal::KILL)] {
            if let Some(signal) = signal {
                // It was not waited for yet, so the number is still its own.
                let _ = kill_process(self.pid, signal);
            }
            if let Ok(status) = self.exit.recv_timeout(limits::LEAVING_TIME_MAX) {
                return status;
            }
        }
        None
    }
}
