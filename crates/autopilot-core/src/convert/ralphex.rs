//! The plan of ralphex: `### Task N: Name` or `### Iteration N: Name` with a check-list, and a section of commands that
//! must pass after each. Tasks are done one after the other.

use super::assemble::Role;
use super::heading::{self, PhaseHeading};
use super::outline::Section;

/// ralphex itself counts only level 3; a plan whose author used another is still a plan.
pub(super) fn task_heading(level: u8, text: &str) -> Option<PhaseHeading> {
    if !(2..=4).contains(&level) || !text.contains([':', '：']) {
        return None;
    }
    heading::worded(text, &["Task", "Iteration"])
}

pub(super) fn roles(sections: &[Section<'_>]) -> Vec<Role> {
    let role = |section: &Section<'_>| match task_heading(section.level, section.title()) {
        Some(heading) => Role::Phase(heading),
        // ralphex works on stray check boxes too, though it advises against them.
        None if section.boxes() > 0 && !is_by_hand(section.title()) => {
            Role::PhaseAlone(heading::unnumbered(section.title()))
        }
        None => Role::Outside,
    };
    sections.iter().map(role).collect()
}

/// What people do after the plan, outside the code.
fn is_by_hand(title: &str) -> bool {
    let lower = title.to_lowercase();
    lower.starts_with("post-completion") || lower.starts_with("manual")
}
