//! The tasks of a plan: `<task>` blocks, else `## Task N` sections, else one `<feature>`.

use std::collections::BTreeSet;

use crate::criterion::{self, Criterion};
use crate::finding::{Findings, quote};
use crate::markdown::{self, Line};
use crate::plan::tags::{self, UntilLast};
use crate::plan::{Complexity, Task, TaskKind};

pub(super) fn read(text: &str, front_matter_lines: usize, findings: &mut Findings) -> Vec<Task> {
    let raw: Vec<&str> = text.lines().collect();
    let lines: Vec<Line<'_>> = markdown::structure(text, findings)
        .into_iter()
        .filter(|line| line.number as usize > front_matter_lines)
        .collect();
    let blocks = tagged_blocks(&lines, "task", &raw, findings);
    if !blocks.is_empty() {
        return blocks
            .iter()
            .enumerate()
            .map(|(index, block)| from_tag(index, block, findings))
            .collect();
    }
    let sections = heading_blocks(&lines, &raw);
    if !sections.is_empty() {
        return sections.iter().map(|(id, name, block)| from_heading(id, name, block)).collect();
    }
    let features = tagged_blocks(&lines, "feature", &raw, findings);
    features.iter().enumerate().map(|(index, block)| from_feature(index, block, findings)).collect()
}

/// The text of one task: its opening tag or heading and the lines below it, code included.
struct Block {
    line: u32,
    opening: String,
    body: String,
}

/// Blocks that open at the start of a line outside code and end with their closing tag, or where the next one opens.
fn tagged_blocks(
    lines: &[Line<'_>],
    name: &str,
    raw: &[&str],
    findings: &mut Findings,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut index = 0;
    while index < lines.len() {
        let line = lines[index];
        if !tags::opens(line.text, name) {
            index += 1;
            continue;
        }
        let end = (index..lines.len()).find(|at| {
            tags::closes(lines[*at].text, name)
                || (*at > index && tags::opens(lines[*at].text, name))
        });
        let is_closed = end.is_some_and(|at| tags::closes(lines[at].text, name));
        if !is_closed {
            findings.warn(line.number, format!("<{name}> opened here never closes"));
        }
        let last = end.map_or(raw.len(), |at| lines[at].number as usize - usize::from(!is_closed));
        let first = line.number as usize - 1;
        let whole = raw[first..last.max(first + 1)].join("\n");
        let (opening, body) = split_opening(&whole, name);
        blocks.push(Block { line: line.number, opening, body });
        index = end.map_or(lines.len(), |at| if is_closed { at + 1 } else { at });
    }
    blocks
}

fn split_opening(whole: &str, name: &str) -> (String, String) {
    let end = whole.find('>').map_or(whole.len(), |at| at + 1);
    let body =
        whole[end..].rsplit_once(&format!("</{name}>")).map_or(&whole[end..], |(body, _)| body);
    (whole[..end].to_string(), body.to_string())
}

/// `## Task 3: Name` up to the next heading that is as high.
fn heading_blocks(lines: &[Line<'_>], raw: &[&str]) -> Vec<(String, String, Block)> {
    let mut blocks = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(heading) = line.heading() else { continue };
        let Some((id, name)) = task_heading(heading.text) else { continue };
        let is_end =
            |at: &usize| lines[*at].heading().is_some_and(|next| next.level <= heading.level);
        let end = (index + 1..lines.len())
            .find(is_end)
            .map_or(raw.len(), |at| lines[at].number as usize - 1);
        let body = raw[line.number as usize..end].join("\n");
        blocks.push((id, name, Block { line: line.number, opening: String::new(), body }));
    }
    blocks
}

fn task_heading(text: &str) -> Option<(String, String)> {
    let after = text.trim_start_matches(['*', ' ']).strip_prefix("Task ")?;
    let end = after
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-')))
        .unwrap_or(after.len());
    let id = after[..end].trim_end_matches(['.', '-']);
    let name = after[end..].trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, ':' | '—' | '–' | '-' | '.' | '*')
    });
    id.starts_with(|c: char| c.is_ascii_digit())
        .then(|| (id.to_string(), name.trim_end_matches('*').to_string()))
}

fn from_tag(index: usize, block: &Block, findings: &mut Findings) -> Task {
    let attributes = tags::attributes(&block.opening);
    let attribute = |name: &str| tags::attribute(&attributes, name);
    let body = block.body.as_str();
    let kind = TaskKind::of(attribute("type"));
    if let TaskKind::Other(word) = &kind {
        findings.note(
            block.line,
            format!("task type {} is none of ours; it is run like auto", quote(word)),
        );
    }
    let complexity = attribute("complexity").and_then(Complexity::of);
    if let (Some(word), None) = (attribute("complexity"), complexity) {
        findings.warn(
            block.line,
            format!("complexity {} is neither simple, medium nor complex", quote(word)),
        );
    }
    let mut task = from_body(body);
    let in_heading =
        body.lines().filter_map(markdown::heading).find_map(|heading| task_heading(heading.text));
    task.id = attribute("id").map_or_else(|| (index + 1).to_string(), str::to_string);
    let named =
        tags::inside(body, "name", UntilLast::No).or(attribute("title")).or(attribute("name"));
    task.name = named.map(one_line).or(in_heading.map(|(_, name)| name)).unwrap_or_default();
    if task.name.is_empty() {
        task.name =
            tags::inside(body, "what-built", UntilLast::No).map(one_line).unwrap_or_default();
    }
    task.kind = kind;
    task.complexity = complexity;
    task.is_tdd = attribute("tdd") == Some("true") || attribute("type") == Some("tdd");
    task.gate = attribute("gate").unwrap_or_default().to_string();
    task.depends_on = attribute("depends_on").map(list_of).unwrap_or_default();
    task.line = block.line;
    task
}

fn from_heading(id: &str, name: &str, block: &Block) -> Task {
    let task = from_body(&block.body);
    Task { id: id.to_string(), name: name.to_string(), line: block.line, ..task }
}

fn from_feature(index: usize, block: &Block, findings: &mut Findings) -> Task {
    let mut task = from_tag(index, block, findings);
    task.kind = TaskKind::Feature;
    task.is_tdd = true;
    if task.action.is_empty() {
        let parts = ["behavior", "implementation"]
            .map(|name| tags::inside(&block.body, name, UntilLast::Yes));
        task.action = parts.into_iter().flatten().map(str::trim).collect::<Vec<_>>().join("\n\n");
    }
    task
}

/// The fields of a body, as tags or, where there are none, as labels such as `**Files:**`.
fn from_body(body: &str) -> Task {
    let field = |tag: &str, labels: &[&str], until_last: UntilLast| {
        let tagged = tags::inside(body, tag, until_last).map(str::trim).map(str::to_string);
        tagged.unwrap_or_else(|| labelled(body, labels))
    };
    let verify = field("verify", &["verify", "verification"], UntilLast::Yes);
    Task {
        id: String::new(),
        name: String::new(),
        kind: TaskKind::Auto,
        complexity: None,
        is_tdd: false,
        gate: String::new(),
        depends_on: Vec::new(),
        files: list_of(&field("files", &["files", "file"], UntilLast::No)),
        read_first: list_of(&field("read_first", &["read first", "read_first"], UntilLast::No)),
        action: field("action", &["action", "actions"], UntilLast::Yes),
        automated: tags::all_inside(body, "automated")
            .into_iter()
            .map(|text| text.trim().to_string())
            .collect(),
        verify,
        criteria: criteria(body),
        done: field("done", &["done", "done when"], UntilLast::No),
        line: 0,
    }
}

/// The value of a label, with the lines below it up to the next label or heading.
fn labelled(body: &str, labels: &[&str]) -> String {
    let mut found = String::new();
    let mut is_inside = false;
    for line in body.lines() {
        let is_bold = line.trim_start().trim_start_matches("- ").starts_with("**");
        if is_bold && let Some((name, value)) = markdown::label(line) {
            is_inside = found.is_empty() && labels.contains(&name.to_lowercase().as_str());
            if is_inside {
                found.push_str(value);
            }
        } else if markdown::heading(line).is_some() {
            is_inside = false;
        } else if is_inside {
            found.push('\n');
            found.push_str(line.trim_end());
        }
    }
    found.trim().to_string()
}

/// The list in `<acceptance_criteria>` or under that label, and every other item that names the command that proves it.
fn criteria(body: &str) -> Vec<Criterion<'static>> {
    let listed = tags::inside(body, "acceptance_criteria", UntilLast::No)
        .map(str::to_string)
        .unwrap_or_else(|| labelled(body, &["acceptance criteria"]));
    let lines: Vec<Line<'_>> = listed
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|text| Line::of(0, text))
        .collect();
    let mut found: Vec<Criterion<'static>> = Vec::new();
    criterion::each_item(&lines, |_| false, |text| found.push(Criterion::read(text).into_owned()));
    let mut known: BTreeSet<String> =
        found.iter().filter_map(Criterion::command).map(str::to_string).collect();
    let others =
        body.lines().filter_map(markdown::item).map(|item| Criterion::read(item.text.into()));
    let is_new = |other: &Criterion<'_>| {
        other.command().is_some_and(|command| known.insert(command.to_string()))
    };
    found.extend(others.filter(is_new).map(Criterion::into_owned));
    found
}

/// `a.rs, b.rs` on one line, or one a line with bullets; remarks in parentheses are left out.
fn list_of(text: &str) -> Vec<String> {
    let is_listed = text.lines().filter(|line| !line.trim().is_empty()).count() > 1;
    let pieces: Vec<String> = if is_listed {
        text.lines()
            .map(|line| markdown::item(line).map_or(line, |item| item.text))
            .map(|piece| markdown::without_parens(piece).into_owned())
            .collect()
    } else {
        markdown::without_parens(text).split(',').map(str::to_string).collect()
    };
    let clean = |piece: &String| {
        piece.trim().trim_start_matches(['-', '*', ' ']).trim_matches(['`', ' ', ',']).to_string()
    };
    pieces.iter().map(clean).filter(|piece| !piece.is_empty()).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
