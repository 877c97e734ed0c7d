//! Finds the last run that worked on a phase, and what git has of it. Only looks.

use std::path::Path;

use autopilot_core::limits;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::problem::Problem;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::{Commit, Moment};
use autopilot_core::run::last_try::{LastTry, newest_phase};
use autopilot_core::run::work::Work;
use autopilot_journal::{Folder, RunId};

use crate::git::{Checkout, FileLines, ObjectId, Patch};
use crate::memory::MemoryError;
use crate::start::{self, Means, of_memory};
use crate::{journal_read, project};

pub struct Shown {
    pub run: String,
    /// The run was abandoned before it was over.
    pub is_given_up: bool,
    pub tried: LastTry,
    /// Identity and subject, oldest first; nothing where git has the commits no longer.
    pub commits: Vec<(String, String)>,
    pub files: Vec<FileLines>,
}

/// A patch, and whether it is whole.
pub struct Difference {
    pub base: String,
    pub head: String,
    pub patch: Vec<u8>,
    pub is_whole: bool,
}

/// Without a phase, the one that was begun last.
pub fn show(root: &Path, phase: Option<&PhaseId>, means: &Means) -> Result<Shown, Problem> {
    let Found { run, is_given_up, tried } = find(root, phase)?;
    let ends = work(&tried).and_then(ends);
    let checkout = start::checkout_to_measure(root, means).ok();
    let (commits, files) = match checkout.zip(ends) {
        None => (Vec::new(), Vec::new()),
        Some((checkout, (base, head))) => (
            checkout.commits_between(&base, &head).unwrap_or_default(),
            checkout.lines_between(&base, &head).unwrap_or_default(),
        ),
    };
    Ok(Shown { run: run.to_string(), is_given_up, tried, commits, files })
}

/// What the phase changed in all, without its reports.
pub fn difference(
    root: &Path,
    phase: Option<&PhaseId>,
    patch: Patch,
    means: &Means,
) -> Result<Difference, Problem> {
    let Found { tried, .. } = find(root, phase)?;
    let checkout: Checkout = start::checkout_to_measure(root, means)?;
    let (base, head) = work(&tried).and_then(ends).ok_or_else(no_work)?;
    let between = checkout.patch_between(&base, &head, patch);
    let (patch, is_whole) = between.map_err(|error| start::of_git(&error))?;
    Ok(Difference { base: base.to_string(), head: head.to_string(), patch, is_whole })
}

fn work(tried: &LastTry) -> Option<&Work> {
    tried.phase()?.work.as_deref()
}

fn ends(work: &Work) -> Option<(ObjectId, ObjectId)> {
    let object = |commit: &Commit| ObjectId::parse(commit.as_str());
    object(&work.base).zip(object(&work.head))
}

struct Found {
    run: RunId,
    is_given_up: bool,
    tried: LastTry,
}

fn find(root: &Path, phase: Option<&PhaseId>) -> Result<Found, Problem> {
    let folder = Folder::find(root).map_err(|error| error.problem())?;
    let folder = folder.ok_or_else(|| nobody_worked(root, phase))?;
    for run in journal_read::newest_first(&folder)?.into_iter().take(limits::RUNS_SEARCHED_MAX) {
        let records = journal_read::journal(&folder, &run)?.records;
        let events: Vec<(&Event, Moment)> =
            records.iter().map(|record| (&record.event, Moment(record.at))).collect();
        let wanted =
            phase.cloned().or_else(|| newest_phase(events.iter().map(|(event, _)| *event)));
        let Some(wanted) = wanted else { continue };
        let tried = LastTry::of(&events, &wanted);
        let tried = tried.map_err(|error| of_memory(MemoryError::Illegal(error)))?;
        if let Some(tried) = tried {
            let is_given_up = journal_read::is_given_up(&folder, &run, &tried.run);
            return Ok(Found { run, is_given_up, tried });
        }
    }
    Err(nobody_worked(root, phase))
}

fn nobody_worked(root: &Path, phase: Option<&PhaseId>) -> Problem {
    let what = match phase {
        Some(phase) => format!("no run has worked on phase {phase}"),
        None => "no run has worked on a phase of this project".to_string(),
    };
    let fix = match phase.filter(|_| project::roadmap_path(root).is_some()) {
        Some(phase) => format!("see the phases: autopilot status. Start it: autopilot run {phase}"),
        None => project::first_step(root).to_string(),
    };
    Problem::usage(what, "what a phase did is told from the journal of its run", fix)
}

fn no_work() -> Problem {
    Problem::usage(
        "there is no work to compare",
        "the phase has made no commit yet",
        "see what it is doing: autopilot why",
    )
}
