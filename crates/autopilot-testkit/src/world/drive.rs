//! The loop of a run over the made-up world: ask `next`, record, answer, record. One event at a time, so that whoever drives can
//! kill it, stop it or look at it between any two.

use std::collections::VecDeque;

use autopilot_core::run::addition::Addition;
use autopilot_core::run::effect::Effect;
use autopilot_core::run::event::{Event, Spend, StopRequest};
use autopilot_core::run::ids::Moment;
use autopilot_core::run::next::must_cancel;
use autopilot_core::run::request::{Request, admit};
use autopilot_core::run::state::{InFlight, RunState, RunStatus};
use autopilot_core::run::{Illegal, Move, apply, next};

use super::{Script, answer};

/// The rules did what they must never do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("the rules refuse what they ordered themselves: {0}")]
    Refused(#[from] Illegal),
    #[error("event {0}: nothing is under way and nothing is to be done, but the run is not over")]
    Stuck(u64),
    #[error("the run was not over after {0} events")]
    Endless(usize),
    #[error("event {0}: the journal folds to another state than the one the run was in")]
    FoldsOtherwise(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stepped {
    /// One event was recorded.
    Recorded,
    /// The run stands still; its status says why.
    Stands,
}

/// A run under way.
pub struct Drive<'a, S> {
    script: &'a S,
    /// What a run reads before it decides anything.
    opening: &'a [Event],
    pub journal: Vec<Event>,
    /// When each event of the journal happened.
    pub times: Vec<Moment>,
    now: Moment,
    state: Option<RunState>,
    /// Answers of the world that are not recorded yet.
    coming: VecDeque<Event>,
}

impl<'a, S: Script> Drive<'a, S> {
    pub fn new(script: &'a S, opening: &'a [Event]) -> Self {
        let (journal, times, coming) = (Vec::new(), Vec::new(), VecDeque::new());
        Drive { script, opening, journal, times, now: Moment(0), state: None, coming }
    }

    /// Goes on from a journal that somebody left behind, as it is.
    pub fn open(
        script: &'a S,
        opening: &'a [Event],
        journal: &[Event],
        times: &[Moment],
    ) -> Result<Self, Trouble> {
        let mut drive = Drive::new(script, opening);
        drive.journal.extend_from_slice(journal);
        drive.times.extend_from_slice(times);
        drive.now = times.last().copied().unwrap_or_default();
        drive.state = fold(journal, times)?;
        Ok(drive)
    }

    pub fn state(&self) -> Option<&RunState> {
        self.state.as_ref()
    }

    /// Records what comes next.
    pub fn step(&mut self) -> Result<Stepped, Trouble> {
        if let Some(event) = self.coming.pop_front() {
            self.now = Moment(self.now.0 + took_ms(&event));
            return self.record(event);
        }
        let Some(state) = &self.state else {
            return self.record(self.opening[0].clone());
        };
        if state.status == RunStatus::Running && !state.is_read {
            let read = usize::from(state.project.is_some()) + state.phases.len();
            return self.record(self.opening[1 + read].clone());
        }
        // What is waited for comes at once: nobody looks at a clock here.
        let mut moved = next(state, self.now);
        if let Move::Wait { until: Some(until), .. } = moved {
            self.now = self.now.max(until);
            moved = next(state, self.now);
        }
        match moved {
            Move::Record(event) => self.record(event),
            Move::Start(effect) => {
                let attempt = autopilot_core::run::ids::AttemptId(state.attempts + 1);
                let answers = answer(self.script, (state, self.now), attempt, &effect);
                self.record(Event::StepStarted { attempt, effect })?;
                self.coming.extend(answers);
                Ok(Stepped::Recorded)
            }
            Move::Wait { .. } => Err(Trouble::Stuck(state.events)),
            Move::Done => Ok(Stepped::Stands),
        }
    }

    /// Steps until the run stands still.
    pub fn finish(&mut self, events_max: usize) -> Result<(), Trouble> {
        while self.step()? == Stepped::Recorded {
            if self.journal.len() > events_max {
                return Err(Trouble::Endless(events_max));
            }
        }
        Ok(())
    }

    /// autopilot dies and is started again: all it knows is the journal.
    pub fn kill(&mut self) -> Result<(), Trouble> {
        self.coming.clear();
        let folded = fold(&self.journal, &self.times)?;
        if folded != self.state {
            return Err(Trouble::FoldsOtherwise(self.journal.len() as u64));
        }
        self.state = folded;
        self.recover()
    }

    /// What a new start does first: it records what was under way as lost, and that it goes on.
    pub fn recover(&mut self) -> Result<(), Trouble> {
        let Some(state) = &self.state else { return Ok(()) };
        self.now = Moment(self.now.0 + AWAY_MS);
        if let Some(under_way) = &state.in_flight {
            let (attempt, spend) = (under_way.attempt, told(under_way));
            self.record(Event::AttemptLost { attempt, spend })?;
        }
        self.resume()
    }

    /// Nothing to say when the run is over.
    pub fn resume(&mut self) -> Result<(), Trouble> {
        if self.state.as_ref().is_some_and(|state| !state.is_over()) {
            self.now = Moment(self.now.0 + AWAY_MS);
            self.record(Event::RunResumed {
                drift: Vec::new(),
                caps: None,
                agent: None,
                fencing: None,
            })?;
        }
        Ok(())
    }

    /// Somebody asks the run to stop.
    pub fn stop(&mut self, how: StopRequest) -> Result<(), Trouble> {
        if self.state.as_ref().is_none_or(|state| state.status != RunStatus::Running) {
            return Ok(());
        }
        self.record(Event::StopRequested { how })?;
        let state = self.state.as_ref().filter(|state| must_cancel(state));
        if let Some(under_way) = state.and_then(|state| state.in_flight.as_ref()) {
            let (attempt, spend) = (under_way.attempt, told(under_way));
            self.coming.clear();
            self.record(Event::AttemptCancelled { attempt, rescue: None, spend })?;
        }
        Ok(())
    }

    /// Somebody asks for something that the rules have to take.
    pub fn ask(&mut self, event: Event) -> Result<(), Trouble> {
        self.record(event).map(|_| ())
    }

    /// Somebody asks for more phases; what is refused changes nothing.
    pub fn add(&mut self, addition: &Addition) -> Result<(), Trouble> {
        let Some(state) = &self.state else { return Ok(()) };
        let admitted = admit(state, &Request::Add(addition.clone())).unwrap_or_default();
        for event in admitted {
            self.record(event)?;
        }
        Ok(())
    }

    fn record(&mut self, event: Event) -> Result<Stepped, Trouble> {
        self.state = Some(apply(self.state.take(), &event, self.now)?);
        self.journal.push(event);
        self.times.push(self.now);
        Ok(Stepped::Recorded)
    }
}

/// What an agent that is cut off has told: nothing that counts for a cap, so that a run with kills ends as one without.
fn told(under_way: &InFlight) -> Option<Spend> {
    let is_agent = matches!(under_way.effect, Effect::RunAgent(_)) && under_way.group.is_some();
    is_agent.then(|| Spend { cache_read: 300, usd_micros: Some(0), ..Spend::default() })
}

/// How long a run lies before somebody takes it up again: longer than a phase may take, so that whoever counts it is found out.
const AWAY_MS: u64 = 3 * 60 * 60_000;

/// Time passes while agents work and checks run, and nowhere else. What a kill cuts off takes no time then, and a run that was
/// killed has run exactly as long as one that was not.
fn took_ms(event: &Event) -> u64 {
    match event {
        Event::StepCompleted { work, .. } | Event::StepFailed { work, .. } => work.took_ms,
        Event::EvidenceMeasured { measured, .. } => measured.iter().map(|one| one.took_ms).sum(),
        _ => 0,
    }
}

/// None for an empty journal.
pub fn fold(journal: &[Event], times: &[Moment]) -> Result<Option<RunState>, Trouble> {
    let mut state = None;
    for (event, at) in journal.iter().zip(times) {
        state = Some(apply(state, event, *at)?);
    }
    Ok(state)
}
