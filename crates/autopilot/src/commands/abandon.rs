//! `autopilot abandon`: gives an unfinished run up. Its journal goes to the archive; its branches and everything on them stay.

use std::path::Path;
use std::sync::Arc;

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_core::run::event::{Event, StopRequest};
use autopilot_core::run::outcome::Pause;
use autopilot_core::run::state::{RunState, RunStatus};
use autopilot_engine::clock::{Clock, WallClock};
use autopilot_engine::memory::Memory;
use autopilot_engine::perform::end_left;
use autopilot_engine::process::{Owner, RecordedEnd, Swept};
use autopilot_engine::run_metrics;
use autopilot_engine::start::{give_back, is_merge_cut_off, of_memory, unfinished};
use autopilot_journal::archive::archive;
use autopilot_journal::{Folder, Holder};

use super::run::means;
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

/// What is said of it.
pub(super) fn abandoned(root: &Path) -> Result<Vec<String>, Problem> {
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
        stand_still(&mut memory)?;
        memory.keep_ledger().map_err(of_memory)?;
    }
    // Its figures count too. That they cannot be written must not keep anybody from giving a run up.
    let recorded = state.as_ref().map(|state| run_metrics::record(&folder, state, now));
    let mut lines = vec![format!("run {id} is given up; its journal is in .autopilot/archive/")];
    // First, because nobody knows of it once the run is put away.
    lines.extend(put_back(root, id.as_str(), state.as_ref())?);
    archive(&folder, &lock, &id).map_err(|error| error.problem())?;
    lines.extend(left_running(ended, &swept).map(String::from));
    if let Some(Err(error)) = recorded {
        lines.push(format!("its figures are not in metrics.json: {error}"));
    }
    lines.extend(state.as_ref().and_then(what_stays));
    Ok(lines)
}

fn what_stays(state: &RunState) -> Option<String> {
    let branch = state.branch.as_ref()?;
    Some(match state.landing.merges.is_empty() {
        true => format!("nothing of it had passed; its branches stay, {} among them", branch.name),
        false => format!("what passed is on {} at {}", branch.name, branch.head.short()),
    })
}

/// A run that was killed has not ended as its journal has it. Its work can be merged or taken back only once it has.
fn stand_still(memory: &mut Memory) -> Result<(), Problem> {
    let state = memory.state().map_err(of_memory)?;
    if state.status != RunStatus::Running || !state.is_read {
        return Ok(());
    }
    let lost = state.in_flight.as_ref().map(|lost| lost.attempt);
    let is_asked = state.stop.is_some();
    let lost = lost.map(|attempt| Event::AttemptLost { attempt, spend: None });
    let asked = (!is_asked).then_some(Event::StopRequested { how: StopRequest::AfterStep });
    for event in lost.into_iter().chain(asked).chain([Event::RunPaused { why: Pause::Stopped }]) {
        memory.note(event).map_err(of_memory)?;
    }
    memory.keep().map(drop).map_err(of_memory)
}

/// What becomes of the user's own folder, where the run had it.
fn put_back(root: &Path, run: &str, state: Option<&RunState>) -> Result<Vec<String>, Problem> {
    let means = means()?;
    let mut lines = Vec::new();
    let is_in_place = state.is_none_or(|state| state.definition.is_in_place);
    let found = if is_in_place { give_back(root, run, &means)? } else { None };
    if let Some(found) = found {
        lines.push("your folder is yours again".to_string());
        let kept = |command| format!("what was in it and in no commit is kept: {command}");
        lines.extend(found.into_iter().map(kept));
    }
    if is_merge_cut_off(root, &means) {
        lines.push(
            "a merge into your branch was cut off; bring it to its end: autopilot merge".into(),
        );
    }
    Ok(lines)
}

/// What is said of processes that the run had left.
fn left_running(ended: Option<RecordedEnd>, swept: &Swept) -> Option<&'static str> {
    const ENDED: &str = "what it had left running was ended";
    const STUCK: &str = "what it had left running was told to end and is still there";
    match ended {
        Some(RecordedEnd::Ended) => Some(ENDED),
        Some(RecordedEnd::Stuck) => Some(STUCK),
        Some(RecordedEnd::WasGone | RecordedEnd::NotOurs) | None if swept.stuck > 0 => Some(STUCK),
        Some(RecordedEnd::WasGone | RecordedEnd::NotOurs) | None if swept.ended > 0 => Some(ENDED),
        Some(RecordedEnd::WasGone | RecordedEnd::NotOurs) | None => None,
    }
}
