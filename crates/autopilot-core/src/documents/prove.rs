//! `autopilot prove --json`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::run::files::receipt::Receipt;
use crate::run::measured::{CheckResult, Measured};
use crate::run::proving::{Again, Proof, ProofVerdict};

/// What came of measuring a phase's receipt again.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "prove")]
pub struct ProveDocument<'a> {
    pub phase: String,
    pub verdict: VerdictWord,
    /// The commit that was measured.
    pub commit: &'a str,
    /// Absent when there is none to be read.
    pub receipt: Option<&'a str>,
    /// The worker knew every input: no check was hidden from it.
    pub inputs_known_to_the_worker: Option<bool>,
    pub checks: Vec<CheckDocument<'a>>,
    /// The checks that have to be red before the work, as they were on the commit it began from.
    pub before: Vec<CheckDocument<'a>>,
    /// The tests that have to be red without the code of the phase, as they were on the phase's commit without it.
    pub without_work: Vec<CheckDocument<'a>>,
    /// What could not be seen.
    pub missing: &'a [String],
    /// What was seen and is another.
    pub differs: &'a [String],
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictWord {
    Proven,
    NotProven,
    False,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CheckDocument<'a> {
    pub check: String,
    pub command: &'a str,
    pub result: ResultWord,
    pub flaky: bool,
    pub took_ms: u64,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultWord {
    Green,
    Red,
    TimedOut,
    NotRun,
    NoTests,
}

impl<'a> ProveDocument<'a> {
    pub fn of(
        phase: String,
        commit: &'a str,
        receipt: Option<&'a (String, Receipt)>,
        again: &'a Again,
        proof: &'a Proof,
    ) -> Self {
        ProveDocument {
            phase,
            verdict: match proof.verdict() {
                ProofVerdict::Proven => VerdictWord::Proven,
                ProofVerdict::NotProven => VerdictWord::NotProven,
                ProofVerdict::False => VerdictWord::False,
            },
            commit,
            receipt: receipt.map(|(path, _)| path.as_str()),
            inputs_known_to_the_worker: receipt.map(|(_, it)| it.inputs_known_to_the_worker),
            checks: documents(&again.now),
            before: documents(again.before.iter().flatten()),
            without_work: documents(again.without_work.iter().flatten()),
            missing: &proof.missing,
            differs: &proof.differs,
        }
    }
}

fn documents<'a>(measured: impl IntoIterator<Item = &'a Measured>) -> Vec<CheckDocument<'a>> {
    measured.into_iter().map(CheckDocument::of).collect()
}

impl<'a> CheckDocument<'a> {
    pub(super) fn of(measured: &'a Measured) -> Self {
        CheckDocument {
            check: measured.check.to_string(),
            command: &measured.command,
            result: match measured.result {
                CheckResult::Green => ResultWord::Green,
                CheckResult::Red { .. } => ResultWord::Red,
                CheckResult::TimedOut => ResultWord::TimedOut,
                CheckResult::NotRun => ResultWord::NotRun,
                CheckResult::NoTests => ResultWord::NoTests,
            },
            flaky: measured.is_flaky,
            took_ms: measured.took_ms,
        }
    }
}
