//! Where the phases of a run come from: the roadmap of the project, or a task that was asked for by word.

use std::path::Path;

use autopilot_core::errand;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::problem::Problem;
use autopilot_core::project::Project;
use autopilot_core::roadmap::Roadmap;
use autopilot_core::run::definition::RunDefinition;

use super::Wish;
use crate::journal_read;
use crate::project::{self, RoadmapFile};

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

fn next_id(root: &Path) -> Result<PhaseId, Problem> {
    let ledger = journal_read::ledger_of(root)?;
    Ok(errand::next_id(ledger.phases.keys()))
}
