//! CHECK-9 and CHECK-11: a judge brings evidence of its own, says in its second round how it stands to the verifier's report, and
//! does not agree with everything without having looked.

use crate::contract::Role;
use crate::contract::returns::Judgement;
use crate::run::checks::{Found, Integrity};
use crate::run::pipeline::At;

pub(super) fn look(at: At<'_>, role: Role) -> Vec<Found> {
    let candidate = &at.work.candidate;
    let (said, is_second) = match role {
        Role::JudgeDivergence => (candidate.divergence.as_ref(), true),
        _ => (candidate.judgement.as_ref(), false),
    };
    let reasons = said.map(|said| shortcomings(said, is_second)).unwrap_or_default();
    match reasons.is_empty() {
        true => Vec::new(),
        false => vec![Found::Rejected { check: Integrity::JudgeReport, reasons }],
    }
}

fn shortcomings(said: &Judgement, is_second: bool) -> Vec<String> {
    let has_words = |list: &[String]| list.iter().any(|text| !text.trim().is_empty());
    let has_evidence = has_words(&said.independent_evidence);
    let mut reasons = Vec::new();
    if !is_second {
        if !has_evidence {
            reasons.push("`independent_evidence` is empty: a judgement needs evidence of its own");
        }
        return reasons.into_iter().map(str::to_string).collect();
    }
    match said.verifier_agreement {
        None => reasons
            .push("`verifier_agreement` is missing: without it there is no divergence analysis"),
        Some(true) if !has_words(&said.verifier_missed) && !has_evidence => reasons.push(
            "agreement with the verifier on everything, and nothing in `independent_evidence`: a rubber stamp",
        ),
        Some(_) => {}
    }
    reasons.into_iter().map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::returns::Recommendation;
    use crate::run::checks::fixture::{Scene, told};

    fn said(evidence: &[&str], agrees: Option<bool>, missed: &[&str]) -> Judgement {
        let list = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        Judgement {
            recommendation: Recommendation::Proceed,
            concerns: Vec::new(),
            independent_evidence: list(evidence),
            verifier_agreement: agrees,
            verifier_missed: list(missed),
            missing_requirements: Vec::new(),
        }
    }

    #[test]
    fn a_judge_shows_something_and_analyses_the_divergence() {
        let check = |role: Role, judgement: Judgement, is_rejected: bool| {
            let mut scene = Scene::new();
            match role {
                Role::Judge => scene.work.candidate.judgement = Some(judgement.clone()),
                _ => scene.work.candidate.divergence = Some(judgement.clone()),
            }
            let told = told(&look(scene.at(), role));
            assert_eq!(!told.is_empty(), is_rejected, "{role:?} {judgement:?}: {told}");
        };
        check(Role::Judge, said(&["lib:1"], None, &[]), false);
        check(Role::Judge, said(&[], None, &[]), true);
        check(Role::Judge, said(&["  "], None, &[]), true);
        check(Role::JudgeDivergence, said(&["lib:1"], Some(true), &[]), false);
        check(Role::JudgeDivergence, said(&[], Some(true), &["the empty name"]), false);
        check(Role::JudgeDivergence, said(&[], Some(false), &[]), false);
        check(Role::JudgeDivergence, said(&[], Some(true), &[]), true);
        check(Role::JudgeDivergence, said(&["lib:1"], None, &["x"]), true);
    }
}
