//! vitest: a line for each file, then ` Test Files  1 failed | 1 passed (2)` and directly below it `Tests`.

use super::tally::{Counts, Found, Names, Tally};
use super::text::figures;

#[derive(Debug, Clone, Default)]
pub(super) struct Vitest {
    tally: Tally,
    names: Names,
    /// The line before was about files: how many ran, how many of them failed.
    files: Option<Counts>,
}

impl Vitest {
    pub(super) fn line(&mut self, text: &str) {
        let files = self.files.take();
        let indented = text.trim_start();
        if is_file(indented) {
            self.tally.announce(1);
        } else if let Some(name) = text.strip_prefix(" FAIL  ") {
            self.names.add(name);
        } else if let Some(list) = indented.strip_prefix("Test Files  ") {
            self.files = Some(counts_in(list));
        } else if let (Some(files), Some(list)) = (files, indented.strip_prefix("Tests  ")) {
            let mut counts = counts_in(list);
            // A file that could not be read failed without a test that did.
            counts.failed = counts.failed.max(files.failed);
            self.tally.summary(files.passed.saturating_add(files.failed), counts);
        } else if indented.starts_with("No test files found, exiting with code ") {
            self.tally.summary(0, Counts::default());
        }
    }

    pub(super) fn end(self) -> Option<Found> {
        self.tally.found(self.names)
    }
}

/// `✓ good.test.js (4 tests) 16ms`, with another mark when something in it failed or was left out.
fn is_file(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(['✓', '❯', '×', '↓']) else { return false };
    let Some((_, count)) = rest.split_once(" (") else { return false };
    let Some((number, _)) = count.split_once(" test") else { return false };
    number.parse::<u32>().is_ok()
}

/// `1 failed | 3 passed | 1 skipped (5)`, or `no tests`.
fn counts_in(list: &str) -> Counts {
    let list = list.split(" (").next().unwrap_or(list);
    let mut counts = Counts::default();
    for (number, word) in figures(list) {
        match word {
            "passed" => counts.passed = number,
            "failed" => counts.failed = number,
            // Also `expected fail`, `todo` and whatever else is neither.
            _ => counts.skipped = counts.skipped.saturating_add(number),
        }
    }
    counts
}
