//! What a phase and a run may use: tokens, running time, retries, and for the run money (CB-1, BUD-1). Asked before an agent is
//! started, and when one was cut off; what follows from a cap that is used up is `pipeline`'s.

use crate::money;
use crate::run::outcome::{Cap, Reached};
use crate::run::pipeline::At;
use crate::run::words::{seconds, thousands};

/// What an agent that is started now may use at most.
pub(super) struct Left {
    pub tokens: u64,
    pub time_ms: u64,
    /// None where the run has no cap in money.
    pub usd_micros: Option<u64>,
}

/// The first cap that is used up. Those of the run come first: a phase need not fail for what the run has spent.
pub(super) fn reached(at: At<'_>) -> Option<Reached> {
    let used_up = cost(at).into_iter().chain(caps(at)).find(|one| one.used >= one.max);
    let retries = Reached {
        cap: Cap::RunRetries,
        used: at.run.retries.into(),
        max: at.run.definition.settings.retries_max.into(),
        is_estimate: false,
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
        usd_micros: cost(at).map(|one| one.max.saturating_sub(one.used)),
    }
}

fn caps(at: At<'_>) -> [Reached; 4] {
    let At { run, work, now, .. } = at;
    let settings = &run.definition.settings;
    let running_ms = run.running_ms(now);
    let phase_ms = running_ms.saturating_sub(work.began_ms);
    let cap = |cap: Cap, used: u64, max: u64| Reached { cap, used, max, is_estimate: false };
    [
        cap(Cap::RunTokens, run.spend.counted_tokens(), settings.run_tokens_max),
        cap(Cap::RunTime, running_ms, settings.run_time_max_ms),
        cap(Cap::PhaseTokens, work.spend.counted_tokens(), settings.phase_tokens_max),
        cap(Cap::PhaseTime, phase_ms, settings.phase_time_max_ms),
    ]
}

/// What the run has cost so far: told, or estimated where nobody told it.
fn cost(At { run, .. }: At<'_>) -> Option<Reached> {
    let cap = run.definition.settings.run_cost_max?;
    Some(Reached {
        cap: Cap::RunCost,
        used: run.spend.usd_micros.unwrap_or_default(),
        max: cap.usd_micros,
        is_estimate: run.spend.is_estimate,
    })
}

/// What is used up, and how to raise it.
pub fn words(reached: &Reached) -> String {
    let Reached { cap, used, max, is_estimate } = *reached;
    let phase = |amount: String, key: &str| {
        format!("the phase has used {amount}; {} and run the phase again", raise(key))
    };
    let run = |amount: String, key: &str| {
        format!("the run has used {amount}; {} and go on with autopilot resume", raise(key))
    };
    match cap {
        Cap::PhaseTokens => phase(tokens(used, max), "cost_cap_tokens_per_phase"),
        Cap::PhaseTime => phase(time(used, max), "wall_clock_timeout_minutes_per_phase"),
        Cap::RunTokens => run(tokens(used, max), "cost_cap_tokens_total"),
        Cap::RunTime => run(time(used, max), "wall_clock_timeout_minutes_total"),
        Cap::RunRetries => run(format!("all its {max} retries"), "max_total_retries_per_run"),
        // Typed anew it counts in any case; a setting would not, where the number was typed at the start.
        Cap::RunCost => format!(
            "the run has used up what it may cost: {} of {}{}; go on with more: autopilot resume --max-cost USD",
            money::words(used),
            money::words(max),
            if is_estimate { ", partly estimated" } else { "" }
        ),
    }
}

fn raise(key: &str) -> String {
    format!("raise circuit_breaker_config.{key} in .planning/config.json")
}

fn tokens(used: u64, max: u64) -> String {
    format!("{} of its {} tokens", thousands(used), thousands(max))
}

fn time(used: u64, max: u64) -> String {
    format!("{} of its {}", seconds(used), seconds(max))
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
