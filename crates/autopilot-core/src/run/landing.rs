//! How a run's work reaches the user's branch, and how phases of it are taken back. Both are asked for by people, the first one also
//! beforehand (`--merge`), and both may come when the run is over: it stands still then and does nothing else.

use serde::{Deserialize, Serialize};

use crate::exit::Exit;
use crate::phase_id::PhaseId;
use crate::run::apply::{refuse_if, take_in_flight};
use crate::run::breaker;
use crate::run::effect::Effect;
use crate::run::event::Event;
use crate::run::ids::Commit;
use crate::run::next::{Move, Waiting, result};
use crate::run::state::{PhaseState, PhaseStatus, RunBranch, RunState, RunStatus};
use crate::run::taking_back::{self, TakeBackOrder};

/// When the user's branch is to be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeTime {
    /// Once every phase is over, if all went well.
    AtEnd,
    Now,
}

/// Moves the user's branch, and the files of whoever has it checked out, forward to the run's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeOrder {
    /// The user's branch.
    pub branch: String,
    /// Where it has to stand.
    pub from: Commit,
    /// What the user's files are while nobody changes them: `from`, or what the run began with on top of it.
    pub files: Commit,
    /// The branch that has the work, for people.
    pub source: String,
    pub to: Commit,
}

/// What is known about the way of a run's work.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Landing {
    /// `--merge`.
    pub is_wanted: bool,
    /// Asked for, and nothing has come of it yet.
    pub asked: Option<Asked>,
    /// Where the run's branch began: the user's commit, or new planning files on top of it.
    pub opened: Option<Commit>,
    /// The phases whose work is on the run's branch, in the order they came there.
    pub merges: Vec<PhaseMerge>,
    /// Where the user's branch was seen or left last, if not where the run began.
    pub landed: Option<Commit>,
    /// Why it was not moved the last time somebody wanted that.
    pub refused: Option<Refused>,
    /// What came of the last rollback.
    pub taken_back: Option<TakenBack>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    Merge,
    /// Phases in the order they came; where the user's branch stands, if it has the work already.
    TakeBack {
        phases: Vec<PhaseId>,
        onto: Option<Commit>,
    },
}

/// A phase's way onto the run's branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseMerge {
    pub phase: PhaseId,
    pub from: Commit,
    pub to: Commit,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The work that was to be merged; none of a rollback.
    pub at: Option<Commit>,
    pub why: String,
    pub fix: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenBack {
    pub phases: Vec<PhaseId>,
    pub branch: String,
    pub commit: Commit,
    pub rescue: String,
    /// It is no part of the run's own branch but stands on the user's.
    pub is_apart: bool,
}

impl Landing {
    /// Whether the user's branch has all of the run's work, as far as is known.
    pub fn has_landed(&self, head: &Commit) -> bool {
        self.landed.as_ref() == Some(head)
    }
}

/// The order that would merge the run's work now; none where there is nothing to merge or nowhere to merge it to.
pub fn order(state: &RunState) -> Option<MergeOrder> {
    let landing = &state.landing;
    let (branch, opened) = (state.branch.as_ref()?, landing.opened.as_ref()?);
    let from = landing.landed.as_ref().unwrap_or(&state.definition.base);
    if from == &branch.head {
        return None;
    }
    Some(MergeOrder {
        branch: state.definition.user_branch.clone()?,
        from: from.clone(),
        files: landing.landed.as_ref().unwrap_or(opened).clone(),
        source: branch.name.clone(),
        to: branch.head.clone(),
    })
}

/// Instead of everything else: what somebody asked for by hand.
pub(super) fn by_hand(state: &RunState) -> Option<Move> {
    let asked = state.landing.asked.as_ref()?;
    if state.in_flight.is_some() {
        return Some(Move::Wait { until: None, why: Waiting::Attempt });
    }
    let effect = match asked {
        Asked::Merge => Effect::MergeRun(order(state)?),
        Asked::TakeBack { phases, onto } => {
            Effect::TakeBack(taking_back::order(state, phases, onto.as_ref())?)
        }
    };
    Some(Move::Start(effect))
}

/// The merge that was wanted beforehand, once all went well and as long as nothing speaks against it.
pub(super) fn at_end(state: &RunState) -> Option<Move> {
    let is_due = state.landing.is_wanted && result(state).exit() == Exit::Success;
    is_due.then(|| merge(state)).flatten()
}

/// Of a run in the user's own folder: what passed is theirs before anything else begins there.
pub(super) fn in_place(state: &RunState) -> Option<Move> {
    let is_due = state.definition.is_in_place && !state.landing.merges.is_empty();
    is_due.then(|| merge(state)).flatten()
}

/// Unless the very same was refused before.
fn merge(state: &RunState) -> Option<Move> {
    let refused = state.landing.refused.as_ref().and_then(|refused| refused.at.as_ref());
    let order = order(state).filter(|order| refused != Some(&order.to))?;
    Some(Move::Start(Effect::MergeRun(order)))
}

/// Whether an event belongs to what somebody asked for by hand, so that it may come although the run stands still.
pub(super) fn is_by_hand(state: &RunState, event: &Event) -> bool {
    let is_at_work = state.landing.asked.is_some();
    match event {
        Event::MergeRequested { when: MergeTime::AtEnd } => {
            !matches!(state.status, RunStatus::Completed(_))
        }
        Event::MergeRequested { when: MergeTime::Now } | Event::RollbackInitiated { .. } => true,
        Event::StepStarted { effect: Effect::MergeRun(_) | Effect::TakeBack(_), .. }
        | Event::AttemptLost { .. }
        | Event::RunMerged { .. }
        | Event::MergeRefused { .. }
        | Event::RollbackCompleted { .. }
        | Event::RollbackRefused { .. } => is_at_work,
        _ => false,
    }
}

pub(super) fn change(state: &mut RunState, event: &Event) -> Result<(), String> {
    match event {
        Event::MergeRequested { when } => request(state, *when),
        Event::RollbackInitiated { phases, onto } => {
            refuse_if_busy(state)?;
            let order = taking_back::order(state, phases, onto.as_ref());
            refuse_if(order.is_none(), "a phase of it is not on the run's branch")?;
            let (phases, onto) = (phases.clone(), onto.clone());
            state.landing.asked = Some(Asked::TakeBack { phases, onto });
            Ok(())
        }
        Event::RunMerged { attempt, .. }
        | Event::MergeRefused { attempt, .. }
        | Event::RollbackCompleted { attempt, .. }
        | Event::RollbackRefused { attempt, .. } => {
            let ended = take_in_flight(state, *attempt)?;
            breaker::attempt_ended(state, None);
            state.landing.asked = None;
            end(state, &ended.effect, event)
        }
        _ => Err("it is not about the way of the run's work".to_string()),
    }
}

fn request(state: &mut RunState, when: MergeTime) -> Result<(), String> {
    match when {
        MergeTime::AtEnd => {
            refuse_if(state.landing.is_wanted, "it is wanted already")?;
            state.landing.is_wanted = true;
        }
        MergeTime::Now => {
            refuse_if_busy(state)?;
            refuse_if(order(state).is_none(), "there is nothing to merge")?;
            state.landing.asked = Some(Asked::Merge);
        }
    }
    Ok(())
}

fn refuse_if_busy(state: &RunState) -> Result<(), String> {
    refuse_if(state.status == RunStatus::Running, "the run goes on")?;
    refuse_if(state.in_flight.is_some(), "an attempt is under way")?;
    refuse_if(state.landing.asked.is_some(), "something was asked for already")
}

fn end(state: &mut RunState, effect: &Effect, event: &Event) -> Result<(), String> {
    match (event, effect) {
        (Event::RunMerged { commit, .. }, Effect::MergeRun(order)) => {
            refuse_if(commit != &order.to, "another commit was to be merged")?;
            state.landing.landed = Some(commit.clone());
            state.landing.refused = None;
            Ok(())
        }
        (Event::MergeRefused { why, fix, .. }, Effect::MergeRun(order)) => {
            let (at, why, fix) = (Some(order.to.clone()), why.clone(), fix.clone());
            state.landing.refused = Some(Refused { at, why, fix });
            Ok(())
        }
        (Event::RollbackRefused { why, fix, .. }, Effect::TakeBack(_)) => {
            state.landing.refused = Some(Refused { at: None, why: why.clone(), fix: fix.clone() });
            Ok(())
        }
        (Event::RollbackCompleted { commit, rescue, .. }, Effect::TakeBack(order)) => {
            taken_back(state, order, commit, rescue);
            Ok(())
        }
        (_, effect) => Err(format!("it does not end an attempt at {}", effect.step())),
    }
}

/// The phases are as if they had never begun: whoever goes on with the run does them again.
fn taken_back(state: &mut RunState, order: &TakeBackOrder, commit: &Commit, rescue: &str) {
    let phases: Vec<PhaseId> = order.phases.iter().map(|taken| taken.phase.clone()).collect();
    for id in &phases {
        if let Some(phase) = state.phase_mut(id) {
            phase.take_back();
        }
    }
    state.landing.merges.retain(|merge| !phases.contains(&merge.phase));
    state.branch = Some(RunBranch { name: order.branch.clone(), head: commit.clone() });
    if order.is_apart() {
        state.landing.landed = Some(order.base.clone());
    }
    // Reports that are written already tell of work that is no longer there.
    state.report = None;
    state.landing.refused = None;
    state.landing.taken_back = Some(TakenBack {
        phases,
        branch: order.branch.clone(),
        commit: commit.clone(),
        rescue: rescue.to_string(),
        is_apart: order.is_apart(),
    });
}

/// Phases that passed and need one of these, directly or through others, in the order they came.
pub fn passed_dependents(state: &RunState, phases: &[PhaseId]) -> Vec<PhaseId> {
    let mut found: Vec<PhaseId> = Vec::new();
    let has_passed = |phase: &&PhaseState| matches!(phase.status, PhaseStatus::Passed(_));
    // Dependencies stand before what needs them, so one pass finds all.
    for phase in state.phases.iter().filter(has_passed) {
        let id = &phase.definition.id;
        let needs = |one: &PhaseId| phases.contains(one) || found.contains(one);
        if !phases.contains(id) && phase.definition.depends_on.iter().any(needs) {
            found.push(id.clone());
        }
    }
    found
}

#[cfg(test)]
#[path = "landing_tests.rs"]
mod tests;
