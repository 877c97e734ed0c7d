//! `autopilot rollback`: takes phases of the last run back.

use std::path::Path;

use autopilot_core::documents::landing::RollbackDocument;
use autopilot_core::errand;
use autopilot_core::exit::Exit;
use autopilot_core::run::landing_words::phases_words;
use autopilot_engine::start::{self, RolledBack, Target, Wish};

use super::run::means;
use crate::arguments::RollbackArguments;
use crate::output::Output;
use crate::problem_text::{Form, refuse};

pub(super) fn run(
    root: &Path,
    arguments: &RollbackArguments,
    form: Form,
    output: &mut Output,
) -> Exit {
    let wish = Wish { command: "autopilot rollback".to_string(), ..Wish::default() };
    let target = match &arguments.phase {
        Some(phase) => {
            let with_dependents = arguments.with_dependents;
            Target::Phase { phase: phase.clone(), with_dependents }
        }
        None => Target::Run,
    };
    let merges = arguments.merge;
    match means().and_then(|means| start::roll_back(root, &target, merges, &wish, &means)) {
        Ok(rolled_back) => {
            match form {
                Form::Json => output.document(&document(&rolled_back)),
                Form::Text => {
                    said(&rolled_back, merges).iter().for_each(|line| output.say_wrapped(line));
                    // Whole, so that it can be copied.
                    output.say(&format!("bring it back: {}", bring_back(&rolled_back)));
                }
            }
            Exit::Success
        }
        Err(problem) => refuse(&problem, &[], form, output),
    }
}

fn said(rolled_back: &RolledBack, merges: bool) -> Vec<String> {
    let taken = &rolled_back.taken;
    let phases = phases_words(&taken.phases);
    let mut lines =
        vec![format!("{phases} taken back: {} is at {}", taken.branch, taken.commit.short())];
    match (&rolled_back.merged, taken.is_apart) {
        (Some(merged), _) => lines.push(super::merge::said(merged)),
        (None, true) => lines.push(format!(
            "your branch has the work still; take it back there: autopilot merge, or git merge {}",
            taken.branch
        )),
        (None, false) if merges => {
            lines.push("your branch did not have the work and is as it was".to_string());
        }
        (None, false) => {}
    }
    let again = match taken.phases.iter().all(errand::is_errand) {
        true => "what is to be done now: autopilot do \"TASK\"",
        false => "a later run does it again: autopilot run next",
    };
    lines.push(again.to_string());
    lines.push(format!("kept under {}", taken.rescue));
    lines
}

/// A branch of its own, so that nothing that is there is moved.
fn bring_back(rolled_back: &RolledBack) -> String {
    let names: Vec<String> = rolled_back.taken.phases.iter().map(ToString::to_string).collect();
    format!("git branch back-{} {}", names.join("-"), rolled_back.taken.rescue)
}

fn document(rolled_back: &RolledBack) -> RollbackDocument {
    let taken = &rolled_back.taken;
    RollbackDocument {
        run: rolled_back.run.clone(),
        phases: taken.phases.iter().map(ToString::to_string).collect(),
        branch: taken.branch.clone(),
        commit: taken.commit.to_string(),
        rescue: taken.rescue.clone(),
        bring_back: bring_back(rolled_back),
        was_merged: taken.is_apart,
        merged: rolled_back.merged.as_ref().map(super::merge::document),
    }
}
