//! An agent that shows no sign of life for a while: what is on record about it and what people are told. Whether a process lives is
//! judged by whoever watches it; a run decides nothing on it before the attempt has ended.

use serde::{Deserialize, Serialize};

use crate::run::ids::{AttemptId, Moment};
use crate::run::state::{InFlight, RunState};
use crate::run::words::{Tone, seconds};

/// What was noticed and done. The end itself is the end of the attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Quiet {
    /// No sign of life for so long; after so long in all it is ended.
    Noticed { silent_ms: u64, ends_after_ms: u64 },
    /// The same, and its processes were told to go on.
    Nudged { silent_ms: u64, ends_after_ms: u64 },
    /// It goes on.
    Over,
}

/// An attempt that is quiet now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietSince {
    pub since: Moment,
    pub ends_after_ms: u64,
}

impl Quiet {
    pub(super) fn since(self, at: Moment) -> Option<QuietSince> {
        match self {
            Quiet::Noticed { silent_ms, ends_after_ms }
            | Quiet::Nudged { silent_ms, ends_after_ms } => {
                let since = Moment(at.0.saturating_sub(silent_ms));
                Some(QuietSince { since, ends_after_ms })
            }
            Quiet::Over => None,
        }
    }

    pub(super) fn words(self) -> (Tone, String) {
        match self {
            Quiet::Noticed { silent_ms, ends_after_ms } => {
                (Tone::Warning, quiet_words(silent_ms, ends_after_ms))
            }
            Quiet::Nudged { silent_ms, ends_after_ms } => {
                let words = quiet_words(silent_ms, ends_after_ms);
                (Tone::Warning, format!("{words}; its processes were told to go on"))
            }
            Quiet::Over => (Tone::Plain, "it shows signs of life again".to_string()),
        }
    }
}

impl QuietSince {
    /// For somebody who asks what a run is doing.
    pub fn words(&self, now: Moment) -> String {
        quiet_words(now.milliseconds_since(self.since), self.ends_after_ms)
    }
}

fn quiet_words(silent_ms: u64, ends_after_ms: u64) -> String {
    format!("no sign of life for {}; ended after {}", seconds(silent_ms), seconds(ends_after_ms))
}

/// Only an attempt with a process can be quiet.
pub(super) fn note(
    state: &mut RunState,
    attempt: AttemptId,
    quiet: Quiet,
    at: Moment,
) -> Result<(), String> {
    let has_process = |one: &&mut InFlight| one.attempt == attempt && one.group.is_some();
    let under_way = state.in_flight.as_mut().filter(has_process);
    let under_way = under_way.ok_or("nothing runs that could be quiet")?;
    under_way.quiet = quiet.since(at);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_later_is_told_how_long_it_is_by_then() {
        let noticed = Quiet::Noticed { silent_ms: 240_000, ends_after_ms: 600_000 };
        let quiet = noticed.since(Moment(1_000_000)).unwrap();
        assert_eq!(
            quiet.words(Moment(1_065_000)),
            "no sign of life for 5 min 5 s; ended after 10 min 0 s"
        );
        assert_eq!(Quiet::Over.since(Moment(1)), None);
    }
}
