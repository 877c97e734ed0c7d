//! Looks into the candidate for what the checks of returns ask: what stands at the places a reviewer named, and what the phase
//! changes in all. Only commits are read; what an agent calls a path is a name in a tree or nothing.

use std::path::Path;

use autopilot_core::honesty::{self, Doubt, FileChange};
use autopilot_core::limits;
use autopilot_core::run::checks::Difference;
use autopilot_core::run::checks::places::{self, LookUpOrder, Place, Seen};
use autopilot_core::run::event::Event;
use autopilot_core::run::gate_definitions::{Touch, Touched, is_definition, touch};
use autopilot_core::run::ids::Commit;

use super::{Failed, Performer, object};
use crate::drive::Ordered;
use crate::git::{Changed, ChangedText, ObjectId};

impl Performer {
    pub(super) fn look_up(
        &self,
        ordered: &Ordered,
        order: &LookUpOrder,
    ) -> Result<Vec<Event>, Failed> {
        let at = object(&order.at)?;
        let seen: Result<Vec<Seen>, Failed> =
            order.places.iter().map(|place| self.see(&at, place)).collect();
        Ok(vec![Event::PlacesLookedUp { attempt: ordered.attempt, seen: seen? }])
    }

    fn see(&self, at: &ObjectId, place: &Place) -> Result<Seen, Failed> {
        let file = seen_from(self.slot.folder(), &place.file);
        if !places::is_inside(file) {
            return Ok(Seen::NoFile);
        }
        let Some(blob) = self.checkout.blob_at(at, file)? else {
            return Ok(Seen::NoFile);
        };
        let bytes = self.checkout.blob_text(&blob)?;
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        Ok(text.map_or(Seen::NotText, |text| places::look(&text, place)))
    }

    /// What the phase changes, from its first commit to the candidate.
    pub(super) fn difference(&self, ordered: &Ordered, at: &Commit) -> Result<Difference, Failed> {
        let work = ordered.phase.as_ref().and_then(|phase| phase.work.as_deref());
        let base = work.map_or(at, |work| &work.base);
        let changed = self.checkout.changed(&object(base)?, &object(at)?)?;
        let mut bad_json = Vec::new();
        let json = changed.iter().filter(|(path, _)| is_json(path));
        for (path, id) in json.take(limits::JSON_FILES_MAX) {
            let Some(id) = id else { continue };
            let Some(bytes) = self.checkout.blob_text(&self.checkout.blob_of(id)?)? else {
                continue;
            };
            if serde_json::from_slice::<serde_json::Value>(&bytes).is_err() {
                let name = path.to_string_lossy();
                bad_json.push(name.chars().take(limits::PLACE_PATH_CHARS_MAX).collect());
            }
        }
        let texts = self.checkout.change_texts(&object(base)?, &object(at)?)?;
        let doubts = self.doubts(&object(at)?, &texts);
        let files = u32::try_from(changed.len()).unwrap_or(u32::MAX);
        let definitions = definitions(ordered, &changed, &texts);
        Ok(Difference { files, bad_json, doubts, definitions })
    }

    /// What makes the change doubtful (CHECK-18). Planning files are words, and none of the work.
    fn doubts(&self, at: &ObjectId, texts: &[ChangedText]) -> Vec<Doubt> {
        let work = texts.iter().filter(|text| !text.path.starts_with(".planning/"));
        let changes: Vec<FileChange<'_>> = work
            .map(|text| FileChange {
                path: &text.path,
                before: text.before.as_deref(),
                after: text.after.as_deref(),
                renamed_from: None,
            })
            .collect();
        let others = |word: &str| self.checkout.names(at, word).unwrap_or(true);
        let mut doubts = honesty::look(&changes, &others);
        doubts.sort_by_key(|doubt| !doubt.kind.rejects());
        doubts.truncate(limits::DOUBTS_RECORDED_MAX);
        doubts
    }
}

/// Files by which work is measured that the phase changes all the same, because its plan lists them (CHECK-19).
fn definitions(ordered: &Ordered, changed: &Changed, texts: &[ChangedText]) -> Vec<Touched> {
    let paths = changed.iter().filter_map(|(path, _)| path.to_str());
    let defining = paths.filter(|path| is_definition(ordered.project.as_ref(), path));
    let touched = defining.filter_map(|path| {
        let how = match texts.iter().find(|text| text.path == path) {
            Some(text) => touch(path, text.before.as_deref(), text.after.as_deref())?,
            None => Touch::Changed,
        };
        let path = path.chars().take(limits::PLACE_PATH_CHARS_MAX).collect();
        Some(Touched { path, how })
    });
    touched.take(limits::DEFINITIONS_TOUCHED_MAX).collect()
}

/// Agents like to name files as they see them, with the slot in front.
fn seen_from<'a>(slot: &Path, file: &'a str) -> &'a str {
    let inside = Path::new(file).strip_prefix(slot).ok();
    inside.and_then(Path::to_str).unwrap_or(file)
}

/// Settings of editors and of TypeScript are JSON with comments in them, and meant to be.
fn is_json(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let has_comments = name.starts_with("tsconfig")
        || name.starts_with("jsconfig")
        || path.starts_with(".vscode")
        || path.starts_with(".devcontainer");
    name.ends_with(".json") && !has_comments
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

    #[test]
    fn json_with_comments_is_not_asked_to_be_json() {
        for json in ["a.json", "data/B.JSON", "package.json"] {
            assert!(is_json(Path::new(json)), "{json}");
        }
        for other in
            ["tsconfig.json", "app/tsconfig.build.json", ".vscode/x.json", "a.jsonc", "json"]
        {
            assert!(!is_json(Path::new(other)), "{other}");
        }
    }
}
