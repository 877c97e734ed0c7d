//! `autopilot logs`: what happened in a run, in words, with times; `-f` goes on as it happens.

use std::path::Path;
use std::time::Duration;

use autopilot_core::exit::Exit;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::problem::Problem;
use autopilot_core::run::apply;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::projection::iso;
use autopilot_core::run::state::{RunState, RunStatus};
use autopilot_core::run::words;
use autopilot_engine::{journal_read, project};
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
    let folder = folder.ok_or_else(|| no_run(root))?;
    let (id, journal) = journal_read::newest(&folder)?.ok_or_else(|| no_run(root))?;
    let phase = arguments.phase.as_deref().map(|text| phase_of(text, &journal.records));
    let mut reader =
        Teller { state: None, phase: phase.transpose()?, step: arguments.step.as_deref() };
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

/// The phase that was typed, which must be one of the run: a word that fits nothing would show an empty log.
fn phase_of(text: &str, records: &[Record<Event>]) -> Result<PhaseId, Problem> {
    let of_run = records.iter().filter_map(|record| match &record.event {
        Event::PhaseRead { phase, .. } => Some(&phase.id),
        _ => None,
    });
    let of_run: Vec<&PhaseId> = of_run.collect();
    let typed: Option<PhaseId> = text.parse().ok();
    typed.filter(|id| of_run.contains(&id)).ok_or_else(|| {
        const SHOWN_MAX: usize = 20;
        let mut names: Vec<String> =
            of_run.iter().take(SHOWN_MAX).map(ToString::to_string).collect();
        if of_run.len() > SHOWN_MAX {
            names.push("…".to_string());
        }
        Problem::usage(
            format!("{text} is no phase of the newest run"),
            "the first word after logs keeps the lines of one phase",
            format!("name one of its phases: {}", names.join(", ")),
        )
    })
}

struct Teller<'a> {
    state: Option<RunState>,
    phase: Option<PhaseId>,
    step: Option<&'a str>,
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
        let fits_phase = self.phase.as_ref().is_none_or(|phase| Some(phase) == said.phase.as_ref());
        fits_phase && self.step.is_none_or(|step| begins_with_step(&said.text, step))
    }
}

/// `plan` is no beginning of `plan_check: …`.
fn begins_with_step(text: &str, step: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.strip_prefix(step).is_some_and(|rest| !rest.starts_with(is_part))
}

pub(super) fn no_run(root: &Path) -> Problem {
    Problem::usage(
        "there has been no run in this project",
        "a run's journal is what this command shows",
        project::first_step(root),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_matched_by_its_whole_name() {
        let check = |text: &str, step: &str, expected: bool| {
            assert_eq!(begins_with_step(text, step), expected, "{text} {step}");
        };
        check("plan: read 1 file, 1 task", "plan", true);
        check("plan_check: confidence 9.0", "plan", false);
        check("plan_check: confidence 9.0", "plan_check", true);
        check("gate: PASS", "g", false);
        check("research done", "research", true);
        check("merge", "merge", true);
    }
}
