//! A stretch of a roadmap that is read by itself. Reading is nearly all in the parts, so that a large roadmap can be read in
//! two at the same time; who does that is the engine's business.

use crate::finding::Findings;
use crate::markdown::{Line, Lines, Unclosed};
use crate::roadmap::entry;
use crate::roadmap::mentions::{Mentions, PartNumber};
use crate::roadmap::region::Region;

/// What a part of the text mentions. Nothing that stands before it can be known to it.
pub struct Part<'t> {
    pub(super) mentions: Mentions<'t>,
    unclosed: Vec<Unclosed>,
    /// The region its last line is in.
    end: Region,
}

/// A text in two, before the first heading of a phase that starts beyond `bytes`; the second part is empty when there is none.
pub fn split(text: &str, bytes: usize) -> (&str, &str) {
    let is_phase = |at: &usize| {
        let line = text[*at..].lines().next().and_then(|line| Line::of(0, line).heading());
        line.is_some_and(|heading| entry::is_phase_heading(heading.text))
    };
    let beyond = text.as_bytes().get(bytes..).unwrap_or_default();
    let starts = memchr::memchr_iter(b'\n', beyond).map(|at| bytes + at + 1);
    let headings = starts.filter(|at| text.as_bytes().get(*at) == Some(&b'#'));
    text.split_at(headings.take(HEADINGS_MAX).find(is_phase).unwrap_or(text.len()))
}

/// Headings that are looked at for one that parts a text. Roadmaps large enough to be parted consist of phases.
const HEADINGS_MAX: usize = 100;

impl<'t> Part<'t> {
    /// The first part, or the whole.
    pub fn first(text: &'t str) -> Part<'t> {
        Part::of(PartNumber::First, Lines::of(text))
    }

    /// What follows on `before`.
    pub fn second(before: &str, text: &'t str) -> Part<'t> {
        let lines = memchr::memchr_iter(b'\n', before.as_bytes()).count();
        let first_line = u32::try_from(lines + 1).unwrap_or(u32::MAX);
        Part::of(PartNumber::Second, Lines::from_line(first_line, text))
    }

    fn of(number: PartNumber, mut lines: Lines<'t>) -> Part<'t> {
        let mut end = Region::default();
        let mentions = Mentions::collect(number, &mut lines, &mut end);
        Part { mentions, unclosed: lines.unclosed(), end }
    }

    /// Both as if they had been read in one. None when what stands in the first would have changed how the second is read: a
    /// fence or a block that the first leaves open, or too many phases.
    pub fn followed_by(mut self, next: Part<'t>) -> Option<Part<'t>> {
        let is_open = self.end.is_archived || !self.unclosed.is_empty();
        self.mentions.followed_by(next.mentions, self.end.milestone);
        self.unclosed = next.unclosed;
        let is_cut = self.mentions.cut_at.is_some() || self.mentions.are_too_many();
        (!is_open && !is_cut).then_some(self)
    }

    pub(super) fn report(&self, findings: &mut Findings) {
        for unclosed in &self.unclosed {
            unclosed.report(findings);
        }
        if let Some(line) = self.mentions.cut_at {
            findings.error(line, "too many phases for one roadmap; the rest is not read");
        }
    }
}
