//! Routes the edges between two layers: every net gets a horizontal track of its own wherever two would touch.

use std::collections::BTreeSet;

/// All edges of one phase between two layers: from one column above to columns below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Net {
    /// The item of the upper layer that it comes from.
    pub(super) item: usize,
    pub(super) phase: usize,
    pub(super) top: usize,
    pub(super) bottoms: Vec<usize>,
}

/// The rows between two layers. Row 0 is the last row of the upper layer, row `tracks + 1` the first of the lower.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Channel {
    pub(super) tracks: usize,
    pub(super) strokes: Vec<Stroke>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stroke {
    Across { phase: usize, row: usize, from: usize, to: usize },
    Down { phase: usize, column: usize, from: usize, to: usize },
}

/// A horizontal piece of a net with the columns it is joined at.
#[derive(Debug, Clone)]
struct Run {
    phase: usize,
    top: usize,
    bottoms: Vec<usize>,
    starts: Starts,
    ends: Ends,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Starts {
    AtUpperLayer,
    AtAnotherRun,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    AtLowerLayer,
    AtRun(usize),
}

/// `None` when the nets are so dense that no column below `width` is left for a detour.
pub(super) fn route(nets: &[Net], width: usize) -> Option<Channel> {
    let mut taken: BTreeSet<usize> = nets.iter().flat_map(|net| net.bottoms.clone()).collect();
    taken.extend(nets.iter().map(|net| net.top));
    let (straight, bent): (Vec<&Net>, Vec<&Net>) =
        nets.iter().partition(|net| net.bottoms == [net.top]);
    let mut runs: Vec<Run> = bent.into_iter().map(Run::of).collect();
    let order = loop {
        match order(&runs) {
            Ok(order) => break order,
            // Each split takes one net out of all circles, so this ends.
            Err(circular) => split(&mut runs, circular, &mut taken, width)?,
        }
    };
    let rows = rows(&runs, &order);
    let tracks = rows.iter().max().copied().unwrap_or(0);
    let mut strokes = Vec::new();
    for net in straight {
        strokes.push(Stroke::Down { phase: net.phase, column: net.top, from: 0, to: tracks + 1 });
    }
    for (run, &row) in runs.iter().zip(&rows) {
        run.draw(row, &rows, tracks, &mut strokes);
    }
    Some(Channel { tracks, strokes })
}

impl Run {
    fn of(net: &Net) -> Run {
        let (starts, ends) = (Starts::AtUpperLayer, Ends::AtLowerLayer);
        Run { phase: net.phase, top: net.top, bottoms: net.bottoms.clone(), starts, ends }
    }

    fn left(&self) -> usize {
        self.bottoms.iter().fold(self.top, |left, &column| left.min(column))
    }

    fn right(&self) -> usize {
        self.bottoms.iter().fold(self.top, |right, &column| right.max(column))
    }

    /// On one row two runs keep a blank between them.
    fn touches(&self, other: &Run) -> bool {
        self.left() <= other.right() + 1 && other.left() <= self.right() + 1
    }

    /// Crossings that come from this run lying above the other.
    fn crossings_above(&self, other: &Run) -> usize {
        let crosses = |run: &Run, column: usize| run.left() < column && column < run.right();
        let own = self.bottoms.iter().filter(|&&column| crosses(other, column)).count();
        own + usize::from(crosses(self, other.top))
    }

    fn draw(&self, row: usize, rows: &[usize], tracks: usize, strokes: &mut Vec<Stroke>) {
        let phase = self.phase;
        strokes.push(Stroke::Across { phase, row, from: self.left(), to: self.right() });
        if self.starts == Starts::AtUpperLayer {
            strokes.push(Stroke::Down { phase, column: self.top, from: 0, to: row });
        }
        let to = match self.ends {
            Ends::AtLowerLayer => tracks + 1,
            Ends::AtRun(lower) => rows[lower],
        };
        for &column in &self.bottoms {
            strokes.push(Stroke::Down { phase, column, from: row, to });
        }
    }
}

/// Whether the first run must lie above the second, because otherwise their verticals would share cells.
fn must_precede(runs: &[Run], first: usize, second: usize) -> bool {
    let (upper, lower) = (&runs[first], &runs[second]);
    let is_joined = upper.ends == Ends::AtRun(second);
    let shares_column = upper.starts == Starts::AtUpperLayer
        && lower.ends == Ends::AtLowerLayer
        && lower.bottoms.contains(&upper.top);
    first != second && (is_joined || shares_column)
}

/// The runs from top to bottom with few crossings, or one that stands in a circle of runs each of which must precede
/// the next.
fn order(runs: &[Run]) -> Result<Vec<usize>, usize> {
    let mut left: Vec<usize> = (0..runs.len()).collect();
    let mut order = Vec::with_capacity(runs.len());
    while !left.is_empty() {
        let is_free = |&&run: &&usize| !left.iter().any(|&other| must_precede(runs, other, run));
        let cost = |&&run: &&usize| {
            let others = || left.iter().filter(|&&other| other != run);
            let as_upper: usize =
                others().map(|&other| runs[run].crossings_above(&runs[other])).sum();
            let as_lower: usize =
                others().map(|&other| runs[other].crossings_above(&runs[run])).sum();
            (as_upper as i64 - as_lower as i64, runs[run].left(), run)
        };
        match left.iter().filter(is_free).min_by_key(cost).copied() {
            Some(next) => {
                left.retain(|&run| run != next);
                order.push(next);
            }
            None => return Err(in_circle(runs, &left)),
        }
    }
    Ok(order)
}

/// Walks back from any run to one that must precede it; among so many runs the walk has entered a circle.
fn in_circle(runs: &[Run], left: &[usize]) -> usize {
    let mut run = left[0];
    for _ in 0..left.len() {
        run = left.iter().copied().find(|&other| must_precede(runs, other, run)).unwrap_or(run);
    }
    run
}

/// Splits a run in two that a free column joins: the upper one only comes down, the lower one only goes out.
fn split(runs: &mut Vec<Run>, run: usize, taken: &mut BTreeSet<usize>, width: usize) -> Option<()> {
    let lower = runs.len();
    let upper = &mut runs[run];
    let nearest = upper.bottoms.iter().min_by_key(|column| column.abs_diff(upper.top))?;
    let middle = usize::midpoint(*nearest, upper.top);
    let column = (0..width)
        .filter(|column| !taken.contains(column))
        .min_by_key(|column| column.abs_diff(middle))?;
    taken.insert(column);
    let bottoms = std::mem::replace(&mut upper.bottoms, vec![column]);
    upper.ends = Ends::AtRun(lower);
    let (starts, ends) = (Starts::AtAnotherRun, Ends::AtLowerLayer);
    let phase = upper.phase;
    runs.push(Run { phase, top: column, bottoms, starts, ends });
    Some(())
}

/// The row of every run: as high as what lies above it allows.
fn rows(runs: &[Run], order: &[usize]) -> Vec<usize> {
    let mut rows = vec![0; runs.len()];
    for (place, &run) in order.iter().enumerate() {
        let is_in_the_way =
            |&&other: &&usize| runs[run].touches(&runs[other]) || must_precede(runs, other, run);
        let above = order[..place].iter().filter(is_in_the_way).map(|&other| rows[other]).max();
        rows[run] = above.unwrap_or(0) + 1;
    }
    rows
}
