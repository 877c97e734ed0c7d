//! Ctrl-C and its kin while a draft is made: noted, so that the agent is ended and what was drafted is told of. Nothing is half written: files
//! are only made after the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use autopilot_core::exit::Exit;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

#[derive(Debug, Clone, Default)]
pub(super) struct Interrupt(Arc<AtomicI32>);

impl Interrupt {
    pub(super) fn watch() -> Interrupt {
        let interrupt = Interrupt::default();
        let noted = interrupt.clone();
        let listed = [SIGINT, SIGTERM, SIGQUIT, SIGHUP];
        // Without it a signal ends the program as it would any other, and the launcher ends the agent.
        let Ok(mut signals) = signal_hook::iterator::Signals::new(listed) else { return interrupt };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                noted.0.store(signal, Ordering::SeqCst);
            }
        });
        interrupt
    }

    pub(super) fn seen(&self) -> Option<Exit> {
        match self.0.load(Ordering::SeqCst) {
            0 => None,
            SIGTERM | SIGHUP => Some(Exit::Terminated),
            _ => Some(Exit::Interrupted),
        }
    }
}
