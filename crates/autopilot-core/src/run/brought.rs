//! Checks that a phase itself brings, as the first phase of an empty repository does (GATE-6). They are measured like any other, and
//! red is red. As proof they count only when they ran at least one test and notice that the phase's own code is taken away: a test
//! that holds without it says nothing about it.

use crate::run::effect::{Effect, LaidOver, Measurement, Purpose};
use crate::run::measured::{CheckName, CheckResult, Measured};
use crate::run::next::Move;
use crate::run::pipeline::At;

/// What is to be measured of checks that the phase brought; None where there are none, or all is known.
pub(super) fn order(at: At<'_>) -> Option<Move> {
    let candidate = &at.work.candidate;
    let difference = candidate.difference.as_ref()?;
    if difference.brought.is_empty() {
        return None;
    }
    if candidate.brought.is_none() {
        return Some(at.measure(Purpose::Brought, difference.brought.clone()));
    }
    let is_asked = candidate.without_work.is_none()
        && !difference.sources.is_empty()
        && at.work.after().iter().any(|one| is_brought(at, one) && has_run(one));
    let mut checks = difference.brought.clone();
    checks.retain(|check| check.name == CheckName::Test);
    (is_asked && !checks.is_empty()).then(|| {
        Move::Start(Effect::Measure(Measurement {
            phase: Some(at.phase.id.clone()),
            purpose: Purpose::WithoutWork,
            at: at.work.head.clone(),
            snapshot: None,
            checks,
            laid_over: Some(LaidOver {
                from: at.work.base.clone(),
                files: difference.sources.clone(),
            }),
        }))
    })
}

/// Whether a green test says something about the work: one that was there before does, one that the phase brought has to show it.
pub(super) fn counts(at: At<'_>, one: &Measured) -> bool {
    if !is_brought(at, one) {
        return true;
    }
    let without = at.work.candidate.without_work.iter().flatten();
    let is_red = |one: &Measured| matches!(one.result, CheckResult::Red { .. });
    has_run(one) && without.into_iter().any(|seen| seen.check == one.check && is_red(seen))
}

fn is_brought(at: At<'_>, one: &Measured) -> bool {
    at.work.candidate.brought.iter().flatten().any(|check| *check == one.check)
}

/// Green, with at least one test that passed. A runner that does not tell its tests may have run none.
fn has_run(one: &Measured) -> bool {
    one.check == CheckName::Test
        && one.result.is_green()
        && one.tests.as_ref().is_some_and(|tests| tests.passed > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::checks::Difference;
    use crate::run::checks::fixture::Scene;
    use crate::run::definition::CheckOrder;
    use crate::test_counts::{Runner, TestCounts};

    fn scene(passed: Option<u32>) -> Scene {
        let mut scene = Scene::new();
        scene.measure(&[CheckName::Test]);
        let evidence = scene.work.candidate.evidence.as_mut().unwrap();
        evidence[0].tests = passed.map(|passed| TestCounts {
            runner: Runner::Pytest,
            passed,
            failed: 0,
            skipped: 0,
            failed_names: Vec::new(),
        });
        let test = CheckOrder { name: CheckName::Test, command: "t".to_string(), is_hidden: false };
        scene.work.candidate.difference = Some(Difference {
            brought: vec![test],
            sources: vec!["src/a.py".to_string()],
            ..Difference::default()
        });
        scene
    }

    fn purpose(scene: &Scene) -> Option<Purpose> {
        match order(scene.at()) {
            Some(Move::Start(Effect::Measure(order))) => Some(order.purpose),
            _ => None,
        }
    }

    fn without(scene: &mut Scene, result: CheckResult) -> bool {
        let mut seen = scene.work.candidate.evidence.clone().unwrap();
        seen[0].result = result;
        scene.work.candidate.without_work = Some(seen);
        let one = scene.work.candidate.evidence.clone().unwrap().remove(0);
        counts(scene.at(), &one)
    }

    #[test]
    fn it_is_measured_with_the_work_and_then_without_it() {
        let mut scene = scene(Some(2));
        assert_eq!(purpose(&scene), Some(Purpose::Brought));
        scene.work.candidate.brought = Some(vec![CheckName::Test]);
        assert_eq!(purpose(&scene), Some(Purpose::WithoutWork));
        assert!(without(&mut scene, CheckResult::Red { exit: Some(1) }));
        assert_eq!(purpose(&scene), None);
        assert!(!without(&mut scene, CheckResult::Green), "it does not need the work");
        assert!(!without(&mut scene, CheckResult::NotRun), "nobody saw it fail");
    }

    #[test]
    fn without_a_test_that_ran_it_proves_nothing() {
        for passed in [None, Some(0)] {
            let mut scene = scene(passed);
            scene.work.candidate.brought = Some(vec![CheckName::Test]);
            assert_eq!(purpose(&scene), None, "{passed:?}");
            assert!(!without(&mut scene, CheckResult::Red { exit: Some(1) }), "{passed:?}");
        }
    }

    #[test]
    fn a_test_that_was_there_before_counts_as_it_is() {
        let scene = scene(None);
        let one = scene.work.candidate.evidence.clone().unwrap().remove(0);
        assert!(counts(scene.at(), &one));
    }
}
