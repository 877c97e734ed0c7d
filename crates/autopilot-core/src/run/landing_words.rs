//! What is said about a run's way to the user's branch and back.

use crate::phase_id::PhaseId;
use crate::run::event::Event;
use crate::run::files::completion::remaining;
use crate::run::landing::{Landing, MergeTime};
use crate::run::state::RunState;
use crate::run::words::{Said, Tone};

/// One line an event.
pub(super) fn said(event: &Event) -> Option<Said> {
    let (tone, text) = match event {
        Event::MergeRequested { when: MergeTime::AtEnd } => {
            (Tone::Plain, "asked to merge when all went well".to_string())
        }
        Event::MergeRequested { when: MergeTime::Now } => {
            (Tone::Plain, "asked to merge".to_string())
        }
        Event::RollbackInitiated { phases, .. } => {
            (Tone::Plain, format!("asked to take back {}", phases_words(phases)))
        }
        Event::RunMerged { branch, commit, .. } => {
            (Tone::Good, format!("merged: {branch} is at {}", commit.short()))
        }
        Event::MergeRefused { why, .. } => (Tone::Warning, format!("not merged: {why}")),
        Event::RollbackCompleted { phases, branch, commit, .. } => {
            let phases = phases_words(phases);
            (Tone::Good, format!("taken back: {phases}; {branch} is at {}", commit.short()))
        }
        Event::RollbackRefused { why, .. } => (Tone::Warning, format!("not taken back: {why}")),
        _ => return None,
    };
    Some(Said { tone, phase: None, text })
}

/// `phase 3`, `phases 3, 4`.
pub fn phases_words(phases: &[PhaseId]) -> String {
    let names: Vec<String> = phases.iter().map(ToString::to_string).collect();
    format!("{} {}", if names.len() == 1 { "phase" } else { "phases" }, names.join(", "))
}

/// The last lines of a run: what became of its work, or the command that brings it to the user's branch.
pub(super) fn ending(state: &RunState) -> Vec<String> {
    let Some(branch) = &state.branch else { return Vec::new() };
    let Landing { refused, is_wanted, merges, .. } = &state.landing;
    let user = state.definition.user_branch.as_deref().unwrap_or("your branch");
    if state.landing.has_landed(&branch.head) {
        return vec![format!("merged: {user} is at {}", branch.head.short())];
    }
    if merges.is_empty() {
        return Vec::new();
    }
    match refused {
        Some(refused) => {
            vec![format!("not merged: {}", refused.why), format!("merge it: {}", refused.fix)]
        }
        None if *is_wanted && !remaining(state).is_empty() => vec![
            "not merged: not every phase passed".to_string(),
            "merge what passed: autopilot merge".to_string(),
        ],
        None if !remaining(state).is_empty() => Vec::new(),
        None if state.definition.user_branch.is_none() => {
            vec![format!("merge it: git merge {}", branch.name)]
        }
        None => vec!["merge it: autopilot merge".to_string()],
    }
}
