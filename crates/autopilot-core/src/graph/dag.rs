//! The bare graph of indexes: its soundness, its layers, the edges worth drawing and its connected parts.

use std::collections::VecDeque;

use super::Graph;

/// What follows each node and what each node follows, in ascending order and without doubles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dag {
    pub(super) targets: Vec<Vec<usize>>,
    pub(super) sources: Vec<Vec<usize>>,
}

/// The nodes that a cycle holds together.
pub(super) struct Cycle(pub(super) Vec<usize>);

impl Dag {
    /// Edges to nodes that do not exist are left out: nobody could draw them.
    pub(super) fn of(graph: &Graph) -> Result<Dag, Cycle> {
        let count = graph.nodes.len();
        let mut edges = graph.edges.clone();
        edges.retain(|&(from, to)| from < count && to < count);
        edges.sort_unstable();
        edges.dedup();
        let dag = Dag::from_edges(count, &edges);
        let forward = left_over(&dag.targets, &dag.sources);
        if !forward.contains(&true) {
            return Ok(dag);
        }
        // What merely hangs below a cycle is left over too; seen from the other end it is not.
        let backward = left_over(&dag.sources, &dag.targets);
        Err(Cycle((0..count).filter(|&node| forward[node] && backward[node]).collect()))
    }

    fn from_edges(count: usize, edges: &[(usize, usize)]) -> Dag {
        let mut dag = Dag { targets: vec![Vec::new(); count], sources: vec![Vec::new(); count] };
        for &(from, to) in edges {
            dag.targets[from].push(to);
            dag.sources[to].push(from);
        }
        dag
    }

    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    /// The layer of every node: one below its lowest dependency.
    pub(super) fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.len()];
        for node in self.order() {
            for &target in &self.targets[node] {
                depths[target] = depths[target].max(depths[node] + 1);
            }
        }
        depths
    }

    pub(super) fn layers(&self) -> Vec<Vec<usize>> {
        let mut layers = Vec::new();
        for (node, depth) in self.depths().into_iter().enumerate() {
            if layers.len() <= depth {
                layers.resize(depth + 1, Vec::new());
            }
            layers[depth].push(node);
        }
        layers
    }

    /// Every dependency before what depends on it.
    pub(super) fn order(&self) -> Vec<usize> {
        peel(&self.targets, &self.sources)
    }

    /// Without the edges that a longer path implies, and how many those were.
    pub(super) fn reduced(&self) -> (Dag, usize) {
        let count = self.len();
        let words = count.div_ceil(64);
        let mut reached = vec![vec![0u64; words]; count];
        let mut edges = Vec::new();
        let mut implied = 0;
        for node in self.order().into_iter().rev() {
            let mut beyond = vec![0u64; words];
            for &target in &self.targets[node] {
                for (word, more) in beyond.iter_mut().zip(&reached[target]) {
                    *word |= more;
                }
            }
            for &target in &self.targets[node] {
                if beyond[target / 64] >> (target % 64) & 1 == 1 {
                    implied += 1;
                } else {
                    edges.push((node, target));
                }
            }
            for &target in &self.targets[node] {
                beyond[target / 64] |= 1 << (target % 64);
            }
            reached[node] = beyond;
        }
        edges.sort_unstable();
        (Dag::from_edges(count, &edges), implied)
    }

    /// The connected parts, each with its nodes in ascending order; single nodes come last.
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut is_seen = vec![false; self.len()];
        let mut parts = Vec::new();
        for start in 0..self.len() {
            if is_seen[start] {
                continue;
            }
            is_seen[start] = true;
            let mut nodes = vec![start];
            let mut next = 0;
            while let Some(&node) = nodes.get(next) {
                next += 1;
                for &near in self.targets[node].iter().chain(&self.sources[node]) {
                    if !is_seen[near] {
                        is_seen[near] = true;
                        nodes.push(near);
                    }
                }
            }
            nodes.sort_unstable();
            parts.push(self.part(nodes));
        }
        parts.sort_by_key(|part| part.nodes.len() == 1);
        parts
    }

    fn part(&self, nodes: Vec<usize>) -> Part {
        let place = |node: &usize| nodes.binary_search(node).ok();
        let mut edges = Vec::new();
        for (from, node) in nodes.iter().enumerate() {
            edges.extend(self.targets[*node].iter().filter_map(place).map(|to| (from, to)));
        }
        Part { dag: Dag::from_edges(nodes.len(), &edges), nodes }
    }
}

/// A connected part with its own numbering; `nodes` leads back to the whole.
pub(super) struct Part {
    pub(super) nodes: Vec<usize>,
    pub(super) dag: Dag,
}

fn peel(after: &[Vec<usize>], before: &[Vec<usize>]) -> Vec<usize> {
    let mut open: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut ready: VecDeque<usize> = (0..open.len()).filter(|&node| open[node] == 0).collect();
    let mut order = Vec::with_capacity(open.len());
    while let Some(node) = ready.pop_front() {
        order.push(node);
        for &next in &after[node] {
            open[next] -= 1;
            if open[next] == 0 {
                ready.push_back(next);
            }
        }
    }
    order
}

fn left_over(after: &[Vec<usize>], before: &[Vec<usize>]) -> Vec<bool> {
    let mut is_left = vec![true; after.len()];
    for node in peel(after, before) {
        is_left[node] = false;
    }
    is_left
}
