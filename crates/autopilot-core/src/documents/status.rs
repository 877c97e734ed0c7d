//! `autopilot status --json`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::project::Project;
use crate::roadmap::{Phase, Standing};
use crate::selection;

/// Where the project stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "status")]
pub struct StatusDocument {
    pub phases: Vec<PhaseStatus>,
    /// The first unfinished phase whose dependencies are done.
    pub next: Option<String>,
    /// Completed and skipped phases of all, rounded down; backlog phases are not counted.
    pub percent: u8,
    /// The run under way or left unfinished; none yet.
    pub run: Option<RunStatus>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PhaseStatus {
    pub id: String,
    pub name: String,
    pub status: StatusWord,
    /// Known only for phases that autopilot itself completed.
    pub score: Option<f64>,
}

/// A run, once there is one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RunStatus {
    pub id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatusWord {
    NotStarted,
    InProgress,
    Completed,
    Failed,
    NeedsHumanVerification,
    Skipped,
}

impl StatusWord {
    pub fn of(standing: Standing) -> StatusWord {
        match standing {
            Standing::NotStarted => StatusWord::NotStarted,
            Standing::InProgress => StatusWord::InProgress,
            Standing::Completed => StatusWord::Completed,
            Standing::Skipped => StatusWord::Skipped,
        }
    }

    /// For people: `not started`.
    pub fn words(self) -> &'static str {
        match self {
            StatusWord::NotStarted => "not started",
            StatusWord::InProgress => "in progress",
            StatusWord::Completed => "completed",
            StatusWord::Failed => "failed",
            StatusWord::NeedsHumanVerification => "needs a person",
            StatusWord::Skipped => "skipped",
        }
    }
}

impl StatusDocument {
    pub fn of(project: &Project) -> StatusDocument {
        let phases = &project.roadmap.phases;
        let counted: Vec<_> = phases.iter().filter(|phase| !phase.id.is_backlog()).collect();
        let settled = counted.iter().filter(|phase| phase.standing.is_settled()).count();
        let percent = if counted.is_empty() { 0 } else { settled * 100 / counted.len() };
        let row = |phase: &Phase<'_>| PhaseStatus {
            id: phase.id.to_string(),
            name: phase.name.to_string(),
            status: StatusWord::of(phase.standing),
            score: None,
        };
        StatusDocument {
            phases: phases.iter().map(row).collect(),
            next: selection::next(project).map(|place| phases[place].id.to_string()),
            percent: u8::try_from(percent).unwrap_or(100),
            run: None,
        }
    }
}
