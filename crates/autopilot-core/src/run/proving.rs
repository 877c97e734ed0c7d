//! Holds a receipt against what was measured again (`autopilot prove`): proven is only what came out the same everywhere. What could
//! not be measured is missing; what came out another way makes the receipt false.

use crate::run::files::receipt::Receipt;
use crate::run::measured::{CheckName, CheckResult, Measured};
use crate::run::outcome::CriterionClass;

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

/// The criteria whose check has to be red before the work.
pub fn red_before(receipt: &Receipt) -> Vec<CheckName> {
    let proven = receipt.criteria.iter().filter(|one| one.class == CriterionClass::Proven);
    proven.filter_map(|one| one.check).collect()
}

/// `now` is what was measured of the work, `before` of the commit it began from; None where there is no such commit.
pub fn compare(receipt: &Receipt, now: &[Measured], before: Option<&[Measured]>) -> Proof {
    let mut proof = Proof::default();
    if receipt.measured.is_empty() {
        proof.missing.push("nothing was measured when the phase passed".to_string());
    }
    for then in &receipt.measured {
        again(&mut proof, then, now.iter().find(|one| one.check == then.check));
    }
    for check in red_before(receipt) {
        let seen = before.map(|before| before.iter().find(|one| one.check == check));
        match seen {
            None => proof.missing.push(format!(
                "{check} cannot be seen red before the work: commit {} is not here",
                receipt.base.short()
            )),
            Some(None) => proof.missing.push(format!("{check} was not measured before the work")),
            Some(Some(one)) => red_then(&mut proof, one),
        }
    }
    proof
}

fn again(proof: &mut Proof, then: &Measured, now: Option<&Measured>) {
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

fn red_then(proof: &mut Proof, one: &Measured) {
    let (check, command) = (one.check, &one.command);
    match one.result {
        // A test that was not there could not pass either.
        CheckResult::Red { .. } | CheckResult::NoTests => {}
        CheckResult::Green => proof.differs.push(format!(
            "{check} is green before the work too, so it proves nothing (`{command}`)"
        )),
        CheckResult::TimedOut | CheckResult::NotRun => {
            proof.missing.push(format!("{check} could not be run before the work (`{command}`)"));
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
    use crate::run::files::receipt::Criterion;
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
            passed: None,
            score: None,
            base: id('a'),
            commit: id('b'),
            tree: String::new(),
            measured,
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
                let proof = compare(&whole, now, before);
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
        let verdict = |now: Measured| compare(&whole, &[now], None).verdict();
        assert_eq!(verdict(counted(12)), ProofVerdict::Proven);
        assert_eq!(verdict(counted(13)), ProofVerdict::Proven);
        assert_eq!(verdict(counted(11)), ProofVerdict::False);
        assert_eq!(verdict(seen(CheckName::Test, GREEN)), ProofVerdict::False);
    }

    #[test]
    fn a_receipt_of_nothing_proves_nothing() {
        let bare = Receipt { criteria: Vec::new(), ..receipt(Vec::new()) };
        assert_eq!(compare(&bare, &[], None).verdict(), ProofVerdict::NotProven);
        let red = Receipt { criteria: Vec::new(), ..receipt(vec![seen(CheckName::Test, RED)]) };
        let again = [seen(CheckName::Test, RED)];
        assert_eq!(compare(&red, &again, None).verdict(), ProofVerdict::NotProven);
    }
}
