//! Writes a draft as the two files the readers of this program know. Owns their shape; every piece of foreign text passes
//! through `safe_text` on its way, so that nothing in it can become a phase, a field or a table cell.

use std::collections::BTreeMap;

use crate::limits;
use crate::phase_id::PhaseId;

use super::{Draft, DraftCriterion, DraftPhase, DraftRequirement, command, safe_text};

/// `.planning/ROADMAP.md`. `source_name` is the file the draft came from; every phase points back into it.
pub fn roadmap_text(draft: &Draft, source_name: &str) -> String {
    let source_name = safe_text::inline(source_name);
    let mut text = format!("# Roadmap: {}\n\n## Overview\n\n", safe_text::name(&draft.title));
    for paragraph in draft.overview.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
        text.push_str(&format!("{}\n\n", safe_text::block(paragraph)));
    }
    text.push_str(&format!("{}\n\n## Phases\n\n", draft.source.origin(&source_name)));
    for phase in &draft.phases {
        text.push_str(&list_line(phase));
    }
    text.push_str("\n## Phase Details\n");
    for phase in &draft.phases {
        text.push_str(&details(phase, &source_name));
    }
    text.push_str("\n## Progress\n\n| Phase | Plans Complete | Status | Completed |\n");
    text.push_str("|-------|----------------|--------|-----------|\n");
    for phase in &draft.phases {
        let status = if phase.is_done { "Complete" } else { "Not started" };
        let name = safe_text::cell(&phase_name(phase));
        text.push_str(&format!("| {}. {name} | 0/TBD | {status} | - |\n", phase.number));
    }
    text
}

/// `.planning/REQUIREMENTS.md`.
pub fn requirements_text(draft: &Draft, source_name: &str) -> String {
    let mut text = format!(
        "# Requirements: {}\n\n{}\n\n## v1 Requirements\n",
        safe_text::name(&draft.title),
        draft.source.origin(&safe_text::inline(source_name))
    );
    for (category, requirements) in by_category(&draft.requirements) {
        text.push_str(&format!("\n### {category}\n\n"));
        for requirement in requirements {
            let tick = tick(requirement.is_done);
            let words = safe_text::inline(&requirement.text);
            text.push_str(&format!("- [{tick}] **{}**: {words}\n", id(requirement)));
        }
    }
    text.push_str(
        "\n## Traceability\n\n| Requirement | Phase | Status |\n|-------------|-------|--------|\n",
    );
    for requirement in &draft.requirements {
        let status = if requirement.is_done { "Complete" } else { "Pending" };
        text.push_str(&format!(
            "| {} | Phase {} | {status} |\n",
            id(requirement),
            requirement.phase
        ));
    }
    text
}

fn list_line(phase: &DraftPhase) -> String {
    let name = phase_name(phase);
    let goal = safe_text::cut(&safe_text::one_line(&phase.goal), limits::DRAFT_SUMMARY_CHARS_MAX);
    // Cutting can leave a code span open, so it comes before the escaping.
    let goal = safe_text::inline(&goal);
    let tick = tick(phase.is_done);
    let head = format!("- [{tick}] **Phase {}: {name}**", phase.number);
    if goal.is_empty() || goal == name { format!("{head}\n") } else { format!("{head} - {goal}\n") }
}

fn details(phase: &DraftPhase, source_name: &str) -> String {
    let mut text = format!("\n### Phase {}: {}\n", phase.number, phase_name(phase));
    text.push_str(&format!("**Goal**: {}\n", safe_text::inline(&phase.goal)));
    text.push_str(&format!("**Depends on**: {}\n", depends_on(phase)));
    if !phase.requirements.is_empty() {
        let ids: Vec<String> = phase.requirements.iter().map(|id| safe_text::name(id)).collect();
        text.push_str(&format!("**Requirements**: {}\n", ids.join(", ")));
    }
    if !phase.criteria.is_empty() {
        text.push_str("**Success Criteria** (what must be TRUE):\n");
        for (position, criterion) in phase.criteria.iter().enumerate() {
            text.push_str(&format!("  {}. {}\n", position + 1, criterion_text(criterion)));
        }
    }
    if let Some(line) = phase.line {
        text.push_str(&format!("**Source**: {source_name}:{line}\n"));
    }
    for note in &phase.notes {
        text.push_str(&format!("**Note**: {}\n", safe_text::inline(note)));
    }
    text
}

fn depends_on(phase: &DraftPhase) -> String {
    if phase.depends_on.is_empty() {
        let is_first = phase.number == PhaseId::number(1);
        return if is_first { "Nothing (first phase)" } else { "Nothing" }.to_owned();
    }
    let phases: Vec<String> =
        phase.depends_on.iter().map(|number| format!("Phase {number}")).collect();
    phases.join(", ")
}

fn criterion_text(criterion: &DraftCriterion) -> String {
    let text = safe_text::block(&criterion.text);
    match criterion.command.as_deref().filter(|command| command::is_writable(command)) {
        Some(command) => format!("{text} -- verified by: `{}`", command.trim()),
        None => text,
    }
}

fn phase_name(phase: &DraftPhase) -> String {
    safe_text::name(&phase.name)
}

fn id(requirement: &DraftRequirement) -> String {
    safe_text::cell(&safe_text::name(&requirement.id))
}

fn tick(is_done: bool) -> char {
    if is_done { 'x' } else { ' ' }
}

/// Categories in the order in which they first appear.
fn by_category(requirements: &[DraftRequirement]) -> Vec<(String, Vec<&DraftRequirement>)> {
    let mut places = BTreeMap::new();
    let mut groups: Vec<(String, Vec<&DraftRequirement>)> = Vec::new();
    for requirement in requirements {
        let category = safe_text::name(&requirement.category);
        let place = *places.entry(category.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, group)) => group.push(requirement),
            None => groups.push((category, vec![requirement])),
        }
    }
    groups
}
