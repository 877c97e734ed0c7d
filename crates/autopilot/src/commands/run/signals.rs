//! Ctrl-C and its kin during a run: the first one ends gracefully after recording, the second one at once. A closed terminal does
//! not end a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use autopilot_core::exit::Exit;
use autopilot_core::run::event::StopRequest;
use autopilot_engine::drive::StopSwitch;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};

use crate::output;

/// Which signal asked for the end, if one did.
#[derive(Debug, Clone, Default)]
pub(super) struct Signals(Arc<AtomicI32>);

impl Signals {
    pub(super) fn seen(&self) -> Option<Exit> {
        match self.0.load(Ordering::SeqCst) {
            0 => None,
            SIGTERM => Some(Exit::Terminated),
            _ => Some(Exit::Interrupted),
        }
    }
}

/// A file that may not grow further is told by the write that meets the limit, in words, and not by sudden death.
pub(super) fn outlive_file_size_limit() {
    // Without the handler a run ends as it would have ended.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

pub(super) fn watch(stop: &Arc<StopSwitch>) -> Signals {
    let seen = Signals::default();
    let handle = seen.clone();
    let stop = Arc::clone(stop);
    let listed = [SIGINT, SIGTERM, SIGQUIT, SIGHUP];
    let Ok(mut signals) = signal_hook::iterator::Signals::new(listed) else { return seen };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGHUP {
                continue;
            }
            if handle.0.swap(signal, Ordering::SeqCst) != 0 {
                output::end_at_once(handle.seen().unwrap_or(Exit::Interrupted));
            }
            output::say_stopping();
            stop.set(StopRequest::Now);
        }
    });
    seen
}
