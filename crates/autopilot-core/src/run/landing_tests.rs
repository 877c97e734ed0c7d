//! Claims about what may be asked of a run's work, and when.

use super::*;
use crate::run::apply;
use crate::run::ids::{AttemptId, Moment};
use crate::run::next;
use crate::run::story;

const NOW: Moment = Moment(1_800_000_000_000);

fn told(state: RunState, event: &Event) -> RunState {
    apply(Some(state), event, NOW).unwrap()
}

fn why(state: &RunState, event: &Event) -> String {
    apply(Some(state.clone()), event, NOW).unwrap_err().why
}

fn merge() -> Event {
    Event::MergeRequested { when: MergeTime::Now }
}

fn rollback(phases: &[u32]) -> Event {
    let phases = phases.iter().map(|number| PhaseId::number(*number)).collect();
    Event::RollbackInitiated { phases, onto: None }
}

/// The first two phases of the story failed and were blocked; the third passed.
#[test]
fn a_run_that_is_over_is_merged_when_somebody_asks_and_does_nothing_else() {
    let mut state = story::told().state;
    assert_eq!(why(&state, &merge()), "there is nothing to merge", "HEAD stood on no branch");
    state.definition.user_branch = Some("main".to_string());
    assert_eq!(next(&state, NOW), Move::Done);
    let state = told(state, &merge());
    let Move::Start(Effect::MergeRun(order)) = next(&state, NOW) else { panic!("no order") };
    assert_eq!((order.branch.as_str(), &order.from), ("main", &state.definition.base));
    assert_eq!(Some(&order.to), state.branch.as_ref().map(|branch| &branch.head));
    let attempt = AttemptId(state.attempts + 1);
    let report = Event::StepStarted { attempt, effect: Effect::Report };
    assert_eq!(why(&state, &report), "the run is over");
    let to = order.to.clone();
    let state = told(state, &Event::StepStarted { attempt, effect: Effect::MergeRun(order) });
    assert_eq!(why(&state, &merge()), "an attempt is under way");
    let merged = |commit: &Commit| Event::RunMerged {
        attempt,
        branch: "main".to_string(),
        commit: commit.clone(),
    };
    assert_eq!(why(&state, &merged(&state.definition.base)), "another commit was to be merged");
    let state = told(state, &merged(&to));
    assert_eq!(next(&state, NOW), Move::Done);
    assert!(state.landing.has_landed(&to));
    assert_eq!(why(&state, &merge()), "there is nothing to merge");
}

#[test]
fn only_what_passed_can_be_taken_back_and_then_it_waits_again() {
    let state = story::told().state;
    let missing = "a phase of it is not on the run's branch";
    for phases in [&[1][..], &[7], &[], &[3, 1]] {
        assert_eq!(why(&state, &rollback(phases)), missing, "{phases:?}");
    }
    let state = told(state, &rollback(&[3]));
    let Move::Start(Effect::TakeBack(order)) = next(&state, NOW) else { panic!("no order") };
    let attempt = AttemptId(state.attempts + 1);
    let base = order.phases[0].from.clone();
    assert_eq!(order.how, crate::run::taking_back::TakeBackHow::Reset { to: base.clone() });
    let completed = Event::RollbackCompleted {
        attempt,
        phases: vec![PhaseId::number(3)],
        branch: order.branch.clone(),
        commit: base.clone(),
        rescue: "refs/autopilot/run-1/rescue/rollback-phase-3".to_string(),
    };
    let state = told(state, &Event::StepStarted { attempt, effect: Effect::TakeBack(order) });
    let state = told(state, &completed);
    let phase = state.phase(&PhaseId::number(3)).unwrap();
    assert_eq!(phase.status, PhaseStatus::Waiting);
    assert_eq!(state.branch.as_ref().unwrap().head, base);
    assert_eq!(why(&state, &rollback(&[3])), missing);
}

#[test]
fn nothing_is_asked_of_a_run_that_goes_on() {
    let story = story::told();
    let mut state = None;
    for (event, at) in &story.events {
        if matches!(event, Event::RunCompleted { .. }) {
            break;
        }
        state = Some(apply(state, event, *at).unwrap());
    }
    let state = state.unwrap();
    assert_eq!(why(&state, &merge()), "the run goes on");
    assert_eq!(why(&state, &rollback(&[3])), "the run goes on");
    let wanted = Event::MergeRequested { when: MergeTime::AtEnd };
    let state = told(state, &wanted);
    assert_eq!(why(&state, &wanted), "it is wanted already");
}
