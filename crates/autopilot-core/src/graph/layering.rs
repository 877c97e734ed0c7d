//! Puts the phases into layers, in several ways to choose from, and adds the lanes on which long edges pass a layer.

use std::ops::RangeInclusive;

use super::dag::Dag;
use crate::limits;

/// Blank columns between neighbours in a layer.
pub(super) const GAP: usize = 1;
/// A lane is one column wide.
const LANE: usize = 1;

/// Something that takes columns in a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) width: usize,
    /// The linked items of the layer above.
    pub(super) above: Vec<usize>,
    pub(super) below: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Phase(usize),
    /// All edges of this phase that go on below the layer share one lane.
    Lane(usize),
}

impl Item {
    /// The phase that the edges below this item start from.
    pub(super) fn net(&self) -> usize {
        match self.kind {
            Kind::Phase(phase) | Kind::Lane(phase) => phase,
        }
    }

    /// The columns at which an edge may well leave or enter an item that stands at `left`: not right beside a corner.
    pub(super) fn reach(&self, left: usize) -> RangeInclusive<usize> {
        let margin = ((self.width - 1) / 2).min(2);
        left + margin..=left + self.width - 1 - margin
    }

    pub(super) fn is_lane(&self) -> bool {
        matches!(self.kind, Kind::Lane(_))
    }
}

/// The layers from top to bottom, each a row of items from left to right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layered {
    pub(super) items: Vec<Item>,
    pub(super) layers: Vec<Vec<usize>>,
}

impl Layered {
    /// `None` when the lanes are too many to be worth drawing.
    pub(super) fn of(dag: &Dag, widths: &[usize], depths: &[usize]) -> Option<Layered> {
        let mut layered = Layered { items: Vec::new(), layers: Vec::new() };
        let layer_count = depths.iter().max().map_or(0, |deepest| deepest + 1);
        layered.layers.resize(layer_count, Vec::new());
        for (phase, &depth) in depths.iter().enumerate() {
            layered.add(depth, Kind::Phase(phase), widths[phase]);
        }
        for (phase, targets) in dag.targets.iter().enumerate() {
            let mut carrier = phase;
            let deepest = targets.iter().map(|&target| depths[target]).max().unwrap_or(0);
            for depth in depths[phase] + 1..=deepest {
                for &target in targets.iter().filter(|&&target| depths[target] == depth) {
                    layered.link(carrier, target);
                }
                if depth < deepest {
                    let lane = layered.add(depth, Kind::Lane(phase), LANE);
                    layered.link(carrier, lane);
                    carrier = lane;
                }
                if layered.items.len() > limits::GRAPH_ITEMS_MAX {
                    return None;
                }
            }
        }
        Some(layered)
    }

    /// The columns that the widest layer takes at least.
    pub(super) fn needed(&self) -> usize {
        let width = |layer: &Vec<usize>| {
            let own: usize = layer.iter().map(|&item| self.items[item].width + GAP).sum();
            own.saturating_sub(GAP)
        };
        self.layers.iter().map(width).max().unwrap_or(0)
    }

    fn add(&mut self, depth: usize, kind: Kind, width: usize) -> usize {
        self.items.push(Item { kind, width, above: Vec::new(), below: Vec::new() });
        self.layers[depth].push(self.items.len() - 1);
        self.items.len() - 1
    }

    fn link(&mut self, upper: usize, lower: usize) {
        self.items[upper].below.push(lower);
        self.items[lower].above.push(upper);
    }
}

/// What goes first when a layer cannot hold everything that is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// What most still waits for, in length of path.
    LongestPath,
    /// What ends the most lanes and starts the fewest.
    FewestLanes,
}

/// Layers no wider than `width`: what does not fit moves down a layer. `None` when a single phase does not fit.
pub(super) fn bounded(
    dag: &Dag,
    widths: &[usize],
    width: usize,
    first: First,
) -> Option<Vec<usize>> {
    let heights = heights(dag);
    let mut filling = Filling::start(dag);
    let mut layer = 0;
    while filling.placed < dag.len() {
        let mut ready = filling.ready(dag);
        let rank = |&phase: &usize| match first {
            First::LongestPath => usize::MAX - heights[phase],
            First::FewestLanes => {
                let starts = usize::from(!dag.targets[phase].is_empty());
                dag.len() + starts - filling.lanes_ended(dag, phase)
            }
        };
        ready.sort_by_key(rank);
        let mut used = filling.lanes() * (LANE + GAP);
        let mut chosen = Vec::new();
        for phase in ready {
            let freed = filling.lanes_ended(dag, phase) * (LANE + GAP);
            // One column more than the width, because the last item has no gap to its right.
            if used + widths[phase] + GAP <= width + GAP + freed {
                used = used + widths[phase] + GAP - freed;
                filling.take(dag, phase);
                chosen.push(phase);
            }
        }
        if chosen.is_empty() {
            return None;
        }
        for phase in chosen {
            filling.settle(dag, phase, layer);
        }
        layer += 1;
    }
    Some(filling.depths)
}

/// Layers while they are being filled from the top.
struct Filling {
    depths: Vec<usize>,
    is_placed: Vec<bool>,
    placed: usize,
    /// Sources of each phase that are not in a layer above yet.
    waits_for: Vec<usize>,
    /// Targets of each phase that are not in a layer yet.
    open_targets: Vec<usize>,
    /// Phases in the layers above that have open targets: each is a lane.
    is_lane: Vec<bool>,
}

impl Filling {
    fn start(dag: &Dag) -> Filling {
        Filling {
            depths: vec![0; dag.len()],
            is_placed: vec![false; dag.len()],
            placed: 0,
            waits_for: dag.sources.iter().map(Vec::len).collect(),
            open_targets: dag.targets.iter().map(Vec::len).collect(),
            is_lane: vec![false; dag.len()],
        }
    }

    fn ready(&self, dag: &Dag) -> Vec<usize> {
        let is_ready = |&phase: &usize| !self.is_placed[phase] && self.waits_for[phase] == 0;
        (0..dag.len()).filter(is_ready).collect()
    }

    fn lanes(&self) -> usize {
        let is_open = |phase: &usize| self.is_lane[*phase] && self.open_targets[*phase] > 0;
        (0..self.is_lane.len()).filter(is_open).count()
    }

    fn lanes_ended(&self, dag: &Dag, phase: usize) -> usize {
        dag.sources[phase].iter().filter(|&&source| self.open_targets[source] == 1).count()
    }

    fn take(&mut self, dag: &Dag, phase: usize) {
        self.is_placed[phase] = true;
        self.placed += 1;
        for &source in &dag.sources[phase] {
            self.open_targets[source] -= 1;
        }
    }

    fn settle(&mut self, dag: &Dag, phase: usize, layer: usize) {
        self.depths[phase] = layer;
        self.is_lane[phase] = true;
        for &target in &dag.targets[phase] {
            self.waits_for[target] -= 1;
        }
    }
}

/// Moves phases down towards what depends on them where that shortens the lanes on the whole.
pub(super) fn pulled(dag: &Dag, mut depths: Vec<usize>) -> Vec<usize> {
    for phase in dag.order().into_iter().rev() {
        let Some(nearest) = dag.targets[phase].iter().map(|&target| depths[target]).min() else {
            continue;
        };
        let depth = depths[phase];
        let lowest = nearest - 1;
        if lowest == depth {
            continue;
        }
        // A source whose lane ends here would have to follow; one whose lane goes on anyway would not.
        let follows = |&&source: &&usize| {
            dag.targets[source].iter().all(|&target| target == phase || depths[target] <= depth)
        };
        if dag.sources[phase].iter().filter(follows).count() == 0 {
            depths[phase] = lowest;
        }
    }
    depths
}

/// The length of the longest path from each phase to an end.
fn heights(dag: &Dag) -> Vec<usize> {
    let mut heights = vec![0; dag.len()];
    for phase in dag.order().into_iter().rev() {
        for &target in &dag.targets[phase] {
            heights[phase] = heights[phase].max(heights[target] + 1);
        }
    }
    heights
}
