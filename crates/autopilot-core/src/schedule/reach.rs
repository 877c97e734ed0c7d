//! What each node of a graph leads to, counted exactly and listed up to a bound. Bit sets over slices of the nodes: quadratic in
//! bits, linear in memory, a few milliseconds for ten thousand phases.

use crate::limits;
use crate::schedule::Blocked;
use crate::schedule::edges::Edges;

const WORDS: usize = 16;
const SLICE: usize = WORDS * 64;

/// `order` has every node after those that lead to it; `next` gives where a node leads directly. The result follows `order`.
pub(super) fn reachable(order: &[usize], next: &Edges) -> Vec<Blocked> {
    let mut reached = vec![Blocked::default(); order.len()];
    let mut place = vec![0; next.nodes()];
    for (at, node) in order.iter().enumerate() {
        place[*node] = at;
    }
    let mut bits = vec![[0u64; WORDS]; order.len()];
    let listed_max =
        (limits::BLOCKS_LISTED_TOTAL_MAX / order.len().max(1)).max(limits::BLOCKS_LISTED_MIN);
    for start in (0..order.len()).step_by(SLICE) {
        for (at, node) in order.iter().enumerate().rev() {
            let mut own = [0u64; WORDS];
            for other in next.of(*node).iter().map(|other| place[*other]) {
                for (word, theirs) in own.iter_mut().zip(&bits[other]) {
                    *word |= theirs;
                }
                if let Some(bit) = other.checked_sub(start).filter(|bit| *bit < SLICE) {
                    own[bit / 64] |= 1 << (bit % 64);
                }
            }
            bits[at] = own;
            collect(&own, start, listed_max, &mut reached[at]);
        }
    }
    reached
}

fn collect(bits: &[u64; WORDS], start: usize, listed_max: usize, reached: &mut Blocked) {
    let count: usize = bits.iter().map(|word| word.count_ones() as usize).sum();
    reached.count += count;
    reached.listed.reserve(count.min(listed_max - reached.listed.len()));
    for (index, word) in bits.iter().enumerate() {
        let mut left = *word;
        while left != 0 && reached.listed.len() < listed_max {
            let bit = left.trailing_zeros() as usize;
            reached.listed.push(u32::try_from(start + index * 64 + bit).unwrap_or(u32::MAX));
            left &= left - 1;
        }
    }
}
