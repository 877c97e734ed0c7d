//! `autopilot attach`: watches the run that is going on in another process. It only reads: leaving it leaves the run going.

use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_engine::journal_read;

use crate::arguments::LogsArguments;
use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(super) fn run(root: &Path, output: &mut Output) -> Exit {
    match journal_read::pulse(root) {
        Ok(pulse) if pulse.is_held => {}
        Ok(_) => return refuse(&nobody(), &[], Form::Text, output),
        Err(problem) => return refuse(&problem, &[], Form::Text, output),
    }
    output.remark("Ctrl-C leaves the run going; autopilot stop ends it.");
    super::logs::run(root, &LogsArguments { phase: None, step: None, follow: true }, output)
}

fn nobody() -> Problem {
    Problem::usage(
        "no run is going on in this project",
        "there is nothing to watch",
        "see what the last one did: autopilot logs",
    )
}
