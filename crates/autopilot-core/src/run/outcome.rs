//! How phases and runs end, and which exit code that is (RES-1, EXIT-1).

use serde::{Deserialize, Serialize};

use crate::contract::Category;
use crate::exit::Exit;
use crate::phase_id::PhaseId;
use crate::run::breaker::Trip;
use crate::run::ids::Commit;
use crate::run::measured::{CheckName, Measured};
use crate::score::Score;

/// A phase that passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseResult {
    pub score: Option<Score>,
    pub how: Passing,
    /// The merged commit.
    pub commit: Commit,
    pub criteria: CriteriaCount,
    /// The score of every candidate, in the order they were rated.
    pub score_history: Vec<Score>,
}

/// What a pass rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Passing {
    /// Everything measured green, and the score met.
    Proven,
    /// Nothing red, but remediation ended below the threshold (PIPE-11).
    ForceIncomplete,
    /// Nothing proves it; reviewers found it good (GATE-3).
    Judged,
    /// The project has no check at all and the user allowed that (GATE-2).
    Unproven,
}

/// How the success criteria stand (PIPE-5a).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriteriaCount {
    /// Red before the work, green after it.
    pub proven: u32,
    /// Green before and after: no evidence of new work.
    pub standing: u32,
    /// Prose, or a command that did not run.
    pub judged: u32,
}

/// What a success criterion rests on (PIPE-5a).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CriterionClass {
    Proven,
    Standing,
    Judged,
}

impl CriterionClass {
    pub fn of(
        has_command: bool,
        check: CheckName,
        before: &[Measured],
        after: &[Measured],
    ) -> CriterionClass {
        let green = |list: &[Measured]| {
            list.iter().find(|one| one.check == check).map(|one| one.result.is_green())
        };
        match (has_command, green(before), green(after)) {
            (true, Some(false), Some(true)) => CriterionClass::Proven,
            (true, Some(true), Some(true)) => CriterionClass::Standing,
            _ => CriterionClass::Judged,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseFailure {
    pub category: Category,
    pub step: String,
    pub reason: String,
}

/// A run that stopped and can go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Pause {
    /// Ctrl-C or a request to stop.
    Stopped,
    /// A usage limit whose reset is too far away, or unknown.
    Limit { resets_at: Option<u64> },
    /// No agent can be used until somebody logs in.
    NotLoggedIn,
    /// The breaker opened, and the attempt after its cooldown failed too.
    Breaker { trip: Trip },
}

/// A run that ended before its last phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Halt {
    /// Others depend on a phase that failed.
    PhaseFailed { phase: PhaseId, blocks: Vec<PhaseId> },
    /// Checks were red before any work (GATE-4).
    RedBaseline { checks: Vec<CheckName> },
    /// The engine could not do something it needs: git, the disk.
    EffectFailed { what: String },
    /// A reviewer asked for it.
    RolledBack { phase: PhaseId },
    /// The run has used what it may use (CB-1).
    BudgetReached(Reached),
}

/// A cap that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    pub cap: Cap,
    pub used: u64,
    pub max: u64,
    /// Part of what was used is not told by an agent but estimated, as costs may be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_estimate: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cap {
    PhaseTokens,
    /// In milliseconds of running time.
    PhaseTime,
    RunTokens,
    /// In milliseconds of running time.
    RunTime,
    RunRetries,
    /// In millionths of a dollar.
    RunCost,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunResult {
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
    pub deferred: u32,
    /// Passed, but below the threshold or without proof.
    pub short_of_the_gate: u32,
    pub average: Option<Score>,
}

impl RunResult {
    pub fn exit(&self) -> Exit {
        let cases = [
            (self.failed > 0, Exit::Failed),
            (self.deferred > 0, Exit::NeedsPerson),
            (self.short_of_the_gate > 0, Exit::GateNotMet),
        ];
        let applying = cases.into_iter().filter(|(applies, _)| *applies);
        Exit::strongest(applying.map(|(_, exit)| exit))
    }
}

impl Halt {
    pub fn exit(&self) -> Exit {
        match self {
            Halt::PhaseFailed { .. } | Halt::RolledBack { .. } => Exit::Failed,
            Halt::RedBaseline { .. } => Exit::GateNotMet,
            Halt::EffectFailed { .. } => Exit::Environment,
            Halt::BudgetReached(_) => Exit::BudgetOrLimit,
        }
    }
}

impl Pause {
    pub fn exit(&self) -> Exit {
        match self {
            Pause::Stopped => Exit::Interrupted,
            Pause::Limit { .. } => Exit::TryLater,
            Pause::NotLoggedIn => Exit::Environment,
            Pause::Breaker { .. } => Exit::BudgetOrLimit,
        }
    }
}
