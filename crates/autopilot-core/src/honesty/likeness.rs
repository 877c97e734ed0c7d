//! How much two pieces of code are alike: the share of their runs of three tokens that both have. Names of tests do not count,
//! so that a renamed test is recognised by what it does.

use super::source::Source;
use super::tokens::Token;
use crate::limits;

/// Runs of three tokens as numbers, sorted, each once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Print(Vec<u64>);

impl Print {
    pub(super) fn of(source: &Source<'_>, body: std::ops::Range<usize>) -> Self {
        let tokens = source.slice(body);
        let tokens = &tokens[..tokens.len().min(limits::HONESTY_BODY_TOKENS_MAX)];
        let mut runs: Vec<u64> = tokens.windows(3).map(hash).collect();
        if runs.is_empty() && !tokens.is_empty() {
            runs.push(hash(tokens));
        }
        runs.sort_unstable();
        runs.dedup();
        Print(runs)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// From 0, nothing in common, to 100, the same.
    pub(super) fn percent_alike(&self, other: &Print) -> u32 {
        let total = self.0.len() + other.0.len();
        if total == 0 {
            return 100;
        }
        let (mut left, mut right, mut common) = (0, 0, 0_usize);
        while let (Some(a), Some(b)) = (self.0.get(left), other.0.get(right)) {
            common += usize::from(a == b);
            left += usize::from(a <= b);
            right += usize::from(b <= a);
        }
        u32::try_from(200 * common / total).unwrap_or(100)
    }
}

/// FNV-1a over the texts. A collision makes two tests a little more alike, which does no harm.
fn hash(run: &[Token<'_>]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for token in run {
        // The end of each text counts, so that `a bc` differs from `ab c`.
        for byte in token.text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
