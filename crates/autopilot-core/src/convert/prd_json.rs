//! Ralph's `prd.json`: a project with user stories, each with acceptance criteria, a priority and whether it passes. Also
//! the bare list of stories that older loops use. A field of the wrong type is reported and the story kept without it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::finding::{Findings, Severity, quote};

use super::assemble::add_command;
use super::command;
use super::json_lines::element_lines;
use super::safe_text;
use super::sketch::{self, After, Assembly, Sketch, SketchRequirement};
use super::{Draft, DraftCriterion, SourceKind};

const LISTS: [&str; 5] = ["userStories", "user_stories", "stories", "tasks", "features"];

pub(super) fn read(text: &str, findings: &mut Findings) -> Draft {
    let kind = SourceKind::PrdJson;
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            let line = u32::try_from(error.line()).unwrap_or(u32::MAX).max(1);
            findings.error(line, format!("not valid JSON: {error}"));
            return Draft::empty(kind);
        }
    };
    let mut file = File { commands: Vec::new(), named_commands: BTreeMap::new(), findings };
    let mut assembly = Assembly {
        title: String::new(),
        overview: Vec::new(),
        commands: Vec::new(),
        sketches: Vec::new(),
    };
    let (key, stories) = match value {
        Value::Array(stories) => (None, stories),
        Value::Object(mut project) => {
            let key = LISTS.into_iter().find(|key| project.contains_key(*key));
            let list = key.and_then(|key| project.remove(key));
            file.read_project(&project, &mut assembly);
            match list {
                Some(Value::Array(stories)) => (key, stories),
                _ => (None, Vec::new()),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (None, Vec::new()),
    };
    let lines = element_lines(text, key);
    assembly.sketches = file.read_stories(&stories, &lines);
    assembly.commands = file.commands;
    if assembly.sketches.is_empty() {
        let message = "no user stories found; a prd.json has a list \"userStories\" of objects with id, title, \
                       description, acceptanceCriteria, priority and passes";
        findings.whole_file(Severity::Error, message);
        return Draft { title: assembly.title, ..Draft::empty(kind) };
    }
    findings.whole_file(Severity::Note, format!("read as: {}", kind.name()));
    sketch::finish(kind, assembly, findings)
}

struct File<'f> {
    commands: Vec<String>,
    /// Command by the name it is known under, such as "typecheck".
    named_commands: BTreeMap<String, String>,
    findings: &'f mut Findings,
}

/// A story with what decides its place and its dependencies.
struct Story {
    id: Option<String>,
    rank: f64,
    depends_on: Option<Vec<String>>,
    sketch: Sketch,
}

impl File<'_> {
    fn read_project(&mut self, project: &Map<String, Value>, assembly: &mut Assembly) {
        for (key, value) in project {
            match (key.as_str(), value) {
                ("project" | "name" | "title", Value::String(text)) => {
                    if assembly.title.is_empty() {
                        assembly.title = safe_text::one_line(text);
                    } else {
                        assembly.overview.push(safe_text::one_line(text));
                    }
                }
                ("description" | "overview", Value::String(text)) => {
                    assembly.overview.push(safe_text::one_line(text));
                }
                ("verificationCommands" | "commands" | "qualityGates", Value::Object(commands)) => {
                    self.read_commands(commands);
                }
                (key, _) => {
                    let message = format!("the key {} was left out", quote(key));
                    self.findings.whole_file(Severity::Note, message);
                }
            }
        }
    }

    fn read_commands(&mut self, commands: &Map<String, Value>) {
        for (name, command) in commands {
            let Value::String(command) = command else {
                let message = format!("the command {} is no text and was left out", quote(name));
                self.findings.whole_file(Severity::Warning, message);
                continue;
            };
            let before = self.commands.len();
            add_command(&mut self.commands, command, 1, self.findings);
            if self.commands.len() > before {
                self.named_commands.insert(singular(name), command.trim().to_owned());
            }
        }
    }

    fn read_stories(&mut self, values: &[Value], lines: &[u32]) -> Vec<Sketch> {
        let mut stories = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let line = lines.get(index).or(lines.last()).copied().unwrap_or(1);
            match value {
                Value::Object(fields) => stories.extend(self.read_story(fields, line)),
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_) => {
                    let message = format!(
                        "this story is {} instead of an object; it was left out",
                        type_name(value)
                    );
                    self.findings.error(line, message);
                }
            }
        }
        // The sort is stable: stories of one priority stay as they stand.
        stories.sort_by(|one, other| one.rank.total_cmp(&other.rank));
        self.resolve_dependencies(&mut stories);
        stories.into_iter().map(|story| story.sketch).collect()
    }

    fn read_story(&mut self, fields: &Map<String, Value>, line: u32) -> Option<Story> {
        let mut reader =
            StoryReader { fields, line, findings: self.findings, used: BTreeSet::new() };
        let id = reader.id();
        let title = reader.text(&["title", "name"]);
        let description = reader.text(&["description", "story"]);
        let mut criteria = reader.texts(&["acceptanceCriteria", "acceptance_criteria", "criteria"]);
        let steps = reader.texts(&["steps"]);
        let mut notes: Vec<String> = reader.text(&["notes"]).into_iter().collect();
        let is_done = reader.is_done();
        let rank = reader.rank();
        let depends_on = reader.dependencies();
        let category = reader.text(&["category"]).unwrap_or_else(|| "User Stories".to_owned());
        reader.report_unused();
        match (criteria.is_empty(), steps.is_empty()) {
            (true, _) => criteria = steps,
            (false, true) => {}
            (false, false) => notes.push(format!("steps: {}", steps.join("; "))),
        }
        let text =
            description.clone().or_else(|| title.clone()).or_else(|| criteria.first().cloned());
        let Some(text) = text else {
            let message = "this story has no title, description or criteria; it was left out";
            self.findings.error(line, message);
            return None;
        };
        let criteria = criteria.iter().map(|text| self.criterion(text)).collect();
        let requirement =
            SketchRequirement { id: id.clone(), text, category: Some(category), is_done, line };
        let sketch = Sketch {
            line,
            label: None,
            story: None,
            name: title.unwrap_or_default(),
            goal: description.unwrap_or_default(),
            criteria,
            requirements: vec![requirement],
            notes,
            after: After::Previous,
            is_done,
        };
        Some(Story { id, rank, depends_on, sketch })
    }

    /// "Typecheck passes" is verified by the command the file names "typecheck".
    fn criterion(&self, text: &str) -> DraftCriterion {
        let mut criterion = command::criterion(&safe_text::one_line(text));
        let words: Vec<&str> = criterion.text.trim_end_matches('.').split(' ').collect();
        if let ([name, "pass" | "passes" | "succeeds"], None) =
            (words.as_slice(), &criterion.command)
        {
            criterion.command = self.named_commands.get(&singular(name)).cloned();
        }
        criterion
    }

    fn resolve_dependencies(&mut self, stories: &mut [Story]) {
        let mut places = BTreeMap::new();
        for (index, story) in stories.iter().enumerate() {
            if let Some(id) = &story.id {
                places.entry(id.clone()).or_insert(index);
            }
        }
        for story in stories {
            let Some(ids) = &story.depends_on else { continue };
            let mut before = BTreeSet::new();
            for id in ids {
                match places.get(id) {
                    Some(index) => {
                        before.insert(*index);
                    }
                    None => {
                        let message = format!(
                            "this story depends on {}, which is not in the file",
                            quote(id)
                        );
                        self.findings.warn(story.sketch.line, message);
                    }
                }
            }
            // Ids that lead nowhere leave the order of the list.
            if ids.is_empty() || !before.is_empty() {
                story.sketch.after = After::Stated(before);
            }
        }
    }
}

struct StoryReader<'s> {
    fields: &'s Map<String, Value>,
    line: u32,
    findings: &'s mut Findings,
    used: BTreeSet<&'static str>,
}

impl<'s> StoryReader<'s> {
    fn field(&mut self, keys: &[&'static str]) -> Option<(&'static str, &'s Value)> {
        let key = keys.iter().find(|key| self.fields.contains_key(**key))?;
        self.used.insert(key);
        let value = self.fields.get(*key)?;
        if value.is_null() { None } else { Some((key, value)) }
    }

    fn text(&mut self, keys: &[&'static str]) -> Option<String> {
        match self.field(keys)? {
            (_, Value::String(text)) => {
                Some(safe_text::one_line(text)).filter(|text| !text.is_empty())
            }
            (key, value) => self.wrong_type(key, value, "text"),
        }
    }

    fn id(&mut self) -> Option<String> {
        match self.field(&["id"])? {
            (_, Value::String(text)) => {
                Some(text.trim().to_owned()).filter(|text| !text.is_empty())
            }
            (_, Value::Number(number)) => Some(number.to_string()),
            (key, value) => self.wrong_type(key, value, "text"),
        }
    }

    fn texts(&mut self, keys: &[&'static str]) -> Vec<String> {
        let values = match self.field(keys) {
            None => return Vec::new(),
            Some((_, Value::Array(values))) => values.as_slice(),
            Some((_, value @ Value::String(_))) => std::slice::from_ref(value),
            Some((key, value)) => {
                return self.wrong_type(key, value, "a list of texts").unwrap_or_default();
            }
        };
        let mut texts = Vec::new();
        for value in values {
            let text = match value {
                Value::String(text) => Some(text.as_str()),
                Value::Object(fields) => {
                    let known = ["text", "description", "criterion", "title"];
                    known.iter().find_map(|key| fields.get(*key)).and_then(Value::as_str)
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
            };
            match text.map(safe_text::one_line) {
                Some(text) if !text.is_empty() => texts.push(text),
                _ => {
                    let message =
                        format!("an entry of {} is {}; it was left out", keys[0], type_name(value));
                    self.findings.warn(self.line, message);
                }
            }
        }
        texts
    }

    fn is_done(&mut self) -> bool {
        match self.field(&["passes", "done", "completed", "status"]) {
            None => false,
            Some((_, Value::Bool(is_done))) => *is_done,
            Some(("status", Value::String(status))) => {
                matches!(
                    status.to_lowercase().as_str(),
                    "done" | "complete" | "completed" | "closed" | "passed"
                )
            }
            Some((key, value)) => self.wrong_type(key, value, "true or false").unwrap_or_default(),
        }
    }

    /// Smaller comes first; a story without a priority comes last.
    fn rank(&mut self) -> f64 {
        let found = match self.field(&["priority"]) {
            None => None,
            Some((_, Value::Number(number))) => number.as_f64(),
            Some((key, value @ Value::String(text))) => match rank_word(text) {
                Some(rank) => Some(rank),
                None => self.wrong_type(key, value, "a number"),
            },
            Some((key, value)) => self.wrong_type(key, value, "a number"),
        };
        found.unwrap_or(f64::INFINITY)
    }

    fn dependencies(&mut self) -> Option<Vec<String>> {
        const KEYS: [&str; 5] =
            ["dependsOn", "depends_on", "dependencies", "blockedBy", "blocked_by"];
        let (key, value) = self.field(&KEYS)?;
        let Value::Array(values) = value else {
            return self.wrong_type(key, value, "a list of ids");
        };
        let mut ids = Vec::new();
        for value in values {
            match value {
                Value::String(id) => ids.push(id.trim().to_owned()),
                Value::Number(id) => ids.push(id.to_string()),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                    let message =
                        format!("an entry of {key} is {}; it was left out", type_name(value));
                    self.findings.warn(self.line, message);
                }
            }
        }
        Some(ids)
    }

    fn wrong_type<T>(&mut self, key: &str, value: &Value, expected: &str) -> Option<T> {
        let message =
            format!("{key} is {} instead of {expected}; it was left out", type_name(value));
        self.findings.warn(self.line, message);
        None
    }

    fn report_unused(self) {
        for key in self.fields.keys().filter(|key| !self.used.contains(key.as_str())) {
            self.findings
                .note(self.line, format!("the key {} of this story was left out", quote(key)));
        }
    }
}

fn rank_word(text: &str) -> Option<f64> {
    let lower = text.trim().to_lowercase();
    match lower.as_str() {
        "critical" => Some(0.0),
        "high" => Some(1.0),
        "medium" => Some(2.0),
        "low" => Some(3.0),
        other => other.trim_start_matches('p').parse().ok().filter(|rank: &f64| rank.is_finite()),
    }
}

fn singular(name: &str) -> String {
    name.to_lowercase().trim_end_matches('s').to_owned()
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
