//! What each node of a graph leads to, counted exactly and listed up to a bound. Bit sets over slices of the nodes: quadratic in
//! bits, linear in memory, a few milliseconds for ten thousand phases.

use crate::limits;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reached {
    pub(super) count: usize,
    /// The first ones in schedule order.
    pub(super) first: Vec<usize>,
}

const WORDS: usize = 16;
const SLICE: usize = WORDS * 64;

/// `order` has every node after those that lead to it; `next` gives where a node leads directly.
pub(super) fn reachable(order: &[usize], next: &[Vec<usize>]) -> Vec<Reached> {
    let mut reached = vec![Reached::default(); next.len()];
    let mut position = vec![0; next.len()];
    for (at, node) in order.iter().enumerate() {
        position[*node] = at;
    }
    for start in (0..order.len()).step_by(SLICE) {
        let mut bits = vec![[0u64; WORDS]; next.len()];
        for node in order.iter().rev() {
            let mut own = [0u64; WORDS];
            for other in &next[*node] {
                for (word, theirs) in own.iter_mut().zip(&bits[*other]) {
                    *word |= theirs;
                }
                if let Some(bit) = position[*other].checked_sub(start).filter(|bit| *bit < SLICE) {
                    own[bit / 64] |= 1 << (bit % 64);
                }
            }
            bits[*node] = own;
            collect(&own, start, order, &mut reached[*node]);
        }
    }
    reached
}

fn collect(bits: &[u64; WORDS], start: usize, order: &[usize], reached: &mut Reached) {
    for (index, word) in bits.iter().enumerate() {
        let mut left = *word;
        reached.count += left.count_ones() as usize;
        while left != 0 && reached.first.len() < limits::BLOCKS_LISTED_MAX {
            let bit = left.trailing_zeros() as usize;
            reached.first.push(order[start + index * 64 + bit]);
            left &= left - 1;
        }
    }
}
