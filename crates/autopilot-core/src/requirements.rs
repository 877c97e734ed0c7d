//! Reads REQUIREMENTS.md (ROAD-5): definitions such as `- [ ] **CAT-01**: text`, the same in tables, and the traceability table.

use std::collections::BTreeMap;

use crate::finding::{Finding, Findings};
use crate::markdown::{self, Tick};
use crate::phase_id::PhaseId;
use crate::requirement_id;
use crate::roadmap::vocabulary;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requirements {
    pub file: String,
    pub list: Vec<Requirement>,
    /// The traceability table: which phases an id is mapped to, in the order of its rows.
    pub traced: Vec<Trace>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    pub id: String,
    pub text: String,
    pub state: RequirementState,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequirementState {
    Open,
    Done,
    /// No check box: usually one deferred to a later version.
    Unmarked,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    pub id: String,
    pub phases: Vec<PhaseId>,
    pub line: u32,
}

pub fn read(file: &str, text: &str) -> (Requirements, Vec<Finding>) {
    let mut findings = Findings::of_file(file);
    let mut requirements = Requirements { file: file.to_string(), ..Requirements::default() };
    let mut table = Table::None;
    let mut in_traceability = false;
    for line in markdown::structure(text, &mut findings) {
        if let Some(heading) = line.heading() {
            in_traceability = is_traceability(heading.text);
            table = Table::None;
        } else if let Some(cells) = markdown::cells(line.text) {
            let cells: Vec<&str> = cells.collect();
            table = table.next(&cells, in_traceability);
            match table {
                Table::Traced => requirements.traced.extend(trace(&cells, line.number)),
                Table::Defined(column) => {
                    requirements.list.extend(defined_in_row(&cells, column, line.number));
                }
                Table::None => {}
            }
        } else if let Some(item) = line.item() {
            requirements.list.extend(defined_in_item(item, line.number));
        }
    }
    report_duplicates(&requirements, &mut findings);
    (requirements, findings.into_list())
}

fn is_traceability(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    ["traceability", "coverage", "mapping", "rückverfolgbarkeit", "трассируемость", "可追溯"]
        .iter()
        .any(|word| lower.contains(word))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    None,
    Traced,
    /// A table that defines requirements; the column its texts stand in.
    Defined(usize),
}

impl Table {
    /// A table under a traceability heading, or one with a column for phases, maps ids; one with a column for text defines them.
    fn next(self, cells: &[&str], in_traceability: bool) -> Table {
        let names: Vec<String> =
            cells.iter().map(|cell| cell.trim_matches('*').to_lowercase()).collect();
        let is_header = names.first().is_some_and(|first| {
            ["id", "requirement", "requirements", "req", "req id", "requirement id", "anforderung"]
                .contains(&first.as_str())
        });
        let has_phase =
            names.iter().any(|name| name.starts_with("phase") || name == "фаза" || name == "阶段");
        let text_column = names.iter().skip(1).position(|name| {
            ["requirement", "description", "text", "beschreibung", "описание", "描述"]
                .contains(&name.as_str())
        });
        match (self, is_header, text_column) {
            (_, true, _) if in_traceability || has_phase && text_column.is_none() => Table::Traced,
            (_, true, Some(column)) => Table::Defined(column + 1),
            (Table::None, false, _) if in_traceability => Table::Traced,
            (current, _, _) => current,
        }
    }
}

/// `- [ ] **AUTH-01**: text`, `- **AUTH-01:** text`, `- [ ] AUTH-01: text`.
fn defined_in_item(item: markdown::Item<'_>, line: u32) -> Option<Requirement> {
    let state = match item.tick {
        Tick::Open => RequirementState::Open,
        Tick::Ticked => RequirementState::Done,
        Tick::NoBox => RequirementState::Unmarked,
    };
    let (id, text) = match item.text.strip_prefix("**") {
        Some(inside) => {
            let (id, after) = inside.split_once("**")?;
            // The separator stands inside or after the bold, or there is none but the box says it is a requirement.
            let has_separator = id.ends_with([':', '：'])
                || after.trim_start().starts_with([':', '：', '—', '–', '-']);
            if !has_separator && item.tick == Tick::NoBox {
                return None;
            }
            (id, after)
        }
        None if item.tick == Tick::NoBox => return None,
        None => item.text.split_once([':', '：'])?,
    };
    let id = id.trim().trim_end_matches([':', '：']).trim_matches(['[', ']', '`', ' ']);
    let text = text.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, ':' | '：' | '—' | '–' | '-' | '*')
    });
    is_defined_id(id).then(|| Requirement {
        id: id.to_string(),
        text: text.trim().to_string(),
        state,
        line,
    })
}

/// A definition may use spellings a mere mention may not, such as the placeholder `PROV-09.x`.
fn is_defined_id(id: &str) -> bool {
    let base = id.strip_suffix(".x").unwrap_or(id);
    requirement_id::is_id(base)
}

fn defined_in_row(cells: &[&str], column: usize, line: u32) -> Option<Requirement> {
    let id = cells.first()?.trim_matches(['*', '`', '~', ' ']);
    if !requirement_id::is_id(id) {
        return None;
    }
    let is_done = cells
        .iter()
        .skip(1)
        .any(|cell| vocabulary::status_word(cell) == Some(vocabulary::StatusWord::Complete));
    let state = if is_done { RequirementState::Done } else { RequirementState::Open };
    let text = cells.get(column).copied().unwrap_or_default().to_string();
    Some(Requirement { id: id.to_string(), text, state, line })
}

fn trace(cells: &[&str], line: u32) -> Option<Trace> {
    let id = cells.first()?.trim_matches(['*', '`', '~', ' ']);
    if !requirement_id::is_id(id) {
        return None;
    }
    let mut phases = Vec::new();
    for cell in cells.iter().skip(1) {
        for piece in markdown::without_parens(cell).split([',', ';', '+', '&']) {
            let piece = piece.trim().trim_matches('*');
            if let Some(after) = vocabulary::after_phase_or_phases_word(piece)
                && let Some((phase, _)) = PhaseId::scan(after)
            {
                phases.push(phase);
            }
        }
    }
    Some(Trace { id: id.to_string(), phases, line })
}

fn report_duplicates(requirements: &Requirements, findings: &mut Findings) {
    let mut first: BTreeMap<&str, u32> = BTreeMap::new();
    for requirement in &requirements.list {
        if let Some(line) = first.insert(&requirement.id, requirement.line) {
            findings.warn(
                requirement.line,
                format!("requirement {} is defined twice (also in line {line})", requirement.id),
            );
        }
    }
    for trace in &requirements.traced {
        if !first.contains_key(trace.id.as_str()) && !requirements.list.is_empty() {
            findings
                .note(trace.line, format!("requirement {} is traced but not defined", trace.id));
        }
    }
}

#[cfg(test)]
#[path = "requirements_tests.rs"]
mod tests;
