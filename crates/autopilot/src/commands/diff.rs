//! `autopilot diff`: what a phase changed, as git shows it. Only looks.

use std::io::Write;
use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_engine::git::Patch;
use autopilot_engine::show;

use super::run::means;
use crate::arguments::DiffArguments;
use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(super) fn run(root: &Path, arguments: &DiffArguments, output: &mut Output) -> Exit {
    let patch = if output.is_coloured() { Patch::Coloured } else { Patch::Plain };
    let found =
        means().and_then(|means| show::difference(root, arguments.phase.as_ref(), patch, &means));
    let difference = match found {
        Ok(difference) => difference,
        Err(problem) => return refuse(&problem, &[], Form::Text, output),
    };
    // A failure to write is told at the end, with all others.
    let _told = output.raw().write_all(&difference.patch);
    if !difference.is_whole {
        output.remark(&format!(
            "the rest is too long to be shown here; all of it: git diff {} {}",
            difference.base, difference.head
        ));
    }
    Exit::Success
}
