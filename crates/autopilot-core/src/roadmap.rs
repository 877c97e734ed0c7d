//! Reads ROADMAP.md (ROAD-1 to ROAD-4): every mention of a phase, in headings and check-lists, merged by id. Returns what it
//! understood and what it noticed; it never stops at the first fault. What it understood borrows from the text: a roadmap is
//! words, and most of them are never copied.

pub mod depends_on;
pub mod entry;
pub mod index;
mod mentions;
mod merge;
mod open_sections;
mod overlooked;
pub mod part;
pub mod progress;
mod region;
mod remarks;
mod resolve;
pub mod section;
pub mod tick;
pub mod vocabulary;

use std::borrow::Cow;

use crate::criterion::Criterion;
use crate::finding::{Finding, Findings};
use crate::phase_id::PhaseId;
use crate::roadmap::part::Part;
use crate::roadmap::section::ListedPlan;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roadmap<'t> {
    /// Empty for one that no file has: a task that was asked for by word.
    pub file: String,
    /// In roadmap order: as listed; a phase with details only stands after the listed one before it.
    pub phases: Vec<Phase<'t>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase<'t> {
    pub id: PhaseId,
    pub name: Cow<'t, str>,
    pub goal: Cow<'t, str>,
    pub description: Cow<'t, str>,
    pub depends_on: Vec<PhaseId>,
    pub requirements: Vec<Cow<'t, str>>,
    pub criteria: Vec<Criterion<'t>>,
    pub plans: Vec<ListedPlan<'t>>,
    pub mode: Cow<'t, str>,
    pub ui_hint: Cow<'t, str>,
    pub is_inserted: bool,
    pub standing: Standing,
    /// The heading of its details, else its check-list line.
    pub line: u32,
}

/// What the roadmap itself says about how far a phase is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    NotStarted,
    InProgress,
    Completed,
    /// Struck through, superseded or skipped: not to be done, and nobody has to wait for it.
    Skipped,
}

impl Standing {
    /// Others may build on it.
    pub fn is_settled(self) -> bool {
        matches!(self, Standing::Completed | Standing::Skipped)
    }
}

/// What is said of a roadmap in which no phase was found.
pub const NO_PHASES: &str = "no phase found in this roadmap";

pub fn read<'t>(file: &str, text: &'t str) -> (Roadmap<'t>, Vec<Finding>) {
    of_part(file, Part::first(text))
}

/// What the parts of a roadmap say together.
pub fn of_part<'t>(file: &str, part: Part<'t>) -> (Roadmap<'t>, Vec<Finding>) {
    let mut findings = Findings::of_file(file);
    part.report(&mut findings);
    let mut mentions = part.mentions;
    mentions.use_unseparated_if_alone(&mut findings);
    let overlooked = std::mem::take(&mut mentions.overlooked);
    let phases = merge::phases(mentions, &mut findings);
    overlooked::report(&overlooked, &phases, &mut findings);
    if phases.is_empty() {
        findings.error(1, NO_PHASES);
    }
    (Roadmap { file: file.to_string(), phases }, findings.into_list())
}

impl<'t> Roadmap<'t> {
    pub fn has_file(&self) -> bool {
        !self.file.is_empty()
    }

    pub fn phase(&self, id: &PhaseId) -> Option<&Phase<'t>> {
        self.phases.iter().find(|phase| &phase.id == id)
    }
}

#[cfg(test)]
#[path = "roadmap_tests.rs"]
mod tests;
