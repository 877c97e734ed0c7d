//! Kills every scenario after every one of its events. STATE-3: it ends as if nothing had happened. Invariant 1: at every point the
//! journal alone leads on.

use autopilot_core::run::state::RunStatus;
use autopilot_testkit::scenario::{self, EVENTS_MAX};
use autopilot_testkit::world::replay::{ending, ending_after_kill, unforeseen};

#[test]
fn killed_after_any_event_a_run_ends_as_if_nothing_had_happened() {
    let mut kills = 0;
    for scenario in scenario::all().unwrap() {
        let whole = scenario.play().unwrap();
        // What is paused stands still; killed and started again it goes on.
        let is_paused = matches!(whole.state.status, RunStatus::Paused(_));
        if scenario.is_interrupted() || is_paused {
            continue;
        }
        let unbroken = ending(&whole.state);
        for kept in 1..=whole.journal.len() {
            let journal = &whole.journal;
            let told = (journal.as_slice(), whole.times.as_slice());
            let ended =
                ending_after_kill(&scenario.script, &scenario.opening, told, kept, EVENTS_MAX);
            let ended = ended.unwrap_or_else(|trouble| {
                panic!("{} killed after {kept}: {trouble}", scenario.place)
            });
            let (place, last) = (&scenario.place, &journal[kept - 1]);
            assert_eq!(ended.as_ref(), Some(&unbroken), "{place} killed after {last:?}");
            kills += 1;
        }
    }
    assert!(kills > 1_000, "only {kills} kills");
}

#[test]
fn at_every_point_the_journal_alone_leads_to_the_event_that_follows() {
    for scenario in scenario::all().unwrap() {
        let played = scenario.play().unwrap();
        assert_eq!(unforeseen(&played.journal, &played.times), None, "{}", scenario.place);
    }
}
