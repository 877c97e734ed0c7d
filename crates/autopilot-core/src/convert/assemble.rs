//! Walks the sections of a Markdown file and turns each, by the role its format gives it, into a phase, into several, or
//! into title, overview, commands and sentences about dependencies. What has no role is reported as left out.

use std::collections::BTreeSet;

use crate::finding::{Findings, quote};
use crate::limits;

use super::SourceKind;
use super::command;
use super::gather::{Gathering, Sentence};
use super::heading::{self, PhaseHeading};
use super::markdown;
use super::outline::{Block, Kind, Section};
use super::reference::{References, Said};
use super::safe_text;
use super::sketch::{After, Assembly, Sketch};

/// What a section is to its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// A phase with everything below it.
    Phase(PhaseHeading),
    /// A phase of what stands right under the heading; deeper headings are on their own.
    PhaseAlone(PhaseHeading),
    /// Every top item of its list is a phase.
    Flat,
    Outside,
}

pub(super) fn assemble(
    kind: SourceKind,
    sections: &[Section<'_>],
    roles: Vec<Role>,
    findings: &mut Findings,
) -> Assembly {
    let has_boxes = sections.iter().any(|section| section.boxes() > 0);
    let mut walk = Walk::new(kind, has_boxes);
    let mut at = 0;
    for (index, role) in roles.into_iter().enumerate() {
        if index < at {
            continue;
        }
        let section = &sections[index];
        at = index + 1;
        match role {
            Role::Phase(heading) => {
                let below =
                    sections[at..].iter().take_while(|other| other.level > section.level).count();
                walk.phase(heading, &sections[index..at + below], findings);
                at += below;
            }
            Role::PhaseAlone(heading) => {
                walk.take_title(section);
                walk.phase(heading, &sections[index..at], findings);
            }
            Role::Flat => {
                walk.take_title(section);
                walk.flat(section, findings);
            }
            Role::Outside => walk.outside(section, findings),
        }
    }
    walk.finish(findings)
}

struct Walk {
    kind: SourceKind,
    has_boxes: bool,
    title: Option<String>,
    overview: Vec<String>,
    commands: Vec<String>,
    sketches: Vec<Sketch>,
    /// Sentences of phases about themselves, by place in `sketches`.
    own: Vec<(usize, Sentence)>,
    /// Lines of sections about dependencies.
    general: Vec<Sentence>,
    topic: Topic,
    topic_level: u8,
    first_mark: Option<u32>,
}

/// What a section outside the phases is about; its subsections are about the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Topic {
    Overview,
    Commands,
    Dependencies,
    Other,
}

impl Walk {
    fn new(kind: SourceKind, has_boxes: bool) -> Self {
        Walk {
            kind,
            has_boxes,
            title: None,
            overview: Vec::new(),
            commands: Vec::new(),
            sketches: Vec::new(),
            own: Vec::new(),
            general: Vec::new(),
            topic: Topic::Other,
            topic_level: 0,
            first_mark: None,
        }
    }

    fn phase(&mut self, heading: PhaseHeading, sections: &[Section<'_>], findings: &mut Findings) {
        let Some((own, below)) = sections.split_first() else { return };
        let boxes: usize = sections.iter().map(Section::boxes).sum();
        let mut gathering = Gathering::new(self.kind, heading, own.line(), boxes > 0);
        for block in own.blocks {
            gathering.take(block, findings);
        }
        for section in below {
            gathering.take_subsection(section, findings);
        }
        self.keep(gathering, findings);
    }

    fn flat(&mut self, section: &Section<'_>, findings: &mut Findings) {
        let is_task = |block: &Block| match block.kind {
            Kind::Item { mark, .. } => mark.is_box() || !self.has_boxes,
            _ => false,
        };
        let indents = section.blocks.iter().filter(|block| is_task(block)).map(indent_of);
        let top = indents.min().unwrap_or_default();
        let starts: Vec<usize> = (0..section.blocks.len())
            .filter(|at| is_task(&section.blocks[*at]) && indent_of(&section.blocks[*at]) < top + 2)
            .collect();
        for block in &section.blocks[..starts.first().copied().unwrap_or_default()] {
            self.overview_block(block, findings);
        }
        for (position, start) in starts.iter().enumerate() {
            let end = starts.get(position + 1).copied().unwrap_or(section.blocks.len());
            self.flat_item(&section.blocks[*start..end], findings);
        }
    }

    /// An item is a phase; what is nested in it is its check-list. Without any, the item checks itself.
    fn flat_item(&mut self, blocks: &[Block], findings: &mut Findings) {
        let Some((item, below)) = blocks.split_first() else { return };
        let is_nested = |block: &Block| matches!(block.kind, Kind::Item { .. });
        let has_boxes = below
            .iter()
            .any(|block| matches!(block.kind, Kind::Item { mark, .. } if mark.is_box()));
        let mut gathering =
            Gathering::new(self.kind, heading::unnumbered(""), item.line, self.has_boxes);
        gathering.take(item, findings);
        let Some((mut sketch, _)) = gathering.finish(findings) else { return };
        let text = sketch.requirements.first().map_or("", |requirement| &requirement.text);
        if let Some(heading) = heading::worded(text, &markdown::WORDS) {
            sketch.name = heading.name;
            sketch.label = heading.label;
        }
        if below.iter().any(is_nested) {
            let mut nested =
                Gathering::new(self.kind, heading::unnumbered(""), item.line, has_boxes);
            for block in below {
                nested.take(block, findings);
            }
            if let Some((below, depends_on)) = nested.finish(findings) {
                let is_open = |requirement: &super::sketch::SketchRequirement| !requirement.is_done;
                sketch.is_done &= !(has_boxes && below.requirements.iter().any(is_open));
                sketch.criteria = below.criteria;
                sketch.notes.extend(below.notes);
                sketch.goal = below.goal;
                self.own.extend(depends_on.map(|sentence| (self.sketches.len(), sentence)));
            }
        } else {
            for block in below {
                self.left_out_block(block, findings);
            }
        }
        self.sketches.push(sketch);
    }

    fn keep(&mut self, gathering: Gathering, findings: &mut Findings) {
        self.first_mark = self.first_mark.or(gathering.first_mark);
        let Some((sketch, depends_on)) = gathering.finish(findings) else { return };
        self.own.extend(depends_on.map(|sentence| (self.sketches.len(), sentence)));
        self.sketches.push(sketch);
        self.topic = Topic::Other;
        self.topic_level = 0;
    }

    fn outside(&mut self, section: &Section<'_>, findings: &mut Findings) {
        let is_title = self.take_title(section);
        if is_title || section.heading.is_none() {
            self.topic = Topic::Overview;
            self.topic_level = u8::MAX;
        } else if section.level <= self.topic_level || self.topic == Topic::Other {
            self.topic = topic_of(section.title());
            self.topic_level = section.level;
        }
        match self.topic {
            Topic::Overview => {
                for block in section.blocks {
                    self.overview_block(block, findings);
                }
            }
            Topic::Commands => self.take_commands(section, findings),
            Topic::Dependencies => self.take_sentences(section, findings),
            Topic::Other => report_left_out(section, findings),
        }
    }

    fn take_title(&mut self, section: &Section<'_>) -> bool {
        let is_title = section.level == 1 && self.title.is_none() && self.sketches.is_empty();
        if is_title {
            self.title = Some(without_kind(section.title()).to_owned());
        }
        is_title
    }

    fn overview_block(&mut self, block: &Block, findings: &mut Findings) {
        match &block.kind {
            Kind::Text => self.overview.push(safe_text::one_line(&block.text)),
            Kind::Field { label } => {
                self.overview.push(safe_text::one_line(&format!("{label}: {}", block.text)));
            }
            Kind::Item { mark, .. } if !mark.is_box() => {
                self.overview.push(safe_text::one_line(&block.text));
            }
            Kind::Item { .. } | Kind::Table | Kind::Code | Kind::Heading { .. } => {
                self.left_out_block(block, findings);
            }
        }
    }

    fn left_out_block(&self, block: &Block, findings: &mut Findings) {
        let what = match block.kind {
            Kind::Item { .. } => "a list item",
            Kind::Table => "a table",
            Kind::Code => "a code block",
            Kind::Text | Kind::Field { .. } => "text",
            Kind::Heading { .. } => "a heading",
        };
        findings.note(block.line, format!("{what} was left out: {}", quote(&block.text)));
    }

    fn take_commands(&mut self, section: &Section<'_>, findings: &mut Findings) {
        for block in section.blocks {
            match block.kind {
                Kind::Item { .. } | Kind::Text => match block.text.split('`').nth(1) {
                    Some(span) => self.add_command(span, block.line, findings),
                    None => self.left_out_block(block, findings),
                },
                Kind::Code => {
                    for (line, text) in (block.line + 1..).zip(block.text.lines()) {
                        if !text.is_empty() && !text.starts_with('#') {
                            self.add_command(text.trim_start_matches("$ "), line, findings);
                        }
                    }
                }
                Kind::Field { .. } | Kind::Table | Kind::Heading { .. } => {
                    self.left_out_block(block, findings);
                }
            }
        }
    }

    fn add_command(&mut self, text: &str, line: u32, findings: &mut Findings) {
        add_command(&mut self.commands, text, line, findings);
    }

    fn take_sentences(&mut self, section: &Section<'_>, findings: &mut Findings) {
        for block in section.blocks {
            match &block.kind {
                Kind::Item { .. } | Kind::Text => {
                    self.general.push(Sentence { line: block.line, text: block.text.clone() });
                }
                Kind::Field { label } => {
                    self.general.push(Sentence {
                        line: block.line,
                        text: format!("{label}: {}", block.text),
                    });
                }
                Kind::Table | Kind::Code | Kind::Heading { .. } => {
                    self.left_out_block(block, findings);
                }
            }
        }
    }

    fn finish(mut self, findings: &mut Findings) -> Assembly {
        if let Some(line) = self.first_mark {
            findings.note(
                line,
                "marks such as [P] and [US1] are about tasks inside a phase; they were left out",
            );
        }
        self.resolve_dependencies(findings);
        Assembly {
            title: self.title.unwrap_or_default(),
            overview: self.overview,
            commands: self.commands,
            sketches: self.sketches,
        }
    }

    /// What a phase says of itself wins over what a section says of all.
    fn resolve_dependencies(&mut self, findings: &mut Findings) {
        let mut references = References::of(self.kind, &self.sketches);
        let mut left_out = 0;
        for sentence in &self.general {
            let (subject, text) =
                sentence.text.split_once([':', '：']).unwrap_or(("", &sentence.text));
            let subjects = references.subjects(&subject.replace('*', ""));
            let mut is_used = false;
            for index in subjects {
                match references.in_sentence(text, index) {
                    Said::Before(before) => {
                        add_before(&mut self.sketches[index].after, before);
                        is_used = true;
                    }
                    Said::Nothing => {}
                    Said::NotUnderstood => {
                        let message =
                            format!("this dependency was not understood: {}", quote(text));
                        findings.warn(sentence.line, message);
                        is_used = true;
                        break;
                    }
                }
            }
            left_out += usize::from(!is_used);
        }
        if let (Some(first), 1..) = (self.general.first(), left_out) {
            let message = format!(
                "{left_out} of {} lines about dependencies name no phase or no order; they were left out",
                self.general.len()
            );
            findings.note(first.line, message);
        }
        for (index, sentence) in &self.own {
            match references.in_field(&sentence.text, *index) {
                Said::Before(before) => self.sketches[*index].after = After::Stated(before),
                Said::Nothing | Said::NotUnderstood => {
                    let message =
                        format!("this dependency was not understood: {}", quote(&sentence.text));
                    findings.warn(sentence.line, message);
                }
            }
        }
    }
}

/// Keeps a command that can be written down and is not there yet.
pub(super) fn add_command(
    commands: &mut Vec<String>,
    text: &str,
    line: u32,
    findings: &mut Findings,
) {
    let text = text.trim();
    if text.chars().count() > limits::DRAFT_COMMAND_CHARS_MAX || !command::is_writable(text) {
        findings.warn(
            line,
            format!("this command cannot stand in one line and was left out: {}", quote(text)),
        );
    } else if commands.iter().any(|known| known == text) {
        findings.note(line, format!("this command is named twice: {}", quote(text)));
    } else if commands.len() >= limits::DRAFT_COMMANDS_MAX {
        let max = limits::DRAFT_COMMANDS_MAX;
        findings.warn(
            line,
            format!("more than {max} commands; this one was left out: {}", quote(text)),
        );
    } else {
        commands.push(text.to_owned());
    }
}

fn add_before(after: &mut After, before: BTreeSet<usize>) {
    match after {
        After::Previous => *after = After::Stated(before),
        After::Stated(known) => known.extend(before),
    }
}

fn indent_of(block: &Block) -> usize {
    match block.kind {
        Kind::Item { indent, .. } => indent,
        Kind::Heading { .. } | Kind::Field { .. } | Kind::Text | Kind::Table | Kind::Code => 0,
    }
}

fn report_left_out(section: &Section<'_>, findings: &mut Findings) {
    let title = quote(section.title());
    match (section.boxes(), section.blocks.len()) {
        (0, 0) => {}
        (0, _) if section.items() > 0 && !super::markdown::is_background(section.title()) => {
            let message = format!("the list under {title} has no check boxes and was left out");
            findings.warn(section.line(), message);
        }
        (0, _) => findings
            .note(section.line(), format!("the section {title} is no phase and was left out")),
        (boxes, _) => {
            let message =
                format!("check boxes under {title} that belong to no phase were left out: {boxes}");
            findings.warn(section.line(), message);
        }
    }
}

fn topic_of(title: &str) -> Topic {
    let lower = title.to_lowercase();
    let is_any = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if is_any(&["validation command", "verification command", "quality gate"]) {
        Topic::Commands
    } else if is_any(&["dependenc"]) {
        Topic::Dependencies
    } else if matches!(
        lower.trim(),
        "overview"
            | "summary"
            | "introduction"
            | "about"
            | "description"
            | "goal"
            | "goals"
            | "vision"
    ) {
        Topic::Overview
    } else {
        Topic::Other
    }
}

/// "Tasks: Photo albums" is about photo albums.
fn without_kind(title: &str) -> &str {
    const KINDS: [&str; 7] =
        ["tasks", "plan", "implementation plan", "roadmap", "feature", "todo", "project"];
    match title.split_once([':', '：']) {
        Some((kind, rest)) if KINDS.iter().any(|known| kind.trim().eq_ignore_ascii_case(known)) => {
            rest.trim()
        }
        _ => title,
    }
}
