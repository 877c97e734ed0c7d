//! CHECK-18, measured: what tests expected before the phase holds for its work too. Files of data and helpers, and tests that compare
//! with other values or with none, are laid over the candidate as they were; if the tests fail then, the work does not do what it did,
//! and the tests were made to fit. A plan that names such a file asked for that, and it is told, unless its tests ask for less than
//! before. Otherwise the work is sent back once, and then a person decides: a plan is not always right about what a change takes.

use crate::contract::Role;
use crate::honesty::Expectation;
use crate::run::checks::{Found, Integrity, honest_change, quoted};
use crate::run::effect::{Effect, LaidOver, Measurement, Purpose};
use crate::run::measured::{CheckName, CheckResult, Measured};
use crate::run::next::Move;
use crate::run::pipeline::At;

/// The order to measure; None where nothing is to be measured, or it was. Where tests fail with what they rested on, all tests are
/// laid over as they were: new ones may need what is new, and those that were there may hold.
pub(in crate::run) fn order(at: At<'_>) -> Option<Move> {
    let candidate = &at.work.candidate;
    let difference = candidate.difference.as_ref()?;
    let files: Vec<String> = difference.expectations.iter().map(|one| one.file.clone()).collect();
    if files.is_empty() {
        return None;
    }
    match (&candidate.tests_before, &candidate.all_tests_before) {
        (None, _) => measure(at, Purpose::TestsBefore, files),
        (Some(seen), None) if has_red(seen).is_some() && difference.tests != files => {
            measure(at, Purpose::AllTestsBefore, difference.tests.clone())
        }
        (Some(_), _) => None,
    }
}

fn measure(at: At<'_>, purpose: Purpose, files: Vec<String>) -> Option<Move> {
    let mut checks = at.run.project.as_ref()?.checks.clone();
    checks.retain(|check| check.name == CheckName::Test && is_green(at, check.name));
    let laid_over = Some(LaidOver { from: at.work.base.clone(), files });
    (!checks.is_empty()).then(|| {
        let (phase, at) = (Some(at.phase.id.clone()), at.work.head.clone());
        let snapshot = None;
        Move::Start(Effect::Measure(Measurement {
            phase,
            purpose,
            at,
            snapshot,
            checks,
            laid_over,
        }))
    })
}

/// A check that is red anyway says nothing when something is laid over it.
fn is_green(at: At<'_>, check: CheckName) -> bool {
    at.work.after().iter().any(|one| one.check == check && one.result.is_green())
}

pub(super) fn look(at: At<'_>) -> Vec<Found> {
    let Some(red) = red(at) else { return Vec::new() };
    let check = Integrity::HonestChange;
    let (excused, rest): (Vec<&Expectation>, Vec<&Expectation>) =
        changed(at).partition(|one| is_excused(at, one));
    if rest.is_empty() {
        let files: Vec<String> = excused.into_iter().map(|one| name(&one.file)).collect();
        let reason = format!(
            "with {} as before the phase {} fails{}; the plan names what was changed",
            files.join(", "),
            red.check,
            failed(red)
        );
        return vec![Found::Warned { check, reason }];
    }
    if at.work.checked.is_again(Role::Execute) {
        // A person is asked instead, once everything else holds.
        return Vec::new();
    }
    vec![Found::Rejected { check, reasons: rest.into_iter().map(|one| words(one, red)).collect() }]
}

/// Why a person decides: it was sent back for this and came again.
pub(super) fn needs_person(at: At<'_>) -> Option<String> {
    let red = red(at)?;
    let rest: Vec<String> =
        changed(at).filter(|one| !is_excused(at, one)).map(|one| words(one, red)).collect();
    (!rest.is_empty()).then(|| rest.join("; "))
}

/// What was seen of the tests as they were, where it is red both times. One that did not end or could not be run says nothing: what
/// was laid over may not fit the rest.
fn red<'a>(at: At<'a>) -> Option<&'a Measured> {
    let candidate = &at.work.candidate;
    let red = has_red(candidate.tests_before.as_deref()?)?;
    match &candidate.all_tests_before {
        Some(all) => has_red(all),
        None => Some(red),
    }
}

fn has_red(measured: &[Measured]) -> Option<&Measured> {
    measured.iter().find(|one| matches!(one.result, CheckResult::Red { .. }))
}

fn changed<'a>(at: At<'a>) -> impl Iterator<Item = &'a Expectation> {
    at.work.candidate.difference.iter().flat_map(|one| &one.expectations)
}

/// The plan names the file, or no file at all; and its tests ask for as much as before.
fn is_excused(at: At<'_>, one: &Expectation) -> bool {
    let named = honest_change::named_files(at);
    let is_planned = named.is_empty() || named.contains(&*one.file);
    is_planned && one.weaker.is_none()
}

fn words(one: &Expectation, red: &Measured) -> String {
    let weaker = one.weaker.as_ref().map(|weaker| format!("; {weaker}")).unwrap_or_default();
    format!(
        "{}, {}, was changed{weaker}; as it was before the phase, {} fails on this work{}: what is asserted was weakened to fit the code",
        name(&one.file),
        one.kind.words(),
        red.check,
        failed(red)
    )
}

/// The tests that failed, where the runner names them.
fn failed(red: &Measured) -> String {
    let names = red.tests.iter().flat_map(|tests| &tests.failed_names);
    let names: Vec<String> = names.take(3).map(|one| quoted(one)).collect();
    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
}

fn name(file: &str) -> String {
    quoted(file).trim_matches('"').to_string()
}

#[cfg(test)]
#[path = "tests_before_tests.rs"]
mod tests;
