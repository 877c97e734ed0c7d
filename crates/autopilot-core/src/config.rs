//! Reads `.planning/config.json` (ROAD-7, MODEL-1). Every key is checked against one table; what is unknown or of the wrong kind
//! is reported by its path and never fatal. Only text that is no JSON at all is an error: it would silently drop what was set.

pub mod keys;
mod positions;

use serde_json::Value;

use crate::config::keys::{Kind, Known};
use crate::config::positions::Positions;
use crate::finding::{Finding, Findings, quote};
use crate::limits;

#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    pub model_profile: ModelProfile,
    pub commits_docs: bool,
    pub has_research: bool,
    pub project: ProjectConfig,
    pub breaker: BreakerConfig,
    /// Our own settings, one layer of several; `settings.rs` puts the layers together.
    pub own: Value,
    /// The path of every value in the file, in its order.
    pub paths: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProjectConfig {
    pub kind: Option<String>,
    pub manifest: Option<String>,
    pub compile: Configured,
    pub test: Configured,
    pub lint: Configured,
    pub build: Configured,
    pub ui_source_dir: Option<String>,
    pub ui_extensions: Vec<String>,
    pub spec_paths: Vec<String>,
    pub has_visual_testing: bool,
}

/// A command in the config. `null` is a decision against one, not a gap to be filled by detection (ROAD-8).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Configured {
    #[default]
    Absent,
    None,
    Line(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerConfig {
    pub phase_tokens_max: u64,
    pub run_tokens_max: u64,
    pub phase_minutes_max: u64,
    pub run_minutes_max: u64,
    pub retries_max: u32,
    pub no_progress_max: u32,
    pub same_error_max: u32,
    pub cooldown_minutes: u64,
    pub debug_attempts_max: u32,
    pub replan_attempts_max: u32,
}

/// Which model an agent is asked for. Each agent maps it to names of its own (MODEL-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelProfile {
    Quality,
    Balanced,
    Speed,
    Budget,
    Inherit,
}

impl ModelProfile {
    pub const WORDS: [&'static str; 5] = ["quality", "balanced", "speed", "budget", "inherit"];

    pub fn of(word: &str) -> Option<ModelProfile> {
        match word {
            "quality" => Some(ModelProfile::Quality),
            "balanced" => Some(ModelProfile::Balanced),
            "speed" => Some(ModelProfile::Speed),
            "budget" => Some(ModelProfile::Budget),
            "inherit" => Some(ModelProfile::Inherit),
            _ => None,
        }
    }

    /// The name the Claude family uses; `None` leaves the choice to the agent.
    pub fn claude_model(self) -> Option<&'static str> {
        match self {
            ModelProfile::Quality => Some("opus"),
            ModelProfile::Balanced => Some("sonnet"),
            ModelProfile::Speed | ModelProfile::Budget => Some("haiku"),
            ModelProfile::Inherit => None,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        from_value(&Value::Null)
    }
}

pub fn read(file: &str, text: &str) -> (Config, Vec<Finding>) {
    let mut findings = Findings::of_file(file);
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            let line = u32::try_from(error.line()).unwrap_or(u32::MAX).max(1);
            findings.error(
                line,
                format!("this is not valid JSON ({error}), so no setting in it can be trusted"),
            );
            return (Config::default(), findings.into_list());
        }
    };
    if !value.is_object() {
        findings.error(1, "config.json must hold one object, { … }");
        return (Config::default(), findings.into_list());
    }
    let positions = Positions::of(text);
    for (path, line) in &positions.twice {
        findings.warn(*line, format!("{path} stands twice; the last one counts"));
    }
    check_keys(&value, &positions, &mut findings);
    let mut config = from_value(&value);
    config.paths = positions.leaves;
    (config, findings.into_list())
}

/// Walks the value with a work list, so that depth costs no stack.
fn check_keys(root: &Value, positions: &Positions, findings: &mut Findings) {
    let mut open: Vec<(String, &Value)> = vec![(String::new(), root)];
    while let Some((path, value)) = open.pop() {
        let Value::Object(fields) = value else { continue };
        for (key, value) in fields {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let line = positions.line_of(&path);
            match keys::lookup(&path) {
                Known::Ours(known) => {
                    if let Some(complaint) = known.kind.complaint(value) {
                        let message = format!("{path} {complaint}; {} is used", known.fallback());
                        findings.warn(line, message);
                    } else if known.kind == Kind::Section {
                        open.push((path, value));
                    }
                }
                Known::AnotherTools => {}
                Known::No if path.starts_with("autopilot.") => {
                    findings.warn(
                        line,
                        format!(
                            "{path} is no setting of autopilot and is not read{}",
                            suggestion(&path, findings)
                        ),
                    );
                }
                Known::No => findings.note(
                    line,
                    format!(
                        "{path} is not known to autopilot and is not read{}",
                        suggestion(&path, findings)
                    ),
                ),
            }
        }
    }
}

fn suggestion(path: &str, findings: &Findings) -> String {
    let near = if findings.is_full() { None } else { keys::nearest(path) };
    near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default()
}

fn from_value(value: &Value) -> Config {
    let at = |path: &str| path.split('.').try_fold(value, |value, key| value.get(key));
    let text = |path: &str| at(path).and_then(Value::as_str).map(str::to_string);
    let list = |path: &str| -> Vec<String> {
        let items = at(path).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).map(str::to_string).collect()
    };
    let command = |name: &str| match at(&format!("project.commands.{name}")) {
        Some(Value::Null) => Configured::None,
        Some(Value::String(line)) if !line.trim().is_empty() => {
            Configured::Line(line.trim().to_string())
        }
        _ => Configured::Absent,
    };
    Config {
        model_profile: text("model_profile")
            .and_then(|word| ModelProfile::of(&word))
            .unwrap_or(ModelProfile::Balanced),
        commits_docs: at("commit_docs").and_then(Value::as_bool).unwrap_or(true),
        has_research: at("workflow.research").and_then(Value::as_bool).unwrap_or(true),
        project: ProjectConfig {
            kind: text("project.type"),
            manifest: text("project.manifest"),
            compile: command("compile"),
            test: command("test"),
            lint: command("lint"),
            build: command("build"),
            ui_source_dir: text("project.ui.source_dir"),
            ui_extensions: list("project.ui.file_extensions"),
            spec_paths: list("project.spec_paths"),
            has_visual_testing: at("project.visual_testing").is_some_and(Value::is_object),
        },
        breaker: breaker(value),
        own: at("autopilot").cloned().unwrap_or(Value::Null),
        paths: Vec::new(),
    }
}

fn breaker(value: &Value) -> BreakerConfig {
    const MINUTE_MS: u64 = 60_000;
    let section = value.get("circuit_breaker_config");
    let number = |key: &str, otherwise: u64| {
        let found = section.and_then(|section| section.get(key)).and_then(Value::as_u64);
        found.filter(|number| *number > 0).unwrap_or(otherwise)
    };
    let small = |key: &str, otherwise: u32| {
        u32::try_from(number(key, u64::from(otherwise))).unwrap_or(otherwise)
    };
    let minutes = |key: &str, otherwise_ms: u64| number(key, otherwise_ms / MINUTE_MS);
    BreakerConfig {
        phase_tokens_max: number("cost_cap_tokens_per_phase", limits::PHASE_TOKENS_MAX),
        run_tokens_max: number("cost_cap_tokens_total", limits::RUN_TOKENS_MAX),
        phase_minutes_max: minutes(
            "wall_clock_timeout_minutes_per_phase",
            limits::PHASE_TIME_MAX_MS,
        ),
        run_minutes_max: minutes("wall_clock_timeout_minutes_total", limits::RUN_TIME_MAX_MS),
        retries_max: small("max_total_retries_per_run", limits::RETRIES_MAX),
        no_progress_max: small("no_progress_threshold", limits::NO_PROGRESS_MAX),
        same_error_max: small("same_error_threshold", limits::SAME_ERROR_MAX),
        cooldown_minutes: minutes("cooldown_minutes", limits::COOLDOWN_MS),
        debug_attempts_max: small("max_debug_attempts_per_phase", limits::DEBUG_ATTEMPTS_MAX),
        replan_attempts_max: small("max_replan_attempts_per_phase", limits::REPLAN_ATTEMPTS_MAX),
    }
}

/// What a message says of a value it could not use.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        other => quote(&other.to_string()).trim_matches('"').to_string(),
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
