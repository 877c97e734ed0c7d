//! What somebody wants of a run's work: a merge at its end, and once it is over a merge or a rollback. The same for a run that is
//! disturbed and for one that is not.

use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::event::Event;
use autopilot_core::run::landing::{self, MergeTime};
use autopilot_core::run::state::{RunState, RunStatus};

use super::chance::Chance;

pub(super) struct Wishes {
    wants_merge: bool,
    /// What is asked for once the run is over, one after the other.
    later: Vec<Later>,
}

#[derive(Debug, Clone, Copy)]
enum Later {
    Merge,
    /// The passed phase at this place, with all that need it.
    Rollback {
        place: usize,
        is_landed: bool,
    },
}

impl Wishes {
    pub(super) fn of(seed: u64) -> Wishes {
        let mut chance = Chance::new(seed ^ 0x1A4D);
        let wants_merge = chance.one_in(3);
        let rollback = Later::Rollback { place: chance.below(30), is_landed: chance.one_in(2) };
        let later = match chance.below(6) {
            0 => vec![Later::Merge],
            1 => vec![rollback],
            2 => vec![rollback, Later::Merge],
            3 => vec![rollback, Later::Rollback { place: 0, is_landed: false }, Later::Merge],
            _ => Vec::new(),
        };
        Wishes { wants_merge, later: later.into_iter().rev().collect() }
    }

    /// What is asked for now, if anything is.
    pub(super) fn due(&mut self, state: &RunState) -> Option<Event> {
        let is_open = state.status == RunStatus::Running && state.landing.opened.is_some();
        if is_open && self.wants_merge {
            self.wants_merge = false;
            return Some(Event::MergeRequested { when: MergeTime::AtEnd });
        }
        let is_over = matches!(state.status, RunStatus::Completed(_));
        if !is_over || state.in_flight.is_some() || state.landing.asked.is_some() {
            return None;
        }
        while let Some(later) = self.later.pop() {
            let event = match later {
                Later::Merge => landing::order(state).map(|_| merge()),
                Later::Rollback { place, is_landed } => rollback(state, place, is_landed),
            };
            if event.is_some() {
                return event;
            }
        }
        None
    }
}

fn merge() -> Event {
    Event::MergeRequested { when: MergeTime::Now }
}

fn rollback(state: &RunState, place: usize, is_landed: bool) -> Option<Event> {
    let merges = &state.landing.merges;
    let first = merges.get(place.checked_rem(merges.len())?)?.phase.clone();
    let mut phases: Vec<PhaseId> = vec![first];
    phases.extend(landing::passed_dependents(state, &phases));
    let head = state.branch.as_ref().filter(|_| is_landed).map(|branch| branch.head.clone());
    Some(Event::RollbackInitiated { phases, onto: head })
}
