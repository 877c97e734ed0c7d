//! Reads ROADMAP.md (ROAD-1 to ROAD-4): every mention of a phase, in headings and check-lists, merged by id. Returns what it
//! understood and what it noticed; it never stops at the first fault. What it understood borrows from the text: a roadmap is
//! words, and most of them are never copied.

pub mod depends_on;
pub mod entry;
pub mod index;
mod merge;
pub mod progress;
mod resolve;
pub mod section;
pub mod tick;
pub mod vocabulary;

use std::borrow::Cow;
use std::ops::Range;

use crate::criterion::Criterion;
use crate::finding::{Finding, Findings, quote};
use crate::limits;
use crate::markdown::{self, Line, Tick};
use crate::phase_id::PhaseId;
use crate::roadmap::entry::{Entry, Mention};
use crate::roadmap::index::PhaseIndex;
use crate::roadmap::section::ListedPlan;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roadmap<'t> {
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
    let mut findings = Findings::of_file(file);
    let lines = markdown::structure(text, &mut findings);
    let mut mentions = Mentions::collect(&lines, &mut findings);
    mentions.use_unseparated_if_alone(&mut findings);
    let phases = merge::phases(&mentions, &lines, &mut findings);
    report_overlooked(&mentions.overlooked, &phases, &mut findings);
    if phases.is_empty() {
        findings.error(1, NO_PHASES);
    }
    (Roadmap { file: file.to_string(), phases }, findings.into_list())
}

/// A phase that got lost must not pass for one that is done (ROAD-4).
fn report_overlooked(overlooked: &[Overlooked], phases: &[Phase<'_>], findings: &mut Findings) {
    if overlooked.is_empty() {
        return;
    }
    let known = PhaseIndex::of(phases);
    let is_known = |line: &&Overlooked| line.id.as_ref().is_some_and(|id| known.holds(id));
    for line in overlooked.iter().filter(|line| !is_known(line)) {
        findings.warn(line.line, line.message());
    }
}

impl<'t> Roadmap<'t> {
    pub fn phase(&self, id: &PhaseId) -> Option<&Phase<'t>> {
        self.phases.iter().find(|phase| &phase.id == id)
    }
}

/// Where a mention stood: lists and details of different milestones are different places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Region {
    milestone: u32,
    is_archived: bool,
    /// Its summary says that it is done.
    is_shipped: bool,
}

/// One place that names a phase.
struct Named<'t, T> {
    entry: Entry<'t>,
    region: Region,
    line: u32,
    /// What only this kind of place tells.
    own: T,
}

/// In a check-list, with its box.
type Listed<'t> = Named<'t, Tick>;
/// In a heading, with the lines of its section.
type Detailed<'t> = Named<'t, Range<usize>>;

/// A line that reads like a phase but has no form a phase is read from: `- Phase 3: Login`, `Phase 3: Login` underlined,
/// `- [ ] Phase 3 Login`, `## Phase One: Login`.
struct Overlooked {
    /// None when it names no number.
    id: Option<PhaseId>,
    words: String,
    line: u32,
}

impl Overlooked {
    fn of(text: &str, line: u32) -> Option<Overlooked> {
        let is_mark = |c: char| !c.is_alphanumeric();
        let bare = text.trim_start_matches(is_mark);
        // Most lines are prose and end here.
        vocabulary::after_phase_word(bare)?;
        match entry::of_heading(bare)? {
            Mention::Phase(entry) => {
                Some(Overlooked { id: Some(entry.id), words: quote(text), line })
            }
            Mention::Unseparated(_) | Mention::NoId => None,
        }
    }

    /// "Phase One: Login" was meant as a phase; "Phase Details" was not.
    fn without_number(text: &str, line: u32) -> Option<Overlooked> {
        text.contains([':', '：']).then(|| Overlooked { id: None, words: quote(text), line })
    }

    fn message(&self) -> String {
        let Overlooked { id, words, .. } = self;
        match id {
            Some(id) => format!(
                "{words} looks like a phase but is not read as one: use a heading (### Phase {id}: Name) or a check box (- [ ] Phase {id}: Name)"
            ),
            None => format!("{words} names no phase number and is not read as a phase"),
        }
    }
}

#[derive(Default)]
struct Mentions<'t> {
    listed: Vec<Listed<'t>>,
    detailed: Vec<Detailed<'t>>,
    /// `### Phase 3 Login`, counted only when there is nothing clearer.
    unseparated: Vec<(Detailed<'t>, String)>,
    progress: Vec<progress::Row>,
    /// Lines that read like a phase but have no form a phase is read from.
    overlooked: Vec<Overlooked>,
}

impl<'t> Mentions<'t> {
    fn collect(lines: &[Line<'t>], findings: &mut Findings) -> Mentions<'t> {
        let mut mentions = Mentions::default();
        let mut region = Region { milestone: 0, is_archived: false, is_shipped: false };
        let mut table: Option<progress::Table> = None;
        let mut in_phase = false;
        for (index, line) in lines.iter().enumerate() {
            if mentions.listed.len() + mentions.detailed.len() >= 2 * limits::PHASES_MAX {
                findings
                    .error(line.number, "too many phases for one roadmap; the rest is not read");
                break;
            }
            // The first byte tells most lines apart; what it is is settled by the reader of that kind.
            let first = line.first_byte();
            if first != Some(b'|') {
                table = None;
            }
            match first {
                Some(b'#') => {
                    let Some(heading) = line.heading() else { continue };
                    region.follow_heading(heading);
                    in_phase = mentions.add_heading(heading, lines, index, region);
                }
                Some(b'|') => match table {
                    Some(open) => mentions.progress.extend(open.row(*line)),
                    // A table among a phase's own prose is the author's, whatever its columns are called.
                    None if !in_phase => table = progress::Table::open(line.text),
                    None => {}
                },
                Some(b'<') => {
                    region.follow_tag(line.text);
                    region.follow_summary(line.text);
                }
                Some(first) => mentions.add_line(line, first, region),
                None => {}
            }
        }
        mentions
    }

    /// Whether what follows belongs to a phase.
    fn add_heading(
        &mut self,
        heading: markdown::Heading<'t>,
        lines: &[Line<'t>],
        index: usize,
        region: Region,
    ) -> bool {
        let line = lines[index].number;
        let is_level = (2..=4).contains(&heading.level);
        let detailed = |entry: Entry<'t>| {
            let own = section_lines(lines, index, heading.level);
            Named { entry, region, line, own }
        };
        match entry::of_heading(heading.text) {
            None => return false,
            Some(Mention::NoId) => {
                self.overlooked.extend(Overlooked::without_number(heading.text, line));
                return false;
            }
            Some(Mention::Phase(entry)) if is_level => self.detailed.push(detailed(entry)),
            Some(Mention::Unseparated(entry)) if is_level => {
                self.unseparated.push((detailed(entry), quote(heading.text)));
            }
            Some(Mention::Phase(entry) | Mention::Unseparated(entry)) => {
                self.overlooked.push(Overlooked {
                    id: Some(entry.id),
                    words: quote(heading.text),
                    line,
                });
            }
        }
        true
    }

    fn add_line(&mut self, line: &Line<'t>, first: u8, region: Region) {
        match line.item() {
            Some(item) if item.tick != Tick::NoBox => self.add_box(item, line.number, region),
            // Prose starts with a letter of its own; what starts like a phase may be one nobody meant to lose.
            _ if first.is_ascii_alphabetic() && !matches!(first, b'P' | b'p') => {}
            Some(item) => self.overlooked.extend(Overlooked::of(item.text, line.number)),
            None => self.overlooked.extend(Overlooked::of(line.text, line.number)),
        }
    }

    fn add_box(&mut self, item: markdown::Item<'t>, line: u32, region: Region) {
        match entry::of_check_item(item.text) {
            None => {}
            Some(Mention::Phase(entry)) => {
                self.listed.push(Named { entry, region, line, own: item.tick })
            }
            Some(Mention::Unseparated(entry)) => {
                self.overlooked.push(Overlooked {
                    id: Some(entry.id),
                    words: quote(item.text),
                    line,
                });
            }
            Some(Mention::NoId) => {
                self.overlooked.extend(Overlooked::without_number(item.text, line))
            }
        }
    }

    fn use_unseparated_if_alone(&mut self, findings: &mut Findings) {
        let is_alone = self.listed.is_empty() && self.detailed.is_empty();
        for (detailed, words) in std::mem::take(&mut self.unseparated) {
            if is_alone {
                let message =
                    format!("{words} has no \":\" after the number; it is read as a phase");
                findings.warn(detailed.line, message);
                self.detailed.push(detailed);
            } else {
                self.overlooked.push(Overlooked {
                    id: Some(detailed.entry.id),
                    words,
                    line: detailed.line,
                });
            }
        }
    }
}

/// From the line after the heading to the next heading that is as high, or to the next phase.
fn section_lines(lines: &[Line<'_>], index: usize, level: usize) -> Range<usize> {
    let start = index + 1;
    let ends = |line: &Line<'_>| match line.first_byte() {
        Some(b'#') => line
            .heading()
            .is_some_and(|heading| heading.level <= level || entry::is_phase_heading(heading.text)),
        Some(b'<') => line.text.starts_with("</details"),
        _ => false,
    };
    let length = lines[start..].iter().position(ends).unwrap_or(lines.len() - start);
    start..start + length
}

impl Region {
    /// A new milestone starts at a `<details>` block and after one.
    fn follow_tag(&mut self, line: &str) {
        let opens = line.starts_with("<details");
        let closes = line.contains("</details");
        if opens != closes {
            *self = Region { milestone: self.milestone + 1, is_archived: opens, is_shipped: false };
        }
    }

    /// `<summary>v1.0 — SHIPPED</summary>` inside a block.
    fn follow_summary(&mut self, line: &str) {
        let lower = line.to_lowercase();
        let says_done = ["shipped", "✅", "completed"].iter().any(|word| lower.contains(word));
        self.is_shipped |= self.is_archived && line.contains("<summary") && says_done;
    }

    /// And at a heading that names a version.
    fn follow_heading(&mut self, heading: markdown::Heading<'_>) {
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

#[cfg(test)]
#[path = "roadmap_tests.rs"]
mod tests;
