//! `autopilot plan --json`: the project as read and the schedule made of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::{Commands, Slot};
use crate::criterion::{Check, Criterion};
use crate::documents::FindingDocument;
use crate::documents::status::StatusWord;
use crate::outlook::Outlook;
use crate::phase_id::PhaseId;
use crate::phase_type::PhaseType;
use crate::project::{PhasePlan, Project};
use crate::roadmap::Phase;

/// What would run. `phases` lists every phase of the project; `order` and `waves` only what is selected and would run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "plan")]
pub struct PlanDocument<'a> {
    pub spec: Option<SpecDocument<'a>>,
    pub commands: CommandsDocument,
    pub phases: Vec<PhaseDocument<'a>>,
    /// Dependencies first, ties in roadmap order.
    pub order: &'a [PhaseId],
    /// What can run at once.
    pub waves: &'a [Vec<PhaseId>],
    /// For each selected phase, what its failure would block, in schedule order. Complete up to 141
    /// selected phases; beyond that each list is cut and `blocks_count` has the number.
    pub blocks: BTreeMap<&'a PhaseId, Vec<&'a PhaseId>>,
    /// The exact number behind each entry of `blocks`.
    pub blocks_count: BTreeMap<&'a PhaseId, usize>,
    /// The chain of dependencies with the highest estimate.
    pub critical_path: &'a [PhaseId],
    pub skipped: Vec<SkippedDocument<'a>>,
    pub estimate: EstimateDocument,
    pub findings: Vec<FindingDocument<'a>>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SpecDocument<'a> {
    pub path: &'a str,
    /// `sha256:` and hex digits, ticks and the Progress table left out.
    pub hash: &'a str,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CommandsDocument {
    pub compile: Option<String>,
    pub test: Option<String>,
    pub lint: Option<String>,
    pub build: Option<String>,
    /// The files the commands come from.
    pub source: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PhaseDocument<'a> {
    pub id: &'a PhaseId,
    pub name: &'a str,
    pub goal: &'a str,
    pub depends_on: &'a [PhaseId],
    pub requirements: &'a [String],
    pub criteria: Vec<CriterionDocument<'a>>,
    pub status: StatusWord,
    #[serde(rename = "type")]
    pub phase_type: PhaseType,
    pub plans: Vec<PlanEntry<'a>>,
    pub file: &'a str,
    pub line: u32,
    /// 0 for a phase that is settled and not selected.
    pub estimate_tokens: u64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CriterionDocument<'a> {
    pub text: &'a str,
    /// The command that proves it, where the author named one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<&'a str>,
    /// Proven by a command that agents never see.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub hidden: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PlanEntry<'a> {
    pub number: &'a str,
    pub file: &'a str,
    pub tasks: usize,
    pub wave: Option<u32>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SkippedDocument<'a> {
    pub id: &'a PhaseId,
    pub why: &'a str,
}

/// The selected phases together.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EstimateDocument {
    pub tokens: u64,
    pub agent_runs: u32,
}

impl<'a> PlanDocument<'a> {
    pub fn of(project: &'a Project, outlook: &'a Outlook) -> PlanDocument<'a> {
        let schedule = &outlook.schedule;
        let phases = project.roadmap.phases.iter();
        let blocked = schedule.order.iter().zip(&schedule.blocks);
        let skipped = outlook.skipped.iter();
        PlanDocument {
            spec: project
                .spec
                .as_ref()
                .map(|spec| SpecDocument { path: &spec.path, hash: &spec.hash }),
            commands: CommandsDocument::of(&project.commands),
            phases: phases.map(|phase| PhaseDocument::of(phase, project, outlook)).collect(),
            order: &schedule.order,
            waves: &schedule.waves,
            blocks: blocked
                .clone()
                .map(|(id, blocked)| (id, schedule.ids(&blocked.listed).collect()))
                .collect(),
            blocks_count: blocked.map(|(id, blocked)| (id, blocked.count)).collect(),
            critical_path: &schedule.critical_path,
            skipped: skipped
                .map(|skipped| SkippedDocument { id: &skipped.id, why: &skipped.why })
                .collect(),
            estimate: EstimateDocument {
                tokens: outlook.total.tokens,
                agent_runs: outlook.total.agent_runs,
            },
            findings: outlook.findings.iter().map(FindingDocument::from).collect(),
        }
    }
}

impl CommandsDocument {
    pub fn of(commands: &Commands) -> CommandsDocument {
        let line = |slot: Slot| commands.get(slot).map(|command| command.line.clone());
        let sources = commands.sources();
        CommandsDocument {
            compile: line(Slot::Compile),
            test: line(Slot::Test),
            lint: line(Slot::Lint),
            build: line(Slot::Build),
            source: (!sources.is_empty()).then(|| sources.join(", ")),
        }
    }
}

impl<'a> PhaseDocument<'a> {
    fn of(phase: &'a Phase, project: &'a Project, outlook: &Outlook) -> PhaseDocument<'a> {
        PhaseDocument {
            id: &phase.id,
            name: &phase.name,
            goal: &phase.goal,
            depends_on: &phase.depends_on,
            requirements: &phase.requirements,
            criteria: phase.criteria.iter().map(CriterionDocument::of).collect(),
            status: StatusWord::of(phase.standing),
            phase_type: outlook.type_of(&phase.id),
            plans: project.plans_of(&phase.id).iter().map(PlanEntry::of).collect(),
            file: &project.roadmap.file,
            line: phase.line,
            estimate_tokens: outlook.estimate_of(&phase.id).map_or(0, |estimate| estimate.tokens),
        }
    }
}

impl<'a> CriterionDocument<'a> {
    fn of(criterion: &'a Criterion) -> CriterionDocument<'a> {
        CriterionDocument {
            text: &criterion.text,
            command: criterion.command(),
            hidden: matches!(criterion.check, Check::Hidden(_)),
        }
    }
}

impl<'a> PlanEntry<'a> {
    fn of(plan: &'a PhasePlan) -> PlanEntry<'a> {
        PlanEntry {
            number: &plan.number,
            file: &plan.plan.file,
            tasks: plan.plan.tasks.len(),
            wave: plan.wave,
        }
    }
}
