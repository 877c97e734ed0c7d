//! Tests of `tests_before`.

use super::*;
use crate::honesty::ExpectationKind;
use crate::run::checks::Difference;
use crate::run::checks::Rejected;
use crate::run::checks::fixture::{Scene, told};
use crate::test_counts::{Runner, TestCounts};

fn scene(weaker: Option<&str>, files: &[&str]) -> Scene {
    let mut scene = Scene::new();
    scene.configure(&[CheckName::Lint, CheckName::Test]);
    scene.measure(&[CheckName::Lint, CheckName::Test]);
    scene.task("1-01-1", files);
    let weaker = weaker.map(ToString::to_string);
    let expectations = vec![Expectation {
        file: "tests/table.json".to_string(),
        kind: ExpectationKind::Data,
        weaker,
    }];
    let tests = vec!["tests/table.json".to_string()];
    let difference = Difference { expectations, tests, ..Difference::default() };
    scene.work.candidate.difference = Some(difference);
    scene
}

fn seen(scene: &mut Scene, result: CheckResult) {
    let mut measured = scene.work.candidate.evidence.clone().unwrap_or_default();
    measured.retain(|one| one.check == CheckName::Test);
    measured[0].result = result;
    scene.work.candidate.tests_before = Some(measured);
}

const RED: CheckResult = CheckResult::Red { exit: Some(1) };

#[test]
fn only_the_tests_are_measured_once_with_the_files_as_they_were() {
    let mut scene = scene(None, &["src/a.js"]);
    let Some(Move::Start(Effect::Measure(order))) = order(scene.at()) else {
        panic!("it is to be measured");
    };
    assert_eq!(order.purpose, Purpose::TestsBefore);
    assert_eq!(order.checks.iter().map(|one| one.name).collect::<Vec<_>>(), [CheckName::Test]);
    let files = vec!["tests/table.json".to_string()];
    assert_eq!(order.laid_over, Some(LaidOver { from: scene.work.base.clone(), files }));
    seen(&mut scene, CheckResult::Green);
    assert_eq!(super::order(scene.at()), None);
    assert_eq!((told(&look(scene.at())).as_str(), needs_person(scene.at())), ("", None));
}

#[test]
fn nothing_is_measured_where_nothing_changed_or_no_test_is_green() {
    let mut none = scene(None, &[]);
    none.work.candidate.difference = Some(Difference::default());
    assert_eq!(order(none.at()), None);
    let mut red = scene(None, &[]);
    red.work.candidate.evidence.as_mut().unwrap()[1].result = RED;
    assert_eq!(order(red.at()), None);
    let mut untested = scene(None, &[]);
    untested.configure(&[CheckName::Lint]);
    assert_eq!(order(untested.at()), None);
}

#[test]
fn what_no_task_names_is_sent_back_once_and_then_a_persons_to_decide() {
    let mut scene = scene(None, &["src/a.js"]);
    seen(&mut scene, RED);
    let why = "tests/table.json, data of tests, was changed; as it was before the phase, test fails on this work: \
               what is asserted was weakened to fit the code";
    assert_eq!(told(&look(scene.at())), format!("rejected honest_change: {why}"));
    scene.work.candidate.tests_before.as_mut().unwrap()[0].tests = Some(TestCounts {
        runner: Runner::Pytest,
        passed: 0,
        failed: 4,
        skipped: 0,
        failed_names: ["a", "b", "c", "d"].map(str::to_string).to_vec(),
    });
    let named = r#"test fails on this work ("a", "b", "c"): what is asserted"#;
    assert!(told(&look(scene.at())).contains(named), "{}", told(&look(scene.at())));
    scene.work.candidate.tests_before.as_mut().unwrap()[0].tests = None;
    scene.work.checked.rejected.insert(Role::Execute, Rejected { count: 1, ..Rejected::default() });
    assert_eq!(told(&look(scene.at())), "");
    assert_eq!(needs_person(scene.at()).as_deref(), Some(why));
}

#[test]
fn what_a_task_names_is_told_unless_it_asks_for_less() {
    let said = "warned honest_change: with tests/table.json as before the phase test fails; the plan names what was changed";
    for files in [&["./tests/table.json"][..], &[]] {
        let mut scene = scene(None, files);
        seen(&mut scene, RED);
        assert_eq!(told(&look(scene.at())), said, "{files:?}");
        assert_eq!(needs_person(scene.at()), None);
    }
    let mut weaker = scene(Some("the test `a` asks for less"), &["tests/table.json"]);
    seen(&mut weaker, RED);
    let found = told(&look(weaker.at()));
    assert!(
        found.starts_with(
            "rejected honest_change: tests/table.json, data of tests, was changed; the test `a`"
        ),
        "{found}"
    );
}

#[test]
fn what_could_not_be_run_that_way_says_nothing() {
    for result in [CheckResult::TimedOut, CheckResult::NotRun] {
        let mut scene = scene(None, &["src/a.js"]);
        seen(&mut scene, result);
        assert_eq!((told(&look(scene.at())).as_str(), needs_person(scene.at())), ("", None));
    }
}

#[test]
fn new_tests_that_need_what_is_new_say_nothing_where_all_old_ones_hold() {
    let mut scene = scene(None, &["src/a.js"]);
    let tests = ["tests/a.test.js", "tests/table.json"].map(str::to_string).to_vec();
    scene.work.candidate.difference.as_mut().unwrap().tests = tests.clone();
    seen(&mut scene, CheckResult::Green);
    assert_eq!(order(scene.at()), None, "what was green needs no second look");
    seen(&mut scene, RED);
    let Some(Move::Start(Effect::Measure(order))) = order(scene.at()) else {
        panic!("all tests are to be measured");
    };
    assert_eq!(order.purpose, Purpose::AllTestsBefore);
    assert_eq!(order.laid_over.map(|over| over.files), Some(tests));
    let mut all = scene.work.candidate.tests_before.clone().unwrap();
    scene.work.candidate.all_tests_before = Some(all.clone());
    assert!(told(&look(scene.at())).starts_with("rejected"), "red both times");
    assert_eq!(super::order(scene.at()), None);
    all[0].result = CheckResult::Green;
    scene.work.candidate.all_tests_before = Some(all);
    assert_eq!((told(&look(scene.at())).as_str(), needs_person(scene.at())), ("", None));
}
