//! The small values returns are made of and JSON has no types for: `3/4` tasks, a check that passed, failed or does not apply.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `N/M`, as in "3 of 4 tasks".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub count: u32,
    pub total: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a tally is N/M, two whole numbers, the first not above the second")]
pub struct NotATally;

impl Tally {
    /// What the schema says of its form. That N is at most M no pattern can say.
    pub(crate) const PATTERN: &'static str = "^[0-9]{1,6}/[0-9]{1,6}$";
    const DIGITS_MAX: usize = 6;
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.count, self.total)
    }
}

impl FromStr for Tally {
    type Err = NotATally;

    fn from_str(text: &str) -> Result<Tally, NotATally> {
        let number = |part: &str| {
            let is_number =
                part.len() <= Tally::DIGITS_MAX && part.bytes().all(|b| b.is_ascii_digit());
            if is_number { part.parse::<u32>().map_err(|_| NotATally) } else { Err(NotATally) }
        };
        let (count, total) = text.split_once('/').ok_or(NotATally)?;
        let tally = Tally { count: number(count)?, total: number(total)? };
        if tally.count > tally.total { Err(NotATally) } else { Ok(tally) }
    }
}

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Tally {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tally, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Tally {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Tally".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": Tally::PATTERN })
    }
}

/// What an agent says of a check: `true`, `false` or `"n/a"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckClaim {
    Passed,
    Failed,
    NotApplicable,
}

impl CheckClaim {
    const NOT_APPLICABLE: &'static str = "n/a";
}

impl Serialize for CheckClaim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            CheckClaim::Passed => serializer.serialize_bool(true),
            CheckClaim::Failed => serializer.serialize_bool(false),
            CheckClaim::NotApplicable => serializer.serialize_str(Self::NOT_APPLICABLE),
        }
    }
}

impl<'de> Deserialize<'de> for CheckClaim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CheckClaim, D::Error> {
        deserializer.deserialize_any(CheckClaimVisitor)
    }
}

struct CheckClaimVisitor;

impl Visitor<'_> for CheckClaimVisitor {
    type Value = CheckClaim;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true, false or \"n/a\"")
    }

    fn visit_bool<E: serde::de::Error>(self, passed: bool) -> Result<CheckClaim, E> {
        Ok(if passed { CheckClaim::Passed } else { CheckClaim::Failed })
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<CheckClaim, E> {
        if word == CheckClaim::NOT_APPLICABLE {
            return Ok(CheckClaim::NotApplicable);
        }
        Err(E::invalid_value(serde::de::Unexpected::Str(word), &self))
    }
}

impl JsonSchema for CheckClaim {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "CheckClaim".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": [true, false, CheckClaim::NOT_APPLICABLE] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_is_two_numbers_in_order() {
        assert_eq!("3/4".parse(), Ok(Tally { count: 3, total: 4 }));
        assert_eq!("0/0".parse(), Ok(Tally { count: 0, total: 0 }));
        for text in ["", "3", "4/3", "3/", "/3", "-1/3", "1/2/3", "3 / 4", "1/1234567", "+1/2"] {
            assert_eq!(text.parse::<Tally>(), Err(NotATally), "{text:?}");
        }
    }

    #[test]
    fn a_claim_about_a_check_is_true_false_or_not_applicable() {
        for (json, claim) in [
            ("true", CheckClaim::Passed),
            ("false", CheckClaim::Failed),
            ("\"n/a\"", CheckClaim::NotApplicable),
        ] {
            assert_eq!(serde_json::from_str::<CheckClaim>(json).expect(json), claim);
            assert_eq!(serde_json::to_string(&claim).expect(json), json);
        }
        for json in ["\"yes\"", "1", "null"] {
            assert!(serde_json::from_str::<CheckClaim>(json).is_err(), "{json}");
        }
    }
}
