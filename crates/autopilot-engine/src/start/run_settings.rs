//! What a run follows of flags, settings and the project's config, as one value; and what of it a resume takes anew.

use autopilot_core::config::Config;
use autopilot_core::limits;
use autopilot_core::run::cost_cap::CostCap;
use autopilot_core::run::definition::{Caps, Depth, RunSettings, Runner};
use autopilot_core::score::Score;
use autopilot_core::settings::{self, Settings};

use super::Wish;

/// Caps are the one thing a resumed run takes from the settings as they are now: raising one is how a run that reached it goes on.
pub(super) fn caps(before: &RunSettings, now: &RunSettings) -> Option<Caps> {
    let mut caps = now.caps();
    if before.has_own_tokens_max && !now.has_own_tokens_max {
        caps.run_tokens_max = before.run_tokens_max;
    }
    caps.run_cost_max = CostCap::at_resume(before.run_cost_max, now.run_cost_max);
    (caps != before.caps()).then_some(caps)
}

pub(super) fn run_settings(config: &Config, settings: &Settings, wish: &Wish) -> RunSettings {
    let breaker = &config.breaker;
    let tenths = match (wish.request.flags.quality, wish.flags.lenient) {
        (true, _) => 95,
        (false, true) => 70,
        (false, false) => 90,
    };
    let minutes = |count: u64| count.saturating_mul(60_000);
    RunSettings {
        threshold: Score::from_tenths(tenths).unwrap_or(Score::FULL),
        depth: match settings.depth {
            settings::Depth::Auto => Depth::Auto,
            settings::Depth::Lean => Depth::Lean,
            settings::Depth::Full => Depth::Full,
        },
        runner: match settings.runner {
            settings::Runner::Steps => Runner::Steps,
            settings::Runner::Delegate => Runner::Delegate,
        },
        has_research: config.has_research,
        remediation_cycles_max: if wish.flags.lenient { 0 } else { limits::REMEDIATION_CYCLES_MAX },
        debug_attempts_max: breaker.debug_attempts_max,
        replan_attempts_max: breaker.replan_attempts_max,
        phase_tokens_max: breaker.phase_tokens_max,
        run_tokens_max: settings.tokens_max.unwrap_or(breaker.run_tokens_max),
        has_own_tokens_max: wish.settings.contains_key("max_tokens"),
        run_cost_max: settings.usd_micros_max.map(|usd_micros| CostCap {
            usd_micros,
            is_typed: wish.settings.contains_key("max_cost"),
        }),
        phase_time_max_ms: minutes(breaker.phase_minutes_max),
        run_time_max_ms: minutes(breaker.run_minutes_max),
        retries_max: breaker.retries_max,
        no_progress_max: breaker.no_progress_max,
        same_error_max: breaker.same_error_max,
        cooldown_ms: minutes(breaker.cooldown_minutes),
        step_time_max_ms: minutes(settings.step_minutes),
        check_time_max_ms: minutes(settings.check_minutes),
        stall_time_max_ms: settings.stall_seconds.saturating_mul(1_000),
        phase_time_min_ms: settings.min_phase_seconds.saturating_mul(1_000),
        verifier_time_min_ms: settings.min_verify_seconds.saturating_mul(1_000),
        allows_unproven: wish.flags.allows_unproven,
        accepts_red: wish.flags.accepts_red,
        accepts_judged: wish.flags.accepts_judged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resumed_run_takes_the_caps_as_they_are_now_but_keeps_a_number_that_was_typed() {
        let (settings, _) = settings::settle(&[]);
        let before = run_settings(&Config::default(), &settings, &Wish::default());
        assert_eq!(caps(&before, &before), None);
        let now = RunSettings { run_tokens_max: 9, retries_max: 20, ..before.clone() };
        assert_eq!(caps(&before, &now), Some(now.caps()));
        let typed = RunSettings { has_own_tokens_max: true, ..before.clone() };
        let kept = Caps { run_tokens_max: before.run_tokens_max, ..now.caps() };
        assert_eq!(caps(&typed, &now), Some(kept));
    }

    #[test]
    fn what_a_run_may_cost_is_kept_where_it_was_typed_and_read_anew_where_it_was_set() {
        let of = |usd: u64, word: &str| {
            let wish_settings = [(word.to_string(), serde_json::Value::from(usd))];
            let wish = Wish { settings: wish_settings.into_iter().collect(), ..Wish::default() };
            let (settings, _) = settings::settle(&[settings::Layer {
                source: String::new(),
                values: serde_json::json!({ "max_cost": usd }),
                is_checked: false,
            }]);
            run_settings(&Config::default(), &settings, &wish)
        };
        let (set, typed) = (of(5, "jobs"), of(5, "max_cost"));
        let cap = |is_typed: bool| Some(CostCap { usd_micros: 5_000_000, is_typed });
        assert_eq!((set.run_cost_max, typed.run_cost_max), (cap(false), cap(true)));
        assert_eq!(caps(&set, &of(9, "jobs")), Some(of(9, "jobs").caps()));
        assert_eq!(caps(&typed, &of(9, "jobs")), None);
        assert_eq!(caps(&typed, &of(9, "max_cost")), Some(of(9, "max_cost").caps()));
    }
}
