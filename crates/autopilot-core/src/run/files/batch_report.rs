//! How far the whole project is after a run with `--complete` (REP-4): what was attempted, what was left out and why, what a failure
//! kept from running, and the share of the roadmap that is done. The report of the run itself is `completion`'s.

use std::fmt::Write;

use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::definition::SettledBefore;
use crate::run::files::completion::{remaining, result_words};
use crate::run::files::reports::cell;
use crate::run::files::{confidence, post_mortem};
use crate::run::ids::Moment;
use crate::run::next;
use crate::run::outcome::RunResult;
use crate::run::projection::iso;
use crate::run::state::{PhaseState, PhaseStatus, RunState};
use crate::run::words::seconds;

/// Below `.autopilot/`.
pub const FILE: &str = "completion-report.md";

/// Of all phases of the roadmap without the backlog, rounded down.
pub fn percent(state: &RunState) -> u8 {
    let (done, all) = done(state);
    let percent = (u64::from(done) * 100).checked_div(u64::from(all)).unwrap_or_default();
    u8::try_from(percent.min(100)).unwrap_or(100)
}

fn done(state: &RunState) -> (u32, u32) {
    let settled = settled(state);
    let passed = next::result(state).passed;
    let selected = u32::try_from(state.phases.len()).unwrap_or(u32::MAX);
    // A journal from before the roadmap was counted knows the phases of the run only.
    let all = settled.phases.max(selected.saturating_add(settled.count));
    (settled.count.saturating_add(passed), all)
}

fn settled(state: &RunState) -> SettledBefore {
    state.project.as_ref().map(|project| project.settled.clone()).unwrap_or_default()
}

pub fn document(state: &RunState, at: Moment) -> String {
    let (done, all) = done(state);
    let mut text = format!(
        "# Batch Completion Report\n\n**Run ID:** {}\n**Date:** {}\n**Mode:** --complete\n\
         **Project completion:** {}% ({done}/{all} phases)\n",
        state.definition.run,
        iso(at),
        percent(state)
    );
    attempted(&mut text, state);
    skipped(&mut text, state);
    gaps(&mut text, state);
    sums(&mut text, state);
    text.push_str("\n## Next Steps\n\n");
    let left: Vec<String> = remaining(state).iter().map(ToString::to_string).collect();
    match (left.is_empty(), done >= all) {
        (false, _) => {
            add(&mut text, format_args!("To continue: `autopilot run {}`\n", left.join(",")))
        }
        (true, true) => text.push_str("All phases complete. The project is done.\n"),
        (true, false) => {
            text.push_str("What this run was to do is done: `autopilot status` has the rest.\n")
        }
    }
    text
}

fn was_attempted(phase: &&PhaseState) -> bool {
    phase.summary.started_at.is_some()
}

fn attempted(text: &mut String, state: &RunState) {
    text.push_str("\n## Phases Attempted\n\n| Phase | Status | Alignment | Duration | Notes |\n|---|---|---|---|---|\n");
    let phases = state.phases.iter().filter(was_attempted);
    for phase in phases.take(limits::METRICS_PHASES_MAX) {
        let id = &phase.definition.id;
        let score = match &phase.status {
            PhaseStatus::Passed(result) => result.score,
            _ => phase.summary.score,
        };
        let score = score.map_or("-".to_string(), |score| format!("{score}/10"));
        let note = match &phase.status {
            PhaseStatus::Failed(failure) => {
                format!("{}; .autopilot/{}", cell(&failure.reason), post_mortem::file(id))
            }
            PhaseStatus::Deferred { why } => cell(why),
            _ if phase.summary.diagnostic.is_some() => {
                format!(".autopilot/{}", confidence::file(id))
            }
            _ => "-".to_string(),
        };
        let (status, took) = (result_words(&phase.status), seconds(phase.summary.running_ms));
        let name = cell(&phase.definition.name);
        add(text, format_args!("| {id} {name} | {status} | {score} | {took} | {note} |\n"));
    }
}

fn skipped(text: &mut String, state: &RunState) {
    text.push_str("\n## Phases Skipped\n\n| Phase | Reason |\n|---|---|\n");
    let settled = settled(state);
    for id in &settled.listed {
        add(text, format_args!("| {id} | already_completed |\n"));
    }
    let more = (settled.count as usize).saturating_sub(settled.listed.len());
    if more > 0 {
        add(text, format_args!("| {more} more | already_completed |\n"));
    }
    for phase in &state.phases {
        if let PhaseStatus::Skipped { reason } = &phase.status {
            let name = cell(&phase.definition.name);
            add(text, format_args!("| {} {name} | {reason} |\n", phase.definition.id));
        }
    }
}

fn gaps(text: &mut String, state: &RunState) {
    text.push_str("\n## Dependency Gaps\n\n");
    let mut has_any = false;
    for phase in &state.phases {
        let how = match phase.status {
            PhaseStatus::Failed(_) => "failed",
            PhaseStatus::Deferred { .. } => "waits for a person",
            _ => continue,
        };
        let blocked = blocked_by(state, &phase.definition.id);
        if blocked.is_empty() {
            continue;
        }
        has_any = true;
        let words = |one: &&PhaseState| {
            format!("Phase {} ({})", one.definition.id, cell(&one.definition.name))
        };
        let names: Vec<String> = blocked.iter().map(words).collect();
        let id = &phase.definition.id;
        add(text, format_args!("- **Phase {id} {how}** -> Blocked: {}\n", names.join(", ")));
    }
    if !has_any {
        text.push_str("None.\n");
    }
}

/// Phases that were left out because of it, directly or through others.
fn blocked_by<'a>(state: &'a RunState, id: &'a PhaseId) -> Vec<&'a PhaseState> {
    let mut ids = vec![id];
    let mut blocked = Vec::new();
    // In schedule order a dependency stands before what depends on it, so one pass finds all.
    for phase in &state.phases {
        let is_left_out = matches!(phase.status, PhaseStatus::Skipped { .. });
        if is_left_out && phase.definition.depends_on.iter().any(|one| ids.contains(&one)) {
            ids.push(&phase.definition.id);
            blocked.push(phase);
        }
    }
    blocked
}

fn sums(text: &mut String, state: &RunState) {
    let RunResult { passed, failed, skipped, deferred, .. } = next::result(state);
    let count = state.phases.iter().filter(was_attempted).count();
    add(
        text,
        format_args!(
            "\n## Summary\n\n- Attempted: {count}\n- Succeeded: {passed}\n- Failed: {failed}\n\
             - Skipped (already done): {}\n- Skipped (blocked): {skipped}\n- Deferred to human: {deferred}\n",
            settled(state).count
        ),
    );
}

fn add(text: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = text.write_fmt(words);
}

#[cfg(test)]
#[path = "batch_report_tests.rs"]
mod tests;
