//! `state.json`: the state of a run in the form other tools know it (STATE-1). A picture of the journal, never read back to decide
//! anything.

use std::collections::VecDeque;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::breaker::{self, Breaker};
use crate::run::effect::Effect;
use crate::run::event::Event;
use crate::run::files::post_mortem;
use crate::run::ids::Moment;
use crate::run::measured::Measured;
use crate::run::spending::{Spender, Spent};
use crate::run::state::{PhaseState, PhaseStatus, RunState, RunStatus};
use crate::run::work::{Stage, TaskOutcome};
use crate::run::work_summary::{TaskSummary, WorkSummary};

/// The newest events, as they are shown in the form of the sources' event log. They are put into that form when it is asked for:
/// of nearly all events nobody asks.
#[derive(Debug, Clone, Default)]
pub struct EventLog {
    newest: VecDeque<(Context, Event)>,
}

/// What an event belongs to.
#[derive(Debug, Clone)]
pub struct Context {
    at: Moment,
    phase: Option<PhaseId>,
    step: Option<&'static str>,
}

impl Context {
    /// `state` is the one before the event.
    pub fn of(state: Option<&RunState>, event: &Event, at: Moment) -> Context {
        let under_way = state.and_then(|state| state.in_flight.as_ref());
        let effect = match event {
            Event::StepStarted { effect, .. } => Some(effect),
            _ => under_way.map(|one| &one.effect),
        };
        let phase = effect.and_then(Effect::phase).cloned();
        Context { at, phase, step: effect.map(Effect::step) }
    }
}

impl EventLog {
    pub fn add(&mut self, context: Context, event: Event) {
        if self.newest.len() >= limits::EVENT_LOG_MAX {
            self.newest.pop_front();
        }
        self.newest.push_back((context, event));
    }
}

fn entry(context: &Context, event: &Event) -> Option<Value> {
    let Ok(Value::Object(mut details)) = serde_json::to_value(event) else { return None };
    details.remove("type");
    // An event that names its phase knows better than what is under way.
    let phase = details.get("phase").filter(|phase| phase.is_string()).cloned();
    Some(json!({
        "timestamp": iso(context.at),
        "phase": phase.or_else(|| Some(json!(context.phase.as_ref()?))),
        "step": context.step,
        "event": event.name(),
        "details": details,
    }))
}

/// The whole document. `journal_seq` is the number of the last event it has seen.
pub fn document<'a>(state: &'a RunState, log: &'a EventLog, journal_seq: u64) -> Document<'a> {
    Document { state, log, journal_seq }
}

/// Written phase by phase and event by event, for a long run's whole would be large.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    state: &'a RunState,
    log: &'a EventLog,
    journal_seq: u64,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let state = self.state;
        let spec = state.project.as_ref().and_then(|project| project.spec.as_ref());
        let spec = spec.map(|spec| {
            json!({ "path": spec.path, "hash": spec.hash, "locked_at": iso(state.started_at) })
        });
        let roadmap = state.project.as_ref().map(|project| &project.roadmap);
        let mut whole = serializer.serialize_map(None)?;
        whole.serialize_entry("_meta", &meta(state, self.journal_seq))?;
        whole.serialize_entry("spec", &spec)?;
        whole.serialize_entry("roadmap_path", &roadmap)?;
        whole.serialize_entry("phases", &Phases(state))?;
        whole.serialize_entry("circuit_breaker", &of_breaker(state))?;
        whole.serialize_entry("event_log", self.log)?;
        whole.serialize_entry("event_log_total", &state.events)?;
        whole.serialize_entry("metrics", &metrics(state))?;
        whole.end()
    }
}

struct Phases<'a>(&'a RunState);

impl Serialize for Phases<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let phases = self.0.phases.iter();
        serializer.collect_map(
            phases.map(|phase| (format!("phase_{}", phase.definition.id), of_phase(self.0, phase))),
        )
    }
}

impl Serialize for EventLog {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let newest = self.newest.iter();
        serializer.collect_seq(newest.filter_map(|(context, event)| entry(context, event)))
    }
}

fn meta(state: &RunState, journal_seq: u64) -> Value {
    json!({
        "version": "1.0",
        "run_id": state.definition.run,
        "started_at": iso(state.started_at),
        "last_checkpoint": iso(state.last_at),
        "status": status_word(&state.status),
        "total_phases": state.phases.len(),
        "current_phase": state.running().map(|phase| &phase.definition.id),
        "current_step": state.in_flight.as_ref().map(|one| one.effect.step()),
        "pass_threshold": state.definition.settings.threshold,
        "human_deferred_count": count(state, |status| matches!(status, PhaseStatus::Deferred { .. })),
        "total_phases_processed": count(state, PhaseStatus::is_over),
        "journal_seq": journal_seq,
    })
}

fn metrics(state: &RunState) -> Value {
    json!({
        "total_tokens_used": state.spend.counted_tokens(),
        "spend": state.spending.rows().map(of_spender).collect::<Vec<_>>(),
        "total_waited_minutes": state.clock.waited_ms / 60_000,
        "total_duration_minutes": state.last_at.milliseconds_since(state.started_at) / 60_000,
        "phases_completed": count(state, |status| matches!(status, PhaseStatus::Passed(_))),
        "phases_failed": count(state, |status| matches!(status, PhaseStatus::Failed(_))),
        "debug_loops_total": sum(state, |summary| summary.debug_attempts),
        "replan_count": sum(state, |summary| summary.replan_attempts),
    })
}

fn of_spender((who, spent): (&Spender, &Spent)) -> Value {
    json!({
        "step": who.role.name(),
        "agent": who.agent,
        "model": who.model,
        "attempts": spent.attempts,
        "input": spent.spend.input,
        "output": spent.spend.output,
        "cache_read": spent.spend.cache_read,
        "cache_write": spent.spend.cache_write,
        "usd_micros": spent.spend.usd_micros,
        "is_estimate": spent.spend.is_estimate,
    })
}

fn of_breaker(state: &RunState) -> Value {
    let work = state.running().and_then(|phase| phase.work.as_deref());
    let counters = work.map(|work| &work.counters);
    let last_error = counters.and_then(|counters| counters.last_error.as_ref());
    json!({
        "state": breaker::word(&state.breaker),
        "consecutive_no_progress": counters.map_or(0, |counters| counters.no_progress),
        "consecutive_same_error": counters.map_or(0, |counters| counters.same_error),
        "last_error": last_error.map(|error| &error.words),
        "cooldown_until": match &state.breaker {
            Breaker::Open { until, .. } => Some(iso(*until)),
            Breaker::Closed | Breaker::HalfOpen { .. } => None,
        },
    })
}

fn count(state: &RunState, is_it: impl Fn(&PhaseStatus) -> bool) -> usize {
    state.phases.iter().filter(|phase| is_it(&phase.status)).count()
}

fn sum(state: &RunState, of: impl Fn(&WorkSummary) -> u32) -> u32 {
    state.phases.iter().filter_map(PhaseState::work_summary).map(|summary| of(&summary)).sum()
}

/// The word of the sources for how a run stands.
pub fn status_word(status: &RunStatus) -> &'static str {
    match status {
        RunStatus::Running => "running",
        RunStatus::Paused(_) => "paused",
        RunStatus::Halted(_) => "failed",
        RunStatus::Completed(_) => "completed",
    }
}

fn of_phase(state: &RunState, phase: &PhaseState) -> Value {
    let (status, score) = match &phase.status {
        PhaseStatus::Waiting => ("not_started", None),
        PhaseStatus::Running => ("in_progress", None),
        PhaseStatus::Passed(result) => ("completed", result.score),
        PhaseStatus::Failed(_) => ("failed", None),
        PhaseStatus::Skipped { .. } => ("skipped", None),
        PhaseStatus::Deferred { .. } => ("needs_human_verification", None),
    };
    let summary = phase.work_summary();
    let summary = summary.as_deref();
    let count = |of: fn(&WorkSummary) -> u32| summary.map_or(0, of);
    json!({
        "phase_type": phase.definition.phase_type,
        "status": status,
        "alignment_score": score.or_else(|| summary.and_then(|summary| summary.score)),
        "started_at": summary.map(|summary| iso(summary.started_at)),
        "steps": summary.map(of_steps),
        "debug_attempts": count(|summary| summary.debug_attempts),
        "replan_attempts": count(|summary| summary.replan_attempts),
        "remediation_cycles": count(|summary| summary.remediation_cycles),
        "tokens_used": summary.map_or(0, |summary| summary.spend.counted_tokens()),
        "estimated_tokens": phase.definition.estimate_tokens,
        "diagnostic_path": phase.summary.diagnostic,
        "postmortem_path": match &phase.status {
            PhaseStatus::Failed(_) => {
                Some(format!(".autopilot/{}", post_mortem::file(&phase.definition.id)))
            }
            _ => None,
        },
        "human_verify_justification": match &phase.status {
            PhaseStatus::Deferred { why } => Some(why),
            _ => None,
        },
        "human_verdict": null,
        "rubber_stamp_suspect": state.stamps.suspects.contains(&phase.definition.id),
        "rejections": count(|summary| summary.checked.rejections()),
    })
}

fn of_steps(summary: &WorkSummary) -> Value {
    let tasks: Map<String, Value> = summary.tasks.iter().map(of_task).collect();
    let score = summary.score;
    json!({
        "preflight": { "status": if summary.is_open { "pass" } else { "pending" } },
        "triage": { "status": stage(&summary.triage) },
        "research": { "status": stage(&summary.research) },
        "plan": { "status": stage(&summary.planning), "validation_rounds": summary.plan_rounds },
        "plan_check": {
            "status": stage(&summary.plan_check),
            "confidence": summary.plan_check.done(),
        },
        "execute": { "tasks": tasks },
        "verify": {
            "status": summary.is_verified.map(|passes| if passes { "pass" } else { "fail" }),
            "automated": summary.evidence.as_deref().map(automated),
        },
        "judge": { "recommendation": summary.recommendation },
        "rate": { "alignment_score": score, "score_band": score.map(|score| score.band()) },
    })
}

fn of_task(task: &TaskSummary) -> (String, Value) {
    let (status, commit) = match &task.outcome {
        None => ("pending", None),
        Some(TaskOutcome::Done { commit }) => ("completed", commit.as_ref()),
        Some(TaskOutcome::Failed { .. }) => ("failed", None),
        Some(TaskOutcome::Skipped) => ("skipped", None),
    };
    let value = json!({ "status": status, "commit": commit, "retries": task.fixes });
    (task.id.to_string(), value)
}

fn automated(measured: &[Measured]) -> Value {
    let each = measured.iter().map(|one| (one.check.to_string(), json!(one.result.is_green())));
    Value::Object(each.collect())
}

fn stage<T>(stage: &Stage<T>) -> &'static str {
    match stage {
        Stage::Due => "pending",
        Stage::Skipped => "skipped",
        Stage::Done(_) => "completed",
    }
}

/// `2026-01-02T03:04:05Z`. Civil dates from days, after the proleptic Gregorian calendar.
pub fn iso(moment: Moment) -> String {
    let seconds = moment.0 / 1_000;
    let (days, left) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March have their leap day last, so that months have a regular length.
    let since = days + 719_468;
    let (era, day_of_era) = (since / 146_097, since % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (left / 3_600, left / 60 % 60, left % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_dates() {
        let check =
            |seconds: u64, expected: &str| assert_eq!(iso(Moment(seconds * 1_000)), expected);
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(1_767_323_045, "2026-01-02T03:04:05Z");
        check(4_107_542_399, "2100-02-28T23:59:59Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
    }
}
