//! What makes two errors the same: their words, once everything is taken out that differs from one attempt to the next. Numbers,
//! hashes, paths and times say where and when, not what.

use crate::limits;
use crate::run::measured::Measured;

/// An error without its numbers and places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// As it was said, cut to a line, for people.
    pub words: String,
    hash: u64,
}

/// Begins and continues a hash (FNV-1a): a few words are compared, nothing is stored by it.
const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;
const HASH_FACTOR: u64 = 0x0100_0000_01b3;

impl Signature {
    pub fn of(error: &str) -> Signature {
        Signature { words: line(error), hash: hash(HASH_START, error) }
    }

    /// Of checks that are not green: their names, and what they printed.
    pub fn of_red(red: &[&Measured]) -> Signature {
        let names: Vec<String> = red.iter().map(|one| one.check.to_string()).collect();
        let words = format!("{} red", names.join(", "));
        let hash = red
            .iter()
            .fold(hash(HASH_START, &names.join(" ")), |mixed, one| hash(mixed, &one.tail));
        Signature { words: line(&words), hash }
    }

    pub fn is_same(&self, other: &Signature) -> bool {
        self.hash == other.hash
    }
}

fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(limits::QUOTE_CHARS_MAX).collect()
}

fn hash(start: u64, text: &str) -> u64 {
    let words = text.split_whitespace().filter(|word| !is_place_or_time(word));
    let letters =
        words.flat_map(|word| word.bytes().filter(|byte| !byte.is_ascii_digit()).chain([b' ']));
    letters.fold(start, |mixed, byte| (mixed ^ u64::from(byte)).wrapping_mul(HASH_FACTOR))
}

/// A path, a hash, or a number with its unit: `src/a.rs:3:9`, `0x7ff0`, `1f3c9a7e`, `0.42s`, `12:30:01`.
fn is_place_or_time(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '\\');
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let hex = word.strip_prefix("0x").unwrap_or(word);
    let is_hex = has_digit && hex.len() >= 4 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let starts_with_digit = word.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    word.is_empty() || word.contains(['/', '\\']) || is_hex || starts_with_digit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::measured::{CheckName, CheckResult};

    fn check(one: &str, other: &str, is_same: bool) {
        assert_eq!(Signature::of(one).is_same(&Signature::of(other)), is_same, "{one} | {other}");
    }

    #[test]
    fn errors_that_differ_in_numbers_places_and_times_are_the_same() {
        check("expected 3, found 4", "expected 30, found 12", true);
        check("panicked at src/a.rs:3:9: boom", "panicked at /tmp/x/src/b.rs:77:1: boom", true);
        check("no object 1f3c9a7e", "no object 99ab00cd", true);
        check("at 0x7ff01234 in main", "at 0x55 in main", true);
        check("finished in 0.42s", "finished in 12.9s", true);
        check("12:30:01 failed", "09:01:59 failed", true);
        check("thread 'a' (123) panicked", "thread 'a' (99999)  panicked", true);
        check("no object (a1b2c3d4)", "no object (f00dcafe)", true);
        check("cannot read /tmp", "cannot read /var", true);
        check("cannot read \\share", "cannot read \\other", true);
        check("it failed - twice", "it failed twice", true);
    }

    #[test]
    fn errors_that_say_other_things_are_others() {
        check("expected u32, found String", "expected u32, found bool", false);
        check("test_a failed", "test_b failed", false);
        check("test_mail failed", "test_main failed", false);
        check("dead beef", "dead letter", false);
        check("dead beef", "dead face", false);
        check("expected u32, found nothing", "expected i64, found nothing", false);
        check("case b1 failed", "case c2 failed", false);
        check("", "boom", false);
    }

    #[test]
    fn checks_that_are_red_are_told_by_their_names_and_what_they_printed() {
        let red = |check: CheckName, tail: &str| Measured {
            check,
            command: String::new(),
            result: CheckResult::Red { exit: Some(1) },
            is_flaky: false,
            tests: None,
            took_ms: 1,
            output_hash: String::new(),
            tail: tail.to_string(),
        };
        let (test, lint) = (red(CheckName::Test, "3 failed"), red(CheckName::Lint, "3 failed"));
        let both = Signature::of_red(&[&test, &lint]);
        assert_eq!(both.words, "test, lint red");
        assert!(!both.is_same(&Signature::of_red(&[&test])));
        assert!(!Signature::of_red(&[&lint]).is_same(&Signature::of_red(&[&test])));
        assert!(
            Signature::of_red(&[&red(CheckName::Test, "14 failed")])
                .is_same(&Signature::of_red(&[&test]))
        );
        assert!(
            !Signature::of_red(&[&red(CheckName::Test, "no such file")])
                .is_same(&Signature::of_red(&[&test]))
        );
    }

    #[test]
    fn people_see_one_short_line() {
        let long = format!("one\n  two {}", "x".repeat(500));
        assert!(Signature::of(&long).words.starts_with("one two x"));
        assert_eq!(Signature::of(&long).words.chars().count(), limits::QUOTE_CHARS_MAX);
    }
}
