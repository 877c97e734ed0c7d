//! `autopilot replay`: what today's rules would have decided at every point of a recorded run. Only looks.

use std::path::Path;

use autopilot_core::documents::replay::ReplayDocument;
use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::projection::iso;
use autopilot_core::run::replay::{Difference, Replayed, replay};
use autopilot_engine::journal_file;
use autopilot_journal::Record;

use super::journal::of_run;
use crate::arguments::ReplayArguments;
use crate::output::{BOLD, DIM, Output, styled};
use crate::problem_text::{Form, labelled, refuse};

pub(super) fn run(
    start: &Path,
    root: &Path,
    arguments: &ReplayArguments,
    form: Form,
    output: &mut Output,
) -> Exit {
    let (run, records) = match records(start, root, arguments.run.as_deref()) {
        Ok(read) => read,
        Err(problem) => return refuse(&problem, &[], form, output),
    };
    let replayed = replay(records.iter().map(|record| (Moment(record.at), &record.event)));
    match form {
        Form::Json => output.document(&ReplayDocument::of(&run, &replayed)),
        Form::Text => show(&run, &replayed, output),
    }
    if replayed.is_same() { Exit::Success } else { Exit::Failed }
}

/// A file wins over a run: runs have names nobody gives to a file.
fn records(
    start: &Path,
    root: &Path,
    named: Option<&str>,
) -> Result<(String, Vec<Record<Event>>), Problem> {
    if let Some(path) = named.map(|name| start.join(name)).filter(|path| path.is_file()) {
        return journal_file::read(&path);
    }
    let (run, journal) = of_run(root, named)?;
    Ok((run.to_string(), journal.records))
}

fn show(run: &str, replayed: &Replayed, output: &mut Output) {
    let Replayed { events, decisions, differences, left_out, .. } = replayed;
    output.say(&format!("run {run}: {events} events, {decisions} of them decisions"));
    if differences.is_empty() {
        output.say("Today's rules decide the same everywhere.");
        return;
    }
    let count = differences.len() as u64 + left_out;
    let places = if count == 1 { "1 place".to_string() } else { format!("{count} places") };
    output.say(&format!("Today's rules do something else at {places}:"));
    for difference in differences {
        show_difference(difference, output);
    }
    if *left_out > 0 {
        output.say(&format!("\nand at {left_out} more"));
    }
}

fn show_difference(difference: &Difference, output: &mut Output) {
    let Difference { number, at, phase, recorded, today, fields } = difference;
    let phase = phase.as_ref().map(|phase| format!(", phase {phase}")).unwrap_or_default();
    output.say(&format!("\nevent {number}{phase}, {}", styled(DIM, iso(*at))));
    let mut lines = labelled("then:", BOLD, recorded, output.width().saturating_sub(2));
    lines.extend(labelled("today:", BOLD, today, output.width().saturating_sub(2)));
    for field in fields {
        let text = format!("{}: {}, today {}", field.path, field.recorded, field.today);
        lines.extend(labelled("", DIM, &text, output.width().saturating_sub(2)));
    }
    lines.iter().for_each(|line| output.say(&format!("  {line}")));
}
