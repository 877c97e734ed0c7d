//! Which red checks speak against the work where the user accepted what was red.

use super::*;
use crate::run::checks::fixture::{Scene, told};
use crate::test_counts::Runner;

const RED: CheckResult = CheckResult::Red { exit: Some(1) };

/// `None` is a runner that names nothing; `more` are failures without a name.
fn seen(
    scene: &mut Scene,
    result: CheckResult,
    names: Option<&[&str]>,
    more: u32,
) -> Vec<Measured> {
    scene.measure(&[CheckName::Test]);
    let mut measured = scene.work.candidate.evidence.clone().unwrap();
    measured[0].result = result;
    measured[0].tests = names.map(|names| TestCounts {
        runner: Runner::Pytest,
        passed: 3,
        failed: u32::try_from(names.len()).unwrap() + more,
        skipped: 0,
        failed_names: names.iter().map(ToString::to_string).collect(),
    });
    measured
}

fn scene(before: Option<&[&str]>, after: Option<&[&str]>) -> Scene {
    let mut scene = Scene::new();
    scene.run.definition.settings.accepts_red = true;
    scene.run.baseline = Some(seen(&mut scene, RED, before, 0));
    scene.work.candidate.evidence = Some(seen(&mut scene, RED, after, 0));
    scene
}

#[test]
fn only_failures_with_a_new_name_count() {
    let known = scene(Some(&["a", "b"]), Some(&["b"]));
    assert_eq!(excused(known.at()), [CheckName::Test]);
    assert_eq!(undecidable(known.at(), &[CheckName::Test]), None);
    let expected = "warned known_red: test is red as before the run: \"b\"; mended: \"a\"";
    assert_eq!(told(&look(known.at())), expected);
    let new = scene(Some(&["a", "b"]), Some(&["a", "c"]));
    assert_eq!(excused(new.at()), []);
    assert_eq!(told(&look(new.at())), "");
    let mut strict = scene(Some(&["a"]), Some(&["a"]));
    strict.run.definition.settings.accepts_red = false;
    assert_eq!(excused(strict.at()), [], "nobody accepted it");
}

#[test]
fn without_names_a_person_decides() {
    let nameless = scene(None, None);
    assert_eq!(excused(nameless.at()), []);
    let why = undecidable(nameless.at(), &[CheckName::Test]).unwrap();
    assert!(why.starts_with("test was red before the run"), "{why}");
    assert_eq!(undecidable(nameless.at(), &[CheckName::Test, CheckName::Lint]), None);
    assert_eq!(undecidable(nameless.at(), &[]), None);
    let mut partly = scene(Some(&["a"]), Some(&["a"]));
    partly.work.candidate.evidence = Some(seen(&mut partly, RED, Some(&["a"]), 1));
    assert!(undecidable(partly.at(), &[CheckName::Test]).is_some(), "one failure has no name");
    assert!(undecidable(scene(Some(&["a"]), None).at(), &[CheckName::Test]).is_some());
    let none = scene(Some(&["a"]), Some(&[]));
    assert!(undecidable(none.at(), &[CheckName::Test]).is_some(), "it is red, and no test failed");
}

#[test]
fn what_did_not_run_is_not_known_and_what_is_green_is_credited() {
    let mut scene = scene(Some(&["a"]), Some(&["a"]));
    scene.work.candidate.evidence = Some(seen(&mut scene, CheckResult::TimedOut, None, 0));
    let told_of = (excused(scene.at()), undecidable(scene.at(), &[CheckName::Test]));
    assert_eq!(told_of, (Vec::new(), None));
    scene.work.candidate.evidence = Some(seen(&mut scene, CheckResult::Green, None, 0));
    assert_eq!(
        told(&look(scene.at())),
        "warned known_red: test was red before the run and is green"
    );
    scene.run.baseline = Some(seen(&mut scene, CheckResult::Green, None, 0));
    scene.work.candidate.evidence = Some(seen(&mut scene, CheckResult::Green, None, 0));
    assert_eq!(told(&look(scene.at())), "", "it was green before");
}

#[test]
fn only_the_same_check_is_compared() {
    let mut scene = scene(Some(&["a"]), Some(&["a"]));
    assert_eq!(told(&look(scene.at())), "warned known_red: test is red as before the run: \"a\"");
    let mut lint = seen(&mut scene, CheckResult::Green, None, 0);
    lint[0].check = CheckName::Lint;
    let test = seen(&mut scene, RED, Some(&["a"]), 0);
    scene.work.candidate.evidence = Some([test.clone(), lint.clone()].concat());
    let expected = "warned known_red: test is red as before the run: \"a\"";
    assert_eq!(told(&look(scene.at())), expected, "that lint is green mends no test");
    lint[0].result = RED;
    scene.run.baseline = Some(lint);
    scene.work.candidate.evidence = Some(test);
    assert_eq!(excused(scene.at()), []);
    assert_eq!(undecidable(scene.at(), &[CheckName::Test]), None, "lint was red, and test is");
}
