//! CHECK-12: every failure has one of the ten categories. One without is named in a warning.

use crate::contract::Category;
use crate::run::checks::{Found, Integrity, quoted};
use crate::run::pipeline::At;

pub(super) fn look(at: At<'_>) -> Vec<Found> {
    let is_known = |category: &Option<Category>| {
        category.as_ref().is_some_and(|one| !matches!(one, Category::Unclassified(_)))
    };
    let failures = at.work.candidate.verification.iter().flat_map(|said| &said.failures);
    let unknown = failures.filter(|failure| !is_known(&failure.category));
    let described = unknown.map(|failure| quoted(&failure.description));
    let words = at.work.checked.unclassified.iter().map(|word| quoted(word));
    let all: Vec<String> = described.chain(words).collect();
    let Some(first) = all.first() else { return Vec::new() };
    let more = match all.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let reason = format!("a failure without a known category: {first}{more}");
    vec![Found::Warned { check: Integrity::FailureCategory, reason }]
}
