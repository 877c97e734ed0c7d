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
/// In a heading, with the place of its section.
pub(super) type Detailed<'t> = Named<'t, SectionPlace>;

/// Which part of the text a section stands in, and where among the sections of that part.
#[derive(Clone, Copy)]
pub(super) struct SectionPlace {
    pub(super) part: PartNumber,
    pub(super) place: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum PartNumber {
    #[default]
    First,
    Second,
}

#[derive(Default)]
pub(super) struct Mentions<'t> {
    part: PartNumber,
    /// What the second part mentions. Nothing of it is moved: another thread made it, and it is large.
    following: Option<Box<Mentions<'t>>>,
    listed: Vec<Listed<'t>>,
    detailed: Vec<Detailed<'t>>,
    /// `### Phase 3 Login`, counted only when there is nothing clearer; with the words of the heading.
    unseparated: Vec<(Detailed<'t>, &'t str)>,
    /// What stands below the headings of both, once it was read. A section is large; where it is made there it stays.
    sections: Vec<Option<Box<Section<'t>>>>,
    progress: Vec<progress::Row>,
    /// Lines that read like a phase but have no form a phase is read from.
    pub(super) overlooked: Vec<Overlooked>,
    /// The line from which on nothing was read, because there are too many.
    pub(super) cut_at: Option<u32>,
}

/// What a phase has at least in nearly every roadmap, all that is said of it together. Room for as many is asked for at once, since
/// lists that grow are copied; what is not used of it is never touched.
const BYTES_A_PHASE: usize = 400;

impl<'t> Mentions<'t> {
    /// Starts in `region` and leaves it where the lines end.
    pub(super) fn collect(
        part: PartNumber,
        lines: &mut Lines<'t>,
        region: &mut Region,
    ) -> Mentions<'t> {
        let many = lines.bytes_left() / BYTES_A_PHASE;
        let mut mentions = Mentions {
            part,
            listed: Vec::with_capacity(many),
            detailed: Vec::with_capacity(many),
            ..Mentions::default()
        };
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
        let count = |part: &Mentions<'_>| part.listed.len() + part.detailed.len();
        let following = self.following.as_deref().map_or(0, count);
        count(self) + following >= 2 * limits::PHASES_MAX
    }

    pub(super) fn listed(&self) -> impl Iterator<Item = &Listed<'t>> {
        self.parts().flat_map(|part| &part.listed)
    }

    pub(super) fn detailed(&self) -> impl Iterator<Item = &Detailed<'t>> {
        self.parts().flat_map(|part| &part.detailed)
    }

    pub(super) fn progress(&self) -> impl Iterator<Item = &progress::Row> {
        self.parts().flat_map(|part| &part.progress)
    }

    pub(super) fn take_sections(&mut self) -> Sections<'t> {
        let second = self.following.as_mut().map(|second| std::mem::take(&mut second.sections));
        Sections { first: std::mem::take(&mut self.sections), second: second.unwrap_or_default() }
    }

    fn parts(&self) -> impl Iterator<Item = &Mentions<'t>> {
        std::iter::once(self).chain(self.following.as_deref())
    }

    /// Takes over what the second part mentions, whose reader began to count milestones anew.
    pub(super) fn followed_by(&mut self, mut second: Mentions<'t>, milestones: u32) {
        if milestones > 0 {
            let listed = second.listed.iter_mut().map(|listed| &mut listed.region);
            let detailed = second.detailed.iter_mut().map(|detailed| &mut detailed.region);
            let unseparated = second.unseparated.iter_mut().map(|(it, _)| &mut it.region);
            for region in listed.chain(detailed).chain(unseparated) {
                region.milestone += milestones;
            }
        }
        self.unseparated.append(&mut second.unseparated);
        self.overlooked.append(&mut second.overlooked);
        self.cut_at = self.cut_at.or(second.cut_at);
        self.following = Some(Box::new(second));
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
            let own = SectionPlace { part: self.part, place: self.sections.len() - 1 };
            Named { entry, region, line: line.number, own }
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
        let is_alone = self.listed().next().is_none() && self.detailed().next().is_none();
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

/// The sections of all parts, each of which is taken once.
pub(super) struct Sections<'t> {
    first: Vec<Option<Box<Section<'t>>>>,
    second: Vec<Option<Box<Section<'t>>>>,
}

impl<'t> Sections<'t> {
    pub(super) fn take(&mut self, at: SectionPlace) -> Option<Box<Section<'t>>> {
        let sections = match at.part {
            PartNumber::First => &mut self.first,
            PartNumber::Second => &mut self.second,
        };
        sections[at.place].take()
    }
}
