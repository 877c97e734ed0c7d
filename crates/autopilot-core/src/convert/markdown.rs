//! Any Markdown with headings and lists: decides which headings are phases. The rules stand in the header of `convert`.

use crate::limits;

use super::assemble::Role;
use super::heading::{self, PhaseHeading};
use super::outline::{Kind, Section};

pub(super) const WORDS: [&str; 12] = [
    "Phase",
    "Milestone",
    "Step",
    "Stage",
    "Sprint",
    "Iteration",
    "Epic",
    "User Story",
    "Story",
    "Task",
    "Part",
    "Week",
];

pub(super) fn roles(sections: &[Section<'_>]) -> Vec<Role> {
    let has_boxes = sections.iter().any(|section| section.boxes() > 0);
    let has_worded =
        sections.iter().any(|section| heading::worded(section.title(), &WORDS).is_some());
    let owns: Vec<bool> = sections
        .iter()
        .map(|section| owns_tasks(section, has_boxes) && !(has_worded && is_index(section)))
        .collect();
    let owns_below = has_below(sections, &owns);
    let mut numbered = Vec::with_capacity(sections.len());
    for (index, section) in sections.iter().enumerate() {
        numbered.push(numbered_heading(section, owns[index] || owns_below[index]));
    }
    let title = title_at(sections, &numbered);
    // "Milestone 1" above "Task 1" only groups; the tasks are the phases.
    let is_numbered: Vec<bool> = numbered.iter().map(Option::is_some).collect();
    let is_grouping = has_below(sections, &is_numbered);
    let mut roles = Vec::with_capacity(sections.len());
    for (index, section) in sections.iter().enumerate() {
        let role = match &numbered[index] {
            Some(heading) if !is_grouping[index] => Role::Phase(heading.clone()),
            Some(_) | None if !owns[index] => Role::Outside,
            Some(heading) => Role::PhaseAlone(heading.clone()),
            None if title == Some(index) || section.heading.is_none() => {
                Role::PhaseAlone(heading::unnumbered(section.title()))
            }
            None => Role::Phase(heading::unnumbered(section.title())),
        };
        roles.push(role);
    }
    flatten_only_list(sections, &numbered, has_boxes, &mut roles);
    roles
}

/// Whether a section only lists the phases that have headings elsewhere.
fn is_index(section: &Section<'_>) -> bool {
    let has_boxes = section.boxes() > 0;
    section.blocks.iter().all(|block| match block.kind {
        Kind::Item { mark, .. } if has_boxes && !mark.is_box() => true,
        Kind::Item { .. } => heading::worded(&block.text, &WORDS).is_some(),
        Kind::Heading { .. } | Kind::Field { .. } | Kind::Text | Kind::Table | Kind::Code => true,
    })
}

/// A word and a number make a phase by themselves; a number alone may count the chapters of a text.
fn numbered_heading(section: &Section<'_>, owns_tasks: bool) -> Option<PhaseHeading> {
    section.heading?;
    let by_number = || heading::numbered(section.title()).filter(|_| owns_tasks);
    heading::worded(section.title(), &WORDS).or_else(by_number)
}

/// The only heading of level 1, if it comes first and is no phase by its own words.
fn title_at(sections: &[Section<'_>], numbered: &[Option<PhaseHeading>]) -> Option<usize> {
    let mut tops = sections.iter().enumerate().filter(|(_, section)| section.level == 1);
    let (index, _) = tops.next()?;
    let is_first = sections[..index].iter().all(|section| section.heading.is_none());
    (tops.next().is_none() && is_first && numbered[index].is_none()).then_some(index)
}

fn owns_tasks(section: &Section<'_>, has_boxes: bool) -> bool {
    if has_boxes {
        section.boxes() > 0
    } else {
        section.items() > 0 && !is_background(section.title())
    }
}

/// For every section, whether a marked one stands below it.
fn has_below(sections: &[Section<'_>], is_marked: &[bool]) -> Vec<bool> {
    let mut has_below = vec![false; sections.len()];
    // Levels grow along the stack, so it never holds more than seven.
    let mut above: Vec<usize> = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        while above.last().is_some_and(|last| sections[*last].level >= section.level) {
            above.pop();
        }
        if is_marked[index] {
            for parent in &above {
                has_below[*parent] = true;
            }
        }
        if section.heading.is_some() {
            above.push(index);
        }
    }
    has_below
}

/// When everything stands in one list, one phase for all of it would say nothing.
fn flatten_only_list(
    sections: &[Section<'_>],
    numbered: &[Option<PhaseHeading>],
    has_boxes: bool,
    roles: &mut [Role],
) {
    let mut phases = (0..roles.len()).filter(|index| roles[*index] != Role::Outside);
    let (Some(only), None) = (phases.next(), phases.next()) else { return };
    let section = &sections[only];
    let deeper = sections[only + 1..].iter().take_while(|other| other.level > section.level);
    let is_alone = matches!(roles[only], Role::PhaseAlone(_)) || deeper.count() == 0;
    let indents = section.blocks.iter().filter_map(|block| match block.kind {
        Kind::Item { mark, indent } if mark.is_box() || !has_boxes => Some(indent),
        _ => None,
    });
    let top = indents.clone().min().unwrap_or_default();
    let count = indents.filter(|indent| *indent < top + 2).count();
    if numbered[only].is_none() && is_alone && count <= limits::DRAFT_FLAT_PHASES_MAX {
        roles[only] = Role::Flat;
    }
}

/// Sections that explain. Their lists are work only when they have check boxes.
pub(super) fn is_background(title: &str) -> bool {
    const TITLES: [&str; 34] = [
        "about",
        "acceptance criteria",
        "appendix",
        "assumptions",
        "background",
        "changelog",
        "constraints",
        "contents",
        "context",
        "decisions",
        "dependencies",
        "description",
        "faq",
        "files",
        "glossary",
        "goals",
        "introduction",
        "license",
        "links",
        "non-goals",
        "notes",
        "open questions",
        "out of scope",
        "overview",
        "prerequisites",
        "references",
        "resources",
        "risks",
        "scope",
        "summary",
        "table of contents",
        "tech stack",
        "validation commands",
        "vision",
    ];
    let bare = title.trim().trim_end_matches([':', '：']).to_lowercase();
    TITLES.contains(&bare.as_str())
}
