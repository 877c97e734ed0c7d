//! The specification a run is held to (INV-4): its hash, with the parts left out that change as work goes on.

use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::digest;
use crate::markdown;
use crate::roadmap::progress;

/// Looked for in this order when the config names none; the roadmap in use comes last.
pub const DEFAULT_PATHS: [&str; 2] = [".planning/REQUIREMENTS.md", ".planning/PROJECT.md"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    pub path: String,
    /// `sha256:` and the hex digits.
    pub hash: String,
}

impl Spec {
    pub fn of(path: &str, text: &str) -> Spec {
        Spec { path: path.to_string(), hash: content_hash(text) }
    }
}

/// The hash of a planning file without its ticks, its Progress table and its line endings.
pub fn content_hash(text: &str) -> String {
    let mut kept = Kept::of(text.strip_prefix('\u{FEFF}').unwrap_or(text));
    let text = kept.text;
    let mut after_row = None;
    let mut at = 0;
    // A line without any of these has no box, is no row and ends as it should. It counts as it is, and most lines do.
    while let Some(found) = memchr::memchr3(b'[', b'|', b'\r', &text.as_bytes()[at..]) {
        let (start, end) = line_around(text, at, at + found);
        at = (end + 1).min(text.len());
        let line = &text[start..end];
        if is_progress(line, after_row == Some(start)) {
            kept.replace(start..at, "");
            after_row = Some(at);
            continue;
        }
        if let Some(tick) = tick(line) {
            kept.replace(start + tick.start..start + tick.end, OPEN);
        }
        if line.ends_with('\r') {
            kept.replace(end - 1..end, "");
        }
    }
    let is_ended = text.is_empty() || text.ends_with('\n') || after_row == Some(text.len());
    kept.replace(text.len()..text.len(), if is_ended { "" } else { "\n" });
    digest::text(&kept.hasher.finalize())
}

/// A text that is hashed with some of it replaced.
struct Kept<'t> {
    text: &'t str,
    hasher: Sha256,
    /// All before it is in the hash, or was replaced.
    settled: usize,
}

impl<'t> Kept<'t> {
    fn of(text: &'t str) -> Kept<'t> {
        Kept { text, hasher: Sha256::new(), settled: 0 }
    }

    fn replace(&mut self, place: Range<usize>, by: &str) {
        self.hasher.update(&self.text[self.settled..place.start]);
        self.hasher.update(by);
        self.settled = place.end;
    }
}

/// Where the line that holds the byte at `at` starts and ends; `from` is the start of this line or of one before it.
fn line_around(text: &str, from: usize, at: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let before = memchr::memrchr(b'\n', &bytes[from..at]);
    let after = memchr::memchr(b'\n', &bytes[at..]);
    (before.map_or(from, |before| from + before + 1), after.map_or(text.len(), |after| at + after))
}

/// A row of a table of phases with a Status column, header included.
fn is_progress(line: &str, in_table: bool) -> bool {
    let is_row = line.trim_ascii_start().starts_with('|');
    is_row && (in_table || progress::Table::open(line).is_some_and(|table| table.has_status()))
}

/// A box as it is before anything is done.
const OPEN: &str = "[ ]";

/// Where the box of a check-list line is, if it is none that is open.
fn tick(line: &str) -> Option<Range<usize>> {
    let item = markdown::item(line)?;
    if item.tick == markdown::Tick::NoBox {
        return None;
    }
    let open = line.find('[')?;
    let close = open + line[open..].find(']')? + 1;
    (&line[open..close] != OPEN).then_some(open..close)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_progress_and_line_endings_do_not_change_the_hash_but_words_do() {
        let base = "# R\n- [ ] **A-1**: x\n\n## Progress\n| Phase | Status |\n|---|---|\n| 1. A | Not started |\n\nend\n";
        let same = |text: &str| assert_eq!(content_hash(text), content_hash(base), "{text}");
        same(&base.replace("[ ]", "[x]"));
        same(&base.replace("Not started", "Complete"));
        same(&base.replace('\n', "\r\n"));
        same(&format!("\u{FEFF}{base}"));
        let differs = |text: &str| assert_ne!(content_hash(text), content_hash(base), "{text}");
        differs(&base.replace("x\n", "y\n"));
        differs(&base.replace("end", "End"));
        differs(&base.replace("- [ ]", "-"));
    }

    /// What is said above, line by line.
    fn spelled_out(text: &str) -> String {
        let mut hasher = Sha256::new();
        let mut in_table = false;
        for line in text.lines() {
            in_table = is_progress(line, in_table);
            if !in_table {
                let boxed = tick(line).map_or("", |tick| &line[tick]);
                hasher.update(
                    line.replacen(boxed, if boxed.is_empty() { "" } else { OPEN }, 1) + "\n",
                );
            }
        }
        digest::text(&hasher.finalize())
    }

    #[test]
    fn lines_that_are_passed_over_count_all_the_same() {
        let lines =
            ["", "a [b] | c", "- [x] a | b", " 1. [ ] c", "| Phase | Status |", " | 1 | Done |"];
        for first in lines {
            for second in lines {
                for third in lines {
                    for ending in ["\n", "\r\n"] {
                        let text = [first, second, third].join(ending);
                        for text in [text.clone(), format!("{text}{ending}")] {
                            assert_eq!(content_hash(&text), spelled_out(&text), "{text:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_hash_is_the_one_other_tools_compute() {
        // printf 'a\n' | sha256sum
        assert_eq!(
            content_hash("a\n"),
            "sha256:87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7"
        );
    }

    #[test]
    fn a_table_of_requirements_is_part_of_the_spec() {
        let table = "| ID | Text |\n|---|---|\n| A-1 | x |\n";
        assert_ne!(content_hash(table), content_hash(&table.replace("| x", "| y")));
    }
}
