//! The setting `steps`: agents and models of single roles. The strongest layer that has it counts as a whole.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Layer;
use crate::contract::Role;
use crate::finding::{Finding, Findings, Severity, quote};

/// What a role has of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepChoice {
    pub agent: Option<String>,
    pub model: Option<String>,
}

pub(super) fn settle(layers: &[Layer], findings: &mut Vec<Finding>) -> BTreeMap<Role, StepChoice> {
    let found = layers.iter().find_map(|layer| Some((layer, layer.values.get("steps")?)));
    let Some((layer, value)) = found else { return BTreeMap::new() };
    let mut report = Findings::of_file(layer.source.clone());
    let mut complain = |text: String| report.whole_file(Severity::Warning, text);
    let mut steps = BTreeMap::new();
    let Some(object) = value.as_object() else {
        complain("steps must be an object of steps".to_string());
        findings.extend(report.into_list());
        return steps;
    };
    for (name, wanted) in object {
        let Some(role) = Role::ALL.into_iter().find(|role| role.name() == name) else {
            let known: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
            complain(format!("steps has {}; there are {}", quote(name), known.join(", ")));
            continue;
        };
        let text = |field: &str| wanted.get(field).and_then(Value::as_str).map(str::to_string);
        let choice = StepChoice { agent: text("agent"), model: text("model") };
        if choice == StepChoice::default() {
            complain(format!("steps.{name} names neither an agent nor a model"));
            continue;
        }
        steps.insert(role, choice);
    }
    findings.extend(report.into_list());
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settled(values: Value) -> (Vec<(Role, StepChoice)>, Vec<String>) {
        let layers = [
            ("flags", json!({})),
            ("config.json", values),
            ("user", json!({ "steps": { "rate": { "agent": "x" } } })),
        ]
        .map(|(source, values)| Layer { source: source.into(), values, is_checked: true });
        let mut findings = Vec::new();
        let steps = settle(&layers, &mut findings);
        (steps.into_iter().collect(), findings.into_iter().map(|one| one.message).collect())
    }

    #[test]
    fn steps_have_agents_and_models_of_their_own() {
        let choice = |agent: &str, model: &str| StepChoice {
            agent: (!agent.is_empty()).then(|| agent.to_string()),
            model: (!model.is_empty()).then(|| model.to_string()),
        };
        let steps = json!({
            "verify": { "agent": "codex", "model": "gpt-5.5" },
            "plan": { "model": "opus" },
            "dance": { "agent": "a" },
            "judge": { "agent": 5 },
        });
        let (steps, complaints) = settled(json!({ "steps": steps }));
        let expected =
            [(Role::Plan, choice("", "opus")), (Role::Verify, choice("codex", "gpt-5.5"))];
        assert_eq!(steps, expected);
        assert_eq!(
            complaints,
            [
                "steps has \"dance\"; there are research, plan, plan_check, execute, verify, judge, judge_divergence, rate, review, debug, delegate",
                "steps.judge names neither an agent nor a model",
            ]
        );
        assert_eq!(settled(json!({ "steps": 3 })).1, ["steps must be an object of steps"]);
        assert_eq!(settled(json!({})).0, [(Role::Rate, choice("x", ""))]);
    }
}
