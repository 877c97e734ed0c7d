//! Follows a recorded run with today's rules: every recorded fact is taken as it is, and at every point where something was decided
//! today's `next` is asked what it would decide. Each answer is for the run as it was recorded, so that one difference does not
//! bring others with it.

use serde_json::Value;

use crate::finding::printable;
use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::apply::comes_from_outside;
use crate::run::effect::Effect;
use crate::run::event::Event;
use crate::run::ids::{AttemptId, Moment};
use crate::run::next::Move;
use crate::run::projection::iso;
use crate::run::state::RunState;
use crate::run::{apply, next, words};

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replayed {
    /// Events that were followed.
    pub events: u64,
    /// Those of them that were decisions.
    pub decisions: u64,
    /// In the order of the journal, at most `limits::REPLAY_DIFFERENCES_MAX`.
    pub differences: Vec<Difference>,
    /// Differences beyond those.
    pub left_out: u64,
    /// The state after the last event that was followed.
    pub state: Option<RunState>,
}

/// A place where today's rules do something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The number of the event in the journal.
    pub number: u64,
    pub at: Moment,
    pub phase: Option<PhaseId>,
    /// In words.
    pub recorded: String,
    pub today: String,
    /// Where the decision is of the same kind: what is another in it.
    pub fields: Vec<Field>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// As in `effect.round`.
    pub path: String,
    pub recorded: String,
    pub today: String,
}

impl Replayed {
    pub fn is_same(&self) -> bool {
        self.differences.is_empty()
    }

    fn differs(&mut self, difference: Difference) {
        match self.differences.len() < limits::REPLAY_DIFFERENCES_MAX {
            true => self.differences.push(difference),
            false => self.left_out += 1,
        }
    }
}

/// The events of a journal from its beginning, each with its moment. Ends early at an event that today's rules refuse, which is
/// the last difference then.
pub fn replay<'a>(records: impl IntoIterator<Item = (Moment, &'a Event)>) -> Replayed {
    let mut replayed = Replayed::default();
    for (at, event) in records {
        let number = replayed.events;
        let before = replayed.state.take();
        let decided = before.as_ref().and_then(|state| decided(state, event, at));
        replayed.decisions += u64::from(decided.is_some());
        let phase = before.as_ref().and_then(|state| phase_of(state, event));
        let recorded =
            before.as_ref().map_or_else(|| event.name().to_string(), |state| told(state, event));
        let difference = before.as_ref().zip(decided).and_then(|(state, today)| {
            let (today, fields) = compared(state, event, &today)?;
            let (phase, recorded) = (phase.clone(), recorded.clone());
            Some(Difference { number, at, phase, recorded, today, fields })
        });
        match apply(before, event, at) {
            Ok(state) => replayed.state = Some(state),
            Err(illegal) => {
                let today = format!("refuse it: {}", illegal.why);
                let fields = Vec::new();
                replayed.differs(Difference { number, at, phase, recorded, today, fields });
                return replayed;
            }
        }
        replayed.events += 1;
        if let Some(difference) = difference {
            replayed.differs(difference);
        }
    }
    replayed
}

/// What today's rules decide where `event` was recorded; None where nothing was theirs to decide: a kill, a new start, somebody who
/// asks for something, and whatever becomes of an attempt that is under way.
fn decided(state: &RunState, event: &Event, at: Moment) -> Option<Move> {
    let is_lost = matches!(event, Event::AttemptLost { .. });
    if comes_from_outside(event) || is_lost || !state.is_read {
        return None;
    }
    match next(state, at) {
        Move::Wait { until: None, .. } => None,
        moved => Some(moved),
    }
}

/// None where both decided the same.
fn compared(state: &RunState, recorded: &Event, today: &Move) -> Option<(String, Vec<Field>)> {
    let today = match today {
        Move::Record(event) => event.clone(),
        Move::Start(effect) => {
            let attempt = AttemptId(state.attempts + 1);
            Event::StepStarted { attempt, effect: effect.clone() }
        }
        Move::Wait { until, why } => {
            let until = until.map(|at| format!(" until {}", iso(at))).unwrap_or_default();
            return Some((format!("wait{until}: {}", words::waiting_words(*why)), Vec::new()));
        }
        Move::Done => return Some(("nothing: the run stands still".to_string(), Vec::new())),
    };
    if &today == recorded {
        return None;
    }
    let fields = match today.name() == recorded.name() {
        true => differing_fields(recorded, &today),
        false => Vec::new(),
    };
    Some((told(state, &today), fields))
}

/// One line, also for those events that say nothing to somebody who watches a run.
fn told(state: &RunState, event: &Event) -> String {
    if let Event::StepStarted { effect, .. } = event {
        return start_words(effect);
    }
    let said = words::said(state, event).map(|said| said.text);
    let text = said.unwrap_or_else(|| event.name().replace('_', " "));
    printable(&clipped(&text))
}

fn start_words(effect: &Effect) -> String {
    let mut text = format!("start {}", effect.step());
    if let Some(task) = effect.task() {
        text.push_str(&format!(", task {task}"));
    }
    match effect {
        Effect::RunAgent(order) => text.push_str(&format!(", an agent, round {}", order.round)),
        Effect::Measure(order) => text.push_str(&format!(", {} checks", order.checks.len())),
        Effect::CommitTask(_) => text.push_str(", a commit"),
        Effect::ReadPlan { .. } => text.push_str(", the plan is read"),
        Effect::LookUp(_) => text.push_str(", the places a reviewer named"),
        Effect::OpenRun { .. }
        | Effect::OpenPhase { .. }
        | Effect::RollBack { .. }
        | Effect::ClosePhase { .. }
        | Effect::WriteDiagnostic { .. }
        | Effect::MergeRun(_)
        | Effect::TakeBack(_)
        | Effect::Report => {}
    }
    text
}

fn phase_of(state: &RunState, event: &Event) -> Option<PhaseId> {
    match event {
        Event::StepStarted { effect, .. } => effect.phase().cloned(),
        event => words::said(state, event).and_then(|said| said.phase),
    }
}

/// The first few values that are not the same.
fn differing_fields(recorded: &Event, today: &Event) -> Vec<Field> {
    let value = |event: &Event| serde_json::to_value(event).unwrap_or_default();
    let mut fields = Vec::new();
    collect("", &value(recorded), &value(today), &mut fields);
    fields
}

/// Stands for a field that is not there.
const NONE: Value = Value::Null;

fn collect(path: &str, recorded: &Value, today: &Value, fields: &mut Vec<Field>) {
    if recorded == today || fields.len() >= limits::REPLAY_FIELDS_MAX {
        return;
    }
    let below = |name: &str| match path {
        "" => name.to_string(),
        path => format!("{path}.{name}"),
    };
    match (recorded, today) {
        (Value::Object(one), Value::Object(other)) => {
            let added = other.keys().filter(|name| !one.contains_key(*name));
            for name in one.keys().chain(added) {
                let (a, b) = (one.get(name), other.get(name));
                collect(&below(name), a.unwrap_or(&NONE), b.unwrap_or(&NONE), fields);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (a, b)) in one.iter().zip(other).enumerate() {
                collect(&below(&index.to_string()), a, b, fields);
            }
        }
        (recorded, today) => {
            let words = |value: &Value| printable(&clipped(&value.to_string()));
            let path = path.to_string();
            fields.push(Field { path, recorded: words(recorded), today: words(today) });
        }
    }
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(limits::QUOTE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
