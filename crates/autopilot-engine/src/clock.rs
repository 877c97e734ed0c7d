//! The one place that reads the time of day and lets it pass. Everything else gets moments handed to it, so that a run can be told again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use autopilot_core::run::ids::Moment;

/// Tells the moment; injected, so that tests need no real one.
pub trait Clock: Send + Sync {
    fn now(&self) -> Moment;
    /// Lets that much time pass.
    fn pause(&self, time: Duration);
}

/// The machine's wall clock. Set back by somebody, it stands still until it has caught up: a journal's moments never go
/// backwards within one process.
#[derive(Debug, Default)]
pub struct WallClock {
    latest_ms: AtomicU64,
}

impl Clock for WallClock {
    fn now(&self) -> Moment {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        Moment(self.latest_ms.fetch_max(now, Ordering::Relaxed).max(now))
    }

    fn pause(&self, time: Duration) {
        thread::sleep(time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_never_goes_backwards() {
        let clock = WallClock::default();
        clock.latest_ms.store(u64::MAX - 5, Ordering::Relaxed);
        assert_eq!(clock.now(), Moment(u64::MAX - 5));
    }
}
