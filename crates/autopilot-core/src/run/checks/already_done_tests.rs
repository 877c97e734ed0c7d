//! What a claim that the work was there already needs.

use super::*;
use crate::contract::Role;
use crate::run::checks::fixture::{Scene, commit, criterion, told, verification};
use crate::run::checks::places::{Looked, LookedUp, Place};
use crate::run::definition::TaskDefinition;
use crate::run::work::TaskWork;

/// A phase with two criteria whose one task is done without a commit.
fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.phase.criteria.push(criterion("People can log in", Some("make login")));
    let mut task = TaskWork::new(TaskDefinition::remediation(1, |_| false));
    task.task.kind = TaskKind::Auto;
    task.outcome = Some(TaskOutcome::Done { commit: None });
    scene.work.tasks.push(task);
    let mut said = verification("seen");
    said.criteria_results.push(crate::run::checks::fixture::result("people can log in.", "seen"));
    scene.work.candidate.verification = Some(said);
    scene
}

/// Names a place for the result of that number, and what the engine sees there.
fn show(scene: &mut Scene, number: usize, seen: Seen) {
    let said = scene.work.candidate.verification.as_mut().unwrap();
    let result = &mut said.criteria_results[number];
    result.file = Some(format!("src/{number}.rs"));
    result.line = Some(3);
    result.quote = Some("fn login()".to_string());
    let place = place_of(result).unwrap();
    let looked = scene.work.candidate.places.entry(Role::Verify).or_default();
    looked.places.push(LookedUp { place, seen, fact: String::new() });
}

#[test]
fn every_criterion_needs_a_place_where_its_words_were_found() {
    let mut scene = scene();
    let nothing = told(&look(scene.at()));
    assert_eq!(nothing.matches("no file, line and words are named").count(), 2, "{nothing}");
    show(&mut scene, 0, Seen::There);
    let half = told(&look(scene.at()));
    assert!(
        half.starts_with("rejected already_done") && half.contains("People can log in"),
        "{half}"
    );
    show(&mut scene, 1, Seen::There);
    assert_eq!(told(&look(scene.at())), "");
    scene.work.candidate.places.clear();
    show(&mut scene, 0, Seen::There);
    show(&mut scene, 1, Seen::NoWords);
    assert!(told(&look(scene.at())).contains("within three lines"));
}

#[test]
fn it_is_asked_only_where_tasks_are_done_and_nothing_is_committed() {
    let mut changed = scene();
    changed.work.head = commit(2);
    assert_eq!(told(&look(changed.at())), "");
    let mut nothing_done = scene();
    nothing_done.work.tasks.clear();
    assert_eq!(told(&look(nothing_done.at())), "");
    let mut skipped = scene();
    skipped.work.tasks[0].outcome = Some(TaskOutcome::Skipped);
    assert_eq!(told(&look(skipped.at())), "");
}

#[test]
fn a_task_that_failed_and_that_debugging_changed_nothing_about_has_done_nothing_either() {
    let mut scene = scene();
    let failed = TaskOutcome::Failed { is_put_back: true, is_debugged: true };
    scene.work.tasks[0].outcome = Some(failed);
    let said = told(&look(scene.at()));
    assert!(said.starts_with("rejected already_done"), "{said}");
}

#[test]
fn a_line_without_words_and_a_criterion_not_verified_are_not_enough() {
    let mut scene = scene();
    show(&mut scene, 0, Seen::There);
    show(&mut scene, 1, Seen::There);
    let said = scene.work.candidate.verification.as_mut().unwrap();
    said.criteria_results[1].quote = None;
    assert!(told(&look(scene.at())).contains("the words that stand there"));
    let said = scene.work.candidate.verification.as_mut().unwrap();
    said.criteria_results[0].status = CriterionStatus::NotVerified;
    assert!(told(&look(scene.at())).contains("not `verified`"));
}

#[test]
fn a_result_in_other_words_belongs_to_the_criterion_at_its_place_if_the_list_is_complete() {
    let mut scene = scene();
    show(&mut scene, 0, Seen::There);
    show(&mut scene, 1, Seen::There);
    let said = scene.work.candidate.verification.as_mut().unwrap();
    for result in &mut said.criteria_results {
        result.criterion = "as asked".to_string();
    }
    assert_eq!(told(&look(scene.at())), "");
    let said = scene.work.candidate.verification.as_mut().unwrap();
    said.criteria_results.pop();
    assert_eq!(told(&look(scene.at())).matches("there is no result").count(), 2);
}

#[test]
fn without_criteria_one_place_shows_it() {
    let mut scene = scene();
    scene.phase.criteria.clear();
    assert!(told(&look(scene.at())).starts_with("rejected already_done"));
    show(&mut scene, 0, Seen::There);
    assert_eq!(told(&look(scene.at())), "");
    let said = scene.work.candidate.verification.as_mut().unwrap();
    said.criteria_results[0].quote = None;
    let place = place_of(&said.criteria_results[0]).unwrap();
    let looked = LookedUp { place, seen: Seen::There, fact: String::new() };
    let looked = Looked { places: vec![looked], ..Looked::default() };
    scene.work.candidate.places.insert(Role::Verify, looked);
    assert!(told(&look(scene.at())).starts_with("rejected already_done"), "a line has no words");
    let other = Place { file: "x".to_string(), ..Place::default() };
    assert_eq!(scene.work.candidate.seen(&other), None);
}
