//! Whole runs from a seed: a random roadmap, random settings, agents that succeed, fail, lie, hang and crash, kills and stops between
//! any two events. After every event the auditor looks; a run that was disturbed must end as the undisturbed one.

use autopilot_core::run::apply;
use std::thread;

use autopilot_core::run::addition::Addition;
use autopilot_core::run::event::{Event, StopRequest};
use autopilot_core::run::state::{RunState, RunStatus};

use crate::scenario::account::Narrator;
use crate::world::replay::{self, Ending};
use crate::world::{Drive, Stepped};

pub mod auditor;
mod candidate;
mod purse;
mod watchdog;
pub mod chance;
pub mod forged;
pub mod seeded;
pub mod tally;
mod wishes;

use auditor::Auditor;
use chance::Chance;
use seeded::Seeded;
use tally::Tally;
use wishes::Wishes;

/// Events a phase may have, disturbances left out. The bounds allow some 700: two plans of six tasks with three tries each,
/// planning five times, and up to seven candidates with every reviewer asked twice. Twice that is going round in circles.
const EVENTS_PER_PHASE_MAX: usize = 1_400;
/// One event in so many is forged as well, to see it refused.
const FORGED_EVERY: usize = 40;

/// Kills in a row that open the breaker, and one more for the attempt after its cooldown.
const STORM: u32 = 4;

/// A run that broke a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("seed {seed}, event {event}: {what}")]
pub struct Broken {
    pub seed: u64,
    pub event: usize,
    pub what: String,
}

/// Plays one seed, disturbed and undisturbed, and counts what was seen.
pub fn simulate(seed: u64, tally: &mut Tally) -> Result<(), Broken> {
    let script = Seeded::new(seed);
    let undisturbed = play(seed, &script, Disturbance::None, tally)?;
    if script.disturbance == Disturbance::None {
        return Ok(());
    }
    let disturbed = play(seed, &script, script.disturbance, tally)?;
    if disturbed == undisturbed {
        return Ok(());
    }
    let what = format!("disturbed it ends as {disturbed:#?}\nundisturbed as {undisturbed:#?}");
    Err(Broken { seed, event: 0, what })
}

/// Plays that many seeds from the first on, half of them in a second thread.
pub fn simulate_many(first: u64, runs: u64) -> Result<Tally, Broken> {
    let middle = first + runs / 2;
    let play = |seeds: std::ops::Range<u64>| {
        let mut tally = Tally::default();
        seeds.into_iter().try_for_each(|seed| simulate(seed, &mut tally)).map(|()| tally)
    };
    let (one, other) = thread::scope(|scope| {
        let other = scope.spawn(|| play(middle..first + runs));
        (play(first..middle), other.join())
    });
    let mut sum = one?;
    sum.add(&other.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    Ok(sum)
}

/// The account of one seed, sentence by sentence, up to its end or to where it broke.
pub fn account(seed: u64) -> Vec<String> {
    let script = Seeded::new(seed);
    let opening = script.given.opening();
    let mut drive = Drive::new(&script, &opening);
    let mut disturber = Disturber::new(seed, &script, script.disturbance);
    let events_max = events_max(&script) * 2;
    while drive.journal.len() < events_max {
        match step(&mut drive, &mut disturber) {
            Ok(Stepped::Recorded) => {}
            Ok(Stepped::Stands) | Err(_) => break,
        }
    }
    Narrator::account(&drive.journal)
}

/// How often a run is disturbed: once in so many events, on average.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disturbance {
    None,
    EveryOf(usize),
}

fn events_max(script: &Seeded) -> usize {
    EVENTS_PER_PHASE_MAX * (1 + script.given.phases.len())
}

fn play(
    seed: u64,
    script: &Seeded,
    disturbance: Disturbance,
    tally: &mut Tally,
) -> Result<Ending, Broken> {
    let opening = script.given.opening();
    let mut drive = Drive::new(script, &opening);
    let mut disturber = Disturber::new(seed, script, disturbance);
    let mut auditor = Auditor::new(&script.given);
    let (mut told, events_max) = (0, events_max(script));
    loop {
        let broken = |event: usize, what: String| Broken { seed, event, what };
        let stepped = step(&mut drive, &mut disturber)
            .map_err(|trouble| broken(drive.journal.len(), trouble.to_string()))?;
        for at in told..drive.journal.len() {
            tally.events[drive.journal[at].place()] += 1;
            let told = (drive.journal.as_slice(), drive.times.as_slice());
            auditor.look(told, at, tally).map_err(|what| broken(at, what))?;
        }
        told = drive.journal.len();
        let Some(state) = drive.state() else { continue };
        if stepped == Stepped::Stands {
            auditor.finish(state).map_err(|what| broken(told, what))?;
            tally.end(state);
            return Ok(replay::ending(state));
        }
        if disturber.chance.one_in(FORGED_EVERY) {
            let last = drive.journal.last();
            refused(state, last, &mut disturber.chance, tally)
                .map_err(|what| broken(told, what))?;
        }
        let events = told - disturber.events;
        if events > events_max {
            return Err(broken(told, format!("not over after {events_max} events")));
        }
        tally.longest = tally.longest.max(events);
    }
}

/// One event of the run, or one disturbance.
fn step(
    drive: &mut Drive<'_, Seeded>,
    disturber: &mut Disturber,
) -> Result<Stepped, crate::world::Trouble> {
    let before = drive.journal.len();
    if disturber.adds(drive.journal.last()) {
        drive.add(&disturber.addition)?;
        return Ok(Stepped::Recorded);
    }
    if let Some(event) = drive.state().and_then(|state| disturber.wishes.due(state)) {
        drive.ask(event)?;
        return Ok(Stepped::Recorded);
    }
    let is_by_hand = drive.state().is_some_and(|state| state.landing.asked.is_some());
    let is_stopped =
        drive.state().is_some_and(|state| matches!(state.status, RunStatus::Paused(_)));
    if is_stopped {
        drive.resume()?;
    } else if disturber.storms(drive.state()) || (is_by_hand && disturber.strikes()) {
        drive.kill()?;
    } else if disturber.strikes() && drive.state().is_some_and(|state| !state.is_over()) {
        match disturber.chance.below(4) {
            0 => drive.stop(StopRequest::AfterStep)?,
            1 => drive.stop(StopRequest::Now)?,
            2 => disturber.storm = STORM,
            _ => drive.kill()?,
        }
    } else {
        return drive.step();
    }
    disturber.events += drive.journal.len() - before;
    Ok(Stepped::Recorded)
}

/// Decides when something from outside meets a run.
struct Disturber {
    chance: Chance,
    disturbance: Disturbance,
    /// The phases that are asked for once the run has its branch, disturbed or not.
    addition: Addition,
    /// What somebody wants of the work, disturbed or not.
    wishes: Wishes,
    /// Kills that are still to come, each in the middle of an attempt.
    storm: u32,
    /// Events that were recorded because of it.
    events: usize,
}

impl Disturber {
    fn new(seed: u64, script: &Seeded, disturbance: Disturbance) -> Self {
        let (chance, addition) = (Chance::new(seed ^ 0xD157), script.given.addition());
        let wishes = Wishes::of(seed);
        Disturber { chance, disturbance, addition, wishes, storm: 0, events: 0 }
    }

    fn adds(&self, last: Option<&Event>) -> bool {
        !self.addition.phases.is_empty() && matches!(last, Some(Event::RunOpened { .. }))
    }

    /// A machine that goes down again and again: what is under way is lost each time.
    fn storms(&mut self, state: Option<&RunState>) -> bool {
        let is_hit = self.storm > 0 && state.is_some_and(|state| state.in_flight.is_some());
        self.storm -= u32::from(is_hit);
        is_hit
    }

    fn strikes(&mut self) -> bool {
        match self.disturbance {
            Disturbance::None => false,
            Disturbance::EveryOf(events) => self.chance.one_in(events),
        }
    }
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// Events that cannot happen now have to be refused.
fn refused(
    state: &RunState,
    last: Option<&Event>,
    chance: &mut Chance,
    tally: &mut Tally,
) -> Result<(), String> {
    let Some((why, event)) = last.and_then(|last| forged::event(state, last, chance)) else {
        return Ok(());
    };
    tally.forged += 1;
    match apply(Some(state.clone()), &event, state.last_at) {
        Ok(_) => Err(format!("accepted ({why}): {event:?}")),
        Err(_) => Ok(()),
    }
}
