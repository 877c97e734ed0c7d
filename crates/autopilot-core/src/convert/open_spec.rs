//! The `tasks.md` of OpenSpec: `## N. Name` with tasks `- [ ] N.M text`. The file has no title of its own; the change is
//! named by its folder.

use super::assemble::Role;
use super::heading::{self, PhaseHeading};
use super::outline::Section;

pub(super) fn group_heading(level: u8, text: &str) -> Option<PhaseHeading> {
    if level == 2 { heading::numbered(text) } else { None }
}

pub(super) fn roles(sections: &[Section<'_>]) -> Vec<Role> {
    let role = |section: &Section<'_>| match group_heading(section.level, section.title()) {
        Some(heading) => Role::Phase(heading),
        // Somebody added a group and forgot its number.
        None if section.boxes() > 0 && section.level >= 2 => {
            Role::Phase(heading::unnumbered(section.title()))
        }
        None => Role::Outside,
    };
    sections.iter().map(role).collect()
}
