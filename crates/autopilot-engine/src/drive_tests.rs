//! Claims about a run that waits: no time passes here but what the clock of the test lets pass.

use std::cell::Cell;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use autopilot_core::config::Config;
use autopilot_core::phase_type::PhaseType;
use autopilot_core::run::definition::{
    AgentDefinition, Depth, PhaseDefinition, RunMode, RunSettings, Runner,
};
use autopilot_core::run::event::{AgentWork, Failure, Spend};
use autopilot_core::run::outcome::Pause;
use autopilot_core::run::replay::replay;
use autopilot_core::run::request::Request;
use autopilot_core::run::state::RunStatus;
use autopilot_core::score::Score;
use autopilot_journal::{Folder, Holder, Record, RunId, inbox};

use super::*;
use crate::clock::Clock;

const MINUTE_MS: u64 = 60_000;

/// Time passes when somebody pauses and, where that is set, with every look at the clock.
#[derive(Default)]
struct TestClock {
    now_ms: AtomicU64,
    look_ms: u64,
    pauses: Mutex<Vec<Duration>>,
}

impl Clock for TestClock {
    fn now(&self) -> Moment {
        Moment(self.now_ms.fetch_add(self.look_ms, Ordering::SeqCst))
    }

    fn pause(&self, time: Duration) {
        let time_ms = u64::try_from(time.as_millis()).unwrap();
        self.now_ms.fetch_add(time_ms, Ordering::SeqCst);
        self.pauses.lock().unwrap().push(time);
    }
}

/// Its first agent meets a limit for ten minutes, and the second is not logged in.
struct Limited {
    agents: u32,
}

impl Perform for Limited {
    fn perform(&mut self, order: &Ordered, _host: &mut dyn Host) -> Vec<Event> {
        let attempt = order.attempt;
        let branch = "autopilot/run-1".to_string();
        vec![match &order.effect {
            Effect::OpenRun { base } => {
                Event::RunOpened { attempt, branch, commit: base.clone(), planning_files: 0 }
            }
            Effect::OpenPhase { .. } => Event::PhaseOpened { attempt, branch },
            Effect::Measure(_) => {
                Event::EvidenceMeasured { attempt, measured: Vec::new(), difference: None }
            }
            Effect::RunAgent(_) => {
                self.agents += 1;
                let resets_at = Some(order.at.0 + 10 * MINUTE_MS);
                let failure = match self.agents {
                    1 => Failure::LimitReached { resets_at },
                    _ => Failure::NotLoggedIn { said: String::new() },
                };
                Event::StepFailed { attempt, work: AgentWork::default(), failure }
            }
            other => Event::EffectFailed { attempt, what: format!("unasked: {other:?}") },
        }]
    }

    fn recover(&mut self, _lost: &InFlight) -> Option<Spend> {
        None
    }
}

/// Hears what is waited for, and may do something about it.
#[derive(Default)]
struct Ear<'a> {
    waits: Vec<(Waiting, Moment)>,
    on_wait: Option<Box<dyn FnMut() + 'a>>,
}

impl Watch for Ear<'_> {
    fn happened(&mut self, _told: &Told, _state: &RunState) {}

    fn waits(&mut self, why: Waiting, _now: Moment, until: Moment) {
        self.waits.push((why, until));
        if let Some(act) = &mut self.on_wait {
            act();
        }
    }
}

fn opening() -> Vec<Event> {
    let breaker = Config::default().breaker;
    let settings = RunSettings {
        threshold: Score::FULL,
        depth: Depth::Lean,
        runner: Runner::Steps,
        has_research: false,
        remediation_cycles_max: 0,
        debug_attempts_max: 0,
        replan_attempts_max: 0,
        phase_tokens_max: breaker.phase_tokens_max,
        run_tokens_max: breaker.run_tokens_max,
        has_own_tokens_max: false,
        run_cost_max: None,
        phase_time_max_ms: MINUTE_MS,
        run_time_max_ms: MINUTE_MS,
        retries_max: 0,
        no_progress_max: breaker.no_progress_max,
        same_error_max: breaker.same_error_max,
        cooldown_ms: MINUTE_MS,
        step_time_max_ms: MINUTE_MS,
        check_time_max_ms: MINUTE_MS,
        stall_time_max_ms: 0,
        phase_time_min_ms: 0,
        verifier_time_min_ms: 0,
        allows_unproven: false,
        accepts_red: false,
        accepts_judged: false,
    };
    let definition = RunDefinition {
        run: "run-1".parse().unwrap(),
        version: String::new(),
        command: String::new(),
        mode: RunMode::Selected,
        settings,
        base: "1111111111111111111111111111111111111111".parse().unwrap(),
        user_branch: None,
        is_in_place: false,
        errand: None,
        agent: AgentDefinition::default(),
        fencing: None,
    };
    let project = ProjectDefinition {
        name: String::new(),
        roadmap: String::new(),
        spec: None,
        settled: Default::default(),
        definitions: Vec::new(),
        checks: Vec::new(),
    };
    vec![
        Event::RunStarted { definition },
        Event::ProjectRead { project },
        Event::PhaseRead { phase: phase(), is_last: true },
    ]
}

fn phase() -> PhaseDefinition {
    PhaseDefinition {
        id: "1".parse().unwrap(),
        name: String::new(),
        goal: String::new(),
        phase_type: PhaseType::Mixed,
        depends_on: Vec::new(),
        requirements: Vec::new(),
        criteria: Vec::new(),
        folder: String::new(),
        has_plan: false,
        plans: Vec::new(),
        estimate_tokens: 0,
        estimate_runs: 0,
    }
}

struct Driven {
    status: RunStatus,
    running_ms: u64,
    waits: Vec<(Waiting, Moment)>,
    pauses: Vec<Duration>,
    records: Vec<Record<Event>>,
}

/// Drives the run of one phase until it stands still; `act` is done at every tick of a wait.
fn driven(act: impl Fn(&Folder, &StopSwitch)) -> Driven {
    driven_by(TestClock::default(), act)
}

fn driven_by(clock: TestClock, act: impl Fn(&Folder, &StopSwitch)) -> Driven {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::open(root.path()).unwrap();
    let holder = Holder { pid: 1, host: String::new(), command: String::new(), started_at: 0 };
    let lock = folder.lock(&holder).unwrap();
    let clock = Arc::new(clock);
    let id = RunId::new("run-1").unwrap();
    let shared: Arc<dyn Clock> = clock.clone();
    let (mut memory, _) = Memory::begin(folder.clone(), lock, &id, opening(), shared).unwrap();
    let stop = StopSwitch::default();
    let mut ear = Ear { on_wait: Some(Box::new(|| act(&folder, &stop))), ..Ear::default() };
    let mut performer = Limited { agents: 0 };
    let mut drive =
        Drive { memory: &mut memory, performer: &mut performer, watch: &mut ear, stop: &stop };
    drive.go().unwrap();
    let waits = std::mem::take(&mut ear.waits);
    drop(ear);
    let state = memory.state().unwrap();
    Driven {
        status: state.status.clone(),
        running_ms: state.running_ms(clock.now()),
        waits,
        pauses: clock.pauses.lock().unwrap().clone(),
        records: autopilot_journal::read(&folder, &id, None).unwrap().records,
    }
}

#[test]
fn a_run_waits_in_ticks_and_goes_on_when_the_time_has_come() {
    let driven = driven(|_, _| {});
    assert_eq!(driven.status, RunStatus::Paused(Pause::NotLoggedIn));
    let until = Moment(10 * MINUTE_MS);
    let limit = Waiting::Usage(autopilot_core::run::usage_limit::UsageLimit::Limit);
    assert!(driven.waits.iter().all(|wait| *wait == (limit, until)));
    assert_eq!(driven.pauses.iter().sum::<Duration>(), Duration::from_secs(600));
    assert!(driven.pauses.iter().all(|pause| *pause <= limits::TICK_TIME));
    // The run may run for a minute; waiting is no running time.
    assert_eq!(driven.running_ms, 0);
}

/// How long an agent may take and how long is waited depend on the moment of the decision, and the journal has no other than
/// the stamp of the event.
#[test]
fn a_decision_is_stamped_with_the_moment_it_was_made_at() {
    let driven = driven_by(TestClock { look_ms: 7, ..TestClock::default() }, |_, _| {});
    assert_eq!(driven.status, RunStatus::Paused(Pause::NotLoggedIn));
    let records = driven.records.iter().map(|record| (Moment(record.at), &record.event));
    let replayed = replay(records);
    assert_eq!(replayed.differences, []);
    assert!(replayed.decisions > 8, "{}", replayed.decisions);
}

#[test]
fn asked_to_stop_while_it_waits_a_run_stops() {
    let driven = driven(|_, stop| stop.set(StopRequest::AfterStep));
    assert_eq!(driven.status, RunStatus::Paused(Pause::Stopped));
    assert_eq!(driven.pauses, [limits::TICK_TIME]);
}

#[test]
fn while_a_run_waits_it_hears_what_other_processes_ask() {
    let is_asked = Cell::new(false);
    let driven = driven(|folder, _| {
        let request = Request::Stop { how: StopRequest::AfterStep };
        if !is_asked.replace(true) {
            inbox::put(folder, "stop-1", &request).unwrap();
        }
    });
    assert_eq!(driven.status, RunStatus::Paused(Pause::Stopped));
    assert!(driven.pauses.len() < 100, "{}", driven.pauses.len());
}
