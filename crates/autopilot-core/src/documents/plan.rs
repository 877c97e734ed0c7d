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
pub struct PlanDocument {
    pub spec: Option<SpecDocument>,
    pub commands: CommandsDocument,
    pub phases: Vec<PhaseDocument>,
    /// Dependencies first, ties in roadmap order.
    pub order: Vec<String>,
    /// What can run at once.
    pub waves: Vec<Vec<String>>,
    /// For each selected phase, what its failure would block, in schedule order; at most 100 ids.
    pub blocks: BTreeMap<String, Vec<String>>,
    /// The exact number behind each entry of `blocks`.
    pub blocks_count: BTreeMap<String, usize>,
    /// The chain of dependencies with the highest estimate.
    pub critical_path: Vec<String>,
    pub skipped: Vec<SkippedDocument>,
    pub estimate: EstimateDocument,
    pub findings: Vec<FindingDocument>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SpecDocument {
    pub path: String,
    /// `sha256:` and hex digits, ticks and the Progress table left out.
    pub hash: String,
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
pub struct PhaseDocument {
    pub id: String,
    pub name: String,
    pub goal: String,
    pub depends_on: Vec<String>,
    pub requirements: Vec<String>,
    pub criteria: Vec<CriterionDocument>,
    pub status: StatusWord,
    #[serde(rename = "type")]
    pub phase_type: PhaseType,
    pub plans: Vec<PlanEntry>,
    pub file: String,
    pub line: u32,
    /// 0 for a phase that is settled and not selected.
    pub estimate_tokens: u64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CriterionDocument {
    pub text: String,
    /// The command that proves it, where the author named one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Proven by a command that agents never see.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub hidden: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PlanEntry {
    pub number: String,
    pub file: String,
    pub tasks: usize,
    pub wave: Option<u32>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SkippedDocument {
    pub id: String,
    pub why: String,
}

/// The selected phases together.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EstimateDocument {
    pub tokens: u64,
    pub agent_runs: u32,
}

impl PlanDocument {
    pub fn of(project: &Project, outlook: &Outlook) -> PlanDocument {
        let schedule = &outlook.schedule;
        let blocks = |(id, blocked): (&PhaseId, &crate::schedule::Blocked)| {
            (id.to_string(), strings(&blocked.listed))
        };
        PlanDocument {
            spec: project
                .spec
                .as_ref()
                .map(|spec| SpecDocument { path: spec.path.clone(), hash: spec.hash.clone() }),
            commands: CommandsDocument::of(&project.commands),
            phases: project
                .roadmap
                .phases
                .iter()
                .map(|phase| PhaseDocument::of(phase, project, outlook))
                .collect(),
            order: strings(&schedule.order),
            waves: schedule.waves.iter().map(|wave| strings(wave)).collect(),
            blocks: schedule.blocks.iter().map(blocks).collect(),
            blocks_count: schedule
                .blocks
                .iter()
                .map(|(id, blocked)| (id.to_string(), blocked.count))
                .collect(),
            critical_path: strings(&schedule.critical_path),
            skipped: outlook
                .skipped
                .iter()
                .map(|skipped| SkippedDocument {
                    id: skipped.id.to_string(),
                    why: skipped.why.clone(),
                })
                .collect(),
            estimate: EstimateDocument {
                tokens: outlook.total.tokens,
                agent_runs: outlook.total.agent_runs,
            },
            findings: outlook.findings.iter().map(FindingDocument::from).collect(),
        }
    }
}

fn strings(ids: &[PhaseId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
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

impl PhaseDocument {
    fn of(phase: &Phase, project: &Project, outlook: &Outlook) -> PhaseDocument {
        PhaseDocument {
            id: phase.id.to_string(),
            name: phase.name.clone(),
            goal: phase.goal.clone(),
            depends_on: strings(&phase.depends_on),
            requirements: phase.requirements.clone(),
            criteria: phase.criteria.iter().map(CriterionDocument::of).collect(),
            status: StatusWord::of(phase.standing),
            phase_type: outlook.type_of(&phase.id),
            plans: project.plans_of(&phase.id).iter().map(PlanEntry::of).collect(),
            file: project.roadmap.file.clone(),
            line: phase.line,
            estimate_tokens: outlook.estimate_of(&phase.id).map_or(0, |estimate| estimate.tokens),
        }
    }
}

impl CriterionDocument {
    fn of(criterion: &Criterion) -> CriterionDocument {
        CriterionDocument {
            text: criterion.text.clone(),
            command: criterion.command().map(str::to_string),
            hidden: matches!(criterion.check, Check::Hidden(_)),
        }
    }
}

impl PlanEntry {
    fn of(plan: &PhasePlan) -> PlanEntry {
        PlanEntry {
            number: plan.number.clone(),
            file: plan.plan.file.clone(),
            tasks: plan.plan.tasks.len(),
            wave: plan.wave,
        }
    }
}
