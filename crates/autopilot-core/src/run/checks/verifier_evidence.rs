//! CHECK-10: a verifier runs commands and brings evidence of its own, at places that are really there, and takes its time while
//! something is only judged. Rejected once; the second time what the engine measured itself may stand in for it.

use crate::contract::Role;
use crate::contract::returns::{CriterionStatus, Verification};
use crate::run::checks::places::{Seen, place_of};
use crate::run::checks::{Found, Integrity, quoted};
use crate::run::pipeline::At;
use crate::run::review;
use crate::run::words::seconds;

pub(super) fn look(at: At<'_>, role: Role) -> Vec<Found> {
    let Some(said) = &at.work.candidate.verification else { return Vec::new() };
    [evidence(at, role, said), time(at, role)].concat()
}

fn evidence(at: At<'_>, role: Role, said: &Verification) -> Vec<Found> {
    let check = Integrity::VerifierEvidence;
    let reasons = shortcomings(at, said);
    let has_measured = at.work.candidate.evidence.as_ref().is_some_and(|all| !all.is_empty());
    let is_complete = has_measured && review::criteria_count(at).judged == 0;
    match reasons.is_empty() {
        true => Vec::new(),
        false if is_complete && at.work.checked.is_again(role) => {
            let reason = format!("{}; accepted, for everything was measured", reasons.join("; "));
            vec![Found::Warned { check, reason }]
        }
        false => vec![Found::Rejected { check, reasons }],
    }
}

fn shortcomings(at: At<'_>, said: &Verification) -> Vec<String> {
    let mut reasons = Vec::new();
    if !said.commands_run.iter().any(|line| !line.trim().is_empty()) {
        reasons.push("`commands_run` is empty: a verification runs commands".to_string());
    }
    let has_words = said.criteria_results.iter().any(|one| !one.evidence.trim().is_empty());
    if review::criteria_count(at).judged > 0 && !has_words {
        reasons.push(
            "`criteria_results` has no evidence, and a criterion has no command that could prove it"
                .to_string(),
        );
    }
    let verified = said.criteria_results.iter();
    let verified = verified.filter(|one| one.status == CriterionStatus::Verified);
    for place in verified.filter_map(place_of) {
        match at.work.candidate.seen(&place) {
            Some(Seen::There | Seen::NotText) | None => {}
            Some(seen) => {
                let line = place.line.map(|line| format!(", line {line},")).unwrap_or_default();
                reasons.push(format!("{}{line} {}", quoted(&place.file), seen.words()));
            }
        }
    }
    reasons
}

fn time(at: At<'_>, role: Role) -> Vec<Found> {
    let least_ms = at.run.definition.settings.verifier_time_min_ms;
    let took_ms = at.work.candidate.reviewed.get(&role).map(|one| one.took_ms);
    let Some(took_ms) = took_ms.filter(|took_ms| *took_ms < least_ms) else { return Vec::new() };
    let reason = format!("the verification took {}, under {}", seconds(took_ms), seconds(least_ms));
    let check = Integrity::VerifierTime;
    let is_judged = review::criteria_count(at).judged > 0;
    match is_judged && !at.work.checked.is_again(role) {
        true => vec![Found::Rejected { check, reasons: vec![reason] }],
        false => vec![Found::Warned { check, reason }],
    }
}

#[cfg(test)]
#[path = "verifier_evidence_tests.rs"]
mod tests;
