//! Opens the run's branch and a phase's branch.

use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Commit;

use super::{Failed, Performer, commit, object};
use crate::drive::{Host, Ordered};
use crate::git::user_tree;
use crate::run_branch::{self, Created};

impl Performer {
    /// The run's branch, from the user's commit; new planning files are its first commit (INV-8).
    pub(super) fn open_run(&self, ordered: &Ordered, base: &Commit) -> Result<Vec<Event>, Failed> {
        let seen = user_tree::look(&self.checkout)?;
        let planning = seen.planning_changes;
        let created = run_branch::create(&self.checkout, &self.names, &object(base)?, &planning)?;
        let planning_files = match &created {
            Created::At(_) => u32::try_from(planning.len()).unwrap_or(u32::MAX),
            Created::Found(_) => 0,
        };
        Ok(vec![Event::RunOpened {
            attempt: ordered.attempt,
            branch: self.names.branch().short().to_string(),
            commit: commit(created.commit())?,
            planning_files,
        }])
    }

    pub(super) fn open_phase(
        &self,
        ordered: &Ordered,
        phase: &PhaseId,
        base: &Commit,
        host: &mut dyn Host,
    ) -> Result<Vec<Event>, Failed> {
        // A phase that failed may have left its work there.
        self.give_back()?;
        let branch = self.branch(phase)?;
        self.slot.begin(&branch, &object(base)?, &format!("phase-{phase}"))?;
        self.set_up_slot(ordered, host)?;
        Ok(vec![Event::PhaseOpened {
            attempt: ordered.attempt,
            branch: branch.short().to_string(),
        }])
    }
}
