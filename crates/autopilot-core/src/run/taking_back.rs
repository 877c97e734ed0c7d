//! How phases are taken back: which branch is moved, and whether work goes by leaving commits out or by commits that undo it. What
//! others may have built on is never left out.

use serde::{Deserialize, Serialize};

use crate::phase_id::PhaseId;
use crate::run::ids::Commit;
use crate::run::landing::PhaseMerge;
use crate::run::state::{PhaseStatus, RunState};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeBackOrder {
    /// What goes, the newest first.
    pub phases: Vec<PhaseMerge>,
    /// The branch that is without it afterwards.
    pub branch: String,
    /// What that is made from; nothing of it is lost.
    pub base: Commit,
    pub how: TakeBackHow,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum TakeBackHow {
    /// The run's branch goes back to this commit: nobody has the work but the run.
    Reset { to: Commit },
    /// The run's branch gets a commit a phase that undoes it.
    Revert,
    /// The same on a branch of its own: the user's branch has the work already.
    Apart,
}

impl TakeBackOrder {
    pub(super) fn is_apart(&self) -> bool {
        self.how == TakeBackHow::Apart
    }
}

/// None where one of the phases has not passed or is not on the run's branch.
pub(super) fn order(
    state: &RunState,
    phases: &[PhaseId],
    onto: Option<&Commit>,
) -> Option<TakeBackOrder> {
    let branch = state.branch.as_ref()?;
    let merges = &state.landing.merges;
    let has_passed = |id: &PhaseId| {
        state.phase(id).is_some_and(|phase| matches!(phase.status, PhaseStatus::Passed(_)))
    };
    let is_there = |id: &PhaseId| has_passed(id) && merges.iter().any(|merge| &merge.phase == id);
    if phases.is_empty() || !phases.iter().all(is_there) {
        return None;
    }
    let taken: Vec<PhaseMerge> =
        merges.iter().rev().filter(|merge| phases.contains(&merge.phase)).cloned().collect();
    let (how, base) = match (onto, left_out(merges, &taken, &branch.head)) {
        (Some(onto), _) => (TakeBackHow::Apart, onto.clone()),
        (None, Some(to)) => (TakeBackHow::Reset { to }, branch.head.clone()),
        (None, None) => (TakeBackHow::Revert, branch.head.clone()),
    };
    let branch = match (onto, taken.last()) {
        (Some(_), Some(first)) => {
            format!("autopilot/{}-back-{}", state.definition.run, first.phase)
        }
        _ => branch.name.clone(),
    };
    Some(TakeBackOrder { phases: taken, branch, base, how })
}

/// Where the branch would stand without them, if they are all that came last on it.
fn left_out(merges: &[PhaseMerge], taken: &[PhaseMerge], head: &Commit) -> Option<Commit> {
    let last = merges.get(merges.len().checked_sub(taken.len())?..)?;
    let is_unbroken = last.windows(2).all(|two| two[0].to == two[1].from);
    let is_last = last.last().is_some_and(|merge| &merge.to == head);
    let is_same = last.iter().rev().eq(taken);
    (is_unbroken && is_last && is_same).then(|| last[0].from.clone())
}
