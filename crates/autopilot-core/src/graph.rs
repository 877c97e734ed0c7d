//! Draws which phase depends on which: as characters for a terminal, and as text for Mermaid and Graphviz.
//!
//! The picture reads from top to bottom. An edge leaves a box at `┬` and enters another at `▼`; lines that join belong to
//! one phase, and where lines of two phases cross the vertical one interrupts the other. The submodules stand in the order
//! of the work: graph, text of the boxes, layers, order, columns, rows, characters.

mod dag;
mod face;
mod layering;
mod ordering;
mod settle;
mod placement;
mod routing;
mod canvas;
mod picture;
mod export;

use crate::limits;
use dag::{Dag, Part};
use face::{Face, ROOMS, Room, face};
use picture::{Picture, narrowest, picture};
use placement::ports_width;

pub use export::{dot, mermaid};

/// One phase to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The phase id; it is never cut.
    pub label: String,
    pub name: String,
    pub is_done: bool,
}

/// The edges go from a dependency to what depends on it, as indexes into the nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drawing {
    /// `implied` edges are not drawn because a longer path says the same.
    Drawn { text: String, implied: usize },
    /// The layers, so that they can be listed instead: everything in one depends only on those before it.
    TooWide { needed: usize, layers: Vec<Vec<usize>> },
    /// More phases or edges than a picture can show.
    TooLarge { layers: Vec<Vec<usize>> },
    /// These nodes wait for each other; there is no top to begin at.
    Cyclic { nodes: Vec<usize> },
}

/// Draws the graph with no line wider than `width` columns.
pub fn draw(graph: &Graph, width: usize) -> Drawing {
    let dag = match Dag::of(graph) {
        Ok(dag) => dag,
        Err(cycle) => return Drawing::Cyclic { nodes: cycle.0 },
    };
    if dag.len() > limits::GRAPH_NODES_MAX {
        return Drawing::TooLarge { layers: dag.layers() };
    }
    let (reduced, implied) = dag.reduced();
    let parts = reduced.parts();
    let width = width.min(limits::GRAPH_COLUMNS_MAX);
    let sheets = ROOMS.iter().filter_map(|&room| Sheet::of(graph, &parts, room, width));
    if let Some(sheet) = sheets.min_by_key(|sheet| sheet.cost) {
        return Drawing::Drawn { text: sheet.text(width), implied };
    }
    let layers = dag.layers();
    match narrowest_sheet(graph, &parts) {
        Some(needed) => Drawing::TooWide { needed: needed.max(width + 1), layers },
        None => Drawing::TooLarge { layers },
    }
}

/// The columns that the widest part takes when its boxes show nothing but ids.
fn narrowest_sheet(graph: &Graph, parts: &[Part]) -> Option<usize> {
    let narrowest_part = |part: &Part| narrowest(&part.dag, &faces(graph, part, Room::ID_ONLY));
    let widths: Option<Vec<usize>> = parts.iter().map(narrowest_part).collect();
    widths.map(|widths| widths.into_iter().max().unwrap_or(0))
}

fn faces(graph: &Graph, part: &Part, room: Room) -> Vec<Face> {
    let face_of = |(&node, sources): (&usize, &Vec<usize>)| {
        face(&graph.nodes[node], room, ports_width(sources.len()))
    };
    part.nodes.iter().zip(&part.dag.sources).map(face_of).collect()
}

/// The pictures of all parts with the same room for names.
struct Sheet {
    pictures: Vec<Picture>,
    cost: usize,
}

impl Sheet {
    fn of(graph: &Graph, parts: &[Part], room: Room, width: usize) -> Option<Sheet> {
        let mut sheet = Sheet { pictures: Vec::new(), cost: 0 };
        for part in parts {
            let faces = faces(graph, part, room);
            let picture = picture(&part.dag, &faces, width)?;
            let loss: usize = faces.iter().map(|face| face.loss).sum();
            sheet.cost += picture.cost + loss;
            sheet.pictures.push(picture);
        }
        Some(sheet)
    }

    /// Sets the pictures side by side while there is room, then begins a new row of them.
    fn text(&self, width: usize) -> String {
        const BETWEEN: usize = 2;
        let mut rows: Vec<Vec<&Picture>> = Vec::new();
        let mut used = 0;
        for picture in &self.pictures {
            let wide = picture.canvas.width();
            match rows.last_mut() {
                Some(row) if used + BETWEEN + wide <= width => {
                    used += BETWEEN + wide;
                    row.push(picture);
                }
                _ => {
                    used = wide;
                    rows.push(vec![picture]);
                }
            }
        }
        rows.iter().map(|row| side_by_side(row, BETWEEN)).collect::<Vec<_>>().join("\n")
    }
}

fn side_by_side(pictures: &[&Picture], between: usize) -> String {
    let height = pictures.iter().map(|picture| picture.canvas.height()).max().unwrap_or(0);
    let mut lines = vec![String::new(); height];
    for picture in pictures {
        let mut drawn = picture.canvas.lines().into_iter();
        for line in &mut lines {
            let blank = || " ".repeat(picture.canvas.width());
            line.push_str(&drawn.next().unwrap_or_else(blank));
            line.push_str(&" ".repeat(between));
        }
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
#[path = "graph/drawing_tests.rs"]
mod drawing_tests;

#[cfg(test)]
#[path = "graph/export_tests.rs"]
mod export_tests;

#[cfg(test)]
#[path = "graph/reading_tests.rs"]
mod reading_tests;
