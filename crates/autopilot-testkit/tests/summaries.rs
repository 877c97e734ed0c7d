//! What is kept of a phase that is over: all that is told of it, and nothing that only decisions needed.

use std::collections::BTreeMap;

use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::apply;
use autopilot_core::run::event::Event;
use autopilot_core::run::work_summary::WorkSummary;
use autopilot_testkit::scenario;

const RUN: &str = "# A-1: x
given roadmap: 1 login; 2 billing; 3 mail. depth full
happens 1 rated 8.2; 1 rated 9.3; 3 judge has a minor concern
expect exit 0
";

#[test]
fn a_phase_is_told_the_same_before_and_after_its_facts_are_let_go() {
    let scenarios = scenario::read("here", RUN).unwrap();
    let played = scenarios[0].play().unwrap();
    let mut state = None;
    let mut at_its_end: BTreeMap<PhaseId, WorkSummary> = BTreeMap::new();
    for (event, at) in played.journal.iter().zip(&played.times) {
        let after = apply(state, event, *at).unwrap();
        if let Event::PhaseCompleted { phase, .. } = event {
            let ended = after.phase(phase).unwrap();
            assert!(ended.work.is_some(), "whoever hears of the end still sees the facts");
            at_its_end.insert(phase.clone(), ended.work_summary().unwrap().into_owned());
        }
        state = Some(after);
    }
    let state = state.unwrap();
    assert_eq!(at_its_end.len(), 3);
    for phase in &state.phases {
        assert_eq!(phase.work_summary().as_deref(), at_its_end.get(&phase.definition.id));
    }
    let with_facts = state.phases.iter().filter(|phase| phase.work.is_some());
    assert_eq!(with_facts.count(), 1, "of all but the last only the summary is left");
}
