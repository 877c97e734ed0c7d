//! The first events of a run, made of what the readers understood: everything later decisions rest on is in the journal, and a
//! resumed run follows what was read then.

use std::collections::BTreeSet;

use crate::commands::{Commands, Slot};
use crate::criterion::{Check, Criterion};
use crate::limits;
use crate::outlook::Outlook;
use crate::phase_id::PhaseId;
use crate::project::Project;
use crate::roadmap::Phase;
use crate::run::definition::{
    CheckOrder, CriterionDefinition, PhaseDefinition, ProjectDefinition, RunDefinition,
    SettledBefore, SpecLock,
};
use crate::run::event::Event;
use crate::run::gate_definitions::{self, DefinitionLock};
use crate::run::measured::CheckName;
use crate::run::state::RunState;

/// `run_started`, `project_read` and one `phase_read` for each selected phase, in schedule order.
pub fn events(definition: RunDefinition, project: &Project, outlook: &Outlook) -> Vec<Event> {
    let mut events = vec![
        Event::RunStarted { definition },
        Event::ProjectRead { project: project_definition(project, outlook) },
    ];
    let chosen: BTreeSet<&PhaseId> = outlook.schedule.order.iter().collect();
    let count = outlook.schedule.order.len();
    for (number, id) in (1usize..).zip(&outlook.schedule.order) {
        let Some(phase) = definition_of(id, project, outlook, &chosen) else { continue };
        events.push(Event::PhaseRead { phase, is_last: number == count });
    }
    events
}

/// The selected phases as a run gets them that has begun already, dependencies first. What depends on a phase of the run waits for
/// it; other dependencies were settled before.
pub fn additions(state: &RunState, project: &Project, outlook: &Outlook) -> Vec<PhaseDefinition> {
    let in_run = state.phases.iter().map(|phase| &phase.definition.id);
    let chosen: BTreeSet<&PhaseId> = in_run.chain(&outlook.schedule.order).collect();
    let order = outlook.schedule.order.iter();
    order.filter_map(|id| definition_of(id, project, outlook, &chosen)).collect()
}

fn definition_of(
    id: &PhaseId,
    project: &Project,
    outlook: &Outlook,
    chosen: &BTreeSet<&PhaseId>,
) -> Option<PhaseDefinition> {
    let place = project.roadmap.phases.iter().position(|phase| &phase.id == id)?;
    let expected = &outlook.phases[place];
    Some(PhaseDefinition {
        phase_type: expected.phase_type,
        estimate_tokens: expected.estimate.map_or(0, |estimate| estimate.tokens),
        estimate_runs: expected.estimate.map_or(0, |estimate| estimate.agent_runs),
        ..phase_definition(&project.roadmap.phases[place], project, chosen)
    })
}

fn project_definition(project: &Project, outlook: &Outlook) -> ProjectDefinition {
    ProjectDefinition {
        name: project.name.clone(),
        roadmap: project.roadmap.file.to_string(),
        spec: project
            .spec
            .as_ref()
            .map(|spec| SpecLock { path: spec.path.clone(), hash: spec.hash.clone() }),
        checks: checks(&project.commands),
        settled: settled(project, outlook),
        definitions: locks(project, |lock| !gate_definitions::is_plan(&lock.path)),
    }
}

fn settled(project: &Project, outlook: &Outlook) -> SettledBefore {
    let chosen: BTreeSet<&PhaseId> = outlook.schedule.order.iter().collect();
    let counted = project.roadmap.phases.iter().filter(|phase| !phase.id.is_backlog());
    let is_settled = |phase: &&Phase| phase.standing.is_settled() && !chosen.contains(&phase.id);
    let settled: Vec<&PhaseId> =
        counted.clone().filter(is_settled).map(|phase| &phase.id).collect();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    SettledBefore {
        phases: count(counted.count()),
        count: count(settled.len()),
        listed: settled.into_iter().take(limits::SETTLED_LISTED_MAX).cloned().collect(),
    }
}

/// The project's commands as checks, in the order they run.
pub fn checks(commands: &Commands) -> Vec<CheckOrder> {
    let order = [
        (Slot::Compile, CheckName::Compile),
        (Slot::Lint, CheckName::Lint),
        (Slot::Test, CheckName::Test),
        (Slot::Build, CheckName::Build),
    ];
    let found = order.into_iter().filter_map(|(slot, name)| {
        let command = commands.get(slot)?.line.clone();
        Some(CheckOrder { name, command, is_hidden: false })
    });
    found.collect()
}

fn phase_definition(
    phase: &Phase,
    project: &Project,
    chosen: &BTreeSet<&PhaseId>,
) -> PhaseDefinition {
    let depends_on = phase.depends_on.iter().filter(|id| chosen.contains(id));
    let criteria = phase.criteria.iter().take(limits::CRITERIA_PER_PHASE_MAX);
    PhaseDefinition {
        id: phase.id.clone(),
        name: clipped(&phase.name),
        goal: clipped(&phase.goal),
        phase_type: crate::phase_type::PhaseType::Mixed,
        depends_on: depends_on.cloned().collect(),
        requirements: phase.requirements.iter().map(ToString::to_string).collect(),
        criteria: criteria.map(criterion_definition).collect(),
        folder: folder_of(phase, project),
        has_plan: !project.plans_of(&phase.id).is_empty(),
        plans: locks(project, |lock| {
            project.plans_of(&phase.id).iter().any(|plan| plan.plan.file == lock.path)
        }),
        estimate_tokens: 0,
        estimate_runs: 0,
    }
}

fn locks(project: &Project, is_wanted: impl Fn(&&DefinitionLock) -> bool) -> Vec<DefinitionLock> {
    project.locks.iter().filter(is_wanted).take(limits::DEFINITIONS_LOCKED_MAX).cloned().collect()
}

fn criterion_definition(criterion: &Criterion) -> CriterionDefinition {
    let (command, is_hidden) = match &criterion.check {
        Check::Judged => (None, false),
        Check::Command(command) => (Some(command.to_string()), false),
        Check::Hidden(command) => (Some(command.to_string()), true),
    };
    CriterionDefinition { text: clipped(&criterion.text), command, is_hidden, is_adopted: false }
}

/// Where the plans of the phase lie already, else `.planning/phases/03-the-name`.
fn folder_of(phase: &Phase, project: &Project) -> String {
    let plan = project.plans_of(&phase.id).first().map(|plan| plan.plan.file.as_str());
    let folder = plan.and_then(|file| file.rsplit_once('/')).map(|(folder, _)| folder);
    // Plans may lie one level deeper, in `plans/`.
    let folder = folder.map(|folder| folder.strip_suffix("/plans").unwrap_or(folder));
    folder.map_or_else(|| new_folder(phase), ToString::to_string)
}

fn new_folder(phase: &Phase) -> String {
    let mut slug = String::new();
    for character in phase.name.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
        if slug.len() >= limits::SLUG_BYTES_MAX {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    let id = phase.id.to_string();
    let width = if id.starts_with(|c: char| c.is_ascii_digit()) { 2 } else { 0 };
    let whole = id.find(|c: char| !c.is_ascii_digit()).unwrap_or(id.len());
    let padded = format!("{:0>width$}{}", &id[..whole], &id[whole..]);
    let joint = if slug.is_empty() { "" } else { "-" };
    format!(".planning/phases/{padded}{joint}{slug}")
}

/// A roadmap may hold a novel; an event may not.
fn clipped(text: &str) -> String {
    match text.char_indices().nth(limits::FIELD_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roadmap;

    #[test]
    fn a_phase_without_a_folder_gets_one_named_for_it() {
        let check = |heading: &str, expected: &str| {
            let text = format!("### {heading}\n");
            let (roadmap, _) = roadmap::read("R.md", &text);
            let folder = new_folder(&roadmap.phases[0]);
            assert_eq!(folder, format!(".planning/phases/{expected}"));
        };
        check("Phase 3: Log in / out", "03-log-in-out");
        check("Phase 2.1: Wiring!", "02.1-wiring");
        check("Phase 12A: Ärger", "12A-rger");
        check("Phase PROJ-42: Names", "PROJ-42-names");
        check("Phase 7: 日本", "07");
    }
}
