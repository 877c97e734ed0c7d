//! Commits what an agent left, and puts back what did not hold.

use std::path::PathBuf;

use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::effect::{CommitOrder, CommitPart};
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Commit;

use super::{Failed, Performer, commit, object};
use crate::drive::Ordered;
use crate::slot::{WorkOrder, WorkPart};

impl Performer {
    pub(super) fn commit_task(
        &self,
        ordered: &Ordered,
        order: &CommitOrder,
    ) -> Result<Vec<Event>, Failed> {
        let made = self.slot.commit_work(&WorkOrder {
            branch: self.branch(&order.phase)?,
            parent: object(&order.parent)?,
            work: object(&order.snapshot)?,
            message: order.message.clone(),
            parts: order.parts.iter().map(part).collect(),
            key: format!("{}.{}.{}.{}", self.names.run(), order.phase, order.task, order.parent),
            trailers: vec![
                ("Autopilot-Phase".to_string(), order.phase.to_string()),
                ("Autopilot-Task".to_string(), order.task.to_string()),
            ],
        })?;
        let commit = made.as_ref().map(commit).transpose()?;
        let (phase, task) = (order.phase.clone(), order.task.clone());
        Ok(vec![Event::TaskCompleted { attempt: ordered.attempt, phase, task, commit }])
    }

    /// What is dropped, commits or files, stays under a ref that the event names.
    pub(super) fn roll_back(
        &self,
        ordered: &Ordered,
        phase: &PhaseId,
        to: &Commit,
        snapshot: Option<&Commit>,
    ) -> Result<Vec<Event>, Failed> {
        let branch = self.branch(phase)?;
        let label = format!("phase-{phase}-dropped");
        let kept = match snapshot {
            // The work of the failed task is a commit already; it only needs a name that lasts.
            Some(work) => Some(self.slot.keep_ref(&object(work)?, &label)?),
            None => None,
        };
        let dropped = self.slot.reset(&branch, &object(to)?, &label)?;
        let rescue = kept.or_else(|| dropped.into_iter().next().map(|rescue| rescue.name));
        Ok(vec![Event::RolledBack { attempt: ordered.attempt, rescue }])
    }
}

fn part(part: &CommitPart) -> WorkPart {
    let files = part.files.iter().map(PathBuf::from).collect();
    WorkPart { message: part.message.clone(), files }
}
