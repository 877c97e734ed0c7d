//! Draws one connected part: tries the layerings that fit the width and keeps the picture that is easiest to read.

use super::canvas::Canvas;
use super::dag::Dag;
use super::face::Face;
use super::layering::{First, Kind, Layered, bounded, pulled};
use super::ordering::untangle;
use super::placement::{columns, nets};
use super::routing::{Channel, Net, Stroke, route};
use crate::limits;

pub(super) struct Picture {
    pub(super) canvas: Canvas,
    /// What reading it takes; less is better.
    pub(super) cost: usize,
}

/// `faces` are those of the part's phases, in the part's own numbering. `None` when the part does not fit.
pub(super) fn picture(dag: &Dag, faces: &[Face], width: usize) -> Option<Picture> {
    let fitting = fitting(dag, &box_widths(faces), width).into_iter();
    fitting.filter_map(|layered| draw(layered, faces, width)).min_by_key(|picture| picture.cost)
}

/// A width at which some layering fits, or `None` when not even the widest picture will do. It is the least one unless a
/// little more room makes the layers worse, which is rare.
pub(super) fn narrowest(dag: &Dag, faces: &[Face]) -> Option<usize> {
    let widths = box_widths(faces);
    let mut fails = 0;
    let mut fits = limits::GRAPH_COLUMNS_MAX + 1;
    while fits - fails > 1 {
        let width = usize::midpoint(fails, fits);
        if fitting(dag, &widths, width).is_empty() {
            fails = width;
        } else {
            fits = width;
        }
    }
    (fits <= limits::GRAPH_COLUMNS_MAX).then_some(fits)
}

fn box_widths(faces: &[Face]) -> Vec<usize> {
    faces.iter().map(|face| face.width + 2).collect()
}

fn fitting(dag: &Dag, widths: &[usize], width: usize) -> Vec<Layered> {
    let layerings = layerings(dag, widths, width).into_iter();
    let layered = layerings.filter_map(|depths| Layered::of(dag, widths, &depths));
    layered.filter(|layered| layered.needed() <= width).collect()
}

/// Different ways to fill the layers; which one reads best shows only in the picture.
fn layerings(dag: &Dag, widths: &[usize], width: usize) -> Vec<Vec<usize>> {
    let firsts = [First::LongestPath, First::FewestLanes].into_iter();
    let bounded = firsts.filter_map(|first| bounded(dag, widths, width, first));
    let mut all: Vec<Vec<usize>> = Vec::new();
    for depths in std::iter::once(dag.depths()).chain(bounded) {
        for depths in [pulled(dag, depths.clone()), depths] {
            if !all.contains(&depths) {
                all.push(depths);
            }
        }
    }
    all
}

fn draw(mut layered: Layered, faces: &[Face], width: usize) -> Option<Picture> {
    untangle(&mut layered);
    let lefts = columns(&layered, width);
    let mut bands = Vec::new();
    let mut top = 0;
    for (depth, layer) in layered.layers.iter().enumerate() {
        let rows = |item: &usize| match layered.items[*item].kind {
            Kind::Phase(phase) => faces[phase].lines.len() + 2,
            Kind::Lane(_) => 1,
        };
        let height = layer.iter().map(rows).max().unwrap_or(1);
        let nets = nets(&layered, &lefts, depth);
        let channel = route(&nets, width)?;
        let next = top + height + channel.tracks;
        bands.push(Band { top, last: top + height - 1, nets, channel });
        top = next;
    }
    let mut canvas = Canvas::blank(canvas_width(&layered, &lefts, &bands), top);
    paint_items(&mut canvas, &layered, faces, &lefts, &bands);
    paint_edges(&mut canvas, &layered, faces, &bands);
    // A crossing costs the eye more than a row does.
    let cost = canvas.height() + 3 * canvas.crossings();
    Some(Picture { canvas, cost })
}

/// The rows of a layer and the edges below it.
struct Band {
    top: usize,
    last: usize,
    nets: Vec<Net>,
    channel: Channel,
}

fn paint_items(
    canvas: &mut Canvas,
    layered: &Layered,
    faces: &[Face],
    lefts: &[usize],
    bands: &[Band],
) {
    for (layer, band) in layered.layers.iter().zip(bands) {
        for &item in layer {
            match layered.items[item].kind {
                Kind::Phase(phase) => canvas.frame(band.top, lefts[item], &faces[phase]),
                Kind::Lane(phase) => canvas.down(phase, lefts[item], band.top, band.last),
            }
        }
    }
}

/// After the items, because an edge marks the borders that it leaves and enters.
fn paint_edges(canvas: &mut Canvas, layered: &Layered, faces: &[Face], bands: &[Band]) {
    for band in bands {
        for net in &band.nets {
            // A box lower than its layer is joined to the layer's last row first.
            if let Kind::Phase(phase) = layered.items[net.item].kind {
                let bottom = band.top + faces[phase].lines.len() + 1;
                canvas.down(phase, net.top, bottom, band.last);
            }
        }
        for &stroke in &band.channel.strokes {
            match stroke {
                Stroke::Across { phase, row, from, to } => {
                    canvas.across(phase, band.last + row, from, to);
                }
                Stroke::Down { phase, column, from, to } => {
                    canvas.down(phase, column, band.last + from, band.last + to);
                }
            }
        }
    }
}

/// The rightmost column that a box, a lane or an edge uses, and one.
fn canvas_width(layered: &Layered, lefts: &[usize], bands: &[Band]) -> usize {
    let boxes = layered.items.iter().zip(lefts).map(|(item, left)| left + item.width);
    let strokes = bands.iter().flat_map(|band| &band.channel.strokes);
    let ends = strokes.map(|stroke| match *stroke {
        Stroke::Across { to, .. } => to + 1,
        Stroke::Down { column, .. } => column + 1,
    });
    boxes.chain(ends).max().unwrap_or(0)
}
