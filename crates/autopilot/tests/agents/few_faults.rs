//! What goes wrong with a model or a process, for agents that take long to start: few faults, each once. The rows stand with each agent.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use autopilot_testkit::model_server::{Script, Step, Trouble, Usage};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::stage::{Stage, soon, spend_of};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    NotLoggedIn,
    Limit,
    ServerError,
    /// The server says to come back in an hour, and the agent does without a word.
    SilentWait,
    AgentTerminated,
    Stopped,
}

/// What a fault comes to in the journal, and what the attempt has spent.
pub(crate) type Row = (Fault, &'static str, Usage);

pub(crate) struct Column {
    pub(crate) agent: &'static str,
    /// A word of its command line while it is at work.
    pub(crate) argument: &'static str,
    pub(crate) stage: fn(Script) -> Stage,
    /// Stands in its stream when its first answer is behind it.
    pub(crate) answered: &'static str,
    pub(crate) rows: &'static [Row],
}

pub(crate) const NOTHING: Usage = Usage { input: 0, output: 0, cache_read: 0, cache_write: 0 };
pub(crate) const COST: Usage = Usage { input: 700, output: 31, cache_read: 90, cache_write: 0 };

impl Column {
    pub(crate) fn play(&self) {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(row) = self.rows.get(next.fetch_add(1, Ordering::SeqCst)) {
                self.meet(*row);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(work);
            }
        });
    }

    fn meet(&self, (fault, comes, spent): Row) {
        let stage = (self.stage)(fault.script());
        if fault == Fault::SilentWait {
            // Twice as long until its model is asked.
            set(&stage, "stall_time", 8.into());
        }
        let mut run = stage.start(&["run", "1"]);
        fault.strike(self, &stage);
        let event = || {
            let kinds = ["step_failed", "attempt_cancelled"];
            kinds.into_iter().find_map(|kind| stage.first(kind))
        };
        soon(&format!("{fault:?} is over"), || {
            event().is_some() || run.ends_within(PAUSE).unwrap()
        });
        // It may be over.
        let _ = run.signal(Signal::INT);
        let ended = run.finish().unwrap();
        let shown = format!("{} {fault:?}: {}", self.agent, stage.shown(&ended));
        let event = event().unwrap_or_default();
        let found = event["failure"]["is"].as_str().or(event["type"].as_str());
        assert_eq!(found, Some(comes), "{shown}");
        if comes != "attempt_cancelled" {
            assert_eq!(spend_of(&event), spent, "{shown}");
        }
        stage.assert_no_process_left();
    }
}

/// Rows that are played at once: they wait half of the time.
const AT_ONCE: usize = 3;

/// Between two looks at a run.
const PAUSE: Duration = Duration::from_millis(20);

impl Fault {
    fn script(self) -> Script {
        // It tries again by itself, and sooner than it would.
        let refused = |status| Step::status(status).header("retry-after-ms", "10").always();
        match self {
            Fault::NotLoggedIn => Script::new().step(Step::status(401).always()),
            Fault::Limit => Script::new().step(refused(429)),
            Fault::ServerError => Script::new().step(refused(500)),
            Fault::SilentWait => {
                Script::new().step(Step::status(429).header("retry-after", "3600").always())
            }
            // One answer, and then no more.
            Fault::AgentTerminated | Fault::Stopped => {
                let first = Step::text("I look.").runs("true").usage(COST);
                let second = Step::text("I begin").usage(COST).trouble(Trouble::SilentInStream);
                Script::new().step(first).step(second.always())
            }
        }
    }

    fn strike(self, column: &Column, stage: &Stage) {
        let is_silent = || stage.server.requests().len() > 1 && has_said(stage, column.answered);
        match self {
            Fault::NotLoggedIn | Fault::Limit | Fault::ServerError | Fault::SilentWait => {}
            Fault::AgentTerminated => {
                soon("the model is silent", is_silent);
                let id = stage.at_work(column.agent, column.argument);
                let id = id.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
                kill_process(id.unwrap(), Signal::TERM).unwrap();
            }
            Fault::Stopped => {
                soon("the model is silent", is_silent);
                let stopped = stage.run(&["stop", "--now"]);
                assert_eq!(stopped.code, 0, "{stopped:?}");
            }
        }
    }
}

/// A setting of autopilot's.
fn set(stage: &Stage, name: &str, value: Value) {
    let path = stage.root().join(".planning/config.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut config: Value = serde_json::from_str(&text).unwrap();
    config["autopilot"][name] = value;
    std::fs::write(path, config.to_string()).unwrap();
    stage.commit_all();
}

/// Whether a line of an agent so far has it.
fn has_said(stage: &Stage, text: &str) -> bool {
    let logs = stage.root().join(".autopilot/logs");
    let runs = std::fs::read_dir(logs).into_iter().flatten().flatten();
    let files = runs.flat_map(|run| std::fs::read_dir(run.path())).flatten().flatten();
    let mut texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    texts.any(|log| log.contains(text))
}
