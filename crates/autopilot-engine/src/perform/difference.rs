//! What a phase changes in all, for the checks of its candidate. Only commits are read.

use std::path::Path;

use autopilot_core::honesty::{self, FileChange, Looked};
use autopilot_core::limits;
use autopilot_core::run::checks::Difference;
use autopilot_core::run::checks::footprint::{self, ChangedFile};
use autopilot_core::run::checks::run_files::{self, RunFile};
use autopilot_core::run::gate_definitions::{Touch, Touched, is_definition, touch};
use autopilot_core::run::ids::Commit;
use autopilot_core::run::measured::CheckName;
use autopilot_core::run::work::Work;

use super::{Failed, Performer, brought, object};
use crate::drive::Ordered;
use crate::git::{Changed, ChangedText, ObjectId};

impl Performer {
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
        let Looked { doubts, expectations } = self.looked(&object(at)?, &texts);
        let files = u32::try_from(changed.len()).unwrap_or(u32::MAX);
        let definitions = definitions(ordered, &changed, &texts);
        let outside = work.map(|work| outside(work, &changed, &texts)).unwrap_or_default();
        let run_files = self.run_files(ordered, base, &texts)?;
        let brought = self.brought(ordered, &object(at)?)?;
        let sources = brought::sources(&changed);
        Ok(Difference {
            files,
            bad_json,
            doubts,
            definitions,
            outside,
            tests: if expectations.is_empty() { Vec::new() } else { tests(&changed) },
            expectations,
            run_files,
            brought,
            sources,
        })
    }

    /// What the commands of criteria run and the phase changed (CHECK-18).
    fn run_files(
        &self,
        ordered: &Ordered,
        base: &Commit,
        texts: &[ChangedText],
    ) -> Result<Vec<RunFile>, Failed> {
        let base = object(base)?;
        let was_there = |path: &str| matches!(self.checkout.blob_at(&base, path), Ok(Some(_)));
        let changes: Vec<FileChange<'_>> = texts.iter().map(change).collect();
        let phase = ordered.phase.as_ref();
        let checks = phase.map(|phase| phase.definition.criterion_checks()).unwrap_or_default();
        let mut found = Vec::new();
        // What a hidden one runs nobody gets to see.
        for check in checks.iter().filter(|check| !check.is_hidden) {
            let CheckName::Criterion(criterion) = check.name else { continue };
            let files = run_files::of(&check.command, &changes, &was_there);
            found.extend(files.into_iter().map(|file| RunFile { criterion, file }));
        }
        found.truncate(limits::EXPECTATIONS_MAX);
        Ok(found)
    }

    /// What makes the change doubtful, and what its tests rest on now (CHECK-18). Planning files are words, and none of the work.
    fn looked(&self, at: &ObjectId, texts: &[ChangedText]) -> Looked {
        let work = texts.iter().filter(|text| !text.path.starts_with(".planning/"));
        let changes: Vec<FileChange<'_>> = work.map(change).collect();
        let others = |word: &str| self.checkout.names(at, word).unwrap_or(true);
        let mut looked = honesty::look(&changes, &others);
        looked.doubts.sort_by_key(|doubt| !doubt.kind.rejects());
        looked.doubts.truncate(limits::DOUBTS_RECORDED_MAX);
        looked
    }
}

fn change(text: &ChangedText) -> FileChange<'_> {
    let (before, after) = (text.before.as_deref(), text.after.as_deref());
    FileChange { path: &text.path, before, after, renamed_from: None }
}

/// Every file of tests that the phase changed or brought.
fn tests(changed: &Changed) -> Vec<String> {
    let paths = changed.iter().filter_map(|(path, _)| path.to_str());
    let tests = paths.filter(|path| honesty::belongs_to_tests(path));
    tests.map(str::to_string).take(limits::EXPECTATIONS_MAX).collect()
}

/// Files that no plan of the phase names (CHECK-17).
fn outside(work: &Work, changed: &Changed, texts: &[ChangedText]) -> Vec<String> {
    let is_new = |path: &str| texts.iter().any(|text| text.path == path && text.before.is_none());
    let paths = changed.iter().filter_map(|(path, _)| path.to_str());
    footprint::outside(work, paths.map(|path| ChangedFile { path, is_new: is_new(path) }))
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
