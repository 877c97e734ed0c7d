//! jest: `PASS` or `FAIL` for each file, then `Test Suites:` and directly below it `Tests:`.

use super::tally::{Counts, Found, Names, Tally};
use super::text::figures;

#[derive(Debug, Clone, Default)]
pub(super) struct Jest {
    tally: Tally,
    names: Names,
    /// The line before was about files.
    files: Option<Files>,
}

#[derive(Debug, Clone, Copy)]
struct Files {
    run: u32,
    failed: u32,
}

impl Jest {
    pub(super) fn line(&mut self, text: &str) {
        let files = self.files.take();
        if text.starts_with("PASS ") || text.starts_with("FAIL ") {
            self.tally.announce(1);
        } else if let Some(name) = text.strip_prefix("  ● ") {
            self.names.add(name);
        } else if let Some(list) = text.strip_prefix("Test Suites: ") {
            self.files = Some(files_in(list));
        } else if let (Some(files), Some(list)) = (files, text.strip_prefix("Tests: ")) {
            self.summary(files, list);
        } else if text.starts_with("No tests found, exiting with code ") {
            self.tally.summary(0, Counts::default());
        }
    }

    fn summary(&mut self, files: Files, list: &str) {
        let mut counts = Counts::default();
        for (number, word) in figures(list) {
            match word {
                "passed" => counts.passed = number,
                "failed" => counts.failed = number,
                "skipped" | "todo" => counts.skipped = counts.skipped.saturating_add(number),
                _ => {}
            }
        }
        // A file that could not be read failed without a test that did.
        counts.failed = counts.failed.max(files.failed);
        self.tally.summary(files.run, counts);
    }

    pub(super) fn end(self) -> Option<Found> {
        self.tally.found(self.names)
    }
}

fn files_in(list: &str) -> Files {
    let mut files = Files { run: 0, failed: 0 };
    for (number, word) in figures(list) {
        match word {
            "passed" => files.run = files.run.saturating_add(number),
            "failed" => {
                files.run = files.run.saturating_add(number);
                files.failed = number;
            }
            // Skipped files are not listed.
            _ => {}
        }
    }
    files
}
