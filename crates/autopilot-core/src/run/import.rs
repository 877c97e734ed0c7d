//! What another program's `state.json` says about phases, as entries of our ledger (STATE-1). It is that program's word: every entry
//! is marked as imported. What cannot be understood is left out and told; nothing in the file is taken for a path or a command.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::contract::Category;
use crate::finding::{Finding, Findings, Severity, printable};
use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::ids::{Moment, RunId};
use crate::run::ledger::{Entry, Ledger, Outcome};
use crate::run::outcome::{Passing, PhaseFailure};
use crate::score::Score;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    pub entries: BTreeMap<PhaseId, Entry>,
    pub findings: Vec<Finding>,
}

/// `file` is where it lies, for messages.
pub fn read(file: &str, state: &Value) -> Imported {
    let mut findings = Findings::of_file(file.to_string());
    let mut entries = BTreeMap::new();
    let Some(phases) = state.get("phases").and_then(Value::as_object) else {
        findings.whole_file(Severity::Warning, "it has no phases; nothing is taken from it");
        return Imported { entries, findings: findings.into_list() };
    };
    let run = run_of(state);
    for (key, phase) in phases.iter().take(limits::IMPORTED_PHASES_MAX) {
        let named = key.strip_prefix("phase_").unwrap_or(key);
        let Ok(id) = named.parse::<PhaseId>() else {
            say(&mut findings, key, "is no phase");
            continue;
        };
        if entries.contains_key(&id) {
            say(&mut findings, key, "stands there twice; the first one counts");
            continue;
        }
        match entry(phase, &run) {
            Ok(Some((entry, remark))) => {
                if let Some(remark) = remark {
                    say(&mut findings, key, remark);
                }
                entries.insert(id, entry);
            }
            // Nothing has come of it yet.
            Ok(None) => {}
            Err(why) => say(&mut findings, key, &why),
        }
    }
    if phases.len() > limits::IMPORTED_PHASES_MAX {
        let max = limits::IMPORTED_PHASES_MAX;
        let many = format!("it has {} phases; the first {max} are looked at", phases.len());
        findings.whole_file(Severity::Warning, many);
    }
    Imported { entries, findings: findings.into_list() }
}

/// Puts entries into a ledger, except where it knows the phase already. How many were new is returned.
pub fn merge(ledger: &mut Ledger, imported: &Imported) -> usize {
    let before = ledger.phases.len();
    for (id, entry) in &imported.entries {
        ledger.phases.entry(id.clone()).or_insert_with(|| entry.clone());
    }
    ledger.phases.len() - before
}

fn say(findings: &mut Findings, key: &str, what: &str) {
    let key = printable(&clipped(key));
    findings.whole_file(Severity::Warning, format!("phases.{key} {what}"));
}

fn run_of(state: &Value) -> RunId {
    let named = state.pointer("/_meta/run_id").and_then(Value::as_str);
    let named = named.and_then(|name| name.parse().ok());
    named.or_else(|| "imported".parse().ok()).unwrap_or_else(|| unreachable!("it is well formed"))
}

type Remark = Option<&'static str>;

fn entry(phase: &Value, run: &RunId) -> Result<Option<(Entry, Remark)>, String> {
    let status = phase.get("status").and_then(Value::as_str).ok_or("has no status")?;
    let outcome = match status {
        "completed" => completed(phase),
        "failed" => failed(phase),
        "needs_human_verification" => deferred(phase),
        "not_started" | "pending" | "running" | "in_progress" | "skipped" | "blocked"
        | "split_request" => return Ok(None),
        other => {
            return Err(format!("has the status {}, which is unknown", printable(&clipped(other))));
        }
    };
    let (score, remark) = match score_of(phase) {
        Ok(score) => (score, None),
        Err(remark) => (None, Some(remark)),
    };
    let score = score.filter(|_| matches!(outcome, Outcome::Completed { .. }));
    let mut score_history = history(phase);
    score_history.extend(score.filter(|score| score_history.last() != Some(score)));
    let at = phase.get("completed_at").and_then(Value::as_str).and_then(moment);
    let at = at.unwrap_or(Moment(0));
    let (run, is_imported) = (run.clone(), true);
    Ok(Some((Entry { outcome, run, at, score, score_history, is_imported }, remark)))
}

fn completed(phase: &Value) -> Outcome {
    let is_short = phase.get("force_incomplete").and_then(Value::as_bool) == Some(true);
    // Whatever it was measured by, we have not seen it.
    let how = if is_short { Passing::ForceIncomplete } else { Passing::Judged };
    Outcome::Completed { how }
}

fn failed(phase: &Value) -> Outcome {
    let text = |name: &str| phase.get(name).and_then(Value::as_str).map(clipped);
    let category = text("failure_category").unwrap_or_else(|| "imported".to_string());
    let reason = text("failure_reason").or_else(|| text("last_error")).or_else(|| text("error"));
    Outcome::Failed {
        failure: PhaseFailure {
            category: Category::from_word(&category),
            step: text("current_step").unwrap_or_else(|| "imported".to_string()),
            reason: reason.unwrap_or_else(|| "another program said so".to_string()),
        },
    }
}

/// A person may have spoken since.
fn deferred(phase: &Value) -> Outcome {
    let verdict = phase.pointer("/human_verdict/verdict").and_then(Value::as_str);
    match verdict {
        Some("pass") => completed(phase),
        Some("fail") => failed(phase),
        Some(_) | None => {
            let why = phase.get("human_verify_justification");
            let why = why.map(|why| why.as_str().map_or_else(|| why.to_string(), str::to_string));
            let why = why.filter(|why| why != "null");
            let why = why.unwrap_or_else(|| "another program left it to a person".to_string());
            Outcome::Deferred { why: clipped(&why) }
        }
    }
}

/// Newer files have it at the phase, older ones where it was found.
const SCORES: [&str; 4] = [
    "/alignment_score",
    "/steps/rate/alignment_score",
    "/steps/verify/alignment_score",
    "/steps/judge/alignment",
];

fn score_of(phase: &Value) -> Result<Option<Score>, &'static str> {
    let found = SCORES.iter().find_map(|place| phase.pointer(place).filter(|it| !it.is_null()));
    let Some(found) = found else { return Ok(None) };
    Score::deserialize(found)
        .map(Some)
        .map_err(|_| "has a score that is none from 0.0 to 10.0; it is left out")
}

fn history(phase: &Value) -> Vec<Score> {
    let listed = phase.get("score_history").and_then(Value::as_array).into_iter().flatten();
    let read = |one: &Value| Score::deserialize(one.get("score").unwrap_or(one)).ok();
    listed.filter_map(read).take(limits::SCORE_HISTORY_MAX).collect()
}

fn clipped(text: &str) -> String {
    text.chars().take(limits::FIELD_CHARS_MAX).collect()
}

/// `2026-02-09T15:12:45Z`; fractions of a second and other zones are not needed to know which came later.
fn moment(text: &str) -> Option<Moment> {
    let (date, time) = text.get(..19)?.split_once('T')?;
    let numbers = |text: &str, divider: char| -> Option<[u64; 3]> {
        let mut parts = text.split(divider).map(|part| part.parse::<u64>().ok());
        Some([parts.next()??, parts.next()??, parts.next()??])
    };
    let ([year, month, day], [hour, minute, second]) = (numbers(date, '-')?, numbers(time, ':')?);
    let is_date = (1970..=9999).contains(&year) && (1..=12).contains(&month) && day > 0;
    if !is_date || day > 31 || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Years that begin in March have their leap day last.
    let (year, shifted) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * shifted + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = (era * 146_097 + day_of_era).checked_sub(719_468)?;
    Some(Moment((days * 86_400 + hour * 3_600 + minute * 60 + second) * 1_000))
}

#[cfg(test)]
#[path = "import_tests.rs"]
mod tests;
