//! What is remembered of returns that were not accepted. What follows from it is shown in `checks.txt` of the scenarios.

use super::*;

fn checked() -> Checked {
    let rejected = |count: u32, role: Role, reasons: &[&str]| Rejected {
        count,
        reasons: reasons.iter().map(ToString::to_string).collect(),
        last: Vec::new(),
        role: Some(role),
    };
    let mut checked = Checked::default();
    checked.rejected.insert(Role::Verify, rejected(1, Role::Verify, &["no words"]));
    checked.rejected.insert(Role::Judge, rejected(2, Role::JudgeDivergence, &["a stamp"]));
    let reason = "quick".to_string();
    checked.warned.push(Warned { check: Integrity::TooFast, role: Role::Verify, reason });
    checked.workers.insert(AttemptId(1));
    checked.unclassified.push("bad luck".to_string());
    checked
}

#[test]
fn reports_know_what_was_rejected_and_warned_of_and_nothing_else() {
    let (rejected, warned) = (checked().rejected, checked().warned);
    assert_eq!(checked().told(), Checked { rejected, warned, ..Checked::default() });
    assert_eq!(checked().rejections(), 3);
    assert_eq!(Checked::default().rejections(), 0);
}

#[test]
fn a_warning_is_known_by_its_check_and_its_role() {
    let has_warned = |check: Integrity, role: Role| checked().has_warned(check, role);
    assert!(has_warned(Integrity::TooFast, Role::Verify));
    assert!(!has_warned(Integrity::TooFast, Role::Judge));
    assert!(!has_warned(Integrity::Contamination, Role::Verify));
}

#[test]
fn only_whoever_was_rejected_is_told_why_and_both_rounds_of_a_judge_are_one_step() {
    assert_eq!(checked().reasons(Role::Verify), ["no words"]);
    assert_eq!(checked().reasons(Role::JudgeDivergence), ["a stamp"]);
    assert!(checked().reasons(Role::Judge).is_empty());
    assert!(checked().reasons(Role::Rate).is_empty());
    assert!(checked().is_again(Role::Judge) && checked().is_again(Role::JudgeDivergence));
    assert!(!checked().is_again(Role::Rate));
    assert_eq!(checked().given_up().map(|(role, _)| role), Some(Role::Judge));
}
