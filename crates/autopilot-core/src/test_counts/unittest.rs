//! unittest of Python: a letter or a line for each test, then `Ran 3 tests in 0.001s`, an empty line, and `OK (skipped=1)` or
//! `FAILED (failures=1, errors=1)`. Under `-q` the letters are missing. Django's tests end in the same way.

use super::tally::{Counts, Found, Names, Tally};

#[derive(Debug, Clone, Default)]
pub(super) struct Unittest {
    tally: Tally,
    names: Names,
    /// So many were run; what became of them stands below.
    ran: Option<u32>,
}

impl Unittest {
    pub(super) fn line(&mut self, text: &str) {
        if let Some(ran) = self.ran {
            if text.is_empty() {
                return;
            }
            self.ran = None;
            if let Some(counts) = outcome(text, ran) {
                self.tally.summary(ran, counts);
                return;
            }
        }
        if let Some(ran) = number_run(text) {
            self.ran = Some(ran);
        } else if let Some(name) = text.strip_prefix("FAIL: ").or(text.strip_prefix("ERROR: ")) {
            self.names.add(name);
        } else {
            self.tally.announce(announced(text));
        }
    }

    pub(super) fn end(self) -> Option<Found> {
        self.tally.found(self.names)
    }
}

/// `Ran 3 tests in 0.001s`.
fn number_run(text: &str) -> Option<u32> {
    let (number, rest) = text.strip_prefix("Ran ")?.split_once(' ')?;
    let took = rest.strip_prefix("tests in ").or(rest.strip_prefix("test in "))?;
    took.strip_suffix('s')?.parse::<f64>().ok()?;
    number.parse().ok()
}

/// What the last line says of so many tests.
fn outcome(text: &str, ran: u32) -> Option<Counts> {
    let (word, list) = match text.split_once(" (") {
        Some((word, list)) => (word, list.strip_suffix(')')?),
        None => (text, ""),
    };
    if !matches!(word, "OK" | "FAILED" | "NO TESTS RAN") {
        return None;
    }
    let (mut failed, mut skipped) = (0_u32, 0_u32);
    for part in list.split(", ").filter(|part| !part.is_empty()) {
        let (name, number) = part.split_once('=')?;
        let number: u32 = number.parse().ok()?;
        match name {
            "failures" | "errors" => failed = failed.saturating_add(number),
            "skipped" | "expected failures" => skipped = skipped.saturating_add(number),
            // They have passed, though that is called a failure.
            "unexpected successes" => {}
            _ => return None,
        }
    }
    // What fails while a class is set up is no test that was run.
    let passed = ran.saturating_sub(failed).saturating_sub(skipped);
    Some(Counts { passed, failed, skipped })
}

/// Tests a line tells the end of: `..F.s`, or `test_adds (test_sum.SumTest.test_adds) ... ok`.
fn announced(text: &str) -> u32 {
    if let Some((_, end)) = text.rsplit_once(" ... ") {
        let is_end =
            matches!(end, "ok" | "FAIL" | "ERROR" | "expected failure" | "unexpected success");
        return u32::from(is_end || end.starts_with("skipped "));
    }
    let is_letters = !text.is_empty() && text.bytes().all(|byte| b".FEsxu".contains(&byte));
    if is_letters { u32::try_from(text.len()).unwrap_or(u32::MAX) } else { 0 }
}
