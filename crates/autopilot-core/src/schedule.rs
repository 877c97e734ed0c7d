//! The schedule: in which order the selected phases run, which can run at once, the critical path, and what a failure of each
//! would block (SEL-2, ROAD-4).

mod edges;
mod reach;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::finding::Place;
use crate::phase_id::PhaseId;
use crate::problem::Problem;
use crate::project::Project;
use crate::roadmap::Phase;
use crate::roadmap::index::PhaseIndex;
use crate::schedule::edges::Edges;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Dependencies first, ties in roadmap order.
    pub order: Vec<PhaseId>,
    /// Phases that could run at once: each needs only what stands in waves before it.
    pub waves: Vec<Vec<PhaseId>>,
    /// The chain of dependencies with the highest estimate.
    pub critical_path: Vec<PhaseId>,
    /// What hangs on each phase of `order`, in the same order.
    pub blocks: Vec<Blocked>,
}

/// The selected phases that could not run if one failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocked {
    pub count: usize,
    /// Places in `order`, as many as `limits::BLOCKS_LISTED_TOTAL_MAX` leaves for each.
    pub listed: Vec<u32>,
}

impl Schedule {
    pub fn blocked_by(&self, id: &PhaseId) -> Option<&Blocked> {
        let place = self.order.iter().position(|ordered| ordered == id)?;
        self.blocks.get(place)
    }
}

/// `selected` are places in the roadmap; `cost` gives the estimate of the phase at one, for the critical path.
pub fn make(
    project: &Project<'_>,
    selected: &[usize],
    cost: impl Fn(usize) -> u64,
) -> Result<Schedule, Problem> {
    let mut selected = selected.to_vec();
    selected.sort_unstable();
    let graph = Graph::of(project, &selected)?;
    let order = graph.order(project)?;
    let layers = graph.layers(&order);
    let depth = layers.iter().max().map_or(0, |last| last + 1);
    let mut waves = vec![Vec::new(); depth];
    for index in &order {
        waves[layers[*index]].push(graph.ids[*index].clone());
    }
    let costs: Vec<u64> = selected.iter().map(|place| cost(*place)).collect();
    let id_of = |index: &usize| graph.ids[*index].clone();
    Ok(Schedule {
        critical_path: graph.critical_path(&order, &costs).iter().map(id_of).collect(),
        blocks: reach::reachable(&order, &graph.needed_by),
        order: order.iter().map(id_of).collect(),
        waves,
    })
}

/// Phases of a circle that are printed; the rest is counted.
const CIRCLE_SHOWN_MAX: usize = 20;

/// The selected phases in roadmap order, by index.
struct Graph<'a> {
    ids: Vec<&'a PhaseId>,
    needs: Edges,
    needed_by: Edges,
}

impl<'a> Graph<'a> {
    /// `selected` are places in the roadmap, in its order.
    fn of(project: &'a Project<'_>, selected: &[usize]) -> Result<Graph<'a>, Problem> {
        let phases = &project.roadmap.phases;
        let index = PhaseIndex::of(phases);
        let mut own_of_place: Vec<Option<usize>> = vec![None; phases.len()];
        for (own, place) in selected.iter().enumerate() {
            own_of_place[*place] = Some(own);
        }
        let mut needs = Edges::for_nodes(selected.len());
        for phase in selected.iter().map(|place| &phases[*place]) {
            for dependency in &phase.depends_on {
                match index.place(dependency) {
                    Some(place) => own_of_place[place].into_iter().for_each(|own| needs.add(own)),
                    None if project.archived.contains(dependency) => {}
                    None => return Err(unknown_dependency(project, phase, dependency)),
                }
            }
            needs.close_node();
        }
        let ids = selected.iter().map(|place| &phases[*place].id).collect();
        Ok(Graph { ids, needed_by: needs.turned(), needs })
    }

    /// Kahn's walk; the lowest in the roadmap goes first among those that are ready.
    fn order(&self, project: &Project) -> Result<Vec<usize>, Problem> {
        let mut open: Vec<usize> =
            (0..self.ids.len()).map(|index| self.needs.of(index).len()).collect();
        let mut ready: BinaryHeap<Reverse<usize>> =
            (0..open.len()).filter(|index| open[*index] == 0).map(Reverse).collect();
        let mut order = Vec::with_capacity(open.len());
        while let Some(Reverse(index)) = ready.pop() {
            order.push(index);
            for next in self.needed_by.of(index) {
                open[*next] -= 1;
                if open[*next] == 0 {
                    ready.push(Reverse(*next));
                }
            }
        }
        if order.len() < open.len() { Err(self.cycle(&open, project)) } else { Ok(order) }
    }

    /// Walks back along unmet needs until a phase comes again: that is the circle.
    fn cycle(&self, open: &[usize], project: &Project) -> Problem {
        let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
        let mut path: Vec<usize> = Vec::new();
        let mut at = (0..open.len()).find(|index| open[*index] > 0).unwrap_or_default();
        while seen.insert(at, path.len()).is_none() {
            path.push(at);
            at = self.needs.of(at).iter().copied().find(|need| open[*need] > 0).unwrap_or(at);
        }
        let start =
            seen.get(&at).map_or(0, |_| path.iter().position(|index| *index == at).unwrap_or(0));
        let mut circle: Vec<String> =
            path[start..].iter().map(|index| self.ids[*index].to_string()).collect();
        let length = circle.len();
        if length > CIRCLE_SHOWN_MAX {
            circle.truncate(CIRCLE_SHOWN_MAX);
            circle.push(format!("… ({length} phases)"));
        }
        circle.push(self.ids[at].to_string());
        let line = project.roadmap.phase(self.ids[at]).map(|phase| phase.line);
        Problem::usage(
            format!("the phases depend on each other in a circle: {}", circle.join(" → ")),
            "each of them waits for the next, so none could ever start (an arrow reads \"depends on\")",
            format!("take one dependency out of the circle in {}", project.roadmap.file),
        )
        .at(Place { file: project.roadmap.file.clone(), line })
    }

    fn layers(&self, order: &[usize]) -> Vec<usize> {
        let mut layers = vec![0; self.ids.len()];
        for index in order {
            layers[*index] =
                self.needs.of(*index).iter().map(|need| layers[*need] + 1).max().unwrap_or(0);
        }
        layers
    }

    fn critical_path(&self, order: &[usize], costs: &[u64]) -> Vec<usize> {
        let mut best: Vec<(u64, Option<usize>)> = vec![(0, None); self.ids.len()];
        for index in order {
            // The earliest wins among equals, so that the path does not depend on luck.
            let before =
                self.needs.of(*index).iter().map(|need| (best[*need].0, Reverse(*need))).max();
            let (cost, from) = before.map_or((0, None), |(cost, need)| (cost, Some(need.0)));
            best[*index] = (cost + costs[*index], from);
        }
        let last = order.iter().map(|index| (best[*index].0, Reverse(*index))).max();
        let mut path = Vec::new();
        let mut at = last.map(|(_, index)| index.0);
        while let Some(index) = at {
            path.push(index);
            at = best[index].1;
        }
        path.reverse();
        path
    }
}

fn unknown_dependency(project: &Project, phase: &Phase, dependency: &PhaseId) -> Problem {
    Problem::usage(
        format!("phase {} depends on phase {dependency}, which does not exist", phase.id),
        format!("it is neither in {} nor in .planning/milestones/, so nobody can say whether it is done", project.roadmap.file),
        format!("correct the \"Depends on\" line of phase {}, or add phase {dependency} to the roadmap", phase.id),
    )
    .at(Place::line(project.roadmap.file.clone(), phase.line))
}

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;
