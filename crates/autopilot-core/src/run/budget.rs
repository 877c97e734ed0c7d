//! What a phase and a run may use: tokens, running time, retries (CB-1, BUD-1). Asked before an agent is started, and when one was
//! cut off; what follows from a cap that is used up is `pipeline`'s.

use crate::run::outcome::{Cap, Reached};
use crate::run::pipeline::At;
use crate::run::words::{seconds, thousands};

/// What an agent that is started now may use at most.
pub(super) struct Left {
    pub tokens: u64,
    pub time_ms: u64,
}

/// The first cap that is used up. Those of the run come first: a phase need not fail for what the run has spent.
pub(super) fn reached(at: At<'_>) -> Option<Reached> {
    let used_up = caps(at).into_iter().find(|one| one.used >= one.max);
    let retries = Reached {
        cap: Cap::RunRetries,
        used: at.run.retries.into(),
        max: at.run.definition.settings.retries_max.into(),
    };
    // The last retry that is allowed is counted already when its agent is asked for.
    used_up.or_else(|| (retries.used > retries.max).then_some(retries))
}

pub(super) fn left(at: At<'_>) -> Left {
    let least = |tokens: Cap, time: Cap| {
        let of = |one: &&Reached| one.cap == tokens || one.cap == time;
        let caps = caps(at);
        caps.iter().filter(of).map(|one| one.max.saturating_sub(one.used)).min().unwrap_or_default()
    };
    Left {
        tokens: least(Cap::RunTokens, Cap::PhaseTokens),
        time_ms: least(Cap::RunTime, Cap::PhaseTime),
    }
}

fn caps(at: At<'_>) -> [Reached; 4] {
    let At { run, work, now, .. } = at;
    let settings = &run.definition.settings;
    let running_ms = run.running_ms(now);
    let phase_ms = running_ms.saturating_sub(work.began_ms);
    let cap = |cap: Cap, used: u64, max: u64| Reached { cap, used, max };
    [
        cap(Cap::RunTokens, run.spend.counted_tokens(), settings.run_tokens_max),
        cap(Cap::RunTime, running_ms, settings.run_time_max_ms),
        cap(Cap::PhaseTokens, work.spend.counted_tokens(), settings.phase_tokens_max),
        cap(Cap::PhaseTime, phase_ms, settings.phase_time_max_ms),
    ]
}

/// What is used up, and how to raise it.
pub fn words(reached: &Reached) -> String {
    let Reached { cap, used, max } = *reached;
    let (whose, amount, key) = match cap {
        Cap::PhaseTokens => ("the phase", tokens(used, max), "cost_cap_tokens_per_phase"),
        Cap::PhaseTime => ("the phase", time(used, max), "wall_clock_timeout_minutes_per_phase"),
        Cap::RunTokens => ("the run", tokens(used, max), "cost_cap_tokens_total"),
        Cap::RunTime => ("the run", time(used, max), "wall_clock_timeout_minutes_total"),
        Cap::RunRetries => {
            ("the run", format!("all its {max} retries"), "max_total_retries_per_run")
        }
    };
    let again = match cap {
        Cap::PhaseTokens | Cap::PhaseTime => "run the phase again",
        Cap::RunTokens | Cap::RunTime | Cap::RunRetries => "go on with autopilot resume",
    };
    format!(
        "{whose} has used {amount}; raise circuit_breaker_config.{key} in .planning/config.json and {again}"
    )
}

fn tokens(used: u64, max: u64) -> String {
    format!("{} of its {} tokens", thousands(used), thousands(max))
}

fn time(used: u64, max: u64) -> String {
    format!("{} of its {}", seconds(used), seconds(max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_says_what_was_used_and_which_setting_raises_it() {
        let check = |cap: Cap, used: u64, max: u64, expected: &str| {
            assert_eq!(words(&Reached { cap, used, max }), expected);
        };
        check(
            Cap::PhaseTokens,
            501_200,
            500_000,
            "the phase has used 501k of its 500k tokens; raise circuit_breaker_config.cost_cap_tokens_per_phase in .planning/config.json and run the phase again",
        );
        check(
            Cap::RunTime,
            86_400_000,
            86_400_000,
            "the run has used 24 h 0 min of its 24 h 0 min; raise circuit_breaker_config.wall_clock_timeout_minutes_total in .planning/config.json and go on with autopilot resume",
        );
        check(
            Cap::RunRetries,
            11,
            10,
            "the run has used all its 10 retries; raise circuit_breaker_config.max_total_retries_per_run in .planning/config.json and go on with autopilot resume",
        );
    }
}
