//! Where each node of a graph leads, in one list: a list for each would be a thousand small ones.

/// Nodes are numbers from 0 on.
pub(super) struct Edges {
    ends: Vec<usize>,
    /// Where in `ends` those of a node begin; one more for the end.
    starts: Vec<usize>,
}

impl Edges {
    /// None yet, and room for so many nodes.
    pub(super) fn for_nodes(count: usize) -> Edges {
        let mut starts = Vec::with_capacity(count + 1);
        starts.push(0);
        Edges { ends: Vec::with_capacity(count), starts }
    }

    /// Adds to the edges of the node that comes next.
    pub(super) fn add(&mut self, end: usize) {
        self.ends.push(end);
    }

    /// The next node has all its edges.
    pub(super) fn close_node(&mut self) {
        self.starts.push(self.ends.len());
    }

    pub(super) fn of(&self, node: usize) -> &[usize] {
        &self.ends[self.starts[node]..self.starts[node + 1]]
    }

    pub(super) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Every edge the other way round; those of a node stay in the order of the nodes they lead to.
    pub(super) fn turned(&self) -> Edges {
        let mut starts = vec![0; self.nodes() + 1];
        for end in &self.ends {
            starts[*end + 1] += 1;
        }
        for node in 0..self.nodes() {
            starts[node + 1] += starts[node];
        }
        let mut free = starts.clone();
        let mut ends = vec![0; self.ends.len()];
        for node in 0..self.nodes() {
            for end in self.of(node) {
                ends[free[*end]] = node;
                free[*end] += 1;
            }
        }
        Edges { ends, starts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turned_twice_is_as_it_was() {
        let lists: [&[usize]; 4] = [&[], &[0], &[0, 1], &[0, 2]];
        let mut edges = Edges::for_nodes(4);
        for ends in lists {
            ends.iter().for_each(|end| edges.add(*end));
            edges.close_node();
        }
        let of = |edges: &Edges| -> Vec<Vec<usize>> {
            (0..edges.nodes()).map(|node| edges.of(node).to_vec()).collect()
        };
        assert_eq!(of(&edges), lists);
        assert_eq!(of(&edges.turned()), [vec![1, 2, 3], vec![2], vec![3], vec![]]);
        assert_eq!(of(&edges.turned().turned()), lists);
    }
}
