//! What an ending without an answer is in the journal. A limit that tells its end only in words is read here, where it is known what
//! time it is.

use autopilot_agents::ending::{Ending, How, Resets};
use autopilot_agents::reset_time;
use autopilot_agents::zones::Zones;
use autopilot_core::run::event::Failure;
use autopilot_core::run::ids::Moment;

pub(crate) fn failure(ending: Ending, now: Moment) -> Failure {
    match ending {
        Ending::Answered { .. } => Failure::ContractBroken { breaches: Vec::new() },
        Ending::LimitReached { resets } => {
            let zones = Zones::of_this_machine();
            let at = resets_at(&resets, now, &zones);
            Failure::LimitReached { resets_at: at.map(|at| at.saturating_mul(1_000)) }
        }
        Ending::Overloaded => Failure::Overloaded { unreachable: String::new() },
        Ending::Unreachable { said } => Failure::Overloaded { unreachable: said },
        Ending::Refused { why } => Failure::Refused { why },
        Ending::NotLoggedIn => Failure::NotLoggedIn { said: String::new() },
        Ending::LoginRefused { said } => Failure::NotLoggedIn { said },
        Ending::TimedOut => Failure::TimedOut,
        Ending::Stalled => Failure::Stalled,
        Ending::Crashed { exit: How::TooMuchOutput, .. } => Failure::TooMuchOutput,
        Ending::Crashed { said, .. } => Failure::Crashed { said },
        Ending::Cancelled => Failure::Crashed { said: "it was cancelled".to_string() },
        Ending::AllowanceUsed => Failure::AllowanceUsed,
    }
}

/// In seconds since 1970.
fn resets_at(resets: &Resets, now: Moment, zones: &Zones) -> Option<u64> {
    match resets {
        Resets::At(at) => Some(*at),
        Resets::Words(words) => reset_time::read(words, now.0 / 1_000, zones),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_believed_and_words_are_read_by_the_clock() {
        let zones = Zones::of_this_machine();
        // 2026-11-16 at noon, UTC.
        let now = Moment(1_794_830_400_000);
        let check = |resets: Resets, expected: Option<u64>| {
            assert_eq!(resets_at(&resets, now, &zones), expected, "{resets:?}");
        };
        check(Resets::At(7), Some(7));
        let words = |text: &str| Resets::Words(text.to_string());
        check(words("You've hit your 5-hour limit · resets 3:30pm (UTC)"), Some(1_794_843_000));
        check(words("You've hit your usage limit. Try again in 2 hours."), Some(1_794_837_600));
        check(words("API Error: Request rejected (429)"), None);
        check(words(""), None);
    }
}
