//! What the scenarios cannot reach, and the words for people. What opens and closes it is shown in `bounds.txt` of the scenarios.

use super::*;
use crate::run::ids::Commit;

fn rollback(phase: u32, task: Option<&str>) -> Effect {
    let to: Commit = "1111111111111111111111111111111111111111".parse().unwrap();
    let task = task.map(|task| task.parse().unwrap());
    Effect::RollBack { phase: PhaseId::number(phase), task, to, snapshot: None }
}

#[test]
fn a_step_is_lost_again_only_in_the_same_phase_the_same_step_and_the_same_task() {
    let form = "form".parse().unwrap();
    let lost = LostStep {
        phase: Some(PhaseId::number(1)),
        step: rollback(1, None).step(),
        task: Some(form),
        count: 1,
    };
    assert!(lost.is(&rollback(1, Some("form"))));
    assert!(!lost.is(&rollback(2, Some("form"))));
    assert!(!lost.is(&rollback(1, Some("store"))));
    assert!(!lost.is(&rollback(1, None)));
    let of_phase = LostStep { task: None, ..lost };
    assert!(!of_phase.is(&Effect::ReadPlan { phase: PhaseId::number(1) }));
    assert!(!of_phase.is(&Effect::Report));
}

#[test]
fn what_opened_it_is_told_in_whole_words() {
    let check = |trip: Trip, expected: &str| assert_eq!(trip.words(), expected);
    check(Trip::NoProgress { attempts: 3 }, "3 attempts in a row changed nothing");
    let error = "test red".to_string();
    check(Trip::SameError { times: 5, error }, "the same error came 5 times in a row: test red");
    let step = "execute".to_string();
    check(Trip::Lost { step, attempts: 3 }, "autopilot died 3 times in a row in the step execute");
}

#[test]
fn state_files_have_the_words_of_the_sources() {
    let why = Trip::NoProgress { attempts: 3 };
    assert_eq!(word(&Breaker::Closed), "closed");
    assert_eq!(word(&Breaker::Open { why: why.clone(), until: Moment(7) }), "open");
    assert_eq!(word(&Breaker::HalfOpen { why, outcome: None }), "half_open");
}
