//! Looks up what returns claim: what stands at the places they name, and which commits there are. Only commits are read; what an agent
//! calls a path is a name in a tree or nothing.

use std::collections::BTreeMap;
use std::path::Path;

use autopilot_core::run::checks::claimed::CommitClaim;
use autopilot_core::run::checks::places::{self, CommitSeen, LookUpOrder, Place, Seen};
use autopilot_core::run::event::Event;

use super::{Failed, Performer, object};
use crate::drive::Ordered;
use crate::git::{Named, ObjectId};

/// The files of the commits that were asked for them; None where they are too many.
type Listed = BTreeMap<ObjectId, Option<Vec<String>>>;

impl Performer {
    pub(super) fn look_up(
        &self,
        ordered: &Ordered,
        order: &LookUpOrder,
    ) -> Result<Vec<Event>, Failed> {
        let head = object(&order.at)?;
        let work = ordered.phase.as_ref().and_then(|phase| phase.work.as_deref());
        let base = work.map(|work| object(&work.base)).transpose()?;
        let mut listed = Listed::new();
        let (mut seen, mut facts) = (Vec::new(), Vec::new());
        for place in &order.places {
            let at = place.at.as_ref().map(object).transpose()?.unwrap_or_else(|| head.clone());
            let (one, fact) = match place.is_prose {
                true => self.see_meant((&at, base.as_ref()), place, &mut listed)?,
                false => self.see(&at, seen_from(self.slot.folder(), &place.file), place)?,
            };
            seen.push(one);
            facts.push(fact);
        }
        if facts.iter().all(String::is_empty) {
            facts.clear();
        }
        let commits: Result<Vec<CommitSeen>, Failed> =
            order.commits.iter().map(|claim| self.see_commit(&head, claim)).collect();
        let (attempt, commits) = (ordered.attempt, commits?);
        Ok(vec![Event::PlacesLookedUp { attempt, seen, facts, commits }])
    }

    fn see(&self, at: &ObjectId, file: &str, place: &Place) -> Result<(Seen, String), Failed> {
        let nothing = |seen: Seen| Ok((seen, String::new()));
        if !places::is_inside(file) {
            return nothing(Seen::NoFile);
        }
        let Some(blob) = self.checkout.blob_at(at, file)? else {
            return nothing(Seen::NoFile);
        };
        let bytes = self.checkout.blob_text(&blob)?;
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        Ok(text.map_or((Seen::NotText, String::new()), |text| places::look(&text, place)))
    }

    /// A file that a sentence names, as it is or by its end alone. The first of those it may mean that fits is the one.
    fn see_meant(
        &self,
        (at, base): (&ObjectId, Option<&ObjectId>),
        place: &Place,
        listed: &mut Listed,
    ) -> Result<(Seen, String), Failed> {
        let file = seen_from(self.slot.folder(), &place.file);
        if file.starts_with('/') {
            // A file of the machine, of which nothing is known.
            return Ok((Seen::NotText, String::new()));
        }
        let exact = self.see(at, file, place)?;
        if exact.0 != Seen::NoFile {
            return Ok(exact);
        }
        let Some(files) = self.files(at, listed)? else {
            return Ok((Seen::NotText, String::new()));
        };
        let meant = places::meant(files.iter().map(String::as_str), file);
        let meant: Vec<String> = meant.into_iter().map(str::to_string).collect();
        let mut last = exact;
        for one in &meant {
            last = self.see(at, one, place)?;
            if matches!(last.0, Seen::There | Seen::NotText) {
                return Ok(last);
            }
        }
        let Some(base) = base.filter(|_| meant.is_empty()) else { return Ok(last) };
        let before = self.files(base, listed)?;
        let was_there = before
            .is_none_or(|files| !places::meant(files.iter().map(String::as_str), file).is_empty());
        Ok(if was_there { (Seen::Gone, String::new()) } else { last })
    }

    fn files<'a>(
        &self,
        at: &ObjectId,
        listed: &'a mut Listed,
    ) -> Result<Option<&'a Vec<String>>, Failed> {
        if !listed.contains_key(at) {
            listed.insert(at.clone(), self.checkout.files_of(at)?);
        }
        Ok(listed.get(at).and_then(Option::as_ref))
    }

    fn see_commit(&self, head: &ObjectId, claim: &CommitClaim) -> Result<CommitSeen, Failed> {
        let commit = match self.checkout.commit_of_digits(&claim.name)? {
            Named::Commit(commit) => commit,
            Named::Nothing => return Ok(CommitSeen::Missing),
            Named::Unclear => return Ok(CommitSeen::Unclear),
        };
        if !self.checkout.belongs_to(&commit, head, &self.names)? {
            return Ok(CommitSeen::Elsewhere);
        }
        if claim.files.is_empty() {
            return Ok(CommitSeen::Known);
        }
        let Some(changed) = self.checkout.changed_by(&commit)? else {
            return Ok(CommitSeen::Known);
        };
        let slot = self.slot.folder();
        let is_changed = claim.files.iter().any(|file| {
            let changed = changed.iter().map(String::as_str);
            !places::meant(changed, seen_from(slot, file)).is_empty()
        });
        Ok(if is_changed { CommitSeen::Known } else { CommitSeen::Untouched })
    }
}

/// Agents like to name files as they see them, with the slot in front.
fn seen_from<'a>(slot: &Path, file: &'a str) -> &'a str {
    let inside = Path::new(file).strip_prefix(slot).ok();
    inside.and_then(Path::to_str).unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_named_with_its_slot_is_the_file_in_it() {
        let slot = Path::new("/state/way/slot-1");
        assert_eq!(seen_from(slot, "/state/way/slot-1/src/lib.rs"), "src/lib.rs");
        assert_eq!(seen_from(slot, "src/lib.rs"), "src/lib.rs");
        for outside in ["/state/way/slot-2/lib.rs", "/state/way/slot-1/../secret"] {
            assert!(!places::is_inside(seen_from(slot, outside)), "{outside}");
        }
    }
}
