//! What is kept of a phase when a try at it is over: the figures that reports and metrics ask for. The facts they come from may go
//! then, so that a long run does not grow with every phase behind it.

use std::collections::BTreeMap;

use crate::contract::returns::Verification;
use crate::contract::{Category, Returned};
use crate::run::ids::Moment;
use crate::run::work::Work;
use crate::score::Score;

/// Of all tries in this run together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhaseSummary {
    /// When the first try began; None for a phase nobody has worked on.
    pub started_at: Option<Moment>,
    pub running_ms: u64,
    pub tokens: u64,
    pub debug_attempts: u32,
    pub replan_attempts: u32,
    pub remediation_cycles: u32,
    /// Of the last candidate that was rated, whatever became of it.
    pub score: Option<Score>,
    /// Where the confidence diagnostic lies, if one was written.
    pub diagnostic: Option<String>,
}

impl PhaseSummary {
    /// A try has ended that took so long.
    pub(super) fn add(&mut self, work: &Work, running_ms: u64) {
        self.started_at.get_or_insert(work.started_at);
        self.running_ms = self.running_ms.saturating_add(running_ms);
        self.tokens = self.tokens.saturating_add(work.spend.counted_tokens());
        self.debug_attempts = self.debug_attempts.saturating_add(work.debug_attempts);
        self.replan_attempts = self.replan_attempts.saturating_add(work.replan_attempts);
        self.remediation_cycles = self.remediation_cycles.saturating_add(work.remediation_cycles);
        self.score = work.rated.last().map(|rated| rated.score).or(self.score);
        self.diagnostic.clone_from(&work.diagnostic);
    }
}

/// How often each kind of failure was seen in the run (MET-1). An agent's own word counts with all other such words: the keys are
/// eleven, whatever agents say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taxonomy(BTreeMap<&'static str, u32>);

const UNCLASSIFIED: &str = "unclassified";

impl Taxonomy {
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, u32)> {
        self.0.iter().map(|(word, count)| (*word, *count))
    }

    pub(super) fn count(&mut self, category: &Category) {
        let word = Category::words().into_iter().find(|word| *word == category.word());
        let seen = self.0.entry(word.unwrap_or(UNCLASSIFIED)).or_default();
        *seen = seen.saturating_add(1);
    }

    /// What verifiers and debuggers name.
    pub(super) fn count_returned(&mut self, returned: &Returned) {
        match returned {
            Returned::Verification(said) => self.count_verified(said),
            Returned::Review(said) => self.count_verified(&said.verification),
            Returned::Debugging(said) => {
                said.failure_categories.iter().for_each(|category| self.count(category));
            }
            Returned::Research(_)
            | Returned::Planning(_)
            | Returned::PlanCheck(_)
            | Returned::Execution(_)
            | Returned::Delegation(_)
            | Returned::Judgement(_)
            | Returned::Rating(_)
            | Returned::NeedsAnswer(_) => {}
        }
    }

    fn count_verified(&mut self, said: &Verification) {
        for failure in &said.failures {
            let unnamed = Category::Unclassified(String::new());
            self.count(failure.category.as_ref().unwrap_or(&unnamed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_word_agents_use_the_kinds_stay_eleven() {
        let mut seen = Taxonomy::default();
        for word in ["lint_failure", "bad_luck", "lint_failure", "worse_luck"] {
            seen.count(&Category::from_word(word));
        }
        let counts: Vec<_> = seen.counts().collect();
        assert_eq!(counts, [("lint_failure", 2), ("unclassified", 2)]);
    }
}
