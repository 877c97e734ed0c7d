//! Scores in tenths, from 0.0 to 10.0, and the bands they fall in. Tenths are whole numbers, so that a threshold is met or not
//! met exactly (GATE-1). Which threshold is in force is the gate's.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const TENTHS_MAX: u8 = 100;

/// What a rater gave, or the mean of it. More digits than one are cut off, never rounded up: 8.95 is 8.9.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(u8);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a score is a number from 0.0 to 10.0")]
pub struct NotAScore;

impl Score {
    pub const ZERO: Score = Score(0);
    pub const FULL: Score = Score(TENTHS_MAX);

    /// `None` above 100 tenths.
    pub const fn from_tenths(tenths: u8) -> Option<Score> {
        if tenths <= TENTHS_MAX { Some(Score(tenths)) } else { None }
    }

    pub const fn tenths(self) -> u8 {
        self.0
    }

    /// The mean, cut to one digit; of nothing there is none.
    pub fn mean(scores: &[Score]) -> Option<Score> {
        let count = u64::try_from(scores.len()).ok()?;
        let sum: u64 = scores.iter().map(|score| u64::from(score.0)).sum();
        let tenths = u8::try_from(sum.checked_div(count)?).ok()?;
        Score::from_tenths(tenths)
    }

    pub fn band(self) -> Band {
        match self.0 {
            95..=TENTHS_MAX => Band::Excellent,
            90..=94 => Band::Good,
            70..=89 => Band::Fair,
            50..=69 => Band::Weak,
            _ => Band::Poor,
        }
    }

    /// Through the shortest decimal that means this number, so that 8.9 is 89 tenths although no binary fraction is 8.9.
    fn from_number(number: f64) -> Result<Score, NotAScore> {
        if !(0.0..=10.0).contains(&number) {
            return Err(NotAScore);
        }
        format!("{}", number.abs()).parse()
    }
}

/// The word for a score in reports. The borders are the thresholds of the gate: quality, the default, lenient.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Band {
    /// Below 5.0.
    Poor,
    /// From 5.0.
    Weak,
    /// From 7.0.
    Fair,
    /// From 9.0.
    Good,
    /// From 9.5.
    Excellent,
}

impl Band {
    pub fn word(self) -> &'static str {
        match self {
            Band::Poor => "poor",
            Band::Weak => "weak",
            Band::Fair => "fair",
            Band::Good => "good",
            Band::Excellent => "excellent",
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 / 10, self.0 % 10)
    }
}

/// `9`, `9.0`, `8.95`; digits after the first decimal are cut off once they proved to be digits.
impl FromStr for Score {
    type Err = NotAScore;

    fn from_str(text: &str) -> Result<Score, NotAScore> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || whole.len() > 2 {
            return Err(NotAScore);
        }
        let whole: u8 = whole.parse().map_err(|_| NotAScore)?;
        let is_over = whole == 10 && decimals.bytes().any(|digit| digit != b'0');
        if whole > 10 || is_over {
            return Err(NotAScore);
        }
        let tenth = decimals.bytes().next().map_or(0, |digit| digit - b'0');
        Ok(Score(whole * 10 + tenth))
    }
}

/// A JSON number with one decimal. A tenth divided out is the closest binary fraction to its decimal, which is what JSON prints.
impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.0) / 10.0)
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Score, D::Error> {
        deserializer.deserialize_any(ScoreVisitor)
    }
}

struct ScoreVisitor;

impl Visitor<'_> for ScoreVisitor {
    type Value = Score;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number from 0.0 to 10.0")
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Score, E> {
        Score::from_number(number).map_err(|_| E::invalid_value(Unexpected::Float(number), &self))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Score, E> {
        let tenths = number.checked_mul(10).and_then(|tenths| u8::try_from(tenths).ok());
        tenths
            .and_then(Score::from_tenths)
            .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Score, E> {
        let number = u64::try_from(number)
            .map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))?;
        self.visit_u64(number)
    }
}

impl JsonSchema for Score {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Score".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 10 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        text.parse::<Score>().ok().map(|score| score.to_string())
    }

    #[test]
    fn text_is_read_to_one_decimal_and_cut_there() {
        for (text, score) in
            [("9", "9.0"), ("9.0", "9.0"), ("8.95", "8.9"), ("10.00", "10.0"), ("0", "0.0")]
        {
            assert_eq!(read(text).as_deref(), Some(score), "{text}");
        }
        for text in ["", ".", "9.", ".5", "10.01", "11", "-1", "1e1", "9,5", "NaN", "100", " 9"] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn every_score_comes_back_from_json_exactly() {
        for tenths in 0..=TENTHS_MAX {
            let score = Score(tenths);
            let json = serde_json::to_string(&score).expect("serialised");
            assert_eq!(json, score.to_string());
            assert_eq!(serde_json::from_str::<Score>(&json).expect("read"), score);
            assert_eq!(json.parse::<Score>(), Ok(score));
        }
    }

    #[test]
    fn json_numbers_are_cut_and_never_rounded_up() {
        let json = |text: &str| serde_json::from_str::<Score>(text).ok().map(Score::tenths);
        let table = [
            ("9", Some(90)),
            ("8.95", Some(89)),
            ("8.999999", Some(89)),
            ("0.05", Some(0)),
            ("1e1", Some(100)),
            ("1e-7", Some(0)),
            ("-0.0", Some(0)),
            ("10.1", None),
            ("10.000001", None),
            ("-1", None),
            ("11", None),
            ("\"9\"", None),
            ("null", None),
        ];
        for (text, tenths) in table {
            assert_eq!(json(text), tenths, "{text}");
        }
    }

    #[test]
    fn the_mean_is_cut_to_one_decimal() {
        let mean = |tenths: &[u8]| {
            Score::mean(&tenths.iter().map(|t| Score(*t)).collect::<Vec<_>>()).map(Score::tenths)
        };
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[90, 89]), Some(89));
        assert_eq!(mean(&[100, 100, 99]), Some(99));
        assert_eq!(mean(&[90, 90]), Some(90));
    }

    #[test]
    fn the_bands_begin_at_the_thresholds() {
        let band = |tenths| Score(tenths).band().word();
        for (tenths, word) in [
            (0, "poor"),
            (49, "poor"),
            (50, "weak"),
            (69, "weak"),
            (70, "fair"),
            (89, "fair"),
            (90, "good"),
            (94, "good"),
            (95, "excellent"),
            (100, "excellent"),
        ] {
            assert_eq!(band(tenths), word, "{tenths}");
        }
    }
}
