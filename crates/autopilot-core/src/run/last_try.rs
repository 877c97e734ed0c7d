//! The last try at a phase, told from the events of its run: the state when the try was over, with all of its facts, what was decided
//! on the way, and who worked on it. For whoever asks afterwards what a phase did.

use crate::contract::Role;
use crate::phase_id::PhaseId;
use crate::run::event::{Event, Spend};
use crate::run::ids::Moment;
use crate::run::spending::{Spender, Spending, Spent};
use crate::run::state::{PhaseState, RunState};
use crate::run::words::{self, Said};
use crate::run::{Illegal, apply};

pub struct LastTry {
    /// As it was when the try was over, or as it is.
    pub run: RunState,
    phase: PhaseId,
    pub started_at: Moment,
    pub ended_at: Moment,
    /// In the order they happened; how the phase ended is in its status.
    pub decided: Vec<Said>,
    pub workers: Vec<Worker>,
    /// It passed, and somebody took it back since.
    pub is_taken_back: bool,
}

/// Who worked on it in which role, and what that took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    pub role: Role,
    pub agent: String,
    pub model: Option<String>,
    pub attempts: u32,
    pub spend: Spend,
}

impl LastTry {
    /// None where nobody has begun with the phase in this run.
    pub fn of(events: &[(&Event, Moment)], phase: &PhaseId) -> Result<Option<LastTry>, Illegal> {
        let begins = |(event, _): &(&Event, Moment)| matches!(event, Event::PhaseStarted { phase: one } if one == phase);
        let Some(from) = events.iter().rposition(begins) else { return Ok(None) };
        let over = events[from..].iter().position(|(event, _)| is_end(event, phase));
        let until = over.map_or(events.len() - 1, |over| from + over);
        let mut state: Option<RunState> = None;
        let (mut decided, mut before) = (Vec::new(), Spending::default());
        for (at, (event, moment)) in events[..=until].iter().enumerate() {
            if let Some(run) = &state {
                if at == from {
                    before = run.spending.clone();
                }
                let said = (at > from && is_decision(event)).then(|| words::said(run, event));
                let said = said.flatten();
                decided.extend(said.filter(|said| said.phase.as_ref() == Some(phase)));
            }
            state = Some(apply(state, event, *moment)?);
        }
        Ok(state.map(|run| LastTry {
            phase: phase.clone(),
            started_at: events[from].1,
            ended_at: events[until].1,
            decided,
            workers: workers(&before, &run.spending),
            is_taken_back: events[until..].iter().any(|(event, _)| takes_back(event, phase)),
            run,
        }))
    }

    pub fn phase(&self) -> Option<&PhaseState> {
        self.run.phase(&self.phase)
    }
}

/// The phase that was begun last.
pub fn newest_phase<'e>(events: impl DoubleEndedIterator<Item = &'e Event>) -> Option<PhaseId> {
    events.rev().find_map(|event| match event {
        Event::PhaseStarted { phase } => Some(phase.clone()),
        _ => None,
    })
}

fn is_end(event: &Event, wanted: &PhaseId) -> bool {
    match event {
        Event::PhaseCompleted { phase, .. }
        | Event::PhaseFailed { phase, .. }
        | Event::PhaseDeferred { phase, .. } => phase == wanted,
        _ => false,
    }
}

fn takes_back(event: &Event, wanted: &PhaseId) -> bool {
    matches!(event, Event::RollbackCompleted { phases, .. } if phases.contains(wanted))
}

/// What changed the way of the work, and not what every phase goes through.
fn is_decision(event: &Event) -> bool {
    matches!(
        event,
        Event::PlanSentBack { .. }
            | Event::TaskRetried { .. }
            | Event::TaskFailed { .. }
            | Event::TaskSkipped { .. }
            | Event::ReturnRejected { .. }
            | Event::IntegrityWarning { .. }
            | Event::UnnecessaryDeferralWarning { .. }
            | Event::CrossContaminationWarning { .. }
            | Event::VerdictReached { .. }
            | Event::DebugAttempt { .. }
            | Event::ReplanAttempt { .. }
            | Event::RemediationStarted { .. }
            | Event::StepFailed { .. }
            | Event::RolledBack { .. }
            | Event::EffectFailed { .. }
    )
}

/// What was spent between two moments, by whom.
fn workers(before: &Spending, after: &Spending) -> Vec<Worker> {
    let known = |who: &Spender| before.rows().find(|(one, _)| *one == who).map(|(_, spent)| *spent);
    let rows = after.rows().filter_map(|(who, spent)| {
        let Spent { attempts, spend } = known(who).unwrap_or_default();
        let attempts = spent.attempts.saturating_sub(attempts);
        (attempts > 0).then(|| Worker {
            role: who.role,
            agent: who.agent.clone(),
            model: who.model.clone(),
            attempts,
            spend: spent.spend.without(&spend),
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::state::PhaseStatus;
    use crate::run::story;

    #[test]
    fn a_phase_is_told_with_the_facts_it_had_when_it_was_over() {
        let story = story::told();
        let events: Vec<(&Event, Moment)> =
            story.events.iter().map(|(event, at)| (event, *at)).collect();
        let ids = events.iter().filter_map(|(event, _)| match event {
            Event::PhaseStarted { phase } => Some(phase.clone()),
            _ => None,
        });
        for id in ids {
            let tried = LastTry::of(&events, &id).unwrap().unwrap();
            let phase = tried.phase().unwrap();
            assert!(phase.work.is_some(), "{id}: its facts are there, though others came after it");
            assert!(tried.started_at <= tried.ended_at, "{id}");
            if phase.status.is_over() && phase.status != PhaseStatus::Waiting {
                assert!(!tried.decided.is_empty(), "{id}: at least its verdict");
            }
            let all: u64 = tried.workers.iter().map(|one| one.spend.counted_tokens()).sum();
            assert_eq!(all, phase.work.as_ref().unwrap().spend.counted_tokens(), "{id}");
        }
        assert!(LastTry::of(&events, &"99".parse().unwrap()).unwrap().is_none());
    }
}
