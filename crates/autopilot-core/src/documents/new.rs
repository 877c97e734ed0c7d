//! `autopilot new --json`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::drafting::Drafting;
use crate::documents::FindingDocument;

/// A project drafted from an idea, and what became of the draft.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "new")]
pub struct NewDocument<'a> {
    pub title: &'a str,
    pub summary: &'a str,
    /// What the agent decided where the idea left it open.
    pub decisions: &'a [String],
    pub requirements: Vec<NewRequirementDocument<'a>>,
    pub phases: Vec<NewPhaseDocument<'a>>,
    /// What is wrong with the draft; with any of them nothing is written.
    pub faults: &'a [String],
    /// What running all phases is expected to take; absent for a draft with faults.
    pub estimate: Option<NewEstimateDocument>,
    pub agent: &'a str,
    /// The one the agent said it uses.
    pub model: Option<&'a str>,
    /// How often it was asked.
    pub tries: u32,
    /// Tokens of the tries that count against caps.
    pub tokens: u64,
    /// In dollars; absent where nothing is known of it.
    pub cost_usd: Option<f64>,
    pub cost_is_estimate: bool,
    /// Paths of new files; empty without --yes.
    pub written: &'a [String],
    /// Paths that were there before and were left alone.
    pub kept: &'a [String],
    /// The folder that has the draft, whatever became of it.
    pub draft: &'a str,
    /// The commit that holds the new files, with --commit.
    pub commit: Option<&'a str>,
    /// Commands to go on with.
    pub next: Vec<String>,
    pub findings: Vec<FindingDocument<'a>>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NewRequirementDocument<'a> {
    pub id: &'a str,
    pub text: &'a str,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NewPhaseDocument<'a> {
    pub number: u32,
    pub name: &'a str,
    pub goal: &'a str,
    pub depends_on: &'a [u32],
    pub requirements: &'a [String],
    pub criteria: Vec<NewCriterionDocument<'a>>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NewCriterionDocument<'a> {
    pub text: &'a str,
    /// The command that proves it, where there is one.
    pub command: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct NewEstimateDocument {
    pub tokens: u64,
    pub agent_runs: u32,
}

/// The requirements of a draft as programs see them.
pub fn requirements(drafting: &Drafting) -> Vec<NewRequirementDocument<'_>> {
    let listed = drafting.requirements.iter();
    listed.map(|it| NewRequirementDocument { id: &it.id, text: &it.text }).collect()
}

/// The phases of a draft as programs see them.
pub fn phases(drafting: &Drafting) -> Vec<NewPhaseDocument<'_>> {
    drafting
        .phases
        .iter()
        .map(|phase| NewPhaseDocument {
            number: phase.number,
            name: &phase.name,
            goal: &phase.goal,
            depends_on: &phase.depends_on,
            requirements: &phase.requirements,
            criteria: phase
                .criteria
                .iter()
                .map(|it| NewCriterionDocument { text: &it.text, command: it.command.as_deref() })
                .collect(),
        })
        .collect()
}
