//! Reads the arguments of `plan` by themselves. Scripts and editors ask for it all the time, and to put thirty other commands
//! together takes longer than to read most roadmaps. What is not understood here is read once more with all commands, which
//! also explain themselves.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::{Arguments, Command, PlanArguments};

#[derive(Parser)]
struct PlanAlone {
    #[arg(short = 'C', long = "project", global = true)]
    project: Option<PathBuf>,
    #[command(subcommand)]
    command: OneCommand,
}

#[derive(Subcommand)]
enum OneCommand {
    Plan(PlanArguments),
}

/// None unless it is `plan` that is asked for, with nothing wrong and without a question for help.
pub(crate) fn read(words: impl Iterator<Item = OsString> + Clone) -> Option<Arguments> {
    if !words.clone().any(|word| word == "plan") {
        return None;
    }
    let PlanAlone { project, command } = PlanAlone::try_parse_from(words).ok()?;
    let OneCommand::Plan(plan) = command;
    Some(Arguments { project, command: Some(Command::Plan(plan)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> impl Iterator<Item = OsString> + Clone {
        line.split(' ').map(OsString::from)
    }

    #[test]
    fn what_is_read_alone_is_read_the_same_among_all_commands() {
        for line in [
            "autopilot plan",
            "autopilot -C plan plan 3-7 --json",
            "autopilot plan --project=x all --graph --format dot",
            "autopilot plan --sequential next -C y",
            "autopilot plan -- run",
        ] {
            let alone = read(words(line)).map(|arguments| format!("{arguments:?}"));
            let among_all = Arguments::try_parse_from(words(line)).map(|all| format!("{all:?}"));
            assert_eq!(alone, among_all.ok(), "{line}");
            assert!(alone.is_some(), "{line}");
        }
    }

    #[test]
    fn whatever_else_is_asked_for_is_left_to_all_commands() {
        for line in [
            "autopilot",
            "autopilot status",
            "autopilot -C plan status",
            "autopilot run plan",
            "autopilot help plan",
            "autopilot plan --help",
            "autopilot --version plan",
            "autopilot plan --json --graph",
            "autopilot plan --no-such-flag",
        ] {
            assert!(read(words(line)).is_none(), "{line}");
        }
    }
}
