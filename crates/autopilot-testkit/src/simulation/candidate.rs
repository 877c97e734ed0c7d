//! What an auditor knows of one commit that may pass: what was measured on it and what reviewers said about it, from the events alone.

use autopilot_core::contract::returns::{
    ConcernSeverity, Judgement, Rating, Recommendation, Verification,
};
use autopilot_core::contract::{Returned, Role};
use autopilot_core::run::ids::Commit;
use autopilot_core::run::measured::Measured;
use autopilot_core::score::Score;

#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) commit: Commit,
    pub(super) is_green: bool,
    pub(super) has_checks: bool,
    pub(super) score: Option<Score>,
    recommendation: Option<Recommendation>,
    /// Whoever verified it found it wanting.
    is_failed: bool,
    is_put_off: bool,
    verifier_failures: bool,
    deficiencies: Vec<Score>,
    concern: Option<ConcernSeverity>,
}

impl Candidate {
    pub(super) fn measured(commit: &Commit, measured: &[Measured]) -> Self {
        Candidate {
            commit: commit.clone(),
            is_green: measured.iter().all(|one| one.result.is_green()),
            has_checks: !measured.is_empty(),
            score: None,
            recommendation: None,
            is_failed: false,
            is_put_off: false,
            verifier_failures: false,
            deficiencies: Vec::new(),
            concern: None,
        }
    }

    /// Checks that the phase itself brought.
    pub(super) fn bring(&mut self, measured: &[Measured]) {
        self.is_green &= measured.iter().all(|one| one.result.is_green());
        self.has_checks |= !measured.is_empty();
    }

    pub(super) fn hear(&mut self, returned: &Returned) {
        match returned {
            Returned::Verification(said) => self.verified(said),
            Returned::Judgement(said) => self.judged(said),
            Returned::Rating(said) => self.rated(said),
            Returned::Review(said) => {
                self.verified(&said.verification);
                self.rated(&said.rating);
            }
            _ => {}
        }
    }

    fn verified(&mut self, said: &Verification) {
        self.is_failed = !said.pass;
        self.is_put_off = said.deferral_evidence.is_some();
        self.verifier_failures = !said.failures.is_empty();
    }

    /// What was rejected was never said.
    pub(super) fn forget(&mut self, role: Role) {
        match role {
            Role::Verify => self.forget_verification(),
            Role::Judge | Role::JudgeDivergence => {
                (self.recommendation, self.concern) = (None, None)
            }
            Role::Rate => self.forget_rating(),
            Role::Review => {
                self.forget_verification();
                self.forget_rating();
            }
            _ => {}
        }
    }

    fn forget_verification(&mut self) {
        (self.is_failed, self.is_put_off, self.verifier_failures) = (false, false, false);
    }

    fn forget_rating(&mut self) {
        self.score = None;
        self.deficiencies.clear();
    }

    /// The last word is the one that counts.
    fn judged(&mut self, said: &Judgement) {
        self.recommendation = Some(said.recommendation);
        self.concern = said.concerns.iter().map(|concern| concern.severity).max();
    }

    fn rated(&mut self, said: &Rating) {
        let sum: u32 = said.scorecard.iter().map(|entry| u32::from(entry.score.tenths())).sum();
        let count = u32::try_from(said.scorecard.len()).unwrap_or(u32::MAX);
        let mean = sum.checked_div(count).and_then(|mean| u8::try_from(mean).ok());
        self.score = mean.and_then(Score::from_tenths);
        let named = said.scorecard.iter().filter(|entry| entry.deficiency.is_some());
        self.deficiencies = named.map(|entry| entry.score).collect();
    }

    /// Nothing speaks against it but its score.
    fn is_acceptable(&self) -> bool {
        let proceeds = self.recommendation.is_none_or(|said| said == Recommendation::Proceed);
        self.is_green && proceeds && !self.is_failed && !self.is_put_off
    }

    pub(super) fn has_findings(&self, threshold: Score, cycles: u32) -> bool {
        let least = if cycles == 0 { ConcernSeverity::Minor } else { ConcernSeverity::Major };
        self.verifier_failures
            || self.deficiencies.iter().any(|score| *score < threshold)
            || self.concern.is_some_and(|concern| concern >= least)
    }
}

/// Those that reviewers let through, and did not find wanting when they saw the same commit again.
pub(super) fn accepted(candidates: &[Candidate]) -> Vec<&Candidate> {
    let is_kept = |(at, one): &(usize, &Candidate)| {
        let later = candidates[at + 1..].iter().filter(|later| later.commit == one.commit);
        let mut reviewed = later.filter(|later| later.score.is_some());
        one.is_acceptable() && reviewed.all(Candidate::is_acceptable)
    };
    candidates.iter().enumerate().filter(is_kept).map(|(_, one)| one).collect()
}
