//! More phases for the run that is not finished (INV-7). Whoever asks reads the roadmap and settles what can be settled before; a run
//! that is going on is asked through the inbox, one that stands still gets its events here, under the lock.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use autopilot_core::finding::Finding;
use autopilot_core::limits;
use autopilot_core::outlook;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::problem::Problem;
use autopilot_core::project::Project;
use autopilot_core::roadmap::Standing;
use autopilot_core::run::addition::Addition;
use autopilot_core::run::begin;
use autopilot_core::run::request::{Refused, Request, admit};
use autopilot_core::run::state::RunState;
use autopilot_journal::{Folder, Occupancy, inbox};

use super::{Means, Unfinished, Wish, of_memory, unfinished};
use crate::hidden_checks::HiddenChecks;
use crate::memory::Memory;
use crate::{journal_read, project};

/// What came of a wish for more phases.
#[derive(Debug)]
pub struct Added {
    pub run: String,
    pub phases: Vec<PhaseId>,
    pub how: Asked,
    pub findings: Vec<Finding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The run goes on and has taken them.
    TakenByTheRun,
    /// The run goes on and has not looked yet.
    NotTakenYet,
    /// The run stands still; they are in its journal.
    WrittenDown,
}

pub fn add(root: &Path, wish: &Wish, means: &Means) -> Result<Added, Problem> {
    let folder = Folder::find(root).map_err(|error| error.problem())?.ok_or_else(no_run)?;
    let run = unfinished(&folder)?.ok_or_else(no_run)?;
    let (addition, findings) = addition(root, wish, &folder, &run, means)?;
    admit(&run.state, &Request::Add(addition.clone())).map_err(of_refusal)?;
    let phases = addition.phases.iter().map(|phase| phase.id.clone()).collect();
    let how = if is_going_on(&folder)? {
        ask(&folder, wish, means, &run, addition)?
    } else {
        write_down(&folder, wish, means, &run, addition)?
    };
    Ok(Added { run: run.id.to_string(), phases, how, findings })
}

/// The phases as the roadmap has them now. Those of the run count as settled: nothing has to be asked for twice.
fn addition(
    root: &Path,
    wish: &Wish,
    folder: &Folder,
    run: &Unfinished,
    means: &Means,
) -> Result<(Addition, Vec<Finding>), Problem> {
    let roadmap = project::open(root)?;
    let mut project = project::read(root, &roadmap);
    let (settings, found) =
        crate::settings::read(&means.machine, &project.config, wish.settings.clone());
    project.findings.extend(found);
    HiddenChecks::attach(&settings, &means.machine, root, &mut project)?;
    journal_read::count_completed(&mut project, &journal_read::ledger(folder)?);
    let in_run = count_in_run(&mut project, &run.state);
    let outlook = outlook::make(&project, &wish.request, &settings)?;
    if outlook.schedule.order.is_empty() {
        let skipped = outlook.skipped.iter().map(|skipped| &skipped.id);
        return Err(nothing_new(skipped.filter(|id| in_run.contains(id)).collect()));
    }
    let addition = Addition {
        run: run.state.definition.run.clone(),
        command: wish.command.clone(),
        phases: begin::additions(&run.state, &project, &outlook),
    };
    Ok((addition, outlook.findings))
}

fn count_in_run(project: &mut Project<'_>, state: &RunState) -> Vec<PhaseId> {
    let mut in_run = Vec::new();
    for phase in &mut project.roadmap.phases {
        if state.phase(&phase.id).is_some() {
            phase.standing = Standing::Completed;
            in_run.push(phase.id.clone());
        }
    }
    in_run
}

fn is_going_on(folder: &Folder) -> Result<bool, Problem> {
    Ok(folder.holder().map_err(|error| error.problem())? != Occupancy::Free)
}

/// Puts the request down and waits a while for the run to take it. If the run ends instead, the request is taken back and what is
/// left of the run gets its phases directly.
fn ask(
    folder: &Folder,
    wish: &Wish,
    means: &Means,
    run: &Unfinished,
    addition: Addition,
) -> Result<Asked, Problem> {
    let name = format!("{:016}-{}", means.clock.now().0, std::process::id());
    let path = folder.inbox().join(format!("{name}.json"));
    inbox::put(folder, &name, &Request::Add(addition.clone())).map_err(|error| error.problem())?;
    let mut left = limits::ADD_WAIT_MAX;
    while path.exists() {
        if !is_going_on(folder)? {
            return write_down(folder, wish, means, run, addition);
        }
        let Some(less) = left.checked_sub(LOOK_AGAIN) else { return Ok(Asked::NotTakenYet) };
        left = less;
        means.clock.pause(LOOK_AGAIN);
    }
    let now = super::folded(folder, &run.id)?;
    let is_in = |state: &RunState| addition.phases.iter().all(|one| state.phase(&one.id).is_some());
    match now {
        Some(state) if is_in(&state) => Ok(Asked::TakenByTheRun),
        // It was taken and the run is put away since: the archive has it.
        None => Ok(Asked::TakenByTheRun),
        Some(_) => Err(of_refusal(Refused("the run did not take it".to_string()))),
    }
}

const LOOK_AGAIN: Duration = Duration::from_millis(50);

fn write_down(
    folder: &Folder,
    wish: &Wish,
    means: &Means,
    run: &Unfinished,
    addition: Addition,
) -> Result<Asked, Problem> {
    let lock = super::lock(folder, wish, means)?;
    // What was asked of a run that ended meanwhile must not wait for the next one.
    let asked = inbox::take::<Request>(folder, &lock).map_err(|error| error.problem())?;
    let is_ours = |request: &Request| request == &Request::Add(addition.clone());
    for one in asked.iter().filter(|one| one.content.as_ref().is_ok_and(is_ours)) {
        inbox::remove(folder, &lock, &one.name).map_err(|error| error.problem())?;
    }
    if !folder.journal(&run.id).exists() {
        return Err(no_run());
    }
    let resumed = Memory::resume(folder.clone(), lock, &run.id, Arc::clone(&means.clock));
    let (mut memory, _) = resumed.map_err(of_memory)?;
    let state = memory.state().map_err(of_memory)?;
    let events = admit(state, &Request::Add(addition)).map_err(of_refusal)?;
    for event in events {
        memory.note(event).map_err(of_memory)?;
    }
    memory.keep().map_err(of_memory)?;
    // state.json is a picture; that it stays behind is no reason to fail.
    let _ = memory.project(true);
    Ok(Asked::WrittenDown)
}

fn of_refusal(refused: Refused) -> Problem {
    Problem::usage(
        refused.to_string(),
        "a phase can join a run only where it can still be started in it",
        "see where the run stands: autopilot status. What is left can be run after it",
    )
}

fn nothing_new(in_run: Vec<&PhaseId>) -> Problem {
    let names: Vec<String> = in_run.iter().map(ToString::to_string).collect();
    let what = match names.as_slice() {
        [] => "nothing is left to add: what was asked for is completed".to_string(),
        [one] => format!("phase {one} is part of the run already"),
        _ => format!("phases {} are part of the run already", names.join(", ")),
    };
    Problem::usage(
        what,
        "only a phase that is new to the run can be added",
        "see its phases: autopilot status",
    )
}

fn no_run() -> Problem {
    Problem::usage(
        "there is no unfinished run",
        "phases are added to a run that is going on, was stopped, failed or crashed",
        "start one with them: autopilot run",
    )
}
