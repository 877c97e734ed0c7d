//! Where the phases of a run come from: the roadmap of the project, or a task that was asked for by word.

use std::path::Path;

use autopilot_core::errand;
use autopilot_core::limits;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::problem::Problem;
use autopilot_core::project::Project;
use autopilot_core::roadmap::Roadmap;
use autopilot_core::run::definition::RunDefinition;
use autopilot_core::run::event::Event;
use autopilot_journal::Folder;

use super::Wish;
use crate::project::{self, RoadmapFile};
use crate::{files, journal_read};

pub(super) enum Source {
    File(RoadmapFile),
    Errand(Roadmap<'static>),
}

impl Source {
    pub(super) fn of_wish(root: &Path, wish: &Wish) -> Result<Source, Problem> {
        match &wish.errand {
            None => Ok(Source::File(project::open(root)?)),
            Some(errand) => Ok(Source::Errand(errand.roadmap(next_id(root)?))),
        }
    }

    /// A run that has begun knows its phases: what it was asked for by word is not asked for again.
    pub(super) fn of_run(root: &Path, definition: &RunDefinition) -> Result<Source, Problem> {
        match &definition.errand {
            None => Ok(Source::File(project::open(root)?)),
            Some(_) => Ok(Source::Errand(Roadmap::default())),
        }
    }

    pub(super) fn project(&self, root: &Path) -> Project<'_> {
        match self {
            Source::File(file) => project::read(root, file),
            Source::Errand(roadmap) => project::read_with(root, roadmap.clone()),
        }
    }
}

/// A number that nothing of the project has used, so that a name means one task for ever.
fn next_id(root: &Path) -> Result<PhaseId, Problem> {
    let ledger = journal_read::ledger_of(root)?;
    let mut taken: Vec<PhaseId> = ledger.phases.into_keys().collect();
    if let Some(folder) = Folder::find(root).map_err(|error| error.problem())? {
        taken.extend(of_last_errand(&folder)?);
        // One that cannot be looked into keeps nobody from a task.
        let receipts = files::names_in(&folder.receipts()).unwrap_or_default();
        let of_receipts = receipts.iter().filter_map(|name| name.strip_suffix(".json"));
        taken.extend(of_receipts.filter_map(|name| name.parse().ok()));
    }
    Ok(errand::next_id(&taken))
}

/// What the newest run of a task called it. Numbers only grow, so older runs have none above it. The ledger does not know a task
/// whose run was abandoned.
fn of_last_errand(folder: &Folder) -> Result<Vec<PhaseId>, Problem> {
    let runs = journal_read::newest_first(folder)?;
    let phases = runs.iter().take(limits::RUNS_SEARCHED_MAX).map(|run| {
        // A journal that is damaged is told of by what needs it.
        let records = journal_read::journal(folder, run).map(|journal| journal.records);
        let phases =
            records.unwrap_or_default().into_iter().filter_map(|record| match record.event {
                Event::PhaseRead { phase, .. } => Some(phase.id),
                _ => None,
            });
        phases.filter(errand::is_errand).collect::<Vec<PhaseId>>()
    });
    Ok(phases.into_iter().find(|phases| !phases.is_empty()).unwrap_or_default())
}
