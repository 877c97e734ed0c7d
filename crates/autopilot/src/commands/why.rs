//! `autopilot why`: what the run is doing or waiting for, since when, and what would move it on.

use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_core::run::files::completion::{post_mortems, remaining};
use autopilot_core::run::projection::iso;
use autopilot_core::run::state::{RunState, RunStatus};
use autopilot_core::run::words::{halt_words, pause_words, seconds, waiting_words};
use autopilot_core::run::{Move, next};
use autopilot_engine::clock::{Clock, WallClock};
use autopilot_engine::journal_read;
use autopilot_journal::{Folder, Occupancy};

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
    let folder = folder.ok_or_else(no_run)?;
    let is_held = matches!(folder.holder().map_err(|error| error.problem())?, Occupancy::Held(_));
    let (id, journal) = journal_read::newest(&folder)?.ok_or_else(no_run)?;
    let state = journal_read::fold(journal.records)?.ok_or_else(no_run)?;
    let mut lines = vec![format!("run {id}")];
    lines.extend(standing(&state, is_held));
    lines.extend(post_mortems(&state));
    Ok(lines)
}

fn standing(state: &RunState, is_held: bool) -> Vec<String> {
    let ago = |at| seconds(WallClock::default().now().milliseconds_since(at));
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
        RunStatus::Paused(why) => vec![
            format!("{} ({} ago)", pause_words(why), ago(state.last_at)),
            "go on: autopilot resume".to_string(),
        ],
        RunStatus::Halted(why) => vec![
            format!("{} ({} ago)", halt_words(why), ago(state.last_at)),
            "try again: autopilot resume. Give it up: autopilot abandon".to_string(),
        ],
        RunStatus::Completed(result) => {
            let left = remaining(state).len();
            vec![format!(
                "completed {} ago: {} passed, {} failed, {left} not passed",
                ago(state.last_at),
                result.passed,
                result.failed
            )]
        }
    }
}
