//! The specification a run is held to (INV-4): its hash, with the parts left out that change as work goes on.

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
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut hasher = Sha256::new();
    let mut in_table = false;
    // Lines that count as they are, ending included, are hashed together.
    let mut pending = 0;
    let mut start = 0;
    while start < text.len() {
        let found = memchr::memchr(b'\n', &text.as_bytes()[start..]);
        let end = found.map_or(text.len(), |length| start + length);
        let line = &text[start..end];
        in_table = is_progress(line, in_table);
        let untick = if in_table { None } else { untick(line) };
        let is_as_it_is =
            !in_table && untick.is_none() && end < text.len() && !line.ends_with('\r');
        if !is_as_it_is {
            hasher.update(&text[pending..start]);
            pending = (end + 1).min(text.len());
        }
        if !is_as_it_is && !in_table {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let (before, boxed, after) = untick.unwrap_or((line, "", ""));
            for part in [before, boxed, after.strip_suffix('\r').unwrap_or(after), "\n"] {
                hasher.update(part);
            }
        }
        start = end + 1;
    }
    hasher.update(&text[pending.min(text.len())..]);
    digest::text(&hasher.finalize())
}

/// A row of a table of phases with a Status column, header included.
fn is_progress(line: &str, in_table: bool) -> bool {
    let is_row = line.trim_ascii_start().starts_with('|');
    is_row && (in_table || progress::Table::open(line).is_some_and(|table| table.has_status()))
}

/// What stands before the box of a check-list line, an open box, and what stands after.
fn untick(line: &str) -> Option<(&str, &'static str, &str)> {
    let item = markdown::item(line)?;
    if item.tick == markdown::Tick::NoBox {
        return None;
    }
    let open = line.find('[')?;
    let close = open + line[open..].find(']')? + 1;
    Some((&line[..open], "[ ]", &line[close..]))
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
