//! What was seen of a run: whether its phase passed, what was turned back on the way and in which words, and what the report and
//! the screen tell. Taken from the journal and the report; whether that is what a case asks for is `verdict`'s.

use std::path::Path;

use anyhow::{Context, Result, bail};
use autopilot_core::run::effect::{Effect, Purpose};
use autopilot_core::run::event::{Event, Failure};
use autopilot_core::run::gate::Verdict;
use autopilot_core::run::measured::{CheckResult, Measured};
use autopilot_core::run::outcome::Halt;
use autopilot_engine::journal_read;
use autopilot_journal::Folder;
use autopilot_testkit::built_command::Ended;

use super::case::Case;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) has_passed: bool,
    /// Somebody was asked to work.
    pub(super) has_worked: bool,
    /// What was turned back, in the words of whoever did it.
    pub(super) rejections: Vec<String>,
    /// Every statement of the report and of the screen.
    pub(super) told: Vec<String>,
}

impl Seen {
    /// Fails where the case could not be played as it is meant.
    pub(super) fn of(case: &Case, root: &Path, ended: &Ended) -> Result<Seen> {
        let said = || format!("{}{}", ended.stdout, ended.stderr);
        let folder = Folder::find(root).ok().flatten();
        let folder = folder.with_context(|| format!("no run began:\n{}", said()))?;
        let newest = journal_read::newest(&folder);
        let newest = newest.map_err(|problem| anyhow::anyhow!("{problem:?}"))?;
        let (_, journal) = newest.with_context(|| format!("no run began:\n{}", said()))?;
        let events: Vec<Event> = journal.records.into_iter().map(|record| record.event).collect();
        let mut seen = of_events(&events)?;
        let report = events.iter().find_map(|event| match event {
            Event::ReportWritten { path, .. } => Some(path),
            _ => None,
        });
        let report = report.map(|path| std::fs::read_to_string(root.join(path)));
        let report = report.transpose()?.unwrap_or_default();
        let lines = report.lines().chain(ended.stdout.lines());
        // What is repeated of the case says nothing about it.
        let own: Vec<&str> = case.words().collect();
        let is_own = |line: &&str| own.iter().any(|word| line.contains(word));
        seen.told = lines.filter(|line| !is_own(line)).flat_map(statements).collect();
        Ok(seen)
    }
}

fn of_events(events: &[Event]) -> Result<Seen> {
    let mut seen = Seen::default();
    let mut is_before = false;
    let mut red_before = Vec::new();
    for event in events {
        match event {
            Event::StepStarted { effect, .. } => {
                seen.has_worked |=
                    matches!(effect, Effect::RunAgent(order) if order.task.is_some());
                is_before = matches!(effect, Effect::Measure(order)
                    if matches!(order.purpose, Purpose::Baseline | Purpose::Triage) || !order.purpose.is_of_work());
            }
            // What holds before the work says nothing about it.
            Event::EvidenceMeasured { measured, .. } => {
                let list = if is_before { &mut red_before } else { &mut seen.rejections };
                list.extend(measured.iter().filter_map(red));
            }
            Event::StepFailed { failure, .. } => not_played(failure)?,
            Event::EffectFailed { what, .. } => bail!("autopilot could not do it: {what}"),
            Event::RunHalted { why: Halt::RedBaseline { .. } } => {
                bail!("before the work {}", red_before.join("\n"))
            }
            _ => seen.add(event),
        }
    }
    Ok(seen)
}

impl Seen {
    fn add(&mut self, event: &Event) {
        match event {
            Event::PhaseCompleted { .. } => self.has_passed = true,
            Event::ReturnRejected { reasons, .. } => {
                self.rejections.extend(reasons.iter().cloned())
            }
            Event::TaskRetried { why, .. } | Event::TaskFailed { why, .. } => {
                self.rejections.push(why.clone());
            }
            Event::PhaseFailed { failure, .. } => self.rejections.push(failure.reason.clone()),
            Event::PhaseDeferred { why, .. } => self.rejections.push(why.clone()),
            Event::VerdictReached { verdict, .. } => match verdict {
                Verdict::Pass { .. } => {}
                Verdict::Fail { reason, .. } => self.rejections.push(reason.clone()),
                Verdict::Defer { why } => self.rejections.push(why.clone()),
                Verdict::RollBack
                | Verdict::Debug { .. }
                | Verdict::Remediate
                | Verdict::Replan => {
                    self.rejections.push(format!("the verdict was {verdict:?}"));
                }
            },
            _ => {}
        }
    }
}

/// A check that is not green, with what it said.
fn red(one: &Measured) -> Option<String> {
    let result = match one.result {
        CheckResult::Green => return None,
        CheckResult::Red { .. } => "red",
        CheckResult::TimedOut => "not ended in time",
        CheckResult::NotRun => "not run",
        CheckResult::NoTests => "without a test that ran",
    };
    Some(format!("{} is {result}: {}\n{}", one.check, one.command, one.tail))
}

/// The script itself is at fault where the agent that plays it brings no answer.
fn not_played(failure: &Failure) -> Result<()> {
    bail!("the case could not be played: {}", failure.words())
}

/// A line may have several statements, each with the place it is about in front.
fn statements(line: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for part in line.split("; ") {
        let first = part.split_whitespace().next().unwrap_or_default();
        match all.last_mut() {
            Some(last) if !first.ends_with(':') => {
                last.push_str("; ");
                last.push_str(part);
            }
            _ => all.push(part.to_string()),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_begin_with_the_place_they_are_about() {
        let line = "- honesty: a.py:3: has 1 left; others hold always; b.py: is new";
        assert_eq!(
            statements(line),
            ["- honesty: a.py:3: has 1 left; others hold always", "b.py: is new"]
        );
        assert_eq!(statements("one; two"), ["one; two"]);
    }
}
