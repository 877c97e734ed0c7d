//! Who does the work of a run: one agent for everything, others for single roles, and who goes on where one of them cannot. Recorded at
//! the start and followed to the end; rules tell agents apart by name and never ask what they are.

use serde::{Deserialize, Serialize};

use crate::contract::Role;
use crate::run::effect::AgentOrder;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentDefinition {
    pub name: String,
    pub version: String,
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid: Option<Payment>,
    /// Roles that are not the default agent's, or not with its model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RoleAgent>,
    /// Who takes over when this one has met a limit, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback: Vec<StandIn>,
}

/// One role, and who plays it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleAgent {
    pub role: Role,
    pub name: String,
    pub version: String,
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid: Option<Payment>,
}

/// An agent that goes on where another cannot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandIn {
    pub name: String,
    pub version: String,
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid: Option<Payment>,
}

/// Who is charged for what an agent spends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payment {
    Subscription,
    Key,
    Token,
    Cloud,
}

impl Payment {
    pub fn words(self) -> &'static str {
        match self {
            Payment::Subscription => "paid by subscription",
            Payment::Key => "paid by API key",
            Payment::Token => "paid by a token's owner",
            Payment::Cloud => "paid through a cloud",
        }
    }
}

impl AgentDefinition {
    pub fn model_of(&self, role: Role) -> Option<&str> {
        let own = self.roles.iter().find(|one| one.role == role);
        own.map_or(self.model.as_deref(), |one| one.model.as_deref())
    }

    pub fn name_of(&self, role: Role) -> &str {
        let own = self.roles.iter().find(|one| one.role == role);
        own.map_or(&self.name, |one| &one.name)
    }

    /// Who may be asked in a role: its own agent, then the fallback.
    pub fn candidates(&self, role: Role) -> impl Iterator<Item = &str> {
        let own = self.name_of(role);
        let others = self.fallback.iter().map(|one| one.name.as_str());
        std::iter::once(own).chain(others.filter(move |other| *other != own))
    }

    /// Whether somebody works in it who is paid by the month and not by the token.
    pub fn is_on_subscription(&self) -> bool {
        let roles = self.roles.iter().map(|one| one.paid);
        let others = self.fallback.iter().map(|one| one.paid);
        let mut all = std::iter::once(self.paid).chain(roles).chain(others);
        all.any(|paid| paid == Some(Payment::Subscription))
    }

    /// Whether it has a role of its own.
    pub fn is_own(&self, name: &str) -> bool {
        self.name == name || self.roles.iter().any(|one| one.name == name)
    }

    /// Who an order was for.
    pub fn asked<'a>(&'a self, order: &'a AgentOrder) -> &'a str {
        order.stand_in.as_deref().unwrap_or_else(|| self.name_of(order.role))
    }

    /// The model of an order.
    pub fn model_for(&self, order: &AgentOrder) -> Option<&str> {
        match &order.stand_in {
            None => self.model_of(order.role),
            Some(name) => {
                let stand_in = self.fallback.iter().find(|one| one.name == *name);
                stand_in.and_then(|one| one.model.as_deref())
            }
        }
    }

    /// Who plays one role and who pays, for the line a draft starts with.
    pub fn words_of(&self, role: Role) -> String {
        match self.roles.iter().find(|one| one.role == role) {
            Some(own) => one(&own.name, &own.version, own.paid),
            None => one(&self.name, &self.version, self.paid),
        }
    }

    /// The agents and who pays them, for the line a run starts with.
    pub fn words(&self) -> String {
        let mut text = one(&self.name, &self.version, self.paid);
        for role in &self.roles {
            let name = role.role.name();
            let who = one(&role.name, &role.version, role.paid);
            let model = role.model.as_ref().map(|model| format!(" with {model}"));
            text += &format!(", {name} by {who}{}", model.unwrap_or_default());
        }
        text
    }
}

/// The version is told of agents that somebody pays; ours have the version of autopilot.
fn one(name: &str, version: &str, paid: Option<Payment>) -> String {
    match paid {
        Some(paid) => format!("{name} {version}, {}", paid.words()),
        None => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_of_before_is_still_read_and_plays_every_role() {
        let before = r#"{"name":"command","version":"0.1.0","model":"sonnet"}"#;
        let agent: AgentDefinition = serde_json::from_str(before).unwrap();
        assert_eq!(serde_json::to_string(&agent).unwrap(), before);
        for role in Role::ALL {
            assert_eq!((agent.name_of(role), agent.model_of(role)), ("command", Some("sonnet")));
        }
        assert_eq!(agent.words(), "command");
    }

    #[test]
    fn a_role_may_have_an_agent_and_a_model_of_its_own() {
        let verify = RoleAgent {
            role: Role::Verify,
            name: "codex".into(),
            version: "0.166.0".into(),
            model: Some("gpt-5.5".into()),
            paid: Some(Payment::Key),
        };
        let agent = AgentDefinition {
            name: "claude".into(),
            version: "2.1.325".into(),
            paid: Some(Payment::Subscription),
            roles: vec![verify],
            ..AgentDefinition::default()
        };
        assert_eq!((agent.name_of(Role::Verify), agent.name_of(Role::Plan)), ("codex", "claude"));
        assert_eq!(
            (agent.model_of(Role::Verify), agent.model_of(Role::Plan)),
            (Some("gpt-5.5"), None)
        );
        assert_eq!(
            agent.words(),
            "claude 2.1.325, paid by subscription, verify by codex 0.166.0, paid by API key with gpt-5.5"
        );
        let text = serde_json::to_string(&agent).unwrap();
        assert_eq!(serde_json::from_str::<AgentDefinition>(&text).unwrap(), agent);
    }
}
