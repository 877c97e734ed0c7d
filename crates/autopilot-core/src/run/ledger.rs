//! The latest outcome of every phase over all runs (SEL-1). It outlives the runs it is made from; where it says something about a
//! phase, the roadmap's own tick does not count any more.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::ids::{Moment, RunId};
use crate::run::outcome::{Passing, PhaseFailure, PhaseResult};
use crate::score::Score;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    pub phases: BTreeMap<PhaseId, Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub outcome: Outcome,
    pub run: RunId,
    pub at: Moment,
    pub score: Option<Score>,
    /// Of every rated candidate, over all runs, the oldest first.
    pub score_history: Vec<Score>,
    /// Another program said so; no run of ours has seen it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_imported: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Outcome {
    Completed {
        how: Passing,
    },
    Failed {
        failure: PhaseFailure,
    },
    /// Waits for a person's verdict.
    Deferred {
        why: String,
    },
    /// It passed, and somebody took it back since.
    TakenBack,
}

impl Ledger {
    pub fn is_completed(&self, id: &PhaseId) -> bool {
        matches!(self.phases.get(id).map(|entry| &entry.outcome), Some(Outcome::Completed { .. }))
    }

    /// Writes an outcome down. Doing so twice changes nothing; whether something changed is returned.
    pub fn pass(&mut self, id: &PhaseId, run: &RunId, at: Moment, result: &PhaseResult) -> bool {
        if self.is_from(id, run, at) {
            return false;
        }
        let mut score_history = self.history(id);
        score_history.extend(&result.score_history);
        let surplus = score_history.len().saturating_sub(limits::SCORE_HISTORY_MAX);
        score_history.drain(..surplus);
        let outcome = Outcome::Completed { how: result.how };
        let (run, score) = (run.clone(), result.score);
        let entry = Entry { outcome, run, at, score, score_history, is_imported: false };
        self.phases.insert(id.clone(), entry);
        true
    }

    pub fn fail(&mut self, id: &PhaseId, run: &RunId, at: Moment, failure: &PhaseFailure) -> bool {
        let outcome = Outcome::Failed { failure: failure.clone() };
        self.end(id, run, at, outcome)
    }

    pub fn defer(&mut self, id: &PhaseId, run: &RunId, at: Moment, why: &str) -> bool {
        let outcome = Outcome::Deferred { why: why.to_string() };
        self.end(id, run, at, outcome)
    }

    pub fn take_back(&mut self, id: &PhaseId, run: &RunId, at: Moment) -> bool {
        self.end(id, run, at, Outcome::TakenBack)
    }

    fn end(&mut self, id: &PhaseId, run: &RunId, at: Moment, outcome: Outcome) -> bool {
        if self.is_from(id, run, at) {
            return false;
        }
        let score_history = self.history(id);
        let run = run.clone();
        let entry = Entry { outcome, run, at, score: None, score_history, is_imported: false };
        self.phases.insert(id.clone(), entry);
        true
    }

    /// Whether the ledger has this or something later. A run that was over may be opened once more; what later runs brought counts
    /// then, and their names sort behind its own.
    fn is_from(&self, id: &PhaseId, run: &RunId, at: Moment) -> bool {
        self.phases.get(id).is_some_and(|entry| {
            let is_same = &entry.run == run && entry.at >= at;
            is_same || (!entry.is_imported && &entry.run > run && entry.at >= at)
        })
    }

    fn history(&self, id: &PhaseId) -> Vec<Score> {
        self.phases.get(id).map(|entry| entry.score_history.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::outcome::CriteriaCount;

    fn result(tenths: u8) -> PhaseResult {
        let score = Score::from_tenths(tenths).unwrap();
        PhaseResult {
            score: Some(score),
            how: Passing::Proven,
            commit: "1111111111111111111111111111111111111111".parse().unwrap(),
            criteria: CriteriaCount::default(),
            score_history: vec![score],
        }
    }

    #[test]
    fn an_outcome_written_twice_is_written_once() {
        let (id, run) = (PhaseId::number(3), "run-1".parse().unwrap());
        let mut ledger = Ledger::default();
        ledger.pass(&id, &run, Moment(5), &result(90));
        let once = ledger.clone();
        ledger.pass(&id, &run, Moment(5), &result(90));
        assert_eq!(ledger, once);
        let later = "run-2".parse().unwrap();
        ledger.pass(&id, &later, Moment(9), &result(95));
        let history: Vec<u8> =
            ledger.phases[&id].score_history.iter().map(|score| score.tenths()).collect();
        assert_eq!(history, [90, 95]);
        let text = serde_json::to_string(&ledger).unwrap();
        assert_eq!(serde_json::from_str::<Ledger>(&text).unwrap(), ledger);
    }
}
