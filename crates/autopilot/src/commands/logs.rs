//! `autopilot logs`: what happened in a run, in words, with times; `-f` goes on as it happens.

use std::path::Path;
use std::time::Duration;

use autopilot_core::exit::Exit;
use autopilot_core::problem::Problem;
use autopilot_core::run::apply;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::projection::iso;
use autopilot_core::run::state::{RunState, RunStatus};
use autopilot_core::run::words;
use autopilot_engine::journal_read;
use autopilot_journal::{Folder, Follower, Record};

use crate::arguments::LogsArguments;
use crate::output::{DIM, Output, styled};
use crate::problem_text::{Form, refuse};

/// How long a look at a growing journal waits for the next.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

pub(super) fn run(root: &Path, arguments: &LogsArguments, output: &mut Output) -> Exit {
    match shown(root, arguments, output) {
        Ok(()) => Exit::Success,
        Err(problem) => refuse(&problem, &[], Form::Text, output),
    }
}

fn shown(root: &Path, arguments: &LogsArguments, output: &mut Output) -> Result<(), Problem> {
    let folder = Folder::find(root).map_err(|error| error.problem())?;
    let folder = folder.ok_or_else(no_run)?;
    let (id, journal) = journal_read::newest(&folder)?.ok_or_else(no_run)?;
    let mut reader = Teller { state: None, arguments };
    if !arguments.follow {
        return reader.tell(journal.records, output);
    }
    let mut follower = Follower::new(&folder, &id);
    loop {
        let records = follower.poll::<Event>().map_err(|error| error.problem())?;
        reader.tell(records, output)?;
        let is_over = reader.state.as_ref().is_none_or(|state| state.status != RunStatus::Running);
        if is_over || !folder.journal(&id).exists() {
            return Ok(());
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

struct Teller<'a> {
    state: Option<RunState>,
    arguments: &'a LogsArguments,
}

impl Teller<'_> {
    fn tell(&mut self, records: Vec<Record<Event>>, output: &mut Output) -> Result<(), Problem> {
        for record in records {
            let at = Moment(record.at);
            let said = self.state.as_ref().and_then(|state| words::said(state, &record.event));
            if let Some(said) = said.filter(|said| self.is_wanted(said)) {
                let phase = said.phase.as_ref().map(|phase| format!("[Phase {phase}] "));
                let text = autopilot_core::finding::printable(&said.text);
                let time = styled(DIM, iso(at));
                output.say(&format!("{time} {}{text}", phase.unwrap_or_default()));
            }
            let applied = apply(self.state.take(), &record.event, at);
            self.state = Some(applied.map_err(|error| {
                Problem::environment(
                    error.to_string(),
                    "the rest of the journal cannot be followed",
                    "see where it breaks: autopilot journal verify",
                )
            })?);
        }
        Ok(())
    }

    fn is_wanted(&self, said: &words::Said) -> bool {
        let phase = self.arguments.phase.as_ref().map(|text| text.parse().ok());
        let fits_phase = phase.is_none_or(|phase| phase == said.phase);
        let step = self.arguments.step.as_deref();
        fits_phase && step.is_none_or(|step| said.text.starts_with(step))
    }
}

pub(super) fn no_run() -> Problem {
    Problem::usage(
        "there has been no run in this project",
        "a run's journal is what this command shows",
        "start one: autopilot run next",
    )
}
