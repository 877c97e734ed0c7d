//! `autopilot scripted-agent`, for autopilot itself: the process of the agent that plays a script.

use std::process::ExitCode;

use autopilot_agents::script::Occasion;
use autopilot_agents::scripted::{self, Part};
use clap::Parser;

use crate::arguments::ScriptedAgentArguments;
use crate::output::Output;

const SUBCOMMAND: &str = "scripted-agent";
/// A request that cannot be read is ours to mend, and no script's choice.
const USAGE: u8 = 2;

/// Plays if the first argument says so. The exit code is the script's choice, so it is none of EXIT-1.
pub(crate) fn if_asked(output: &mut Output) -> Option<ExitCode> {
    let mut asked = std::env::args_os().skip(1).peekable();
    if asked.peek()? != SUBCOMMAND {
        return None;
    }
    match ScriptedAgentArguments::try_parse_from(asked) {
        Ok(arguments) => Some(play(&arguments, output)),
        Err(error) => {
            output.remark(&error.to_string());
            Some(ExitCode::from(USAGE))
        }
    }
}

fn play(arguments: &ScriptedAgentArguments, output: &mut Output) -> ExitCode {
    let occasion = Occasion {
        phase: arguments.phase.clone(),
        step: arguments.step.clone(),
        task: arguments.task.clone(),
        round: arguments.round,
    };
    // The current folder is the workspace; an agent whose folder is gone fails with its first file.
    let workspace = std::env::current_dir().unwrap_or_default();
    let part = Part { script: arguments.script.clone(), occasion, workspace };
    ExitCode::from(scripted::play(&part, std::io::stdin(), &mut output.raw()))
}
