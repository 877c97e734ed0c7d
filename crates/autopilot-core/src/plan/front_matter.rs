//! The YAML block between `---` lines at the top of a plan. Each top-level field is read by itself, so that one fault costs one
//! field and not the rest; what YAML refuses but a person would understand is read as plain text.

use serde_json::Value;

use crate::finding::Findings;
use crate::limits;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FrontMatter {
    pub(super) entries: Vec<Entry>,
    /// Lines up to and including the closing `---`; 0 when there is no front matter.
    pub(super) lines_used: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) line: u32,
    /// What stands after the colon, as written, without quotes: `01` stays `01`.
    pub(super) raw: String,
    pub(super) value: Value,
    /// The items of a plain list, as written; `None` when it takes YAML to read it.
    items: Option<Vec<String>>,
}

impl FrontMatter {
    pub(super) fn read(text: &str, findings: &mut Findings) -> FrontMatter {
        let lines: Vec<&str> = text.lines().collect();
        let Some(open) = opening(&lines) else { return FrontMatter::default() };
        let Some(length) = lines[open + 1..].iter().position(|line| is_rule(line)) else {
            findings.warn(
                line_number(open),
                "the front matter opened here never closes; it is read as text",
            );
            return FrontMatter::default();
        };
        let close = open + 1 + length;
        let mut entries: Vec<Entry> = Vec::new();
        let mut start = open + 1;
        while start < close {
            let Some(key) = key_of(lines[start]) else {
                let is_idle =
                    lines[start].trim().is_empty() || lines[start].trim_start().starts_with('#');
                if !is_idle {
                    findings.warn(
                        line_number(start),
                        "this line of the front matter belongs to no field and is not read",
                    );
                }
                start += 1;
                continue;
            };
            if entries.len() == limits::FRONT_MATTER_FIELDS_MAX {
                findings.warn(
                    line_number(start),
                    "too many fields in the front matter; the rest is not read",
                );
                break;
            }
            let end =
                (start + 1..close).find(|index| key_of(lines[*index]).is_some()).unwrap_or(close);
            if entries.iter().any(|earlier| earlier.key == key) {
                findings.warn(
                    line_number(start),
                    format!("field {key} stands twice; the first counts"),
                );
            } else {
                entries.push(read_entry(key, start, &lines[start..end], findings));
            }
            start = end;
        }
        FrontMatter { entries, lines_used: close + 1 }
    }

    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub(super) fn text(&self, key: &str) -> String {
        self.entry(key).map(|entry| entry.raw.clone()).unwrap_or_default()
    }

    /// A list of texts as written: YAML would make the number 1 of `01`.
    pub(super) fn strings(&self, key: &str) -> Vec<String> {
        let Some(entry) = self.entry(key) else { return Vec::new() };
        let items = entry.items.clone().unwrap_or_else(|| strings_of(&entry.value));
        let is_none = |item: &String| {
            matches!(
                item.to_ascii_lowercase().as_str(),
                "" | "none" | "nothing" | "n/a" | "null" | "~"
            )
        };
        items.into_iter().filter(|item| !is_none(item)).collect()
    }
}

/// A list as strings: scalars as they are, objects by their first value; a single scalar is a list of one.
pub(super) fn strings_of(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => {
            items.iter().map(string_of).filter(|text| !text.is_empty()).collect()
        }
        Value::Null => Vec::new(),
        other => Some(string_of(other)).filter(|text| !text.is_empty()).into_iter().collect(),
    }
}

fn string_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_string(),
        Value::Null => String::new(),
        Value::Object(fields) => fields.values().next().map(string_of).unwrap_or_default(),
        Value::Array(items) => items.first().map(string_of).unwrap_or_default(),
        other => other.to_string(),
    }
}

/// The first line with words, comments aside, must be the rule.
fn opening(lines: &[&str]) -> Option<usize> {
    let mut in_comment = false;
    for (index, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if in_comment || trimmed.starts_with("<!--") {
            in_comment = !trimmed.contains("-->");
        } else if !trimmed.is_empty() {
            return is_rule(line).then_some(index);
        }
    }
    None
}

fn is_rule(line: &str) -> bool {
    line.trim_end() == "---"
}

fn key_of(line: &str) -> Option<&str> {
    let (key, rest) = line.split_once(':')?;
    let is_key =
        !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    (is_key && (rest.is_empty() || rest.starts_with([' ', '\t', '\r']))).then_some(key)
}

fn read_entry(key: &str, start: usize, lines: &[&str], findings: &mut Findings) -> Entry {
    let first = lines[0].split_once(':').map(|(_, rest)| rest.trim()).unwrap_or_default();
    let raw = unquoted(first).to_string();
    let line = line_number(start);
    let chunk = lines.join("\n");
    let nesting = chunk.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count();
    let parsed = if nesting > limits::VALUE_DEPTH_MAX * 64 {
        None
    } else {
        serde_saphyr::from_str::<Value>(&chunk).ok().and_then(|value| value.get(key).cloned())
    };
    let value = parsed.unwrap_or_else(|| match as_plain_text(first, &lines[1..]) {
        Some(value) => value,
        None => {
            findings.warn(
                line,
                format!("field {key} of the front matter is not valid YAML and is not read"),
            );
            Value::Null
        }
    });
    let items = plain_items(first, &lines[1..]);
    Entry { key: key.to_string(), line, raw, value, items }
}

/// What YAML refuses: `title: Fix: two colons`, `- item: with "quotes" and: colons`.
fn as_plain_text(first: &str, rest: &[&str]) -> Option<Value> {
    let rest: Vec<&str> =
        rest.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    if rest.is_empty() {
        return Some(Value::String(unquoted(first).to_string()));
    }
    let items: Option<Vec<Value>> = rest
        .iter()
        .map(|line| {
            line.strip_prefix("- ").map(|item| Value::String(unquoted(item.trim()).to_string()))
        })
        .collect();
    items.filter(|_| first.is_empty()).map(Value::Array)
}

/// `[01, 02-login]`, `01`, or `- 01` lines: whatever needs no YAML to be taken apart.
fn plain_items(first: &str, rest: &[&str]) -> Option<Vec<String>> {
    let is_plain = |text: &str| !text.contains(['"', '\'', '{', '}', '&', '*', '|', '>']);
    let rest: Vec<&str> =
        rest.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    if rest.is_empty() && is_plain(first) {
        let inside = first.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let inside = inside.filter(|inside| !inside.contains('['));
        return match inside {
            Some(inside) => Some(inside.split(',').map(|item| item.trim().to_string()).collect()),
            None if first.contains(['[', '#']) => None,
            None => Some(vec![first.to_string()]),
        };
    }
    let mut items = Vec::with_capacity(rest.len());
    for line in rest {
        let item = line.strip_prefix("- ")?;
        if !is_plain(item) || item.contains([':', '#', '[']) {
            return None;
        }
        items.push(item.trim().to_string());
    }
    first.is_empty().then_some(items)
}

fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            return inside.split(quote).next().unwrap_or_default();
        }
    }
    text.split(" #").next().unwrap_or_default().trim()
}

fn line_number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}
