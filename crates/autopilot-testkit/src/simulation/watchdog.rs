//! Holds what an auditor knows of the breaker and of usage limits: nothing starts while a run waits, a wait has an end, an open
//! breaker is followed by one attempt, and that one decides.

use autopilot_core::run::definition::RunSettings;
use autopilot_core::run::effect::Effect;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::outcome::Pause;
use autopilot_core::run::usage_limit::UsageLimit;

use super::ensure;
use super::purse::is_obstacle;
use super::tally::Tally;
use crate::scenario::account::trip_word;

const WAITS_MAX_MS: u64 = 6 * 60 * 60_000;
const LOST_MAX: u32 = 3;

pub(super) struct Watchdog {
    settings: RunSettings,
    /// Nothing may start before this.
    waits_until: Option<Moment>,
    /// Waits for limits since an attempt last ended otherwise.
    waits_ms: u64,
    breaker: Breaker,
    /// Agents of the phase that failed or changed nothing, in a row; never less than what opens the breaker.
    fruitless: u32,
    /// Errors of the phase in a row, the same or not.
    errors: u32,
    lost: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Breaker {
    Closed,
    Open,
    HalfOpen { attempts: u32 },
}

impl Watchdog {
    pub(super) fn new(settings: RunSettings) -> Self {
        Watchdog {
            settings,
            waits_until: None,
            waits_ms: 0,
            breaker: Breaker::Closed,
            fruitless: 0,
            errors: 0,
            lost: 0,
        }
    }

    /// Has to see every event once, in its order; `effect` is what is under way.
    pub(super) fn look(
        &mut self,
        (event, at): (&Event, Moment),
        effect: Option<&Effect>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        match event {
            Event::StepStarted { effect, .. } => self.started(effect, at),
            Event::LimitReached { limit, until } => {
                let row = match limit {
                    UsageLimit::Limit => "limit",
                    UsageLimit::Overload => "overload",
                };
                tally.count("waits for", row);
                self.waits_ms += until.milliseconds_since(at);
                self.waits_until = Some(*until);
                ensure(*until > at, || "a wait for nothing".to_string())?;
                ensure(self.waits_ms <= WAITS_MAX_MS, || format!("waits {} ms", self.waits_ms))
            }
            Event::AgentSwitched { from, to, .. } => {
                tally.count("waits for", "nothing: another agent goes on");
                self.waits_until = None;
                ensure(from != to, || format!("{from} goes on for itself"))
            }
            Event::StepCompleted { work, .. } | Event::StepFailed { work, .. } => {
                self.ended(event, work.changed.is_some(), effect);
                Ok(())
            }
            Event::AttemptLost { .. } => {
                self.lost += 1;
                Ok(())
            }
            Event::EvidenceMeasured { measured, .. } => {
                self.lost = 0;
                self.errors += u32::from(measured.iter().any(|one| !one.result.is_green()));
                Ok(())
            }
            Event::PhaseStarted { .. } => {
                (self.fruitless, self.errors) = (0, 0);
                Ok(())
            }
            Event::RunPaused { .. } | Event::RunResumed { .. } => self.stood(event),
            _ => self.breaker(event, at, tally),
        }
    }

    fn started(&mut self, effect: &Effect, at: Moment) -> Result<(), String> {
        let is_early = self.waits_until.is_some_and(|until| at < until);
        let is_agent = matches!(effect, Effect::RunAgent(_));
        ensure(!is_early || !is_agent, || "an agent starts while the run waits".to_string())?;
        match &mut self.breaker {
            Breaker::Closed => Ok(()),
            Breaker::Open => Err("something starts while the breaker is open".to_string()),
            Breaker::HalfOpen { attempts } => {
                *attempts += u32::from(is_agent);
                // Lost ones and those that met a limit are made again.
                Ok(())
            }
        }
    }

    fn ended(&mut self, event: &Event, has_changed: bool, effect: Option<&Effect>) {
        self.lost = 0;
        if is_obstacle(event) {
            return;
        }
        self.waits_ms = 0;
        let is_task = effect.is_some_and(|effect| effect.task().is_some());
        let is_failure = matches!(event, Event::StepFailed { .. });
        let is_fruitless = !has_changed && (is_failure || is_task);
        self.fruitless = if is_fruitless { self.fruitless + 1 } else { 0 };
        self.errors += u32::from(is_failure);
    }

    fn stood(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::RunPaused { why: Pause::Breaker { .. } } => {
                let is_tried = matches!(self.breaker, Breaker::HalfOpen { attempts: 1.. })
                    || self.lost >= LOST_MAX;
                ensure(is_tried, || format!("paused by a breaker that is {:?}", self.breaker))
            }
            Event::RunPaused { why: Pause::Limit { .. } | Pause::NotLoggedIn } => {
                self.waits_ms = 0;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn breaker(&mut self, event: &Event, at: Moment, tally: &mut Tally) -> Result<(), String> {
        let was = self.breaker;
        match event {
            Event::CircuitBreakerOpened { why, until } => {
                tally.count("breaker opened by", trip_word(why));
                self.breaker = Breaker::Open;
                self.waits_until = Some(*until);
                let is_due = match trip_word(why) {
                    "no progress" => self.fruitless >= self.settings.no_progress_max,
                    "same error" => self.errors >= self.settings.same_error_max,
                    _ => self.lost >= LOST_MAX,
                };
                ensure(was == Breaker::Closed && is_due, || format!("opened, and was {was:?}"))?;
                let cooldown_ms = until.milliseconds_since(at);
                ensure(cooldown_ms == self.settings.cooldown_ms, || "another cooldown".to_string())
            }
            Event::CircuitBreakerHalfOpened => {
                self.breaker = Breaker::HalfOpen { attempts: 0 };
                let is_over = self.waits_until.is_some_and(|until| at >= until);
                ensure(was == Breaker::Open && is_over, || "half open too early".to_string())
            }
            Event::CircuitBreakerClosed => {
                self.breaker = Breaker::Closed;
                (self.fruitless, self.errors) = (0, 0);
                let is_tried = matches!(was, Breaker::HalfOpen { .. });
                ensure(is_tried, || format!("closed, and was {was:?}"))
            }
            _ => Ok(()),
        }
    }
}
