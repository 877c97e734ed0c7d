//! What goes wrong with a model or a process, and what each comes to with the real Gemini CLI, by its stream and in the Agent Client
//! Protocol: the ending, the spend to the token, and nothing left behind.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use autopilot_testkit::built_command::{Ended, Started};
use autopilot_testkit::model_server::{Request, Script, Step, Trouble, Usage, Wire};
use rustix::process::{Pid, Signal, kill_process};

use super::gemini_stage::WAYS;
use super::model;
use super::stage::{Stage, soon, spend_of};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Limit,
    Dropped,
    NotLoggedIn,
    Stall,
    AgentTerminated,
    Stopped,
    AutopilotKilled,
}

/// What each comes to with either way, and how many whole answers that attempt has spent.
const ROWS: [(Fault, &str, u64); 7] = [
    (Fault::Stall, "stalled", 1),
    (Fault::AutopilotKilled, "attempt_lost", 0),
    (Fault::Limit, "limit_reached", 0),
    (Fault::Dropped, "overloaded", 0),
    (Fault::NotLoggedIn, "not_logged_in", 0),
    (Fault::AgentTerminated, "crashed", 1),
    (Fault::Stopped, "attempt_cancelled", 0),
];

const COST: Usage = Usage { input: 700, output: 31, cache_read: 90, cache_write: 12 };
/// Between two looks at a run.
const PAUSE: Duration = Duration::from_millis(20);

#[test]
fn gemini_ends_every_fault_as_the_table_says() {
    play(WAYS[0]);
}

#[test]
fn gemini_in_the_agent_client_protocol_ends_every_fault_as_the_table_says() {
    play(WAYS[1]);
}

/// Rows that are played at once: some of them wait most of the time, and starting Gemini CLI is work.
const AT_ONCE: usize = 3;

fn play(way: &'static str) {
    let next = AtomicUsize::new(0);
    let next = &next;
    let work = move || {
        while let Some((fault, ending, answers)) = ROWS.get(next.fetch_add(1, Ordering::SeqCst)) {
            meet(way, *fault, ending, *answers);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(work);
        }
    });
}

fn meet(way: &'static str, fault: Fault, ending: &str, answers: u64) {
    let mut is_first = true;
    let script = Script::new().choose(move |request| match fault {
        // It is over with the process that met it.
        Fault::AutopilotKilled if !std::mem::take(&mut is_first) => model::answer(request),
        _ => Some(fault.answer(request)),
    });
    // While its model is waited for, it has twice the time; to start takes it a while too.
    let stall_time = if fault == Fault::Stall { 8 } else { 600 };
    let stage = Stage::patient_with_gemini(script, way, stall_time).knowing_its_version();
    let mut run = stage.start(&["run", "1"]);
    let ended = fault.strike(&stage, &mut run);
    let ended = match ended {
        Some(ended) => ended,
        None => {
            soon(&format!("{fault:?} is over"), || {
                stage.first(fault.event()).is_some() || run.ends_within(PAUSE).unwrap()
            });
            run.signal(Signal::INT).unwrap();
            run.finish().unwrap()
        }
    };
    stage.assert_no_process_left();
    let shown = stage.shown(&ended);
    let event = stage.first(fault.event()).unwrap_or_default();
    let found = match fault.event() {
        "step_failed" => event["failure"]["is"].as_str().unwrap_or_default(),
        kind => kind,
    };
    assert_eq!((found, event.is_null()), (ending, false), "{way} {fault:?}: {shown}");
    let cost = COST.told_by(Wire::Gemini);
    let spent: Usage = (0..answers).map(|_| cost).sum();
    assert_eq!(spend_of(&event), spent, "{way} {fault:?}: {shown}");
    if fault == Fault::AutopilotKilled {
        assert_eq!(stage.spent(), stage.server.served(), "{way}: {shown}");
    }
}

impl Fault {
    fn answer(self, request: &Request) -> Step {
        let begins = || Step::text("I begin").usage(COST).trouble(Trouble::SilentInStream);
        match self {
            Fault::Limit => Step::status(429),
            Fault::Dropped => Step::silent().trouble(Trouble::DroppedBefore),
            Fault::NotLoggedIn => Step::status(401),
            Fault::AutopilotKilled => begins(),
            Fault::Stall | Fault::AgentTerminated | Fault::Stopped => match request.turns() {
                0 => Step::text("I look.").runs("true").usage(COST),
                _ => begins(),
            },
        }
    }

    /// Something somebody does while an answer is under way. The end of the run, where that is already known.
    fn strike(self, stage: &Stage, run: &mut Started) -> Option<Ended> {
        let waits = |run: &mut Started, requests: usize| {
            soon(&format!("{self:?} can strike"), || {
                stage.server.requests().len() >= requests || run.ends_within(PAUSE).unwrap()
            });
        };
        match self {
            Fault::AgentTerminated => {
                waits(run, 2);
                let gemini = stage.gemini_at_work().and_then(|id| i32::try_from(id).ok());
                kill_process(gemini.and_then(Pid::from_raw).unwrap(), Signal::TERM).unwrap();
            }
            Fault::Stopped => {
                waits(run, 2);
                assert_eq!(stage.run(&["stop", "--now"]).code, 0);
            }
            Fault::AutopilotKilled => {
                waits(run, 1);
                run.signal(Signal::KILL).unwrap();
                soon("it is killed", || run.ends_within(PAUSE).unwrap());
                stage.assert_no_process_left();
                let ended = stage.run(&["resume"]);
                assert_eq!(ended.code, 0, "{}", stage.shown(&ended));
                return Some(ended);
            }
            Fault::Limit | Fault::Dropped | Fault::NotLoggedIn | Fault::Stall => {}
        }
        None
    }

    /// The event that says it.
    fn event(self) -> &'static str {
        match self {
            Fault::Stopped => "attempt_cancelled",
            Fault::AutopilotKilled => "attempt_lost",
            _ => "step_failed",
        }
    }
}
