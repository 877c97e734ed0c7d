//! The runs that lie in a project: the one that can be gone on with, and those that a kill kept from the archive.

use std::path::Path;
use std::sync::Arc;

use autopilot_core::finding::{Finding, Place, Severity};
use autopilot_core::problem::Problem;
use autopilot_core::run::outcome::Halt;
use autopilot_core::run::state::{RunState, RunStatus};
use autopilot_journal::archive::archive;
use autopilot_journal::{Folder, RunId};

use super::{Means, Wish, of_memory};
use crate::git::user_tree;
use crate::memory::Memory;
use crate::process::{Owner, Swept};

/// Archives what a kill kept from it: a run that is completed, whose state is given back, and one that never began because its
/// first events are not all on disk.
pub fn put_away(root: &Path, wish: &Wish, means: &Means) -> Result<Option<RunState>, Problem> {
    let Some(folder) = Folder::find(root).map_err(|error| error.problem())? else {
        return Ok(None);
    };
    if left_to_archive(&folder)?.is_empty() {
        return Ok(None);
    }
    let lock = super::lock(&folder, wish, means)?;
    let mut ended = None;
    // Looked for once more: whoever held the lock until now may have done it.
    for (id, has_begun) in left_to_archive(&folder)? {
        if !has_begun {
            archive(&folder, &lock, &id).map_err(|error| error.problem())?;
            continue;
        }
        let (clock, lock) = (Arc::clone(&means.clock), lock.clone());
        let taken_up = Memory::resume(folder.clone(), lock, &id, clock);
        let (mut memory, _) = taken_up.map_err(of_memory)?;
        // The ledger may lack what the journal has.
        memory.keep().map_err(of_memory)?;
        // state.json is a picture; that it stays behind is no reason to keep the run.
        let _ = memory.project(true);
        ended = Some(memory.state().map_err(of_memory)?.clone());
        memory.archive().map_err(of_memory)?;
    }
    Ok(ended)
}

/// Ends what dead autopilots left running of the project, whose lock is held.
pub(super) fn end_left(folder: &Folder) -> Option<Finding> {
    let Swept { ended, stuck } = Owner::of_project(folder.path()).end_left();
    let (severity, count, how) = match (ended, stuck) {
        (0, 0) => return None,
        (_, 0) => (Severity::Note, ended, "was ended"),
        (_, _) => (Severity::Warning, stuck, "was told to end and is still there"),
    };
    let words = if count == 1 { "process" } else { "processes" };
    let message = format!("what an earlier run had left running {how}: {count} {words}");
    Some(Finding { severity, place: Place::file(".autopilot"), message })
}

/// The runs that nobody will go on with, and whether they ever began.
fn left_to_archive(folder: &Folder) -> Result<Vec<(RunId, bool)>, Problem> {
    let mut left = Vec::new();
    for id in folder.runs().map_err(|error| error.problem())? {
        match folded(folder, &id)? {
            Some(state) if matches!(state.status, RunStatus::Completed(_)) => left.push((id, true)),
            Some(state) if state.is_read => {}
            Some(_) | None => left.push((id, false)),
        }
    }
    Ok(left)
}

/// A run that is neither completed nor archived.
pub struct Unfinished {
    pub id: RunId,
    pub state: RunState,
}

/// The run that was left, if there is one.
pub fn unfinished(folder: &Folder) -> Result<Option<Unfinished>, Problem> {
    let mut found = None;
    for id in folder.runs().map_err(|error| error.problem())? {
        let Some(state) = folded(folder, &id)? else { continue };
        if state.is_read && !matches!(state.status, RunStatus::Completed(_)) {
            found = Some(Unfinished { id, state });
        }
    }
    Ok(found)
}

/// Whether it ended before any work because checks did not hold, and what it was asked for has changed since: the user's last commit
/// is another, or they are accepted now. Then a new run is wanted: this one would look at the old commit for ever.
pub fn is_mended(root: &Path, state: &RunState, wish: &Wish, means: &Means) -> bool {
    if !matches!(state.status, RunStatus::Halted(Halt::RedBaseline { .. })) {
        return false;
    }
    if wish.flags.accepts_red && !state.definition.settings.accepts_red {
        return true;
    }
    let checkout = super::checkout_to_measure(root, means).ok();
    let seen = checkout.and_then(|checkout| user_tree::look(&checkout).ok());
    let head = seen.and_then(|seen| seen.head);
    head.is_some_and(|head| head.as_str() != state.definition.base.as_str())
}

/// The state of a run, read without changing anything. None for a journal without a whole event.
pub fn folded(folder: &Folder, id: &RunId) -> Result<Option<RunState>, Problem> {
    let acknowledged = folder.acknowledged(id).map_err(|error| error.problem())?;
    let journal = autopilot_journal::read(folder, id, acknowledged);
    let journal = journal.map_err(|error| error.problem())?;
    crate::journal_read::fold(journal.records)
}
