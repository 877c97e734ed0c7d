//! Our own settings, from the strongest layer to the weakest: flags, `AUTOPILOT_*`, `.planning/config.json`, the user's file,
//! built-in. Each layer arrives as a value; this file only puts them together.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::config::keys;
use crate::contract::Role;
use crate::finding::{Finding, Findings, Severity};
use crate::limits;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Phases that may run at once.
    pub jobs: u32,
    pub depth: Depth,
    pub runner: Runner,
    /// Tokens a run may spend, where the user set it.
    pub tokens_max: Option<u64>,
    /// What a run may cost, in millionths of a dollar.
    pub usd_micros_max: Option<u64>,
    /// The name of the agent that does the work.
    pub agent: Option<String>,
    /// As the agent spells it; wins over the profile.
    pub model: Option<String>,
    /// Agents that take over when one has met a limit.
    pub fallback: Vec<String>,
    /// Roles with an agent or a model of their own.
    pub steps: BTreeMap<Role, StepChoice>,
    /// What codex gets before our own arguments.
    pub codex_arguments: Vec<String>,
    pub agent_command: Vec<String>,
    /// Variables of the user that this command gets too, by name.
    pub agent_variables: Vec<String>,
    pub acp_command: Vec<String>,
    /// What makes a fresh worktree fit to work in; empty for what the lock files say.
    pub worktree_setup: Vec<String>,
    /// Ignored files that are copied into worktrees.
    pub worktree_copy: Vec<String>,
    /// The folder of checks that no agent may know; relative to the project, and outside of it.
    pub hidden_checks: Option<String>,
    /// Relative to the project.
    pub script: Option<String>,
    pub step_minutes: u64,
    pub check_minutes: u64,
    /// Without any sign of life; 0 for never.
    pub stall_seconds: u64,
    /// The machine does not fall asleep while a run is on.
    pub keeps_awake: bool,
    /// Agents and checks may write nothing but their own folders.
    pub is_fenced: bool,
    /// CHECK-3; 0 for never.
    pub min_phase_seconds: u64,
    /// CHECK-10; 0 for never.
    pub min_verify_seconds: u64,
    /// Before a run starts; 0 for none.
    pub free_disk_mebibytes_min: u64,
}

mod steps;

pub use steps::StepChoice;

const PHASE_SECONDS: u64 = limits::PHASE_TIME_MIN_MS / 1_000;
const VERIFY_SECONDS: u64 = limits::VERIFIER_TIME_MIN_MS / 1_000;
const FREE_DISK_MEBIBYTES: u64 = limits::DISK_FREE_MEBIBYTES_MIN;
/// One agent run of an hour has seen every real task end; who needs longer is lost.
const STEP_MINUTES: u64 = 60;
/// The slowest real test suite seen took 14 minutes on two cores.
const CHECK_MINUTES: u64 = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    Auto,
    Lean,
    Full,
}

impl Depth {
    pub fn of(word: &str) -> Option<Depth> {
        match word {
            "auto" => Some(Depth::Auto),
            "lean" => Some(Depth::Lean),
            "full" => Some(Depth::Full),
            _ => None,
        }
    }
}

/// Who does a phase up to its review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    Steps,
    Delegate,
}

/// One layer: the object of settings and where it came from, for messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    pub source: String,
    pub values: Value,
    /// Each value was held against its kind when the file was read, and is not reported again.
    pub is_checked: bool,
}

/// The strongest layer first. A value that cannot be used is reported and the next layer asked.
pub fn settle(layers: &[Layer]) -> (Settings, Vec<Finding>) {
    let mut findings = Vec::new();
    let jobs = first(layers, "jobs", &mut findings).and_then(|value| value.as_u64());
    let depth =
        first(layers, "depth", &mut findings).and_then(|value| value.as_str().and_then(Depth::of));
    let tokens_max = first(layers, "max_tokens", &mut findings).and_then(|value| value.as_u64());
    let usd_micros_max =
        first(layers, "max_cost", &mut findings).and_then(|value| keys::usd_micros(&value));
    let text = |name: &str, findings: &mut Vec<Finding>| {
        first(layers, name, findings).and_then(|value| value.as_str().map(str::to_string))
    };
    let number = |name: &str, otherwise: u64, findings: &mut Vec<Finding>| {
        first(layers, name, findings).and_then(|value| value.as_u64()).unwrap_or(otherwise)
    };
    let flag = |name: &str, findings: &mut Vec<Finding>| {
        first(layers, name, findings).and_then(|value| value.as_bool()).unwrap_or(true)
    };
    let list = |name: &str, findings: &mut Vec<Finding>| -> Vec<String> {
        let value = first(layers, name, findings);
        let words = value.as_ref().and_then(Value::as_array).into_iter().flatten();
        words.filter_map(Value::as_str).map(str::to_string).collect()
    };
    let settings = Settings {
        jobs: jobs.and_then(|jobs| u32::try_from(jobs).ok()).unwrap_or(1),
        depth: depth.unwrap_or(Depth::Auto),
        runner: match first(layers, "runner", &mut findings).as_ref().and_then(Value::as_str) {
            Some("delegate") => Runner::Delegate,
            _ => Runner::Steps,
        },
        tokens_max,
        usd_micros_max,
        agent: text("agent", &mut findings),
        model: text("model", &mut findings),
        fallback: list("fallback", &mut findings),
        steps: steps::settle(layers, &mut findings),
        codex_arguments: list("codex_arguments", &mut findings),
        agent_command: list("agent_command", &mut findings),
        agent_variables: list("agent_variables", &mut findings),
        acp_command: list("acp_command", &mut findings),
        worktree_setup: list("worktree_setup", &mut findings),
        worktree_copy: list("worktree_copy", &mut findings),
        hidden_checks: text("hidden_checks", &mut findings),
        script: text("script", &mut findings),
        step_minutes: number("step_minutes", STEP_MINUTES, &mut findings),
        check_minutes: number("check_minutes", CHECK_MINUTES, &mut findings),
        stall_seconds: number("stall_time", limits::STALL_TIME_MAX_MS / 1_000, &mut findings),
        keeps_awake: flag("keep_awake", &mut findings),
        is_fenced: flag("fence", &mut findings),
        min_phase_seconds: number("min_phase_time", PHASE_SECONDS, &mut findings),
        min_verify_seconds: number("min_verify_time", VERIFY_SECONDS, &mut findings),
        free_disk_mebibytes_min: number("min_free_disk", FREE_DISK_MEBIBYTES, &mut findings),
    };
    (settings, findings)
}

fn first(layers: &[Layer], name: &str, findings: &mut Vec<Finding>) -> Option<Value> {
    let path = format!("autopilot.{name}");
    let keys::Known::Ours(key) = keys::lookup(&path) else { return None };
    for layer in layers {
        let Some(value) = layer.values.get(name) else { continue };
        match key.kind.complaint(value) {
            None => return Some(value.clone()),
            Some(_) if layer.is_checked => {}
            Some(complaint) => {
                let mut report = Findings::of_file(layer.source.clone());
                report.whole_file(Severity::Warning, format!("{name} {complaint}"));
                findings.extend(report.into_list());
            }
        }
    }
    None
}

/// The names of our settings, for `AUTOPILOT_*` and the user's file.
pub fn names() -> impl Iterator<Item = &'static str> {
    keys::KEYS.iter().filter_map(|key| key.path.strip_prefix("autopilot."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn layer(source: &str, values: Value) -> Layer {
        Layer { source: source.to_string(), values, is_checked: false }
    }

    #[test]
    fn the_strongest_layer_wins_and_a_bad_value_falls_through() {
        let layers = [
            layer("flags", json!({ "jobs": 3 })),
            layer("AUTOPILOT_*", json!({ "jobs": 5, "depth": "deep" })),
            layer("config.json", json!({ "depth": "lean", "max_tokens": 9 })),
        ];
        let (settings, findings) = settle(&layers);
        let built_in = settle(&[]).0;
        let expected =
            Settings { jobs: 3, depth: Depth::Lean, tokens_max: Some(9), ..built_in.clone() };
        assert_eq!(settings, expected);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "depth is \"deep\" but must be one of auto, lean, full");
        let Settings { jobs, depth, tokens_max, .. } = built_in;
        assert_eq!((jobs, depth, tokens_max), (1, Depth::Auto, None));
    }
}
