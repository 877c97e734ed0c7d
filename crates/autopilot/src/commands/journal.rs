//! `autopilot journal show|verify|export|record`: the events of a run as they are on disk, and a script made of them.

use std::path::Path;

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::projection::iso;
use autopilot_engine::machine::Machine;
use autopilot_engine::{journal_read, recorder};
use autopilot_journal::{Folder, Journal, RunId, Tail};
use serde_json::json;

use super::logs::no_run;
use crate::arguments::{JournalArguments, JournalCommand};
use crate::output::{DIM, Output, styled};
use crate::problem_text::{Form, refuse};

pub(super) fn run(root: &Path, arguments: &JournalArguments, output: &mut Output) -> Exit {
    match shown(root, arguments, output) {
        Ok(()) => Exit::Success,
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}

fn shown(root: &Path, arguments: &JournalArguments, output: &mut Output) -> Result<(), Problem> {
    let (id, journal) = of_run(root, arguments.run.as_deref())?;
    match arguments.command {
        JournalCommand::Show => show(&journal, output),
        JournalCommand::Verify => return verify(&id, journal, output),
        JournalCommand::Record => return record(root, &journal, output),
        JournalCommand::Export => {
            for record in &journal.records {
                let line = json!({ "seq": record.seq, "at": record.at, "event": record.event });
                output.line_of_json(&line);
            }
        }
    }
    Ok(())
}

/// The run of that name, or the newest.
pub(super) fn of_run(root: &Path, name: Option<&str>) -> Result<(RunId, Journal<Event>), Problem> {
    let folder =
        Folder::find(root).map_err(|error| error.problem())?.ok_or_else(|| no_run(root))?;
    let Some(name) = name else {
        return journal_read::newest(&folder)?.ok_or_else(|| no_run(root));
    };
    let no_such_run = || {
        Problem::usage(
            format!("there is no run and no file called {name}"),
            "a run is known by the name of its journal",
            "see which there are: ls .autopilot/journal .autopilot/archive",
        )
    };
    let id = RunId::new(name).map_err(|_| no_such_run())?;
    if !folder.journal(&id).exists() && !folder.archived_journal(&id).exists() {
        return Err(no_such_run());
    }
    let journal = journal_read::journal(&folder, &id)?;
    Ok((id, journal))
}

fn show(journal: &Journal<Event>, output: &mut Output) {
    for record in &journal.records {
        let name = record.event.name();
        let Ok(mut event) = serde_json::to_value(&record.event) else { continue };
        event.as_object_mut().and_then(|fields| fields.remove("type"));
        let details: String = event.to_string().chars().take(output.width().max(60)).collect();
        let time = styled(DIM, iso(Moment(record.at)));
        let details = autopilot_core::finding::printable(&details);
        output.say(&format!("{:>5} {time} {name} {}", record.seq, styled(DIM, details)));
    }
}

/// Every hash was checked to read it; what is left is whether the events can have happened.
fn verify(id: &RunId, journal: Journal<Event>, output: &mut Output) -> Result<(), Problem> {
    let count = journal.records.len();
    let tail = journal.tail;
    journal_read::fold(journal.records)?;
    output.say(&format!("run {id}: {count} events, the chain is whole, every event fits"));
    if let Tail::Torn { bytes, at_line } = tail {
        output.say(&format!(
            "line {at_line} ({bytes} bytes) is half written and counts for nothing; resume cuts it"
        ));
    }
    Ok(())
}

fn record(root: &Path, journal: &Journal<Event>, output: &mut Output) -> Result<(), Problem> {
    let folder =
        Folder::find(root).map_err(|error| error.problem())?.ok_or_else(|| no_run(root))?;
    let machine = Machine::of_this_process();
    let recording = recorder::record(&machine, root, &folder, &journal.records)?;
    for remark in &recording.remarks {
        output.remark_wrapped(remark);
    }
    output.document_to_edit(&recording.script);
    Ok(())
}
