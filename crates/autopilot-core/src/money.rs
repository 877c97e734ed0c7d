//! Amounts in US dollars, kept in millionths: read from what a person types, and written for people. Never a float, for a cap is
//! compared to the last digit.

/// An amount is given to a hundredth of a cent. JSON may write smaller numbers as `1e-6`, which a decimal is not.
const DECIMALS_MAX: usize = 4;
/// A million dollars: more is a slip of the finger, and below it no JSON number needs an exponent.
const USD_MAX: u64 = 1_000_000;
const MICROS_OF_A_DOLLAR: u64 = 1_000_000;
const MICROS_OF_A_CENT: u64 = 10_000;

/// What `usd_micros` wants.
pub const FORM: &str = "dollars such as 5 or 2.50, from 0.0001 to 1000000";

/// `5`, `2.50`: millionths of a dollar, and more than none.
pub fn usd_micros(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    if !is_number(whole) || !is_number(decimals) || decimals.len() > DECIMALS_MAX {
        return None;
    }
    let whole = whole.parse::<u64>().ok().filter(|whole| *whole <= USD_MAX)?;
    let part = format!("{decimals:0<6}").parse::<u64>().ok()?;
    let micros = whole * MICROS_OF_A_DOLLAR + part;
    (1..=USD_MAX * MICROS_OF_A_DOLLAR).contains(&micros).then_some(micros)
}

/// `$4.98`; below a cent as much as it takes to see that it is not nothing.
pub fn words(usd_micros: u64) -> String {
    match usd_micros {
        1..MICROS_OF_A_CENT => format!("${}", decimal(usd_micros)),
        _ => format!(
            "${}.{:02}",
            usd_micros / MICROS_OF_A_DOLLAR,
            usd_micros % MICROS_OF_A_DOLLAR / MICROS_OF_A_CENT
        ),
    }
}

/// `4.980000`: all of it, for programs.
pub fn decimal(usd_micros: u64) -> String {
    format!("{}.{:06}", usd_micros / MICROS_OF_A_DOLLAR, usd_micros % MICROS_OF_A_DOLLAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_positive_decimal_is_an_amount_and_nothing_else_is() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(usd_micros(text), expected, "{text}");
        };
        check("5", Some(5_000_000));
        check("2.50", Some(2_500_000));
        check("2.5", Some(2_500_000));
        check("0.0001", Some(100));
        check("012.03", Some(12_030_000));
        check("1000000", Some(1_000_000_000_000));
        for bad in [
            "",
            "0",
            "0.0",
            "-1",
            "+1",
            "$5",
            "5 ",
            "1e3",
            "5.",
            ".5",
            ".",
            "1.2.3",
            "1,50",
            "nan",
            "0.00001",
            "1000000.0001",
            "1000001",
            "99999999999999999999",
            "٣",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn people_see_cents_and_what_is_less_is_not_shown_as_nothing() {
        let shown = [0, 1, 9_999, 10_000, 4_989_999, 12_000_000].map(words);
        assert_eq!(shown, ["$0.00", "$0.000001", "$0.009999", "$0.01", "$4.98", "$12.00"]);
        assert_eq!(decimal(4_980_001), "4.980001");
    }
}
