//! Who goes on with a run that was left: who began it, unless somebody asks for another now. What the settings say by then is
//! only remarked on, because a run that changes its agents unseen is not the run that was started.

use autopilot_core::config::Config;
use autopilot_core::finding::{Finding, Place, Severity};
use autopilot_core::problem::Problem;
use autopilot_core::run::agent_definition::AgentDefinition;
use autopilot_core::settings::{Settings, StepChoice};

use super::Wish;
use crate::agents::choice::{self, Agents, Around};

pub(super) struct TakenUp {
    pub agents: Agents,
    /// To be recorded, where it is not who began.
    pub changed: Option<AgentDefinition>,
    pub findings: Vec<Finding>,
}

pub(super) fn agents(
    before: &AgentDefinition,
    settings: &Settings,
    (config, wish): (&Config, &Wish),
    around: &Around<'_>,
) -> Result<TakenUp, Problem> {
    let is_typed = |name: &str| wish.settings.contains_key(name);
    if !is_typed("agent") && !is_typed("model") {
        let (agents, mut notes) = choice::recorded(before, settings, around)?;
        notes.extend(another_is_set(before, settings));
        let findings = notes.into_iter().map(note).collect();
        return Ok(TakenUp { agents, changed: None, findings });
    }
    let wanted = wanted(before, settings, is_typed("agent"), is_typed("model"));
    let (agents, now) = choice::choose(&wanted, config, around)?;
    let changed = (now != *before).then_some(now);
    Ok(TakenUp { agents, changed, findings: Vec::new() })
}

/// What was typed, and everything else as it was.
fn wanted(
    before: &AgentDefinition,
    settings: &Settings,
    has_agent: bool,
    has_model: bool,
) -> Settings {
    let mut wanted = settings.clone();
    if !has_agent {
        wanted.agent = Some(before.name.clone());
    }
    if !has_model {
        let is_same = wanted.agent.as_ref() == Some(&before.name);
        wanted.model = if is_same { before.model.clone() } else { settings.model.clone() };
    }
    wanted.fallback = before.fallback.iter().map(|one| one.name.clone()).collect();
    let step = |name: &String, model: &Option<String>| StepChoice {
        agent: Some(name.clone()),
        model: model.clone(),
    };
    wanted.steps = before.roles.iter().map(|one| (one.role, step(&one.name, &one.model))).collect();
    wanted
}

fn another_is_set(before: &AgentDefinition, settings: &Settings) -> Option<String> {
    let set = settings.agent.as_ref().filter(|set| **set != before.name)?;
    Some(format!(
        "the run goes on with {}, which began it; {set} is set by now: autopilot resume --agent {set}",
        before.name
    ))
}

fn note(message: String) -> Finding {
    Finding { severity: Severity::Note, place: Place::file("agents"), message }
}

#[cfg(test)]
mod tests {
    use autopilot_core::contract::Role;
    use autopilot_core::run::agent_definition::{RoleAgent, StandIn};
    use autopilot_core::settings;

    use super::*;

    fn before() -> AgentDefinition {
        AgentDefinition {
            name: "claude".into(),
            version: "2.1.325".into(),
            model: Some("opus".into()),
            roles: vec![RoleAgent {
                role: Role::Verify,
                name: "codex".into(),
                version: "1".into(),
                model: None,
                paid: None,
            }],
            fallback: vec![StandIn {
                name: "gemini".into(),
                version: "1".into(),
                model: None,
                paid: None,
            }],
            ..AgentDefinition::default()
        }
    }

    #[test]
    fn what_is_not_typed_stays_as_it_was() {
        let now = Settings {
            agent: Some("command".into()),
            model: Some("m".into()),
            ..settings::settle(&[]).0
        };
        let check = |has_agent, has_model, agent: &str, model: &str| {
            let wanted = wanted(&before(), &now, has_agent, has_model);
            assert_eq!(wanted.agent.as_deref(), Some(agent));
            assert_eq!(wanted.model.as_deref(), Some(model));
            assert_eq!(wanted.fallback, ["gemini"]);
            let verify = StepChoice { agent: Some("codex".into()), model: None };
            assert_eq!(wanted.steps.into_iter().collect::<Vec<_>>(), [(Role::Verify, verify)]);
        };
        check(true, true, "command", "m");
        check(false, true, "claude", "m");
        check(true, false, "command", "m");
        check(false, false, "claude", "opus");
    }

    #[test]
    fn another_agent_in_the_settings_is_only_remarked_on() {
        let set = |agent: Option<&str>| Settings {
            agent: agent.map(str::to_string),
            ..settings::settle(&[]).0
        };
        assert_eq!(another_is_set(&before(), &set(None)), None);
        assert_eq!(another_is_set(&before(), &set(Some("claude"))), None);
        let told = another_is_set(&before(), &set(Some("command"))).unwrap_or_default();
        assert!(told.contains("goes on with claude") && told.contains("--agent command"), "{told}");
    }
}
