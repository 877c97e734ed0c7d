//! Claims about what cannot have happened.

use super::*;
use crate::run::cost_cap::CostCap;
use crate::run::definition::{
    AgentDefinition, Depth, PhaseDefinition, ProjectDefinition, RunDefinition, RunMode,
    RunSettings, Runner,
};
use crate::run::effect::Effect;
use crate::run::event::StopRequest;
use crate::run::ids::Commit;
use crate::run::next::{Move, next};
use crate::score::Score;

fn commit() -> Commit {
    "1111111111111111111111111111111111111111".parse().unwrap()
}

fn definition() -> RunDefinition {
    RunDefinition {
        run: "run-1".parse().unwrap(),
        version: "0.1.0".into(),
        command: "autopilot run".into(),
        mode: RunMode::Selected,
        settings: RunSettings {
            threshold: Score::from_tenths(90).unwrap(),
            depth: Depth::Auto,
            runner: Runner::Steps,
            has_research: true,
            remediation_cycles_max: 2,
            debug_attempts_max: 3,
            replan_attempts_max: 1,
            phase_tokens_max: 500_000,
            run_tokens_max: 5_000_000,
            has_own_tokens_max: false,
            run_cost_max: None,
            phase_time_max_ms: 7_200_000,
            run_time_max_ms: 86_400_000,
            retries_max: 10,
            no_progress_max: 3,
            same_error_max: 5,
            cooldown_ms: 300_000,
            step_time_max_ms: 1_000,
            phase_time_min_ms: 300_000,
            verifier_time_min_ms: 120_000,
            check_time_max_ms: 1_000,
            stall_time_max_ms: 0,
            allows_unproven: false,
            accepts_red: false,
            accepts_judged: false,
        },
        base: commit(),
        user_branch: Some("main".into()),
        is_in_place: false,
        errand: None,
        agent: AgentDefinition {
            name: "scripted".into(),
            version: "1".into(),
            ..AgentDefinition::default()
        },
        fencing: None,
    }
}

fn phase(id: &str, depends_on: &[&str]) -> PhaseDefinition {
    PhaseDefinition {
        id: id.parse().unwrap(),
        name: "Name".into(),
        goal: String::new(),
        phase_type: crate::phase_type::PhaseType::Mixed,
        depends_on: depends_on.iter().map(|id| id.parse().unwrap()).collect(),
        requirements: Vec::new(),
        criteria: Vec::new(),
        folder: ".planning/phases/01".into(),
        has_plan: false,
        plans: Vec::new(),
        estimate_tokens: 0,
        estimate_runs: 0,
    }
}

fn read() -> Vec<Event> {
    let project = ProjectDefinition {
        name: "p".into(),
        roadmap: "ROADMAP.md".into(),
        spec: None,
        settled: Default::default(),
        definitions: Vec::new(),
        checks: Vec::new(),
    };
    vec![
        Event::RunStarted { definition: definition() },
        Event::ProjectRead { project },
        Event::PhaseRead { phase: phase("1", &[]), is_last: false },
        Event::PhaseRead { phase: phase("2", &["1"]), is_last: true },
    ]
}

fn fold(events: &[Event]) -> Result<RunState, Illegal> {
    let mut state = None;
    for event in events {
        state = Some(apply(state, event, Moment(7))?);
    }
    Ok(state.unwrap())
}

fn why(events: &[Event]) -> String {
    fold(events).unwrap_err().why
}

#[test]
fn a_run_begins_with_its_start_and_starts_once() {
    assert_eq!(why(&read()[1..]), "a run begins with run_started");
    let mut events = read();
    events.push(events[0].clone());
    assert_eq!(why(&events), "run run-1 started already");
}

#[test]
fn a_phase_waits_for_what_it_depends_on() {
    let mut events = read();
    let opened = [
        Event::StepStarted { attempt: AttemptId(1), effect: Effect::OpenRun { base: commit() } },
        Event::RunOpened {
            attempt: AttemptId(1),
            branch: "autopilot/run-1".into(),
            commit: commit(),
            planning_files: 0,
        },
    ];
    events.extend(opened);
    events.push(Event::PhaseStarted { phase: "2".parse().unwrap() });
    assert_eq!(why(&events), "a phase it depends on has not passed");
}

#[test]
fn only_what_is_under_way_can_end() {
    let mut events = read();
    events.push(Event::AttemptLost { attempt: AttemptId(1), spend: None });
    assert_eq!(why(&events), "attempt 1 is not under way");
    events.pop();
    events.push(Event::StepStarted { attempt: AttemptId(2), effect: Effect::Report });
    assert_eq!(why(&events), "attempts are counted one by one");
}

#[test]
fn a_phase_that_is_not_merged_cannot_be_completed() {
    let mut events = read();
    events.push(Event::PhaseFailed {
        phase: "1".parse().unwrap(),
        failure: crate::run::outcome::PhaseFailure {
            category: crate::contract::Category::ToolFailure,
            step: "x".into(),
            reason: "x".into(),
        },
    });
    assert_eq!(why(&events), "the phase is not being worked on");
}

#[test]
fn a_halted_run_that_is_resumed_tries_its_failed_phase_once_more() {
    let mut events = read();
    let failure = crate::run::outcome::PhaseFailure {
        category: crate::contract::Category::ToolFailure,
        step: "x".into(),
        reason: "x".into(),
    };
    let id: crate::phase_id::PhaseId = "1".parse().unwrap();
    events.push(Event::StepStarted {
        attempt: AttemptId(1),
        effect: Effect::OpenRun { base: commit() },
    });
    events.push(Event::RunOpened {
        attempt: AttemptId(1),
        branch: "autopilot/run-1".into(),
        commit: commit(),
        planning_files: 0,
    });
    let baseline = match next(&fold(&events).unwrap(), Moment(8)) {
        Move::Start(effect) => effect,
        other => panic!("{other:?}"),
    };
    events.push(Event::StepStarted { attempt: AttemptId(2), effect: baseline });
    events.push(Event::EvidenceMeasured {
        attempt: AttemptId(2),
        measured: Vec::new(),
        difference: None,
    });
    for round in ["run_halted", "phase_skipped"] {
        events.push(Event::PhaseStarted { phase: id.clone() });
        events.push(Event::PhaseFailed { phase: id.clone(), failure: failure.clone() });
        let Move::Record(decided) = next(&fold(&events).unwrap(), Moment(8)) else {
            panic!("nothing was decided")
        };
        assert_eq!(decided.name(), round, "the first failure halts, the second only blocks");
        events.push(decided);
        if round == "run_halted" {
            events.push(Event::RunResumed {
                drift: Vec::new(),
                caps: None,
                agent: None,
                fencing: None,
            });
        }
    }
}

#[test]
fn a_stop_pauses_and_a_resume_goes_on() {
    let mut events = read();
    events.push(Event::StopRequested { how: StopRequest::AfterStep });
    let state = fold(&events).unwrap();
    let Move::Record(paused) = next(&state, Moment(8)) else { panic!("no pause") };
    events.push(paused);
    assert_eq!(next(&fold(&events).unwrap(), Moment(9)), Move::Done);
    events.push(Event::RunResumed { drift: Vec::new(), caps: None, agent: None, fencing: None });
    assert!(matches!(next(&fold(&events).unwrap(), Moment(9)), Move::Start(_)));
}

#[test]
fn only_running_time_counts_and_not_what_passed_before_somebody_resumed() {
    let mut state = None;
    let mut at = |ms: u64, event: Event| {
        state = Some(apply(state.take(), &event, Moment(ms)).unwrap());
        state.clone().unwrap()
    };
    for event in read() {
        at(1_000, event);
    }
    let base = commit();
    let started =
        at(2_000, Event::StepStarted { attempt: AttemptId(1), effect: Effect::OpenRun { base } });
    assert_eq!(started.running_ms(Moment(5_000)), 4_000);
    // Dead since an unknown moment: only what its last event shows counts.
    at(900_000, Event::AttemptLost { attempt: AttemptId(1), spend: None });
    let resumed = at(
        900_500,
        Event::RunResumed { drift: Vec::new(), caps: None, agent: None, fencing: None },
    );
    assert_eq!(resumed.running_ms(Moment(901_500)), 2_000);
    // A clock that was set back does not run backwards.
    assert_eq!(resumed.running_ms(Moment(0)), 1_000);
    at(902_500, Event::StopRequested { how: StopRequest::AfterStep });
    let paused = at(902_500, Event::RunPaused { why: crate::run::outcome::Pause::Stopped });
    assert_eq!(paused.running_ms(Moment(5_000_000)), 3_000);
    let caps = crate::run::definition::Caps {
        retries_max: 77,
        run_cost_max: Some(CostCap { usd_micros: 9, is_typed: true }),
        ..definition().settings.caps()
    };
    let resumed = at(
        9_000_000,
        Event::RunResumed { drift: Vec::new(), caps: Some(caps), agent: None, fencing: None },
    );
    assert_eq!(resumed.running_ms(Moment(9_000_001)), 3_001);
    assert_eq!(resumed.definition.settings.caps(), caps);
}

#[test]
fn settings_of_an_older_journal_have_the_bounds_nobody_set() {
    let mut old = serde_json::to_value(definition().settings).unwrap();
    let added = [
        "phase_time_max_ms",
        "run_time_max_ms",
        "retries_max",
        "has_own_tokens_max",
        "no_progress_max",
        "same_error_max",
        "cooldown_ms",
        "phase_time_min_ms",
        "verifier_time_min_ms",
    ];
    for key in added {
        old.as_object_mut().unwrap().remove(key).unwrap();
    }
    assert_eq!(serde_json::from_value::<RunSettings>(old).unwrap(), definition().settings);
}
