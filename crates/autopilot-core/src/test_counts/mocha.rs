//! mocha with its spec reporter: a line for each test, then `4 passing (5ms)`, `1 pending`, `2 failing` below each other.

use super::tally::{Counts, Found, Names, Tally};
use super::text::number_between;
use crate::limits;

#[derive(Debug, Clone, Default)]
pub(super) struct Mocha {
    tally: Tally,
    names: Names,
    /// A summary whose further lines may follow.
    open: Option<Counts>,
    /// The beginning of a failed test's name, which goes on until a colon.
    heading: Option<String>,
}

impl Mocha {
    pub(super) fn line(&mut self, text: &str) {
        let indented = text.trim_start();
        if let Some(passed) = number_between(text, "  ", " passing (") {
            self.close();
            self.open = Some(Counts { passed, ..Counts::default() });
            return;
        }
        if let Some(open) = &mut self.open {
            let figure =
                indented.split_once(' ').and_then(|(n, word)| Some((n.parse().ok()?, word)));
            match figure {
                Some((number, "pending")) => {
                    open.skipped = number;
                    return;
                }
                Some((number, "failing")) => {
                    open.failed = number;
                    return;
                }
                Some(_) | None => self.close(),
            }
        }
        self.test(text, indented);
    }

    fn test(&mut self, text: &str, indented: &str) {
        let heading = self.heading.take();
        // Details stand deeper than the number in front of the suite.
        if let (Some(heading), true) = (heading, text.starts_with("       ")) {
            self.named(format!("{heading} {indented}"));
            return;
        }
        if text.len() == indented.len() {
            return;
        }
        let number = indented.split_once(") ").filter(|(n, _)| n.parse::<u32>().is_ok());
        if let Some((_, name)) = number {
            self.tally.announce(1);
            // In the list of tests the name is whole; in the details below it begins with the suite.
            if text.starts_with("  ") && !text.starts_with("   ") {
                self.named(name.to_string());
            }
        } else if indented.starts_with(['✔', '✓']) || indented.starts_with("- ") {
            self.tally.announce(1);
        }
    }

    /// Keeps a name that ends with a colon; one that does not goes on in the next line, as long as names are.
    fn named(&mut self, name: String) {
        match name.strip_suffix(':') {
            Some(whole) => self.names.add(whole),
            None if name.len() <= limits::TEST_NAME_CHARS_MAX => self.heading = Some(name),
            None => {}
        }
    }

    fn close(&mut self) {
        if let Some(counts) = self.open.take() {
            self.tally.summary(counts.all(), counts);
        }
    }

    pub(super) fn end(mut self) -> Option<Found> {
        self.close();
        self.tally.found(self.names)
    }
}
