//! Which cap is used up first, what is left of it, and what people are told.

use super::*;
use crate::run::checks::fixture::Scene;
use crate::run::cost_cap::CostCap;
use crate::run::event::Spend;

/// Room enough of everything but money.
fn scene(usd_micros_max: Option<u64>, spend: Spend) -> Scene {
    let mut scene = Scene::new();
    let settings = &mut scene.run.definition.settings;
    settings.run_tokens_max = 1_000;
    settings.phase_tokens_max = 100;
    settings.run_cost_max =
        usd_micros_max.map(|usd_micros| CostCap { usd_micros, is_typed: false });
    scene.run.spend = spend;
    scene
}

fn cost(usd_micros: u64) -> Spend {
    Spend { usd_micros: Some(usd_micros), ..Spend::default() }
}

#[test]
fn a_run_may_cost_no_more_than_its_cap_and_without_one_whatever_it_takes() {
    let reached = |max: Option<u64>, spend: Spend| super::reached(scene(max, spend).at());
    let used_up = |used: u64, is_estimate: bool| {
        Some(Reached { cap: Cap::RunCost, used, max: 500, is_estimate })
    };
    assert_eq!(reached(Some(500), cost(499)), None);
    assert_eq!(reached(Some(500), cost(500)), used_up(500, false));
    assert_eq!(reached(Some(500), cost(501)), used_up(501, false));
    let guessed = Spend { is_estimate: true, ..cost(501) };
    assert_eq!(reached(Some(500), guessed), used_up(501, true));
    assert_eq!(reached(Some(500), Spend::default()), None, "nothing was spent");
    assert_eq!(reached(None, cost(u64::MAX)), None);
}

#[test]
fn what_an_agent_may_cost_is_what_is_left_of_the_run() {
    let left = |max: Option<u64>, spend: Spend| super::left(scene(max, spend).at()).usd_micros;
    assert_eq!(left(Some(500), Spend::default()), Some(500));
    assert_eq!(left(Some(500), cost(499)), Some(1));
    assert_eq!(left(Some(500), cost(501)), Some(0));
    assert_eq!(left(None, cost(499)), None);
}

#[test]
fn a_cap_of_the_run_in_money_comes_before_one_of_the_phase() {
    let mut scene = scene(Some(500), cost(500));
    scene.work.spend.input = 100;
    let cap = |scene: &Scene| super::reached(scene.at()).map(|reached| reached.cap);
    assert_eq!(cap(&scene), Some(Cap::RunCost));
    scene.run.definition.settings.run_cost_max = None;
    assert_eq!(cap(&scene), Some(Cap::PhaseTokens));
}

#[test]
fn a_cap_says_what_was_used_and_how_it_is_raised() {
    let check = |cap: Cap, used: u64, max: u64, expected: &str| {
        assert_eq!(words(&Reached { cap, used, max, is_estimate: false }), expected);
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
    check(
        Cap::RunCost,
        5_020_000,
        5_000_000,
        "the run has used up what it may cost: $5.02 of $5.00; go on with more: autopilot resume --max-cost USD",
    );
    let guessed = Reached { cap: Cap::RunCost, used: 30_000, max: 9_000, is_estimate: true };
    assert_eq!(
        words(&guessed),
        "the run has used up what it may cost: $0.03 of $0.009000, partly estimated; go on with more: autopilot resume --max-cost USD"
    );
}
