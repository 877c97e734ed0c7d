//! Thousands of runs from fresh seeds. `AUTOPILOT_SEED=7` replays one seed and tells it, `AUTOPILOT_RUNS=20000` plays more of them.

use std::env;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Instant;

use autopilot_testkit::say;
use autopilot_testkit::simulation;
use autopilot_testkit::simulation::tally::Tally;

/// Enough for the rarest row of the table to be reached dozens of times, in a few seconds.
const RUNS: u64 = 2_000;

fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

#[test]
fn whatever_agents_do_the_rules_hold() {
    if let Some(seed) = number("AUTOPILOT_SEED") {
        say(&simulation::account(seed).join("\n"));
        simulation::simulate(seed, &mut Tally::default()).unwrap();
        return;
    }
    // Fresh every time: a fixed seed would find its mistakes once.
    let first = RandomState::new().build_hasher().finish() >> 16;
    let started = Instant::now();
    let tally = match simulation::simulate_many(first, number("AUTOPILOT_RUNS").unwrap_or(RUNS)) {
        Ok(tally) => tally,
        Err(broken) => panic!("{broken}\nreplay it with AUTOPILOT_SEED={}", broken.seed),
    };
    say(&format!("{tally} in {:.1} s, from seed {first}", started.elapsed().as_secs_f64()));
    let unseen: Vec<_> = tally.rows().into_iter().filter(|(_, count)| *count == 0).collect();
    assert!(unseen.is_empty(), "never reached: {unseen:?}");
}
