//! What happened in one phase, span by span (OBS-1): one for every attempt and every decision, with when, how long, how it went
//! and what it cost. Made of events alone, so that a resumed run has the same trace; nothing is decided on it.

use std::collections::{BTreeMap, VecDeque};

use crate::contract::Returned;
use crate::documents::trace::{ActionWord, SpanDocument, SpanStatus};
use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::effect::Effect;
use crate::run::event::{Event, Skippable};
use crate::run::files::post_mortem::Fixes;
use crate::run::files::reports::one_line;
use crate::run::ids::{AttemptId, Moment, TaskId};
use crate::run::projection::iso;
use crate::run::state::{InFlight, RunState};
use crate::run::words::{self, Tone};

/// Decisions about the phase as a whole belong to no step of their own.
pub const PHASE_RUNNER: &str = "phase_runner";
/// All spans of a phase in their order.
pub const FILE: &str = "TRACE.jsonl";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub started_at: Moment,
    pub ended_at: Moment,
    pub step: &'static str,
    pub action: ActionWord,
    pub attempt: Option<AttemptId>,
    pub task: Option<TaskId>,
    pub input: String,
    pub output: String,
    pub status: SpanStatus,
    /// Of several checks some were green.
    pub is_partial: bool,
    pub tokens: u64,
}

/// The spans of the phase that is being worked on, or of the last one that was. Bounded: the oldest go first.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    phase: Option<PhaseId>,
    spans: VecDeque<Span>,
    pub(super) fixes: Fixes,
}

impl Trail {
    /// `state` is the one before the event.
    pub fn add(&mut self, state: Option<&RunState>, event: &Event, at: Moment) {
        if let Event::PhaseStarted { phase } = event {
            *self = Trail { phase: Some(phase.clone()), ..Trail::default() };
        }
        let Some(state) = state else { return };
        if self.phase.is_none() || !self.is_about(state, event) {
            return;
        }
        self.fixes.add(state, event);
        let Some(span) = span(state, event, at) else { return };
        if self.spans.len() >= limits::SPANS_MAX {
            self.spans.pop_front();
        }
        self.spans.push_back(span);
    }

    pub fn phase(&self) -> Option<&PhaseId> {
        self.phase.as_ref()
    }

    pub fn spans(&self) -> impl DoubleEndedIterator<Item = &Span> {
        self.spans.iter()
    }

    /// One line a span: all of them, and those of each step, by file name.
    pub fn files(&self) -> Vec<(String, String)> {
        let Some(phase) = &self.phase else { return Vec::new() };
        let (mut all, mut steps) = (String::new(), BTreeMap::<&str, String>::new());
        for span in &self.spans {
            let line = serde_json::to_string(&span.document(phase)).unwrap_or_default();
            let step = (span.step != PHASE_RUNNER).then(|| steps.entry(span.step).or_default());
            for text in [Some(&mut all), step].into_iter().flatten() {
                text.push_str(&line);
                text.push('\n');
            }
        }
        let steps = steps.into_iter().map(|(step, text)| (format!("{step}-trace.jsonl"), text));
        steps.chain([(FILE.to_string(), all)]).collect()
    }

    /// Whether it happened while the phase was worked on, and to it.
    fn is_about(&self, state: &RunState, event: &Event) -> bool {
        let is_start = matches!(event, Event::PhaseStarted { .. });
        let running = state.running().map(|phase| &phase.definition.id);
        is_start || (running.is_some() && running == self.phase.as_ref())
    }
}

impl Span {
    pub fn document(&self, phase: &PhaseId) -> SpanDocument {
        SpanDocument {
            timestamp: iso(self.started_at),
            ended_at: iso(self.ended_at),
            phase_id: phase.to_string(),
            step: self.step.to_string(),
            action: self.action,
            input_summary: self.input.clone(),
            output_summary: self.output.clone(),
            duration_ms: self.ended_at.milliseconds_since(self.started_at),
            status: self.status,
            attempt: self.attempt.map(|attempt| attempt.0),
            task: self.task.as_ref().map(ToString::to_string),
            tokens: self.tokens,
        }
    }
}

/// One line of at most so many characters, with a mark where it was cut.
pub fn summary(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(limits::SUMMARY_CHARS_MAX) {
        None => line,
        Some(_) => {
            let kept = line.chars().take(limits::SUMMARY_CHARS_MAX - 1);
            kept.chain(['…']).collect()
        }
    }
}

fn span(state: &RunState, event: &Event, at: Moment) -> Option<Span> {
    let said = words::said(state, event);
    match (event, &state.in_flight) {
        (
            Event::StepStarted { .. }
            | Event::AttemptSpawned { .. }
            | Event::AttemptQuiet { .. }
            | Event::TaskPlanned { .. },
            _,
        ) => None,
        (Event::RunResumed { .. } | Event::RunPaused { .. } | Event::StopRequested { .. }, _) => {
            None
        }
        (event, Some(under_way)) => {
            let output = said.as_ref().map_or("done", |said| said.text.as_str());
            let status = attempt_status(event, said.as_ref().map(|said| said.tone));
            // When a dead attempt ended nobody knows; what is known is when it was last heard of.
            let ended_at = match event {
                Event::AttemptLost { .. } => state.last_at,
                _ => at,
            };
            let is_partial = is_partial(event);
            let span = of_attempt(under_way, ended_at, output, status);
            Some(Span { is_partial, tokens: tokens(event), ..span })
        }
        (event, None) => Some(of_decision(event, at, &said?)),
    }
}

fn of_attempt(under_way: &InFlight, ended_at: Moment, output: &str, status: SpanStatus) -> Span {
    let effect = &under_way.effect;
    Span {
        started_at: under_way.started_at,
        ended_at,
        step: effect.step(),
        action: action(effect),
        attempt: Some(under_way.attempt),
        task: effect.task().cloned(),
        input: summary(&input(effect)),
        output: summary(output),
        status,
        is_partial: false,
        tokens: 0,
    }
}

fn of_decision(event: &Event, at: Moment, said: &words::Said) -> Span {
    let (step, input) = match event {
        Event::StepSkipped { step, .. } => (step_word(*step), "whether the step is needed"),
        Event::PhaseStarted { .. } => (PHASE_RUNNER, "the phase's turn has come"),
        Event::VerdictReached { .. } => (PHASE_RUNNER, "the gate"),
        _ => (PHASE_RUNNER, "what follows"),
    };
    Span {
        started_at: at,
        ended_at: at,
        step,
        action: ActionWord::Decision,
        attempt: None,
        task: match event {
            Event::TaskRetried { task, .. }
            | Event::TaskFailed { task, .. }
            | Event::TaskSkipped { task, .. } => Some(task.clone()),
            _ => None,
        },
        input: input.to_string(),
        output: summary(&said.text),
        status: match event {
            Event::StepSkipped { .. } | Event::TaskSkipped { .. } => SpanStatus::Skipped,
            _ => of_tone(said.tone),
        },
        is_partial: false,
        tokens: 0,
    }
}

fn of_tone(tone: Tone) -> SpanStatus {
    match tone {
        Tone::Title | Tone::Plain | Tone::Good => SpanStatus::Success,
        Tone::Warning | Tone::Bad => SpanStatus::Failure,
    }
}

/// A verifier that does its work well and says that the phase fails is where the failure was seen.
fn attempt_status(event: &Event, tone: Option<Tone>) -> SpanStatus {
    let verified = match event {
        Event::StepCompleted { returned: Returned::Verification(said), .. } => Some(said),
        Event::StepCompleted { returned: Returned::Review(said), .. } => Some(&said.verification),
        _ => None,
    };
    match verified {
        Some(said) if !said.pass => SpanStatus::Failure,
        _ => tone.map_or(SpanStatus::Success, of_tone),
    }
}

fn is_partial(event: &Event) -> bool {
    match event {
        Event::EvidenceMeasured { measured, .. } => {
            let green = measured.iter().filter(|one| one.result.is_green()).count();
            green > 0 && green < measured.len()
        }
        _ => false,
    }
}

fn tokens(event: &Event) -> u64 {
    match event {
        Event::StepCompleted { work, .. } | Event::StepFailed { work, .. } => {
            work.spend.counted_tokens()
        }
        Event::AttemptLost { spend: Some(spend), .. }
        | Event::AttemptCancelled { spend: Some(spend), .. } => spend.counted_tokens(),
        _ => 0,
    }
}

fn action(effect: &Effect) -> ActionWord {
    match effect {
        Effect::RunAgent(_) => ActionWord::AgentSpawn,
        Effect::Measure(_) => ActionWord::CommandRun,
        Effect::ReadPlan { .. } | Effect::LookUp(_) => ActionWord::FileRead,
        Effect::WriteDiagnostic { .. } | Effect::Report => ActionWord::FileWrite,
        Effect::OpenRun { .. }
        | Effect::OpenPhase { .. }
        | Effect::CommitTask(_)
        | Effect::RollBack { .. }
        | Effect::MergeRun(_)
        | Effect::TakeBack(_)
        | Effect::ClosePhase { .. } => ActionWord::ToolCall,
    }
}

/// What an attempt was about. Names of checks and never their commands: those may be hidden.
fn input(effect: &Effect) -> String {
    match effect {
        Effect::RunAgent(order) => {
            let task = order.task.as_ref().map(|task| format!(" of task {task}"));
            let (role, round, head) = (order.role.name(), order.round, order.head.short());
            format!("{role}{}, round {round}, on {head}", task.unwrap_or_default())
        }
        Effect::Measure(order) => {
            let names: Vec<String> = order.checks.iter().map(|one| one.name.to_string()).collect();
            let at = order.snapshot.as_ref().unwrap_or(&order.at);
            format!("{} on {}", names.join(", "), at.short())
        }
        Effect::OpenRun { base } | Effect::OpenPhase { base, .. } => {
            format!("a branch at {}", base.short())
        }
        Effect::ReadPlan { .. } => "the plans of the phase".to_string(),
        Effect::LookUp(order) => format!("{} places a reviewer named", order.places.len()),
        Effect::CommitTask(order) => format!("task {} on {}", order.task, order.parent.short()),
        Effect::RollBack { to, .. } => format!("back to {}", to.short()),
        Effect::ClosePhase { head, onto, .. } => {
            format!("{} onto {}", head.short(), onto.short())
        }
        Effect::WriteDiagnostic { score, .. } => format!("what keeps {score} from 9.0"),
        Effect::MergeRun(order) => format!("{} to {}", order.branch, order.to.short()),
        Effect::TakeBack(order) => format!("{} phases on {}", order.phases.len(), order.branch),
        Effect::Report => "the report of the run".to_string(),
    }
}

fn step_word(step: Skippable) -> &'static str {
    match step {
        Skippable::Triage => "triage",
        Skippable::Research => "research",
        Skippable::Plan => "plan",
        Skippable::PlanCheck => "plan_check",
        Skippable::Execute => "execute",
    }
}

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;
