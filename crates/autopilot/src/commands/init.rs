//! `autopilot init`: makes `.planning/` and shows what it wrote. Never overwrites; ends with the next command.

use std::path::{Path, PathBuf};

use autopilot_core::commands::Commands;
use autopilot_core::documents::FindingDocument;
use autopilot_core::documents::init::{InitDocument, TriedDocument};
use autopilot_core::exit::Exit;
use autopilot_core::finding::printable;
use autopilot_core::limits;
use autopilot_core::problem::Problem;
use autopilot_engine::doctor::{self, Tried};
use autopilot_engine::git::{Committed, Git};
use autopilot_engine::init::{self, Prepared, TriedCommand, Written};
use autopilot_engine::machine::Machine;

use crate::arguments::InitArguments;
use crate::output::{self, BOLD, GOOD, Output, WARNING, styled};
use crate::problem_text::{Form, finding_lines, refuse};
use crate::wrap::wrap;

pub(super) fn run(
    start: &Path,
    root: &Path,
    arguments: &InitArguments,
    form: Form,
    output: &mut Output,
) -> Exit {
    output::end_on_signals();
    let machine = Machine::of_this_process();
    let source = arguments.from.as_ref().map(|from| start.join(from));
    let prepared = match init::prepare(root, source.as_deref()) {
        Ok(prepared) => prepared,
        Err(refused) => return refuse(&refused.0, &refused.1, form, output),
    };
    let outcome = make(&machine, root, &prepared, arguments, form, output);
    match outcome {
        Ok(outcome) => {
            match form {
                Form::Json => output.document(&document(root, &prepared, &outcome)),
                Form::Text => show(root, &prepared, &outcome, output),
            }
            Exit::Success
        }
        Err(problem) => refuse(&problem, &prepared.findings, form, output),
    }
}

struct Outcome {
    tried: Vec<TriedCommand>,
    written: Written,
    commit: Option<String>,
}

fn make(
    machine: &Machine,
    root: &Path,
    prepared: &Prepared,
    arguments: &InitArguments,
    form: Form,
    output: &mut Output,
) -> Result<Outcome, Problem> {
    let git = if arguments.commit { Some(git_for_commit(machine, root)?) } else { None };
    let tried = try_commands(machine, root, &prepared.commands, arguments.no_try, form, output);
    let written = init::write(root, prepared, &tried)?;
    let commit = match git {
        None => None,
        Some(git) => commit(&git, root, &written)?,
    };
    Ok(Outcome { tried, written, commit })
}

/// The new files, and nothing else.
pub(super) fn commit(git: &Git, root: &Path, written: &Written) -> Result<Option<String>, Problem> {
    if written.new.is_empty() {
        return Ok(None);
    }
    let paths: Vec<PathBuf> = written.new.iter().map(PathBuf::from).collect();
    match git.commit_paths(root, &paths, "planning: start with autopilot") {
        Ok(Committed::As { short_id }) => Ok(Some(short_id)),
        Ok(Committed::NothingChanged) => Ok(None),
        Err(error) => Err(not_committed(&error.to_string(), error.fix(), written)),
    }
}

/// Whether a commit can be made is found out before anything is written.
pub(super) fn git_for_commit(machine: &Machine, root: &Path) -> Result<Git, Problem> {
    let why = "--commit was asked for, and nothing is written before it can be done";
    let git = Git::find(machine).map_err(|error| {
        Problem::environment(error.to_string(), why, "install git, or leave --commit out")
    })?;
    match git.repository(root) {
        Ok(
            autopilot_engine::git::Repository::Ready { .. }
            | autopilot_engine::git::Repository::NoCommit,
        ) => {}
        Ok(_) => {
            let what = format!("{} is no git repository with a working tree", root.display());
            return Err(Problem::environment(
                what,
                why,
                "make one: git init; or leave --commit out",
            ));
        }
        Err(error) => {
            return Err(Problem::environment(
                error.to_string(),
                why,
                error.fix().unwrap_or_else(|| "leave --commit out".to_string()),
            ));
        }
    }
    let identity = git.identity(root);
    identity
        .map_err(|error| {
            Problem::environment(error.to_string(), why, error.fix().unwrap_or_default())
        })
        .map(|_| git)
}

fn not_committed(error: &str, fix: Option<String>, written: &Written) -> Problem {
    Problem::environment(
        format!("the new files could not be committed: {error}"),
        format!("they are written and safe: {}", written.new.join(", ")),
        fix.unwrap_or_else(|| "commit them by hand: git add .planning && git commit".to_string()),
    )
}

fn try_commands(
    machine: &Machine,
    root: &Path,
    commands: &Commands,
    skip: bool,
    form: Form,
    output: &mut Output,
) -> Vec<TriedCommand> {
    let mut tried = Vec::new();
    for (slot, command) in commands.iter() {
        if form == Form::Text && !skip {
            let minutes = limits::COMMAND_TRY_TIME_MAX.as_secs() / 60;
            output.remark(&format!(
                "trying {}: {} (up to {minutes} min)",
                slot.word(),
                printable(&command.line)
            ));
        }
        let result = (!skip).then(|| {
            doctor::try_command(machine, root, &command.line, limits::COMMAND_TRY_TIME_MAX)
        });
        tried.push(TriedCommand {
            slot,
            line: command.line.clone(),
            source: command.source.clone(),
            tried: result,
        });
    }
    tried
}

fn words(tried: Option<&Tried>) -> (&'static str, String) {
    match tried {
        None => ("not_tried", "not tried".to_string()),
        Some(Tried::Passed { took }) => {
            ("passed", format!("passed in {:.1} s", took.as_secs_f64()))
        }
        Some(Tried::Failed { code, .. }) => {
            ("failed", format!("fails with exit code {code}; a run would ask you to mend it first"))
        }
        Some(Tried::CannotStart { why }) => {
            ("cannot_start", format!("left out: it cannot start, {why}"))
        }
        Some(Tried::TimedOut { time_max }) => {
            ("timed_out", format!("did not end within {} s", time_max.as_secs()))
        }
    }
}

fn show(root: &Path, prepared: &Prepared, outcome: &Outcome, output: &mut Output) {
    for line in finding_lines(&prepared.findings, output.width()) {
        output.remark(&line);
    }
    for command in &outcome.tried {
        let (_, detail) = words(command.tried.as_ref());
        let style =
            if matches!(command.tried, Some(Tried::Passed { .. })) { GOOD } else { WARNING };
        let text = format!("{}: {}", printable(&command.line), printable(&detail));
        for (index, line) in wrap(&text, output.width().saturating_sub(9), 0).iter().enumerate() {
            let head = if index == 0 { command.slot.word() } else { "" };
            output.say(&format!("{}{:pad$}{line}", styled(style, head), "", pad = 9 - head.len()));
        }
    }
    if !outcome.tried.is_empty() {
        output.say("");
    }
    output.say(&format!("In {}:", root.display()));
    for path in &outcome.written.new {
        output.say(&format!("  {} {path}", styled(GOOD, "wrote")));
    }
    for path in &outcome.written.kept {
        output.say(&format!("  kept  {path} (it was there)"));
    }
    if let Some(commit) = &outcome.commit {
        output.say(&format!("  committed as {commit}"));
    }
    if let Some(draft) = &prepared.draft {
        output.say("");
        output.say(&format!("Phases converted from {}:", draft.source.name()));
        for phase in &draft.phases {
            let line = phase.line.map(|line| format!("  (line {line})")).unwrap_or_default();
            output.say(&format!(
                "  {:>3}  {}{line}",
                phase.number.to_string(),
                printable(&phase.name)
            ));
        }
    } else if autopilot_engine::project::roadmap_path(root).is_none() {
        output.say("");
        output.say("There is no roadmap yet, and none was made up. To make one of what you have:");
        output
            .say("  autopilot init --from FILE   a prd.json, a plan, a task list, any check-list");
        output.say("Or let an agent draft one:");
        output.say("  autopilot new \"what you want\"");
    }
    output.say("");
    output.say(&format!("{} {}", styled(BOLD, "Next:"), next(root)));
}

fn next(root: &Path) -> &'static str {
    match autopilot_engine::project::roadmap_path(root) {
        Some(_) => "autopilot plan",
        None => "autopilot init --from FILE",
    }
}

fn document<'a>(root: &Path, prepared: &'a Prepared, outcome: &Outcome) -> InitDocument<'a> {
    let row = |command: &TriedCommand| {
        let (result, detail) = words(command.tried.as_ref());
        TriedDocument {
            slot: command.slot.word().to_string(),
            line: command.line.clone(),
            source: command.source.clone(),
            result: result.to_string(),
            detail,
        }
    };
    InitDocument {
        written: outcome.written.new.clone(),
        kept: outcome.written.kept.clone(),
        commands: outcome.tried.iter().map(row).collect(),
        phases: prepared.draft.as_ref().map_or(0, |draft| draft.phases.len()),
        commit: outcome.commit.clone(),
        next: next(root).to_string(),
        findings: prepared.findings.iter().map(FindingDocument::from).collect(),
    }
}
