//! `autopilot doctor`: a line for everything a run needs, with the fix for what does not work.

use std::path::Path;

use autopilot_core::commands::Commands;
use autopilot_core::documents::doctor::{CheckDocument, CheckWord, DoctorDocument};
use autopilot_core::exit::Exit;
use autopilot_core::finding::printable;
use autopilot_core::limits;
use autopilot_engine::doctor::{self, BeforeTrying, Check, CheckState, Tried};
use autopilot_engine::machine::Machine;

use crate::arguments::DoctorArguments;
use crate::output::{self, BAD, BOLD, DIM, GOOD, Output, WARNING, styled};
use crate::problem_text::Form;
use crate::wrap::wrap;

pub(super) fn run(
    root: &Path,
    arguments: &DoctorArguments,
    form: Form,
    output: &mut Output,
) -> Exit {
    output::end_on_signals();
    let machine = Machine::of_this_process();
    let mut checks = Vec::new();
    let mut report = |found: Vec<Check>, output: &mut Output| {
        if form == Form::Text {
            for check in &found {
                show(check, output);
            }
        }
        checks.extend(found);
    };
    doctor::examine(&machine, root, |found| report(found, output));
    let (found, commands) = doctor::project(root);
    report(found, output);
    if let Some(commands) = commands.filter(|_| !arguments.quick) {
        try_commands(&machine, root, &commands, form, output, &mut report);
    }
    let exit = doctor::exit(&checks);
    match form {
        Form::Json => output.document(&document(&checks)),
        Form::Text => conclude(exit, &checks, output),
    }
    exit
}

fn try_commands(
    machine: &Machine,
    root: &Path,
    commands: &Commands,
    form: Form,
    output: &mut Output,
    report: &mut impl FnMut(Vec<Check>, &mut Output),
) {
    let before = BeforeTrying::look(machine, root);
    for (slot, command) in commands.iter() {
        if form == Form::Text {
            let minutes = limits::COMMAND_TRY_TIME_MAX.as_secs() / 60;
            output.remark(&format!(
                "         trying {}: {} (up to {minutes} min)",
                slot.word(),
                printable(&command.line)
            ));
        }
        let tried = doctor::try_command(machine, root, &command.line, limits::COMMAND_TRY_TIME_MAX);
        report(vec![tried.check(slot.word(), &command.line)], output);
        if let (Tried::Failed { tail, .. }, Form::Text) = (&tried, form) {
            for line in tail {
                output.say(&format!(
                    "{:INDENT$}| {}",
                    "",
                    crate::wrap::cut(line, output.width().saturating_sub(INDENT + 2))
                ));
            }
        }
    }
    report(before.leftovers(machine, root).into_iter().collect(), output);
}

const INDENT: usize = 22;

fn show(check: &Check, output: &mut Output) {
    let style = match (check.state, check.blocks_run) {
        (CheckState::Good, _) => GOOD,
        (_, true) => BAD,
        (CheckState::Missing, _) => DIM,
        (CheckState::Warning | CheckState::Broken, _) => WARNING,
    };
    let word = check.word();
    let lines = wrap(&printable(&check.detail), output.width().saturating_sub(INDENT), 0);
    for (index, line) in lines.iter().enumerate() {
        let head = match index {
            0 => format!(
                "{}{:pad$}{:13}",
                styled(style, word),
                "",
                check.topic,
                pad = 9 - word.len()
            ),
            _ => " ".repeat(INDENT),
        };
        output.say(&format!("{head}{line}"));
    }
    if let Some(fix) = &check.fix {
        for (index, line) in
            wrap(&printable(fix), output.width().saturating_sub(INDENT + 5), 0).iter().enumerate()
        {
            let label = if index == 0 { "fix:" } else { "" };
            output.say(&format!("{:INDENT$}{:5}{line}", "", label));
        }
    }
}

fn conclude(exit: Exit, checks: &[Check], output: &mut Output) {
    let blocking: Vec<&str> =
        checks.iter().filter(|check| check.blocks_run).map(|check| check.topic.as_str()).collect();
    output.say("");
    let is_missing = |check: &Check| check.topic == "roadmap" && check.state == CheckState::Missing;
    let next = match checks.iter().any(is_missing) {
        true => "Do one thing: autopilot do \"TASK\"",
        false => "What would run: autopilot plan",
    };
    match exit {
        Exit::Success => {
            output.say(&format!("{} {next}", styled(BOLD, "A run could start.")));
        }
        _ => output.say(&format!(
            "{} Mend first: {}",
            styled(BAD, "A run could not start."),
            blocking.join(", ")
        )),
    }
}

fn document(checks: &[Check]) -> DoctorDocument {
    let word = |state: CheckState| match state {
        CheckState::Good => CheckWord::Good,
        CheckState::Warning => CheckWord::Warning,
        CheckState::Missing => CheckWord::Missing,
        CheckState::Broken => CheckWord::Broken,
    };
    let row = |check: &Check| CheckDocument {
        topic: check.topic.clone(),
        state: word(check.state),
        detail: check.detail.clone(),
        fix: check.fix.clone(),
        blocks_run: check.blocks_run,
    };
    DoctorDocument {
        can_run: !checks.iter().any(|check| check.blocks_run),
        checks: checks.iter().map(row).collect(),
    }
}
