//! `autopilot run` and `autopilot resume`: takes the selected phases through the pipeline, before the user's eyes.

use std::path::Path;
use std::sync::Arc;

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_core::run::files::completion;
use autopilot_core::run::state::{RunState, RunStatus};
use autopilot_core::selection::Request;
use autopilot_core::selection::flags::Flags;
use autopilot_engine::clock::WallClock;
use autopilot_engine::drive::{Changes, Drive, DriveError, StopSwitch};
use autopilot_engine::machine::Machine;
use autopilot_engine::memory::MemoryError;
use autopilot_engine::settings;
use autopilot_engine::start::{self, Means, Ready, RunFlags, Wish};
use autopilot_journal::{Folder, LockError, Occupancy};
use serde_json::Value;

use super::login_words::log_in_first;
use super::plan::settings_of;
use crate::arguments::{
    AgentArguments, AllowedArguments, ResumeArguments, RunArguments, RunnerArgument,
};
use crate::output::Output;
use crate::problem_text::{Form, finding_lines, refuse};

mod detach;
mod heartbeat;
mod screen;
mod signals;

use screen::Screen;
pub(super) use screen::activity_words;

pub(super) fn run(root: &Path, arguments: &RunArguments, form: Form, output: &mut Output) -> Exit {
    let wish = wish(arguments);
    if let Err(problem) = refuse_what_is_not_there(arguments) {
        return refuse(&problem, &[], form, output);
    }
    if arguments.dry_run {
        return super::plan::show_only(root, &arguments.selection, &arguments.phases, form, output);
    }
    if arguments.detach {
        return detach::run(root, output);
    }
    let is_same = |state: &RunState| is_bare(arguments) || state.definition.command == wish.command;
    begin(root, &wish, is_same, form, output)
}

/// A new run, or the unfinished one where that is the same (INV-7).
pub(super) fn begin(
    root: &Path,
    wish: &Wish,
    is_same: impl Fn(&RunState) -> bool,
    form: Form,
    output: &mut Output,
) -> Exit {
    let means = match means() {
        Ok(means) => means,
        Err(problem) => return refuse(&problem, &[], form, output),
    };
    if let Err(problem) = refuse_if_one_goes_on(root) {
        return refuse(&problem, &[], form, output);
    }
    match left_behind(root) {
        Ok(None) => {}
        Ok(Some(state)) if start::is_mended(root, &state, wish, &means) => {
            if let Err(problem) = super::abandon::abandoned(root) {
                return refuse(&problem, &[], form, output);
            }
        }
        Ok(Some(state)) if is_same(&state) => return take_up(root, wish, form, output),
        Ok(Some(state)) => return refuse(&another_run(&state, wish), &[], form, output),
        Err(problem) => return refuse(&problem, &[], form, output),
    }
    // What the last run completed counts, also if a kill kept it from saying so.
    match start::put_away(root, wish, &means).and_then(|_| start::begin(root, wish, &means)) {
        Ok(ready) => go(ready, None, &means, form, output),
        Err(problem) => refuse(&problem, &[], form, output),
    }
}

pub(super) fn resume(
    root: &Path,
    arguments: &ResumeArguments,
    form: Form,
    output: &mut Output,
) -> Exit {
    let mut settings: serde_json::Map<String, serde_json::Value> =
        agents_of(&arguments.agents).collect();
    if let Some(cost) = &arguments.max_cost {
        settings.insert("max_cost".to_string(), settings::amount(cost));
    }
    if arguments.no_fence {
        settings.insert("fence".to_string(), false.into());
    }
    let flags = RunFlags { merges: arguments.merge, ..RunFlags::default() };
    let command = "autopilot resume".to_string();
    let wish = Wish { command, flags, settings, ..Wish::default() };
    take_up(root, &wish, form, output)
}

fn take_up(root: &Path, wish: &Wish, form: Form, output: &mut Output) -> Exit {
    let means = match means() {
        Ok(means) => means,
        Err(problem) => return refuse(&problem, &[], form, output),
    };
    match start::put_away(root, wish, &means) {
        Ok(None) => {}
        Ok(Some(ended)) => return say_end(root, &ended, &means, form, output),
        Err(problem) => return refuse(&problem, &[], form, output),
    }
    match start::resume(root, wish, &means) {
        Ok((ready, changes)) => go(ready, Some(changes), &means, form, output),
        Err(problem) => refuse(&problem, &[], form, output),
    }
}

/// Drives a run until it stands still, and says how it ended.
pub(super) fn go(
    ready: Ready,
    resumed: Option<Changes>,
    means: &Means,
    form: Form,
    output: &mut Output,
) -> Exit {
    let Ready { mut memory, mut performer, told, findings, awake } = ready;
    let root = performer.ground.root.clone();
    let stop = Arc::new(StopSwitch::default());
    let signals = signals::watch(&stop);
    if form == Form::Text {
        for line in finding_lines(&findings, output.width()) {
            output.remark(&line);
        }
    }
    let mut screen = Screen::new(output, form).with(awake.as_ref());
    if let Ok(state) = memory.state() {
        let caps = resumed.as_ref().and_then(|changes| changes.caps);
        let caps = caps.unwrap_or_else(|| state.definition.settings.caps());
        screen.begin(state, resumed.is_some(), &caps, &performer.ground.fence.fencing());
        for one in &told {
            autopilot_engine::drive::Watch::happened(&mut screen, one, state);
        }
    }
    let mut drive =
        Drive { memory: &mut memory, performer: &mut performer, watch: &mut screen, stop: &stop };
    let went = match resumed {
        Some(changes) => drive.resume(changes).and_then(|()| drive.go()),
        None => drive.go(),
    };
    drop(awake);
    if let Err(error) = went {
        return refuse(&of_drive(error), &[], form, output);
    }
    let Ok(state) = memory.state().cloned() else { return Exit::Failed };
    if matches!(state.status, RunStatus::Completed(_))
        && let Err(error) = memory.archive()
    {
        output.remark(&format!("the finished run is not archived: {error}"));
    }
    if form == Form::Text {
        announce(&root, &state, means, output);
    }
    exit_of(&state, signals.seen())
}

/// Of a run that was killed between its last event and its archive: all that was left to do was to say how it ended.
fn say_end(root: &Path, state: &RunState, means: &Means, form: Form, output: &mut Output) -> Exit {
    if form == Form::Text {
        announce(root, state, means, output);
    }
    exit_of(state, None)
}

fn announce(root: &Path, state: &RunState, means: &Means, output: &mut Output) {
    output.say("");
    for line in completion::announcement(state, means.clock.now()) {
        output.say_wrapped(&line);
    }
    if let Some(line) = log_in_first(state) {
        output.say_wrapped(&line);
    }
    if state.definition.errand.is_some() {
        super::errand::show_result(root, state, means, output);
    }
}

fn exit_of(state: &RunState, signal: Option<Exit>) -> Exit {
    match &state.status {
        // All went well, but for what the user asked for at last.
        RunStatus::Completed(result) if state.landing.is_wanted => {
            let is_refused = state.landing.refused.is_some();
            let left = is_refused.then_some(Exit::NeedsPerson);
            Exit::strongest([result.exit()].into_iter().chain(left))
        }
        RunStatus::Completed(result) => result.exit(),
        RunStatus::Halted(why) => why.exit(),
        RunStatus::Paused(why) => signal.unwrap_or_else(|| why.exit()),
        RunStatus::Running => Exit::Failed,
    }
}

/// A run that goes on is not finished either, but nobody can take it up.
fn refuse_if_one_goes_on(root: &Path) -> Result<(), Problem> {
    let folder = Folder::find(root).map_err(|error| error.problem())?;
    let Some(folder) = folder else { return Ok(()) };
    match folder.holder().map_err(|error| error.problem())? {
        Occupancy::Free => Ok(()),
        Occupancy::Held(holder) => Err(LockError::Held(holder).problem()),
    }
}

/// The unfinished run of the project, without taking its lock.
fn left_behind(root: &Path) -> Result<Option<RunState>, Problem> {
    let folder = Folder::find(root).map_err(|error| error.problem())?;
    let Some(folder) = folder else { return Ok(None) };
    Ok(start::unfinished(&folder)?.map(|run| run.state))
}

/// No selection at all.
fn is_bare(arguments: &RunArguments) -> bool {
    let selection = &arguments.selection;
    arguments.phases.is_empty()
        && !selection.complete
        && selection.from.is_none()
        && selection.to.is_none()
}

fn another_run(state: &RunState, wish: &Wish) -> Problem {
    let run = &state.definition.run;
    let phases = match wish.request.phases.as_slice() {
        [] => "all".to_string(),
        words => words.join(" "),
    };
    // A single task takes no phases, and no run takes a single task.
    let add = match (&wish.errand, &state.definition.errand) {
        (None, None) => format!(" Give it these phases too: autopilot add {phases}."),
        _ => String::new(),
    };
    Problem::usage(
        format!("run {run} ({}) is not finished", state.definition.command),
        format!("{} is something else, and one run works on a project at a time", wish.command),
        format!(
            "go on with it: autopilot resume.{add} Give it up and keep what it did: autopilot abandon"
        ),
    )
}

/// What the command line knows and this version cannot do yet is said, not passed over.
fn refuse_what_is_not_there(arguments: &RunArguments) -> Result<(), Problem> {
    let selection = &arguments.selection;
    let flags = [
        (selection.force, "--force"),
        (selection.quality, "--quality"),
        (selection.gaps, "--gaps"),
        (selection.map, "--map"),
        (selection.jobs.is_some_and(|jobs| jobs > 1), "--jobs above 1"),
    ];
    match flags.into_iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, flag)) => Err(Problem::usage(
            format!("{flag} cannot be run yet"),
            "this version of autopilot runs phases forward, one at a time",
            "leave it out; autopilot plan shows what it would select",
        )),
    }
}

pub(super) fn means() -> Result<Means, Problem> {
    signals::outlive_file_size_limit();
    // The file may be replaced while a run goes on; what runs is still reached this way.
    let running = std::path::PathBuf::from("/proc/self/exe");
    let program = if running.exists() { Ok(running) } else { std::env::current_exe() };
    let program = program.map_err(|error| {
        Problem::environment(
            format!("autopilot cannot find its own program: {error}"),
            "it starts every child through itself",
            "run it by its full path",
        )
    })?;
    let clock = Arc::new(WallClock::default());
    Ok(Means { machine: Machine::of_this_process(), clock, program })
}

/// As settings.
pub(super) fn agents_of(arguments: &AgentArguments) -> impl Iterator<Item = (String, Value)> {
    let typed = [("agent", &arguments.agent), ("model", &arguments.model)];
    typed.into_iter().filter_map(|(name, typed)| Some((name.to_string(), typed.clone()?.into())))
}

fn wish(arguments: &RunArguments) -> Wish {
    let selection = &arguments.selection;
    let typed: Vec<String> = std::env::args().skip(1).filter(|word| word != "--json").collect();
    let mut settings = settings_of(selection);
    settings.extend(agents_of(&arguments.agents));
    settings.extend(fence_of(&arguments.allowed));
    if let Some(runner) = arguments.runner {
        let word = match runner {
            RunnerArgument::Steps => "steps",
            RunnerArgument::Delegate => "delegate",
        };
        settings.insert("runner".to_string(), word.into());
    }
    Wish {
        request: Request {
            phases: arguments.phases.clone(),
            from: selection.from.clone(),
            to: selection.to.clone(),
            flags: Flags { complete: selection.complete, ..Flags::default() },
            command: "autopilot run".to_string(),
        },
        flags: RunFlags { in_place: arguments.in_place, ..flags_of(&arguments.allowed) },
        settings,
        command: format!("autopilot {}", typed.join(" ")),
        ..Wish::default()
    }
}

pub(super) fn flags_of(arguments: &AllowedArguments) -> RunFlags {
    RunFlags {
        lenient: arguments.lenient,
        allows_dirty: arguments.allow_dirty,
        allows_unproven: arguments.allow_unproven,
        accepts_red: arguments.accept_red,
        accepts_judged: arguments.accept_judged,
        merges: arguments.merge,
        in_place: false,
    }
}

/// As a setting, where it is switched off.
pub(super) fn fence_of(arguments: &AllowedArguments) -> Option<(String, Value)> {
    arguments.no_fence.then(|| ("fence".to_string(), false.into()))
}

fn of_drive(error: DriveError) -> Problem {
    match error {
        DriveError::Memory(MemoryError::Journal(error)) => error.problem(),
        DriveError::Memory(_) | DriveError::NothingUnderWay => Problem::environment(
            error.to_string(),
            "autopilot broke a promise of its own and stopped; the journal is whole",
            "go on with autopilot resume, and please report it with .autopilot/journal",
        ),
    }
}
