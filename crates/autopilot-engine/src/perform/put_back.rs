//! What an attempt did to the files that say how work is measured (CHECK-19). They are left out of everything that is kept of it, which
//! puts them back; here is told which they were. Which files these are and what counts as changed is core's.

use std::path::{Path, PathBuf};

use autopilot_core::contract::Role;
use autopilot_core::hidden::redact::redact;
use autopilot_core::limits;
use autopilot_core::run::effect::AgentOrder;
use autopilot_core::run::gate_definitions::{self, Touch, Touched};
use autopilot_core::run::work::Work;

use super::shown::Shown;
use super::{Failed, Performer, definition, object};
use crate::drive::Ordered;
use crate::files;

impl Performer {
    /// Whether nothing an attempt did to this file is kept: it lies in the phase's folder, or work is measured by it and no task of the
    /// plan lists it, or the agent did not get it whole and what is left of it would take the place of the user's.
    pub(super) fn is_left_out(
        &self,
        ordered: &Ordered,
        (folder, shown): (&str, &Shown),
        path: &Path,
    ) -> bool {
        let is_own = path.starts_with(folder);
        // A name that is no text is none of ours.
        let name = path.to_str();
        is_own || name.is_some_and(|it| is_put_back(ordered, it) || shown.is_rewritten(it))
    }

    /// The definitions among what was left out, and what had become of each.
    pub(super) fn put_back(
        &self,
        ordered: &Ordered,
        order: &AgentOrder,
        left_out: &[PathBuf],
    ) -> Result<Vec<Touched>, Failed> {
        let folder = &definition(ordered)?.folder;
        let mut touched = Vec::new();
        for path in left_out.iter().filter_map(|path| path.to_str()) {
            let is_own = Path::new(path).starts_with(folder);
            // A delegate writes its plans itself, and other files of the folder are reports.
            let is_its =
                is_own && (order.role == Role::Delegate || !gate_definitions::is_plan(path));
            if is_its || touched.len() >= limits::DEFINITIONS_TOUCHED_MAX {
                continue;
            }
            let before = self.definition_before(ordered, order, (folder, path))?;
            let how = match after(self.bench(order).folder(), path) {
                After::Text(text) => gate_definitions::touch(path, before.as_deref(), Some(&text)),
                After::Gone => gate_definitions::touch(path, before.as_deref(), None),
                After::NoText => Some(Touch::Changed),
            };
            let path: String = path.chars().take(limits::PLACE_PATH_CHARS_MAX).collect();
            touched.extend(how.map(|how| Touched { path, how }));
        }
        Ok(touched)
    }

    /// As whoever made the attempt found it: laid out by us, or in the commit.
    fn definition_before(
        &self,
        ordered: &Ordered,
        order: &AgentOrder,
        (folder, path): (&str, &str),
    ) -> Result<Option<String>, Failed> {
        let name = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        let work = ordered.phase.as_ref().and_then(|phase| phase.work.as_deref());
        let kept = name.and_then(|name| work?.kept.get_key_value(name));
        if let Some((name, hash)) = kept {
            return Ok(Some(self.artifacts(&order.phase).read(name, hash)?));
        }
        let Some(blob) = self.checkout.blob_at(&object(&order.head)?, path)? else {
            return Ok(None);
        };
        let bytes = self.checkout.blob_text(&blob)?;
        let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        // That hidden commands are gone from it is our doing.
        Ok(text.map(|text| redact(&text).unwrap_or(text)))
    }
}

/// Work is measured by it, and it is no part of the work.
fn is_put_back(ordered: &Ordered, path: &str) -> bool {
    let is_listed = |work: &Work| gate_definitions::listed_by(work, path).is_some();
    let work = ordered.phase.as_ref().and_then(|phase| phase.work.as_deref());
    gate_definitions::is_definition(ordered.project.as_ref(), path) && !work.is_some_and(is_listed)
}

enum After {
    Text(String),
    Gone,
    /// A link, a folder, or bytes.
    NoText,
}

/// A file of the slot as it is. Links are never followed.
fn after(slot: &Path, path: &str) -> After {
    let at = slot.join(path);
    let is_link = |at: &Path| std::fs::symlink_metadata(at).is_ok_and(|found| found.is_symlink());
    if at.ancestors().take_while(|above| *above != slot).any(is_link) {
        return After::NoText;
    }
    match files::read_text(&at) {
        Ok(text) => After::Text(text),
        Err(files::FileError::Absent) => After::Gone,
        Err(_) => After::NoText,
    }
}
