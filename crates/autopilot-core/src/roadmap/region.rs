//! Which milestone a line of the roadmap belongs to. Milestones are told by their headings and `<details>` blocks.

use crate::markdown::Heading;
use crate::roadmap::entry;

/// Where a mention stood: lists and details of different milestones are different places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Region {
    pub(super) milestone: u32,
    pub(super) is_archived: bool,
    /// Its summary says that it is done.
    pub(super) is_shipped: bool,
}

impl Region {
    /// A new milestone starts at a `<details>` block and after one.
    pub(super) fn follow_tag(&mut self, line: &str) {
        let opens = line.starts_with("<details");
        let closes = line.contains("</details");
        if opens != closes {
            *self = Region { milestone: self.milestone + 1, is_archived: opens, is_shipped: false };
        }
    }

    /// `<summary>v1.0 — SHIPPED</summary>` inside a block.
    pub(super) fn follow_summary(&mut self, line: &str) {
        let lower = line.to_lowercase();
        let says_done = ["shipped", "✅", "completed"].iter().any(|word| lower.contains(word));
        self.is_shipped |= self.is_archived && line.contains("<summary") && says_done;
    }

    /// And at a heading that names a version.
    pub(super) fn follow_heading(&mut self, heading: Heading<'_>) {
        if names_a_milestone(heading.text) {
            self.milestone += 1;
        }
    }
}

fn names_a_milestone(heading: &str) -> bool {
    let is_version = |word: &str| {
        let digits = word.strip_prefix(['v', 'V']).unwrap_or_default();
        digits.starts_with(|c: char| c.is_ascii_digit())
    };
    // Most headings have no such letter at all.
    memchr::memchr2(b'v', b'V', heading.as_bytes()).is_some()
        && heading.split_whitespace().any(|word| is_version(word.trim_matches(['(', '*', '['])))
        && !entry::is_phase_heading(heading)
}
