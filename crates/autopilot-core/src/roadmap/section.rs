//! The fields under a phase's heading (ROAD-2): goal, dependencies, requirements, criteria, plans. Everything else in the
//! section is the author's prose and stays theirs.

use std::borrow::Cow;

use crate::criterion::{self, Criterion};
use crate::markdown::{self, Line, Tick};
use crate::requirement_id;
use crate::roadmap::vocabulary::Label;

/// What a section said, each field with nothing in it when it was absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section<'t> {
    pub goal: Cow<'t, str>,
    pub description: Cow<'t, str>,
    pub depends_on: Option<(u32, Cow<'t, str>)>,
    pub requirements: Vec<Cow<'t, str>>,
    pub criteria: Vec<Criterion<'t>>,
    pub plans: Vec<ListedPlan<'t>>,
    pub mode: Cow<'t, str>,
    pub ui_hint: Cow<'t, str>,
    pub status: Cow<'t, str>,
}

/// A line of a phase's Plans list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedPlan<'t> {
    pub text: &'t str,
    pub is_done: bool,
    pub line: u32,
}

pub fn read<'t>(lines: &[Line<'t>]) -> Section<'t> {
    let mut section = Section::default();
    let mut marks = Marks::default();
    let mut index = 0;
    while index < lines.len() {
        let Some((label, value)) = marks.of(&lines[index]).field else {
            index += 1;
            continue;
        };
        let line = lines[index].number;
        let after = &lines[index + 1..];
        index += 1 + match label {
            Label::SuccessCriteria => read_criteria(&mut section, value, after, &mut marks),
            Label::Plans => read_plans(&mut section, after, &mut marks),
            Label::DependsOn | Label::Requirements => {
                let (value, used) = listed(value, after, &mut marks);
                set_field(&mut section, label, line, value);
                used
            }
            Label::Goal | Label::Description | Label::Mode | Label::UiHint | Label::Status => {
                let (value, used) = continued(value, after, &mut marks);
                set_field(&mut section, label, line, value);
                used
            }
        };
    }
    section
}

/// What a line begins.
#[derive(Default)]
struct Mark<'t> {
    /// A field of ours, with what follows its label.
    field: Option<(Label, &'t str)>,
    /// A label of ours, or any in bold: what stands there begins something else.
    is_label: bool,
}

impl<'t> Mark<'t> {
    fn of(line: &Line<'t>) -> Mark<'t> {
        // Items with a number, table rows and the like are no labels; most lines of a section are such.
        if matches!(line.first_byte(), None | Some(b'0'..=b'9' | b'|' | b'#' | b'<' | b'>')) {
            return Mark::default();
        }
        if let Some(field) = Label::of_template(line.text) {
            return Mark { field: Some(field), is_label: true };
        }
        let Some((name, value)) = markdown::label(line.text) else {
            let known = bold_without_colon(line.text);
            let field = known.and_then(|(name, value)| Some((Label::of(name)?, value)));
            return Mark { field, is_label: false };
        };
        let field = Label::of(name).map(|label| (label, value));
        Mark { field, is_label: field.is_some() || line.text.starts_with("**") }
    }
}

/// A line that ends one field usually begins the next: the last one looked at is remembered.
#[derive(Default)]
struct Marks<'t> {
    line: u32,
    mark: Mark<'t>,
}

impl<'t> Marks<'t> {
    fn of(&mut self, line: &Line<'t>) -> &Mark<'t> {
        if self.line != line.number {
            *self = Marks { line: line.number, mark: Mark::of(line) };
        }
        &self.mark
    }
}

/// `**Depends on** Phase 3`: a label of ours is one without its colon too.
fn bold_without_colon(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.strip_prefix("**")?.split_once("**")?;
    Some((name.trim(), value.trim()))
}

/// A value goes on over lines that follow without a blank one and are no other structure.
fn continued<'t>(
    value: &'t str,
    lines: &[Line<'t>],
    marks: &mut Marks<'t>,
) -> (Cow<'t, str>, usize) {
    let mut text = Cow::Borrowed(value);
    let mut used = 0;
    for line in lines {
        let is_structure = matches!(line.first_byte(), None | Some(b'|' | b'<' | b'>' | b'#'))
            || marks.of(line).is_label
            || line.item().is_some()
            || line.text == "---";
        if is_structure {
            break;
        }
        append(&mut text, line.text);
        used += 1;
    }
    (text, used)
}

/// Joins with a blank; what stands in one line stays borrowed.
fn append<'t>(text: &mut Cow<'t, str>, more: &'t str) {
    if text.is_empty() {
        *text = Cow::Borrowed(more);
    } else {
        let text = text.to_mut();
        text.push(' ');
        text.push_str(more);
    }
}

/// Dependencies and requirements may also stand as a list below their label, after a blank line too.
fn listed<'t>(value: &'t str, lines: &[Line<'t>], marks: &mut Marks<'t>) -> (Cow<'t, str>, usize) {
    let (text, used) = continued(value, lines, marks);
    let first =
        lines[used..].iter().position(|line| line.first_byte().is_some()).unwrap_or(0) + used;
    let is_list =
        lines.get(first).and_then(Line::item).is_some_and(|item| item.tick == Tick::NoBox);
    if !is_list || (!text.is_empty() && first > used) {
        return (text, used);
    }
    let mut all: Vec<Cow<'t, str>> =
        Some(text).into_iter().filter(|text| !text.is_empty()).collect();
    let add = |item: Cow<'t, str>| all.push(item);
    let taken = criterion::each_item(&lines[first..], |line| marks.of(line).is_label, add);
    (Cow::Owned(all.join(", ")), first + taken)
}

/// The first mention of a field counts; a later one belongs to the author's prose.
fn set_field<'t>(section: &mut Section<'t>, label: Label, line: u32, value: Cow<'t, str>) {
    let set = |field: &mut Cow<'t, str>, value: Cow<'t, str>| {
        if field.is_empty() {
            *field = value;
        }
    };
    match label {
        Label::Goal => set(&mut section.goal, value),
        Label::Description => set(&mut section.description, value),
        Label::Mode => set(&mut section.mode, value),
        Label::UiHint => set(&mut section.ui_hint, value),
        Label::Status => set(&mut section.status, value),
        Label::Requirements if section.requirements.is_empty() => {
            section.requirements = requirement_id::ids_of(value);
        }
        Label::DependsOn if section.depends_on.is_none() => {
            section.depends_on = Some((line, value));
        }
        Label::Requirements | Label::DependsOn | Label::SuccessCriteria | Label::Plans => {}
    }
}

fn read_criteria<'t>(
    section: &mut Section<'t>,
    value: &'t str,
    lines: &[Line<'t>],
    marks: &mut Marks<'t>,
) -> usize {
    let mut criteria = Vec::new();
    let add = |item: Cow<'t, str>| criteria.push(Criterion::read(item));
    let used = criterion::each_item(lines, |line| marks.of(line).is_label, add);
    if criteria.is_empty() && !value.is_empty() {
        criteria.push(Criterion::read(Cow::Borrowed(value)));
    }
    if section.criteria.is_empty() {
        section.criteria = criteria;
    }
    used
}

/// `**Plans**: 2 plans` and the check boxes that follow it, at once or under a second `Plans:`, also with lines such as
/// `**Wave 1**` between them.
fn read_plans<'t>(section: &mut Section<'t>, lines: &[Line<'t>], marks: &mut Marks<'t>) -> usize {
    let mut used = 0;
    for (index, line) in lines.iter().enumerate() {
        if marks.of(line).field.is_some() {
            break;
        }
        let Some(item) = line.item().filter(|item| item.tick != Tick::NoBox) else {
            continue;
        };
        section.plans.push(ListedPlan {
            text: item.text,
            is_done: item.tick == Tick::Ticked,
            line: line.number,
        });
        used = index + 1;
    }
    used
}

#[cfg(test)]
#[path = "section_tests.rs"]
mod tests;
