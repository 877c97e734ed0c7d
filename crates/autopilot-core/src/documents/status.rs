//! `autopilot status --json`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::project::Project;
use crate::roadmap::{Phase, Standing};
use crate::run::{
    self,
    ledger::{Entry, Ledger, Outcome},
    state::RunState,
};
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
    /// The run that is going on, or that was left unfinished.
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

impl PhaseStatus {
    fn settle(&mut self, entry: &Entry) {
        self.score = entry.score.map(|score| f64::from(score.tenths()) / 10.0);
        self.status = match &entry.outcome {
            Outcome::Completed { .. } => StatusWord::Completed,
            Outcome::Failed { .. } => StatusWord::Failed,
            Outcome::Deferred { .. } => StatusWord::NeedsHumanVerification,
            // What a roadmap has is done again by a later run.
            Outcome::TakenBack => StatusWord::NotStarted,
        };
    }
}

/// A run that is not completed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RunStatus {
    pub id: String,
    pub status: RunWord,
    /// The phase it works on.
    pub phase: Option<String>,
    /// The step it is in.
    pub step: Option<String>,
    pub tokens: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunWord {
    /// A process works on it.
    Running,
    /// Nobody does: it was killed, or the machine went down.
    Crashed,
    Paused,
    /// It halted; a resume tries again.
    Failed,
}

impl RunWord {
    pub fn words(self) -> &'static str {
        match self {
            RunWord::Running => "is running",
            RunWord::Crashed => "ended without a word; nothing is lost",
            RunWord::Paused => "is paused",
            RunWord::Failed => "halted",
        }
    }
}

impl RunStatus {
    /// None for a completed run. `is_held` when a process holds the project's lock.
    pub fn of(state: &RunState, is_held: bool) -> Option<RunStatus> {
        let status = match &state.status {
            run::state::RunStatus::Completed(_) => return None,
            run::state::RunStatus::Running if is_held => RunWord::Running,
            run::state::RunStatus::Running => RunWord::Crashed,
            run::state::RunStatus::Paused(_) => RunWord::Paused,
            run::state::RunStatus::Halted(_) => RunWord::Failed,
        };
        Some(RunStatus {
            id: state.definition.run.to_string(),
            status,
            phase: state.running().map(|phase| phase.definition.id.to_string()),
            step: state.in_flight.as_ref().map(|one| one.effect.step().to_string()),
            tokens: state.spend.counted_tokens(),
        })
    }
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
    /// Only of a task without a roadmap, which no later run does by itself: it passed, and somebody took it back since.
    TakenBack,
    /// Only of a task without a roadmap: its run was abandoned before it was over.
    GivenUp,
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
            StatusWord::TakenBack => "taken back",
            StatusWord::GivenUp => "given up",
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

    /// Of a task that was done without a roadmap: what its run read, and what the ledger says of that. `is_given_up` where the run
    /// was abandoned.
    pub fn of_task(state: &RunState, ledger: &Ledger, is_given_up: bool) -> StatusDocument {
        let mut phases = Vec::new();
        for phase in &state.phases {
            let (id, name) = (&phase.definition.id, phase.definition.name.clone());
            let status = if is_given_up { StatusWord::GivenUp } else { StatusWord::NotStarted };
            let mut row = PhaseStatus { id: id.to_string(), name, status, score: None };
            if let Some(entry) = ledger.phases.get(id) {
                row.settle(entry);
                if entry.outcome == Outcome::TakenBack {
                    row.status = StatusWord::TakenBack;
                }
            }
            phases.push(row);
        }
        let is_done = phases.iter().all(|row| row.status == StatusWord::Completed);
        StatusDocument { phases, next: None, percent: if is_done { 100 } else { 0 }, run: None }
    }

    /// What the ledger knows of single phases: scores, failures, verdicts that are awaited (SEL-1).
    pub fn with_ledger(mut self, project: &Project, ledger: &Ledger) -> StatusDocument {
        for (row, phase) in self.phases.iter_mut().zip(&project.roadmap.phases) {
            let Some(entry) = ledger.phases.get(&phase.id) else { continue };
            row.settle(entry);
        }
        self
    }

    pub fn with_run(self, run: Option<RunStatus>) -> StatusDocument {
        if let Some(id) = run.as_ref().and_then(|run| run.phase.clone()) {
            let mut phases = self.phases;
            for row in phases.iter_mut().filter(|row| row.id == id) {
                row.status = StatusWord::InProgress;
            }
            return StatusDocument { phases, run, ..self };
        }
        StatusDocument { run, ..self }
    }
}
