//! The user's own folder as the place of work (`--in-place`): who works there, and when it goes back to the user. It is lent with the
//! first agent of a phase that changes files and goes back when the phase is over, however it ended, and when the run stands still.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use autopilot_core::run::effect::{Access, AgentOrder};

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

    /// After an attempt, before anything looks at its work: what must not be met is out of the way, and what was only laid out for the
    /// agent and is as it was goes, so that the folder has the work and nothing else.
    pub(super) fn clear_in_place(
        &self,
        order: &AgentOrder,
        laid_out: &BTreeMap<PathBuf, &str>,
    ) -> Result<BTreeSet<PathBuf>, Failed> {
        let Some(lent) = self.in_place.as_ref().filter(|_| self.is_in_place(order)) else {
            return Ok(BTreeSet::new());
        };
        lent.clear()?;
        let folder = lent.slot().folder();
        for (path, text) in laid_out {
            let name = path.to_str().unwrap_or_default();
            if plain_text(folder, name).as_deref() != Some(*text) {
                continue;
            }
            let blob = self.checkout.blob_at(&object(&order.head)?, name)?;
            let before = blob.map(|blob| self.checkout.blob_text(&blob)).transpose()?.flatten();
            let at = folder.join(path);
            let went = match before {
                Some(before) if before == text.as_bytes() => Ok(()),
                Some(before) => std::fs::write(&at, before),
                None => std::fs::remove_file(&at),
            };
            went.map_err(|error| Failed::World(format!("{}: {error}", at.display())))?;
        }
        Ok(lent.theirs()?)
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
        let found = found
            .map(|command| format!("what was in your folder and in no commit is kept: {command}"));
        not_back.into_iter().chain(found).collect()
    }
}
