//! `autopilot completions`: a script for the user's shell.

use autopilot_core::exit::Exit;
use clap_complete::Shell;

use crate::output::Output;

pub(super) fn run(shell: Shell, output: &mut Output) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(
        shell,
        &mut crate::arguments::command(output.width()),
        "autopilot",
        &mut script,
    );
    output.say_text(&String::from_utf8_lossy(&script));
    Exit::Success
}
