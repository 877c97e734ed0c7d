//! CHECK-18: tests that were deleted, skipped, emptied or weakened, settings that were loosened, and fewer tests than before the run.
//! What was seen of it stands in the candidate's difference. In files a task of the plan names it is told, not rejected: the user
//! wrote or accepted that they change.

use std::collections::BTreeSet;

use crate::honesty::{Doubt, DoubtKind};
use crate::run::checks::{Found, Integrity, quoted};
use crate::run::measured::Measured;
use crate::run::pipeline::At;

pub(super) fn look(at: At<'_>) -> Vec<Found> {
    let doubts = at.work.candidate.difference.iter().flat_map(|difference| &difference.doubts);
    let named = named_files(at);
    let is_excused = |doubt: &&Doubt| {
        !doubt.kind.rejects() || (doubt.kind.is_excusable() && named.contains(&*doubt.file))
    };
    let (told, rejecting): (Vec<&Doubt>, Vec<&Doubt>) = doubts.partition(is_excused);
    let mut reasons: Vec<String> = rejecting.into_iter().map(words).collect();
    reasons.extend(fewer_tests(at, &told));
    reasons.extend(at.work.checked.hidden.iter().map(|file| {
        let file = quoted(file);
        format!(
            "{}: the worker told git not to look at it (skip-worktree or assume-unchanged); what is hidden from git is no work",
            file.trim_matches('"')
        )
    }));
    let mut found = Vec::new();
    if !told.is_empty() {
        let reason = told.into_iter().map(words).collect::<Vec<_>>().join("; ");
        found.push(Found::Warned { check: Integrity::HonestChange, reason });
    }
    if !reasons.is_empty() {
        found.push(Found::Rejected { check: Integrity::HonestChange, reasons });
    }
    found
}

/// Files that tasks of a plan name; what the engine made a task of names none.
pub(super) fn named_files(at: At<'_>) -> BTreeSet<&str> {
    let files = at.work.tasks.iter().flat_map(|task| &task.task.files);
    files.map(|file| file.strip_prefix("./").unwrap_or(file)).collect()
}

fn words(doubt: &Doubt) -> String {
    let line = doubt.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}: {}", quoted(&doubt.file).trim_matches('"'), doubt.fact)
}

/// A runner that counted its tests before the run counts fewer now. Those that went with the code they tested, live on in others,
/// or went in files that the plan names are not missed.
fn fewer_tests(at: At<'_>, told: &[&Doubt]) -> Vec<String> {
    let went = told.iter().filter(|doubt| {
        let kinds = [DoubtKind::TestOfRemovedCode, DoubtKind::TestDeleted, DoubtKind::TestMerged];
        kinds.contains(&doubt.kind)
    });
    let went = went.fold(0_u32, |sum, doubt| sum.saturating_add(1).saturating_add(doubt.more));
    let before = at.run.baseline.iter().flatten();
    let lost = before.filter_map(|before| {
        let then = before.tests.as_ref()?.passed;
        let now = at.work.after().iter().find(|one| one.check == before.check)?;
        let passed = passed(now);
        let is_missed = then.saturating_sub(passed) > went;
        is_missed.then(|| {
            let (check, beside) = (before.check, rested_on(at));
            format!(
                "{check} has fewer passing tests: {passed}, and {then} before the run; fewer tests were run, or more skipped{beside}"
            )
        })
    });
    lost.collect()
}

/// Files that may have to do with it.
fn rested_on(at: At<'_>) -> String {
    let changed = at.work.candidate.difference.iter().flat_map(|one| &one.expectations);
    let files: Vec<String> =
        changed.map(|one| quoted(&one.file).trim_matches('"').to_string()).collect();
    match files.is_empty() {
        true => String::new(),
        false => format!("; of what tests rest on, the phase changed {}", files.join(", ")),
    }
}

/// Where nothing is counted any more, none is known to have passed.
fn passed(measured: &Measured) -> u32 {
    measured.tests.as_ref().map_or(0, |tests| tests.passed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::honesty::{Expectation, ExpectationKind};
    use crate::run::checks::Difference;
    use crate::run::checks::fixture::{Scene, told as found};
    use crate::run::measured::CheckName;
    use crate::test_counts::{Runner, TestCounts};

    fn doubt(kind: DoubtKind, file: &str) -> Doubt {
        let fact = "the test `a` is gone".into();
        Doubt { kind, file: file.into(), line: Some(3), fact, more: 0 }
    }

    fn scene(doubts: &[Doubt]) -> Scene {
        let mut scene = Scene::new();
        let difference = Difference { files: 1, doubts: doubts.to_vec(), ..Difference::default() };
        scene.work.candidate.difference = Some(difference);
        scene
    }

    #[test]
    fn what_rejects_is_named_with_its_place_unless_the_plan_names_the_file() {
        let deleted = doubt(DoubtKind::TestDeleted, "tests/a.rs");
        let stub = doubt(DoubtKind::Stub, "src/a.rs");
        let mut scene = scene(&[deleted, stub]);
        let told = "warned honest_change: src/a.rs:3: the test `a` is gone / \
                    rejected honest_change: tests/a.rs:3: the test `a` is gone";
        assert_eq!(found(&look(scene.at())), told);
        scene.task("1-01-1", &["./tests/a.rs"]);
        let told = "warned honest_change: tests/a.rs:3: the test `a` is gone; src/a.rs:3: the test `a` is gone";
        assert_eq!(found(&look(scene.at())), told);
    }

    fn counted(scene: &mut Scene, passed: Option<u32>) -> Vec<Measured> {
        scene.measure(&[CheckName::Test]);
        let mut measured = scene.work.candidate.evidence.clone().unwrap();
        measured[0].tests = passed.map(|passed| TestCounts {
            runner: Runner::Pytest,
            passed,
            failed: 0,
            skipped: 0,
            failed_names: Vec::new(),
        });
        measured
    }

    #[test]
    fn what_tests_rest_on_is_named_beside_those_that_are_gone() {
        let mut beside = scene(&[]);
        let files = ["tests/setup.js", "tests/a.json"].map(|file| Expectation {
            file: file.to_string(),
            kind: ExpectationKind::Data,
            weaker: None,
        });
        beside.work.candidate.difference.as_mut().unwrap().expectations = files.to_vec();
        beside.run.baseline = Some(counted(&mut beside, Some(3)));
        beside.work.candidate.evidence = Some(counted(&mut beside, Some(2)));
        let said = found(&look(beside.at()));
        let named = "; of what tests rest on, the phase changed tests/setup.js, tests/a.json";
        assert!(said.ends_with(named), "{said}");
    }

    #[test]
    fn tests_that_are_gone_are_counted() {
        let check = |doubts: &[Doubt], before: Option<u32>, now: Option<u32>, expected: &str| {
            let mut scene = scene(doubts);
            scene.run.baseline = Some(counted(&mut scene, before));
            scene.work.candidate.evidence = Some(counted(&mut scene, now));
            let said = found(&look(scene.at()));
            assert!(said.ends_with(expected), "{said}");
            assert_eq!(said.contains("rejected"), expected.contains("fewer"), "{said}");
        };
        check(&[], Some(3), Some(3), "");
        check(&[], Some(3), Some(4), "");
        check(&[], None, Some(1), "");
        check(
            &[],
            Some(3),
            Some(2),
            "test has fewer passing tests: 2, and 3 before the run; fewer tests were run, or more skipped",
        );
        check(
            &[],
            Some(3),
            None,
            "test has fewer passing tests: 0, and 3 before the run; fewer tests were run, or more skipped",
        );
        let went = [doubt(DoubtKind::TestOfRemovedCode, "tests/a.rs")];
        check(&went, Some(3), Some(2), "");
        check(
            &went,
            Some(3),
            Some(1),
            "test has fewer passing tests: 1, and 3 before the run; fewer tests were run, or more skipped",
        );
        let merged = Doubt { more: 1, ..doubt(DoubtKind::TestMerged, "tests/a.rs") };
        let merged = std::slice::from_ref(&merged);
        check(merged, Some(3), Some(1), "");
        check(
            merged,
            Some(3),
            Some(0),
            "test has fewer passing tests: 0, and 3 before the run; fewer tests were run, or more skipped",
        );
    }
}
