//! Whether a test notices the work of a phase (GATE-3). Tests that were green before and are green after may never look at what was
//! changed. So where no criterion is proven the project's tests run once more with the phase's code as it was before, and only if they
//! fail then they speak for it.

use crate::run::brought;
use crate::run::definition::CheckOrder;
use crate::run::effect::{Effect, LaidOver, Measurement, Purpose};
use crate::run::measured::{CheckName, CheckResult, Measured};
use crate::run::next::Move;
use crate::run::pipeline::At;
use crate::run::review;

/// The order to measure; None where it is not needed, or known.
pub(super) fn next(at: At<'_>) -> Option<Move> {
    if review::criteria_count(at).proven > 0 || !at.work.after().iter().any(is_green_test) {
        return None;
    }
    order(at, at.run.project.as_ref()?.checks.clone())
}

/// The tests among these, without the code of the phase. None where that was seen, or there is no code that could be taken away.
pub(super) fn order(at: At<'_>, mut checks: Vec<CheckOrder>) -> Option<Move> {
    let candidate = &at.work.candidate;
    let sources = &candidate.difference.as_ref()?.sources;
    checks.retain(|check| check.name == CheckName::Test);
    let is_due = candidate.without_work.is_none() && !sources.is_empty() && !checks.is_empty();
    is_due.then(|| {
        Move::Start(Effect::Measure(Measurement {
            phase: Some(at.phase.id.clone()),
            purpose: Purpose::WithoutWork,
            at: at.work.head.clone(),
            snapshot: None,
            checks,
            laid_over: Some(LaidOver { from: at.work.base.clone(), files: sources.clone() }),
        }))
    })
}

/// Whether what was measured says something about the work. Where nothing was changed there is none that it could have looked at; tests
/// alone, without code, are looked at by being run.
pub(super) fn speaks_for_work(at: At<'_>, one: &Measured) -> bool {
    let Some(difference) = &at.work.candidate.difference else { return is_green_test(one) };
    let is_noticed = || match brought::counts(at, one) {
        Some(counts) => counts,
        None => difference.sources.is_empty() || is_red_without(at, one),
    };
    is_green_test(one) && difference.files > 0 && is_noticed()
}

/// It was seen to fail without the code of the phase.
pub(super) fn is_red_without(at: At<'_>, one: &Measured) -> bool {
    let without = at.work.candidate.without_work.iter().flatten();
    let is_red = |seen: &Measured| matches!(seen.result, CheckResult::Red { .. });
    without.into_iter().any(|seen| seen.check == one.check && is_red(seen))
}

/// Green, and not known to have run no test at all.
fn is_green_test(one: &Measured) -> bool {
    let has_run = one.tests.as_ref().is_none_or(|tests| tests.passed > 0);
    one.check == CheckName::Test && one.result.is_green() && has_run
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::checks::Difference;
    use crate::run::checks::fixture::{Scene, criterion};
    use crate::run::work::Stage;
    use crate::test_counts::{Runner, TestCounts};

    fn scene(files: u32, sources: &[&str]) -> Scene {
        let mut scene = Scene::new();
        scene.measure(&[CheckName::Test]);
        let sources = sources.iter().map(ToString::to_string).collect();
        scene.work.candidate.difference =
            Some(Difference { files, sources, ..Difference::default() });
        scene
    }

    fn speaks(scene: &Scene) -> bool {
        scene.work.after().iter().any(|one| speaks_for_work(scene.at(), one))
    }

    fn seen_without(scene: &mut Scene, result: CheckResult) {
        let mut seen = scene.work.candidate.evidence.clone().unwrap();
        seen[0].result = result;
        scene.work.candidate.without_work = Some(seen);
    }

    #[test]
    fn a_test_speaks_for_code_only_if_it_fails_without_it() {
        let mut scene = scene(1, &["src/a.rs"]);
        assert!(!speaks(&scene), "nobody has looked yet");
        seen_without(&mut scene, CheckResult::Green);
        assert!(!speaks(&scene));
        for unseen in [CheckResult::NotRun, CheckResult::TimedOut] {
            seen_without(&mut scene, unseen);
            assert!(!speaks(&scene), "{unseen:?}");
        }
        seen_without(&mut scene, CheckResult::Red { exit: Some(1) });
        assert!(speaks(&scene));
    }

    #[test]
    fn it_is_asked_where_nothing_else_proves_the_work_and_a_test_is_green() {
        let is_asked = |scene: &Scene| next(scene.at()).is_some();
        let mut asked = scene(1, &["src/a.rs"]);
        asked.configure(&[CheckName::Test]);
        assert!(is_asked(&asked));
        seen_without(&mut asked, CheckResult::Green);
        assert!(!is_asked(&asked), "once");

        let mut untested = scene(1, &["src/a.rs"]);
        untested.configure(&[CheckName::Test]);
        untested.measure(&[CheckName::Lint]);
        assert!(!is_asked(&untested));

        let mut proven = scene(1, &["src/a.rs"]);
        proven.configure(&[CheckName::Test]);
        proven.phase.criteria = vec![criterion("It holds", Some("make it"))];
        proven.measure(&[CheckName::Test, CheckName::Criterion(1)]);
        let mut before = proven.work.candidate.evidence.clone().unwrap();
        before[1].result = CheckResult::Red { exit: Some(1) };
        proven.work.triage = Stage::Done(before);
        assert!(!is_asked(&proven));
    }

    #[test]
    fn tests_without_code_speak_for_themselves_and_no_change_for_nothing() {
        assert!(speaks(&scene(1, &[])));
        assert!(!speaks(&scene(0, &[])));
        let mut old = scene(1, &[]);
        old.work.candidate.difference = None;
        assert!(speaks(&old));
    }

    #[test]
    fn a_suite_that_ran_no_test_says_nothing() {
        let with_passed = |passed| {
            let mut scene = scene(1, &[]);
            let counts = TestCounts {
                runner: Runner::CargoTest,
                passed,
                failed: 0,
                skipped: 2,
                failed_names: Vec::new(),
            };
            scene.work.candidate.evidence.as_mut().unwrap()[0].tests = Some(counts);
            scene
        };
        assert!(!speaks(&with_passed(0)));
        assert!(speaks(&with_passed(1)), "one is enough");
    }
}
