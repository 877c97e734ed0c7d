//! Checks that a candidate has and the run does not know, because the phase itself brought them (GATE-6). They are detected from the
//! files of the commit, as a run that began there would detect them.

use autopilot_core::commands::{self, MANIFESTS, MARKERS, Manifests};
use autopilot_core::honesty::belongs_to_tests;
use autopilot_core::limits;
use autopilot_core::run::begin;
use autopilot_core::run::checks::footprint;
use autopilot_core::run::definition::CheckOrder;

use super::{Failed, Performer};
use crate::drive::Ordered;
use crate::git::{Changed, ObjectId};
use crate::project;

impl Performer {
    /// In the order they are measured in. None where the run has a check of every kind, or the user decided against it.
    pub(super) fn brought(
        &self,
        ordered: &Ordered,
        at: &ObjectId,
    ) -> Result<Vec<CheckOrder>, Failed> {
        let known = ordered.project.iter().flat_map(|project| &project.checks);
        let known: Vec<_> = known.map(|check| check.name).collect();
        if known.len() >= commands::Slot::ALL.len() {
            return Ok(Vec::new());
        }
        // What the user set stands in the user's own file; the one in the commit was put back to it.
        let config = project::read_config(self.checkout.root(), &mut Vec::new());
        let (commands, _) =
            commands::settle(project::CONFIG, &config.project, &self.manifests(at)?);
        let mut brought = begin::checks(&commands);
        brought.retain(|check| !known.contains(&check.name));
        Ok(brought)
    }

    fn manifests(&self, at: &ObjectId) -> Result<Manifests, Failed> {
        let mut manifests = Manifests::default();
        let Some(files) = self.checkout.files_of(at)? else { return Ok(manifests) };
        for name in MANIFESTS.into_iter().filter(|name| files.iter().any(|file| file == name)) {
            let Some(blob) = self.checkout.blob_at(at, name)? else { continue };
            let bytes = self.checkout.blob_text(&blob)?;
            if let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
                manifests.texts.insert(name.to_string(), text);
            }
        }
        let is_there = |name: &&str| {
            let below = format!("{name}/");
            files.iter().any(|file| file == name || file.starts_with(&below))
        };
        manifests.present.extend(MARKERS.into_iter().filter(is_there).map(str::to_string));
        Ok(manifests)
    }
}

/// The code of a phase: what it changed, without its tests and without what only says how they are run.
pub(super) fn sources(changed: &Changed) -> Vec<String> {
    let paths = changed.iter().filter_map(|(path, _)| path.to_str());
    let is_frame = |path: &str| MANIFESTS.contains(&path) || MARKERS.contains(&path);
    let code = paths.filter(|path| {
        !belongs_to_tests(path)
            && !is_frame(path)
            && !footprint::is_own(path)
            && !path.starts_with('.')
    });
    code.map(str::to_string).take(limits::EXPECTATIONS_MAX).collect()
}
