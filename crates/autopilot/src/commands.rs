//! One file a command. Each reads what it needs through the engine, lets core decide, and says the result through `Output`.

mod abandon;
pub(crate) mod acp_client;
mod add;
mod agents;
mod attach;
mod completions;
mod demo;
mod diff;
mod doctor;
mod eject;
mod errand;
mod init;
mod journal;
pub(crate) mod launch_child;
mod login_words;
mod logs;
pub(crate) mod man_pages;
mod merge;
mod new;
mod pause;
mod plan;
mod repair;
mod prove;
mod replay;
mod rollback;
mod run;
mod schema;
pub(crate) mod scripted_agent;
mod show;
mod status;
mod stop;
mod why;
mod worktrees;

use std::path::{Path, PathBuf};

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_engine::project;

use crate::arguments::{Arguments, Command, Ejectable};
use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Exit {
    let form = form_of(arguments);
    // These need no project, not even a folder to stand in.
    match &arguments.command {
        Some(Command::Demo(demo)) => return demo::run(demo, output),
        Some(Command::Schema { document }) => return schema::run(document, output),
        Some(Command::Completions { shell }) => return completions::run(*shell, output),
        _ => {}
    }
    let start = match start_folder(arguments.project.as_deref()) {
        Ok(start) => start,
        Err(problem) => return refuse(&problem, &[], form, output),
    };
    let root = project::root_of(&start);
    match &arguments.command {
        None => status::bare(&root, output),
        Some(Command::Plan(plan)) => plan::run(&root, plan, form, output),
        Some(Command::Status(arguments)) if arguments.watch => status::watch(&root, output),
        Some(Command::Status(_)) => status::run(&root, form, output),
        Some(Command::Eject { what: Ejectable::Prompts }) => eject::prompts(&root, output),
        Some(Command::Doctor(doctor)) if doctor.repair => repair::run(&root, output),
        Some(Command::Doctor(doctor)) => doctor::run(&root, doctor, form, output),
        Some(Command::Agents(agents)) => agents::run(&root, agents, form, output),
        Some(Command::Init(init)) => init::run(&start, &root, init, form, output),
        Some(Command::Do(arguments)) => errand::run(&start, &root, arguments, form, output),
        Some(Command::New(new)) => new::run(&start, &root, new, form, output),
        Some(Command::Run(arguments)) => run::run(&root, arguments, form, output),
        Some(Command::Resume(arguments)) => run::resume(&root, arguments, form, output),
        Some(Command::Attach) => attach::run(&root, output),
        Some(Command::Add(arguments)) => add::run(&root, arguments, output),
        Some(Command::Pause) => pause::run(&root, output),
        Some(Command::Stop(arguments)) => stop::run(&root, arguments, output),
        Some(Command::Abandon) => abandon::run(&root, output),
        Some(Command::Merge(arguments)) => merge::run(&root, arguments, form, output),
        Some(Command::Rollback(arguments)) => rollback::run(&root, arguments, form, output),
        Some(Command::Worktrees(arguments)) => worktrees::run(&root, arguments, form, output),
        Some(Command::Logs(arguments)) => logs::run(&root, arguments, output),
        Some(Command::Why) => why::run(&root, output),
        Some(Command::Journal(arguments)) => journal::run(&root, arguments, output),
        Some(Command::Prove(arguments)) => prove::run(&root, arguments, form, output),
        Some(Command::Show(arguments)) => show::run(&root, arguments, form, output),
        Some(Command::Diff(arguments)) => diff::run(&root, arguments, output),
        Some(Command::Replay(arguments)) => replay::run(&start, &root, arguments, form, output),
        Some(Command::Demo(_) | Command::Schema { .. } | Command::Completions { .. }) => {
            Exit::Success
        }
    }
}

/// Whether somebody reads the answer, or a program.
fn form_of(arguments: &Arguments) -> Form {
    Form::json_if(match &arguments.command {
        Some(Command::Plan(plan)) => plan.json,
        Some(Command::Status(status)) => status.json,
        Some(Command::Doctor(doctor)) => doctor.json,
        Some(Command::Agents(agents)) => agents.json,
        Some(Command::Init(init)) => init.json,
        Some(Command::Do(errand)) => errand.json,
        Some(Command::New(new)) => new.json,
        Some(Command::Run(run)) => run.json,
        Some(Command::Resume(resume)) => resume.json,
        Some(Command::Replay(replay)) => replay.json,
        Some(Command::Prove(prove)) => prove.json,
        Some(Command::Show(show)) => show.json,
        Some(Command::Merge(merge)) => merge.json,
        Some(Command::Rollback(rollback)) => rollback.json,
        Some(Command::Worktrees(worktrees)) => worktrees.json,
        _ => false,
    })
}

/// The folder the user stands in, or the one named by `-C`, as an absolute path.
fn start_folder(named: Option<&Path>) -> Result<PathBuf, Problem> {
    let current = std::env::current_dir().map_err(|error| {
        Problem::environment(
            format!("the current folder cannot be found: {error}"),
            "autopilot looks for the project from there",
            "change to a folder that exists, or name one with -C DIR",
        )
    })?;
    let folder = named.map_or_else(|| current.clone(), |named| current.join(named));
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(Problem::usage(
        format!("{} is no folder", folder.display()),
        "autopilot looks for the project from there",
        "name a folder that exists with -C DIR",
    ))
}
