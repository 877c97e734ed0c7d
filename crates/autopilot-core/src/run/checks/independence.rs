//! CHECK-1 and CHECK-4: every step of the depth in force ran, as an attempt of its own, and none of them by an attempt that did the
//! work; and there is a score.

use crate::contract::Role;
use crate::contract::returns::Rating;
use crate::run::checks::{Found, Integrity, Reviewed};
use crate::run::ids::AttemptId;
use crate::run::pipeline::At;

/// Right after the rating: a scorecard without an entry is none.
pub(super) fn score(at: At<'_>) -> Vec<Found> {
    let rating = at.work.candidate.rating.as_ref();
    if rating.is_some_and(|rating| Rating::mean(rating).is_some()) {
        return Vec::new();
    }
    let reasons = vec!["the scorecard rates no criterion, so there is no score".to_string()];
    vec![Found::Rejected { check: Integrity::Independence, reasons }]
}

/// The first role whose return cannot count as a review of its own.
pub(super) fn look(at: At<'_>, roles: &[Role]) -> Option<(Role, Found)> {
    let reviewed = |role: Role| at.work.candidate.reviewed.get(&role);
    let attempts: Vec<(Role, Option<&Reviewed>)> =
        roles.iter().map(|role| (*role, reviewed(*role))).collect();
    for (index, (role, reviewed)) in attempts.iter().enumerate() {
        let before = attempts[..index].iter();
        let earlier: Vec<AttemptId> =
            before.filter_map(|(_, reviewed)| Some(reviewed.as_ref()?.attempt)).collect();
        let why = match reviewed {
            None => "nobody reviewed: an independent run of this step is asked for",
            Some(one) if at.work.checked.workers.contains(&one.attempt) => {
                "whoever did the work reviewed it: an independent run of this step is asked for"
            }
            Some(one) if earlier.contains(&one.attempt) => {
                "one run reviewed twice: an independent run of this step is asked for"
            }
            Some(_) => continue,
        };
        let reasons = vec![why.to_string()];
        return Some((*role, Found::Rejected { check: Integrity::Independence, reasons }));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::checks::fixture::{self, Scene};

    #[test]
    fn whoever_did_the_work_or_reviewed_already_does_not_review() {
        let roles = [Role::Verify, Role::Judge, Role::Rate];
        let check = |attempts: [Option<u32>; 3], expected: Option<(Role, &str)>| {
            let mut scene = Scene::new();
            scene.work.checked.workers.insert(AttemptId(1));
            for (role, attempt) in roles.into_iter().zip(attempts) {
                if let Some(attempt) = attempt {
                    let reviewed = Reviewed { attempt: AttemptId(attempt), took_ms: 1 };
                    scene.work.candidate.reviewed.insert(role, reviewed);
                }
            }
            let found =
                look(scene.at(), &roles).map(|(role, found)| (role, fixture::told(&[found])));
            let expected = expected.map(|(role, words)| (role, words.to_string()));
            let begins = |(role, told): &(Role, String), (due, words): &(Role, String)| {
                role == due && told.starts_with(&format!("rejected independence: {words}"))
            };
            match (&found, &expected) {
                (None, None) => {}
                (Some(found), Some(expected)) => assert!(begins(found, expected), "{found:?}"),
                _ => panic!("{attempts:?}: {found:?}"),
            }
        };
        check([Some(2), Some(3), Some(4)], None);
        check([Some(2), Some(1), Some(4)], Some((Role::Judge, "whoever did the work")));
        check([Some(2), Some(3), Some(2)], Some((Role::Rate, "one run reviewed twice")));
        check([None, Some(3), Some(4)], Some((Role::Verify, "nobody reviewed")));
    }
}
