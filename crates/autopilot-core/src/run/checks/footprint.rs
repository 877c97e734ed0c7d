//! CHECK-17, the footprint: files a phase changed that nothing in its plans names. Told, never rejected: a plan is not always right about
//! what a change takes.

use crate::limits;
use crate::run::checks::{Difference, Found, Integrity, quoted};
use crate::run::pipeline::At;
use crate::run::work::Work;

/// A file that differs, as the engine saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedFile<'a> {
    pub path: &'a str,
    pub is_new: bool,
}

/// What package managers write when something else changes.
const LOCK_FILES: [&str; 15] = [
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "poetry.lock",
    "uv.lock",
    "Pipfile.lock",
    "go.sum",
    "Gemfile.lock",
    "composer.lock",
    "mix.lock",
    "packages.lock.json",
];

pub(super) fn look(at: At<'_>) -> Vec<Found> {
    let Some(Difference { outside, .. }) = &at.work.candidate.difference else { return Vec::new() };
    if outside.is_empty() {
        return Vec::new();
    }
    let names: Vec<String> =
        outside.iter().map(|path| quoted(path).trim_matches('"').to_string()).collect();
    let reason = format!("changed and named by no task of the plan: {}", names.join(", "));
    vec![Found::Warned { check: Integrity::Footprint, reason }]
}

/// The changed files that no plan of the phase names; none where the plans name no files at all.
pub fn outside<'a>(work: &Work, changed: impl Iterator<Item = ChangedFile<'a>>) -> Vec<String> {
    let tasks = work.tasks.iter().flat_map(|task| &task.task.files);
    let plans = work.plan.iter().flat_map(|plan| &plan.files);
    let findings = work.findings.iter().filter_map(|finding| finding.file.as_ref());
    let named: Vec<&str> = tasks.chain(plans).filter_map(|entry| path_of(entry)).collect();
    if named.is_empty() {
        return Vec::new();
    }
    let named: Vec<&str> = named.into_iter().chain(findings.filter_map(|it| path_of(it))).collect();
    let outside = changed.filter(|file| !is_own(file.path) && !is_named(&named, *file));
    let paths = outside.map(|file| file.path.chars().take(limits::PLACE_PATH_CHARS_MAX).collect());
    paths.take(limits::FOOTPRINT_FILES_MAX).collect()
}

/// Planning files are checked by others, and lock files follow from the rest.
pub fn is_own(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.starts_with(".planning/") || LOCK_FILES.contains(&name)
}

/// `src/lib.rs`, also as `` `src/lib.rs` (new) `` or `./src/lib.rs:12`.
fn path_of(entry: &str) -> Option<&str> {
    let word = entry.split_whitespace().next()?.trim_matches(['`', '"', '\'', ',', ';']);
    let word = word.strip_prefix("./").unwrap_or(word);
    let word = word.split(':').next().unwrap_or(word);
    (!word.is_empty()).then_some(word)
}

fn is_named(named: &[&str], file: ChangedFile<'_>) -> bool {
    named.iter().any(|entry| {
        let folder = entry.trim_end_matches('/');
        let is_below = |folder: &str| {
            let rest = file.path.strip_prefix(folder);
            !folder.is_empty() && rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let beside = entry.rsplit_once('/').map_or("", |(folder, _)| folder);
        *entry == file.path
            || entry.contains('*') && fits(entry, file.path)
            || is_below(folder)
            || file.is_new && is_below(beside)
    })
}

/// A pattern as in shells: `*` stands for any text here, which is generous.
fn fits(pattern: &str, path: &str) -> bool {
    let (first, others) = pattern.split_once('*').unwrap_or((pattern, ""));
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    others.split('*').all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::checks::fixture::{Scene, told};

    fn check(named: &[&str], changed: &[&str], expected: &[&str]) {
        let mut scene = Scene::new();
        scene.task("1-01-1", named);
        let changed = changed.iter().map(|path| {
            let is_new = path.starts_with('+');
            ChangedFile { path: path.trim_start_matches('+'), is_new }
        });
        assert_eq!(outside(&scene.work, changed), expected, "{named:?}");
    }

    #[test]
    fn files_that_no_task_names_are_outside() {
        check(&["src/lib.rs"], &["src/lib.rs", "src/main.rs"], &["src/main.rs"]);
        check(&["./src/lib.rs (new)", "`a.py`"], &["src/lib.rs", "a.py"], &[]);
        check(&["src/auth/"], &["src/auth/a.rs", "src/authority.rs"], &["src/authority.rs"]);
        check(&["src/*.rs", "web/**"], &["src/a.rs", "web/x/y.ts", "lib/a.rs"], &["lib/a.rs"]);
        check(&["src/*x*x.rs"], &["src/xx.rs", "src/x.rs"], &["src/x.rs"]);
        check(&["a/b*a/b"], &["a/b/a/b", "a/b"], &["a/b"]);
        check(&["src/lib.rs"], &["Cargo.lock", "web/package-lock.json", ".planning/STATE.md"], &[]);
        check(
            &["src/auth/login.rs"],
            &["+src/auth/token.rs", "src/auth/old.rs"],
            &["src/auth/old.rs"],
        );
        check(&["README.md"], &["+new.rs"], &["new.rs"]);
        check(&[], &["src/main.rs"], &[]);
    }

    #[test]
    fn what_is_outside_is_told() {
        let mut scene = Scene::new();
        let outside = vec!["src/main.rs".to_string(), "b c.rs".to_string()];
        scene.work.candidate.difference = Some(Difference { outside, ..Difference::default() });
        let expected =
            "warned footprint: changed and named by no task of the plan: src/main.rs, b c.rs";
        assert_eq!(told(&look(scene.at())), expected);
    }
}
