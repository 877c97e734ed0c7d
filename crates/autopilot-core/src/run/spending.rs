//! Who spent what (BUD-1): every attempt of an agent is charged to the run and to its step, agent and model in one place, so that the
//! parts add up to the whole.

use std::collections::BTreeMap;

use crate::contract::Role;
use crate::limits;
use crate::run::effect::AgentOrder;
use crate::run::event::{AgentWork, Spend};
use crate::run::state::RunState;

/// What was spent by each who spent anything or tried to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spending {
    by: BTreeMap<Spender, Spent>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spender {
    pub role: Role,
    pub agent: String,
    /// As the agent told it, else as it was asked for; none where the choice was the agent's and it did not say.
    pub model: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    pub attempts: u32,
    pub spend: Spend,
}

impl Spending {
    pub fn rows(&self) -> impl Iterator<Item = (&Spender, &Spent)> {
        self.by.iter()
    }

    fn charge(&mut self, mut spender: Spender, spend: &Spend) {
        // Names of models are agents' words: one that makes up a new one each time is counted without.
        if self.by.len() >= limits::SPENDERS_MAX && !self.by.contains_key(&spender) {
            spender.model = None;
        }
        let spent = self.by.entry(spender).or_default();
        spent.attempts = spent.attempts.saturating_add(1);
        spent.spend.charge(spend);
    }
}

/// An attempt that ended by itself.
pub(super) fn charge(state: &mut RunState, order: &AgentOrder, used: &AgentWork) {
    charge_to(state, order, used.model.as_deref(), &used.spend);
}

/// An attempt that was cut off: what it had told.
pub(super) fn charge_cut_off(state: &mut RunState, order: &AgentOrder, spend: &Spend) {
    charge_to(state, order, None, spend);
}

fn charge_to(state: &mut RunState, order: &AgentOrder, told: Option<&str>, spend: &Spend) {
    let agents = &state.definition.agent;
    let spender = Spender {
        role: order.role,
        agent: agents.asked(order).to_string(),
        model: told.or(agents.model_for(order)).map(str::to_string),
    };
    state.spend.charge(spend);
    state.spending.charge(spender, spend);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::agent_definition::{AgentDefinition, RoleAgent, StandIn};
    use crate::run::checks::fixture::{Scene, agent_order};

    fn order(role: Role, stand_in: Option<&str>) -> AgentOrder {
        AgentOrder { stand_in: stand_in.map(str::to_string), ..agent_order(role) }
    }

    fn agents() -> AgentDefinition {
        let (version, paid) = ("1".to_string(), None);
        let verify = RoleAgent {
            role: Role::Verify,
            name: "codex".into(),
            version: version.clone(),
            model: Some("gpt".into()),
            paid,
        };
        let fallback = StandIn { name: "gemini".into(), version, model: None, paid };
        AgentDefinition {
            name: "claude".into(),
            model: Some("sonnet".into()),
            roles: vec![verify],
            fallback: vec![fallback],
            ..AgentDefinition::default()
        }
    }

    fn used(input: u64, model: Option<&str>) -> AgentWork {
        let spend = Spend { input, usd_micros: Some(input), ..Spend::default() };
        AgentWork { spend, model: model.map(str::to_string), ..AgentWork::default() }
    }

    #[test]
    fn every_attempt_is_charged_to_its_step_agent_and_model_and_the_parts_are_the_whole() {
        let mut run = Scene::new().run;
        run.definition.agent = agents();
        charge(&mut run, &order(Role::Execute, None), &used(1, Some("sonnet-4-5")));
        charge(&mut run, &order(Role::Execute, None), &used(2, Some("sonnet-4-5")));
        charge(&mut run, &order(Role::Verify, None), &used(4, None));
        charge(&mut run, &order(Role::Verify, Some("gemini")), &used(8, None));
        charge_cut_off(&mut run, &order(Role::Execute, None), &used(16, None).spend);
        let rows = run.spending.rows().map(|(who, spent)| {
            let model = who.model.as_deref().unwrap_or("-");
            format!(
                "{} {} {model} {} {}",
                who.role.name(),
                who.agent,
                spent.attempts,
                spent.spend.input
            )
        });
        let rows: Vec<String> = rows.collect();
        assert_eq!(
            rows,
            [
                "execute claude sonnet 1 16",
                "execute claude sonnet-4-5 2 3",
                "verify codex gpt 1 4",
                "verify gemini - 1 8"
            ]
        );
        assert_eq!((run.spend.input, run.spend.usd_micros), (31, Some(31)));
    }

    #[test]
    fn an_agent_that_makes_up_models_fills_no_memory() {
        let mut run = Scene::new().run;
        for number in 0..limits::SPENDERS_MAX + 10 {
            let made_up = format!("model-{number}");
            charge(&mut run, &order(Role::Plan, None), &used(1, Some(&made_up)));
        }
        assert_eq!(run.spending.rows().count(), limits::SPENDERS_MAX + 1);
        let attempts: u32 = run.spending.rows().map(|(_, spent)| spent.attempts).sum();
        assert_eq!(attempts as usize, limits::SPENDERS_MAX + 10);
    }
}
