//! GATE-4: what was red before the run and was accepted. A check whose failed tests all failed before, by name, speaks against nobody;
//! tests that fail no more are credited. Where a runner names no tests, or not all of them, nobody can tell what is new: the check stays
//! red, and where no repair turns it green a person decides about the phase.

use crate::run::checks::{Found, Integrity, quoted};
use crate::run::measured::{CheckName, CheckResult, Measured};
use crate::run::pipeline::At;
use crate::test_counts::TestCounts;

/// A check that was red before the run and still is.
#[derive(Debug, PartialEq, Eq)]
enum Red<'a> {
    /// The tests that fail still, and those that do no more.
    Known {
        still: Vec<&'a str>,
        fixed: Vec<&'a str>,
    },
    New,
    /// Nothing tells which tests failed.
    Nameless,
}

/// Checks that do not speak against the work, though they are red.
pub(in crate::run) fn excused(at: At<'_>) -> Vec<CheckName> {
    let known = reds(at).into_iter().filter(|(_, red)| matches!(red, Red::Known { .. }));
    known.map(|(check, _)| check).collect()
}

/// Why a person decides where nobody could mend these: of none of them can anybody tell whether its failures are new.
pub(in crate::run) fn undecidable(at: At<'_>, red: &[CheckName]) -> Option<String> {
    let nameless: Vec<CheckName> =
        reds(at).into_iter().filter(|(_, red)| *red == Red::Nameless).map(|one| one.0).collect();
    let is_all = !red.is_empty() && red.iter().all(|check| nameless.contains(check));
    let names: Vec<String> = red.iter().map(ToString::to_string).collect();
    is_all.then(|| {
        format!(
            "{} was red before the run and still is, and nothing names every test that failed: whether one of them is new a person \
             has to say",
            names.join(", ")
        )
    })
}

pub(super) fn look(at: At<'_>) -> Vec<Found> {
    let list = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        names.join(", ")
    };
    let told = reds(at).into_iter().filter_map(|(check, red)| match red {
        Red::Known { still, fixed } if fixed.is_empty() => {
            Some(format!("{check} is red as before the run: {}", list(&still)))
        }
        Red::Known { still, fixed } => Some(format!(
            "{check} is red as before the run: {}; mended: {}",
            list(&still),
            list(&fixed)
        )),
        Red::New | Red::Nameless => None,
    });
    let told: Vec<String> = told.chain(mended(at)).collect();
    match told.is_empty() {
        true => Vec::new(),
        false => vec![Found::Warned { check: Integrity::KnownRed, reason: told.join("; ") }],
    }
}

fn reds(at: At<'_>) -> Vec<(CheckName, Red<'_>)> {
    if !at.run.definition.settings.accepts_red {
        return Vec::new();
    }
    let before = at.run.baseline.as_deref().unwrap_or_default();
    let red = at.work.after().iter().filter(|one| is_red(one));
    let known = red.filter_map(|now| {
        let then = before.iter().find(|then| then.check == now.check && is_red(then))?;
        Some((now.check, compare(then, now)))
    });
    known.collect()
}

/// Checks that were red before the run and are green now.
fn mended(at: At<'_>) -> impl Iterator<Item = String> {
    let accepts = at.run.definition.settings.accepts_red;
    let before = at.run.baseline.iter().flatten().filter(move |one| accepts && is_red(one));
    let green = before.filter(move |then| {
        at.work.after().iter().any(|now| now.check == then.check && now.result.is_green())
    });
    green.map(|then| format!("{} was red before the run and is green", then.check))
}

/// One that did not run or did not end says nothing about tests.
fn is_red(one: &Measured) -> bool {
    matches!(one.result, CheckResult::Red { .. })
}

fn compare<'a>(then: &'a Measured, now: &'a Measured) -> Red<'a> {
    let (Some(before), Some(after)) = (names(then), names(now)) else { return Red::Nameless };
    let still = |name: &&&str| after.contains(*name);
    if after.iter().any(|name| !before.contains(name)) {
        return Red::New;
    }
    let (still, fixed) = before.iter().partition::<Vec<&str>, _>(|name| still(name));
    Red::Known { still, fixed }
}

/// Every failed test by name; None where one has none.
fn names(measured: &Measured) -> Option<Vec<&str>> {
    let TestCounts { failed, failed_names, .. } = measured.tests.as_ref()?;
    let is_all = *failed > 0 && usize::try_from(*failed).ok() == Some(failed_names.len());
    is_all.then(|| failed_names.iter().map(String::as_str).collect())
}

#[cfg(test)]
#[path = "known_red_tests.rs"]
mod tests;
