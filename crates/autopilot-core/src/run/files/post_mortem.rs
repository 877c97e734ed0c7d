//! Why a phase failed, what led to it, what was measured and what was tried against it (OBS-2). For whoever looks into a failed
//! phase, and for the rule that later phases are told.

use crate::contract::Returned;
use crate::documents::post_mortem::{
    EvidenceDocument, FixDocument, PostMortemDocument, RootCause, TimelineEntry, TimelineStatus,
};
use crate::documents::trace::SpanStatus;
use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::definition::TaskKind;
use crate::run::effect::{Effect, Purpose};
use crate::run::event::Event;
use crate::run::files::reports::one_line;
use crate::run::files::trace::{Span, Trail, summary};
use crate::run::gate::Verdict;
use crate::run::ids::{Commit, Moment, TaskId};
use crate::run::learnings;
use crate::run::measured::{CheckName, CheckResult, Measured, reds};
use crate::run::outcome::PhaseFailure;
use crate::run::projection::iso;
use crate::run::state::{PhaseState, RunState};
use crate::run::work::{TaskOutcome, Work};

const VERSION: u32 = 1;

/// Where it lies below `.autopilot/`.
pub fn file(phase: &PhaseId) -> String {
    format!("diagnostics/phase-{phase}-postmortem.json")
}

/// What was tried against what was red: repairs of tasks, debug attempts and new plans.
#[derive(Debug, Clone, Default)]
pub struct Fixes {
    tried: Vec<Fix>,
    /// Red when the gate last asked for a repair.
    red: Vec<CheckName>,
}

#[derive(Debug, Clone)]
struct Fix {
    aim: Aim,
    description: String,
    commit: Option<Commit>,
    before: Vec<CheckName>,
    after: Vec<CheckName>,
}

/// What a fix was to mend: only what is measured of that says how it went.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Aim {
    Task(TaskId),
    Candidate,
    /// The candidate was measured after it; later measurements are of other work.
    Measured,
}

impl Fixes {
    pub(super) fn add(&mut self, state: &RunState, event: &Event) {
        let under_way = state.in_flight.as_ref().map(|one| &one.effect);
        match (event, under_way) {
            (Event::VerdictReached { verdict: Verdict::Debug { reds }, .. }, _) => {
                self.red.clone_from(reds);
            }
            (Event::DebugAttempt { .. }, _) => {
                let red = self.red.clone();
                self.open(Aim::Candidate, "debug: nothing was changed".to_string(), red);
            }
            (Event::TaskRetried { phase, task, why, .. }, _) => {
                let work = state.phase(phase).and_then(|phase| phase.work.as_deref());
                let red = work.and_then(|work| work.task(task)).map(|task| reds(&task.last_red));
                let words = format!("task {task} once more, {why}");
                self.open(Aim::Task(task.clone()), words, red.unwrap_or_default());
            }
            (Event::ReplanAttempt { .. }, _) => {
                let words = "the phase was planned anew".to_string();
                self.open(Aim::Candidate, words, Vec::new());
            }
            (Event::StepCompleted { returned: Returned::Debugging(said), .. }, _) => {
                if let Some(fix) = self.tried.last_mut() {
                    fix.description = format!("debug: {}", said.changes.join("; "));
                }
            }
            (Event::TaskCompleted { phase, task, commit, .. }, _) => {
                let work = state.phase(phase).and_then(|phase| phase.work.as_deref());
                let done = work.and_then(|work| work.task(task));
                let is_debug = done.is_some_and(|done| done.task.kind == TaskKind::Debug);
                let is_of = |fix: &&mut Fix| match &fix.aim {
                    Aim::Task(own) => own == task,
                    Aim::Candidate => is_debug,
                    Aim::Measured => false,
                };
                if let Some(fix) = self.tried.last_mut().filter(is_of) {
                    fix.commit.clone_from(commit);
                }
            }
            (Event::EvidenceMeasured { measured, .. }, Some(Effect::Measure(order))) => {
                self.measured(&order.purpose, measured);
            }
            _ => {}
        }
    }

    fn measured(&mut self, purpose: &Purpose, measured: &[Measured]) {
        let Some(fix) = self.tried.last_mut() else { return };
        match (&fix.aim, purpose) {
            (Aim::Task(own), Purpose::Task(task)) if own == task => fix.after = reds(measured),
            (Aim::Candidate, Purpose::Candidate) => {
                fix.after = reds(measured);
                fix.aim = Aim::Measured;
            }
            (Aim::Task(_) | Aim::Candidate | Aim::Measured, _) => {}
        }
    }

    fn open(&mut self, aim: Aim, description: String, before: Vec<CheckName>) {
        // Retries are bounded by the run, but their bound is a setting.
        if self.tried.len() >= limits::POST_MORTEM_ENTRIES_MAX {
            self.tried.remove(0);
        }
        // Until something is measured, nothing has become better.
        let after = before.clone();
        self.tried.push(Fix { aim, description, commit: None, before, after });
    }

    fn documents(&self) -> Vec<FixDocument> {
        let numbered = (1u32..).zip(&self.tried);
        let words = |names: Vec<&CheckName>| names.iter().map(ToString::to_string).collect();
        numbered
            .map(|(attempt, fix)| FixDocument {
                attempt,
                description: summary(&fix.description),
                commit_sha: fix.commit.as_ref().map(ToString::to_string),
                resolved: words(fix.before.iter().filter(|one| !fix.after.contains(one)).collect()),
                remaining: words(fix.after.iter().collect()),
            })
            .collect()
    }
}

/// `state` is the one before the phase was given up, which still has all facts.
pub fn document(
    state: &RunState,
    trail: &Trail,
    phase: &PhaseState,
    failure: &PhaseFailure,
    at: Moment,
) -> PostMortemDocument {
    let work = phase.work.as_deref();
    let red = work.map(learnings::red_at_the_end).unwrap_or_default();
    let went_wrong = |span: &&Span| span.status == SpanStatus::Failure;
    let first = trail.spans().find(went_wrong).map_or(at, |span| span.ended_at);
    PostMortemDocument {
        version: VERSION,
        run_id: state.definition.run.to_string(),
        phase_id: phase.definition.id.to_string(),
        phase_name: one_line(&phase.definition.name),
        timestamp: iso(at),
        status: "failed".to_string(),
        root_cause: RootCause {
            category: learnings::named(&failure.category).word().to_string(),
            description: one_line(&failure.reason),
            first_observed_at: iso(first),
            step: failure.step.clone(),
        },
        timeline: timeline(trail),
        evidence: work.map(evidence).unwrap_or_default(),
        attempted_fixes: trail.fixes.documents(),
        prevention_rule: learnings::rule(failure, &red),
    }
}

pub fn text(document: &PostMortemDocument) -> String {
    let text = serde_json::to_string_pretty(document).unwrap_or_default();
    format!("{text}\n")
}

/// The newest entries, and before them where it first went wrong.
fn timeline(trail: &Trail) -> Vec<TimelineEntry> {
    let is_told = |span: &&Span| span.status != SpanStatus::Skipped;
    let spans: Vec<&Span> = trail.spans().filter(is_told).collect();
    let first_wrong = spans.iter().position(|span| span.status == SpanStatus::Failure);
    let surplus = spans.len().saturating_sub(limits::TIMELINE_MAX);
    let kept = match first_wrong {
        Some(first) if first < surplus => {
            let newest = &spans[surplus + 1..];
            [&spans[first..=first], newest].concat()
        }
        _ => spans[surplus..].to_vec(),
    };
    kept.into_iter().map(entry).collect()
}

fn entry(span: &Span) -> TimelineEntry {
    TimelineEntry {
        timestamp: iso(span.ended_at),
        step: span.step.to_string(),
        event: span.output.clone(),
        status: match span.status {
            SpanStatus::Success => TimelineStatus::Success,
            SpanStatus::Skipped => TimelineStatus::Skipped,
            SpanStatus::Failure if span.is_partial => TimelineStatus::Partial,
            SpanStatus::Failure => TimelineStatus::Failure,
        },
    }
}

fn evidence(work: &Work) -> EvidenceDocument {
    let candidate = work.candidate.evidence.iter().flatten();
    let is_open =
        |outcome: &Option<TaskOutcome>| matches!(outcome, None | Some(TaskOutcome::Failed { .. }));
    let tasks = work.tasks.iter().filter(|task| is_open(&task.outcome));
    let measured = candidate.chain(tasks.flat_map(|task| &task.last_red));
    EvidenceDocument {
        commands_run: measured.map(command).take(limits::POST_MORTEM_ENTRIES_MAX).collect(),
        files_checked: files(work).into_iter().take(limits::POST_MORTEM_ENTRIES_MAX).collect(),
    }
}

fn command(measured: &Measured) -> String {
    let result = match measured.result {
        CheckResult::Green => "green".to_string(),
        CheckResult::Red { exit: Some(code) } => format!("red, exit {code}"),
        CheckResult::Red { exit: None } => "red, ended by a signal".to_string(),
        CheckResult::TimedOut => "timed out".to_string(),
        CheckResult::NotRun => "could not be started".to_string(),
        CheckResult::NoTests => "ran no test".to_string(),
    };
    let last = measured.tail.lines().rev().find(|line| !line.trim().is_empty());
    let said = match last.filter(|_| !measured.result.is_green()) {
        Some(line) => format!(": {line}"),
        None => String::new(),
    };
    summary(&format!("{} -> {result}{said}", measured.command))
}

fn files(work: &Work) -> Vec<String> {
    let candidate = &work.candidate;
    let verified = candidate.verification.iter().flat_map(|said| &said.failures);
    let failures = verified.filter_map(|one| Some((one.file.as_ref()?, one.description.as_str())));
    let rated = candidate.rating.iter().flat_map(|said| &said.scorecard);
    let missing = rated.filter_map(|one| Some((one.file.as_ref()?, one.deficiency.as_deref()?)));
    let judged = candidate.divergence.as_ref().or(candidate.judgement.as_ref());
    let concerns = judged.into_iter().flat_map(|said| &said.concerns);
    let concerns = concerns.filter_map(|one| Some((one.file.as_ref()?, one.description.as_str())));
    let all = failures.chain(missing).chain(concerns);
    all.map(|(file, what)| summary(&format!("{file} -- {what}"))).collect()
}

#[cfg(test)]
#[path = "post_mortem_tests.rs"]
mod tests;
