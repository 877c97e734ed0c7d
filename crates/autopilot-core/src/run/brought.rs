//! Checks that a phase itself brings, as the first phase of an empty repository does (GATE-6). They are measured like any other, and
//! red is red. As proof they count only when they ran at least one test and notice that the phase's own code is taken away: a test
//! that holds without it says nothing about it.

use crate::run::effect::Purpose;
use crate::run::measured::{CheckName, Measured};
use crate::run::next::Move;
use crate::run::noticed;
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
    let is_asked = at.work.after().iter().any(|one| is_brought(at, one) && has_run(one));
    is_asked.then(|| noticed::order(at, difference.brought.clone())).flatten()
}

/// Whether a check that the phase brought says something about its work; none where it was there before.
pub(super) fn counts(at: At<'_>, one: &Measured) -> Option<bool> {
    is_brought(at, one).then(|| has_run(one) && noticed::is_red_without(at, one))
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
    use crate::run::effect::Effect;
    use crate::run::measured::CheckResult;
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

    fn without(scene: &mut Scene, result: CheckResult) -> Option<bool> {
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
        assert_eq!(without(&mut scene, CheckResult::Red { exit: Some(1) }), Some(true));
        assert_eq!(purpose(&scene), None);
        assert_eq!(without(&mut scene, CheckResult::Green), Some(false), "it needs no work");
        assert_eq!(without(&mut scene, CheckResult::NotRun), Some(false), "nobody saw it fail");
    }

    #[test]
    fn without_a_test_that_ran_it_proves_nothing() {
        for passed in [None, Some(0)] {
            let mut scene = scene(passed);
            scene.work.candidate.brought = Some(vec![CheckName::Test]);
            assert_eq!(purpose(&scene), None, "{passed:?}");
            let red = CheckResult::Red { exit: Some(1) };
            assert_eq!(without(&mut scene, red), Some(false), "{passed:?}");
        }
    }

    #[test]
    fn a_test_that_was_there_before_is_none_that_was_brought() {
        let scene = scene(None);
        let one = scene.work.candidate.evidence.clone().unwrap().remove(0);
        assert_eq!(counts(scene.at(), &one), None);
    }
}
