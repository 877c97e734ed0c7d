//! `autopilot merge`: moves the user's branch to a run's work.

use std::path::Path;

use autopilot_core::documents::landing::MergeDocument;
use autopilot_core::exit::Exit;
use autopilot_engine::start::{self, Merged, Wish};

use super::run::means;
use crate::arguments::MergeArguments;
use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(super) fn run(
    root: &Path,
    arguments: &MergeArguments,
    form: Form,
    output: &mut Output,
) -> Exit {
    let wish = Wish { command: "autopilot merge".to_string(), ..Wish::default() };
    let run = arguments.run.as_deref();
    match means().and_then(|means| start::merge(root, run, &wish, &means)) {
        Ok(merged) => {
            match form {
                Form::Json => output.document(&document(&merged)),
                Form::Text => output.say_wrapped(&said(&merged)),
            }
            Exit::Success
        }
        Err(problem) => refuse(&problem, &[], form, output),
    }
}

pub(super) fn said(merged: &Merged) -> String {
    let Merged { run, branch, commit, source } = merged;
    format!("{branch} is at {}, with all of {source} (run {run})", commit.short())
}

pub(super) fn document(merged: &Merged) -> MergeDocument {
    MergeDocument {
        run: merged.run.clone(),
        branch: merged.branch.clone(),
        commit: merged.commit.to_string(),
        source: merged.source.clone(),
    }
}
