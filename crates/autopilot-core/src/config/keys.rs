//! The one table of settings in `.planning/config.json`: what each is, what it may hold and what applies without it. The reader,
//! the JSON Schema and the documentation all come from it.

use serde_json::{Map, Value, json};

use crate::config::{ModelProfile, shown};
use crate::money;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    pub path: &'static str,
    pub kind: Kind,
    /// What applies when it is not set, in words.
    pub otherwise: &'static str,
    pub about: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Section,
    Text,
    /// `null` means: there is none, do not look for one.
    TextOrNull,
    Flag,
    /// A whole number from 1 on.
    Number,
    /// An amount of US dollars, more than none.
    Dollars,
    /// A whole number; 0 switches it off.
    NumberOrOff,
    TextList,
    Choice(&'static [&'static str]),
    /// A value with a shape of its own, checked where it is used.
    Anything,
}

const fn key(path: &'static str, kind: Kind, otherwise: &'static str, about: &'static str) -> Key {
    Key { path, kind, otherwise, about }
}

pub const KEYS: [Key; 54] = [
    key(
        "model_profile",
        Kind::Choice(&ModelProfile::WORDS),
        "balanced",
        "Which model agents are asked for: quality, balanced, speed, budget, or inherit for the agent's own choice.",
    ),
    key("commit_docs", Kind::Flag, "true", "Whether planning files are committed with the work."),
    key("workflow", Kind::Section, "", "Switches of the phase pipeline."),
    key(
        "workflow.research",
        Kind::Flag,
        "true",
        "Whether a phase without a plan is researched before it is planned.",
    ),
    key("project", Kind::Section, "", "What autopilot should know about the project."),
    key("project.type", Kind::Text, "none", "The kind of project, in a word."),
    key(
        "project.manifest",
        Kind::Text,
        "detected",
        "The file the commands are detected from, such as package.json.",
    ),
    key(
        "project.commands",
        Kind::Section,
        "",
        "The commands that measure the work. null means there is none.",
    ),
    key("project.commands.compile", Kind::TextOrNull, "detected", "Checks that the code compiles."),
    key("project.commands.test", Kind::TextOrNull, "detected", "Runs the tests."),
    key("project.commands.lint", Kind::TextOrNull, "detected", "Runs the linter."),
    key("project.commands.build", Kind::TextOrNull, "detected", "Makes the production build."),
    key("project.ui", Kind::Section, "", "Where the user interface lives."),
    key(
        "project.ui.source_dir",
        Kind::Text,
        "none",
        "The folder whose files make a phase a ui phase.",
    ),
    key(
        "project.ui.file_extensions",
        Kind::TextList,
        "none",
        "Extensions of user interface files.",
    ),
    key(
        "project.spec_paths",
        Kind::TextList,
        ".planning/REQUIREMENTS.md, .planning/PROJECT.md, the roadmap",
        "Where the specification is; the first that exists is used.",
    ),
    key(
        "project.visual_testing",
        Kind::Anything,
        "off",
        "Screenshots of a running application: launch_command, base_url, routes.",
    ),
    key("circuit_breaker_config", Kind::Section, "", "When a run that goes nowhere is stopped."),
    key(
        "circuit_breaker_config.no_progress_threshold",
        Kind::Number,
        "3",
        "Attempts in a row that changed nothing.",
    ),
    key(
        "circuit_breaker_config.same_error_threshold",
        Kind::Number,
        "5",
        "Times in a row the same error may come.",
    ),
    key(
        "circuit_breaker_config.max_debug_attempts_per_phase",
        Kind::Number,
        "3",
        "Debug attempts a phase.",
    ),
    key(
        "circuit_breaker_config.max_replan_attempts_per_phase",
        Kind::Number,
        "1",
        "New plans a phase.",
    ),
    key(
        "circuit_breaker_config.max_total_retries_per_run",
        Kind::Number,
        "10",
        "Retries of all kinds a run.",
    ),
    key(
        "circuit_breaker_config.cooldown_minutes",
        Kind::Number,
        "5",
        "Minutes before one more try.",
    ),
    key(
        "circuit_breaker_config.cost_cap_tokens_per_phase",
        Kind::Number,
        "500000",
        "Tokens a phase may spend.",
    ),
    key(
        "circuit_breaker_config.cost_cap_tokens_total",
        Kind::Number,
        "5000000",
        "Tokens a run may spend.",
    ),
    key(
        "circuit_breaker_config.wall_clock_timeout_minutes_per_phase",
        Kind::Number,
        "120",
        "Minutes a phase may take.",
    ),
    key(
        "circuit_breaker_config.wall_clock_timeout_minutes_total",
        Kind::Number,
        "1440",
        "Minutes a run may take.",
    ),
    key(
        "autopilot",
        Kind::Section,
        "",
        "Settings of autopilot's own; flags and AUTOPILOT_* variables win over them.",
    ),
    key("autopilot.jobs", Kind::Number, "1", "Phases that may run at once."),
    key(
        "autopilot.depth",
        Kind::Choice(&["auto", "lean", "full"]),
        "auto",
        "How many agents look at a phase.",
    ),
    key("autopilot.max_tokens", Kind::Number, "cost_cap_tokens_total", "Tokens a run may spend."),
    key("autopilot.max_cost", Kind::Dollars, "no cap", "US dollars a run may cost."),
    key(
        "autopilot.agent",
        Kind::Text,
        "the first that is installed, logged in and tried",
        "Who does the work: claude, codex, gemini, gemini-acp; acp for any program that speaks the Agent Client Protocol, command for any other, scripted to play a script.",
    ),
    key(
        "autopilot.model",
        Kind::Text,
        "as model_profile says",
        "The model agents are asked for, as the agent spells it.",
    ),
    key(
        "autopilot.fallback",
        Kind::TextList,
        "none",
        "Agents that go on when one has met a usage limit, in this order.",
    ),
    key(
        "autopilot.codex_arguments",
        Kind::TextList,
        "none",
        "What codex gets before our own arguments, such as a provider: [\"-c\", \"model_provider=…\"]. Your own config.toml takes no part in a run.",
    ),
    key(
        "autopilot.steps",
        Kind::Anything,
        "one agent for all",
        "Agents and models of single steps, as in { \"verify\": { \"agent\": \"claude\", \"model\": \"opus\" } }.",
    ),
    key(
        "autopilot.agent_command",
        Kind::TextList,
        "none",
        "The program of the agent command and its arguments; it gets the prompt on stdin and answers on stdout.",
    ),
    key(
        "autopilot.agent_variables",
        Kind::TextList,
        "none",
        "Names of environment variables that the agents command and acp get too, such as its API key.",
    ),
    key(
        "autopilot.acp_command",
        Kind::TextList,
        "none",
        "The program of the agent acp and its arguments; it speaks the Agent Client Protocol on stdin and stdout.",
    ),
    key(
        "autopilot.worktree_setup",
        Kind::TextList,
        "detected from lock files",
        "Commands that make a fresh worktree fit to work in, such as npm ci; run once for a tree and again when a lock file changed.",
    ),
    key(
        "autopilot.worktree_copy",
        Kind::TextList,
        "none",
        "Ignored files that the project cannot run without, such as .env: copied into the worktrees of agents and checks, who can read them.",
    ),
    key(
        "autopilot.hidden_checks",
        Kind::Text,
        "none",
        "The folder, outside the repository, whose checks.json has checks that no agent may know.",
    ),
    key("autopilot.script", Kind::Text, "none", "The script the scripted agent plays."),
    key("autopilot.step_minutes", Kind::Number, "60", "Minutes one agent may take for one step."),
    key("autopilot.check_minutes", Kind::Number, "20", "Minutes one check may take."),
    key(
        "autopilot.stall_time",
        Kind::NumberOrOff,
        "600",
        "Seconds without any sign of life after which an agent is ended, twice as many while its model and three times while its tool is waited for; 0 for never.",
    ),
    key(
        "autopilot.runner",
        Kind::Choice(&["steps", "delegate"]),
        "steps",
        "Who does a phase up to its review: an agent a step, or one delegate for all of it.",
    ),
    key(
        "autopilot.keep_awake",
        Kind::Flag,
        "true",
        "Whether the machine is kept from falling asleep while a run is on.",
    ),
    key(
        "autopilot.fence",
        Kind::Flag,
        "true",
        "Whether agents and checks are kept from writing anywhere but their own folders.",
    ),
    key(
        "autopilot.min_phase_time",
        Kind::NumberOrOff,
        "300",
        "Seconds under which a phase of several tasks is remarked on while something in it is only judged; 0 for never.",
    ),
    key(
        "autopilot.min_verify_time",
        Kind::NumberOrOff,
        "120",
        "Seconds under which a verification is asked for once more while something is only judged; 0 for never.",
    ),
    key(
        "autopilot.min_free_disk",
        Kind::NumberOrOff,
        "1024",
        "MiB that must be free in the project and in the state folder before a run starts; 0 to start in any case.",
    ),
];

/// Keys of the planning tool whose files these are. They steer that tool, not us, so they are not worth a remark.
const ANOTHER_TOOLS: [&str; 28] = [
    "mode",
    "depth",
    "granularity",
    "parallelization",
    "gates",
    "safety",
    "git",
    "hooks",
    "search_gitignored",
    "brave_search",
    "firecrawl",
    "exa_search",
    "resolve_model_ids",
    "planning",
    "workflow",
    "model_overrides",
    "features",
    "agents",
    "intel",
    "phase_naming",
    "project_code",
    "context",
    "response_language",
    "review",
    "ship",
    "health_check",
    "update",
    "runtime",
];

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Known {
    Ours(&'static Key),
    AnotherTools,
    No,
}

pub fn lookup(path: &str) -> Known {
    if let Some(key) = KEYS.iter().find(|key| key.path == path) {
        return Known::Ours(key);
    }
    let first = path.split('.').next().unwrap_or_default();
    if ANOTHER_TOOLS.contains(&first) { Known::AnotherTools } else { Known::No }
}

/// The known key that differs by at most two letters.
pub fn nearest(path: &str) -> Option<&'static str> {
    let near = KEYS.iter().map(|key| (distance(path, key.path), key.path));
    near.filter(|(distance, _)| *distance <= 2).min().map(|(_, path)| path)
}

/// Edit distance, for words short enough to be keys.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > 2 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, r) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(l != r);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

impl Key {
    /// What is used in place of a value that is of no use.
    pub fn fallback(&self) -> &'static str {
        match self.otherwise {
            "" => "nothing of it",
            "detected" => "what is detected",
            otherwise => otherwise,
        }
    }

    fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        if let Value::Object(fields) = &mut schema {
            fields.insert("description".to_string(), json!(self.about));
        }
        schema
    }
}

/// The amount of a number, in millionths of a dollar.
pub fn usd_micros(value: &Value) -> Option<u64> {
    value.as_number().and_then(|number| money::usd_micros(&number.to_string()))
}

impl Kind {
    /// Why the value cannot be used, or `None` if it can.
    pub fn complaint(self, value: &Value) -> Option<String> {
        let is_fine = match self {
            Kind::Section => value.is_object(),
            Kind::Text => value.as_str().is_some_and(|text| !text.trim().is_empty()),
            Kind::TextOrNull => {
                value.is_null() || value.as_str().is_some_and(|text| !text.trim().is_empty())
            }
            Kind::Flag => value.is_boolean(),
            Kind::Number => value.as_u64().is_some_and(|number| number > 0),
            Kind::NumberOrOff => value.is_u64(),
            Kind::Dollars => usd_micros(value).is_some(),
            Kind::TextList => {
                value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
            }
            Kind::Choice(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Kind::Anything => true,
        };
        (!is_fine).then(|| format!("is {} but must be {}", shown(value), self.words()))
    }

    pub fn words(self) -> String {
        match self {
            Kind::Section => "an object".to_string(),
            Kind::Text => "text".to_string(),
            Kind::TextOrNull => "a command line or null".to_string(),
            Kind::Flag => "true or false".to_string(),
            Kind::Number => "a whole number from 1 on".to_string(),
            Kind::NumberOrOff => "a whole number from 0 on".to_string(),
            Kind::Dollars => money::FORM.to_string(),
            Kind::TextList => "a list of texts".to_string(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Anything => "any value".to_string(),
        }
    }

    fn schema(self) -> Value {
        match self {
            Kind::Section => json!({ "type": "object" }),
            Kind::Text => json!({ "type": "string", "minLength": 1 }),
            Kind::TextOrNull => json!({ "type": ["string", "null"], "minLength": 1 }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Number => json!({ "type": "integer", "minimum": 1 }),
            Kind::NumberOrOff => json!({ "type": "integer", "minimum": 0 }),
            Kind::Dollars => json!({ "type": "number", "exclusiveMinimum": 0 }),
            Kind::TextList => json!({ "type": "array", "items": { "type": "string" } }),
            Kind::Choice(words) => json!({ "enum": words }),
            Kind::Anything => json!({}),
        }
    }
}

/// The JSON Schema of config.json. Further keys are allowed: other tools keep theirs in the same file.
pub fn schema() -> Value {
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "config",
        "description": "Settings in .planning/config.json that autopilot reads",
        "type": "object",
        "properties": {},
    });
    for key in &KEYS {
        let mut properties = root.get_mut("properties").and_then(Value::as_object_mut);
        let (sections, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
        for section in sections.split('.').filter(|section| !section.is_empty()) {
            properties =
                properties.and_then(|fields| fields.get_mut(section)).and_then(properties_of);
        }
        if let Some(fields) = properties {
            fields.insert(name.to_string(), key.schema());
        }
    }
    root
}

fn properties_of(schema: &mut Value) -> Option<&mut Map<String, Value>> {
    let fields = schema.as_object_mut()?;
    fields.entry("properties").or_insert_with(|| json!({})).as_object_mut()
}
