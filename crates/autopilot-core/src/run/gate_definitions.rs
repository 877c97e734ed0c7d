//! The files that say how work is measured (CHECK-19): roadmap, spec, requirements, settings, plans and prompts, and the receipts that
//! say how it was. No attempt may change them: what it did to one is put back before anything is measured, so whatever is measured,
//! committed and merged has them as they were. Which files these are and what became of one is decided here; putting back is the
//! engine's, the verdict `checks`'s.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::digest;
use crate::plan::{self, Plan, file_name};
use crate::project::PlanFile;
use crate::run::definition::{PhaseDefinition, ProjectDefinition};
use crate::run::event::PlanFault;
use crate::run::files::receipt;
use crate::run::work::Work;
use crate::spec;

pub const CONFIG: &str = ".planning/config.json";
pub const REQUIREMENTS: &str = ".planning/REQUIREMENTS.md";
/// Where a roadmap is looked for first: one that appears there takes the place of another.
const ROADMAP: &str = ".planning/ROADMAP.md";
/// Prompts of the user's own, reviewers' too.
const PROMPTS: &str = ".planning/autopilot";
const PHASES: &str = ".planning/phases";

/// A definition as it was when the run read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefinitionLock {
    pub path: String,
    /// Without ticks, status and line endings.
    pub hash: String,
}

impl DefinitionLock {
    pub fn of(path: &str, text: &str) -> DefinitionLock {
        DefinitionLock { path: path.to_string(), hash: hash(path, text) }
    }
}

/// A definition that an attempt, or a whole phase, had changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    pub path: String,
    pub how: Touch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Touch {
    /// Boxes, status, words that decide nothing.
    OnlyTicks,
    Changed,
    Added,
    Removed,
}

impl Touch {
    pub fn words(self) -> &'static str {
        match self {
            Touch::OnlyTicks => "was ticked",
            Touch::Changed => "was changed",
            Touch::Added => "was added",
            Touch::Removed => "was removed",
        }
    }
}

/// Whether a file says how work is measured. A name that such a file lies below counts too: a link in its place would take it away.
pub fn is_definition(project: Option<&ProjectDefinition>, path: &str) -> bool {
    let named = project.iter().flat_map(|project| {
        let spec = project.spec.as_ref().map(|spec| spec.path.as_str());
        spec.into_iter().chain([project.roadmap.as_str()])
    });
    let mut named = named.chain([CONFIG, REQUIREMENTS, ROADMAP, PROMPTS, PHASES]);
    named.any(|name| is_at_or_below(name, path))
        || is_at_or_below(path, PROMPTS)
        || is_plan(path)
        || is_receipt(path)
        || is_phase_folder(path)
}

/// Wherever it lies: one that a worker puts beside a phase nobody has worked on would be proof of that phase.
fn is_receipt(path: &str) -> bool {
    path.starts_with(".planning/") && path.rsplit('/').next() == Some(receipt::FILE)
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A plan of any phase, there or new: a later phase of the run reads whatever plans lie in its folder.
pub fn is_plan(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    is_at_or_below(path, PHASES) && file_name::plan_of_file(name).is_some()
}

/// The name of a phase's folder, or of `plans` in it, as that of a file.
fn is_phase_folder(path: &str) -> bool {
    let below = path.strip_prefix(PHASES).and_then(|rest| rest.strip_prefix('/'));
    below.is_some_and(|below| match below.split_once('/') {
        None => file_name::phase_of_folder(below).is_some(),
        Some((_, rest)) => rest == "plans",
    })
}

/// The task of a plan that lists the file: then it is part of the work, and a person decides about it.
pub fn listed_by<'a>(work: &'a Work, path: &str) -> Option<&'a str> {
    let lists = |file: &String| file.strip_prefix("./").unwrap_or(file) == path;
    let mut tasks = work.tasks.iter().map(|task| &task.task);
    tasks.find(|task| task.files.iter().any(lists)).map(|task| task.id.as_str())
}

/// What became of a definition; None when it is as it was. Text that cannot be read is no text that was there before.
pub fn touch(path: &str, before: Option<&str>, after: Option<&str>) -> Option<Touch> {
    match (before, after) {
        (None, None) => None,
        (None, Some(_)) => Some(Touch::Added),
        (Some(_), None) => Some(Touch::Removed),
        (Some(before), Some(after)) if before == after => None,
        (Some(before), Some(after)) => {
            let is_same = hash(path, before) == hash(path, after)
                || is_plan(path) && is_same_plan(&read(path, before), &read(path, after));
            Some(if is_same { Touch::OnlyTicks } else { Touch::Changed })
        }
    }
}

/// Boxes, tables of status and line endings do not count, nor do a phase's own words about how far it is.
fn hash(path: &str, text: &str) -> String {
    if !path.ends_with(".md") {
        return digest::text(&Sha256::digest(text.replace("\r\n", "\n")));
    }
    let lines = text.lines().filter(|line| !is_status(line)).map(without_completed);
    spec::content_hash(&lines.collect::<Vec<_>>().join("\n"))
}

/// `**Status**: in progress`, `**Plans:** 2/3 plans complete`.
fn is_status(line: &str) -> bool {
    let bare = line.trim_start_matches(['-', '*', '>', ' ', '\t']).trim_start();
    let label = bare.split([':', '*']).next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(label.as_str(), "status" | "plans" | "progress" | "completed" | "last updated")
        && bare.contains(':')
}

/// The box of a phase is often ticked with the day in brackets behind it.
fn without_completed(line: &str) -> &str {
    let end = line.trim_end();
    let noted = end.ends_with(')').then(|| end.rfind(" (")).flatten();
    let Some(at) = noted else { return end };
    let note = end[at + 2..].to_ascii_lowercase();
    let is_note = ["completed", "done", "complete"].iter().any(|word| note.starts_with(word));
    if is_note { end[..at].trim_end() } else { end }
}

fn read(path: &str, text: &str) -> Plan {
    plan::read(path, text).0
}

/// Whether two plans ask for the same tasks with the same checks. Other words in them decide nothing.
fn is_same_plan(one: &Plan, other: &Plan) -> bool {
    let decides = |plan: &Plan| {
        let tasks = plan.tasks.iter().map(|task| {
            let of_task = (task.name.clone(), task.kind.clone(), task.is_tdd, task.gate.clone());
            let checks = (task.automated.clone(), task.criteria.clone());
            (of_task, task.depends_on.clone(), task.files.clone(), checks)
        });
        let around = (plan.wave, plan.depends_on.clone(), plan.files_modified.clone());
        (around, tasks.collect::<Vec<_>>())
    };
    decides(one) == decides(other)
}

/// Of a user's plans those that were there when the run began, and what is to be said about the others and about those that changed
/// since.
pub fn as_locked(phase: &PhaseDefinition, texts: Vec<PlanFile>) -> (Vec<PlanFile>, Vec<PlanFault>) {
    let mut faults = Vec::new();
    let mut fault = |path: &str, what: &str| {
        faults.push(PlanFault { is_blocker: false, message: format!("{path}: {what}") });
    };
    let mut kept = texts;
    // A run of an earlier version has no locks.
    if !phase.plans.is_empty() {
        kept.retain(|text| {
            let lock = phase.plans.iter().find(|lock| lock.path == text.path);
            match lock {
                None => fault(&text.path, "was not there when the run began, and is not read"),
                Some(lock) if lock.hash != hash(&text.path, &text.text) => {
                    fault(&text.path, "is not as it was when the run began");
                }
                Some(_) => {}
            }
            lock.is_some()
        });
    }
    (kept, faults)
}

#[cfg(test)]
#[path = "gate_definitions_tests.rs"]
mod tests;
