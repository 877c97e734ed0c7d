//! `autopilot launch-child`, for autopilot itself: the small process between it and every child. Looked for before anything
//! else is set up, because it is started with every child.

use std::process::ExitCode;

use autopilot_engine::launcher;

use crate::output::Output;

/// Runs as a launcher if the first argument says so.
pub(crate) fn if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != launcher::SUBCOMMAND {
        return None;
    }
    let tell = |line: &str| Output::of_this_process().remark(line);
    let launched = launcher::launch(arguments, tell);
    Some(launched.unwrap_or_else(|error| {
        Output::of_this_process().remark(&error.to_string());
        error.exit_code()
    }))
}
