//! Looks into journals and the ledger without being the one who writes them: for `status`, `logs`, `why`, `journal`.

use std::path::Path;

use autopilot_core::documents::status::RunStatus;
use autopilot_core::finding::Finding;
use autopilot_core::problem::Problem;
use autopilot_core::project::Project;
use autopilot_core::roadmap::Standing;
use autopilot_core::run::apply;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::import as core_import;
use autopilot_core::run::ledger::{Ledger, Outcome};
use autopilot_core::run::state::{self, RunState};
use autopilot_journal::archive::archived;
use autopilot_journal::ledger::LedgerFile;
use autopilot_journal::{Folder, Journal, Occupancy, Record, RunId, read_archived};

use crate::import;
use crate::memory::MemoryError;
use crate::start::{of_memory, unfinished};

/// The state after these records; None without any.
pub fn fold(records: Vec<Record<Event>>) -> Result<Option<RunState>, Problem> {
    let mut state = None;
    for record in records {
        let applied = apply(state, &record.event, Moment(record.at));
        state = Some(applied.map_err(|error| of_memory(MemoryError::Illegal(error)))?);
    }
    Ok(state)
}

/// The ledger, with what another program's state.json says about phases it does not know.
pub fn ledger(folder: &Folder) -> Result<Ledger, Problem> {
    let mut ledger = own_ledger(folder)?;
    if let Some(imported) = import::look(folder)? {
        core_import::merge(&mut ledger, &imported);
    }
    Ok(ledger)
}

/// What is worth saying about a state.json that another program left.
pub fn import_findings(root: &Path) -> Vec<Finding> {
    let found = Folder::find(root).ok().flatten();
    let imported = found.and_then(|folder| import::look(&folder).ok().flatten());
    imported.as_ref().map(import::remarks).unwrap_or_default()
}

/// The ledger; empty where there is none. A broken one is a problem: going on would take completed phases for open ones.
pub(crate) fn own_ledger(folder: &Folder) -> Result<Ledger, Problem> {
    match folder.read_ledger::<Ledger>().map_err(|error| error.problem())? {
        LedgerFile::Absent => Ok(Ledger::default()),
        LedgerFile::Read { ledger, .. } => Ok(ledger),
        LedgerFile::Broken(broken) => Err(Problem::environment(
            format!("{} cannot be read: {}", broken.path.display(), broken.what),
            "it says which phases autopilot completed",
            "move it away; autopilot makes it anew from the journals as runs end",
        )),
    }
}

/// What the ledger says of a phase counts, whatever the roadmap's boxes say (SEL-1).
pub fn count_completed(project: &mut Project<'_>, ledger: &Ledger) {
    for phase in &mut project.roadmap.phases {
        let Some(entry) = ledger.phases.get(&phase.id) else { continue };
        phase.standing = match entry.outcome {
            Outcome::Completed { .. } => Standing::Completed,
            Outcome::Failed { .. } | Outcome::Deferred { .. } => Standing::InProgress,
            Outcome::TakenBack => Standing::NotStarted,
        };
    }
}

/// The ledger of a project; empty where autopilot never ran.
pub fn ledger_of(root: &Path) -> Result<Ledger, Problem> {
    match Folder::find(root).map_err(|error| error.problem())? {
        Some(folder) => ledger(&folder),
        None => Ok(Ledger::default()),
    }
}

/// What `status` tells of runs: the ledger, and the run that is not completed.
pub fn standing(root: &Path) -> Result<(Ledger, Option<RunStatus>), Problem> {
    let Some(folder) = Folder::find(root).map_err(|error| error.problem())? else {
        return Ok((Ledger::default(), None));
    };
    let is_held = folder.holder().map_err(|error| error.problem())? != Occupancy::Free;
    let run = unfinished(&folder)?;
    Ok((ledger(&folder)?, run.and_then(|run| RunStatus::of(&run.state, is_held))))
}

/// A task that was given by word.
pub struct LastTask {
    pub state: RunState,
    pub is_given_up: bool,
}

/// The newest run, if it is of a task that was given by word and read.
pub fn last_task(root: &Path) -> Result<Option<LastTask>, Problem> {
    let Some(folder) = Folder::find(root).map_err(|error| error.problem())? else {
        return Ok(None);
    };
    let Some((id, journal)) = newest(&folder)? else { return Ok(None) };
    let state = fold(journal.records)?;
    let state = state.filter(|state| state.definition.errand.is_some() && !state.phases.is_empty());
    Ok(state.map(|state| {
        let is_given_up = is_given_up(&folder, &id, &state);
        LastTask { state, is_given_up }
    }))
}

/// Whether a run was abandoned: it is archived, and was not over.
pub fn is_given_up(folder: &Folder, id: &RunId, state: &RunState) -> bool {
    !folder.journal(id).exists() && !matches!(state.status, state::RunStatus::Completed(_))
}

/// Changes whenever something happens in a run, and costs little to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulse {
    /// A process works on the project.
    pub is_held: bool,
    /// The journals that are not archived, and how long each is.
    journals: Vec<(RunId, u64)>,
}

pub fn pulse(root: &Path) -> Result<Pulse, Problem> {
    let Some(folder) = Folder::find(root).map_err(|error| error.problem())? else {
        return Ok(Pulse { is_held: false, journals: Vec::new() });
    };
    let is_held = folder.holder().map_err(|error| error.problem())? != Occupancy::Free;
    let runs = folder.runs().map_err(|error| error.problem())?;
    let length = |run: &RunId| folder.journal(run).metadata().map_or(0, |found| found.len());
    let journals = runs.into_iter().map(|run| (run.clone(), length(&run))).collect();
    Ok(Pulse { is_held, journals })
}

/// The newest run of a project: under way, left, or archived. One that never began, because autopilot died over its first
/// events, counts only where there is no other.
pub fn newest(folder: &Folder) -> Result<Option<(RunId, Journal<Event>)>, Problem> {
    let mut never_began = None;
    for id in newest_first(folder)? {
        let journal = journal(folder, &id)?;
        let is_last =
            |record: &Record<Event>| matches!(record.event, Event::PhaseRead { is_last: true, .. });
        if journal.records.iter().any(is_last) {
            return Ok(Some((id, journal)));
        }
        never_began.get_or_insert((id, journal));
    }
    Ok(never_began)
}

/// The names of all runs: under way, left, or archived.
pub fn newest_first(folder: &Folder) -> Result<Vec<RunId>, Problem> {
    let mut ids = folder.runs().map_err(|error| error.problem())?;
    ids.extend(archived(folder).map_err(|error| error.problem())?);
    ids.sort_by(|one, other| other.as_str().cmp(one.as_str()));
    Ok(ids)
}

/// A run's records, wherever its journal lies.
pub fn journal(folder: &Folder, id: &RunId) -> Result<Journal<Event>, Problem> {
    if folder.journal(id).exists() {
        // Asked first: a record written between the two looks would otherwise count as lost.
        let acknowledged = folder.acknowledged(id).map_err(|error| error.problem())?;
        return autopilot_journal::read(folder, id, acknowledged).map_err(|error| error.problem());
    }
    read_archived(folder, id).map_err(|error| error.problem())
}
