//! pytest: a letter or a line for each test, and at the end `=== 1 failed, 3 passed in 0.09s ===`, without the frame under `-q`.
//! Under `-qq` that line is missing; then the letters count.

use super::tally::{Counts, Found, Names, Tally};

#[derive(Debug, Clone, Default)]
pub(super) struct Pytest {
    tally: Tally,
    names: Names,
    /// From lines that also tell how far it is, which make them hard to confuse.
    letters: Option<Counts>,
    is_in_short_summary: bool,
}

impl Pytest {
    pub(super) fn line(&mut self, text: &str) {
        if text.starts_with('=') && text.contains(" short test summary info ") {
            self.is_in_short_summary = true;
        } else if let Some(counts) = summary(text) {
            self.is_in_short_summary = false;
            // Errors have no letter when a file cannot be read, and one more when a test cannot be taken down.
            self.tally.summary(counts.all() - counts.errors, counts.counts());
        } else if self.is_in_short_summary && !text.ends_with("%]") {
            let failed = text.strip_prefix("FAILED ").or_else(|| text.strip_prefix("ERROR "));
            if let Some(failed) = failed {
                self.names.add(failed.split(" - ").next().unwrap_or(failed));
            }
        } else if let Some(seen) = progress(text) {
            self.is_in_short_summary = false;
            self.tally.announce(seen.all());
            if text.ends_with("%]") {
                self.letters = Some(self.letters.unwrap_or_default().plus(seen));
            }
        }
    }

    pub(super) fn end(self) -> Option<Found> {
        let told = self.tally.found(self.names.clone());
        told.or_else(|| Some(Found { counts: self.letters?, names: self.names }))
    }
}

#[derive(Default)]
struct Summary {
    passed: u32,
    failed: u32,
    errors: u32,
    skipped: u32,
}

impl Summary {
    fn all(&self) -> u32 {
        self.counts().all().max(self.errors)
    }

    fn counts(&self) -> Counts {
        let failed = self.failed.saturating_add(self.errors);
        Counts { passed: self.passed, failed, skipped: self.skipped }
    }
}

/// `1 failed, 3 passed, 2 warnings in 62.01s (0:01:02)`, framed or not.
fn summary(text: &str) -> Option<Summary> {
    let text = text.trim_matches('=').trim();
    let (list, took) = text.rsplit_once(" in ")?;
    let (seconds, _) = took.split_once('s')?;
    seconds.parse::<f64>().ok()?;
    let mut summary = Summary::default();
    if list == "no tests ran" {
        return Some(summary);
    }
    let mut is_known = false;
    for part in list.split(", ") {
        // Somebody else's sentence may end in the same way, so nothing but figures will do.
        let (number, word) = part.split_once(' ')?;
        let number: u32 = number.parse().ok()?;
        let place = match word {
            "passed" | "xpassed" => &mut summary.passed,
            "failed" => &mut summary.failed,
            "error" | "errors" => &mut summary.errors,
            "skipped" | "xfailed" => &mut summary.skipped,
            "deselected" => {
                is_known = true;
                continue;
            }
            _ => continue,
        };
        *place = place.saturating_add(number);
        is_known = true;
    }
    is_known.then_some(summary)
}

/// `test_a.py ..F [ 42%]`, `..F [100%]`, `..F`, `test_a.py::test_b PASSED [ 14%]`.
fn progress(text: &str) -> Option<Counts> {
    let text = match text.strip_suffix("%]") {
        Some(rest) => rest.rsplit_once('[')?.0.trim_end(),
        None => text,
    };
    let (before, last) = text.rsplit_once(' ').unwrap_or(("", text));
    let mut seen = Counts::default();
    if before.contains("::") {
        match last {
            "PASSED" | "XPASS" => seen.passed = 1,
            "FAILED" | "ERROR" => seen.failed = 1,
            "SKIPPED" | "XFAIL" => seen.skipped = 1,
            _ => return None,
        }
        return Some(seen);
    }
    // A path, or nothing.
    if last.is_empty() || before.contains(' ') {
        return None;
    }
    for letter in last.chars() {
        let place = match letter {
            '.' | 'X' => &mut seen.passed,
            'F' | 'E' => &mut seen.failed,
            's' | 'x' => &mut seen.skipped,
            _ => return None,
        };
        *place += 1;
    }
    Some(seen)
}
