//! Holds a receipt against what was measured again (`autopilot prove`): proven is only what came out the same everywhere. What could
//! not be measured is missing; what came out another way makes the receipt false.

use crate::run::files::receipt::Receipt;
use crate::run::measured::{CheckName, CheckResult, Measured};
use crate::run::outcome::{CriterionClass, Passing};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofVerdict {
    Proven,
    NotProven,
    False,
}

impl ProofVerdict {
    pub fn words(self) -> &'static str {
        match self {
            ProofVerdict::Proven => "PROVEN",
            ProofVerdict::NotProven => "NOT PROVEN",
            ProofVerdict::False => "FALSE",
        }
    }
}

/// What came of measuring again, in sentences for people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proof {
    /// What could not be seen.
    pub missing: Vec<String>,
    /// What was seen and is another.
    pub differs: Vec<String>,
}

impl Proof {
    pub fn lacking(why: impl Into<String>) -> Proof {
        Proof { missing: vec![why.into()], differs: Vec::new() }
    }

    pub fn refuted(why: impl Into<String>) -> Proof {
        Proof { missing: Vec::new(), differs: vec![why.into()] }
    }

    pub fn verdict(&self) -> ProofVerdict {
        match (self.differs.is_empty(), self.missing.is_empty()) {
            (false, _) => ProofVerdict::False,
            (true, false) => ProofVerdict::NotProven,
            (true, true) => ProofVerdict::Proven,
        }
    }
}

/// What was measured again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Again {
    /// Of the commit that was asked for.
    pub now: Vec<Measured>,
    /// What has to be red on the commit the work began from; None where that commit is not here.
    pub before: Option<Vec<Measured>>,
    /// What has to be red on the commit of the work, with the code as it was before; None where one of the two commits is not here.
    pub without_work: Option<Vec<Measured>>,
}

/// The criteria whose check has to be red before the work.
pub fn red_before(receipt: &Receipt) -> Vec<CheckName> {
    let proven = receipt.criteria.iter().filter(|one| one.class == CriterionClass::Proven);
    proven.filter_map(|one| one.check).collect()
}

/// The tests that have to be red without the code of the phase, because that is why they were believed.
pub fn red_without_work(receipt: &Receipt) -> Vec<CheckName> {
    let seen = receipt.without_work.iter().flat_map(|without| &without.measured);
    let red = seen.filter(|one| matches!(one.result, CheckResult::Red { .. }));
    red.map(|one| one.check).collect()
}

pub fn compare(receipt: &Receipt, again: &Again) -> Proof {
    let mut proof = Proof::default();
    if receipt.measured.is_empty() {
        proof.missing.push("nothing was measured when the phase passed".to_string());
    }
    for then in &receipt.measured {
        green_again(&mut proof, then, again.now.iter().find(|one| one.check == then.check));
    }
    if let Some(why) = nothing_speaks_for_it(receipt) {
        proof.missing.push(why.to_string());
    }
    let base = receipt.base.short();
    let lacking = format!("commit {base} is not here");
    let before = again.before.as_deref().ok_or(lacking);
    red_again(&mut proof, &red_before(receipt), &before, When::Before);
    let lacking = format!("commit {base} or {} is not here", receipt.commit.short());
    let without = again.without_work.as_deref().ok_or(lacking);
    red_again(&mut proof, &red_without_work(receipt), &without, When::WithoutWork);
    proof
}

fn green_again(proof: &mut Proof, then: &Measured, now: Option<&Measured>) {
    let (check, command) = (then.check, &then.command);
    if !then.result.is_green() {
        return proof.missing.push(format!("{check} was not green when the phase passed"));
    }
    let Some(now) = now else {
        return proof.missing.push(format!("{check} has no command here: {command}"));
    };
    match now.result {
        CheckResult::Green if now.is_flaky => {
            proof.missing.push(format!("{check} is flaky: red, then green (`{command}`)"));
        }
        CheckResult::Green => fewer(proof, then, now),
        CheckResult::Red { exit } => {
            let exit = exit.map_or("a signal".to_string(), |code| format!("exit {code}"));
            let tail = last_line(&now.tail);
            proof.differs.push(format!("{check} is red, {exit} (`{command}`){tail}"));
        }
        CheckResult::TimedOut => proof.missing.push(format!("{check} timed out (`{command}`)")),
        CheckResult::NoTests => proof.differs.push(format!("{check} ran no test (`{command}`)")),
        CheckResult::NotRun => {
            let tail = last_line(&now.tail);
            proof.missing.push(format!("{check} could not be run (`{command}`){tail}"));
        }
    }
}

/// Tests that are gone are no proof, however green the rest is.
fn fewer(proof: &mut Proof, then: &Measured, now: &Measured) {
    let Some(told) = &then.tests else { return };
    let passed = now.tests.as_ref().map_or(0, |tests| tests.passed);
    if passed < told.passed {
        let (check, before) = (then.check, told.passed);
        proof.differs.push(format!("{check} has {passed} passing tests, {before} in the receipt"));
    }
}

/// What is green may have nothing to do with the work. Why nobody saw more than that when the phase passed; None where something was
/// seen to change with the work.
fn nothing_speaks_for_it(receipt: &Receipt) -> Option<&'static str> {
    if !red_before(receipt).is_empty() || !red_without_work(receipt).is_empty() {
        return None;
    }
    match receipt.passed {
        Some(Passing::Proven) if receipt.without_work.is_some() => Some(
            "its tests were green without the code of the phase: nothing that is measured looks at the work",
        ),
        // Such as a phase of nothing but tests, which are looked at by being run.
        Some(Passing::Proven) => None,
        Some(Passing::Judged) => {
            Some("it passed as judged only: nothing that is measured looks at the work")
        }
        Some(Passing::ForceIncomplete) => {
            Some("it passed incomplete, and nothing that is measured looks at the work")
        }
        Some(Passing::Unproven) => Some("it passed without any check, because that was allowed"),
        None => Some("it had not passed when this was written"),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Before,
    WithoutWork,
}

/// `seen` is what was measured, or why nothing could be.
fn red_again(
    proof: &mut Proof,
    checks: &[CheckName],
    seen: &Result<&[Measured], String>,
    when: When,
) {
    let words = match when {
        When::Before => "before the work",
        When::WithoutWork => "without the code of the phase",
    };
    for check in checks {
        let one = match seen {
            Ok(seen) => seen.iter().find(|one| one.check == *check),
            Err(why) => {
                proof.missing.push(format!("{check} cannot be seen red {words}: {why}"));
                continue;
            }
        };
        let Some(one) = one else {
            proof.missing.push(format!("{check} was not measured {words}"));
            continue;
        };
        let command = &one.command;
        match one.result {
            CheckResult::Red { .. } => {}
            // A test that was not there could not pass either.
            CheckResult::NoTests if when == When::Before => {}
            CheckResult::Green => proof
                .differs
                .push(format!("{check} is green {words} too, so it proves nothing (`{command}`)")),
            CheckResult::TimedOut | CheckResult::NotRun | CheckResult::NoTests => {
                proof.missing.push(format!("{check} could not be run {words} (`{command}`)"));
            }
        }
    }
}

fn last_line(tail: &str) -> String {
    let line = tail.lines().rev().find(|line| !line.trim().is_empty());
    line.map(|line| format!(": {}", crate::finding::printable(line.trim()))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::files::receipt::{Criterion, WithoutWork};
    use crate::run::ids::Commit;
    use crate::test_counts::{Runner, TestCounts};

    const GREEN: CheckResult = CheckResult::Green;
    const RED: CheckResult = CheckResult::Red { exit: Some(1) };

    fn seen(check: CheckName, result: CheckResult) -> Measured {
        let (output_hash, tail) = (String::new(), "3 failed\n\n".to_string());
        let command = format!("make {check}");
        Measured {
            check,
            command,
            result,
            is_flaky: false,
            tests: None,
            took_ms: 1,
            output_hash,
            tail,
        }
    }

    fn receipt(measured: Vec<Measured>) -> Receipt {
        let id = |digit: char| -> Commit { digit.to_string().repeat(40).parse().unwrap() };
        let criterion = Criterion {
            text: "It is there".into(),
            class: CriterionClass::Proven,
            check: Some(CheckName::Criterion(1)),
            was_green: Some(false),
        };
        Receipt {
            version: 1,
            run: "run".into(),
            phase: "1".parse().unwrap(),
            name: "Base".into(),
            passed: Some(Passing::Proven),
            score: None,
            base: id('a'),
            commit: id('b'),
            tree: String::new(),
            measured,
            without_work: None,
            criteria: vec![criterion],
            inputs_known_to_the_worker: true,
            journal: Default::default(),
            hash: String::new(),
        }
    }

    #[test]
    fn proven_is_what_came_out_the_same_everywhere() {
        let (test, one) = (CheckName::Test, CheckName::Criterion(1));
        let whole = receipt(vec![seen(test, GREEN), seen(one, GREEN)]);
        let check =
            |now: &[Measured], before: Option<&[Measured]>, expected: ProofVerdict, words: &str| {
                let (now, before) = (now.to_vec(), before.map(<[Measured]>::to_vec));
                let proof = compare(&whole, &Again { now, before, without_work: None });
                let said = [proof.differs.clone(), proof.missing.clone()].concat().join("; ");
                assert_eq!(proof.verdict(), expected, "{said}");
                assert!(said.contains(words), "{said}");
            };
        let (good, red) = ([seen(test, GREEN), seen(one, GREEN)], [seen(one, RED)]);
        let green = [seen(one, GREEN)];
        check(&good, Some(&red), ProofVerdict::Proven, "");
        check(&good, None, ProofVerdict::NotProven, "commit aaaaaaaa is not here");
        check(&good, Some(&[]), ProofVerdict::NotProven, "was not measured before");
        check(&good, Some(&green), ProofVerdict::False, "green before the work too");
        let flipped = [seen(test, RED), seen(one, GREEN)];
        check(
            &flipped,
            Some(&red),
            ProofVerdict::False,
            "test is red, exit 1 (`make test`): 3 failed",
        );
        let gone = [seen(test, CheckResult::NotRun), seen(one, GREEN)];
        check(&gone, Some(&red), ProofVerdict::NotProven, "test could not be run");
        check(&red[..0], Some(&red), ProofVerdict::NotProven, "has no command here");
        let flaky = [Measured { is_flaky: true, ..seen(test, GREEN) }, seen(one, GREEN)];
        check(&flaky, Some(&red), ProofVerdict::NotProven, "test is flaky");
        let slow = [seen(test, CheckResult::TimedOut), seen(one, GREEN)];
        check(&slow, Some(&red), ProofVerdict::NotProven, "test timed out (`make test`)");
        let empty = [seen(test, CheckResult::NoTests), seen(one, GREEN)];
        check(&empty, Some(&red), ProofVerdict::False, "test ran no test");
        let unseen = [seen(one, CheckResult::TimedOut)];
        check(&good, Some(&unseen), ProofVerdict::NotProven, "could not be run before the work");
        let absent = [seen(one, CheckResult::NoTests)];
        check(&good, Some(&absent), ProofVerdict::Proven, "");
    }

    fn of_now(now: Vec<Measured>) -> Again {
        Again { now, ..Again::default() }
    }

    #[test]
    fn tests_that_were_believed_because_they_failed_without_the_work_have_to_fail_again() {
        let test = CheckName::Test;
        let said = |result| {
            let (files, measured) = (vec!["src/a.rs".to_string()], vec![seen(test, result)]);
            let without_work = Some(WithoutWork { files, measured });
            Receipt { criteria: Vec::new(), without_work, ..receipt(vec![seen(test, GREEN)]) }
        };
        let check = |then, now: Option<CheckResult>, expected: ProofVerdict, words: &str| {
            let without_work = now.map(|now| vec![seen(test, now)]);
            let proof =
                compare(&said(then), &Again { without_work, ..of_now(vec![seen(test, GREEN)]) });
            let said = [proof.differs.clone(), proof.missing.clone()].concat().join("; ");
            assert_eq!(proof.verdict(), expected, "{said}");
            assert!(said.contains(words), "{said}");
        };
        check(RED, Some(RED), ProofVerdict::Proven, "");
        check(RED, Some(GREEN), ProofVerdict::False, "green without the code of the phase too");
        check(
            RED,
            Some(CheckResult::TimedOut),
            ProofVerdict::NotProven,
            "could not be run without",
        );
        check(RED, Some(CheckResult::NoTests), ProofVerdict::NotProven, "could not be run without");
        check(RED, None, ProofVerdict::NotProven, "commit aaaaaaaa or bbbbbbbb is not here");
        // Whatever the receipt says it passed as.
        check(GREEN, None, ProofVerdict::NotProven, "tests were green without the code");
    }

    #[test]
    fn what_reviewers_alone_found_good_is_not_proven_however_green_it_is() {
        let verdict = |passed, criteria: Vec<Criterion>| {
            let green = vec![seen(CheckName::Test, GREEN), seen(CheckName::Criterion(1), GREEN)];
            let before = Some(vec![seen(CheckName::Criterion(1), RED)]);
            let again = Again { before, ..of_now(green.clone()) };
            compare(&Receipt { passed, criteria, ..receipt(green) }, &again)
        };
        let proven = receipt(Vec::new()).criteria;
        let standing: Vec<Criterion> = proven
            .iter()
            .map(|one| Criterion { class: CriterionClass::Standing, ..one.clone() })
            .collect();
        for (passed, words) in [
            (Some(Passing::Judged), "judged only"),
            (Some(Passing::ForceIncomplete), "incomplete"),
            (Some(Passing::Unproven), "without any check"),
            (None, "had not passed"),
        ] {
            let proof = verdict(passed, standing.clone());
            assert_eq!(proof.verdict(), ProofVerdict::NotProven, "{passed:?}");
            assert!(proof.missing.len() == 1 && proof.missing[0].contains(words), "{proof:?}");
        }
        assert_eq!(verdict(Some(Passing::Proven), standing).verdict(), ProofVerdict::Proven);
        let incomplete = verdict(Some(Passing::ForceIncomplete), proven);
        assert_eq!(incomplete.verdict(), ProofVerdict::Proven, "what was measured stands");
    }

    #[test]
    fn what_is_lacking_is_not_proven_and_what_is_refuted_is_false() {
        let lacking = Proof::lacking("the commit is not here");
        assert_eq!(lacking.verdict().words(), "NOT PROVEN");
        assert_eq!(lacking.missing, ["the commit is not here"]);
        let refuted = Proof::refuted("the tree is another");
        assert_eq!(refuted.verdict().words(), "FALSE");
        assert_eq!(refuted.differs, ["the tree is another"]);
        assert_eq!(Proof::default().verdict().words(), "PROVEN");
    }

    #[test]
    fn tests_that_are_gone_are_told() {
        let counted = |passed: u32| {
            let runner = Runner::CargoTest;
            let (failed, skipped, failed_names) = (0, 0, Vec::new());
            let tests = TestCounts { runner, passed, failed, skipped, failed_names };
            Measured { tests: Some(tests), ..seen(CheckName::Test, GREEN) }
        };
        let whole = Receipt { criteria: Vec::new(), ..receipt(vec![counted(12)]) };
        let verdict = |now: Measured| compare(&whole, &of_now(vec![now])).verdict();
        assert_eq!(verdict(counted(12)), ProofVerdict::Proven);
        assert_eq!(verdict(counted(13)), ProofVerdict::Proven);
        assert_eq!(verdict(counted(11)), ProofVerdict::False);
        assert_eq!(verdict(seen(CheckName::Test, GREEN)), ProofVerdict::False);
    }

    #[test]
    fn a_receipt_of_nothing_proves_nothing() {
        let bare = Receipt { criteria: Vec::new(), ..receipt(Vec::new()) };
        assert_eq!(compare(&bare, &of_now(Vec::new())).verdict(), ProofVerdict::NotProven);
        let red = Receipt { criteria: Vec::new(), ..receipt(vec![seen(CheckName::Test, RED)]) };
        let again = of_now(vec![seen(CheckName::Test, RED)]);
        assert_eq!(compare(&red, &again).verdict(), ProofVerdict::NotProven);
    }
}
