//! The gate table, row by row.

use super::*;

fn score(text: &str) -> Score {
    text.parse().unwrap()
}

/// A candidate that passes; each test spoils one thing.
fn good() -> Case {
    Case {
        recommendation: Recommendation::Proceed,
        score: Some(score("9.2")),
        threshold: score("9.0"),
        deferral: None,
        needs_person: None,
        reds: Vec::new(),
        red_before: None,
        failed_tasks: 0,
        evidence: Evidence::Proven,
        debug_left: 3,
        replan_left: 1,
        cycles_left: 2,
        has_findings: true,
        allows_unproven: false,
    }
}

fn word(case: &Case) -> &'static str {
    match decide(case) {
        Verdict::RollBack => "rollback",
        Verdict::Fail { .. } => "fail",
        Verdict::Defer { .. } => "defer",
        Verdict::Debug { .. } => "debug",
        Verdict::Pass { how: Passing::Proven } => "pass",
        Verdict::Pass { how: Passing::ForceIncomplete } => "force_incomplete",
        Verdict::Pass { how: Passing::Judged } => "judged",
        Verdict::Pass { how: Passing::Unproven } => "unproven",
        Verdict::Remediate => "remediate",
        Verdict::Replan => "replan",
    }
}

#[test]
fn the_score_is_compared_in_tenths() {
    let check = |rated: &str, bar: &str, expected: &str| {
        let case = Case { score: Some(score(rated)), threshold: score(bar), ..good() };
        assert_eq!(word(&case), expected, "{rated} against {bar}");
    };
    check("9.0", "9.0", "pass");
    check("8.9", "9.0", "remediate");
    check("8.9", "7.0", "pass");
    check("9.4", "9.5", "remediate");
    check("9.5", "9.5", "pass");
    check("7.0", "9.0", "remediate");
    check("6.9", "9.0", "replan");
    check("6.9", "7.0", "replan");
}

#[test]
fn nothing_red_ever_passes() {
    for reds in [CheckName::Compile, CheckName::Test, CheckName::Criterion(1)] {
        for rated in ["10.0", "8.0", "5.0"] {
            let red = Case { reds: vec![reds], score: Some(score(rated)), ..good() };
            assert_eq!(word(&red), "debug");
            assert_eq!(word(&Case { debug_left: 0, ..red }), "fail");
        }
    }
    let failed = Case { failed_tasks: 1, ..good() };
    assert_eq!(word(&failed), "debug");
    assert_eq!(word(&Case { debug_left: 0, ..failed }), "fail");
}

#[test]
fn the_first_row_that_fits_decides() {
    let everything = Case {
        recommendation: Recommendation::Rollback,
        deferral: Some("look".into()),
        reds: vec![CheckName::Test],
        score: None,
        ..good()
    };
    assert_eq!(word(&everything), "rollback");
    let halted = Case { recommendation: Recommendation::Halt, ..everything };
    assert_eq!(word(&halted), "fail");
    let deferred = Case { recommendation: Recommendation::Proceed, ..halted };
    assert_eq!(word(&deferred), "defer");
    let red = Case { deferral: None, ..deferred };
    assert_eq!(word(&red), "debug");
    assert_eq!(word(&Case { reds: Vec::new(), ..red }), "fail", "no score");
    assert_eq!(word(&Case { recommendation: Recommendation::Debug, ..good() }), "debug");
}

#[test]
fn what_cannot_be_proven_waits_for_a_person_unless_allowed() {
    let none = Case { evidence: Evidence::NoCheck, ..good() };
    assert_eq!(word(&none), "defer");
    assert_eq!(word(&Case { allows_unproven: true, ..none }), "unproven");
    assert_eq!(word(&Case { evidence: Evidence::OnlyJudged, ..good() }), "judged");
}

#[test]
fn remediation_ends_with_its_cycles_or_without_findings() {
    let low = Case { score: Some(score("8.2")), ..good() };
    assert_eq!(word(&low), "remediate");
    assert_eq!(word(&Case { cycles_left: 0, ..low.clone() }), "force_incomplete");
    assert_eq!(word(&Case { has_findings: false, ..low.clone() }), "force_incomplete");
    let unproven = Case { cycles_left: 0, evidence: Evidence::NoCheck, ..low };
    assert_eq!(word(&unproven), "defer", "without a check nothing passes, short or not");
}

#[test]
fn replanning_happens_once() {
    let poor = Case { score: Some(score("4.0")), ..good() };
    assert_eq!(word(&poor), "replan");
    assert_eq!(word(&Case { replan_left: 0, ..poor }), "fail");
}

#[test]
fn a_failure_is_named_for_the_first_red_check() {
    let check = |red: CheckName, expected: Category| {
        let case = Case { reds: vec![red], debug_left: 0, ..good() };
        match decide(&case) {
            Verdict::Fail { category, .. } => assert_eq!(category, expected),
            other => panic!("{other:?}"),
        }
    };
    check(CheckName::Compile, Category::CompilationFailure);
    check(CheckName::Lint, Category::LintFailure);
    check(CheckName::Build, Category::BuildFailure);
    check(CheckName::Test, Category::AcceptanceCriteriaUnmet);
}
