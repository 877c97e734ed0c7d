//! Gives every item its columns and every edge its ports: where it leaves a box and where it enters one.

use super::layering::{GAP, Layered};
use super::routing::Net;
use super::settle::{Row, Wish, settle};
use crate::limits;

/// Blank border, an arrow head, a blank, an arrow head: heads side by side would run together.
const PORT_STEP: usize = 2;

/// The width inside a box that so many arrow heads need.
pub(super) fn ports_width(incoming: usize) -> usize {
    (incoming * PORT_STEP).saturating_sub(PORT_STEP - 1)
}

/// The left column of every item. The caller has made sure that every layer fits.
pub(super) fn columns(layered: &Layered, width: usize) -> Vec<usize> {
    let rows: Vec<Row> = layered.layers.iter().map(|layer| row(layered, layer, width)).collect();
    let mut lefts = vec![0; layered.items.len()];
    for (layer, row) in layered.layers.iter().zip(&rows) {
        for (&item, &offset) in layer.iter().zip(&row.offsets) {
            lefts[item] = offset + row.last / 2;
        }
    }
    let count = rows.len();
    for round in 0..limits::GRAPH_PLACE_ROUNDS {
        let is_late = round * 2 >= limits::GRAPH_PLACE_ROUNDS;
        for step in 0..count {
            let (depth, aim) = match round % 2 {
                0 => (step, Aim::MiddleOfAbove),
                _ => (count - 1 - step, Aim::MiddleOfBelow),
            };
            let aim = if is_late { Aim::StraightToBoth } else { aim };
            let layer = &layered.layers[depth];
            let wishes: Vec<Vec<Wish>> =
                layer.iter().map(|&item| wishes(layered, &lefts, item, aim)).collect();
            for (&item, left) in layer.iter().zip(settle(&rows[depth], &wishes)) {
                lefts[item] = left;
            }
        }
    }
    let margin = lefts.iter().min().copied().unwrap_or(0);
    lefts.into_iter().map(|left| left - margin).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    MiddleOfAbove,
    MiddleOfBelow,
    StraightToBoth,
}

fn row(layered: &Layered, layer: &[usize], width: usize) -> Row {
    let mut next = 0;
    let mut offsets = Vec::with_capacity(layer.len());
    for &item in layer {
        offsets.push(next);
        next += layered.items[item].width + GAP;
    }
    Row { offsets, first: 0, last: (width + GAP).saturating_sub(next) }
}

/// At first an item wants its middle where the middles of its neighbours are. In the end it only wants a straight edge to
/// each: any column that both can use will do.
fn wishes(layered: &Layered, lefts: &[usize], item: usize, aim: Aim) -> Vec<Wish> {
    let own = &layered.items[item];
    let (above, below) = match aim {
        Aim::MiddleOfAbove => (own.above.as_slice(), [].as_slice()),
        Aim::MiddleOfBelow => ([].as_slice(), own.below.as_slice()),
        Aim::StraightToBoth => (own.above.as_slice(), own.below.as_slice()),
    };
    let wish = |&other: &usize| {
        let near = &layered.items[other];
        // A bend in a long edge hurts most: the eye follows it past many boxes.
        let weight = match (own.is_lane(), near.is_lane()) {
            (true, true) => 8,
            (true, false) | (false, true) => 2,
            (false, false) => 1,
        };
        let at = match aim {
            Aim::MiddleOfAbove | Aim::MiddleOfBelow => {
                (lefts[other] + near.width / 2).saturating_sub(own.width / 2)
            }
            Aim::StraightToBoth => {
                let (own, near) = (own.reach(lefts[item]), near.reach(lefts[other]));
                let right = near.start().saturating_sub(*own.end());
                let left = own.start().saturating_sub(*near.end());
                (lefts[item] + right).saturating_sub(left)
            }
        };
        Wish { at, weight }
    };
    let wishes: Vec<Wish> = above.iter().chain(below).map(wish).collect();
    if wishes.is_empty() { vec![Wish { at: lefts[item], weight: 1 }] } else { wishes }
}

/// The nets between a layer and the next, with the columns where they start and end.
pub(super) fn nets(layered: &Layered, lefts: &[usize], depth: usize) -> Vec<Net> {
    let layer = &layered.layers[depth];
    let Some(lower) = layered.layers.get(depth + 1) else { return Vec::new() };
    let mut nets: Vec<Net> = Vec::new();
    let mut net_of = vec![None; layered.items.len()];
    for &item in layer.iter().filter(|&&item| !layered.items[item].below.is_empty()) {
        net_of[item] = Some(nets.len());
        let top = leaving(layered, lefts, item);
        nets.push(Net { item, phase: layered.items[item].net(), top, bottoms: Vec::new() });
    }
    for &item in lower {
        let above = &layered.items[item].above;
        let mut entering: Vec<usize> = above.iter().filter_map(|&upper| net_of[upper]).collect();
        entering.sort_by_key(|&net| nets[net].top);
        let wishes: Vec<usize> = entering.iter().map(|&net| nets[net].top).collect();
        for (net, port) in entering.into_iter().zip(ports(layered, lefts, item, &wishes)) {
            nets[net].bottoms.push(port);
        }
    }
    for net in nets.iter_mut().filter(|net| !layered.items[net.item].is_lane()) {
        straighten(net, lefts[net.item], layered.items[net.item].width);
    }
    nets
}

/// Where an item's edges start: right above an only target, above a lane that goes straight on, or else in the middle.
fn leaving(layered: &Layered, lefts: &[usize], item: usize) -> usize {
    let own = &layered.items[item];
    let reach = own.reach(lefts[item]);
    let shared = |other: usize| {
        let near = layered.items[other].reach(lefts[other]);
        let first = *reach.start().max(near.start());
        let last = *reach.end().min(near.end());
        (first <= last).then(|| usize::midpoint(first, last))
    };
    let mut lanes = own.below.iter().copied().filter(|&other| layered.items[other].is_lane());
    let straight = match own.below.as_slice() {
        [only] => shared(*only),
        _ => lanes.next().and_then(shared),
    };
    straight.unwrap_or(lefts[item] + own.width / 2)
}

/// Where edges enter an item: straight down if they can, else spread evenly. `tops` are where they come from, ascending.
fn ports(layered: &Layered, lefts: &[usize], item: usize, tops: &[usize]) -> Vec<usize> {
    let own = &layered.items[item];
    let left = lefts[item];
    if own.is_lane() {
        return vec![left];
    }
    let inside = own.width - 2;
    let row = Row {
        offsets: (0..tops.len()).map(|place| place * PORT_STEP).collect(),
        first: left + 1,
        last: left + 1 + inside - ports_width(tops.len()),
    };
    let wish = |(place, &top): (usize, &usize)| {
        let slot = left + own.width * (2 * place + 1) / (2 * tops.len());
        let is_straight = own.reach(left).contains(&top);
        if is_straight { Wish { at: top, weight: 3 } } else { Wish { at: slot, weight: 1 } }
    };
    let wishes: Vec<Vec<Wish>> = tops.iter().enumerate().map(wish).map(|wish| vec![wish]).collect();
    settle(&row, &wishes)
}

/// Moves the start of a net right above its only end, if the box reaches so far.
fn straighten(net: &mut Net, left: usize, width: usize) {
    if let [bottom] = net.bottoms[..]
        && (left + 1..left + width - 1).contains(&bottom)
    {
        net.top = bottom;
    }
}
