//! Chooses the order of the items in each layer so that few edges cross: barycentre sweeps and swaps of neighbours.

use super::layering::Layered;
use crate::limits;

/// Reorders the layers in place. The same input always gives the same order.
pub(super) fn untangle(layered: &mut Layered) {
    let mut places = places(layered);
    let mut best = layered.layers.clone();
    let mut fewest = crossings(layered, &places);
    for round in 0..limits::GRAPH_ORDER_ROUNDS {
        if fewest == 0 {
            break;
        }
        let count = layered.layers.len();
        for step in 1..count {
            let layer = if round.is_multiple_of(2) { step } else { count - 1 - step };
            sort_layer(layered, &mut places, layer, round);
        }
        swap_neighbours(layered, &mut places);
        let now = crossings(layered, &places);
        if now < fewest {
            fewest = now;
            best.clone_from(&layered.layers);
        }
    }
    layered.layers = best;
}

fn places(layered: &Layered) -> Vec<usize> {
    let mut places = vec![0; layered.items.len()];
    for layer in &layered.layers {
        for (place, &item) in layer.iter().enumerate() {
            places[item] = place;
        }
    }
    places
}

/// Sorts a layer by the mean place of the neighbours in the layer that the sweep comes from.
fn sort_layer(layered: &mut Layered, places: &mut [usize], layer: usize, round: usize) {
    const SCALE: usize = 1 << 16;
    let items = &layered.items;
    let mean = |&item: &usize| {
        let near = if round.is_multiple_of(2) { &items[item].above } else { &items[item].below };
        let sum: usize = near.iter().map(|&other| places[other]).sum();
        // Without neighbours an item stays about where it is.
        (sum * SCALE).checked_div(near.len()).unwrap_or(places[item] * SCALE)
    };
    let mut row = layered.layers[layer].clone();
    // Every second pair of rounds turns ties around, which leads out of orders that are only locally good.
    if round % 4 >= 2 {
        row.reverse();
    }
    row.sort_by_cached_key(mean);
    for (place, &item) in row.iter().enumerate() {
        places[item] = place;
    }
    layered.layers[layer] = row;
}

fn swap_neighbours(layered: &mut Layered, places: &mut [usize]) {
    for _ in 0..limits::GRAPH_SWAP_ROUNDS {
        let mut is_better = false;
        for layer in &mut layered.layers {
            for right in 1..layer.len() {
                let (a, b) = (layer[right - 1], layer[right]);
                let (first, second) = (&layered.items[a], &layered.items[b]);
                let kept = crossed(&first.above, &second.above, places)
                    + crossed(&first.below, &second.below, places);
                let swapped = crossed(&second.above, &first.above, places)
                    + crossed(&second.below, &first.below, places);
                if swapped < kept {
                    layer.swap(right - 1, right);
                    places.swap(a, b);
                    is_better = true;
                }
            }
        }
        if !is_better {
            return;
        }
    }
}

/// Crossings between the edges of two neighbours, the first standing left of the second.
fn crossed(first: &[usize], second: &[usize], places: &[usize]) -> usize {
    let beyond = |&a: &usize| second.iter().filter(|&&b| places[b] < places[a]).count();
    first.iter().map(beyond).sum()
}

fn crossings(layered: &Layered, places: &[usize]) -> usize {
    layered.layers.iter().map(|layer| crossings_below(layered, layer, places)).sum()
}

fn crossings_below(layered: &Layered, layer: &[usize], places: &[usize]) -> usize {
    let mut seen: Vec<usize> = Vec::new();
    let mut count = 0;
    for &item in layer {
        let mut ends: Vec<usize> =
            layered.items[item].below.iter().map(|&other| places[other]).collect();
        ends.sort_unstable();
        count +=
            ends.iter().map(|end| seen.len() - seen.partition_point(|s| s <= end)).sum::<usize>();
        seen.extend(ends);
        seen.sort_unstable();
    }
    count
}
