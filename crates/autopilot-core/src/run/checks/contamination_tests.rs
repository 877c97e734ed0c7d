//! A table of what is contamination and what only looks like it.

use super::*;
use crate::run::checks::fixture::{Scene, judgement, rating, told, verification};
use crate::run::measured::CheckName;

const VERIFIER: &str = "The handler compares both hashes in constant time and answers with the same sentence \
                        whatever was wrong, which I tried with four inputs";

/// Whether the judge is found to repeat a verifier that said `verifier`.
fn judge_after(verifier: &str, judge: &str) -> String {
    let mut scene = Scene::new();
    scene.measure(&[CheckName::Test]);
    scene.work.candidate.verification = Some(verification(verifier));
    scene.work.candidate.judgement = Some(judgement(judge));
    told(&look(scene.at(), Role::Judge))
}

#[test]
fn a_long_run_of_anothers_words_is_contamination() {
    let told = judge_after(VERIFIER, &format!("As it happens {}", VERIFIER.to_lowercase()));
    assert_eq!(
        told,
        "rejected contamination: `independent_evidence[0]` has 12 words in a row of the verifier's report"
    );
    // Other punctuation and another beginning do not hide it.
    let altered = VERIFIER.replace("The handler", "It").replace(", which", " - which");
    assert!(judge_after(VERIFIER, &altered).starts_with("rejected"));
}

#[test]
fn what_everybody_has_before_their_eyes_is_not() {
    let check = |verifier: &str, judge: &str| assert_eq!(judge_after(verifier, judge), "");
    check(VERIFIER, "I read the comparison of the hashes and found it sound in every case");
    // The criterion in its own words, with a few more on either side.
    let criterion =
        "it is so that a wrong password is refused with a clear message as the plan asks";
    check(criterion, criterion);
    // The end of a check's output.
    let output = "all of the many small tests of this project have passed today";
    check(output, output);
    // Code and quotations.
    let code =
        "`if hash(a) == hash(b) then say welcome else say that the password or the name was wrong`";
    check(code, code);
    let quoted =
        "it prints \"the password or the name was wrong so please try again in a little while\"";
    check(quoted, quoted);
    // The same places.
    let places = "src/login.rs:12 src/hash.rs:3 tests/login.rs:40 and src/form.rs:9 show it, src/lib.rs:1 too";
    check(places, places);
    // A command and what it said, which the verifier lists among its commands.
    let mut scene = Scene::new();
    let ran =
        "make test says that eleven suites ran and not a single one of them was skipped or failed";
    let mut said = verification(ran);
    said.commands_run = vec![ran.to_string()];
    scene.work.candidate.verification = Some(said);
    scene.work.candidate.judgement = Some(judgement(ran));
    assert_eq!(told(&look(scene.at(), Role::Judge)), "");
    // Stock phrases are shorter than that.
    let stock = "All tests pass and the build is green without any warnings";
    check(stock, stock);
}

#[test]
fn anothers_conclusion_by_name_is_contamination_and_a_name_alone_is_not() {
    let rated = |text: &str| {
        let mut scene = Scene::new();
        scene.work.candidate.verification = Some(verification("seen"));
        scene.work.candidate.judgement = Some(judgement("seen"));
        scene.work.candidate.rating = Some(rating(94, text));
        told(&look(scene.at(), Role::Rate))
    };
    for bad in [
        "The verifier has passed it, so it is good",
        "VERIFICATION.md says pass",
        "judge recommends: proceed",
        "as the verifier's report confirmed",
    ] {
        assert!(rated(bad).starts_with("rejected contamination"), "{bad}");
    }
    for good in [
        "A verifier of tokens is missing",
        "The verifier failed to load its key, which the code handles",
        "to judge by the tests it may go on",
        "the input passed to the form is checked",
    ] {
        assert_eq!(rated(good), "", "{good}");
    }
}

#[test]
fn a_conclusion_stands_up_to_eight_words_behind_the_name() {
    let rated = |words: usize| {
        let mut scene = Scene::new();
        scene.work.candidate.verification = Some(verification("seen"));
        let between = "and so on ".repeat(3).split(' ').take(words).collect::<Vec<_>>().join(" ");
        let text = format!("the verifier {between} passed it");
        scene.work.candidate.rating = Some(rating(94, &text));
        told(&look(scene.at(), Role::Rate))
    };
    assert!(rated(7).starts_with("rejected"));
    assert_eq!(rated(8), "");
}

#[test]
fn who_spoke_first_has_copied_nobody() {
    let mut scene = Scene::new();
    scene.work.candidate.verification = Some(verification("seen"));
    scene.work.candidate.judgement = Some(judgement(VERIFIER));
    scene.work.candidate.rating = Some(rating(94, VERIFIER));
    assert_eq!(told(&look(scene.at(), Role::Judge)), "");
    assert_eq!(
        told(&look(scene.at(), Role::Rate)),
        "rejected contamination: `scorecard[0].justification` has 12 words in a row of the judge's report"
    );
}

#[test]
fn a_word_of_the_project_itself_names_nobody() {
    let mut scene = Scene::new();
    scene.phase.goal = "A verifier of tokens".to_string();
    scene.work.candidate.verification = Some(verification("seen"));
    scene.work.candidate.judgement = Some(judgement("the verifier passes each token on"));
    assert_eq!(told(&look(scene.at(), Role::Judge)), "");
    scene.phase.goal = "Tokens".to_string();
    assert!(told(&look(scene.at(), Role::Judge)).starts_with("rejected"));
}

/// What a verifier is told that says this after a candidate of which these facts are known.
fn verified_after(facts: Candidate, text: &str) -> String {
    let mut scene = Scene::new();
    let reviewed =
        crate::run::checks::Reviewed { attempt: crate::run::ids::AttemptId(9), took_ms: 1 };
    scene.work.rated.push(crate::run::work::Rated {
        cycle: 0,
        commit: crate::run::checks::fixture::commit(2),
        score: crate::score::Score::FULL,
        is_green: true,
        is_accepted: true,
        facts,
    });
    scene.work.candidate.verification = Some(verification(text));
    scene.work.candidate.reviewed.insert(Role::Verify, reviewed);
    told(&look(scene.at(), Role::Verify))
}

#[test]
fn scores_of_an_earlier_candidate_are_not_known_to_a_verifier() {
    let verified = |text: &str| {
        let facts = Candidate { rating: Some(rating(84, "seen")), ..Candidate::default() };
        verified_after(facts, text)
    };
    assert!(
        verified("better than the 8.4/10 the rater gave, or than rater: 8.4")
            .starts_with("rejected")
    );
    assert_eq!(verified("version 8.4 of the library"), "");
}

#[test]
fn what_a_verifier_said_of_an_earlier_candidate_a_verifier_may_say_again() {
    let said = Candidate { verification: Some(verification(VERIFIER)), ..Candidate::default() };
    assert_eq!(verified_after(said, VERIFIER), "");
    let said = Candidate { judgement: Some(judgement(VERIFIER)), ..Candidate::default() };
    assert!(verified_after(said, VERIFIER).starts_with("rejected"));
}

#[test]
fn the_second_time_it_is_only_told() {
    let mut scene = Scene::new();
    scene.work.candidate.verification = Some(verification(VERIFIER));
    scene.work.candidate.judgement = Some(judgement(VERIFIER));
    let rejected = crate::run::checks::Rejected { count: 1, ..Default::default() };
    scene.work.checked.rejected.insert(Role::Judge, rejected);
    assert!(told(&look(scene.at(), Role::Judge)).starts_with("warned contamination"));
}
