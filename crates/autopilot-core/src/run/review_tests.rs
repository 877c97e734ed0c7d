//! What the gate is told of a candidate, and what a remediation is given to work on.

use super::*;
use crate::contract::returns::{Concern, CriterionScore, Failure, Judgement, Rating};
use crate::run::checks::fixture::{Scene, commit, criterion, judgement, rating, verification};
use crate::run::measured::CheckResult;
use crate::run::work::{Rated, Stage};

fn score(text: &str) -> Score {
    text.parse().unwrap()
}

/// Asks for 9.0.
fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.run.definition.settings.threshold = score("9.0");
    scene
}

fn rated(tenths: u8, deficiency: Option<&str>) -> CriterionScore {
    let mut entry = rating(tenths, "as it is").scorecard.remove(0);
    entry.deficiency = deficiency.map(ToString::to_string);
    entry
}

fn concern(severity: ConcernSeverity, description: &str) -> Concern {
    let description = description.to_string();
    Concern { severity, description, file: None, expected_gain: None }
}

fn judged(concerns: &[Concern]) -> Judgement {
    Judgement { concerns: concerns.to_vec(), ..judgement("lib:1") }
}

/// As `1.1 rate: words`, one after the other.
fn told(scene: &Scene) -> String {
    let all = findings(scene.at());
    let each = all.iter().map(|one| format!("{} {}: {}", one.id, one.role.name(), one.deficiency));
    each.collect::<Vec<_>>().join(" / ")
}

/// A candidate that was kept, with one concern by which it is known again.
fn keep(scene: &mut Scene, number: u8, points: &str) {
    let facts = Candidate {
        judgement: Some(judged(&[concern(ConcernSeverity::Critical, "of the kept one")])),
        ..Candidate::default()
    };
    scene.work.rated.push(Rated {
        cycle: 0,
        commit: commit(number),
        score: score(points),
        is_green: true,
        is_accepted: true,
        facts,
    });
}

#[test]
fn a_low_score_is_a_finding_only_below_the_bar_and_with_words() {
    let mut scene = scene();
    let scorecard = vec![
        rated(89, Some("no message")),
        rated(90, Some("at the bar")),
        rated(100, Some("above it")),
        rated(50, None),
        rated(50, Some("  ")),
        rated(10, Some("no test")),
    ];
    scene.work.candidate.rating = Some(Rating { scorecard, alignment_score: None });
    assert_eq!(told(&scene), "1.1 rate: no message / 1.2 rate: no test");
}

#[test]
fn what_judge_and_verifier_say_follows_and_a_later_cycle_leaves_out_what_is_minor() {
    let mut scene = scene();
    let concerns = [
        concern(ConcernSeverity::Minor, "a name"),
        concern(ConcernSeverity::Major, "a gap"),
        concern(ConcernSeverity::Critical, "a hole"),
    ];
    scene.work.candidate.judgement = Some(judged(&concerns));
    let mut said = verification("lib:1");
    said.failures =
        vec![Failure { description: "it hangs".to_string(), category: None, file: None }];
    scene.work.candidate.verification = Some(said);
    let first = "1.1 judge: a name / 1.2 judge: a gap / 1.3 judge: a hole / 1.4 verify: it hangs";
    assert_eq!(told(&scene), first);
    scene.work.remediation_cycles = 2;
    assert_eq!(told(&scene), "3.1 judge: a gap / 3.2 judge: a hole / 3.3 verify: it hangs");
    scene.work.candidate.divergence = Some(judged(&[]));
    assert_eq!(told(&scene), "3.1 verify: it hangs", "the second word counts");
}

#[test]
fn the_gate_knows_whether_there_is_anything_to_mend() {
    let mut scene = scene();
    assert!(!case(scene.at(), &[]).has_findings);
    scene.work.candidate.judgement = Some(judged(&[concern(ConcernSeverity::Major, "a gap")]));
    assert!(case(scene.at(), &[]).has_findings);
}

#[test]
fn the_better_of_kept_and_last_is_the_one_to_improve() {
    let check = |kept: (u8, &str), last: Option<u8>, expected: &str| {
        let mut scene = scene();
        scene.work.head = commit(7);
        keep(&mut scene, kept.0, kept.1);
        scene.work.candidate.judgement =
            Some(judged(&[concern(ConcernSeverity::Major, "of the last one")]));
        scene.work.candidate.rating = last.map(|tenths| rating(tenths, "as it is"));
        assert_eq!(told(&scene), format!("1.1 judge: {expected}"), "{kept:?} {last:?}");
    };
    check((5, "8.5"), Some(80), "of the kept one");
    check((5, "8.5"), Some(85), "of the kept one");
    check((5, "8.5"), Some(86), "of the last one");
    check((5, "8.5"), None, "of the kept one");
    check((7, "8.5"), Some(80), "of the last one");
}

#[test]
fn a_verifier_that_failed_the_work_is_heard_over_a_judge_that_lets_it_through() {
    let check = |passes: Option<bool>, judge: Option<Recommendation>, expected| {
        let mut scene = scene();
        let candidate = &mut scene.work.candidate;
        candidate.verification = passes.map(|pass| {
            let mut said = verification("lib:1");
            said.pass = pass;
            said
        });
        candidate.judgement =
            judge.map(|recommendation| Judgement { recommendation, ..judged(&[]) });
        assert_eq!(recommendation(scene.at()), expected, "{passes:?} {judge:?}");
    };
    use Recommendation::{Debug, Halt, Proceed, Rollback};
    check(None, None, Proceed);
    check(Some(true), Some(Proceed), Proceed);
    check(Some(false), Some(Proceed), Debug);
    check(Some(false), None, Debug);
    check(Some(false), Some(Rollback), Rollback);
    check(Some(true), Some(Halt), Halt);
}

#[test]
fn criteria_are_counted_by_what_was_seen_before_and_after() {
    let mut scene = scene();
    let of = |command| criterion("It holds", command);
    let command = Some("make it");
    scene.phase.criteria = vec![of(command), of(command), of(command), of(command), of(None)];
    let names = [1, 2, 3, 4].map(CheckName::Criterion);
    scene.measure(&names);
    let mut before = scene.work.after().to_vec();
    before[0].result = CheckResult::Red { exit: Some(1) };
    scene.work.triage = Stage::Done(before);
    let expected = CriteriaCount { proven: 1, standing: 3, judged: 1 };
    assert_eq!(criteria_count(scene.at()), expected);
}

#[test]
fn a_new_plan_is_told_what_was_rated_how_and_which_tasks_failed() {
    let mut scene = scene();
    let scorecard = vec![rated(40, Some("no message")), rated(60, None)];
    scene.work.candidate.rating = Some(Rating { scorecard, alignment_score: None });
    for id in ["1-01-1", "1-01-2", "1-01-3"] {
        scene.task(id, &[]);
    }
    scene.work.tasks[0].outcome = Some(TaskOutcome::Done { commit: None });
    scene.work.tasks[1].outcome =
        Some(TaskOutcome::Failed { is_put_back: true, is_debugged: true });
    let refused = "A wrong password is refused with a clear message was rated";
    let expected = [
        format!("{refused} 4.0: no message"),
        format!("{refused} 6.0: as it is"),
        "task 1-01-2 failed".to_string(),
    ];
    assert_eq!(shortcomings(&scene.work), expected);
}
