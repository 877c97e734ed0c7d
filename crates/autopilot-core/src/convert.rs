//! Turns a task list made for another tool into a draft of our roadmap and requirements, without an agent. Owns the
//! formats of those tools and the decision which parts of a file are phases; reading the written roadmap is left to the
//! roadmap reader, and writing files to whoever calls.
//!
//! What becomes a phase:
//! - Ralph `prd.json`: every user story, by priority and then by place. The story's id is the requirement's id.
//! - ralphex plan: every `### Task N:` or `### Iteration N:`, and stray check boxes except those under "Post-Completion".
//!   Its validation commands are criteria of every phase.
//! - spec-kit `tasks.md`: every `## Phase N:`. Sentences about dependencies are understood where they stand.
//! - OpenSpec `tasks.md`: every `## N. Name`, and any other heading that owns check boxes.
//! - Any other Markdown: a heading such as `Phase 2`, `Milestone 2` or `2.`; and the outermost headings that own check
//!   boxes, or list items when the file has no check box. A heading like "Notes" counts only when it owns check boxes.
//!   A section that only lists headings found elsewhere is none. The only top heading is the title. If the items stand
//!   under no heading, or all under one that carries no number, each top item is a phase of its own, up to
//!   `DRAFT_FLAT_PHASES_MAX`; a longer list is the check-list of one phase.
//!
//! Order is what the source says; a phase that states no dependency comes after the one before it. A stated dependency
//! on a later phase moves that phase forward, so every dependency of a draft points to a smaller number. Code fences and
//! HTML comments are never structure. What is not carried over is reported.

mod assemble;
pub(crate) mod command;
mod detect;
mod gather;
mod heading;
mod item_id;
mod json_lines;
mod markdown;
mod open_spec;
mod outline;
mod prd_json;
mod ralphex;
mod reference;
pub(crate) mod safe_text;
mod sketch;
mod spec_kit;
mod write;

use crate::finding::{Findings, Severity};
use crate::limits;
use crate::phase_id::PhaseId;

pub use write::{requirements_text, roadmap_text};

/// What a foreign file became. Phases are numbered from 1 and stand in that order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub title: String,
    /// Paragraphs, parted by an empty line.
    pub overview: String,
    pub source: SourceKind,
    pub phases: Vec<DraftPhase>,
    pub requirements: Vec<DraftRequirement>,
    /// Commands the source wants to pass after every step. They are criteria of every phase already.
    pub commands: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftPhase {
    pub number: PhaseId,
    pub name: String,
    pub goal: String,
    /// Only smaller numbers, in order.
    pub depends_on: Vec<PhaseId>,
    /// Ids of `Draft::requirements`.
    pub requirements: Vec<String>,
    pub criteria: Vec<DraftCriterion>,
    /// What the source says about the phase and no other field holds.
    pub notes: Vec<String>,
    pub is_done: bool,
    /// Where the phase stands in the source, counted from 1; none where the source has no place for it.
    pub line: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftCriterion {
    pub text: String,
    /// Present only when the source itself names it.
    pub command: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftRequirement {
    pub id: String,
    pub text: String,
    pub category: String,
    pub phase: PhaseId,
    pub is_done: bool,
    pub line: Option<u32>,
}

/// Which tool a file was made for, or that an agent drafted the phases (`crate::drafting`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    PrdJson,
    Ralphex,
    SpecKit,
    OpenSpec,
    Markdown,
    Drafted,
}

impl SourceKind {
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::PrdJson => "Ralph prd.json",
            SourceKind::Ralphex => "ralphex plan",
            SourceKind::SpecKit => "spec-kit task list",
            SourceKind::OpenSpec => "OpenSpec task list",
            SourceKind::Markdown => "Markdown task list",
            SourceKind::Drafted => "draft of an agent",
        }
    }

    /// Where the phases come from, in a sentence.
    fn origin(self, source_name: &str) -> String {
        match self {
            SourceKind::Drafted => {
                format!(
                    "Drafted from {source_name} by an agent. Change what is not as you want it."
                )
            }
            SourceKind::PrdJson
            | SourceKind::Ralphex
            | SourceKind::SpecKit
            | SourceKind::OpenSpec
            | SourceKind::Markdown => format!("Converted from {source_name} ({}).", self.name()),
        }
    }
}

/// Understands `text` as far as it can. A draft without phases always comes with an error that says why.
pub fn convert(file_name: &str, text: &str) -> (Draft, Findings) {
    let mut findings = Findings::of_file(file_name);
    if text.len() as u64 > limits::FILE_BYTES_MAX {
        let message = format!(
            "the file has {} bytes; at most {} are read",
            text.len(),
            limits::FILE_BYTES_MAX
        );
        findings.whole_file(Severity::Error, message);
        return (Draft::empty(SourceKind::Markdown), findings);
    }
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut draft = if detect::is_json(file_name, text) {
        prd_json::read(text, &mut findings)
    } else {
        read_markdown(file_name, text, &mut findings)
    };
    draft.title = title_or_file(&draft.title, file_name);
    (draft, findings)
}

fn read_markdown(file_name: &str, text: &str, findings: &mut Findings) -> Draft {
    let blocks = outline::read(text, findings);
    let kind = detect::markdown_kind(file_name, &blocks);
    let sections = outline::sections(&blocks);
    let roles = match kind {
        SourceKind::SpecKit => spec_kit::roles(&sections),
        SourceKind::Ralphex => ralphex::roles(&sections),
        SourceKind::OpenSpec => open_spec::roles(&sections),
        SourceKind::Markdown | SourceKind::PrdJson | SourceKind::Drafted => {
            markdown::roles(&sections)
        }
    };
    if blocks.iter().any(|block| block.text.eq_ignore_ascii_case("phase details")) {
        findings.whole_file(Severity::Warning, ALREADY_A_ROADMAP);
    }
    let assembly = assemble::assemble(kind, &sections, roles, findings);
    if assembly.sketches.is_empty() {
        findings.whole_file(Severity::Error, NOTHING_FOUND);
        return Draft { title: assembly.title, ..Draft::empty(kind) };
    }
    findings.whole_file(Severity::Note, format!("read as: {}", kind.name()));
    sketch::finish(kind, assembly, findings)
}

const NOTHING_FOUND: &str = "no phases found; understood are a Ralph prd.json with userStories, \
     a ralphex plan (### Task 1: …), a spec-kit tasks.md (## Phase 1: …), an OpenSpec tasks.md (## 1. … with - [ ] 1.1 …), and Markdown with check-lists \
     (- [ ] …) or lists under headings";

const ALREADY_A_ROADMAP: &str =
    "this looks like a roadmap already; as .planning/ROADMAP.md it is read without being converted";

impl DraftCriterion {
    /// Nothing in the text is left that a reader could take for the mark of a command.
    pub fn new(text: &str, command: Option<&str>) -> DraftCriterion {
        DraftCriterion { text: command::without_mark(text), command: command.map(String::from) }
    }
}

impl Draft {
    pub(crate) fn empty(source: SourceKind) -> Self {
        Draft {
            title: String::new(),
            overview: String::new(),
            source,
            phases: Vec::new(),
            requirements: Vec::new(),
            commands: Vec::new(),
        }
    }
}

/// A title that only says what kind of file it is gives way to the folder, which is how spec-kit and OpenSpec name things.
fn title_or_file(title: &str, file_name: &str) -> String {
    let title = safe_text::name(title);
    if !title.is_empty() && !is_generic(&title) {
        return title;
    }
    let mut parts = file_name.rsplit(['/', '\\']).map(safe_text::name);
    let file = parts.next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem);
    let folder = parts.next().unwrap_or_default();
    match (is_generic(stem), folder.chars().any(char::is_alphanumeric)) {
        (true, true) => folder,
        _ if !title.is_empty() => title,
        _ if !stem.is_empty() => stem.to_owned(),
        _ => "Untitled".to_owned(),
    }
}

fn is_generic(title: &str) -> bool {
    let generic =
        ["tasks", "task list", "todo", "to do", "plan", "implementation plan", "roadmap", "prd"];
    generic.iter().any(|word| title.eq_ignore_ascii_case(word))
}

#[cfg(test)]
#[path = "convert/convert_tests.rs"]
mod tests;
