//! RECEIPT.json: what a phase rests on, committed with its work, so that whoever has nothing but a clone can measure it again. Says
//! of every check what it was, what was seen and on which tree, and of every criterion what that makes of it (PIPE-5a).

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::digest;
use crate::phase_id::PhaseId;
use crate::run::definition::PhaseDefinition;
use crate::run::gate::Verdict;
use crate::run::ids::Commit;
use crate::run::measured::{CheckName, Measured};
use crate::run::outcome::{CriterionClass, Passing};
use crate::run::state::PhaseState;
use crate::run::work::Candidate;
use crate::score::Score;

/// Its name in the phase's folder.
pub const FILE: &str = "RECEIPT.json";
const VERSION: u32 = 2;
/// It lacks what tests said without the work, and is else the same.
const OLDEST_VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    pub version: u32,
    pub run: String,
    pub phase: PhaseId,
    pub name: String,
    pub passed: Option<Passing>,
    pub score: Option<Score>,
    /// What the phase began from.
    pub base: Commit,
    /// What was measured. The commit that brings this file comes right after it.
    pub commit: Commit,
    /// The files of `commit`, by git's hash.
    pub tree: String,
    pub measured: Vec<Measured>,
    /// Absent where nobody had to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_work: Option<WithoutWork>,
    pub criteria: Vec<Criterion>,
    /// No check was hidden from whoever did the work.
    pub inputs_known_to_the_worker: bool,
    /// The last record of the run's journal before this was written.
    pub journal: JournalHead,
    /// Of this document without its hash.
    pub hash: String,
}

/// What tests said on `commit` when the phase's code was taken away. Only one that fails then speaks for the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithoutWork {
    /// The code: these files were as `base` has them.
    pub files: Vec<String>,
    pub measured: Vec<Measured>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    pub text: String,
    pub class: CriterionClass,
    pub check: Option<CheckName>,
    /// How its check came out on `base`.
    pub was_green: Option<bool>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalHead {
    pub seq: u64,
    pub hash: String,
}

/// None for a phase nobody has worked on.
pub fn of(phase: &PhaseState, run: &str, tree: &str, journal: JournalHead) -> Option<Receipt> {
    let work = phase.work.as_deref()?;
    let definition = &phase.definition;
    let receipt = Receipt {
        version: VERSION,
        run: run.to_string(),
        phase: definition.id.clone(),
        name: definition.name.clone(),
        passed: match &work.verdict {
            Some(Verdict::Pass { how }) => Some(*how),
            _ => None,
        },
        score: work.score(),
        base: work.base.clone(),
        commit: work.head.clone(),
        tree: tree.to_string(),
        measured: work.candidate.evidence.clone().unwrap_or_default(),
        without_work: without_work(&work.candidate),
        criteria: criteria(definition, work.before(), work.after()),
        inputs_known_to_the_worker: !definition.criteria.iter().any(|one| one.is_hidden),
        journal,
        hash: String::new(),
    };
    Some(Receipt { hash: receipt.own_hash(), ..receipt })
}

fn without_work(candidate: &Candidate) -> Option<WithoutWork> {
    let files = candidate.difference.as_ref()?.sources.clone();
    let measured = candidate.without_work.clone()?;
    Some(WithoutWork { files, measured })
}

pub(crate) fn criteria(
    definition: &PhaseDefinition,
    before: &[Measured],
    after: &[Measured],
) -> Vec<Criterion> {
    let numbered = (1u32..).zip(&definition.criteria);
    let each = numbered.map(|(number, criterion)| {
        let check = CheckName::Criterion(number);
        let was_green = before.iter().find(|one| one.check == check);
        Criterion {
            text: criterion.text.clone(),
            class: CriterionClass::of(criterion.command.is_some(), check, before, after),
            check: criterion.command.is_some().then_some(check),
            was_green: was_green.map(|one| one.result.is_green()),
        }
    });
    each.collect()
}

impl Receipt {
    /// Over the fields in their order, so that nothing in it can be changed unnoticed.
    pub fn own_hash(&self) -> String {
        let bare = Receipt { hash: String::new(), ..self.clone() };
        let text = serde_json::to_string(&bare).unwrap_or_default();
        digest::text(&Sha256::digest(text.as_bytes()))
    }

    /// As it is committed.
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        format!("{text}\n")
    }

    pub fn read(text: &str) -> Result<Receipt, String> {
        let receipt: Receipt = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match receipt.version {
            OLDEST_VERSION..=VERSION => Ok(receipt),
            other => Err(format!("it has version {other}, and this autopilot knows {VERSION}")),
        }
    }

    pub fn is_unchanged(&self) -> bool {
        self.hash == self.own_hash()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::story;

    fn receipt() -> Receipt {
        let told = story::told();
        let phase = told.state.phases.iter().find(|phase| phase.work.is_some()).unwrap();
        let journal = JournalHead { seq: 41, hash: "abc".into() };
        of(phase, "run-1", "0123", journal).unwrap()
    }

    #[test]
    fn what_is_written_is_read_back_and_a_change_is_noticed() {
        let receipt = receipt();
        let read = Receipt::read(&receipt.text()).unwrap();
        assert_eq!(read, receipt);
        assert!(read.is_unchanged());
        let mut changed = read.clone();
        changed.criteria[0].text.push('!');
        assert!(!changed.is_unchanged());
        let mut changed = read;
        changed.measured[0].command = "true".into();
        assert!(!changed.is_unchanged());
        assert!(Receipt::read("{}").is_err());
        let newer = receipt.text().replace("\"version\": 2", "\"version\": 3");
        assert!(Receipt::read(&newer).unwrap_err().contains("version 3"));
    }

    #[test]
    fn every_criterion_says_what_it_rests_on() {
        let receipt = receipt();
        for one in &receipt.criteria {
            let is_measured = receipt.measured.iter().any(|check| Some(check.check) == one.check);
            assert_eq!(one.check.is_some(), is_measured, "{one:?}");
            let is_proven = one.class == CriterionClass::Proven;
            assert_eq!(is_proven, is_measured && one.was_green == Some(false), "{one:?}");
        }
    }
}
