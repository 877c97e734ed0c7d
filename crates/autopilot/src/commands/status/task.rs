//! `autopilot status` where there is no roadmap and `autopilot do` did something: how the last task stands. What it did in detail is
//! told by `show`.

use std::path::Path;

use autopilot_core::documents::status::{StatusDocument, StatusWord};
use autopilot_core::exit::Exit;
use autopilot_core::finding::printable;
use autopilot_core::problem::Problem;
use autopilot_core::run::landing;
use autopilot_core::run::state::RunState;
use autopilot_engine::journal_read::{self, LastTask};

use crate::output::{DIM, Output, styled};
use crate::problem_text::Form;

/// None where no task was begun, for then nothing is known.
pub(super) fn run(root: &Path, form: Form, output: &mut Output) -> Result<Option<Exit>, Problem> {
    let Some(LastTask { state, is_given_up }) = journal_read::last_task(root)? else {
        return Ok(None);
    };
    let (ledger, run) = journal_read::standing(root)?;
    let document = StatusDocument::of_task(&state, &ledger, is_given_up).with_run(run);
    match form {
        Form::Json => output.document(&document),
        Form::Text => show(&state, &document, output),
    }
    Ok(Some(Exit::Success))
}

fn show(state: &RunState, document: &StatusDocument, output: &mut Output) {
    for row in &document.phases {
        let name = printable(&row.name);
        output.say_wrapped(&format!("Task {}: {name}", row.id));
        let score = row.score.map(|score| format!(", {score:.1}")).unwrap_or_default();
        let status = format!("{}{score}", row.status.words());
        output.say(&format!("  {}", styled(super::style(row.status), status)));
    }
    let is_done = document.phases.iter().all(|row| row.status == StatusWord::Completed);
    // What was merged before it was taken back is out of the user's branch only with one more merge.
    let is_apart = state.landing.taken_back.as_ref().is_some_and(|taken| taken.is_apart);
    let to_merge = landing::order(state).filter(|_| is_done || is_apart);
    output.say(&styled(DIM, format!("  run {}", state.definition.run)));
    if let Some(branch) = &state.branch {
        let user_branch = state.definition.user_branch.as_deref();
        let merged = match (user_branch, state.landing.has_landed(&branch.head)) {
            (Some(name), true) => format!(", merged into {name}"),
            (Some(name), false) if to_merge.is_some() => format!(", not merged into {name}"),
            (Some(_), false) | (None, _) => String::new(),
        };
        let line = format!("  branch {}{merged}", branch.name);
        output.say(&styled(DIM, line));
    }
    output.say("");
    if let Some(run) = &document.run {
        return super::show_run(run, output);
    }
    for row in &document.phases {
        let merge = to_merge.as_ref().map(|order| match is_done {
            true => format!(" Bring it to {}: autopilot merge.", order.branch),
            false => format!(" Take it back on {} too: autopilot merge.", order.branch),
        });
        output.say_wrapped(&format!(
            "What it did: autopilot show {}.{} The next one: autopilot do \"TASK\"",
            row.id,
            merge.unwrap_or_default()
        ));
    }
}
