//! `apply` refuses what cannot have happened, tried at every point of every scenario: events twice, answers to other questions,
//! decisions that no verdict ordered.

use std::error::Error;

use autopilot_core::contract::Returned;
use autopilot_core::contract::returns::Research;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::apply;
use autopilot_core::run::effect::Effect;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::{AttemptId, Moment};
use autopilot_core::run::outcome::{CriteriaCount, Passing, PhaseResult};
use autopilot_core::run::state::{RunState, RunStatus};
use autopilot_testkit::scenario;

/// Tries forged events at every point; what `forge` gives back has to be refused there. Returns how many were tried.
fn check(forge: impl Fn(&RunState, &Event) -> Vec<Event>) -> Result<usize, Box<dyn Error>> {
    let mut tried = 0;
    for scenario in scenario::all()? {
        let mut state: Option<RunState> = None;
        for event in scenario.play()?.journal {
            for forged in state.iter().flat_map(|state| forge(state, &event)) {
                let accepted = apply(state.clone(), &forged, Moment(0)).is_ok();
                assert!(!accepted, "{} before {event:?}\naccepts {forged:?}", scenario.place);
                tried += 1;
            }
            state = Some(apply(state, &event, Moment(0))?);
        }
    }
    Ok(tried)
}

#[test]
fn what_happened_does_not_happen_again() {
    let may_repeat =
        ["run_resumed", "stop_requested", "add_requested", "attempt_spawned", "attempt_quiet"];
    let mut tried = 0;
    for scenario in scenario::all().unwrap() {
        let mut state: Option<RunState> = None;
        for event in scenario.play().unwrap().journal {
            let changed = apply(state, &event, Moment(0)).unwrap();
            let again = apply(Some(changed.clone()), &event, Moment(0));
            let is_odd = again.is_ok() && !may_repeat.contains(&event.name());
            assert!(!is_odd, "{} accepts {event:?} twice", scenario.place);
            state = Some(changed);
            tried += 1;
        }
    }
    assert!(tried > 5_000, "{tried}");
}

#[test]
fn a_check_that_was_ordered_cannot_be_left_out_of_what_was_measured() {
    let tried = check(|_, event| match event {
        Event::EvidenceMeasured { attempt, measured, .. } if !measured.is_empty() => {
            let fewer = measured[1..].to_vec();
            let twice = measured.iter().chain(measured.last()).cloned().collect();
            let forge = |measured| Event::EvidenceMeasured {
                attempt: *attempt,
                measured,
                difference: None,
            };
            vec![forge(fewer), forge(twice)]
        }
        _ => Vec::new(),
    })
    .unwrap();
    assert!(tried > 500, "{tried}");
}

#[test]
fn the_return_of_another_role_is_refused() {
    let research = Research {
        key_findings: Vec::new(),
        recommended_approach: String::new(),
        risks: Vec::new(),
        open_questions: Vec::new(),
    };
    let tried = check(|_, event| match event {
        Event::StepCompleted { returned: Returned::Research(_), .. } => Vec::new(),
        Event::StepCompleted { attempt, work, .. } => {
            let returned = Returned::Research(research.clone());
            vec![Event::StepCompleted { attempt: *attempt, work: work.clone(), returned }]
        }
        _ => Vec::new(),
    })
    .unwrap();
    assert!(tried > 300, "{tried}");
}

#[test]
fn nothing_starts_in_a_phase_that_is_not_worked_on() {
    let elsewhere = PhaseId::number(77);
    let tried = check(|state, event| match event {
        Event::StepStarted { .. } => {
            let effect = Effect::ReadPlan { phase: elsewhere.clone() };
            vec![Event::StepStarted { attempt: AttemptId(state.attempts + 1), effect }]
        }
        _ => Vec::new(),
    })
    .unwrap();
    assert!(tried > 1_000, "{tried}");
}

/// What no verdict ordered is refused at every point but the one where it really comes next.
#[test]
fn a_decision_needs_the_verdict_that_orders_it() {
    let tried = check(|state, event| {
        let comes_from_outside = matches!(event, Event::RunResumed { .. });
        let Some(phase) = state.running().filter(|_| !comes_from_outside) else {
            return Vec::new();
        };
        let (id, work) = (phase.definition.id.clone(), phase.work.as_ref().unwrap());
        let commit = work.merged.clone().unwrap_or(state.definition.base.clone());
        let result = PhaseResult {
            score: None,
            how: Passing::Proven,
            commit,
            criteria: CriteriaCount::default(),
            score_history: Vec::new(),
        };
        let decisions = vec![
            Event::DebugAttempt { phase: id.clone(), attempt: work.debug_attempts + 1 },
            Event::ReplanAttempt { phase: id.clone(), attempt: work.replan_attempts + 1 },
            Event::RemediationStarted {
                phase: id.clone(),
                cycle: work.remediation_cycles + 1,
                from: work.head.clone(),
                findings: Vec::new(),
            },
            Event::PhaseCompleted { phase: id, result },
        ];
        // A pass does not rest on its diagnostic: journals from before there were any go on without.
        let is_merged =
            matches!(event, Event::StepStarted { effect: Effect::WriteDiagnostic { .. }, .. });
        let is_forged = |forged: &Event| {
            forged.name() != event.name()
                && !(is_merged && matches!(forged, Event::PhaseCompleted { .. }))
        };
        decisions.into_iter().filter(is_forged).collect()
    })
    .unwrap();
    assert!(tried > 10_000, "{tried}");
}

#[test]
fn a_run_that_stands_still_goes_on_only_when_somebody_says_so() {
    let tried = check(|state, event| match (&state.status, state.phases.first()) {
        (RunStatus::Paused(_), Some(phase)) if matches!(event, Event::RunResumed { .. }) => vec![
            Event::PhaseStarted { phase: phase.definition.id.clone() },
            Event::PhaseSkipped { phase: phase.definition.id.clone(), reason: String::new() },
            Event::StepStarted { attempt: AttemptId(state.attempts + 1), effect: Effect::Report },
        ],
        _ => Vec::new(),
    })
    .unwrap();
    assert!(tried > 3, "{tried}");
}

#[test]
fn nobody_goes_on_before_it_is_said_what_became_of_the_attempt_under_way() {
    let tried = check(|state, _| match &state.in_flight {
        Some(_) => {
            vec![Event::RunResumed { drift: Vec::new(), caps: None, agent: None, fencing: None }]
        }
        None => Vec::new(),
    })
    .unwrap();
    assert!(tried > 1_000, "{tried}");
}
