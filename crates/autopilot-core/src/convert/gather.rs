//! Collects what stands under a phase's heading: goal, tasks, criteria, notes and a sentence about dependencies. Owns the
//! meaning of labels such as "Goal" and "Independent Test", the same in every Markdown format.

use crate::finding::Findings;

use super::command;
use super::heading::PhaseHeading;
use super::item_id;
use super::outline::{Block, Kind, Mark, Section, split_field};
use super::sketch::{After, Sketch, SketchRequirement};
use super::{DraftCriterion, SourceKind};

pub(super) struct Gathering {
    kind: SourceKind,
    heading: PhaseHeading,
    line: u32,
    has_boxes: bool,
    goal: String,
    tasks: Vec<Task>,
    criteria: Vec<String>,
    notes: Vec<String>,
    depends_on: Option<Sentence>,
    open_boxes: usize,
    subheadings: usize,
    owner: Owner,
    indent: usize,
    pub(super) first_mark: Option<u32>,
}

/// A piece of prose and its line.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    pub(super) line: u32,
    pub(super) text: String,
}

struct Task {
    id: Option<String>,
    text: String,
    has_details: bool,
    is_done: bool,
    line: u32,
}

/// What a plain list item belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Nobody,
    Task,
    Goal,
    Criteria,
    Note,
}

impl Gathering {
    /// `has_boxes` says whether the phase's tasks are its check boxes; otherwise every list item is one.
    pub(super) fn new(kind: SourceKind, heading: PhaseHeading, line: u32, has_boxes: bool) -> Self {
        Gathering {
            kind,
            heading,
            line,
            has_boxes,
            goal: String::new(),
            tasks: Vec::new(),
            criteria: Vec::new(),
            notes: Vec::new(),
            depends_on: None,
            open_boxes: 0,
            subheadings: 0,
            owner: Owner::Nobody,
            indent: 0,
            first_mark: None,
        }
    }

    pub(super) fn take_subsection(&mut self, section: &Section<'_>, findings: &mut Findings) {
        self.subheadings += 1;
        self.owner =
            if is_criteria_label(section.title()) { Owner::Criteria } else { Owner::Nobody };
        for block in section.blocks {
            self.take(block, findings);
        }
    }

    pub(super) fn take(&mut self, block: &Block, findings: &mut Findings) {
        match &block.kind {
            Kind::Item { mark, indent } => self.take_item(*mark, *indent, block),
            Kind::Field { label } => self.take_field(label, &block.text, block.line),
            Kind::Text => self.take_text(&block.text),
            Kind::Table => {
                findings.note(block.line, "a table was left out");
                self.owner = Owner::Nobody;
            }
            Kind::Code => {
                findings.note(block.line, "a code block was left out");
                self.owner = Owner::Nobody;
            }
            Kind::Heading { .. } => {}
        }
    }

    fn take_item(&mut self, mark: Mark, indent: usize, block: &Block) {
        let is_nested = self.owner == Owner::Task && indent >= self.indent + 2;
        match mark {
            Mark::Open => self.add_task(block, indent, false),
            Mark::Done => self.add_task(block, indent, true),
            Mark::Bullet | Mark::Number if is_nested => self.add_detail(&block.text),
            Mark::Bullet | Mark::Number => self.take_plain_item(indent, block),
        }
    }

    fn take_plain_item(&mut self, indent: usize, block: &Block) {
        if let Some((label, value)) = split_field(&block.text)
            && is_own_label(label)
        {
            self.take_field(label, value, block.line);
            return;
        }
        match self.owner {
            Owner::Criteria => self.criteria.push(block.text.clone()),
            Owner::Goal => extend(&mut self.goal, " ", &block.text),
            Owner::Note => match self.notes.last_mut() {
                Some(note) => {
                    extend(note, if note.ends_with(':') { " " } else { "; " }, &block.text);
                }
                None => self.notes.push(block.text.clone()),
            },
            Owner::Nobody | Owner::Task if self.has_boxes => {
                self.notes.push(block.text.clone());
                self.owner = Owner::Nobody;
            }
            Owner::Nobody | Owner::Task => self.add_task(block, indent, false),
        }
    }

    fn add_task(&mut self, block: &Block, indent: usize, is_done: bool) {
        let task = item_id::split(self.kind, &block.text);
        if task.text.trim().is_empty() && task.id.is_none() {
            return;
        }
        if task.had_marks {
            self.first_mark.get_or_insert(block.line);
        }
        self.open_boxes += usize::from(!is_done);
        // Children of a nested check box are not those of the box above it.
        self.indent = indent;
        self.owner = Owner::Task;
        self.tasks.push(Task {
            id: task.id.map(str::to_owned),
            text: task.text.to_owned(),
            has_details: false,
            is_done,
            line: block.line,
        });
    }

    fn add_detail(&mut self, text: &str) {
        let Some(task) = self.tasks.last_mut() else { return };
        extend(&mut task.text, if task.has_details { "; " } else { ": " }, text);
        task.has_details = true;
    }

    fn take_field(&mut self, label: &str, value: &str, line: u32) {
        let lower = label.to_lowercase();
        self.owner = Owner::Nobody;
        if is_goal_label(&lower) && self.goal.is_empty() {
            self.goal = value.to_owned();
            self.owner = if value.is_empty() { Owner::Goal } else { Owner::Nobody };
        } else if is_depends_label(&lower) && self.depends_on.is_none() {
            self.depends_on = Some(Sentence { line, text: value.to_owned() });
        } else if is_criteria_label(&lower) {
            self.owner = Owner::Criteria;
            if !value.is_empty() {
                self.criteria.push(value.to_owned());
            }
        } else if is_task_label(&lower) && value.is_empty() {
            self.owner = Owner::Nobody;
        } else {
            self.notes.push(format!("{label}: {value}").trim_end().to_owned());
            self.owner = if value.is_empty() { Owner::Note } else { Owner::Nobody };
        }
    }

    fn take_text(&mut self, text: &str) {
        self.owner = Owner::Nobody;
        if self.goal.is_empty() && self.tasks.is_empty() {
            self.goal = text.to_owned();
        } else {
            self.notes.push(text.to_owned());
        }
    }

    /// The sketch and its sentence about dependencies; nothing if the source holds nothing but the heading's mark.
    pub(super) fn finish(self, findings: &mut Findings) -> Option<(Sketch, Option<Sentence>)> {
        if self.subheadings > 0 {
            let message =
                format!("{} headings below this one were merged into its phase", self.subheadings);
            findings.note(self.line, message);
        }
        let texts = [&self.heading.name, &self.goal];
        if self.tasks.is_empty()
            && self.criteria.is_empty()
            && texts.iter().all(|text| text.is_empty())
        {
            findings.warn(self.line, "nothing here says what the phase is; it was left out");
            return None;
        }
        let has_ticks = self.has_boxes && !self.tasks.is_empty();
        let is_done = self.open_boxes == 0 && (has_ticks || self.heading.says_done);
        let mut criteria: Vec<DraftCriterion> =
            self.criteria.iter().map(|text| command::criterion(text)).collect();
        criteria.extend(self.tasks.iter().map(|task| command::criterion(&task.text)));
        let requirement = |task: Task| SketchRequirement {
            id: task.id,
            text: task.text,
            category: None,
            is_done: task.is_done,
            line: task.line,
        };
        let mut notes = self.heading.notes;
        notes.extend(self.notes);
        let sketch = Sketch {
            line: self.line,
            label: self.heading.label,
            story: self.heading.story,
            name: self.heading.name,
            goal: self.goal,
            criteria,
            requirements: self.tasks.into_iter().map(requirement).collect(),
            notes,
            after: After::Previous,
            is_done,
        };
        Some((sketch, self.depends_on))
    }
}

fn extend(text: &mut String, between: &str, more: &str) {
    if !text.is_empty() {
        text.push_str(between);
    }
    text.push_str(more);
}

fn is_own_label(label: &str) -> bool {
    let lower = label.to_lowercase();
    is_goal_label(&lower) || is_depends_label(&lower) || is_criteria_label(&lower)
}

fn is_goal_label(lower: &str) -> bool {
    matches!(lower, "goal" | "goals" | "purpose" | "objective" | "description" | "summary")
}

fn is_depends_label(lower: &str) -> bool {
    matches!(
        lower,
        "depends on" | "dependencies" | "dependency" | "depends" | "blocked by" | "prerequisites"
    )
}

fn is_criteria_label(label: &str) -> bool {
    const LABELS: [&str; 9] = [
        "independent test",
        "acceptance criteria",
        "acceptance",
        "success criteria",
        "done when",
        "definition of done",
        "exit criteria",
        "verification",
        "completion criteria",
    ];
    let bare = label.trim().trim_end_matches([':', '：']);
    LABELS.iter().any(|known| bare.eq_ignore_ascii_case(known))
}

fn is_task_label(lower: &str) -> bool {
    matches!(lower, "tasks" | "steps" | "todo" | "to do" | "deliverables" | "work items")
}
