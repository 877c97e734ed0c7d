//! The number of a phase: `3`, `08`, `2.1`, `12A`, `PROJ-42`. Owns its spelling, equality and order (INV-1).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::limits;

/// Equal whatever the zeros and the case: `08` is `8`, `12a` is `12A`.
///
/// The order is 2 < 2.1 < 2.10 < 3 and 12 < 12A < 12A.1 < 12.1 < 13; ids without a prefix come first. An id ends before it
/// goes on, and a letter comes before a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseId {
    number: u32,
    /// None for a plain number. Nearly every id is one, and ids are copied and compared by the thousand.
    more: Option<Box<More>>,
}

/// What stands around the number; never both empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct More {
    prefix: Option<Box<str>>,
    rest: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Letter(char),
    Child(u32),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a phase number")]
pub struct NotAPhaseId;

impl PhaseId {
    pub fn number(number: u32) -> Self {
        PhaseId { number, more: None }
    }

    fn of_parts(prefix: Option<Box<str>>, number: u32, rest: Vec<Part>) -> Self {
        let is_plain = prefix.is_none() && rest.is_empty();
        PhaseId { number, more: (!is_plain).then(|| Box::new(More { prefix, rest })) }
    }

    /// Reads an id at the start of `text` and returns what follows it. An id ends where a word would.
    pub fn scan(text: &str) -> Option<(PhaseId, &str)> {
        if let Some((number, left)) = scan_plain(text) {
            return Some((PhaseId::number(number), left));
        }
        let (prefix, mut left) = scan_prefix(text);
        let number = scan_digits(&mut left)?;
        let mut rest = Vec::new();
        scan_letter(&mut left, &mut rest);
        while let Some(after_dot) = left.strip_prefix('.') {
            let mut digits = after_dot;
            if !digits.starts_with(|c: char| c.is_ascii_digit()) {
                break;
            }
            if rest.len() >= limits::PHASE_ID_PARTS_MAX {
                return None;
            }
            rest.push(Part::Child(scan_digits(&mut digits)?));
            left = digits;
            scan_letter(&mut left, &mut rest);
        }
        let ends_here = !left.starts_with(goes_on);
        ends_here.then(|| (PhaseId::of_parts(prefix, number, rest), left))
    }

    /// `999.1` and the like: parked ideas that only their own id selects (ROAD-4).
    pub fn is_backlog(&self) -> bool {
        self.number == 999 && matches!(self.rest().first(), Some(Part::Child(_)))
    }

    /// The number, where it is all there is.
    pub fn plain_number(&self) -> Option<u32> {
        self.more.is_none().then_some(self.number)
    }

    pub fn prefix(&self) -> Option<&str> {
        self.more.as_ref().and_then(|more| more.prefix.as_deref())
    }

    /// As it is written. That of a plain number with few digits, as nearly all are, takes no memory.
    pub fn text(&self) -> Cow<'static, str> {
        match self.plain_number().and_then(short_number) {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.to_string()),
        }
    }

    fn rest(&self) -> &[Part] {
        self.more.as_ref().map(|more| more.rest.as_slice()).unwrap_or_default()
    }

    /// The same number in the other's project.
    pub fn with_prefix_of(&self, other: &PhaseId) -> PhaseId {
        PhaseId::of_parts(other.prefix().map(Box::from), self.number, self.rest().to_vec())
    }
}

impl Ord for PhaseId {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.more.is_none() && other.more.is_none() {
            return self.number.cmp(&other.number);
        }
        let theirs = (other.prefix(), other.number, other.rest());
        (self.prefix(), self.number, self.rest()).cmp(&theirs)
    }
}

impl PartialOrd for PhaseId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A word goes on with this character. Chinese and Japanese write without spaces, so their characters end a number.
fn goes_on(character: char) -> bool {
    (character.is_alphanumeric() && character < '\u{2E80}') || character == '_'
}

/// Digits and then something that cannot belong to an id, as nearly every id is written.
fn scan_plain(text: &str) -> Option<(u32, &str)> {
    let (mut number, mut at) = (0, 0);
    while let Some(digit @ b'0'..=b'9') = text.as_bytes().get(at) {
        // More digits than a number may have are zeros before it, or no id.
        if at == limits::PHASE_ID_DIGITS_MAX {
            return None;
        }
        number = number * 10 + u32::from(digit - b'0');
        at += 1;
    }
    let ends_here = match text.as_bytes().get(at) {
        None => true,
        Some(byte) => matches!(byte, b' ' | b':' | b',' | b'-' | b'|' | b')'),
    };
    (at > 0 && ends_here).then(|| (number, &text[at..]))
}

fn scan_prefix(text: &str) -> (Option<Box<str>>, &str) {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return (None, text);
    }
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let (word, after) = text.split_at(text.bytes().take_while(goes_on).count());
    let after = after.strip_prefix('-').filter(|_| word.len() <= limits::PHASE_ID_PREFIX_MAX);
    match after.filter(|after| after.starts_with(|c: char| c.is_ascii_digit())) {
        Some(after) => (Some(word.to_ascii_uppercase().into()), after),
        None => (None, text),
    }
}

fn scan_digits(left: &mut &str) -> Option<u32> {
    let digits = left.bytes().take_while(u8::is_ascii_digit).count();
    let zeros = left.bytes().take_while(|byte| *byte == b'0').count();
    if digits == 0 || digits - zeros > limits::PHASE_ID_DIGITS_MAX {
        return None;
    }
    let (significant, after) = (&left.as_bytes()[zeros..digits], &left[digits..]);
    *left = after;
    Some(significant.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0')))
}

fn scan_letter(left: &mut &str, rest: &mut Vec<Part>) {
    let mut characters = left.chars();
    let Some(letter) = characters.next().filter(char::is_ascii_alphabetic) else { return };
    let after = characters.as_str();
    if !after.starts_with(goes_on) {
        rest.push(Part::Letter(letter.to_ascii_uppercase()));
        *left = after;
    }
}

/// Numbers below this have their digits written down.
const SHORT_END: usize = 1000;

/// `000001002` and so on.
static SHORT_NUMBERS: &str = {
    const DIGITS: [u8; 3 * SHORT_END] = {
        let mut digits = [0; 3 * SHORT_END];
        let mut number = 0;
        while number < SHORT_END {
            digits[3 * number] = b'0' + (number / 100) as u8;
            digits[3 * number + 1] = b'0' + (number / 10 % 10) as u8;
            digits[3 * number + 2] = b'0' + (number % 10) as u8;
            number += 1;
        }
        digits
    };
    match str::from_utf8(&DIGITS) {
        Ok(text) => text,
        Err(_) => panic!("digits are text"),
    }
};

/// The digits of a number that has at most three.
fn short_number(number: u32) -> Option<&'static str> {
    let start = 3 * number as usize;
    let zeros = match number {
        0..10 => 2,
        10..100 => 1,
        _ => 0,
    };
    SHORT_NUMBERS.get(start + zeros..start + 3)
}

impl FromStr for PhaseId {
    type Err = NotAPhaseId;

    fn from_str(text: &str) -> Result<Self, NotAPhaseId> {
        match PhaseId::scan(text.trim()) {
            Some((id, "")) => Ok(id),
            _ => Err(NotAPhaseId),
        }
    }
}

impl fmt::Display for PhaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(prefix) = self.prefix() {
            write!(f, "{prefix}-")?;
        }
        write!(f, "{}", self.number)?;
        for part in self.rest() {
            match part {
                Part::Letter(letter) => write!(f, "{letter}")?,
                Part::Child(number) => write!(f, ".{number}")?,
            }
        }
        Ok(())
    }
}

impl Serialize for PhaseId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Nearly every id is a plain number, and a schedule repeats them by the thousand.
        match self.plain_number() {
            Some(number) => match short_number(number) {
                Some(text) => serializer.serialize_str(text),
                None => serialize_digits(number, serializer),
            },
            None => serializer.collect_str(self),
        }
    }
}

fn serialize_digits<S: Serializer>(number: u32, serializer: S) -> Result<S::Ok, S::Error> {
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    let mut left = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    match str::from_utf8(&digits[at..]) {
        Ok(text) => serializer.serialize_str(text),
        Err(_) => serializer.collect_str(&number),
    }
}

impl<'de> Deserialize<'de> for PhaseId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for PhaseId {
    fn schema_name() -> Cow<'static, str> {
        "PhaseId".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
#[path = "phase_id_tests.rs"]
mod tests;
