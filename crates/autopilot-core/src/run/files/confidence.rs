//! What keeps a phase that passed from 9.0, and what to do about it (CHECK-15). Every item of the way there has a file, a deficiency
//! and a gain; where a reviewer named none, the nearest thing on record stands in for it.

use std::fmt::Write;

use crate::contract::returns::{Concern, CriterionScore, CriterionStatus};
use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::definition::RunSettings;
use crate::run::files::reports::{cell, measured_table, one_line};
use crate::run::gate::Verdict;
use crate::run::outcome::Passing;
use crate::run::state::PhaseState;
use crate::run::work::Work;
use crate::score::Score;

/// Below this a diagnostic is written, whatever the threshold of the run is.
const BAR: Score = match Score::from_tenths(90) {
    Some(score) => score,
    None => Score::FULL,
};

/// Where it lies below `.autopilot/`.
pub fn file(phase: &PhaseId) -> String {
    format!("diagnostics/phase-{phase}-confidence.md")
}

/// The score of a phase that passes and has no diagnostic yet, where it is low enough for one.
pub(in crate::run) fn is_due(work: &Work, score: Option<Score>) -> Option<Score> {
    score.filter(|score| *score < BAR && work.diagnostic.is_none())
}

pub fn document(phase: &PhaseState, settings: &RunSettings, score: Score) -> String {
    let mut text = format!("# Phase {} Confidence Diagnostic\n\n", phase.definition.id);
    let Some(work) = phase.work.as_deref() else { return text };
    add(&mut text, format_args!("**Score:** {score}/10\n"));
    add(&mut text, format_args!("**Threshold:** {}/10\n", settings.threshold));
    add(&mut text, format_args!("**Status:** {}\n", status(work, score)));
    concerns(&mut text, work);
    criteria(&mut text, work);
    text.push_str("\n## Automated Check Results\n\n");
    measured_table(&mut text, work.candidate.evidence.as_deref().unwrap_or_default());
    history(&mut text, work);
    way(&mut text, work, score);
    text
}

fn status(work: &Work, score: Score) -> String {
    match (&work.verdict, work.remediation_cycles) {
        (Some(Verdict::Pass { how: Passing::ForceIncomplete }), _) => {
            "force_incomplete".to_string()
        }
        (_, 0) => "passed".to_string(),
        (_, _) => format!("remediated_to_{score}"),
    }
}

fn judged(work: &Work) -> impl Iterator<Item = &Concern> {
    let candidate = &work.candidate;
    let judged = candidate.divergence.as_ref().or(candidate.judgement.as_ref());
    judged.into_iter().flat_map(|said| &said.concerns)
}

fn concerns(text: &mut String, work: &Work) {
    text.push_str("\n## Judge Concerns\n\n");
    let mut has_any = false;
    for concern in judged(work) {
        has_any = true;
        let file = concern.file.as_deref().map(|file| format!(" ({})", one_line(file)));
        let word = format!("{:?}", concern.severity).to_lowercase();
        let said = one_line(&concern.description);
        add(text, format_args!("- {word}: {said}{}\n", file.unwrap_or_default()));
    }
    if !has_any {
        text.push_str("None.\n");
    }
}

fn criteria(text: &mut String, work: &Work) {
    text.push_str("\n## Acceptance Criteria Status\n\n| criterion | status | evidence | gap |\n|---|---|---|---|\n");
    for result in work.candidate.verification.iter().flat_map(|said| &said.criteria_results) {
        let status = match result.status {
            CriterionStatus::Verified => "verified",
            CriterionStatus::Failed => "failed",
            CriterionStatus::NotVerified => "not verified",
        };
        let place = match (&result.file, result.line) {
            (Some(file), Some(line)) => format!("{}:{line} ", cell(file)),
            (Some(file), None) => format!("{} ", cell(file)),
            (None, _) => String::new(),
        };
        let rated = scorecard(work).iter().find(|entry| entry.criterion == result.criterion);
        let gap = rated.and_then(|entry| entry.deficiency.as_deref());
        let (criterion, evidence) = (cell(&result.criterion), cell(&result.evidence));
        let gap = gap.map_or_else(|| "-".to_string(), cell);
        add(text, format_args!("| {criterion} | {status} | {place}{evidence} | {gap} |\n"));
    }
}

fn history(text: &mut String, work: &Work) {
    text.push_str(
        "\n## Remediation History\n\n| cycle | score | checks | commit |\n|---|---|---|---|\n",
    );
    for rated in &work.rated {
        let checks = if rated.is_green { "green" } else { "not all green" };
        let (cycle, score, commit) = (rated.cycle, rated.score, rated.commit.short());
        add(text, format_args!("| {cycle} | {score} | {checks} | {commit} |\n"));
    }
}

fn scorecard(work: &Work) -> &[CriterionScore] {
    work.candidate.rating.as_ref().map(|said| said.scorecard.as_slice()).unwrap_or_default()
}

fn way(text: &mut String, work: &Work, score: Score) {
    add(text, format_args!("\n## Path to {BAR}/10\n\n"));
    let entries = scorecard(work);
    let rated = entries.iter().filter(|entry| entry.score < BAR).map(|entry| {
        let what = entry.deficiency.as_deref().unwrap_or(&entry.justification);
        let gain = format!(
            "{} of \"{}\" at {BAR} adds {} to the score",
            entry.score,
            one_line(&entry.criterion),
            share(entry.score, entries.len())
        );
        (file_of(work, entry), one_line(what), gain)
    });
    // What the rater has named already is not listed twice.
    let is_named = |concern: &&Concern| {
        let known = |entry: &CriterionScore| {
            entry.deficiency.as_deref() == Some(concern.description.as_str())
        };
        !entries.iter().any(known)
    };
    let missing = BAR.tenths().saturating_sub(score.tenths());
    let concerns = judged(work).filter(is_named).map(|concern| {
        let gain = match concern.expected_gain {
            Some(gain) => format!("the judge expects {gain} more"),
            None => format!("at most the {}.{} that is missing", missing / 10, missing % 10),
        };
        let file = concern.file.as_deref().map(one_line);
        let file = file.unwrap_or_else(|| planned_file(work));
        (file, one_line(&concern.description), gain)
    });
    let items = rated.chain(concerns).take(limits::PATH_ITEMS_MAX);
    let mut number = 0;
    for (file, deficiency, gain) in items {
        number += 1;
        add(text, format_args!("{number}. **{file}**: {deficiency} -- {gain}\n"));
    }
    if number == 0 {
        text.push_str("No reviewer said what is missing.\n");
    }
}

/// What one entry raised to the bar adds to the mean, in hundredths.
fn share(score: Score, entries: usize) -> String {
    let missing = usize::from(BAR.tenths().saturating_sub(score.tenths())) * 10;
    let hundredths = missing / entries.max(1);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// The file the rater named, else the one the verifier names for the same criterion, else a path in the evidence, else what the
/// plan was to change.
fn file_of(work: &Work, entry: &CriterionScore) -> String {
    let results = work.candidate.verification.iter().flat_map(|said| &said.criteria_results);
    let verified = results
        .filter(|result| result.criterion == entry.criterion)
        .find_map(|result| result.file.clone());
    let named = entry.file.clone().or(verified);
    let named =
        named.or_else(|| path_in(&entry.evidence)).or_else(|| path_in(&entry.justification));
    named.map_or_else(|| planned_file(work), |file| one_line(&file))
}

/// A word that looks like a path: it has an ending or a folder, and letters.
fn path_in(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || "()[]`'\",;".contains(c));
    let is_path = |word: &&str| {
        let has_form = word.contains('/') || word.trim_end_matches('.').contains('.');
        has_form && word.chars().any(char::is_alphabetic) && !word.contains("://")
    };
    words.map(|word| word.trim_end_matches(['.', ':'])).find(is_path).map(ToString::to_string)
}

fn planned_file(work: &Work) -> String {
    let planned = work.tasks.iter().flat_map(|task| &task.task.files).next();
    planned.map_or_else(|| "no file was named".to_string(), |file| one_line(file))
}

fn add(text: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = text.write_fmt(words);
}

#[cfg(test)]
#[path = "confidence_tests.rs"]
mod tests;
