//! CHECK-18, of criteria: what the command of a criterion runs is the user's word for what is wanted. Where the phase changed such a
//! file, it is laid over the work as it was, and the command is run once more. If it fails then, the criterion is green because it
//! asks for something else now. A plan that names the file asked for that, and it is told; else the work is sent back once, and then a
//! person decides.

use std::collections::BTreeSet;

use crate::contract::Role;
use crate::run::checks::run_files::RunFile;
use crate::run::checks::{Found, Integrity, honest_change, quoted};
use crate::run::effect::{Effect, LaidOver, Measurement, Purpose};
use crate::run::measured::{CheckName, CheckResult, Measured};
use crate::run::next::Move;
use crate::run::pipeline::At;

/// The order to measure; None where nothing is to be measured, or it was.
pub(in crate::run) fn order(at: At<'_>) -> Option<Move> {
    if at.work.candidate.criteria_before.is_some() {
        return None;
    }
    let mut checks = at.phase.criterion_checks();
    checks.retain(|check| is_green(at, check.name) && files(at, check.name).next().is_some());
    let names: BTreeSet<CheckName> = checks.iter().map(|check| check.name).collect();
    let files: BTreeSet<&str> =
        names.iter().flat_map(|name| files(at, *name)).map(|one| one.file.as_str()).collect();
    let files = files.into_iter().map(str::to_string).collect();
    (!checks.is_empty()).then(|| {
        Move::Start(Effect::Measure(Measurement {
            phase: Some(at.phase.id.clone()),
            purpose: Purpose::CriteriaBefore,
            at: at.work.head.clone(),
            snapshot: None,
            checks,
            laid_over: Some(LaidOver { from: at.work.base.clone(), files }),
        }))
    })
}

/// One that is red anyway says nothing when something is laid over it.
fn is_green(at: At<'_>, check: CheckName) -> bool {
    at.work.after().iter().any(|one| one.check == check && one.result.is_green())
}

/// What the criterion runs and the phase changed.
fn files(at: At<'_>, check: CheckName) -> impl Iterator<Item = &RunFile> {
    let changed = at.work.candidate.difference.iter().flat_map(|one| &one.run_files);
    changed.filter(move |one| CheckName::Criterion(one.criterion) == check)
}

pub(super) fn look(at: At<'_>) -> Vec<Found> {
    let check = Integrity::HonestChange;
    let (excused, rest): (Vec<&Measured>, Vec<&Measured>) =
        red(at).partition(|one| is_excused(at, one.check));
    let mut found = Vec::new();
    if !excused.is_empty() {
        let reasons: Vec<String> = excused
            .into_iter()
            .map(|one| format!("{}; the plan names what was changed", words(at, one)))
            .collect();
        found.push(Found::Warned { check, reason: reasons.join("; ") });
    }
    // A person is asked the second time, once everything else holds.
    if !rest.is_empty() && !at.work.checked.is_again(Role::Execute) {
        let reasons = rest.into_iter().map(|one| words(at, one)).collect();
        found.push(Found::Rejected { check, reasons });
    }
    found
}

/// Why a person decides: it was sent back for this and came again.
pub(super) fn needs_person(at: At<'_>) -> Option<String> {
    let rest: Vec<String> =
        red(at).filter(|one| !is_excused(at, one.check)).map(|one| words(at, one)).collect();
    (!rest.is_empty()).then(|| rest.join("; "))
}

/// One that did not end, could not be run or ran no test says nothing: what was laid over may not fit the rest.
fn red<'a>(at: At<'a>) -> impl Iterator<Item = &'a Measured> {
    let seen = at.work.candidate.criteria_before.iter().flatten();
    seen.filter(|one| matches!(one.result, CheckResult::Red { .. }))
}

/// The plan names all of it, or no file at all.
fn is_excused(at: At<'_>, check: CheckName) -> bool {
    let named = honest_change::named_files(at);
    named.is_empty() || files(at, check).all(|one| named.contains(&*one.file))
}

fn words(at: At<'_>, red: &Measured) -> String {
    let names: Vec<String> =
        files(at, red.check).map(|one| quoted(&one.file).trim_matches('"').to_string()).collect();
    let (names, check) = (names.join(", "), red.check);
    format!(
        "{names}, which {check} runs, was changed; as it was before the phase, {check} fails on this work"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::checks::fixture::{Scene, criterion, told};
    use crate::run::checks::{Difference, Rejected};

    const RED: CheckResult = CheckResult::Red { exit: Some(1) };

    /// A criterion that is green, whose script the phase changed, and a plan that names these files.
    fn scene(named: &[&str]) -> Scene {
        let mut scene = Scene::new();
        scene.phase.criteria = vec![
            criterion("It greets", Some("sh acceptance/name.sh")),
            criterion("It is quick", Some("sh acceptance/quick.sh")),
        ];
        scene.measure(&[CheckName::Criterion(1), CheckName::Criterion(2)]);
        scene.task("1-01-1", named);
        let run_files = vec![RunFile { criterion: 1, file: "acceptance/name.sh".to_string() }];
        scene.work.candidate.difference = Some(Difference { run_files, ..Difference::default() });
        scene
    }

    fn seen(scene: &mut Scene, result: CheckResult) {
        let mut measured = scene.work.candidate.evidence.clone().unwrap();
        measured.truncate(1);
        measured[0].result = result;
        scene.work.candidate.criteria_before = Some(measured);
    }

    const WHY: &str = "acceptance/name.sh, which criterion 1 runs, was changed; as it was before the phase, \
                       criterion 1 fails on this work";

    #[test]
    fn the_criterion_is_measured_once_with_its_script_as_it_was() {
        let mut scene = scene(&["src/a.py"]);
        let Some(Move::Start(Effect::Measure(order))) = order(scene.at()) else {
            panic!("it is to be measured");
        };
        assert_eq!(order.purpose, Purpose::CriteriaBefore);
        let checks: Vec<CheckName> = order.checks.iter().map(|one| one.name).collect();
        assert_eq!(checks, [CheckName::Criterion(1)], "the other runs nothing that was changed");
        let files = vec!["acceptance/name.sh".to_string()];
        assert_eq!(order.laid_over, Some(LaidOver { from: scene.work.base.clone(), files }));
        seen(&mut scene, CheckResult::Green);
        assert_eq!(super::order(scene.at()), None);
        assert_eq!((told(&look(scene.at())).as_str(), needs_person(scene.at())), ("", None));
    }

    #[test]
    fn nothing_is_measured_of_a_criterion_that_is_red_or_whose_files_are_as_they_were() {
        let mut red = scene(&[]);
        red.work.candidate.evidence.as_mut().unwrap()[0].result = RED;
        assert_eq!(order(red.at()), None);
        let mut same = scene(&[]);
        same.work.candidate.difference = Some(Difference::default());
        assert_eq!(order(same.at()), None);
    }

    #[test]
    fn a_criterion_that_asks_for_something_else_is_sent_back_once_and_then_a_persons_to_decide() {
        let mut scene = scene(&["src/a.py"]);
        seen(&mut scene, RED);
        assert_eq!(told(&look(scene.at())), format!("rejected honest_change: {WHY}"));
        assert_eq!(needs_person(scene.at()).as_deref(), Some(WHY));
        let rejected = Rejected { count: 1, ..Rejected::default() };
        scene.work.checked.rejected.insert(Role::Execute, rejected);
        assert_eq!(told(&look(scene.at())), "");
        assert_eq!(needs_person(scene.at()).as_deref(), Some(WHY));
    }

    #[test]
    fn a_plan_that_names_the_script_or_no_file_at_all_asked_for_it() {
        for named in [&["./acceptance/name.sh"][..], &[]] {
            let mut scene = scene(named);
            seen(&mut scene, RED);
            let why = format!("warned honest_change: {WHY}; the plan names what was changed");
            assert_eq!((told(&look(scene.at())), needs_person(scene.at())), (why, None));
        }
    }

    #[test]
    fn what_could_not_be_run_with_it_says_nothing() {
        for result in [CheckResult::NotRun, CheckResult::TimedOut, CheckResult::NoTests] {
            let mut scene = scene(&["src/a.py"]);
            seen(&mut scene, result);
            assert_eq!((told(&look(scene.at())).as_str(), needs_person(scene.at())), ("", None));
        }
    }
}
