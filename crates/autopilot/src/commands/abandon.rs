//! `autopilot abandon`: gives an unfinished run up. Its journal goes to the archive; its branches and everything on them stay.

use std::path::Path;
use std::sync::Arc;

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_engine::clock::{Clock, WallClock};
use autopilot_engine::memory::Memory;
use autopilot_engine::perform::end_left;
use autopilot_engine::process::{Owner, RecordedEnd};
use autopilot_engine::run_metrics;
use autopilot_engine::start::{of_memory, unfinished};
use autopilot_journal::archive::archive;
use autopilot_journal::{Folder, Holder};

use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(super) fn run(root: &Path, output: &mut Output) -> Exit {
    match abandoned(root) {
        Ok(lines) => {
            lines.iter().for_each(|line| output.say_wrapped(line));
            Exit::Success
        }
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}

fn abandoned(root: &Path) -> Result<Vec<String>, Problem> {
    let nothing = || {
        Problem::usage(
            "there is no unfinished run",
            "only a run that was stopped, failed or crashed can be given up",
            "see where the project stands: autopilot status",
        )
    };
    let folder = Folder::find(root).map_err(|error| error.problem())?.ok_or_else(nothing)?;
    let holder = Holder {
        pid: std::process::id(),
        host: String::new(),
        command: "autopilot abandon".to_string(),
        started_at: WallClock::default().now().0,
    };
    let lock = folder.lock(&holder).map_err(|error| error.problem())?;
    let left = match unfinished(&folder) {
        Ok(run) => run.map(|run| (run.id, Some(run.state))),
        // A journal that cannot be followed must not be in the way for ever; it is kept as it is.
        Err(_) => folder.runs().map_err(|error| error.problem())?.pop().map(|id| (id, None)),
    };
    let (id, state) = left.ok_or_else(nothing)?;
    // Nobody looks for what it started once the run is put away.
    let under_way = state.as_ref().and_then(|state| state.in_flight.as_ref());
    let ended = under_way.and_then(end_left);
    let swept = Owner::of_project(folder.path()).end_left();
    let clock = Arc::new(WallClock::default());
    let now = clock.now();
    // What passed counts although nobody goes on, also what a kill kept from the ledger.
    if let Ok((mut memory, _)) = Memory::resume(folder.clone(), lock.clone(), &id, clock) {
        memory.keep_ledger().map_err(of_memory)?;
    }
    // Its figures count too. That they cannot be written must not keep anybody from giving a run up.
    let recorded = state.as_ref().map(|state| run_metrics::record(&folder, state, now));
    archive(&folder, &lock, &id).map_err(|error| error.problem())?;
    let mut lines = vec![format!("run {id} is given up; its journal is in .autopilot/archive/")];
    match ended {
        Some(RecordedEnd::WasGone | RecordedEnd::NotOurs) | None if swept.stuck > 0 => {
            lines.push("what it had left running was told to end and is still there".to_string());
        }
        Some(RecordedEnd::WasGone | RecordedEnd::NotOurs) | None if swept.ended > 0 => {
            lines.push("what it had left running was ended".to_string());
        }
        Some(RecordedEnd::Ended) => lines.push("what it had left running was ended".to_string()),
        Some(RecordedEnd::Stuck) => {
            lines.push("what it had left running was told to end and is still there".to_string());
        }
        Some(RecordedEnd::WasGone | RecordedEnd::NotOurs) | None => {}
    }
    if let Some(Err(error)) = recorded {
        lines.push(format!("its figures are not in metrics.json: {error}"));
    }
    if let Some(branch) = state.as_ref().and_then(|state| state.branch.as_ref()) {
        lines.push(format!("what passed is on {} at {}", branch.name, branch.head.short()));
    }
    Ok(lines)
}
