//! Reads a PLAN.md (ROAD-6): front matter and tasks. Bodies contain HTML and code of every kind, so tasks are scanned as text.
//! Which file belongs to which phase is `plan/file_name.rs`; how plans order themselves is `plan/waves.rs`.

pub mod file_name;
mod front_matter;
mod tags;
mod tasks;
pub mod waves;

use serde_json::Value;

use crate::criterion::Criterion;
use crate::finding::{Finding, Findings, quote};
use crate::phase_id::PhaseId;
use crate::plan::front_matter::FrontMatter;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub file: String,
    /// What the front matter says; the folder decides.
    pub phase: String,
    pub number: String,
    pub kind: String,
    pub wave: Option<u32>,
    pub depends_on: Vec<String>,
    pub files_modified: Vec<String>,
    pub is_autonomous: Option<bool>,
    pub requirements: Vec<String>,
    pub must_haves: MustHaves,
    /// The names of the front matter's fields, known or not.
    pub fields: Vec<String>,
    pub tasks: Vec<Task>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MustHaves {
    pub truths: Vec<String>,
    pub artifacts: Vec<String>,
    pub key_links: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub id: String,
    pub name: String,
    pub kind: TaskKind,
    pub complexity: Option<Complexity>,
    pub is_tdd: bool,
    /// `gate="advisory"` never waits; others do.
    pub gate: String,
    pub depends_on: Vec<String>,
    pub files: Vec<String>,
    pub read_first: Vec<String>,
    pub action: String,
    pub verify: String,
    pub automated: Vec<String>,
    pub criteria: Vec<Criterion<'static>>,
    pub done: String,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskKind {
    Auto,
    HumanVerify,
    Decision,
    HumanAction,
    /// A `<feature>` plan: test first, then the implementation, as one task.
    Feature,
    /// A word of the author's own, such as `code` or `manual`; run like `auto`.
    Other(String),
}

impl TaskKind {
    fn of(word: Option<&str>) -> TaskKind {
        match word.map(str::trim) {
            None | Some("" | "auto") => TaskKind::Auto,
            Some("checkpoint:human-verify") => TaskKind::HumanVerify,
            Some("checkpoint:decision") => TaskKind::Decision,
            Some("checkpoint:human-action") => TaskKind::HumanAction,
            Some(other) => TaskKind::Other(other.to_string()),
        }
    }

    pub fn is_checkpoint(&self) -> bool {
        matches!(self, TaskKind::HumanVerify | TaskKind::Decision | TaskKind::HumanAction)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Complexity {
    Simple,
    Medium,
    Complex,
}

impl Complexity {
    fn of(word: &str) -> Option<Complexity> {
        match word.trim().to_ascii_lowercase().as_str() {
            "simple" | "low" | "small" => Some(Complexity::Simple),
            "medium" | "moderate" => Some(Complexity::Medium),
            "complex" | "high" | "large" => Some(Complexity::Complex),
            _ => None,
        }
    }
}

pub fn read(file: &str, text: &str) -> (Plan, Vec<Finding>) {
    let mut findings = Findings::of_file(file);
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let front = FrontMatter::read(text, &mut findings);
    let mut plan = from_front_matter(file, &front, &mut findings);
    plan.tasks = tasks::read(text, front.lines_used, &mut findings);
    if plan.tasks.is_empty() {
        findings.warn(1, "no task found: autopilot looks for <task> blocks, \"## Task 1\" headings or a <feature> block");
    }
    (plan, findings.into_list())
}

impl Plan {
    /// The phase the front matter names, if it starts with a number: `36-comments` is 36.
    pub fn phase_id(&self) -> Option<PhaseId> {
        file_name::phase_of_folder(&self.phase)
    }
}

fn from_front_matter(file: &str, front: &FrontMatter, findings: &mut Findings) -> Plan {
    let mut plan = Plan {
        file: file.to_string(),
        phase: front.text("phase"),
        number: front.text("plan"),
        kind: front.text("type"),
        depends_on: front.strings("depends_on"),
        files_modified: front.strings("files_modified"),
        requirements: front.strings("requirements"),
        fields: front.entries.iter().map(|entry| entry.key.clone()).collect(),
        ..Plan::default()
    };
    if let Some(entry) = front.entry("wave") {
        plan.wave = entry
            .value
            .as_u64()
            .and_then(|wave| u32::try_from(wave).ok())
            .or_else(|| entry.raw.parse().ok());
        if plan.wave.is_none() {
            findings.warn(entry.line, format!("wave {} is no number", quote(&entry.raw)));
        }
    }
    if let Some(entry) = front.entry("autonomous") {
        plan.is_autonomous = match (entry.value.as_bool(), entry.raw.to_ascii_lowercase().as_str())
        {
            (Some(value), _) => Some(value),
            (None, "yes") => Some(true),
            (None, "no") => Some(false),
            (None, _) => {
                findings.warn(
                    entry.line,
                    format!("autonomous {} is neither true nor false", quote(&entry.raw)),
                );
                None
            }
        };
    }
    if let Some(entry) = front.entry("must_haves") {
        let list =
            |key: &str| entry.value.get(key).map(front_matter::strings_of).unwrap_or_default();
        plan.must_haves = MustHaves {
            truths: list("truths"),
            artifacts: list("artifacts"),
            key_links: list("key_links"),
        };
        if !entry.value.is_object() && entry.value != Value::Null {
            findings.warn(entry.line, "must_haves is no list of truths, artifacts and key_links");
        }
    }
    plan
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
