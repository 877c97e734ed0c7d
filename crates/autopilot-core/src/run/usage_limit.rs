//! What is done when an agent cannot be used: the next of the fallback goes on; where there is none, a usage limit or an overload is waited
//! for, at most so long, and then, as for a missing login at once, the run pauses (BUD-3). None of it spends a retry.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::contract::Role;
use crate::limits;
use crate::run::event::{Event, Failure};
use crate::run::ids::Moment;
use crate::run::next::{Move, Waiting};
use crate::run::outcome::Pause;
use crate::run::state::RunState;

/// Why no agent can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    Limit { resets_at: Option<Moment> },
    Overload,
    NotLoggedIn,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsageLimit {
    Limit,
    Overload,
}

/// Attempts in a row that met an obstacle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstructed {
    pub last: Obstacle,
    pub times: u32,
    /// All waits of the row together.
    pub waits_ms: u64,
    /// None until it is decided how long to wait.
    pub until: Option<Moment>,
}

impl Obstacle {
    /// What is waited for where it is met.
    fn limit(self) -> UsageLimit {
        match self {
            Obstacle::Overload => UsageLimit::Overload,
            Obstacle::Limit { .. } | Obstacle::NotLoggedIn => UsageLimit::Limit,
        }
    }

    /// What ends at no known time is often over in a minute; only what lasts is worth another agent.
    fn has_known_end(self) -> bool {
        match self {
            Obstacle::Limit { resets_at } => resets_at.is_some(),
            Obstacle::Overload => false,
            Obstacle::NotLoggedIn => true,
        }
    }

    pub(super) fn of(failure: &Failure) -> Option<Obstacle> {
        match failure {
            Failure::LimitReached { resets_at } => {
                Some(Obstacle::Limit { resets_at: resets_at.map(Moment) })
            }
            Failure::Overloaded { .. } => Some(Obstacle::Overload),
            Failure::NotLoggedIn { .. } => Some(Obstacle::NotLoggedIn),
            Failure::ContractBroken { .. }
            | Failure::Crashed { .. }
            | Failure::TimedOut
            | Failure::Stalled
            | Failure::Refused { .. }
            | Failure::AllowanceUsed
            | Failure::TooMuchOutput
            | Failure::Asked { .. } => None,
        }
    }
}

impl Obstructed {
    pub(super) fn again(before: Option<&Obstructed>, obstacle: Obstacle) -> Obstructed {
        let (times, waits_ms) = before.map_or((0, 0), |before| (before.times, before.waits_ms));
        Obstructed { last: obstacle, times: times.saturating_add(1), waits_ms, until: None }
    }

    /// Each wait of a row is at least twice as long as the one before, so that a limit whose reset is told wrong is not run into
    /// again and again.
    fn least_wait_ms(&self) -> u64 {
        let doublings = self.times.saturating_sub(1).min(u64::BITS / 2);
        limits::USAGE_WAIT_MIN_MS.saturating_mul(1 << doublings)
    }
}

/// What agents have met, by their names. Who is not in it can be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Obstacles {
    met: BTreeMap<String, Obstructed>,
    /// Until when nobody is asked, as it was decided last, and for what that is.
    wait: Option<(UsageLimit, Moment)>,
}

/// Of an agent that is not asked again in this run.
const NEVER: Moment = Moment(u64::MAX);

impl Obstacles {
    pub(super) fn meet(&mut self, agent: &str, obstacle: Obstacle) {
        let again = Obstructed::again(self.met.get(agent), obstacle);
        self.met.insert(agent.to_string(), again);
        self.wait = None;
    }

    /// It has shown that it can be used. Waits are counted anew from here on.
    pub(super) fn pass(&mut self, agent: &str) {
        self.met.remove(agent);
        self.met.values_mut().for_each(|held| held.waits_ms = 0);
        self.wait = None;
    }

    /// All waits since an agent last could be used.
    fn waits_ms(&self) -> u64 {
        self.met.values().fold(0, |sum, held| sum.saturating_add(held.waits_ms))
    }

    pub(super) fn waits_until(&self) -> Option<Moment> {
        self.wait.map(|(_, until)| until)
    }

    /// From when on it can be used; None until that is decided.
    fn free_at(&self, agent: &str, now: Moment) -> Option<Moment> {
        self.met.get(agent).map_or(Some(now), |held| held.until)
    }

    /// The one nothing is decided about. There is at most one: no agent starts before.
    fn undecided(&mut self) -> Option<(&str, &mut Obstructed)> {
        let mut met = self.met.iter_mut();
        met.find(|(_, held)| held.until.is_none()).map(|(name, held)| (name.as_str(), held))
    }
}

/// Who is asked, or what comes first.
pub(super) enum Asked {
    /// None for the role's own agent.
    Agent(Option<String>),
    First(Box<Move>),
}

/// The role's own agent, else the first of the fallback that can be used. The own one is asked again as soon as it can be.
pub(super) fn before_agent(run: &RunState, role: Role, now: Moment) -> Asked {
    let wait = |limit: UsageLimit, until: Moment| {
        let why = Waiting::Usage(limit);
        Asked::First(Box::new(Move::Wait { until: Some(until), why }))
    };
    if let Some((limit, until)) = run.obstacles.wait
        && now < until
    {
        return wait(limit, until);
    }
    let agents: Vec<&str> = run.definition.agent.candidates(role).collect();
    let own = run.definition.agent.name_of(role);
    for agent in &agents {
        match run.obstacles.met.get(*agent).map(|held| (held.until, held)) {
            Some((None, held)) => {
                return Asked::First(Box::new(decide(run, &agents, (agent, held), now)));
            }
            Some((Some(until), _)) if now < until => {}
            Some((Some(_), _)) | None => {
                return Asked::Agent((*agent != own).then(|| (*agent).to_string()));
            }
        }
    }
    let met = agents.iter().filter_map(|agent| run.obstacles.met.get(*agent));
    let soonest = met.filter_map(|held| Some((held.until?, held.last.limit())));
    match soonest.min_by_key(|(until, _)| *until) {
        Some((until, limit)) => wait(limit, until),
        None => Asked::Agent(None),
    }
}

/// What is done about an agent that has met something: another one goes on, it is waited for, or the run pauses.
fn decide(
    run: &RunState,
    agents: &[&str],
    (agent, held): (&str, &Obstructed),
    now: Moment,
) -> Move {
    let least = Moment(now.0.saturating_add(held.least_wait_ms()));
    let until = match held.last {
        Obstacle::NotLoggedIn => None,
        Obstacle::Limit { resets_at } => Some(resets_at.map_or(least, |at| at.max(least))),
        Obstacle::Overload => Some(least),
    };
    let is_near = |until: &Moment, before_ms: u64| {
        let wait_ms = until.milliseconds_since(now);
        before_ms.saturating_add(wait_ms) <= limits::USAGE_WAIT_MAX_MS
    };
    let waited_for = until.filter(|until| is_near(until, run.obstacles.waits_ms()));
    let may_switch = held.last.has_known_end() || held.times > 1;
    let others = agents.iter().filter(|other| **other != agent);
    let free = others.filter_map(|other| Some((run.obstacles.free_at(other, now)?, *other)));
    let soonest = free.filter(|(at, _)| is_near(at, 0)).min_by_key(|(at, _)| *at);
    if let Some((at, other)) = soonest
        && may_switch
        && waited_for.is_none_or(|until| at < until)
    {
        return Move::Record(Event::AgentSwitched {
            from: agent.to_string(),
            to: other.to_string(),
            until,
        });
    }
    Move::Record(match (held.last, waited_for) {
        (Obstacle::NotLoggedIn, _) => Event::RunPaused { why: Pause::NotLoggedIn },
        (Obstacle::Limit { .. }, Some(until)) => {
            Event::LimitReached { limit: UsageLimit::Limit, until }
        }
        (Obstacle::Overload, Some(until)) => {
            Event::LimitReached { limit: UsageLimit::Overload, until }
        }
        (Obstacle::Limit { resets_at }, None) => {
            Event::RunPaused { why: Pause::Limit { resets_at: resets_at.map(|at| at.0) } }
        }
        (Obstacle::Overload, None) => Event::RunPaused { why: Pause::Limit { resets_at: None } },
    })
}

/// It was decided to wait.
pub(super) fn wait(
    run: &mut RunState,
    (limit, until): (UsageLimit, Moment),
    at: Moment,
) -> Result<(), String> {
    let (_, held) = run.obstacles.undecided().ok_or("no agent has met a limit")?;
    held.until = Some(until);
    held.waits_ms = held.waits_ms.saturating_add(until.milliseconds_since(at));
    run.obstacles.wait = Some((limit, until));
    Ok(())
}

/// It was decided that another goes on.
pub(super) fn switch(
    run: &mut RunState,
    (from, to): (&str, &str),
    until: Option<Moment>,
) -> Result<(), String> {
    let is_known = run.definition.agent.fallback.iter().any(|one| one.name == to)
        || run.definition.agent.is_own(to);
    let held = run.obstacles.undecided().filter(|(agent, _)| *agent == from && is_known);
    let (_, held) = held.ok_or("there is nobody to switch from, or nobody to switch to")?;
    held.until = Some(until.unwrap_or(NEVER));
    let met = run.obstacles.met.get(to);
    run.obstacles.wait = met.and_then(|held| Some((held.last.limit(), held.until?)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::agent_definition::StandIn;
    use crate::run::checks::fixture::Scene;

    #[test]
    fn each_wait_of_a_row_is_twice_the_one_before_however_long_the_row() {
        let check = |times: u32, factor: u64| {
            let held = Obstructed { last: Obstacle::Overload, times, waits_ms: 0, until: None };
            assert_eq!(held.least_wait_ms(), limits::USAGE_WAIT_MIN_MS * factor, "{times}");
        };
        check(1, 1);
        check(2, 2);
        check(5, 16);
        check(u32::MAX, 1 << 32);
    }

    #[test]
    fn nobody_switches_to_an_agent_nobody_knows_or_from_one_that_can_be_used() {
        let mut run = Scene::new().run;
        run.definition.agent.name = "first".into();
        let second =
            StandIn { name: "second".into(), version: "1".into(), model: None, paid: None };
        run.definition.agent.fallback = vec![second];
        run.obstacles.meet("first", Obstacle::NotLoggedIn);
        assert!(switch(&mut run, ("second", "first"), None).is_err());
        assert!(switch(&mut run, ("first", "nobody"), None).is_err());
        assert_eq!(switch(&mut run, ("first", "second"), None), Ok(()));
        assert!(switch(&mut run, ("first", "second"), None).is_err(), "it is decided");
    }

    #[test]
    fn nobody_switches_to_an_agent_that_is_free_no_sooner() {
        let mut run = Scene::new().run;
        let reset = Moment(limits::USAGE_WAIT_MIN_MS * 10);
        let until = |at: Moment| {
            let last = Obstacle::Limit { resets_at: Some(at) };
            Obstructed { last, times: 1, waits_ms: 0, until: Some(at) }
        };
        let held = Obstructed { until: None, ..until(reset) };
        let mut decided = |free_at: u64| {
            run.obstacles.met.insert("second".into(), until(Moment(free_at)));
            decide(&run, &["first", "second"], ("first", &held), Moment(0))
        };
        let waits = Move::Record(Event::LimitReached { limit: UsageLimit::Limit, until: reset });
        assert_eq!(decided(reset.0), waits);
        assert!(matches!(decided(reset.0 - 1), Move::Record(Event::AgentSwitched { .. })));
    }
}
