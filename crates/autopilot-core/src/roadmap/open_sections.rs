//! The sections of phases that a reader is inside of. Their lines are kept only until the last of them ends; a whole roadmap
//! of them would be many times larger than what they say.

use crate::markdown::Line;
use crate::roadmap::section::{self, Section};

/// A section ends at the next heading that is as high, or at the next phase. So those that are open lie in each other, each
/// deeper than the one before it.
#[derive(Default)]
pub(super) struct OpenSections<'t> {
    open: Vec<Open>,
    lines: Vec<Line<'t>>,
}

struct Open {
    level: usize,
    /// Its place among all sections.
    place: usize,
    /// Its first line among those that are kept.
    start: usize,
}

impl<'t> OpenSections<'t> {
    pub(super) fn open(&mut self, level: usize, place: usize) {
        self.open.push(Open { level, place, start: self.lines.len() });
    }

    pub(super) fn add(&mut self, line: Line<'t>) {
        if !self.open.is_empty() {
            self.lines.push(line);
        }
    }

    pub(super) fn close_all(&mut self, sections: &mut [Option<Box<Section<'t>>>]) {
        self.close_from(0, sections);
    }

    /// Reads those of this level and deeper.
    pub(super) fn close_from(&mut self, level: usize, sections: &mut [Option<Box<Section<'t>>>]) {
        while let Some(last) = self.open.pop_if(|open| open.level >= level) {
            sections[last.place] = Some(Box::new(section::read(&self.lines[last.start..])));
        }
        if self.open.is_empty() {
            self.lines.clear();
        }
    }
}
