//! The command line of autopilot. Reads the arguments, hands over to one file a command, and ends with the exit code of EXIT-1.

mod arguments;
mod commands;
mod compact_json;
mod output;
mod problem_text;
mod table;
mod wrap;

use std::ffi::OsString;
use std::process::ExitCode;

use autopilot_core::exit::Exit;
use clap::FromArgMatches;

use crate::arguments::Arguments;
use crate::output::Output;

fn main() -> ExitCode {
    if let Some(exit) = commands::launch_child::if_asked() {
        return exit;
    }
    let mut output = Output::of_this_process();
    if let Some(exit) = commands::scripted_agent::if_asked(&mut output)
        .or_else(|| commands::acp_client::if_asked(&mut output))
        .or_else(|| commands::man_pages::if_asked(&mut output))
    {
        return exit;
    }
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    output::explain_panics();
    let words: Vec<OsString> = std::env::args_os().collect();
    let parsed = match arguments::plan_alone::read(words.iter().cloned()) {
        Some(arguments) => Ok(arguments),
        None => read_arguments(words, output.width()),
    };
    let run = || match parsed {
        Ok(arguments) => commands::run(&arguments, &mut output),
        Err(error) => problem_text::of_arguments(&error, wants_json, &mut output),
    };
    // A panic was explained where it happened; the exit code is one people know.
    let exit = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_or(Exit::Failed);
    if let Some(error) = output.failure() {
        output.remark(&format!("error: the result could not be written: {error}\nwhy:   what arrived may be cut short\nfix:   make room where it goes, and run the same command again"));
        return ExitCode::from(Exit::Environment.code());
    }
    ExitCode::from(exit.code())
}

fn read_arguments(words: Vec<OsString>, width: usize) -> Result<Arguments, clap::Error> {
    let mut command = arguments::command(width);
    let parsed = command.try_get_matches_from_mut(words);
    // Taking every command apart again would only take time.
    std::mem::forget(command);
    Arguments::from_arg_matches_mut(&mut parsed?)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        arguments::command(80).debug_assert();
        assert!(Arguments::try_parse_from(["autopilot", "plan", "3-7"]).is_ok());
    }
}
