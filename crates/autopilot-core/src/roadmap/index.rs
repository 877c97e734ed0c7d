//! Finds phases by their id. A place is where a phase stands in its roadmap.

use crate::phase_id::PhaseId;
use crate::roadmap::Phase;

/// Plain numbers are looked up in a list, as nearly every id is one; the others are sorted once and searched by halves.
pub struct PhaseIndex<'p> {
    /// The place of the phase with this number.
    by_number: Vec<Option<u32>>,
    sorted: Vec<(&'p PhaseId, usize)>,
}

/// Numbers that are listed, for each phase of the roadmap. A roadmap may start at 100 or count in tens; one number in the
/// millions must not make a list of millions.
const NUMBERS_A_PHASE_MAX: usize = 16;

impl<'p> PhaseIndex<'p> {
    pub fn of(phases: &'p [Phase<'_>]) -> PhaseIndex<'p> {
        let end = phases.len() * NUMBERS_A_PHASE_MAX;
        let slot = |id: &PhaseId| {
            id.plain_number().map(|number| number as usize).filter(|slot| *slot < end)
        };
        let last = phases.iter().filter_map(|phase| slot(&phase.id)).max();
        let mut by_number = vec![None; last.map_or(0, |last| last + 1)];
        let mut sorted = Vec::new();
        for (place, phase) in phases.iter().enumerate() {
            match (slot(&phase.id), u32::try_from(place)) {
                (Some(slot), Ok(place)) => by_number[slot] = Some(place),
                (None, _) | (_, Err(_)) => sorted.push((&phase.id, place)),
            }
        }
        sorted.sort();
        PhaseIndex { by_number, sorted }
    }

    pub fn place(&self, id: &PhaseId) -> Option<usize> {
        let listed = id.plain_number().and_then(|number| *self.by_number.get(number as usize)?);
        match listed {
            Some(place) => Some(place as usize),
            None => self
                .sorted
                .binary_search_by(|(known, _)| (*known).cmp(id))
                .ok()
                .map(|found| self.sorted[found].1),
        }
    }

    pub fn holds(&self, id: &PhaseId) -> bool {
        self.place(id).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roadmap;

    #[test]
    fn every_phase_is_found_and_no_other() {
        let ids = ["4", "2.1", "7", "900000", "2", "B-2", "12A", "0"];
        let text: String = ids.iter().map(|id| format!("### Phase {id}: X\n")).collect();
        let (roadmap, _) = roadmap::read("R.md", &text);
        let index = PhaseIndex::of(&roadmap.phases);
        let place = |id: &str| index.place(&id.parse().unwrap());
        for (at, id) in ids.iter().enumerate() {
            assert_eq!(place(id), Some(at), "{id}");
        }
        for id in ["1", "3", "2.2", "8", "128", "900001", "B-3", "12", "4294967"] {
            assert_eq!(place(id), None, "{id}");
        }
    }
}
