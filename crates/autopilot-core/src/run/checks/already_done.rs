//! CHECK-2, CHECK-6 and CHECK-8: tasks that are done and changed nothing say that the work was there already. That is believed
//! only with a place for every criterion at which the engine itself found the quoted words.

use crate::contract::returns::{CriterionResult, CriterionStatus};
use crate::run::checks::places::{Seen, place_of};
use crate::run::checks::{Found, Integrity, prose, quoted};
use crate::run::definition::TaskKind;
use crate::run::pipeline::At;
use crate::run::work::TaskOutcome;

pub(super) fn look(at: At<'_>) -> Vec<Found> {
    if !is_claimed(at) {
        return Vec::new();
    }
    let Some(said) = &at.work.candidate.verification else { return Vec::new() };
    let results = &said.criteria_results;
    let mut reasons = Vec::new();
    for (index, criterion) in at.phase.criteria.iter().enumerate() {
        let result = result_for(results, index, at.phase.criteria.len(), &criterion.text);
        if let Some(why) = shortcoming(at, result) {
            let of = quoted(&criterion.text);
            reasons.push(format!(
                "no task changed anything and the diff is empty, so the work would have been there already; for {of} {why}"
            ));
        }
    }
    if at.phase.criteria.is_empty() && !results.iter().any(|one| is_shown(at, one)) {
        reasons.push(
            "no task changed anything, and no file, line and words show that the work was there already"
                .to_string(),
        );
    }
    match reasons.is_empty() {
        true => Vec::new(),
        false => vec![Found::Rejected { check: Integrity::AlreadyDone, reasons }],
    }
}

/// Tasks were tried, also those that failed and that debugging changed nothing about, and the phase has no commit.
fn is_claimed(at: At<'_>) -> bool {
    let mut tasks = at.work.tasks.iter().filter(|task| task.task.kind == TaskKind::Auto);
    at.work.head == at.work.base && tasks.any(|task| was_tried(task.outcome.as_ref()))
}

fn was_tried(outcome: Option<&TaskOutcome>) -> bool {
    matches!(outcome, Some(TaskOutcome::Done { .. } | TaskOutcome::Failed { .. }))
}

/// By its words; where the list is complete, by its place too.
fn result_for<'a>(
    results: &'a [CriterionResult],
    index: usize,
    count: usize,
    text: &str,
) -> Option<&'a CriterionResult> {
    let words = prose::plain_words(text);
    let same = results.iter().find(|one| prose::plain_words(&one.criterion) == words);
    let by_place = (results.len() == count).then(|| results.get(index)).flatten();
    same.or(by_place)
}

/// What the evidence for a criterion lacks.
fn shortcoming(at: At<'_>, result: Option<&CriterionResult>) -> Option<String> {
    let Some(result) = result else {
        return Some("there is no result".to_string());
    };
    if result.status != CriterionStatus::Verified {
        return Some("the result is not `verified`".to_string());
    }
    let Some(place) = place_of(result) else {
        return Some("no file, line and words are named".to_string());
    };
    if place.line.is_none() || place.quote.is_none() {
        return Some("file, line and the words that stand there have to be named".to_string());
    }
    match at.work.candidate.seen(&place) {
        Some(Seen::There) => None,
        Some(seen) => Some(format!("{} {}", quoted(&place.file), seen.words())),
        None => Some("the place could not be looked up".to_string()),
    }
}

fn is_shown(at: At<'_>, result: &CriterionResult) -> bool {
    let place = place_of(result).filter(|place| place.line.is_some() && place.quote.is_some());
    place.is_some_and(|place| at.work.candidate.seen(&place) == Some(Seen::There))
}

#[cfg(test)]
#[path = "already_done_tests.rs"]
mod tests;
