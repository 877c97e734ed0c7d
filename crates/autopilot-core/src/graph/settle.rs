//! Places things on a line: in a fixed order, not closer than they may be, and as near to their wishes as possible.

/// Where a thing would like to be and how much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wish {
    pub(super) at: usize,
    pub(super) weight: usize,
}

/// Things that stand in a row and the columns they may use.
pub(super) struct Row {
    /// How far right of the first thing each thing is when all stand as close as they may.
    pub(super) offsets: Vec<usize>,
    pub(super) first: usize,
    /// The rightmost column at which the first thing may stand.
    pub(super) last: usize,
}

struct Block {
    wishes: Vec<Wish>,
    members: usize,
    at: usize,
}

/// The positions that minimise the weighted sum of distances to the wishes (isotonic regression by pooling neighbours).
/// Whole numbers and medians, because a median meets some wishes exactly and that is what makes an edge straight.
pub(super) fn settle(row: &Row, wishes: &[Vec<Wish>]) -> Vec<usize> {
    let mut blocks: Vec<Block> = Vec::new();
    for (offset, own) in row.offsets.iter().zip(wishes) {
        let shift = |wish: &Wish| Wish {
            at: wish.at.saturating_sub(*offset).clamp(row.first, row.last.max(row.first)),
            weight: wish.weight,
        };
        let shifted: Vec<Wish> = own.iter().map(shift).collect();
        let before = blocks.last().map_or(row.first, |block| block.at);
        let mut block =
            Block { at: median(&shifted).unwrap_or(before), wishes: shifted, members: 1 };
        while let Some(previous) = blocks.pop_if(|previous| previous.at > block.at) {
            block.wishes.extend(previous.wishes);
            block.wishes.sort_unstable();
            block.members += previous.members;
            block.at = median(&block.wishes).unwrap_or(previous.at);
        }
        blocks.push(block);
    }
    let bases = blocks.iter().flat_map(|block| std::iter::repeat_n(block.at, block.members));
    bases.zip(&row.offsets).map(|(base, offset)| base + offset).collect()
}

fn median(wishes: &[Wish]) -> Option<usize> {
    let mut sorted = wishes.to_vec();
    sorted.sort_unstable();
    let total: usize = sorted.iter().map(|wish| wish.weight).sum();
    let mut passed = 0;
    let is_middle = |wish: &&Wish| {
        passed += wish.weight;
        passed * 2 >= total
    };
    sorted.iter().find(is_middle).map(|wish| wish.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(offsets: &[usize], last: usize, wishes: &[usize], expected: &[usize]) {
        let row = Row { offsets: offsets.to_vec(), first: 0, last };
        let wishes: Vec<Vec<Wish>> =
            wishes.iter().map(|&at| vec![Wish { at, weight: 1 }]).collect();
        assert_eq!(settle(&row, &wishes), expected);
    }

    #[test]
    fn wishes_are_met_where_there_is_room_and_shared_where_there_is_not() {
        check(&[0, 2, 4], 90, &[5, 20, 30], &[5, 20, 30]);
        check(&[0, 2, 4], 90, &[5, 5, 30], &[3, 5, 30]);
        check(&[0, 2, 4], 90, &[9, 5, 3], &[3, 5, 7]);
        check(&[0, 2, 4], 1, &[50, 60, 70], &[1, 3, 5]);
        check(&[], 1, &[], &[]);
    }
}
