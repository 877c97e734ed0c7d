//! The user's own folder as the place of work (`--in-place`): who works there, and when it goes back to the user. It is lent with the
//! first agent of a phase that changes files and goes back when the phase is over, however it ended, and when the run stands still.

use std::collections::BTreeMap;
use std::path::PathBuf;

use autopilot_core::run::effect::{Access, AgentOrder};
use autopilot_core::run::event::AgentWork;

use super::shown::plain_text;
use super::{Failed, Performer, object};
use crate::drive::Ordered;
use crate::slot::Slot;

impl Performer {
    /// Where an agent works. Whoever only looks is in a slot in any case: what it leaves is dropped, and some of what it would find
    /// in the user's folder is not for it.
    pub(super) fn bench(&self, order: &AgentOrder) -> &Slot {
        match (&self.in_place, order.access) {
            (Some(lent), Access::Writable) => lent.slot(),
            (Some(_), Access::ReadOnly | Access::PhaseFolder) | (None, _) => &self.slot,
        }
    }

    pub(super) fn is_in_place(&self, order: &AgentOrder) -> bool {
        self.in_place.is_some() && order.access == Access::Writable
    }

    /// Brings the place of work to where the order says.
    pub(super) fn put_for(&self, ordered: &Ordered, order: &AgentOrder) -> Result<(), Failed> {
        let Some(lent) = self.in_place.as_ref().filter(|_| self.is_in_place(order)) else {
            return self.put(&order.phase, &order.head, order.snapshot.as_ref());
        };
        let work = order.snapshot.as_ref().map(object).transpose()?;
        let users = ordered.definition.user_branch.as_deref();
        lent.put(&self.branch(&order.phase)?, &object(&order.head)?, work.as_ref(), users)?;
        Ok(())
    }

    /// After an attempt the folder has the work and nothing that was only laid out for its agent. What else the agent, or somebody
    /// who typed there meanwhile, left in files that are not kept as work stays until the folder is put elsewhere, and is kept then.
    pub(super) fn leave_at_work(
        &self,
        order: &AgentOrder,
        work: &AgentWork,
        (passed_over, laid_out): (&[PathBuf], &BTreeMap<PathBuf, &str>),
    ) -> Result<(), Failed> {
        let Some(lent) = self.in_place.as_ref().filter(|_| self.is_in_place(order)) else {
            return Ok(());
        };
        let folder = lent.slot().folder();
        let is_ours = |path: &PathBuf| {
            let now = path.to_str().and_then(|path| plain_text(folder, path));
            now.is_some() && now.as_deref() == laid_out.get(path).copied()
        };
        if !passed_over.iter().all(is_ours) {
            return Ok(());
        }
        let snapshot =
            work.changed.as_ref().map(|changed| object(&changed.snapshot)).transpose()?;
        lent.leave_at(&object(&order.head)?, snapshot.as_ref())?;
        Ok(())
    }

    /// The user's folder is theirs again, as it was.
    pub(super) fn give_back(&self) -> Result<(), Failed> {
        if let Some(lent) = &self.in_place {
            lent.give_back()?;
        }
        Ok(())
    }

    /// The same when the run stands still, and what a person has to know of it.
    pub(super) fn give_back_at_rest(&self) -> Vec<String> {
        let Some(lent) = &self.in_place else { return Vec::new() };
        let not_back = lent.give_back().err().map(|error| {
            format!(
                "your folder is not put back: {error}; autopilot resume goes on in it, autopilot abandon puts it back"
            )
        });
        let found = lent.found().unwrap_or_default().into_iter();
        let found = found.map(|name| {
            format!("what was in your folder and in no commit is kept: git show {name}")
        });
        not_back.into_iter().chain(found).collect()
    }
}
