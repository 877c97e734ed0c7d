//! What is asked about claims, and what becomes of those that are contradicted.

use super::*;
use crate::contract::returns::CriterionStatus;
use crate::run::checks::claimed;
use crate::run::checks::fixture::{Scene, commit, judgement, result, told, verification};
use crate::run::measured::CheckName;

fn prose(file: &str, line: u32, words: &[&str]) -> Place {
    let any_of = words.iter().map(ToString::to_string).collect();
    Place { file: file.to_string(), line: Some(line), is_prose: true, any_of, ..Place::default() }
}

fn looked(place: Place, seen: Seen, fact: &str) -> LookedUp {
    LookedUp { place, seen, fact: fact.to_string() }
}

fn claim(name: &str, files: &[&str]) -> CommitClaim {
    CommitClaim { name: name.to_string(), files: files.iter().map(ToString::to_string).collect() }
}

#[test]
fn what_a_judge_and_a_verifier_name_is_looked_up_once() {
    let mut scene = Scene::new();
    scene.work.candidate.judgement = Some(judgement("src/lib.rs:12 holds, see commit abc1234"));
    scene.work.candidate.verification = Some(verification("nothing that could be looked up"));
    assert_eq!(order(scene.at(), Role::Verify), None);
    let asked = order(scene.at(), Role::Judge).unwrap();
    assert_eq!(asked.places, [prose("src/lib.rs", 12, &[])]);
    assert_eq!(asked.commits, [claim("abc1234", &[])]);
    scene.work.candidate.places.insert(Role::Judge, Looked::default());
    assert_eq!(order(scene.at(), Role::Judge), None);
}

#[test]
fn claims_of_a_task_are_looked_up_in_its_own_commit() {
    let mut scene = Scene::new();
    for (number, done) in [(1, Some(commit(2))), (2, None), (3, Some(commit(4)))] {
        scene.task(&format!("1-01-{number}"), &[]);
        let task = scene.work.tasks.last_mut().unwrap();
        task.claims.places = vec![prose("src/lib.rs", number, &[])];
        task.outcome = Some(TaskOutcome::Done { commit: done });
    }
    scene.task("1-01-4", &[]);
    scene.work.tasks[3].claims.places = vec![prose("src/lib.rs", 4, &[])];
    scene.work.tasks[3].outcome = Some(TaskOutcome::Skipped);
    let asked = order_of_work(scene.at()).unwrap();
    let at: Vec<_> =
        asked.places.iter().map(|place| (place.line.unwrap(), place.at.clone().unwrap())).collect();
    assert_eq!(at, [(1, commit(2)), (2, commit(2)), (3, commit(4))]);
    let gone = Looked {
        places: vec![looked(prose("a.rs", 1, &[]), Seen::NoFile, "")],
        ..Looked::default()
    };
    looked_up_of_work(&mut scene.work, &gone);
    assert_eq!(order_of_work(scene.at()), None);
    let expected = "rejected claims: a.rs:1 is named as evidence, and there is no such file";
    assert_eq!(told(&of_work(scene.at())), expected);
}

#[test]
fn a_contradiction_is_told_with_the_fact() {
    let check = |places: Vec<LookedUp>, commits: Vec<(CommitClaim, CommitSeen)>, expected: &str| {
        let mut scene = Scene::new();
        scene.work.candidate.places.insert(Role::Judge, Looked { places, commits });
        assert_eq!(told(&of_return(scene.at(), Role::Judge)), expected);
    };
    let place = || prose("src/lib.rs", 40, &["fn refuse(name)"]);
    check(
        vec![looked(place(), Seen::There, "")],
        vec![(claim("abc1234", &[]), CommitSeen::Known)],
        "",
    );
    check(
        vec![looked(place(), Seen::Gone, ""), looked(place(), Seen::NotText, "")],
        Vec::new(),
        "",
    );
    check(
        vec![looked(place(), Seen::NoLine, "it has 12 lines")],
        Vec::new(),
        "rejected claims: src/lib.rs:40 is named as evidence, and it has 12 lines",
    );
    check(
        vec![looked(place(), Seen::NoWords, "there stands `}`")],
        Vec::new(),
        "rejected claims: src/lib.rs:40 is named as evidence for \"fn refuse(name)\", which it does not have: there stands `}`",
    );
    check(
        Vec::new(),
        vec![
            (claim("abc1234", &[]), CommitSeen::Missing),
            (claim("abc1235", &[]), CommitSeen::Elsewhere),
            (claim("abc1236", &["a.rs"]), CommitSeen::Untouched),
            (claim("abc1237", &[]), CommitSeen::Unclear),
        ],
        "rejected claims: the commit abc1234 is named, and there is none of that name; \
         the commit abc1235 is named, and it is neither on the phase's branch nor in its past; \
         the commit abc1236 is said to change \"a.rs\", and it changes none of that",
    );
    // Places in the contract's own fields are looked at by another check.
    let field = Place { is_prose: false, ..place() };
    check(vec![looked(field, Seen::NoFile, "")], Vec::new(), "");
}

#[test]
fn a_wrong_place_is_told_the_second_time_where_everything_was_measured_and_a_wrong_commit_never_is()
{
    let mut scene = Scene::new();
    let places = vec![looked(prose("a.rs", 1, &[]), Seen::NoFile, "")];
    let commits = vec![(claim("abc1234", &[]), CommitSeen::Missing)];
    scene.work.candidate.places.insert(Role::Judge, Looked { places, commits: Vec::new() });
    scene.work.checked.rejected.entry(Role::Judge).or_default().count = 1;
    scene.measure(&[CheckName::Test]);
    assert!(
        told(&of_return(scene.at(), Role::Judge)).starts_with("rejected"),
        "something is only judged"
    );
    scene.phase.criteria.clear();
    assert!(told(&of_return(scene.at(), Role::Judge)).starts_with("warned"));
    scene.work.candidate.places.insert(Role::Judge, Looked { places: Vec::new(), commits });
    assert!(told(&of_return(scene.at(), Role::Judge)).starts_with("rejected"));
}

#[test]
fn an_executors_commits_and_criteria_are_claims() {
    use crate::contract::claims::Tally;
    use crate::contract::returns::{Execution, TaskEvidence};
    let said = Execution {
        tasks_completed: Tally { count: 1, total: 1 },
        tasks_failed: Tally { count: 0, total: 1 },
        commit_shas: vec!["abc1234".to_string(), "none".to_string()],
        evidence: vec![TaskEvidence {
            task_id: "1".to_string(),
            criteria_met: vec!["it works -- src/lib.rs:3 -- there".to_string()],
            commands_run: vec!["cat src/other.rs:9 -> ok".to_string()],
        }],
        deviations: Vec::new(),
    };
    let claims = claimed::of_execution(&said);
    assert_eq!(claims.places, [prose("src/lib.rs", 3, &[])]);
    assert_eq!(claims.commits, [claim("abc1234", &[])]);
}

#[test]
fn only_what_was_verified_is_looked_up_and_prose_has_its_own_room() {
    let mut scene = Scene::new();
    let mut said = verification("src/lib.rs:12 holds");
    scene.work.candidate.verification = Some(said.clone());
    let asked = order(scene.at(), Role::Verify).unwrap();
    assert_eq!(asked.places, [prose("src/lib.rs", 12, &[])]);
    said.criteria_results[0].status = CriterionStatus::Failed;
    scene.work.candidate.verification = Some(said.clone());
    assert_eq!(order(scene.at(), Role::Verify), None);
    said.criteria_results = vec![result("One", "src/lib.rs:12 holds")];
    for line in 1..=200 {
        let mut one = result("Another", "seen");
        (one.file, one.line) = (Some("src/lib.rs".to_string()), Some(line));
        said.criteria_results.push(one);
    }
    scene.work.candidate.verification = Some(said);
    let asked = order(scene.at(), Role::Verify).unwrap().places;
    let fields = asked.iter().filter(|place| !place.is_prose).count();
    assert_eq!(fields, limits::PLACES_MAX - limits::PROSE_PLACES_MAX);
    assert_eq!(asked.len(), fields + 1);
}

#[test]
fn a_person_decides_when_a_worker_names_such_places_again() {
    let mut scene = Scene::new();
    let places = vec!["a.rs:1 is named as evidence, and there is no such file".to_string()];
    scene.work.checked.contradicted.places = places;
    assert_eq!(needs_person(scene.at()), None, "it is told first");
    scene.work.checked.rejected.entry(Role::Execute).or_default().count = 1;
    let expected = "a.rs:1 is named as evidence, and there is no such file: \
                    what the worker says of its work is not true";
    assert_eq!(needs_person(scene.at()).as_deref(), Some(expected));
    scene.work.checked.contradicted.places.clear();
    assert_eq!(needs_person(scene.at()), None);
}
