//! The proof tree: a clean checkout that no agent can write, with caches of its own. What is measured is measured here: a command,
//! run by us, on a commit. What a check does to committed files is undone before the next one. A check that could not be started or
//! did not end is never green; one that is red is run once more, and if it is green then, it is flaky (GATE-5).

use std::time::Duration;

use autopilot_core::digest;
use autopilot_core::hidden;
use autopilot_core::limits;
use autopilot_core::run::definition::CheckOrder;
use autopilot_core::run::measured::{CheckResult, Measured};
use autopilot_core::test_counts::{TestCounter, TestCounts};
use sha2::{Digest, Sha256};

use crate::git::{GitError, ObjectId};
use crate::ground::{Child, Ground, Inside};
use crate::process::supervise::{self, Exit, Grace, Outcome, StartError, Supervision};
use crate::process::{Order, ProcessGroup, SpawnError};
use crate::slot::Slot;
use crate::tree_setup::{self, TreeSetup};

/// The cache folder of checks; agents have another.
pub(crate) const CACHE: &str = "proof-cache";

pub struct ProofTree {
    pub slot: Slot,
    pub setup: TreeSetup,
}

/// What is measured: a commit, and files that are laid over it as another commit has them.
pub struct Measurable {
    pub at: ObjectId,
    pub laid_over: Option<(ObjectId, Vec<String>)>,
}

/// Whoever lets something be measured.
pub trait Attendant {
    /// Writes the process group down before anything runs in it.
    fn spawned(&mut self, group: &ProcessGroup) -> std::io::Result<()>;
    /// Called at least once a second; says whether somebody wants the measurement ended.
    fn must_end(&mut self) -> bool;
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum CannotMeasure {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("{0}")]
    World(String),
    #[error("cancelled")]
    Cancelled,
}

impl ProofTree {
    /// Brings the tree to the commit and runs the checks there, one after the other.
    pub fn measure(
        &self,
        what: &Measurable,
        checks: &[CheckOrder],
        time_max: Duration,
        (ground, attendant): (&Ground, &mut dyn Attendant),
    ) -> Result<Vec<Measured>, CannotMeasure> {
        self.slot.put_clean(&what.at)?;
        self.lay_over(what)?;
        if checks.is_empty() {
            return Ok(Vec::new());
        }
        let tree = self.slot.folder();
        let start = |child| ground.inside(tree, CACHE, child).map_err(CannotMeasure::World);
        let inside = start(Child::Check)?;
        let mut shell = Shell { tree, inside: &inside, time_max, attendant: &mut *attendant };
        let not_ready = shell.set_up(&self.setup, &ground.root)?;
        let mut seen = Vec::with_capacity(checks.len());
        let put_back = || self.put_back(what);
        for check in checks.iter().filter(|check| !check.is_hidden) {
            seen.push(shell.see_if(check, not_ready.as_deref(), &put_back)?);
        }
        // Only one may have the folder for what is thrown away.
        drop(inside);
        let mut hidden = checks.iter().filter(|check| check.is_hidden).peekable();
        if hidden.peek().is_some() {
            let inside = start(Child::HiddenCheck)?;
            let mut shell = Shell { tree, inside: &inside, time_max, attendant };
            for check in hidden {
                seen.push(shell.see_if(check, not_ready.as_deref(), &put_back)?);
            }
        }
        let place = |name| checks.iter().position(|check| check.name == name);
        seen.sort_by_key(|measured| place(measured.check));
        Ok(seen)
    }

    fn lay_over(&self, what: &Measurable) -> Result<(), GitError> {
        match &what.laid_over {
            Some((from, files)) => self.slot.lay_over(from, files),
            None => Ok(()),
        }
    }

    /// Committed files as they are measured. What was built besides stays: one check may build what the next one looks at.
    fn put_back(&self, what: &Measurable) -> Result<(), GitError> {
        self.slot.put_tracked(&what.at)?;
        self.lay_over(what)
    }
}

/// Undoes what a check did to committed files: the next one measures the commit and not what the last one made of it.
type PutBack<'a> = &'a dyn Fn() -> Result<(), GitError>;

/// Runs commands in a tree.
pub(crate) struct Shell<'a> {
    pub(crate) tree: &'a std::path::Path,
    pub(crate) inside: &'a Inside,
    pub(crate) time_max: Duration,
    pub(crate) attendant: &'a mut dyn Attendant,
}

impl Shell<'_> {
    /// Makes a tree fit to work and to measure in. None where it is, else what went wrong, for people: nothing that is run there then
    /// means anything.
    pub(crate) fn set_up(
        &mut self,
        setup: &TreeSetup,
        project: &std::path::Path,
    ) -> Result<Option<String>, CannotMeasure> {
        let tree = self.tree;
        let failed =
            |error: std::io::Error| CannotMeasure::World(format!("{}: {error}", tree.display()));
        setup.copy(project, tree).map_err(failed)?;
        let Some(due) = setup.due(tree) else { return Ok(None) };
        let come = tree_setup::about_to_come(tree);
        for command in &due.commands {
            let ran = self.run(command)?;
            if !ran.result.is_green() {
                let why = format!("`{command}` failed, which sets the project up:\n{}", ran.tail);
                return Ok(Some(why));
            }
        }
        tree_setup::hide(&come).and_then(|()| due.done(tree)).map_err(failed)?;
        Ok(None)
    }

    /// Nothing is run in a tree that is not ready.
    fn see_if(
        &mut self,
        check: &CheckOrder,
        not_ready: Option<&str>,
        put_back: PutBack<'_>,
    ) -> Result<Measured, CannotMeasure> {
        match not_ready {
            None => self.see(check, put_back),
            Some(why) => Ok(of(check, Ran::not_started(why))),
        }
    }

    /// One check, twice if it is red the first time.
    fn see(
        &mut self,
        check: &CheckOrder,
        put_back: PutBack<'_>,
    ) -> Result<Measured, CannotMeasure> {
        let first = self.run(&check.command)?;
        put_back()?;
        let CheckResult::Red { .. } = first.result else { return Ok(of(check, first)) };
        let second = self.run(&check.command)?;
        put_back()?;
        match second.result {
            CheckResult::Green => Ok(Measured { is_flaky: true, ..of(check, second) }),
            // What it said first it says of the work; the second time it may stumble over what the first one left.
            CheckResult::Red { .. }
            | CheckResult::TimedOut
            | CheckResult::NotRun
            | CheckResult::NoTests => Ok(of(check, first)),
        }
    }

    fn run(&mut self, command: &str) -> Result<Ran, CannotMeasure> {
        // Both streams in the order they were printed.
        let line = format!("exec 2>&1\n{command}");
        let programs = tree_setup::programs(self.tree);
        let environment = self.inside.environment.clone().programs_first(programs);
        let order = Order::shell(&line, self.tree, environment, self.time_max);
        let supervision = Supervision {
            launcher: self.inside.launcher.clone(),
            log: None,
            total_bytes_max: limits::CHECK_OUTPUT_BYTES_MAX,
            grace: limits::TERMINATE_TIME_MAX,
        };
        let attendant = &mut *self.attendant;
        let started = supervise::start(order, supervision, |group| attendant.spawned(group));
        let running = match started {
            Ok(running) => running,
            Err(StartError::Spawn(SpawnError::Io { source, .. })) => {
                let why = format!("`{command}` cannot be started: {source}");
                return Err(CannotMeasure::World(why));
            }
            Err(StartError::Spawn(error)) => return Ok(Ran::not_started(&error.to_string())),
            Err(StartError::NotRecorded(error)) => {
                return Err(CannotMeasure::World(error.to_string()));
            }
        };
        let mut output = Output::default();
        let mut is_cancelled = false;
        let exit = loop {
            match running.next(limits::TICK_TIME) {
                Some(supervise::Event::Line(line)) => output.add(&line.bytes),
                Some(supervise::Event::Exited(exit)) => break exit,
                None => {}
            }
            // Also for a check that never stops talking: requests to stop come in here.
            if self.attendant.must_end() && !is_cancelled {
                is_cancelled = true;
                running.cancel(Grace::Given);
            }
        };
        if is_cancelled {
            return Err(CannotMeasure::Cancelled);
        }
        Ok(output.ended(&exit))
    }
}

/// A check whose command nobody has.
pub(crate) fn not_run(check: &CheckOrder) -> Measured {
    of(check, Ran::not_started(""))
}

fn of(check: &CheckOrder, ran: Ran) -> Measured {
    // Whatever is measured ends up in prompts and reports; a hidden check only says that there is one.
    let hide = |text: String, instead: &str| match check.is_hidden {
        true => instead.to_string(),
        false => text,
    };
    Measured {
        check: check.name,
        command: hide(check.command.clone(), hidden::SHOWN),
        result: ran.result.with_tests(check, ran.tests.as_ref()),
        is_flaky: false,
        tests: match check.is_hidden {
            true => ran.tests.map(|tests| TestCounts { failed_names: Vec::new(), ..tests }),
            false => ran.tests,
        },
        took_ms: ran.took_ms,
        output_hash: ran.output_hash,
        tail: hide(ran.tail, ""),
    }
}

/// A command, run once in a tree.
struct Ran {
    result: CheckResult,
    tail: String,
    tests: Option<TestCounts>,
    took_ms: u64,
    output_hash: String,
}

impl Ran {
    fn not_started(why: &str) -> Ran {
        let (result, tail) = (CheckResult::NotRun, why.to_string());
        Ran { result, tail, tests: None, took_ms: 0, output_hash: String::new() }
    }
}

/// What is kept of a check's output: a hash of all, what it says of tests, and the end.
#[derive(Default)]
struct Output {
    hasher: Sha256,
    tests: TestCounter,
    tail: std::collections::VecDeque<String>,
    tail_bytes: usize,
}

impl Output {
    fn add(&mut self, line: &[u8]) {
        self.tests.line(line);
        self.hasher.update(line);
        self.hasher.update(b"\n");
        let text: String =
            String::from_utf8_lossy(line).chars().take(limits::TAIL_LINE_CHARS_MAX).collect();
        self.tail_bytes += text.len() + 1;
        self.tail.push_back(text);
        while self.tail.len() > limits::CHECK_TAIL_LINES_MAX
            || self.tail_bytes > limits::CHECK_TAIL_BYTES_MAX
        {
            let Some(gone) = self.tail.pop_front() else { break };
            self.tail_bytes -= gone.len() + 1;
        }
    }

    fn ended(self, exit: &Exit) -> Ran {
        let result = match &exit.outcome {
            Outcome::Exited(0) => CheckResult::Green,
            Outcome::Exited(code) => CheckResult::Red { exit: Some(*code) },
            Outcome::Signalled(_) | Outcome::TooMuchOutput => CheckResult::Red { exit: None },
            Outcome::TimedOut | Outcome::Cancelled => CheckResult::TimedOut,
            Outcome::CannotStart { .. } | Outcome::Lost { .. } => CheckResult::NotRun,
        };
        let lines: Vec<&str> = self.tail.iter().map(String::as_str).collect();
        Ran {
            result,
            tail: lines.join("\n"),
            tests: self.tests.end(),
            took_ms: u64::try_from(exit.took.as_millis()).unwrap_or(u64::MAX),
            output_hash: digest::text(&self.hasher.finalize()),
        }
    }
}
