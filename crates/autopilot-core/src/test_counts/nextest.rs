//! `cargo nextest run`: from `Starting 6 tests across 1 binary` to `Summary [0.05s] 6 tests run: 4 passed, 2 failed, 1 skipped`.

use super::tally::{Counts, Found, Names, Tally};
use super::text::{figures, number_between};

#[derive(Debug, Clone, Default)]
pub(super) struct Nextest {
    tally: Tally,
    names: Names,
    open: Option<Open>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    announced: u32,
    seen: Counts,
}

impl Nextest {
    /// Between the beginning of a run and its summary.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(super) fn line(&mut self, text: &str) {
        // All its own lines are indented.
        let Some(text) = text.strip_prefix("    ").map(str::trim_start) else { return };
        if let Some(count) = number_between(text, "Starting ", " test") {
            self.tally.announce(count);
            self.open.get_or_insert(Open { announced: count, seen: Counts::default() });
            return;
        }
        let Some((status, rest)) = text.split_once(" [") else { return };
        let Some((_, rest)) = rest.split_once("] ") else { return };
        match status {
            "Summary" => self.summary(rest),
            "PASS" | "LEAK" | "FLAKY" => {
                if let Some(open) = &mut self.open {
                    open.seen.passed = open.seen.passed.saturating_add(1);
                }
            }
            "FAIL" | "TIMEOUT" | "ABORT" | "LEAK-FAIL" => self.names.add(name(rest)),
            signal if signal.starts_with("SIG") => self.names.add(name(rest)),
            _ => {}
        }
    }

    fn summary(&mut self, text: &str) {
        let Some((run, list)) = text.split_once(": ") else { return };
        let Some((run, "test run" | "tests run")) = split_words(run) else { return };
        // `3/6 tests run` when it stopped at a failure.
        let Some(run) = run.split('/').next().and_then(|run| run.parse().ok()) else { return };
        let mut counts = Counts::default();
        for (number, word) in figures(&without_brackets(list)) {
            match word {
                "passed" => counts.passed = number,
                "skipped" => counts.skipped = number,
                // Failed, timed out, could not be started: whatever it is called, it did not pass.
                _ => counts.failed = counts.failed.saturating_add(number),
            }
        }
        self.tally.summary(run, counts);
        if self.open.is_some_and(|open| run <= open.announced) {
            self.open = None;
        }
    }

    pub(super) fn end(mut self) -> Option<Found> {
        if let Some(open) = self.open {
            self.tally.summary(open.announced, open.seen.cut_off(open.announced));
        }
        self.tally.found(self.names)
    }
}

fn split_words(text: &str) -> Option<(&str, &str)> {
    text.split_once(' ')
}

/// Without the `(1/6)` that newer versions put first.
fn name(text: &str) -> &str {
    let text = text.trim_start();
    let counted = text.strip_prefix('(').and_then(|rest| rest.split_once(") "));
    counted.map_or(text, |(_, name)| name)
}

/// `4 passed (1 slow, 1 flaky), 2 failed` says twice what is in brackets.
fn without_brackets(list: &str) -> String {
    let mut depth = 0_u32;
    let mut kept = String::with_capacity(list.len());
    for character in list.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            other if depth == 0 => kept.push(other),
            _ => {}
        }
    }
    kept
}
