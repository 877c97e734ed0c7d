//! Everything that can happen in a run, in the past tense. The journal stores these; `docs/journal.md` describes them for people.
//!
//! Payloads are typed and small: what is longer lies in a file, and the event has its path and hash (invariant 2).

use serde::{Deserialize, Serialize};

use crate::contract::{Returned, Role};
use crate::phase_id::PhaseId;
use crate::run::breaker::Trip;
use crate::run::checks::places::{CommitSeen, Seen};
use crate::run::checks::uniform_scores::Streak;
use crate::run::checks::{Difference, Integrity};
use crate::run::definition::{
    AgentDefinition, Caps, CriterionDefinition, PhaseDefinition, ProjectDefinition, RunDefinition,
    TaskDefinition,
};
use crate::run::effect::Effect;
pub use crate::run::failure::Failure;
use crate::run::fencing::Fencing;
use crate::run::files::trend::Trend;
use crate::run::gate::Verdict;
use crate::run::gate_definitions::Touched;
use crate::run::ids::{AttemptId, Commit, Moment, TaskId};
use crate::run::landing::MergeTime;
use crate::run::measured::Measured;
use crate::run::outcome::{Halt, Pause, PhaseFailure, PhaseResult, RunResult};
use crate::run::price;
use crate::run::quiet::Quiet;
use crate::run::usage_limit::UsageLimit;
use crate::score::Score;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Event {
    // The run.
    RunStarted {
        definition: RunDefinition,
    },
    ProjectRead {
        project: ProjectDefinition,
    },
    /// One of the selected phases; the last one is followed by the first decision.
    PhaseRead {
        phase: PhaseDefinition,
        is_last: bool,
    },
    RunResumed {
        drift: Vec<Drift>,
        /// What may be used from here on, where it is not what it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caps: Option<Caps>,
        /// Who does the work from here on, where somebody asked for another agent or model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Box<AgentDefinition>>,
        /// What keeps agents and checks in from here on, where it is not what it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fencing: Option<Fencing>,
    },
    RunPaused {
        why: Pause,
    },
    RunHalted {
        why: Halt,
    },
    RunCompleted {
        result: RunResult,
    },
    StopRequested {
        how: StopRequest,
    },
    /// Somebody wants more phases in it; those that are new follow.
    AddRequested {
        command: String,
        phases: Vec<PhaseId>,
    },
    PhaseAdded {
        phase: PhaseDefinition,
    },
    /// Somebody wants the user's branch moved to the run's work.
    MergeRequested {
        when: MergeTime,
    },
    /// Somebody wants phases taken back that passed.
    RollbackInitiated {
        phases: Vec<PhaseId>,
        /// Where the user's branch stands, if it has the work already.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        onto: Option<Commit>,
    },

    // What holds a run up.
    /// No agent can be used before that moment.
    LimitReached {
        limit: UsageLimit,
        until: Moment,
    },
    /// An agent cannot be used, and the next of the fallback goes on.
    AgentSwitched {
        from: String,
        to: String,
        /// From when on the first can be asked again; none when not in this run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Moment>,
    },
    /// Nothing new starts before that moment.
    CircuitBreakerOpened {
        why: Trip,
        until: Moment,
    },
    /// One attempt is made.
    CircuitBreakerHalfOpened,
    CircuitBreakerClosed,

    // Attempts at effects.
    StepStarted {
        attempt: AttemptId,
        effect: Effect,
    },
    /// The process group is on record before the program in it starts.
    AttemptSpawned {
        attempt: AttemptId,
        group: ProcessGroup,
    },
    /// Its agent shows no sign of life, or shows some again.
    AttemptQuiet {
        attempt: AttemptId,
        quiet: Quiet,
    },
    /// autopilot died while it was under way.
    AttemptLost {
        attempt: AttemptId,
        /// What its agent had told by then; None where it told nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spend: Option<Spend>,
    },
    /// Ended because the user asked to stop.
    AttemptCancelled {
        attempt: AttemptId,
        rescue: Option<String>,
        /// As for one that was lost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spend: Option<Spend>,
    },
    StepCompleted {
        attempt: AttemptId,
        work: AgentWork,
        returned: Returned,
    },
    StepFailed {
        attempt: AttemptId,
        work: AgentWork,
        failure: Failure,
    },
    RunOpened {
        attempt: AttemptId,
        branch: String,
        commit: Commit,
        planning_files: u32,
    },
    PhaseOpened {
        attempt: AttemptId,
        branch: String,
    },
    EvidenceMeasured {
        attempt: AttemptId,
        measured: Vec<Measured>,
        /// Of a candidate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        difference: Option<Difference>,
    },
    /// In the order of the places that were to be looked up.
    PlacesLookedUp {
        attempt: AttemptId,
        seen: Vec<Seen>,
        /// What stands there really, for each of them or for none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        facts: Vec<String>,
        /// In the order of the commits.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        commits: Vec<CommitSeen>,
    },
    TaskPlanned {
        attempt: AttemptId,
        task: TaskDefinition,
    },
    PlanRead {
        attempt: AttemptId,
        plans: Vec<PlanFile>,
        faults: Vec<PlanFault>,
    },
    /// None when there was nothing to commit.
    TaskCompleted {
        attempt: AttemptId,
        phase: PhaseId,
        task: TaskId,
        commit: Option<Commit>,
    },
    RolledBack {
        attempt: AttemptId,
        rescue: Option<String>,
    },
    PhaseMerged {
        attempt: AttemptId,
        commit: Commit,
        /// The hash of the receipt that was committed with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        receipt: Option<String>,
    },
    /// Below 9.0: what keeps the phase from it lies in a file (CHECK-15).
    ConfidenceDiagnosticWritten {
        attempt: AttemptId,
        score: Score,
        path: String,
    },
    /// Of a run with `--complete`: how far the whole project is (REP-4).
    BatchCompletionReport {
        attempt: AttemptId,
        path: String,
        percent: u8,
    },
    ReportWritten {
        attempt: AttemptId,
        path: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trend: Option<Trend>,
    },
    /// The user's branch stands on the run's work.
    RunMerged {
        attempt: AttemptId,
        branch: String,
        commit: Commit,
    },
    /// It was left where it is, and so was everything else of the user's.
    MergeRefused {
        attempt: AttemptId,
        why: String,
        fix: String,
    },
    RollbackCompleted {
        attempt: AttemptId,
        phases: Vec<PhaseId>,
        branch: String,
        commit: Commit,
        /// Where the work is kept.
        rescue: String,
    },
    /// Nothing was changed.
    RollbackRefused {
        attempt: AttemptId,
        why: String,
        fix: String,
    },
    /// The engine itself could not do it: git refused, the disk is full.
    EffectFailed {
        attempt: AttemptId,
        what: String,
    },

    // Decisions about a phase.
    PhaseStarted {
        phase: PhaseId,
    },
    /// One agent is to do the phase from research to execution.
    PhaseDelegated {
        phase: PhaseId,
        attempt: u32,
    },
    StepSkipped {
        phase: PhaseId,
        step: Skippable,
        why: String,
    },
    PlanSentBack {
        phase: PhaseId,
        round: u32,
        issues: Vec<String>,
    },
    /// What the phase is held to from here on: the user's criteria, and the checks of its plan.
    CriteriaAdopted {
        phase: PhaseId,
        criteria: Vec<CriterionDefinition>,
    },
    TaskRetried {
        phase: PhaseId,
        task: TaskId,
        attempt: u32,
        why: String,
    },
    TaskFailed {
        phase: PhaseId,
        task: TaskId,
        why: String,
    },
    TaskSkipped {
        phase: PhaseId,
        task: TaskId,
        why: String,
    },
    /// It is asked for once more; the second time the phase fails (CHECK-0).
    ReturnRejected {
        phase: PhaseId,
        role: Role,
        check: Integrity,
        reasons: Vec<String>,
    },
    IntegrityWarning {
        phase: PhaseId,
        role: Role,
        check: Integrity,
        reason: String,
    },
    UnnecessaryDeferralWarning {
        phase: PhaseId,
        role: Role,
        reason: String,
    },
    CrossContaminationWarning {
        phase: PhaseId,
        role: Role,
        reason: String,
    },
    VerdictReached {
        phase: PhaseId,
        verdict: Verdict,
    },
    DebugAttempt {
        phase: PhaseId,
        attempt: u32,
    },
    ReplanAttempt {
        phase: PhaseId,
        attempt: u32,
    },
    RemediationStarted {
        phase: PhaseId,
        cycle: u32,
        from: Commit,
        findings: Vec<Finding>,
    },
    PhaseCompleted {
        phase: PhaseId,
        result: PhaseResult,
    },
    PhaseFailed {
        phase: PhaseId,
        failure: PhaseFailure,
    },
    PhaseSkipped {
        phase: PhaseId,
        reason: String,
    },
    PhaseDeferred {
        phase: PhaseId,
        why: String,
    },

    // Scores of several phases (CHECK-5).
    RubberStampWarning {
        streak: Streak,
    },
    RubberStampEnhanced {
        streak: Streak,
    },
    RubberStampCritical {
        streak: Streak,
    },
}

/// Something the run was built on that is different now. Shown, never silently followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    pub what: String,
    pub before: String,
    pub now: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopRequest {
    /// Running attempts end their step, nothing new starts.
    AfterStep,
    /// Running attempts are ended.
    Now,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessGroup {
    pub id: i32,
    /// When its leader started, in the kernel's ticks: an id alone may be somebody else's by now.
    pub start_ticks: Option<u64>,
    /// Which start of the machine the ticks count from.
    #[serde(default)]
    pub boot_id: Option<String>,
}

/// What an agent's attempt used and left behind, whatever it said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentWork {
    pub took_ms: u64,
    pub spend: Spend,
    /// The model that did it, as the agent told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// None when nothing in the slot changed.
    pub changed: Option<Changed>,
    /// Files of the phase's folder that it wrote and that were kept.
    #[serde(default)]
    pub kept: Vec<KeptFile>,
    /// Files that say how work is measured, which it had changed and which were put back (CHECK-19).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub put_back: Vec<Touched>,
    /// Files it had changed of which nothing is kept, because it was only to look (PIPE-7).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// Names of the processes it left running, which were ended with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_running: Vec<String>,
    /// Files that git ignores and that look like work. They are in no commit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// Files that it told git not to look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// A commit of the whole slot, outside every branch.
    pub snapshot: Commit,
    pub files: u32,
    pub lines: u64,
    /// Commits the agent made itself, against the rules; they are folded into ours.
    #[serde(default)]
    pub own_commits: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFile {
    /// Its name in the phase's folder.
    pub name: String,
    pub hash: String,
}

/// Tokens and money. What counts against a cap is input + cache write + output (BUD-1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spend {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    /// Millionths of a dollar, where it is known.
    pub usd_micros: Option<u64>,
    #[serde(default)]
    pub is_estimate: bool,
}

impl Spend {
    pub fn counted_tokens(&self) -> u64 {
        self.input.saturating_add(self.cache_write).saturating_add(self.output)
    }

    pub fn add(&mut self, other: &Spend) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        if let Some(more) = other.usd_micros {
            self.usd_micros = Some(self.usd_micros.unwrap_or_default().saturating_add(more));
        }
        self.is_estimate |= other.is_estimate;
    }

    /// What is left of a sum without an earlier state of it.
    pub fn without(&self, earlier: &Spend) -> Spend {
        let cost = |now: u64| now.saturating_sub(earlier.usd_micros.unwrap_or_default());
        Spend {
            input: self.input.saturating_sub(earlier.input),
            output: self.output.saturating_sub(earlier.output),
            cache_read: self.cache_read.saturating_sub(earlier.cache_read),
            cache_write: self.cache_write.saturating_sub(earlier.cache_write),
            usd_micros: self.usd_micros.map(cost),
            is_estimate: self.is_estimate,
        }
    }

    /// As `add`, for sums that people read: what was told without its cost is estimated, and the sum is marked (BUD-1).
    pub fn charge(&mut self, other: &Spend) {
        self.add(other);
        let estimated = price::estimated(other);
        if other.usd_micros.is_none() && estimated > 0 {
            let usd_micros = Some(estimated);
            self.add(&Spend { usd_micros, is_estimate: true, ..Spend::default() });
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanFile {
    pub path: String,
    pub hash: String,
    /// It was there before the run.
    pub is_users: bool,
    /// What it says it changes, beside the files of its tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// What the engine finds wrong with a plan without asking an agent (PIPE-5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanFault {
    pub is_blocker: bool,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skippable {
    Triage,
    Research,
    Plan,
    PlanCheck,
    Execute,
}

/// Something a review asks to be better (PIPE-11).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub id: String,
    pub role: Role,
    pub file: Option<String>,
    pub deficiency: String,
}
