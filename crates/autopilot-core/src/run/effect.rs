//! Orders to the engine. Each says everything its performer needs, so that nothing is left to choose, and what to do about it after
//! a crash (invariant 5).

use serde::{Deserialize, Serialize};

use crate::contract::Role;
use crate::phase_id::PhaseId;
use crate::run::checks::places::LookUpOrder;
use crate::run::definition::CheckOrder;
use crate::run::ids::{Commit, TaskId};
use crate::run::landing::MergeOrder;
use crate::run::taking_back::TakeBackOrder;
use crate::score::Score;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "do")]
pub enum Effect {
    /// Make the run's own branch from the user's commit.
    OpenRun { base: Commit },
    /// Run checks and say what was seen.
    Measure(Measurement),
    /// Put the slot on the phase's branch, clean.
    OpenPhase { phase: PhaseId, base: Commit },
    /// Let an agent do one step.
    RunAgent(AgentOrder),
    /// Read the plan files of the phase.
    ReadPlan { phase: PhaseId },
    /// Say what stands at the places a reviewer named.
    LookUp(LookUpOrder),
    /// Make one commit of what an agent left in the slot.
    CommitTask(CommitOrder),
    /// Put the phase's branch back; what is dropped stays under a rescue ref.
    RollBack { phase: PhaseId, task: Option<TaskId>, to: Commit, snapshot: Option<Commit> },
    /// Make the closing commit and move the run's branch to it.
    ClosePhase { phase: PhaseId, head: Commit, onto: Commit },
    /// Write down what keeps the phase from 9.0 (CHECK-15).
    WriteDiagnostic { phase: PhaseId, score: Score },
    /// Move the user's branch to the run's work.
    MergeRun(MergeOrder),
    /// Make a branch without the work of phases that passed.
    TakeBack(TakeBackOrder),
    /// Write the report of the whole run.
    Report,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measurement {
    /// None for the baseline of the whole run.
    pub phase: Option<PhaseId>,
    pub purpose: Purpose,
    pub at: Commit,
    /// Uncommitted work on top of `at`.
    pub snapshot: Option<Commit>,
    pub checks: Vec<CheckOrder>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub laid_over: Option<LaidOver>,
}

/// Files that are laid over what is measured as another commit has them; what it does not have is taken away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaidOver {
    pub from: Commit,
    pub files: Vec<String>,
}

/// Why something is measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// What holds before any work (GATE-4).
    Baseline,
    /// Which criteria hold before the phase (PIPE-2).
    Triage,
    /// Whether a task may be committed (PIPE-6).
    Task(TaskId),
    /// Whether the phase may pass.
    Candidate,
    /// Whether what tests rested on before the phase holds for its work too (CHECK-18).
    TestsBefore,
    /// The same with every file of tests as it was before the phase.
    AllTestsBefore,
    /// Whether criteria hold with what their commands run as it was before the phase (CHECK-18).
    CriteriaBefore,
    /// What checks say that the phase itself brought (GATE-6).
    Brought,
    /// Whether these notice that the phase's own code is not there (GATE-6).
    WithoutWork,
}

impl Purpose {
    /// Whether it is the work as it is that is measured, and nothing laid over it.
    pub fn is_of_work(&self) -> bool {
        !matches!(
            self,
            Purpose::TestsBefore
                | Purpose::AllTestsBefore
                | Purpose::CriteriaBefore
                | Purpose::WithoutWork
        )
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentOrder {
    pub phase: PhaseId,
    pub role: Role,
    pub task: Option<TaskId>,
    /// Which counted try of this role this is, from 1. Lost attempts do not count.
    pub round: u32,
    /// What the slot stands on.
    pub head: Commit,
    /// Uncommitted work on top of `head` that the attempt goes on from.
    pub snapshot: Option<Commit>,
    pub access: Access,
    pub tokens_max: u64,
    pub time_max_ms: u64,
    /// What it may cost, in millionths of a dollar; none where the run has no such cap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_micros_max: Option<u64>,
    /// Who does it, where it is not the role's own agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// It may read, build and run; what it changes is thrown away.
    ReadOnly,
    /// Only the phase's own folder is kept: research and plans.
    PhaseFolder,
    Writable,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitOrder {
    pub phase: PhaseId,
    pub task: TaskId,
    pub parent: Commit,
    pub snapshot: Commit,
    pub message: String,
    /// Commits of some of its files each that come first; what is left over has the message above.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<CommitPart>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitPart {
    pub message: String,
    /// An agent's words: only those that the work changed mean something.
    pub files: Vec<String>,
}

/// What is done about an effect that was under way when autopilot died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// It only reads: it is done again.
    Again,
    /// Its processes are ended, the slot is put back, and it is done again.
    Discard,
    /// It may have happened: the performer looks for its mark first.
    LookFirst,
}

impl Effect {
    pub fn phase(&self) -> Option<&PhaseId> {
        match self {
            Effect::OpenRun { .. } | Effect::MergeRun(_) | Effect::TakeBack(_) | Effect::Report => {
                None
            }
            Effect::Measure(measurement) => measurement.phase.as_ref(),
            Effect::OpenPhase { phase, .. }
            | Effect::ReadPlan { phase }
            | Effect::RollBack { phase, .. }
            | Effect::ClosePhase { phase, .. }
            | Effect::WriteDiagnostic { phase, .. } => Some(phase),
            Effect::RunAgent(order) => Some(&order.phase),
            Effect::LookUp(order) => Some(&order.phase),
            Effect::CommitTask(order) => Some(&order.phase),
        }
    }

    pub fn task(&self) -> Option<&TaskId> {
        match self {
            Effect::Measure(Measurement { purpose: Purpose::Task(task), .. }) => Some(task),
            Effect::RunAgent(order) => order.task.as_ref(),
            Effect::CommitTask(order) => Some(&order.task),
            Effect::RollBack { task, .. } => task.as_ref(),
            Effect::Measure(_)
            | Effect::OpenRun { .. }
            | Effect::OpenPhase { .. }
            | Effect::ReadPlan { .. }
            | Effect::LookUp(_)
            | Effect::ClosePhase { .. }
            | Effect::WriteDiagnostic { .. }
            | Effect::MergeRun(_)
            | Effect::TakeBack(_)
            | Effect::Report => None,
        }
    }

    /// The step of the pipeline it belongs to, in the words of the sources.
    pub fn step(&self) -> &'static str {
        match self {
            Effect::OpenRun { .. } => "open",
            Effect::OpenPhase { .. } => "preflight",
            Effect::Measure(measurement) => match measurement.purpose {
                Purpose::Baseline => "baseline",
                Purpose::Triage => "triage",
                Purpose::Task(_) => "execute",
                Purpose::Candidate
                | Purpose::TestsBefore
                | Purpose::AllTestsBefore
                | Purpose::CriteriaBefore
                | Purpose::Brought
                | Purpose::WithoutWork => "evidence",
            },
            // Both rounds of the judge are one step.
            Effect::RunAgent(AgentOrder { role: Role::JudgeDivergence, .. }) => Role::Judge.name(),
            Effect::RunAgent(order) => order.role.name(),
            Effect::ReadPlan { .. } => "plan",
            Effect::LookUp(_) => "evidence",
            Effect::CommitTask(_) => "execute",
            Effect::RollBack { .. } => "rollback",
            Effect::ClosePhase { .. } => "merge",
            Effect::WriteDiagnostic { .. } => "diagnostic",
            Effect::MergeRun(_) => "merge_run",
            Effect::TakeBack(_) => "take_back",
            Effect::Report => "report",
        }
    }

    pub fn recovery(&self) -> Recovery {
        match self {
            Effect::Measure(_)
            | Effect::LookUp(_)
            | Effect::OpenPhase { .. }
            | Effect::ReadPlan { .. } => Recovery::Again,
            Effect::RunAgent(_) => Recovery::Discard,
            Effect::OpenRun { .. }
            | Effect::CommitTask(_)
            | Effect::RollBack { .. }
            | Effect::ClosePhase { .. }
            | Effect::WriteDiagnostic { .. }
            | Effect::MergeRun(_)
            | Effect::TakeBack(_)
            | Effect::Report => Recovery::LookFirst,
        }
    }
}
