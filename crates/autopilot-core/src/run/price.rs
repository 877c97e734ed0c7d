//! What tokens cost where nobody told it. One price for all models: agents without a word about money do not always name their model
//! either, and half or twice the truth is nearer to it than nothing (BUD-1). A sum with such a part is marked.

use crate::limits;
use crate::run::event::Spend;

/// Millionths of a dollar.
pub(super) fn estimated(spend: &Spend) -> u64 {
    let parts = [
        (spend.input, limits::INPUT_TOKEN_NANODOLLARS),
        (spend.output, limits::OUTPUT_TOKEN_NANODOLLARS),
        (spend.cache_read, limits::CACHE_READ_TOKEN_NANODOLLARS),
        (spend.cache_write, limits::CACHE_WRITE_TOKEN_NANODOLLARS),
    ];
    let nanodollars = parts
        .iter()
        .fold(0_u64, |sum, (tokens, price)| sum.saturating_add(tokens.saturating_mul(*price)));
    nanodollars.div_ceil(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_token_has_its_price_and_the_least_is_not_nothing() {
        let check = |spend: Spend, expected: u64| assert_eq!(estimated(&spend), expected);
        check(Spend::default(), 0);
        // As a real agent told it for these tokens.
        let told = Spend {
            input: 3_300,
            output: 120,
            cache_read: 1_200,
            cache_write: 200,
            ..Spend::default()
        };
        check(told, 12_810);
        check(Spend { cache_read: 1, ..Spend::default() }, 1);
        check(Spend { input: u64::MAX, output: 1, ..Spend::default() }, u64::MAX.div_ceil(1_000));
    }

    #[test]
    fn a_sum_takes_costs_as_told_and_estimates_the_rest() {
        let mut sum = Spend::default();
        let told = Spend { input: 10, usd_micros: Some(7), ..Spend::default() };
        sum.charge(&told);
        sum.charge(&Spend::default());
        assert_eq!(sum, told, "nothing is estimated so far");
        sum.charge(&Spend { output: 2, ..Spend::default() });
        let expected = Spend { output: 2, usd_micros: Some(37), is_estimate: true, ..told };
        assert_eq!(sum, expected);
    }
}
