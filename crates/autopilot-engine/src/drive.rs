//! The loop: ask `next`, write down what it decides, have it performed, write down what happened. There are no choices here.

use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use autopilot_agents::activity::Activity;
use autopilot_core::limits;
use autopilot_core::run::definition::{AgentDefinition, Caps, ProjectDefinition, RunDefinition};
use autopilot_core::run::effect::Effect;
use autopilot_core::run::event::{Drift, Event, ProcessGroup, Spend, StopRequest};
use autopilot_core::run::fencing::Fencing;
use autopilot_core::run::files::receipt::JournalHead;
use autopilot_core::run::ids::{AttemptId, Moment};
use autopilot_core::run::learnings;
use autopilot_core::run::next::Waiting;
use autopilot_core::run::outcome::RunResult;
use autopilot_core::run::quiet::Quiet;
use autopilot_core::run::state::{InFlight, PhaseState, RunState};
use autopilot_core::run::{Move, next};

use crate::memory::{Memory, MemoryError, Told};

#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    #[error(transparent)]
    Memory(#[from] MemoryError),
    #[error("the next step waits for an attempt that nobody makes")]
    NothingUnderWay,
}

/// Carries out effects. Whatever goes wrong with the world is an event too; there is no other way out.
pub trait Perform {
    /// The events that end the attempt, in order.
    fn perform(&mut self, order: &Ordered, host: &mut dyn Host) -> Vec<Event>;
    /// Clears away what a dead autopilot left of an attempt, processes above all, and gives back what its agent had told it spent.
    fn recover(&mut self, lost: &InFlight) -> Option<Spend>;
    /// Leaves what is the user's in order when the run stands still, and tells what they have to know of it.
    fn stand_down(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// An effect with all that is known and may be needed for it.
#[derive(Debug, Clone)]
pub struct Ordered {
    pub attempt: AttemptId,
    pub effect: Effect,
    pub at: Moment,
    pub definition: RunDefinition,
    pub project: Option<ProjectDefinition>,
    pub phase: Option<PhaseState>,
    /// What earlier failures of the run taught, for agents.
    pub lessons: Vec<String>,
    /// The state as a whole, where the effect is about the whole run.
    pub whole: Option<Box<RunState>>,
    /// Where the journal ends, with this order in it.
    pub journal: JournalHead,
}

/// What a performer may ask of the loop while it works.
pub trait Host {
    /// Writes the process group down before anything runs in it.
    fn spawned(&mut self, group: ProcessGroup) -> io::Result<()>;
    /// Called at least once a second and for every sign of life.
    fn tick(&mut self, activity: Option<&Activity>);
    /// Writes down that the agent is quiet, or is not any more.
    fn quiet(&mut self, quiet: Quiet);
    /// Somebody wants the attempt ended now.
    fn must_end(&self) -> bool;
    fn now(&self) -> Moment;
}

/// Whoever watches: a terminal, a pipe, a test. Hears of events only when they are on disk.
pub trait Watch {
    fn happened(&mut self, told: &Told, state: &RunState);
    fn lives(&mut self, _state: &RunState, _now: Moment, _activity: Option<&Activity>) {}
    /// Nothing is done before `until`; told again with every tick.
    fn waits(&mut self, _why: Waiting, _now: Moment, _until: Moment) {}
    fn trouble(&mut self, _words: &str) {}
}

/// A wish to stop that a signal handler can set.
#[derive(Debug, Default)]
pub struct StopSwitch(AtomicU8);

impl StopSwitch {
    pub fn set(&self, how: StopRequest) {
        let value = match how {
            StopRequest::AfterStep => 1,
            StopRequest::Now => 2,
        };
        self.0.fetch_max(value, Ordering::SeqCst);
    }

    pub fn get(&self) -> Option<StopRequest> {
        match self.0.load(Ordering::SeqCst) {
            0 => None,
            1 => Some(StopRequest::AfterStep),
            _ => Some(StopRequest::Now),
        }
    }
}

/// What is not as it was when the run began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    pub drift: Vec<Drift>,
    /// What may be used from here on, where it is not what it was.
    pub caps: Option<Caps>,
    /// Who does the work from here on, where somebody asked for it.
    pub agent: Option<AgentDefinition>,
    /// What keeps agents and checks in from here on, where it is not what it was.
    pub fencing: Option<Fencing>,
}

pub struct Drive<'a> {
    pub memory: &'a mut Memory,
    pub performer: &'a mut dyn Perform,
    pub watch: &'a mut dyn Watch,
    pub stop: &'a StopSwitch,
}

impl Drive<'_> {
    /// Takes up a run that was left: what was under way is cleared away and recorded as lost.
    pub fn resume(&mut self, changes: Changes) -> Result<(), DriveError> {
        if let Some(lost) = self.memory.state()?.in_flight.clone() {
            let spend = self.performer.recover(&lost);
            self.memory.note(Event::AttemptLost { attempt: lost.attempt, spend })?;
        }
        let Changes { drift, caps, agent, fencing } = changes;
        self.memory.note(Event::RunResumed { drift, caps, agent: agent.map(Box::new), fencing })?;
        self.keep()
    }

    /// Goes on until the run stands still.
    pub fn go(&mut self) -> Result<(), DriveError> {
        let went = self.loop_until_done();
        for words in self.performer.stand_down() {
            self.watch.trouble(&words);
        }
        went
    }

    fn loop_until_done(&mut self) -> Result<(), DriveError> {
        loop {
            if let (Some(how), None) = (self.stop.get(), self.memory.state()?.stop) {
                self.memory.note(Event::StopRequested { how })?;
            }
            let now = self.memory.moment();
            match next(self.memory.state()?, now) {
                Move::Record(Event::RunCompleted { result }) => self.complete(result, now)?,
                Move::Record(event) => self.memory.note_at(event, now)?,
                Move::Start(effect) => self.perform(effect, now)?,
                Move::Wait { until: Some(until), why } => self.wait(until, why)?,
                Move::Wait { until: None, .. } => return Err(DriveError::NothingUnderWay),
                Move::Done => {
                    self.keep()?;
                    self.project(true);
                    return Ok(());
                }
            }
        }
    }

    /// Whoever asked for more phases a moment ago is heard first: afterwards nobody looks.
    fn complete(&mut self, result: RunResult, now: Moment) -> Result<(), DriveError> {
        let before = self.memory.state()?.events;
        let mut desk = Desk { memory: self.memory, watch: self.watch, stop: self.stop };
        desk.take_requests(Memory::take_requests_now);
        if self.memory.state()?.events == before {
            self.memory.note_at(Event::RunCompleted { result }, now)?;
        }
        Ok(())
    }

    /// Lets one tick pass; the loop asks again afterwards, so that a wish to stop is heard while a run waits.
    fn wait(&mut self, until: Moment, why: Waiting) -> Result<(), DriveError> {
        self.keep()?;
        let mut desk = Desk { memory: self.memory, watch: self.watch, stop: self.stop };
        desk.look_around();
        let now = self.memory.now();
        self.watch.waits(why, now, until);
        let left = Duration::from_millis(until.milliseconds_since(now));
        self.memory.pause(limits::TICK_TIME.min(left));
        Ok(())
    }

    fn perform(&mut self, effect: Effect, now: Moment) -> Result<(), DriveError> {
        let attempt = AttemptId(self.memory.state()?.attempts + 1);
        self.memory.note_at(Event::StepStarted { attempt, effect: effect.clone() }, now)?;
        self.keep()?;
        let ordered = self.ordered(attempt, effect)?;
        let mut host = Desk { memory: self.memory, watch: self.watch, stop: self.stop };
        let events = self.performer.perform(&ordered, &mut host);
        for event in events {
            self.memory.note(event)?;
        }
        Ok(())
    }

    fn ordered(&self, attempt: AttemptId, effect: Effect) -> Result<Ordered, DriveError> {
        let state = self.memory.state()?;
        let phase = effect.phase().and_then(|id| state.phase(id)).cloned();
        let is_whole = matches!(effect, Effect::Report | Effect::TakeBack(_));
        let whole = is_whole.then(|| Box::new(state.clone()));
        let lessons = match &effect {
            Effect::RunAgent(_) => learnings::told(state),
            _ => Vec::new(),
        };
        Ok(Ordered {
            attempt,
            effect,
            at: state.in_flight.as_ref().map_or(state.last_at, |one| one.started_at),
            definition: state.definition.clone(),
            project: state.project.clone(),
            phase,
            lessons,
            whole,
            journal: self.memory.journal_head(),
        })
    }

    fn keep(&mut self) -> Result<(), DriveError> {
        tell(self.memory, self.watch)?;
        for trouble in self.memory.leave_files() {
            self.watch.trouble(&trouble);
        }
        Ok(())
    }

    fn project(&mut self, is_last: bool) {
        if let Err(error) = self.memory.project(is_last) {
            self.watch.trouble(&format!("state.json is not up to date: {error}"));
        }
    }
}

/// Puts what was noted on disk, then tells it.
fn tell(memory: &mut Memory, watch: &mut dyn Watch) -> Result<(), MemoryError> {
    let told = memory.keep()?;
    let state = memory.state()?;
    for one in &told {
        watch.happened(one, state);
    }
    Ok(())
}

/// The loop's side of an attempt under way.
struct Desk<'a> {
    memory: &'a mut Memory,
    watch: &'a mut dyn Watch,
    stop: &'a StopSwitch,
}

impl Desk<'_> {
    fn attempt(&self) -> Option<AttemptId> {
        self.memory.state().ok()?.in_flight.as_ref().map(|one| one.attempt)
    }

    fn take_requests(&mut self, take: impl Fn(&mut Memory, &StopSwitch) -> Vec<String>) {
        for refused in take(self.memory, self.stop) {
            self.watch.trouble(&format!("a request was not taken: {refused}"));
        }
    }

    /// While an agent works or a run waits there is time for what others ask, and for state.json.
    fn look_around(&mut self) {
        self.take_requests(Memory::take_requests);
        // A journal that cannot be written ends the run after this attempt, where the same is tried again.
        if let Err(error) = tell(self.memory, self.watch) {
            self.watch.trouble(&error.to_string());
        }
        if let Err(error) = self.memory.project(false) {
            self.watch.trouble(&format!("state.json is not up to date: {error}"));
        }
    }
}

impl Host for Desk<'_> {
    fn spawned(&mut self, group: ProcessGroup) -> io::Result<()> {
        let attempt = self.attempt();
        let attempt = attempt.ok_or_else(|| io::Error::other("no attempt is under way"))?;
        let noted = self.memory.note(Event::AttemptSpawned { attempt, group });
        noted.and_then(|()| tell(self.memory, self.watch)).map_err(io::Error::other)
    }

    fn tick(&mut self, activity: Option<&Activity>) {
        if let Ok(state) = self.memory.state() {
            self.watch.lives(state, self.memory.now(), activity);
        }
        self.look_around();
    }

    fn quiet(&mut self, quiet: Quiet) {
        let Some(attempt) = self.attempt() else { return };
        // It says nothing that anything rests on; a journal that cannot be written is noticed by what comes next.
        let noted = self.memory.note(Event::AttemptQuiet { attempt, quiet });
        if let Err(error) = noted.and_then(|()| tell(self.memory, self.watch)) {
            self.watch.trouble(&error.to_string());
        }
    }

    fn must_end(&self) -> bool {
        self.stop.get() == Some(StopRequest::Now)
    }

    fn now(&self) -> Moment {
        self.memory.now()
    }
}

#[cfg(test)]
#[path = "drive_tests.rs"]
mod tests;
