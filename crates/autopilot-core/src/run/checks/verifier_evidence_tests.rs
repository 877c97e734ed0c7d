//! What a verification needs to be believed, and how long it has to take.

use super::*;
use crate::run::checks::fixture::{Scene, criterion, told, verification};
use crate::run::checks::places::{Looked, LookedUp};
use crate::run::checks::{Rejected, Reviewed};
use crate::run::ids::AttemptId;
use crate::run::measured::CheckName;
use crate::run::work::Stage;

fn scene(took_ms: u64) -> Scene {
    let mut scene = Scene::new();
    scene.measure(&[CheckName::Test, CheckName::Criterion(1)]);
    scene.work.candidate.verification = Some(verification("read and tried"));
    let reviewed = Reviewed { attempt: AttemptId(3), took_ms };
    scene.work.candidate.reviewed.insert(Role::Verify, reviewed);
    scene
}

/// The same with the one criterion proven by a command.
fn proven(took_ms: u64) -> Scene {
    let mut scene = scene(took_ms);
    scene.phase.criteria = vec![criterion("It works", Some("make login"))];
    scene.measure(&[CheckName::Criterion(1)]);
    let mut before = scene.work.candidate.evidence.clone().unwrap();
    before[0].result = crate::run::measured::CheckResult::Red { exit: Some(1) };
    scene.work.triage = Stage::Done(before);
    scene
}

fn again(scene: &mut Scene) {
    scene.work.checked.rejected.insert(Role::Verify, Rejected { count: 1, ..Default::default() });
}

#[test]
fn commands_and_evidence_are_asked_for() {
    let mut full = scene(200_000);
    assert_eq!(told(&look(full.at(), Role::Verify)), "");
    let said = full.work.candidate.verification.as_mut().unwrap();
    said.commands_run = vec![" ".to_string()];
    let told_of = told(&look(full.at(), Role::Verify));
    assert!(told_of.starts_with("rejected verifier_evidence: `commands_run`"), "{told_of}");
    let said = full.work.candidate.verification.as_mut().unwrap();
    said.criteria_results.clear();
    assert!(told(&look(full.at(), Role::Verify)).contains("`criteria_results` has no evidence"));
}

#[test]
fn where_every_criterion_is_proven_commands_are_enough() {
    let mut proven = proven(200_000);
    proven.work.candidate.verification.as_mut().unwrap().criteria_results.clear();
    assert_eq!(told(&look(proven.at(), Role::Verify)), "");
}

#[test]
fn a_place_that_is_not_there_is_no_evidence() {
    let mut scene = scene(200_000);
    let said = scene.work.candidate.verification.as_mut().unwrap();
    said.criteria_results[0].file = Some("src/ghost.rs".to_string());
    said.criteria_results[0].line = Some(7);
    let place = place_of(&said.criteria_results[0]).unwrap();
    let looked = LookedUp { place, seen: Seen::NoFile, fact: String::new() };
    let looked = Looked { places: vec![looked], ..Looked::default() };
    scene.work.candidate.places.insert(Role::Verify, looked);
    let told_of = told(&look(scene.at(), Role::Verify));
    assert!(told_of.contains("\"src/ghost.rs\", line 7, is no file of the candidate"), "{told_of}");
}

#[test]
fn the_second_time_what_was_measured_may_stand_in_for_it() {
    let mut measured = proven(200_000);
    measured.work.candidate.verification.as_mut().unwrap().commands_run.clear();
    assert!(told(&look(measured.at(), Role::Verify)).starts_with("rejected"));
    again(&mut measured);
    assert!(told(&look(measured.at(), Role::Verify)).starts_with("warned verifier_evidence"));
    let mut judged = scene(200_000);
    judged.work.candidate.verification.as_mut().unwrap().commands_run.clear();
    again(&mut judged);
    assert!(told(&look(judged.at(), Role::Verify)).starts_with("rejected"));
}

#[test]
fn a_quick_verifier_is_asked_once_more_while_something_is_only_judged() {
    let check = |mut scene: Scene, is_again: bool, least_ms: u64, expected: &str| {
        scene.run.definition.settings.verifier_time_min_ms = least_ms;
        if is_again {
            again(&mut scene);
        }
        let told_of = told(&look(scene.at(), Role::Verify));
        assert_eq!(told_of.split(':').next(), Some(expected), "{told_of}");
    };
    check(scene(119_999), false, 120_000, "rejected verifier_time");
    check(scene(119_999), true, 120_000, "warned verifier_time");
    check(proven(119_999), false, 120_000, "warned verifier_time");
    check(scene(120_000), false, 120_000, "");
    check(scene(1), false, 0, "");
}
