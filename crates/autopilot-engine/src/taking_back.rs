//! Makes a branch without the work of some phases. Nothing is checked out for it: the files are put together as trees, and where
//! that does not work out nothing has changed. What the branch had before stays under a rescue ref, made in the same stroke as the
//! branch is moved.

use std::path::PathBuf;

use autopilot_core::finding::quote;
use autopilot_core::phase_id::PhaseId;
use autopilot_journal::fault;

use crate::git::{Branch, Checkout, GitError, ObjectId, RunNames};
use crate::{rescue_refs, run_branch};

mod tree;

/// One branch to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakeBackOrder {
    /// What goes, the newest first.
    pub phases: Vec<TakenPhase>,
    pub branch: Branch,
    /// What it is made from: where the branch stands, or the user's branch.
    pub base: ObjectId,
    pub how: How,
    /// The roadmap in the repository, whose boxes are opened again.
    pub roadmap: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenPhase {
    pub phase: PhaseId,
    pub name: String,
    pub from: ObjectId,
    pub to: ObjectId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// The branch goes back to this commit.
    Reset { to: ObjectId },
    /// The branch gets a commit a phase.
    Revert,
    /// The branch is new, or is one whose commits `base` has already.
    Apart,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenBack {
    Done {
        commit: ObjectId,
        rescue: String,
    },
    /// Nothing was touched.
    Refused(Hindrance),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hindrance {
    /// Later work changed the same places.
    Conflicts {
        phase: PhaseId,
        paths: Vec<PathBuf>,
    },
    MovedBySomebodyElse {
        at: Option<ObjectId>,
    },
    CheckedOut {
        at: PathBuf,
    },
}

impl Hindrance {
    /// What happened, and what to do.
    pub fn words(&self, order: &TakeBackOrder) -> (String, String) {
        let branch = order.branch.short();
        match self {
            Hindrance::Conflicts { phase, paths } => {
                let taken = order.phases.iter().find(|one| one.phase == *phase);
                let range = taken.map(|one| format!("{}..{}", short(&one.from), short(&one.to)));
                let names: Vec<String> =
                    paths.iter().take(5).map(|path| quote(&path.to_string_lossy())).collect();
                (
                    format!(
                        "what came after phase {phase} changed the same places of {}",
                        names.join(", ")
                    ),
                    format!(
                        "revert it yourself: git revert --no-commit {}",
                        range.unwrap_or_default()
                    ),
                )
            }
            Hindrance::MovedBySomebodyElse { at: None } => (
                format!("the branch {branch} is gone"),
                "see git branch --list 'autopilot/*'".into(),
            ),
            Hindrance::MovedBySomebodyElse { at: Some(at) } => (
                format!("somebody else moved {branch}: it is at {}", short(at)),
                format!("put it back: git branch --force {branch} {}", order.base),
            ),
            Hindrance::CheckedOut { at } => (
                format!("{branch} is checked out in {}", at.display()),
                format!("switch to another branch there: git -C '{}' switch -", at.display()),
            ),
        }
    }
}

fn short(id: &ObjectId) -> &str {
    id.as_str().get(..8).unwrap_or(id.as_str())
}

/// Looks first: what was made before and not written down is found by its key.
pub fn take_back(
    checkout: &Checkout,
    names: &RunNames,
    order: &TakeBackOrder,
) -> Result<TakenBack, GitError> {
    let refused = |hindrance| Ok(TakenBack::Refused(hindrance));
    let seen = run_branch::seen(checkout, &order.branch.full())?;
    let tip = seen.as_ref().map(|seen| &seen.commit);
    let label = label(order);
    let rescues = rescue_refs::listed(checkout, names)?;
    let kept = rescues.iter().find(|(_, commit)| *commit == order.base).map(|(name, _)| name);
    if let (Some(tip), Some(kept)) = (tip, kept)
        && is_done(checkout, names, order, tip)?
    {
        return Ok(TakenBack::Done { commit: tip.clone(), rescue: kept.clone() });
    }
    if let Some(at) = seen.as_ref().and_then(|seen| seen.checked_out.clone()) {
        return refused(Hindrance::CheckedOut { at });
    }
    let is_as_expected = match (&order.how, tip) {
        (How::Apart, None) => true,
        // An earlier one that was merged since has done its duty.
        (How::Apart, Some(tip)) => checkout.git.contains(&checkout.place, &order.base, tip)?,
        (How::Reset { .. } | How::Revert, tip) => tip == Some(&order.base),
    };
    if !is_as_expected {
        return refused(Hindrance::MovedBySomebodyElse { at: tip.cloned() });
    }
    let commit = match &order.how {
        How::Reset { to } => to.clone(),
        How::Revert | How::Apart => match reverted(checkout, names, order)? {
            Ok(commit) => commit,
            Err(hindrance) => return refused(hindrance),
        },
    };
    let rescue = match kept {
        Some(kept) => kept.clone(),
        None => rescue_refs::free_name(names, &label, &rescues)?,
    };
    let old = tip.map_or_else(|| commit.none_yet(), ToString::to_string);
    let full = order.branch.full();
    let mut commands = format!("update {full} {commit} {old}\n");
    if kept.is_none() {
        commands.push_str(&format!("create {rescue} {}\n", order.base));
    }
    for name in [&full, &rescue] {
        checkout.remove_stale_lock(name)?;
    }
    let failed = |source| GitError::Io { path: checkout.root().to_path_buf(), source };
    fault::point("take_back.refs").map_err(failed)?;
    let arguments = ["update-ref", "--no-deref", "-m", "autopilot rollback", "--stdin"];
    checkout.git.tell_at(&checkout.place, &arguments, commands)?;
    Ok(TakenBack::Done { commit, rescue })
}

/// The commits that undo the phases, one on top of the other; no branch knows of them yet.
fn reverted(
    checkout: &Checkout,
    names: &RunNames,
    order: &TakeBackOrder,
) -> Result<Result<ObjectId, Hindrance>, GitError> {
    let mut head = order.base.clone();
    for taken in &order.phases {
        let tree = match tree::without(checkout, taken, &head, &order.roadmap)? {
            Ok(tree) => tree,
            Err(paths) => {
                return Ok(Err(Hindrance::Conflicts { phase: taken.phase.clone(), paths }));
            }
        };
        let message = message(names, order, taken);
        head = checkout.git.commit_object(&checkout.place, &tree, &head, &message)?;
    }
    Ok(Ok(head))
}

fn message(names: &RunNames, order: &TakeBackOrder, taken: &TakenPhase) -> String {
    let TakenPhase { phase, name, from, to } = taken;
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let (run, key) = (names.run(), key(names, order));
    format!(
        "revert(phase {phase}): {name}\n\nTakes back {from}..{to}.\n\n\
         Autopilot-Run: {run}\nAutopilot-Phase: {phase}\nAutopilot-Key: {key}\n"
    )
}

/// Names this rollback for ever.
fn key(names: &RunNames, order: &TakeBackOrder) -> String {
    let phases: Vec<String> = order.phases.iter().map(|one| one.phase.to_string()).collect();
    format!("{}.rollback.{}.{}", names.run(), phases.join("."), order.base)
}

/// Whether the branch is as this very order leaves it.
fn is_done(
    checkout: &Checkout,
    names: &RunNames,
    order: &TakeBackOrder,
    tip: &ObjectId,
) -> Result<bool, GitError> {
    if let How::Reset { to } = &order.how {
        return Ok(tip == to);
    }
    let format = "--format=%(trailers:key=Autopilot-Key,valueonly,separator=%x0A)";
    let arguments = ["log", "--no-patch", "--max-count=1", format, tip.as_str(), "--"];
    let said = checkout.git.must_at(&checkout.place, &arguments)?.stdout.text();
    Ok(said.lines().any(|line| line == key(names, order)))
}

fn label(order: &TakeBackOrder) -> String {
    match order.phases.as_slice() {
        [one] => format!("rollback-phase-{}", one.phase),
        _ => "rollback".to_string(),
    }
}

#[cfg(test)]
#[path = "taking_back_tests.rs"]
mod tests;
