//! A project that an agent drafted from an idea, before anything of it is written (NEW-1). `faults` finds what our own rules would object to
//! later, `vague` tells criteria that nobody can check, `page` writes the project's page. Roadmap and requirements are written by
//! `convert`, as those of `init` are, and read back here with the ordinary readers. Who asks the agent is the engine's.

mod back;
mod faults;
mod page;
mod vague;

use crate::commands::Commands;
use crate::config::Config;
use crate::contract::drafting::{DraftedPhase, Drafting};
use crate::convert::{
    self, Draft, DraftCriterion, DraftPhase, DraftRequirement, SourceKind, safe_text,
};
use crate::limits;
use crate::phase_id::PhaseId;
use crate::project::Project;

/// What a project is drafted from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Idea {
    /// Typed on the command line.
    Words(String),
    File {
        /// As it is shown, relative to the project where it lies in it.
        name: String,
        text: String,
    },
}

impl Idea {
    pub fn text(&self) -> &str {
        match self {
            Idea::Words(text) | Idea::File { text, .. } => text,
        }
    }

    /// How the files that come of it name it.
    pub fn name(&self) -> &str {
        match self {
            Idea::Words(_) => "an idea",
            Idea::File { name, .. } => name,
        }
    }
}

/// What a draft becomes, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub draft: Draft,
    /// The texts of ROADMAP.md and REQUIREMENTS.md, and of PROJECT.md without its commands.
    pub roadmap: String,
    pub requirements: String,
    pub project: String,
    /// In sentences for whoever drafted it; with any of them nothing is written.
    pub faults: Vec<String>,
}

impl Proposal {
    /// The project that `plan` would read, once the files are written.
    pub fn project(&self, name: &str, commands: Commands, config: Config) -> Project<'_> {
        let mut project = Project { name: name.to_string(), commands, config, ..back::read(self) };
        project.compare_files();
        project
    }
}

/// Lays a draft out as files and looks for everything that is wrong with it.
pub fn examine(drafting: &Drafting, idea: &Idea) -> Proposal {
    let draft = draft_of(drafting);
    let mut proposal = Proposal {
        roadmap: convert::roadmap_text(&draft, idea.name()),
        requirements: convert::requirements_text(&draft, idea.name()),
        project: page::text(drafting, idea),
        faults: faults::of(drafting),
        draft,
    };
    // What is wrong with the values would only show again, in other words, in what is made of them.
    if proposal.faults.is_empty() {
        proposal.faults = back::faults(&proposal);
    }
    let left_out = proposal.faults.len().saturating_sub(limits::DRAFTING_FAULTS_MAX);
    if left_out > 0 {
        proposal.faults.truncate(limits::DRAFTING_FAULTS_MAX);
        proposal.faults.push(format!("{left_out} more faults are not listed"));
    }
    proposal
}

fn draft_of(drafting: &Drafting) -> Draft {
    let mut phases: Vec<&DraftedPhase> = drafting.phases.iter().collect();
    phases.sort_by_key(|phase| phase.number);
    let taker = |id: &str| {
        phases.iter().rev().find(|phase| phase.requirements.iter().any(|it| it.trim() == id))
    };
    let requirements = drafting.requirements.iter().filter_map(|requirement| {
        let id = requirement.id.trim();
        let phase = taker(id)?;
        Some(DraftRequirement {
            id: id.to_string(),
            text: safe_text::one_line(&requirement.text),
            category: safe_text::one_line(&phase.name),
            phase: PhaseId::number(phase.number),
            is_done: false,
            line: None,
        })
    });
    Draft {
        title: safe_text::one_line(&drafting.title),
        overview: safe_text::one_line(&drafting.summary),
        requirements: requirements.collect(),
        phases: phases.iter().map(|phase| phase_of(phase)).collect(),
        ..Draft::empty(SourceKind::Drafted)
    }
}

fn phase_of(phase: &DraftedPhase) -> DraftPhase {
    let mut depends_on: Vec<u32> = phase.depends_on.clone();
    depends_on.sort_unstable();
    depends_on.dedup();
    let criteria = phase.criteria.iter();
    let command = |command: &Option<String>| {
        command.as_deref().map(str::trim).filter(|it| !it.is_empty()).map(String::from)
    };
    DraftPhase {
        number: PhaseId::number(phase.number),
        name: safe_text::one_line(&phase.name),
        goal: safe_text::one_line(&phase.goal),
        depends_on: depends_on.into_iter().map(PhaseId::number).collect(),
        requirements: phase.requirements.iter().map(|id| id.trim().to_string()).collect(),
        criteria: criteria
            .map(|it| DraftCriterion::new(&it.text, command(&it.command).as_deref()))
            .collect(),
        notes: Vec::new(),
        is_done: false,
        line: None,
    }
}

#[cfg(test)]
mod drafting_tests;
