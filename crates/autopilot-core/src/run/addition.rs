//! More phases for a run that is not finished (INV-7). Whoever asks has read them from the roadmap and hands them over as values; what
//! of them the run takes is decided here, from its state alone. What was taken already is taken for done, so that a request that is
//! read twice changes nothing.

use serde::{Deserialize, Serialize};

use crate::phase_id::PhaseId;
use crate::run::definition::PhaseDefinition;
use crate::run::event::Event;
use crate::run::ids::RunId;
use crate::run::request::Refused;
use crate::run::state::{PhaseState, PhaseStatus, RunState, RunStatus};

/// A wish for more phases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addition {
    /// The run it is meant for: a later one must not take it for its own.
    pub run: RunId,
    /// What the user typed.
    pub command: String,
    /// Dependencies first.
    pub phases: Vec<PhaseDefinition>,
}

/// `add_requested`, and one `phase_added` for each phase that is new to the run.
pub(super) fn admit(state: &RunState, addition: &Addition) -> Result<Vec<Event>, Refused> {
    let refused = |why: String| Err(Refused(why));
    if state.definition.run != addition.run {
        return refused(format!("it is meant for run {}", addition.run));
    }
    if matches!(state.status, RunStatus::Completed(_)) || !state.is_read {
        return refused("the run is over".to_string());
    }
    let new = addition.phases.iter().filter(|phase| state.phase(&phase.id).is_none());
    let new: Vec<&PhaseDefinition> = new.collect();
    if new.is_empty() {
        return refused("its phases are part of the run already".to_string());
    }
    let mut known: Vec<&PhaseId> = state.phases.iter().map(|phase| &phase.definition.id).collect();
    for phase in &new {
        if known.contains(&&phase.id) {
            return refused(format!("phase {} is in it twice", phase.id));
        }
        if !is_inside(&phase.folder) {
            return refused(format!("the folder of phase {} is not in the project", phase.id));
        }
        if let Some(missing) = phase.depends_on.iter().find(|id| !known.contains(id)) {
            let id = &phase.id;
            return refused(format!("phase {id} depends on phase {missing}, which is not in it"));
        }
        if let Some(dead) = dead_end(state, phase) {
            return refused(dead);
        }
        known.push(&phase.id);
    }
    let phases = new.iter().map(|phase| phase.id.clone()).collect();
    let asked = Event::AddRequested { command: addition.command.clone(), phases };
    let added = new.into_iter().map(|phase| Event::PhaseAdded { phase: phase.clone() });
    Ok([asked].into_iter().chain(added).collect())
}

/// A request is a file anybody may have written; a path of it leads nowhere else.
fn is_inside(folder: &str) -> bool {
    !folder.is_empty() && folder.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Why the phase could never start in this run. What failed in a halted run is tried again when it is resumed.
fn dead_end(state: &RunState, phase: &PhaseDefinition) -> Option<String> {
    let needed = phase.depends_on.iter().filter_map(|id| state.phase(id));
    let mut ended = needed.filter_map(|needed| Some((needed, ended_badly(state, needed)?)));
    let (needed, how) = ended.next()?;
    Some(format!("phase {} depends on phase {}, which {how}", phase.id, needed.definition.id))
}

fn ended_badly(state: &RunState, phase: &PhaseState) -> Option<&'static str> {
    match phase.status {
        PhaseStatus::Waiting | PhaseStatus::Running | PhaseStatus::Passed(_) => None,
        PhaseStatus::Failed(_) if matches!(state.status, RunStatus::Halted(_)) => None,
        PhaseStatus::Failed(_) => Some("failed in this run"),
        PhaseStatus::Skipped { .. } => Some("was left out of this run"),
        PhaseStatus::Deferred { .. } => Some("waits for a person"),
    }
}

/// Folds what was asked for and what was taken.
pub(super) fn change(state: &mut RunState, event: &Event) -> Result<(), String> {
    if !state.is_read {
        return Err("the run has not begun".to_string());
    }
    match event {
        Event::AddRequested { phases, .. } if phases.is_empty() => {
            Err("nothing was asked for".to_string())
        }
        Event::AddRequested { .. } => Ok(()),
        Event::PhaseAdded { phase } => add(state, phase),
        _ => Err("it adds nothing".to_string()),
    }
}

fn add(state: &mut RunState, phase: &PhaseDefinition) -> Result<(), String> {
    if state.phase(&phase.id).is_some() {
        return Err("the phase is part of the run already".to_string());
    }
    if !phase.depends_on.iter().all(|id| state.phase(id).is_some()) {
        return Err("it depends on a phase that is not part of the run".to_string());
    }
    state.add_phase(phase.clone());
    // A report that is written already does not know it.
    state.report = None;
    Ok(())
}
