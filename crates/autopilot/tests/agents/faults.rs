//! One table of the real agents and what can go wrong with a model or a process: what each fault comes to with each agent, to the
//! token, that nothing is left running, and that the run goes on. The rows are in `fault_rows`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use autopilot_testkit::built_command::Started;
use autopilot_testkit::model_server::{Request, Script, Step, Trouble, Usage};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::fault_rows::{
    CAP, CLAUDE, CODEX, COLUMNS, COST, Column, Comes, EVERY, Fault, GEMINI, GEMINI_ACP, GOOSE,
    OPENCODE, Spent,
};
use super::model;
use super::stage::{Stage, soon, spend_of};

#[test]
fn every_fault_has_one_row_for_every_agent() {
    for column in COLUMNS {
        for fault in EVERY {
            let rows = column.rows.iter().filter(|(named, _)| *named == fault).count();
            assert_eq!(rows, 1, "{} {fault:?}", column.agent);
        }
        assert_eq!(column.rows.len(), EVERY.len(), "{}", column.agent);
        let has_reason = |comes: &Comes| !matches!(comes, Comes::Never(""));
        assert!(column.rows.iter().all(|(_, comes)| has_reason(comes)), "{}", column.agent);
    }
}

#[test]
fn claude_ends_every_fault_as_the_table_says() {
    CLAUDE.play();
}

#[test]
fn codex_ends_every_fault_as_the_table_says() {
    CODEX.play();
}

#[test]
fn gemini_ends_its_faults_as_the_table_says() {
    GEMINI.play();
}

#[test]
fn gemini_in_the_agent_client_protocol_ends_its_faults_as_the_table_says() {
    GEMINI_ACP.play();
}

#[test]
fn opencode_ends_its_faults_as_the_table_says() {
    OPENCODE.play();
}

#[test]
fn goose_ends_its_faults_as_the_table_says() {
    GOOSE.play();
}

/// Between two looks at a run.
const PAUSE: Duration = Duration::from_millis(20);

/// Rows that are played at once: most of them wait most of the time.
const AT_ONCE: usize = 5;
/// Of agents whose start is work.
const SLOW_AT_ONCE: usize = 3;

impl Column {
    fn play(&'static self) {
        let next = AtomicUsize::new(0);
        let next = &next;
        let work = move || {
            while let Some(fault) = EVERY.get(next.fetch_add(1, Ordering::SeqCst)) {
                let row = self.rows.iter().find(|(named, _)| named == fault);
                if let Some((_, Comes::To(ending, spent))) = row {
                    self.meet(*fault, ending, *spent);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..if self.is_slow { SLOW_AT_ONCE } else { AT_ONCE } {
                scope.spawn(work);
            }
        });
    }

    fn meet(&'static self, fault: Fault, ending: &str, spent: Spent) {
        let is_over = Arc::new(AtomicBool::new(false));
        let stage = self.stage(fault, Arc::clone(&is_over));
        let mut run = stage.start(&["run", "1"]);
        fault.strike(self, &stage, &mut run);
        if fault != Fault::AutopilotKilled {
            let kind = fault.event();
            soon(&format!("{fault:?} is over"), || {
                stage.first(kind).is_some() || run.ends_within(PAUSE).unwrap()
            });
        }
        is_over.store(true, Ordering::SeqCst);
        if self.is_slow && fault != Fault::AutopilotKilled {
            // It may be over.
            let _ = run.signal(Signal::INT);
            let ended = run.finish().unwrap();
            stage.assert_no_process_left();
            return self.check(&stage, fault, (ending, spent), &stage.shown(&ended));
        }
        let mut ended = run.finish().unwrap();
        if let Some((code, again)) = fault.again() {
            assert_eq!(ended.code, code, "{fault:?}: {}", stage.shown(&ended));
            stage.assert_no_process_left();
            if fault == Fault::Budget {
                self.check(&stage, fault, (ending, spent), &stage.shown(&ended));
                stage.set("circuit_breaker_config", "cost_cap_tokens_per_phase", 500_000.into());
            }
            ended = stage.run(again);
        }
        let shown = stage.shown(&ended);
        assert_eq!(ended.code, 0, "{} {fault:?}: {shown}", self.agent);
        stage.assert_no_process_left();
        if fault != Fault::Budget {
            self.check(&stage, fault, (ending, spent), &shown);
            if let Spent::Exactly(_) = spent {
                let begun = if fault.leaves_half() { self.begun } else { Usage::default() };
                assert_eq!(stage.spent(), stage.server.served() + begun, "{fault:?}: {shown}");
            }
        }
    }

    /// The first thing that went wrong, and what it cost.
    fn check(&self, stage: &Stage, fault: Fault, expected: (&str, Spent), shown: &str) {
        let event = stage.first(fault.event()).unwrap_or_default();
        let failure = &event["failure"];
        let found = failure["is"].as_str().or(event["type"].as_str());
        assert_eq!(found, Some(expected.0), "{} {fault:?}: {shown}", self.agent);
        if expected.0 == "limit_reached" {
            let is_told = failure["resets_at"].is_u64();
            assert_eq!(is_told, fault == Fault::LimitWithTime, "{} {fault:?}: {shown}", self.agent);
        }
        let told = spend_of(&event);
        match expected.1 {
            Spent::Exactly(usage) => assert_eq!(told, usage, "{} {fault:?}: {shown}", self.agent),
            Spent::UpTo(most) => {
                let is_within = told.input <= most.input && told.output <= most.output;
                assert!(is_within, "{} {fault:?} {told:?}: {shown}", self.agent);
            }
        }
        if fault == Fault::Budget {
            let counted = told.input + told.output + told.cache_write;
            assert!(counted > CAP, "{} {counted}: {shown}", self.agent);
        }
    }

    fn stage(&'static self, fault: Fault, is_over: Arc<AtomicBool>) -> Stage {
        let script = Script::new().choose(move |request| match is_over.load(Ordering::SeqCst) {
            true => model::answer(request),
            false => Some(fault.answer(self, request)),
        });
        let stage = (self.stage)(script.beside(all_is_well()), fault);
        match fault {
            // Long enough for an agent to start on a busy machine; while it waits for its model it has twice the time.
            Fault::Stall | Fault::SilentWait => {
                let seconds = if self.is_slow { 8 } else { 20 };
                stage.set("autopilot", "stall_time", seconds.into());
            }
            Fault::Budget => {
                stage.set("circuit_breaker_config", "cost_cap_tokens_per_phase", CAP.into());
            }
            _ => {}
        }
        stage
    }
}

/// Gemini CLI asks every few turns, beside its work, whether it goes in circles.
fn all_is_well() -> Step {
    let answer = json!({"unproductive_state_analysis": "", "unproductive_state_confidence": 0.1});
    Step::structured(answer).usage(Usage::default())
}

impl Column {
    /// An agent that is slow to start tries again by itself, here sooner than it would.
    fn refused(&self, status: u16) -> Step {
        let refused = Step::status(status);
        if self.is_slow { refused.header("retry-after-ms", "10") } else { refused }
    }
}

impl Fault {
    /// What the model does until the fault is over.
    fn answer(self, column: &Column, request: &Request) -> Step {
        let begins = || Step::text("I begin").usage(COST);
        match self {
            Fault::LimitWithTime => (column.limit)(),
            Fault::Limit => column.refused(429),
            Fault::SilentWait => Step::status(429).header("retry-after", "3600"),
            Fault::Overload => column.refused(529),
            Fault::ServerError => column.refused(500),
            Fault::NotLoggedIn => Step::status(401),
            Fault::Dropped => Step::silent().trouble(Trouble::DroppedBefore),
            Fault::BrokenStream => begins().trouble(Trouble::EndsEarly),
            Fault::NoForm => Step::text("All is well; error 429 was long ago.").usage(COST),
            Fault::Turns => {
                let usage = Usage { input: 3, output: 1, ..Usage::default() };
                // Some notice when they do the same again and again.
                Step::silent().runs(format!("true {}", request.turns())).usage(usage)
            }
            Fault::Budget => Step::silent().runs("true").usage(COST),
            Fault::Permission => match request.turns() {
                0 => Step::silent().writes("/elsewhere/lib/1", "base\n").usage(COST),
                _ => {
                    let returned = model::role(request).and_then(|role| model::returned(&role));
                    Step::structured(returned.unwrap_or(Value::Null)).usage(COST)
                }
            },
            Fault::Stall | Fault::AgentTerminated | Fault::Stopped | Fault::AutopilotKilled => {
                match request.turns() {
                    0 => Step::text("I look.").runs("true").usage(COST),
                    _ => begins().trouble(Trouble::SilentInStream),
                }
            }
        }
    }

    /// Something somebody does while an answer is under way.
    fn strike(self, column: &Column, stage: &Stage, run: &mut Started) {
        let mut waits = || {
            soon(&format!("{self:?} can strike"), || {
                (column.has_told)(stage) || run.ends_within(PAUSE).unwrap()
            });
        };
        match self {
            Fault::AgentTerminated => {
                waits();
                let agent =
                    (column.at_work)(stage).and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
                kill_process(agent.unwrap(), Signal::TERM).unwrap();
            }
            Fault::Stopped => {
                waits();
                assert_eq!(stage.run(&["stop", "--now"]).code, 0);
            }
            Fault::AutopilotKilled => {
                waits();
                run.signal(Signal::KILL).unwrap();
            }
            _ => {}
        }
    }

    /// The event that says it.
    fn event(self) -> &'static str {
        match self {
            Fault::Stopped => "attempt_cancelled",
            Fault::AutopilotKilled => "attempt_lost",
            _ => "step_failed",
        }
    }

    /// How the run ends by it, and the command that goes on; None where it goes on by itself.
    fn again(self) -> Option<(i32, &'static [&'static str])> {
        match self {
            Fault::LimitWithTime => Some((75, &["resume"])),
            Fault::NotLoggedIn => Some((6, &["resume"])),
            Fault::Stopped => Some((130, &["resume"])),
            Fault::AutopilotKilled => Some((137, &["resume"])),
            Fault::Budget => Some((1, &["run", "1"])),
            _ => None,
        }
    }

    /// An answer was under way that never ended.
    fn leaves_half(self) -> bool {
        matches!(
            self,
            Fault::Stall | Fault::AgentTerminated | Fault::Stopped | Fault::AutopilotKilled
        )
    }
}
