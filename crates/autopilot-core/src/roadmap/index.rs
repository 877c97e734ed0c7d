//! Finds phases by their id. A place is where a phase stands in its roadmap.

use crate::phase_id::PhaseId;
use crate::roadmap::Phase;

/// Sorted once and searched by halves. Roadmaps are nearly always in order already, which makes the sorting one walk.
pub struct PhaseIndex<'p> {
    sorted: Vec<(&'p PhaseId, usize)>,
}

impl<'p> PhaseIndex<'p> {
    pub fn of(phases: &'p [Phase<'_>]) -> PhaseIndex<'p> {
        let mut sorted: Vec<(&PhaseId, usize)> =
            phases.iter().enumerate().map(|(place, phase)| (&phase.id, place)).collect();
        sorted.sort();
        PhaseIndex { sorted }
    }

    pub fn place(&self, id: &PhaseId) -> Option<usize> {
        let found = self.sorted.binary_search_by(|(known, _)| (*known).cmp(id)).ok()?;
        Some(self.sorted[found].1)
    }

    pub fn holds(&self, id: &PhaseId) -> bool {
        self.place(id).is_some()
    }
}
