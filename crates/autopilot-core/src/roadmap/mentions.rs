//! Every mention of a phase in a text, in the order they stand there: in headings, check-lists and Progress tables, and lines
//! that only read like one. What they say together is settled in `merge.rs`.

use crate::finding::{Findings, quote};
use crate::limits;
use crate::markdown::{Heading, Item, Line, Lines, Tick};
use crate::roadmap::entry::{self, Entry, Mention};
use crate::roadmap::open_sections::OpenSections;
use crate::roadmap::overlooked::Overlooked;
use crate::roadmap::progress;
use crate::roadmap::region::Region;
use crate::roadmap::remarks;
use crate::roadmap::section::Section;

/// One place that names a phase.
pub(super) struct Named<'t, T> {
    pub(super) entry: Entry<'t>,
    pub(super) region: Region,
    pub(super) line: u32,
    /// What only this kind of place tells.
    pub(super) own: T,
}

/// In a check-list, with its box.
pub(super) type Listed<'t> = Named<'t, Tick>;
/// In a heading, with the place of its section among all sections.
pub(super) type Detailed<'t> = Named<'t, usize>;

#[derive(Default)]
pub(super) struct Mentions<'t> {
    pub(super) listed: Vec<Listed<'t>>,
    pub(super) detailed: Vec<Detailed<'t>>,
    /// `### Phase 3 Login`, counted only when there is nothing clearer; with the words of the heading.
    pub(super) unseparated: Vec<(Detailed<'t>, &'t str)>,
    /// What stands below the headings of both, once it was read. A section is large; where it is made there it stays.
    pub(super) sections: Vec<Option<Box<Section<'t>>>>,
    pub(super) progress: Vec<progress::Row>,
    /// Lines that read like a phase but have no form a phase is read from.
    pub(super) overlooked: Vec<Overlooked>,
    /// The line from which on nothing was read, because there are too many.
    pub(super) cut_at: Option<u32>,
}

impl<'t> Mentions<'t> {
    /// Starts in `region` and leaves it where the lines end.
    pub(super) fn collect(lines: &mut Lines<'t>, region: &mut Region) -> Mentions<'t> {
        let mut mentions = Mentions::default();
        let mut sections = OpenSections::default();
        let mut table: Option<progress::Table> = None;
        let mut in_phase = false;
        for line in lines {
            if mentions.are_too_many() {
                mentions.cut_at = Some(line.number);
                break;
            }
            // The first byte tells most lines apart; what it is is settled by the reader of that kind.
            let first = line.first_byte();
            if first != Some(b'|') {
                table = None;
            }
            match first {
                Some(b'#') => {
                    if let Some(heading) = line.heading() {
                        region.follow_heading(heading);
                        in_phase = mentions.add_heading(heading, line, *region, &mut sections);
                        continue;
                    }
                }
                Some(b'|') => match table {
                    Some(open) => mentions.progress.extend(open.row(line)),
                    // A table among a phase's own prose is the author's, whatever its columns are called.
                    None if !in_phase => table = progress::Table::open(line.text),
                    None => {}
                },
                Some(b'<') => {
                    region.follow_tag(line.text);
                    region.follow_summary(line.text);
                    if line.text.starts_with("</details") {
                        sections.close_all(&mut mentions.sections);
                    }
                }
                Some(first) => mentions.add_line(&line, first, *region),
                None => {}
            }
            sections.add(line);
        }
        sections.close_all(&mut mentions.sections);
        mentions
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.listed.len() + self.detailed.len() >= 2 * limits::PHASES_MAX
    }

    /// Takes over what a reader found that started to count milestones and sections anew.
    pub(super) fn append(&mut self, more: Mentions<'t>, milestones: u32) {
        let sections = self.sections.len();
        let moved = |mut detailed: Detailed<'t>| {
            detailed.region.milestone += milestones;
            detailed.own += sections;
            detailed
        };
        self.listed.extend(more.listed.into_iter().map(|mut listed| {
            listed.region.milestone += milestones;
            listed
        }));
        self.detailed.extend(more.detailed.into_iter().map(moved));
        let unseparated = more.unseparated.into_iter();
        self.unseparated.extend(unseparated.map(|(detailed, words)| (moved(detailed), words)));
        self.sections.extend(more.sections);
        self.progress.extend(more.progress);
        self.overlooked.extend(more.overlooked);
        self.cut_at = self.cut_at.or(more.cut_at);
    }

    /// Whether what follows belongs to a phase.
    fn add_heading(
        &mut self,
        heading: Heading<'t>,
        line: Line<'t>,
        region: Region,
        sections: &mut OpenSections<'t>,
    ) -> bool {
        let mention = entry::of_heading(heading.text);
        match &mention {
            Some(Mention::Phase(_)) => sections.close_all(&mut self.sections),
            Some(Mention::Unseparated(_) | Mention::NoId) | None => {
                sections.close_from(heading.level, &mut self.sections);
            }
        }
        sections.add(line);
        let is_level = (2..=4).contains(&heading.level);
        let mut detailed = |entry: Entry<'t>| {
            sections.open(heading.level, self.sections.len());
            self.sections.push(None);
            Named { entry, region, line: line.number, own: self.sections.len() - 1 }
        };
        match mention {
            None => return false,
            Some(Mention::NoId) => {
                self.overlooked.extend(Overlooked::without_number(heading.text, line.number));
                return false;
            }
            Some(Mention::Phase(entry)) if is_level => self.detailed.push(detailed(entry)),
            Some(Mention::Unseparated(entry)) if is_level => {
                self.unseparated.push((detailed(entry), heading.text));
            }
            Some(Mention::Phase(entry) | Mention::Unseparated(entry)) => {
                self.overlooked.push(Overlooked::phase(entry.id, heading.text, line.number));
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

    fn add_box(&mut self, item: Item<'t>, line: u32, region: Region) {
        match entry::of_check_item(item.text) {
            None => {}
            Some(Mention::Phase(entry)) => {
                let entry = Entry { text: remarks::left_out(entry.text), ..entry };
                self.listed.push(Named { entry, region, line, own: item.tick })
            }
            Some(Mention::Unseparated(entry)) => {
                self.overlooked.push(Overlooked::phase(entry.id, item.text, line));
            }
            Some(Mention::NoId) => {
                self.overlooked.extend(Overlooked::without_number(item.text, line))
            }
        }
    }

    pub(super) fn use_unseparated_if_alone(&mut self, findings: &mut Findings) {
        let is_alone = self.listed.is_empty() && self.detailed.is_empty();
        for (detailed, words) in std::mem::take(&mut self.unseparated) {
            let line = detailed.line;
            if is_alone {
                let words = quote(words);
                let message =
                    format!("{words} has no \":\" after the number; it is read as a phase");
                findings.warn(line, message);
                self.detailed.push(detailed);
            } else {
                self.overlooked.push(Overlooked::phase(detailed.entry.id, words, line));
            }
        }
    }
}
