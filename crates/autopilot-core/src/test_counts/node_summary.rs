//! The figures `node --test` ends with, in TAP as `# tests 7` and in its own report as `ℹ tests 7`, one below the other.

use super::tally::Counts;

const WORDS: [&str; 8] =
    ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo", "duration_ms"];

#[derive(Debug, Clone, Default)]
pub(super) struct NodeSummary {
    /// As many as have been read in their order.
    read: Vec<u32>,
}

/// A whole summary.
pub(super) struct Told {
    pub(super) tests: u32,
    pub(super) counts: Counts,
}

impl NodeSummary {
    pub(super) fn line(&mut self, text: &str) -> Option<Told> {
        let figure = text.strip_prefix("# ").or_else(|| text.strip_prefix("ℹ "));
        let Some((word, number)) = figure.and_then(|figure| figure.split_once(' ')) else {
            self.read.clear();
            return None;
        };
        if word == WORDS[0] {
            self.read.clear();
        }
        if WORDS.get(self.read.len()) != Some(&word) {
            self.read.clear();
            return None;
        }
        if let [tests, _, passed, failed, cancelled, skipped, planned] = self.read[..] {
            self.read.clear();
            let failed = failed.saturating_add(cancelled);
            let skipped = skipped.saturating_add(planned);
            return Some(Told { tests, counts: Counts { passed, failed, skipped } });
        }
        match number.parse() {
            Ok(number) => self.read.push(number),
            Err(_) => self.read.clear(),
        }
        None
    }
}
