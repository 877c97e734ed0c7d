//! The `tasks.md` of spec-kit: `## Phase N: Name` with tasks `- [ ] T001 [P] [US1] text`. Its sentences about dependencies
//! are read by `reference`, its labels by `gather`.

use super::assemble::Role;
use super::heading::{self, PhaseHeading};
use super::outline::Section;

pub(super) fn phase_heading(text: &str) -> Option<PhaseHeading> {
    heading::worded(text, &["Phase"])
}

pub(super) fn roles(sections: &[Section<'_>]) -> Vec<Role> {
    let role = |section: &Section<'_>| match phase_heading(section.title()) {
        Some(heading) if section.heading.is_some() => Role::Phase(heading),
        _ => Role::Outside,
    };
    sections.iter().map(role).collect()
}
