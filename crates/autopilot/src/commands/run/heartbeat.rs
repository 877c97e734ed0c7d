//! When somebody who watches a run is told that it still lives (PROG-1), though nothing has happened.

use autopilot_core::run::ids::Moment;

/// The first time soon: who has just started something wants to see that it works, and on what.
const FIRST_MS: u64 = 5_000;
/// PROG-1 asks for a sign of life at least every 60 seconds.
const EVERY_MS: u64 = 30_000;

pub(super) struct Heartbeat {
    last_line_at: Option<Moment>,
    has_beaten: bool,
}

impl Heartbeat {
    pub(super) fn new() -> Heartbeat {
        Heartbeat { last_line_at: None, has_beaten: false }
    }

    /// A line was printed anyway.
    pub(super) fn said_something(&mut self, now: Moment) {
        self.last_line_at = Some(now);
    }

    /// Whether a sign of life is due; it is given then.
    pub(super) fn beats(&mut self, now: Moment) -> bool {
        let quiet = now.milliseconds_since(*self.last_line_at.get_or_insert(now));
        let is_due = quiet >= if self.has_beaten { EVERY_MS } else { FIRST_MS };
        if is_due {
            self.has_beaten = true;
            self.last_line_at = Some(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seconds at which a sign of life is given, of those at which one could be.
    fn beats(heartbeat: &mut Heartbeat, seconds: std::ops::Range<u64>) -> Vec<u64> {
        seconds.filter(|second| heartbeat.beats(Moment(1_000_000 + second * 1_000))).collect()
    }

    #[test]
    fn the_first_comes_soon_and_the_others_twice_a_minute() {
        let mut heartbeat = Heartbeat::new();
        assert_eq!(beats(&mut heartbeat, 0..100), [5, 35, 65, 95]);
    }

    #[test]
    fn none_comes_while_other_lines_do() {
        let mut heartbeat = Heartbeat::new();
        assert!(beats(&mut heartbeat, 0..4).is_empty());
        heartbeat.said_something(Moment(1_004_000));
        assert_eq!(beats(&mut heartbeat, 4..40), [9, 39]);
        heartbeat.said_something(Moment(1_050_000));
        assert_eq!(beats(&mut heartbeat, 50..90), [80]);
    }
}
