//! What happens in the made-up world to the files that say how work is measured.

use autopilot_core::run::effect::{AgentOrder, Measurement};
use autopilot_core::run::gate_definitions::{CONFIG, Touch, Touched, listed_by};
use autopilot_core::run::state::RunState;
use autopilot_core::run::work::Work;

use super::behaviour::Behaviour;
use super::tree::{self, Tree};

/// As an engine puts them back.
pub(super) fn put_back(
    state: &RunState,
    order: &AgentOrder,
    behaviour: &Behaviour,
) -> Vec<Touched> {
    let touched = |path: &str, how: Touch| vec![Touched { path: path.to_string(), how }];
    match behaviour {
        Behaviour::ChangesSettings if !are_listed(state, order) => touched(CONFIG, Touch::Changed),
        Behaviour::TicksRoadmap => touched(".planning/ROADMAP.md", Touch::OnlyTicks),
        _ => Vec::new(),
    }
}

/// Whether the plan wants the settings changed.
pub(super) fn are_listed(state: &RunState, order: &AgentOrder) -> bool {
    let work = state.phase(&order.phase).and_then(|phase| phase.work.as_deref());
    work.is_some_and(|work| listed_by(work, CONFIG).is_some())
}

/// What a candidate has otherwise than the commit its phase began from.
pub(super) fn changed(measurement: &Measurement, work: &Work, tree: &Tree) -> Vec<Touched> {
    let is_changed = measurement.at != work.base && tree.flaws & tree::REDEFINED != 0;
    let touched = || Touched { path: CONFIG.to_string(), how: Touch::Changed };
    is_changed.then(touched).into_iter().collect()
}
