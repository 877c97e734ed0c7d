//! What a run and its phase have used, in an auditor's own books: added up from what attempts told, never asked of the state.

use autopilot_core::run::definition::RunSettings;
use autopilot_core::run::effect::{AgentOrder, Effect};
use autopilot_core::run::event::{Event, Failure};
use autopilot_core::run::outcome::{Cap, Halt, Reached};

use super::ensure;
use super::tally::Tally;
use crate::scenario::account::cap_word;

pub(super) struct Purse {
    settings: RunSettings,
    run: Used,
    phase: Used,
    retries: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Used {
    tokens: u64,
    time_ms: u64,
    usd_micros: u64,
}

impl Purse {
    pub(super) fn new(settings: RunSettings) -> Self {
        Purse { settings, run: Used::default(), phase: Used::default(), retries: 0 }
    }

    /// Has to see every event once, in its order; `effect` is what it ends, if it ends something.
    pub(super) fn look(
        &mut self,
        event: &Event,
        effect: Option<&Effect>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        match event {
            Event::StepStarted { effect: Effect::RunAgent(order), .. } => self.started(order),
            Event::StepCompleted { work, .. } | Event::StepFailed { work, .. } => {
                self.use_up(work.spend.counted_tokens(), work.took_ms);
                self.run.usd_micros += work.spend.usd_micros.unwrap_or_default();
                let is_step = effect.is_some_and(|effect| effect.task().is_none());
                let is_retry = matches!(event, Event::StepFailed { .. }) && !is_obstacle(event);
                self.retries += u32::from(is_step && is_retry);
                Ok(())
            }
            Event::EvidenceMeasured { measured, .. } => {
                self.use_up(0, measured.iter().map(|one| one.took_ms).sum());
                Ok(())
            }
            Event::TaskRetried { .. }
            | Event::DebugAttempt { .. }
            | Event::ReplanAttempt { .. }
            | Event::ReturnRejected { .. }
            | Event::PlanSentBack { .. } => {
                self.retries += 1;
                Ok(())
            }
            Event::PhaseStarted { .. } => {
                self.phase = Used::default();
                Ok(())
            }
            Event::PhaseFailed { failure, .. } if failure.step == "budget" => {
                let cap = self.used_up().into_iter().find(|one| is_phases(one.cap));
                let cap = cap.ok_or("a phase failed for a cap that is not used up")?;
                tally.count("bound", cap_word(cap.cap));
                Ok(())
            }
            Event::RunHalted { why: Halt::BudgetReached(reached) } => {
                let is_true = self.used_up().contains(reached) && !is_phases(reached.cap);
                ensure(is_true, || format!("{reached:?} is not so"))
            }
            _ => Ok(()),
        }
    }

    /// Nothing starts once a cap is used up, and what starts gets no more than is left.
    fn started(&self, order: &AgentOrder) -> Result<(), String> {
        let used_up = self.used_up();
        ensure(used_up.is_empty(), || format!("an agent starts in spite of {used_up:?}"))?;
        let left = |max: u64, used: u64| max - used;
        let settings = &self.settings;
        let tokens = left(settings.phase_tokens_max, self.phase.tokens)
            .min(left(settings.run_tokens_max, self.run.tokens));
        ensure(order.tokens_max == tokens, || format!("{tokens} tokens were left: {order:?}"))?;
        let time_ms = left(settings.phase_time_max_ms, self.phase.time_ms)
            .min(left(settings.run_time_max_ms, self.run.time_ms))
            .min(settings.step_time_max_ms);
        ensure(order.time_max_ms == time_ms, || format!("{time_ms} ms were left: {order:?}"))?;
        let cap = settings.run_cost_max;
        let usd_micros = cap.map(|cap| left(cap.usd_micros, self.run.usd_micros));
        let is_left = order.usd_micros_max == usd_micros;
        ensure(is_left, || format!("{usd_micros:?} millionths of a dollar were left: {order:?}"))
    }

    fn use_up(&mut self, tokens: u64, time_ms: u64) {
        for used in [&mut self.run, &mut self.phase] {
            used.tokens += tokens;
            used.time_ms += time_ms;
        }
    }

    fn used_up(&self) -> Vec<Reached> {
        let Purse { settings, run, phase, retries } = self;
        let caps = [
            (Cap::RunTokens, run.tokens, settings.run_tokens_max),
            (Cap::RunTime, run.time_ms, settings.run_time_max_ms),
            (Cap::PhaseTokens, phase.tokens, settings.phase_tokens_max),
            (Cap::PhaseTime, phase.time_ms, settings.phase_time_max_ms),
            // The retry that is one too many is decided, and its agent not started.
            (Cap::RunRetries, u64::from(*retries), u64::from(settings.retries_max)),
        ];
        let cost = settings.run_cost_max;
        let cost = cost.map(|cap| (Cap::RunCost, run.usd_micros, cap.usd_micros));
        let is_used_up = |(cap, used, max): &(Cap, u64, u64)| match cap {
            Cap::RunRetries => used > max,
            _ => used >= max,
        };
        let used_up = caps.into_iter().chain(cost).filter(is_used_up);
        // Agents of this world tell what they cost.
        let is_estimate = false;
        used_up.map(|(cap, used, max)| Reached { cap, used, max, is_estimate }).collect()
    }
}

/// No agent could be used: nothing was tried.
pub(super) fn is_obstacle(event: &Event) -> bool {
    let Event::StepFailed { failure, .. } = event else { return false };
    matches!(
        failure,
        Failure::LimitReached { .. } | Failure::Overloaded { .. } | Failure::NotLoggedIn { .. }
    )
}

fn is_phases(cap: Cap) -> bool {
    matches!(cap, Cap::PhaseTokens | Cap::PhaseTime)
}
