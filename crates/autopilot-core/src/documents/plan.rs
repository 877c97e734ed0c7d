//! `autopilot plan --json`: the project as read and the schedule made of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::commands::{Commands, Slot};
use crate::criterion::{Check, Criterion};
use crate::documents::FindingDocument;
use crate::documents::status::StatusWord;
use crate::outlook::{Outlook, PhaseOutlook};
use crate::phase_id::PhaseId;
use crate::phase_type::PhaseType;
use crate::project::{PhasePlan, Project};
use crate::roadmap::Phase;
use crate::schedule::{Blocked, Schedule};

/// What would run. `phases` lists every phase of the project; `order` and `waves` only what is selected and would run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "plan")]
pub struct PlanDocument<'a> {
    pub spec: Option<SpecDocument<'a>>,
    pub commands: CommandsDocument,
    #[schemars(with = "Vec<PhaseDocument<'a>>")]
    pub phases: Phases<'a>,
    /// Dependencies first, ties in roadmap order.
    pub order: &'a [PhaseId],
    /// What can run at once.
    pub waves: &'a [Vec<PhaseId>],
    /// For each selected phase, what its failure would block, in schedule order. Complete up to 141
    /// selected phases; beyond that each list is cut and `blocks_count` has the number.
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    pub blocks: Blocks<'a>,
    /// The exact number behind each entry of `blocks`.
    #[schemars(with = "BTreeMap<String, usize>")]
    pub blocks_count: BlocksCount<'a>,
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
    pub requirements: &'a [Cow<'a, str>],
    #[schemars(with = "Vec<CriterionDocument<'a>>")]
    pub criteria: Criteria<'a>,
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
    pub fn of(project: &'a Project<'a>, outlook: &'a Outlook) -> PlanDocument<'a> {
        let schedule = &outlook.schedule;
        let skipped = outlook.skipped.iter();
        PlanDocument {
            spec: project
                .spec
                .as_ref()
                .map(|spec| SpecDocument { path: &spec.path, hash: &spec.hash }),
            commands: CommandsDocument::of(&project.commands),
            phases: Phases { project, expected: &outlook.phases },
            order: &schedule.order,
            waves: &schedule.waves,
            blocks: Blocks(schedule),
            blocks_count: BlocksCount(schedule),
            critical_path: &schedule.critical_path,
            skipped: skipped
                .map(|skipped| SkippedDocument { id: &skipped.id, why: skipped.why })
                .collect(),
            estimate: EstimateDocument {
                tokens: outlook.total.tokens,
                agent_runs: outlook.total.agent_runs,
            },
            findings: outlook.findings.iter().map(FindingDocument::from).collect(),
        }
    }
}

/// Written one by one: with a thousand phases the list itself would be the largest part of the document.
#[derive(Debug, Clone)]
pub struct Phases<'a> {
    project: &'a Project<'a>,
    expected: &'a [PhaseOutlook],
}

impl Serialize for Phases<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let phases = self.project.roadmap.phases.iter().zip(self.expected);
        serializer.collect_seq(
            phases.map(|(phase, expected)| PhaseDocument::of(phase, self.project, expected)),
        )
    }
}

#[derive(Debug, Clone)]
pub struct Criteria<'a>(&'a [Criterion<'a>]);

impl Serialize for Criteria<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(CriterionDocument::of))
    }
}

/// Written straight from the schedule, for the same reason.
#[derive(Debug, Clone)]
pub struct Blocks<'a>(&'a Schedule);

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // One phase is blocked by many: its id is put into words once.
        let texts: Vec<Cow<'_, str>> = self.0.order.iter().map(PhaseId::text).collect();
        let entries = texts.iter().zip(&self.0.blocks);
        serializer.collect_map(entries.map(|(id, blocked)| (id, Listed(&texts, blocked))))
    }
}

/// The ids of the whole order, and those of them that one phase blocks.
struct Listed<'a>(&'a [Cow<'a, str>], &'a Blocked);

impl Serialize for Listed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let places = self.1.listed.iter();
        serializer.collect_seq(places.filter_map(|place| self.0.get(*place as usize)))
    }
}

#[derive(Debug, Clone)]
pub struct BlocksCount<'a>(&'a Schedule);

impl Serialize for BlocksCount<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = self.0.order.iter().zip(&self.0.blocks);
        serializer.collect_map(entries.map(|(id, blocked)| (id, blocked.count)))
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
    fn of(
        phase: &'a Phase<'a>,
        project: &'a Project<'a>,
        expected: &PhaseOutlook,
    ) -> PhaseDocument<'a> {
        PhaseDocument {
            id: &phase.id,
            name: &phase.name,
            goal: &phase.goal,
            depends_on: &phase.depends_on,
            requirements: &phase.requirements,
            criteria: Criteria(&phase.criteria),
            status: StatusWord::of(phase.standing),
            phase_type: expected.phase_type,
            plans: project.plans_of(&phase.id).iter().map(PlanEntry::of).collect(),
            file: &project.roadmap.file,
            line: phase.line,
            estimate_tokens: expected.estimate.map_or(0, |estimate| estimate.tokens),
        }
    }
}

impl<'a> CriterionDocument<'a> {
    fn of(criterion: &'a Criterion<'a>) -> CriterionDocument<'a> {
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
