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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::returns::Failure;
    use crate::run::checks::fixture::{Scene, told, verification};

    #[test]
    fn a_failure_without_one_of_the_ten_categories_is_named() {
        let check = |categories: &[Option<Category>], of_debuggers: &[&str], expected: &str| {
            let mut scene = Scene::new();
            let mut said = verification("seen");
            let failure = |category: &Option<Category>| Failure {
                description: "it fails".to_string(),
                category: category.clone(),
                file: None,
            };
            said.failures = categories.iter().map(failure).collect();
            scene.work.candidate.verification = Some(said);
            scene.work.checked.unclassified =
                of_debuggers.iter().map(ToString::to_string).collect();
            assert_eq!(told(&look(scene.at())), expected, "{categories:?} {of_debuggers:?}");
        };
        let known = Some(Category::LintFailure);
        let unknown = Some(Category::Unclassified("luck".to_string()));
        check(&[], &[], "");
        check(std::slice::from_ref(&known), &[], "");
        let one = "warned failure_category: a failure without a known category: \"it fails\"";
        check(&[known.clone(), None], &[], one);
        check(std::slice::from_ref(&unknown), &[], one);
        check(&[known, unknown], &["bad luck"], &format!("{one} and 1 more"));
    }
}
