//! `autopilot why`: what the run is doing or waiting for, since when, and what would move it on.

use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_core::run::files::completion::{post_mortems, remaining};
use autopilot_core::run::ids::Moment;
use autopilot_core::run::outcome::RunResult;
use autopilot_core::run::projection::iso;
use autopilot_core::run::state::{RunState, RunStatus};
use autopilot_core::run::words::{halt_words, pause_words, seconds, waiting_words};
use autopilot_core::run::{Move, next};
use autopilot_engine::clock::{Clock, WallClock};
use autopilot_engine::journal_read;
use autopilot_journal::{Folder, Occupancy};

use super::login_words::log_in_first;
use super::logs::no_run;
use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(super) fn run(root: &Path, output: &mut Output) -> Exit {
    match said(root) {
        Ok(lines) => {
            lines.iter().for_each(|line| output.say_wrapped(line));
            Exit::Success
        }
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}

fn said(root: &Path) -> Result<Vec<String>, Problem> {
    let folder = Folder::find(root).map_err(|error| error.problem())?;
    let folder = folder.ok_or_else(|| no_run(root))?;
    let is_held = matches!(folder.holder().map_err(|error| error.problem())?, Occupancy::Held(_));
    let (id, journal) = journal_read::newest(&folder)?.ok_or_else(|| no_run(root))?;
    let state = journal_read::fold(journal.records)?.ok_or_else(|| no_run(root))?;
    let mut lines = vec![format!("run {id}")];
    match journal_read::is_given_up(&folder, &id, &state) {
        true => lines.extend(given_up(&state)),
        false => lines.extend(standing(&state, is_held)),
    }
    lines.extend(post_mortems(&state));
    Ok(lines)
}

fn standing(state: &RunState, is_held: bool) -> Vec<String> {
    match &state.status {
        RunStatus::Running if is_held => match &state.in_flight {
            Some(one) => {
                let phase = one.effect.phase().map(|phase| format!("phase {phase}, "));
                let task = one.effect.task().map(|task| format!(" (task {task})"));
                let mut lines = vec![format!(
                    "{}{}{}, since {}",
                    phase.unwrap_or_default(),
                    one.effect.step(),
                    task.unwrap_or_default(),
                    ago(one.started_at)
                )];
                let now = WallClock::default().now();
                lines.extend(one.quiet.map(|quiet| quiet.words(now)));
                lines
            }
            None => match next(state, WallClock::default().now()) {
                Move::Wait { until: Some(until), why } => vec![format!(
                    "it waits, since {}: {}; goes on at {}",
                    ago(state.last_at),
                    waiting_words(why),
                    iso(until)
                )],
                _ => vec![format!("between two steps, since {}", ago(state.last_at))],
            },
        },
        RunStatus::Running => vec![
            format!(
                "it ended without a word {} ago: a crash, a kill or a power cut",
                ago(state.last_at)
            ),
            "nothing is lost; go on: autopilot resume".to_string(),
        ],
        RunStatus::Paused(why) => {
            let paused = format!("{} ({} ago)", pause_words(why), ago(state.last_at));
            let go_on = "go on: autopilot resume".to_string();
            [paused, go_on].into_iter().chain(log_in_first(state)).collect()
        }
        RunStatus::Halted(why) => vec![
            format!("{} ({} ago)", halt_words(why), ago(state.last_at)),
            "try again: autopilot resume. Give it up: autopilot abandon".to_string(),
        ],
        RunStatus::Completed(result) => completed(state, result),
    }
}

fn ago(at: Moment) -> String {
    seconds(WallClock::default().now().milliseconds_since(at))
}

/// Nobody goes on with it; what it was about is asked for anew.
fn given_up(state: &RunState) -> Vec<String> {
    vec![format!("it was given up {} ago", ago(state.last_at)), again(state)]
}

fn completed(state: &RunState, result: &RunResult) -> Vec<String> {
    let passed = state.phases.len().saturating_sub(remaining(state).len());
    let passed = u32::try_from(passed).unwrap_or(result.passed);
    // The result was counted when the run was over; what passed then and does not now was taken back since.
    let taken_back = result.passed.saturating_sub(passed);
    let mut counts = format!(
        "{passed} passed, {} failed, {} skipped, {} for a person",
        result.failed, result.skipped, result.deferred
    );
    if taken_back > 0 {
        counts.push_str(&format!(", {taken_back} taken back"));
    }
    let mut lines = vec![format!("completed {} ago: {counts}", ago(state.last_at))];
    lines.extend((taken_back > 0).then(|| again(state)));
    lines
}

fn again(state: &RunState) -> String {
    match state.definition.errand {
        Some(_) => "what is to be done now: autopilot do \"TASK\"".to_string(),
        None => "a later run does it again: autopilot run next".to_string(),
    }
}
