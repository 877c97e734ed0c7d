//! Reads a picture back. Follows the characters from every box along the lines to the arrow heads, the way an eye does:
//! through junctions, straight over crossings. What it finds must be the edges that were to be drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use proptest::prelude::*;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Drawing, Graph, Node, draw};

type Edges = BTreeSet<(String, String)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Heading {
    Up,
    Down,
    Left,
    Right,
}

use Heading::{Down, Left, Right, Up};

/// The character cells of a text; the second half of a wide character is a blank.
struct Sheet {
    cells: Vec<Vec<char>>,
    /// The id of the box that a cell belongs to.
    owners: BTreeMap<(usize, usize), String>,
    /// Where an edge leaves each box.
    exits: Vec<(String, usize, usize)>,
}

impl Sheet {
    fn of(text: &str) -> Sheet {
        let row = |line: &str| {
            let wide = |c: char| [' '].into_iter().cycle().take(c.width().unwrap_or(0).max(1) - 1);
            line.chars().flat_map(|c| std::iter::once(c).chain(wide(c))).collect()
        };
        let cells = text.lines().map(row).collect();
        let mut sheet = Sheet { cells, owners: BTreeMap::new(), exits: Vec::new() };
        for row in 0..sheet.cells.len() {
            for column in 0..sheet.cells[row].len() {
                if sheet.at(row, column) == '╭' && !sheet.owners.contains_key(&(row, column)) {
                    sheet.take_box(row, column);
                }
            }
        }
        sheet
    }

    fn at(&self, row: usize, column: usize) -> char {
        self.cells.get(row).and_then(|cells| cells.get(column)).copied().unwrap_or(' ')
    }

    fn take_box(&mut self, top: usize, left: usize) {
        let right = (left..).find(|&column| self.at(top, column) == '╮').expect("an upper corner");
        let bottom = (top..).find(|&row| self.at(row, left) == '╰').expect("a lower corner");
        let title: String = (left + 1..right).map(|column| self.at(top + 1, column)).collect();
        let id = title.split_whitespace().next().expect("an id in the box").to_owned();
        for row in top..=bottom {
            for column in left..=right {
                let before = self.owners.insert((row, column), id.clone());
                assert_eq!(before, None, "two boxes overlap at row {row}, column {column}");
                if row == bottom && self.at(row, column) == '┬' {
                    self.exits.push((id.clone(), row, column));
                }
            }
        }
    }

    fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        let mut seen = BTreeSet::new();
        let mut heads = BTreeSet::new();
        for (source, row, column) in &self.exits {
            for head in self.follow(*row, *column, &mut seen) {
                let target = self.owners.get(&head).expect("an arrow head stands on a box");
                assert!(heads.insert(head), "two phases share the arrow head at {head:?}");
                edges.insert((source.clone(), target.clone()));
            }
        }
        self.check_nothing_loose(&seen, &heads);
        edges
    }

    /// The arrow heads that the line from here leads to. No cell may belong to the lines of two phases.
    fn follow(
        &self,
        row: usize,
        column: usize,
        seen: &mut BTreeSet<(usize, usize)>,
    ) -> Vec<(usize, usize)> {
        let mut heads = Vec::new();
        let mut own = BTreeSet::new();
        let mut open = vec![(row, column, Down)];
        while let Some((row, column, heading)) = open.pop() {
            let (row, column) = match heading {
                Up => (row - 1, column),
                Down => (row + 1, column),
                Left => (row, column - 1),
                Right => (row, column + 1),
            };
            let glyph = self.at(row, column);
            if glyph == '▼' {
                assert_eq!(heading, Down, "an arrow head is entered from above");
                heads.push((row, column));
                continue;
            }
            assert!(!self.owners.contains_key(&(row, column)), "a line runs into a box");
            if glyph == '│' && matches!(heading, Left | Right) {
                open.push((row, column, heading));
                continue;
            }
            let arms = arms(glyph);
            assert!(
                arms.contains(&opposite(heading)),
                "{glyph:?} at {row}, {column} breaks a line going {heading:?}"
            );
            if own.insert((row, column)) {
                assert!(
                    seen.insert((row, column)),
                    "two phases share {glyph:?} at {row}, {column}"
                );
                let on = arms.iter().filter(|&&arm| arm != opposite(heading));
                open.extend(on.map(|&arm| (row, column, arm)));
            }
        }
        heads
    }

    fn check_nothing_loose(
        &self,
        seen: &BTreeSet<(usize, usize)>,
        heads: &BTreeSet<(usize, usize)>,
    ) {
        for (row, cells) in self.cells.iter().enumerate() {
            for (column, &glyph) in cells.iter().enumerate() {
                let place = (row, column);
                if self.owners.contains_key(&place) {
                    let is_border = !self.owners.contains_key(&(row.wrapping_sub(1), column));
                    assert!(!is_border || glyph != '▼' || heads.contains(&place), "a loose arrow");
                } else {
                    assert!(
                        glyph == ' ' || seen.contains(&place),
                        "{glyph:?} at {place:?} is loose"
                    );
                }
            }
        }
    }
}

fn arms(glyph: char) -> &'static [Heading] {
    match glyph {
        '│' => &[Up, Down],
        '─' => &[Left, Right],
        '┌' => &[Down, Right],
        '┐' => &[Down, Left],
        '└' => &[Up, Right],
        '┘' => &[Up, Left],
        '├' => &[Up, Down, Right],
        '┤' => &[Up, Down, Left],
        '┬' => &[Down, Left, Right],
        '┴' => &[Up, Left, Right],
        '┼' => &[Up, Down, Left, Right],
        _ => &[],
    }
}

fn opposite(heading: Heading) -> Heading {
    match heading {
        Up => Down,
        Down => Up,
        Left => Right,
        Right => Left,
    }
}

/// The edges that no longer path implies, found the slow and obvious way.
fn expected(graph: &Graph) -> Edges {
    let count = graph.nodes.len();
    let mut reaches = vec![vec![false; count]; count];
    for &(from, to) in &graph.edges {
        reaches[from][to] = true;
    }
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
            }
        }
    }
    let is_needed = |&&(from, to): &&(usize, usize)| {
        !(0..count).any(|middle| reaches[from][middle] && reaches[middle][to])
    };
    let label = |node: usize| graph.nodes[node].label.clone();
    graph.edges.iter().filter(is_needed).map(|&(from, to)| (label(from), label(to))).collect()
}

/// Draws, reads back and compares; returns whether there was a picture.
pub(super) fn check_reads_back(graph: &Graph, width: usize) -> bool {
    let drawing = draw(graph, width);
    assert_eq!(drawing, draw(graph, width));
    match drawing {
        Drawing::Drawn { text, implied } => {
            for line in text.lines() {
                assert!(line.width() <= width, "wider than {width}: {line:?}");
            }
            let sheet = Sheet::of(&text);
            let labels: BTreeSet<&String> = sheet.owners.values().collect();
            assert_eq!(labels, graph.nodes.iter().map(|node| &node.label).collect(), "\n{text}");
            let edges = expected(graph);
            assert_eq!(sheet.edges(), edges, "\n{text}");
            let distinct: BTreeSet<_> = graph.edges.iter().collect();
            assert_eq!(implied, distinct.len() - edges.len());
            true
        }
        Drawing::TooWide { needed, layers } => {
            assert!(needed > width);
            let wider = draw(graph, needed);
            assert!(matches!(wider, Drawing::Drawn { .. }), "{needed} columns are not enough");
            assert_eq!(layers.concat().len(), graph.nodes.len());
            false
        }
        Drawing::TooLarge { .. } | Drawing::Cyclic { .. } => panic!("small and acyclic"),
    }
}

/// Edges lead from lower to higher numbers, which are then shuffled so that indexes say nothing.
fn graphs(nodes: RangeInclusive<usize>, edges_max: usize) -> impl Strategy<Value = Graph> {
    let name = prop_oneof![
        3 => "[A-Z][a-z]{2,9}( [a-z]{2,10}){0,3}",
        1 => Just("结账和付款 流程".to_owned()),
        1 => "[╭▼│ ─┼]{0,12}",
        1 => Just(String::new()),
    ];
    let node = (name, any::<bool>());
    let order = Just((0..*nodes.end()).collect::<Vec<_>>()).prop_shuffle();
    let nodes = prop::collection::vec(node, nodes);
    let pairs = prop::collection::vec((any::<usize>(), any::<usize>()), 0..=edges_max);
    (nodes, pairs, order).prop_map(|(nodes, pairs, order)| {
        let count = nodes.len();
        let order: Vec<usize> = order.into_iter().filter(|&node| node < count).collect();
        let mut edges = Vec::new();
        for (a, b) in pairs {
            let (a, b) = (a.checked_rem(count).unwrap_or(0), b.checked_rem(count).unwrap_or(0));
            if a != b {
                edges.push((order[a.min(b)], order[a.max(b)]));
            }
        }
        let node = |(index, (name, is_done)): (usize, (String, bool))| Node {
            label: format!("{}", index + 1),
            name,
            is_done,
        };
        Graph { nodes: nodes.into_iter().enumerate().map(node).collect(), edges }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn a_sparse_picture_says_exactly_what_depends_on_what(graph in graphs(0..=35, 45), width in 0usize..160) {
        check_reads_back(&graph, width);
    }

    #[test]
    fn a_dense_picture_says_exactly_what_depends_on_what(graph in graphs(10..=35, 140), width in 30usize..160) {
        check_reads_back(&graph, width);
    }

    #[test]
    fn thirty_phases_with_a_usual_number_of_edges_fit_eighty_columns(graph in graphs(30..=30, 45)) {
        prop_assert!(check_reads_back(&graph, 80));
    }
}
