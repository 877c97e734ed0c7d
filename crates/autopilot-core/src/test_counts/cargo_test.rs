//! `cargo test`: every binary and the documentation tests print a block from `running 3 tests` to `test result:`.

use super::tally::{Counts, Found, Names, Tally};
use super::text::{figures, number_between};

/// cargo says it after a binary, also after one that died in the middle of a line.
const BINARY_FAILED: [&str; 2] =
    ["error: test failed, to rerun pass", "error: doctest failed, to rerun pass"];

#[derive(Debug, Clone, Default)]
pub(super) struct CargoTest {
    tally: Tally,
    names: Names,
    open: Option<Open>,
    /// Inside the list under `failures:`.
    is_listing: bool,
}

/// A block without its end.
#[derive(Debug, Clone, Copy)]
struct Open {
    announced: u32,
    seen: Counts,
}

impl CargoTest {
    pub(super) fn line(&mut self, text: &str) {
        if let Some(count) = number_between(text, "running ", " test") {
            self.tally.announce(count);
            // A second one inside a block is printed by a test.
            self.open.get_or_insert(Open { announced: count, seen: Counts::default() });
        } else if let Some(result) = text.strip_prefix("test result: ") {
            self.summary(result);
        } else if let Some(test) = text.strip_prefix("test ") {
            self.test(test);
        } else if text == "failures:" {
            self.is_listing = true;
        } else if self.is_listing && !text.is_empty() {
            match text.strip_prefix("    ") {
                Some(name) => self.names.add(name),
                None => self.is_listing = false,
            }
        }
        if BINARY_FAILED.iter().any(|words| text.contains(words)) {
            self.cut_off();
        }
    }

    fn test(&mut self, text: &str) {
        let Some((name, result)) = text.split_once(" ... ") else { return };
        let Some(open) = &mut self.open else { return };
        if result == "ok" {
            open.seen.passed = open.seen.passed.saturating_add(1);
        } else if result.starts_with("ignored") {
            open.seen.skipped = open.seen.skipped.saturating_add(1);
        } else if result == "FAILED" || result.contains(BINARY_FAILED[0]) {
            self.names.add(name);
        }
    }

    fn summary(&mut self, result: &str) {
        let Some((_, list)) = result.split_once(". ") else { return };
        let (mut counts, mut measured) = (Counts::default(), 0);
        for (number, word) in figures(list) {
            match word {
                "passed" => counts.passed = number,
                "failed" => counts.failed = number,
                "ignored" => counts.skipped = number,
                "measured" => measured = number,
                _ => {}
            }
        }
        self.is_listing = false;
        let claimed = counts.all().saturating_add(measured);
        self.tally.summary(claimed, counts);
        if self.open.is_some_and(|open| open.announced == claimed) {
            self.open = None;
        }
    }

    fn cut_off(&mut self) {
        if let Some(open) = self.open.take() {
            self.tally.summary(open.announced, open.seen.cut_off(open.announced));
        }
    }

    pub(super) fn end(mut self) -> Option<Found> {
        self.cut_off();
        self.tally.found(self.names)
    }
}
