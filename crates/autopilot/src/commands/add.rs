//! `autopilot add`: more phases for the run that is not finished, whether it goes on or stands still.

use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_core::selection::Request;
use autopilot_engine::start::{self, Added, Asked, Wish};

use super::run::means;
use crate::arguments::AddArguments;
use crate::output::Output;
use crate::problem_text::{Form, finding_lines, refuse};

pub(super) fn run(root: &Path, arguments: &AddArguments, output: &mut Output) -> Exit {
    let words = arguments.phases.join(" ");
    let wish = Wish {
        request: Request {
            phases: arguments.phases.clone(),
            command: "autopilot add".to_string(),
            ..Request::default()
        },
        command: format!("autopilot add {words}"),
        ..Wish::default()
    };
    match means().and_then(|means| start::add(root, &wish, &means)) {
        Ok(added) => {
            for line in finding_lines(&added.findings, output.width()) {
                output.remark(&line);
            }
            output.say_wrapped(&said(&added));
            Exit::Success
        }
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}

fn said(added: &Added) -> String {
    let names: Vec<String> = added.phases.iter().map(ToString::to_string).collect();
    let (word, names) = (if names.len() == 1 { "phase" } else { "phases" }, names.join(", "));
    let run = &added.run;
    match added.how {
        Asked::TakenByTheRun => format!("{word} {names} added to run {run}, which is going on"),
        Asked::WrittenDown => {
            format!("{word} {names} added to run {run}; go on with it: autopilot resume")
        }
        Asked::NotTakenYet => {
            format!("run {run} was asked to add {word} {names}; it has not answered yet")
        }
    }
}
