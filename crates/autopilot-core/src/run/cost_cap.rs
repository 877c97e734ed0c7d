//! What a run may cost (BUD-1). Unlike tokens and time it has no number of its own: without a wish there is no cap.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostCap {
    pub usd_micros: u64,
    /// With `--max-cost`: a resume without it keeps the number, whatever the settings say by then.
    pub is_typed: bool,
}

impl CostCap {
    /// The cap of a run that goes on.
    pub fn at_resume(before: Option<CostCap>, now: Option<CostCap>) -> Option<CostCap> {
        let is_typed = |cap: Option<CostCap>| cap.is_some_and(|cap| cap.is_typed);
        if is_typed(before) && !is_typed(now) { before } else { now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_was_typed_stays_until_another_is_typed() {
        let cap = |usd_micros: u64, is_typed: bool| Some(CostCap { usd_micros, is_typed });
        let check = |before: Option<CostCap>, now: Option<CostCap>, expected: Option<CostCap>| {
            assert_eq!(CostCap::at_resume(before, now), expected);
        };
        check(cap(5, true), cap(9, false), cap(5, true));
        check(cap(5, true), None, cap(5, true));
        check(cap(5, true), cap(9, true), cap(9, true));
        check(cap(5, false), cap(9, true), cap(9, true));
        check(cap(5, false), cap(9, false), cap(9, false));
        check(cap(5, false), None, None);
        check(None, cap(9, false), cap(9, false));
    }
}
