//! What a run was asked to do, as it was read at its start: settings, the locked spec, the commands, the phases and later their
//! tasks. Recorded in events, so that a resumed run follows what was read then; what is different on disk by now is drift.

use serde::{Deserialize, Serialize};

use crate::limits;
use crate::phase_id::PhaseId;
use crate::phase_type::PhaseType;
pub use crate::run::agent_definition::AgentDefinition;
use crate::run::cost_cap::CostCap;
use crate::run::fencing::Fencing;
use crate::run::gate_definitions::DefinitionLock;
use crate::run::ids::{Commit, RunId, TaskId};
use crate::run::measured::CheckName;
use crate::score::Score;

/// The run as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunDefinition {
    pub run: RunId,
    /// The version of autopilot that started it.
    pub version: String,
    /// What the user typed, for messages and for "the same selection" (INV-7).
    pub command: String,
    pub mode: RunMode,
    pub settings: RunSettings,
    /// The user's commit the run starts from, and the branch it was on.
    pub base: Commit,
    pub user_branch: Option<String>,
    /// `--in-place`: agents that change files do it in the user's own folder, whose branch moves with every phase that passes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_in_place: bool,
    /// Asked for without a roadmap, word for word: `autopilot do`. The run has one phase then, and leaves no planning files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errand: Option<String>,
    pub agent: AgentDefinition,
    /// What keeps agents and checks in; runs of versions that had no fence do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fencing: Option<Fencing>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunMode {
    /// A failure that others depend on ends the run.
    Selected,
    /// `--complete`: a failure blocks only what depends on it (SEL-2).
    Complete,
}

/// Everything a rule asks that a user may have set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSettings {
    pub threshold: Score,
    pub depth: Depth,
    #[serde(default)]
    pub runner: Runner,
    pub has_research: bool,
    /// Remediation cycles a phase may have; none with `--lenient`.
    pub remediation_cycles_max: u32,
    pub debug_attempts_max: u32,
    pub replan_attempts_max: u32,
    pub phase_tokens_max: u64,
    pub run_tokens_max: u64,
    /// `--max-tokens` was typed: a resume without it keeps the number, whatever the settings say by then.
    #[serde(default)]
    pub has_own_tokens_max: bool,
    /// None where nobody set one, as before there was any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_cost_max: Option<CostCap>,
    /// Running time, not the time the run stood still or waited.
    #[serde(default = "default_phase_time")]
    pub phase_time_max_ms: u64,
    #[serde(default = "default_run_time")]
    pub run_time_max_ms: u64,
    /// Retries of every kind in the whole run.
    #[serde(default = "default_retries")]
    pub retries_max: u32,
    #[serde(default = "default_no_progress")]
    pub no_progress_max: u32,
    #[serde(default = "default_same_error")]
    pub same_error_max: u32,
    /// How long an open breaker waits before one more try.
    #[serde(default = "default_cooldown")]
    pub cooldown_ms: u64,
    pub step_time_max_ms: u64,
    pub check_time_max_ms: u64,
    /// An agent without any sign of life for this long is ended; 0 for never.
    #[serde(default = "default_stall_time")]
    pub stall_time_max_ms: u64,
    /// Two tasks and more in less than this are remarked on; 0 for never (CHECK-3).
    #[serde(default = "default_phase_time_min")]
    pub phase_time_min_ms: u64,
    /// A verification in less than this is asked for once more; 0 for never (CHECK-10).
    #[serde(default = "default_verifier_time_min")]
    pub verifier_time_min_ms: u64,
    /// `--allow-unproven`: a project without any check may pass (GATE-2).
    pub allows_unproven: bool,
    /// `--accept-red`: checks that are red before any work do not stop the run.
    pub accepts_red: bool,
    /// `--accept-judged`: phases that nothing proves count as success (GATE-3).
    pub accepts_judged: bool,
}

fn default_phase_time() -> u64 {
    limits::PHASE_TIME_MAX_MS
}

fn default_run_time() -> u64 {
    limits::RUN_TIME_MAX_MS
}

fn default_retries() -> u32 {
    limits::RETRIES_MAX
}

fn default_no_progress() -> u32 {
    limits::NO_PROGRESS_MAX
}

fn default_same_error() -> u32 {
    limits::SAME_ERROR_MAX
}

fn default_cooldown() -> u64 {
    limits::COOLDOWN_MS
}

fn default_stall_time() -> u64 {
    limits::STALL_TIME_MAX_MS
}

fn default_phase_time_min() -> u64 {
    limits::PHASE_TIME_MIN_MS
}

fn default_verifier_time_min() -> u64 {
    limits::VERIFIER_TIME_MIN_MS
}

/// What a phase and a run may use. Whoever resumes a run may have raised them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caps {
    pub phase_tokens_max: u64,
    pub run_tokens_max: u64,
    pub phase_time_max_ms: u64,
    pub run_time_max_ms: u64,
    pub retries_max: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_cost_max: Option<CostCap>,
}

impl RunSettings {
    pub fn caps(&self) -> Caps {
        Caps {
            phase_tokens_max: self.phase_tokens_max,
            run_tokens_max: self.run_tokens_max,
            phase_time_max_ms: self.phase_time_max_ms,
            run_time_max_ms: self.run_time_max_ms,
            retries_max: self.retries_max,
            run_cost_max: self.run_cost_max,
        }
    }

    pub(super) fn set_caps(&mut self, caps: &Caps) {
        let Caps {
            phase_tokens_max,
            run_tokens_max,
            phase_time_max_ms,
            run_time_max_ms,
            retries_max,
            run_cost_max,
        } = *caps;
        self.phase_tokens_max = phase_tokens_max;
        self.run_tokens_max = run_tokens_max;
        self.phase_time_max_ms = phase_time_max_ms;
        self.run_time_max_ms = run_time_max_ms;
        self.retries_max = retries_max;
        self.run_cost_max = run_cost_max;
    }
}

/// Who does a phase up to its review (RET-2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runner {
    /// Research, plan, plan check, and an agent a task.
    #[default]
    Steps,
    /// One agent does all of that.
    Delegate,
}

/// How many agents look at a phase (PIPE-15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    Auto,
    Lean,
    Full,
}

/// The spec as it was locked at run start (INV-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecLock {
    pub path: String,
    pub hash: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectDefinition {
    pub name: String,
    pub roadmap: String,
    pub spec: Option<SpecLock>,
    /// The checks of the whole project, in the order they run: compile, lint, test, build.
    pub checks: Vec<CheckOrder>,
    #[serde(default)]
    pub settled: SettledBefore,
    /// The files that say how work is measured, as they were read; a phase's plans are the phase's (CHECK-19).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<DefinitionLock>,
}

/// What the roadmap had behind it when the run began: for how far the whole project is, not for any decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledBefore {
    /// Phases of the roadmap, without the backlog.
    pub phases: u32,
    /// Those of them that are completed or skipped and not part of the run.
    pub count: u32,
    /// The first of those by name, bounded.
    pub listed: Vec<PhaseId>,
}

/// A command the engine runs to see whether something holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckOrder {
    pub name: CheckName,
    pub command: String,
    /// What was measured must not tell the command or its output: agents read it (PIPE-5a).
    #[serde(default)]
    pub is_hidden: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseDefinition {
    pub id: PhaseId,
    pub name: String,
    pub goal: String,
    pub phase_type: PhaseType,
    /// Those that are part of this run; others were settled before it began.
    pub depends_on: Vec<PhaseId>,
    pub requirements: Vec<String>,
    pub criteria: Vec<CriterionDefinition>,
    /// Where the phase's files lie, relative to the project.
    pub folder: String,
    /// The user wrote plans before the run.
    pub has_plan: bool,
    /// Those plans, as they were (CHECK-19).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<DefinitionLock>,
    pub estimate_tokens: u64,
    /// How many agents are expected to be started for it.
    #[serde(default)]
    pub estimate_runs: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionDefinition {
    pub text: String,
    /// None when somebody has to judge it.
    pub command: Option<String>,
    /// No prompt, worktree or log of an agent may contain the command (PIPE-5a).
    #[serde(default)]
    pub is_hidden: bool,
    /// Taken from the plan of a task that was asked for by word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_adopted: bool,
}

impl PhaseDefinition {
    /// The criteria's own commands, named by their place in the list.
    pub fn criterion_checks(&self) -> Vec<CheckOrder> {
        let numbered = (1u32..).zip(&self.criteria);
        numbered
            .filter_map(|(number, criterion)| {
                let command = criterion.command.clone()?;
                let (name, is_hidden) = (CheckName::Criterion(number), criterion.is_hidden);
                Some(CheckOrder { name, command, is_hidden })
            })
            .collect()
    }
}

/// A task as the plan has it, with what its execution needs; its words stay in the plan file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskDefinition {
    pub id: TaskId,
    pub name: String,
    pub kind: TaskKind,
    /// The plan file it stands in.
    pub plan: String,
    /// Plans that must be done before; a failed task of theirs skips this one.
    pub after_plans: Vec<String>,
    pub is_complex: bool,
    /// Test first: until its implementation is there only compile and lint count.
    pub is_tdd: bool,
    pub files: Vec<String>,
    /// Commands of its own that must be green.
    pub checks: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    Auto,
    HumanVerify,
    Decision,
    HumanAction,
    /// Made by the engine: repair what was measured red (PIPE-9).
    Debug,
    /// Made by the engine: close the findings of a review (PIPE-11).
    Remediation,
    /// Made by the engine: the whole phase, handed to one agent (RET-2).
    Delegate,
}

impl TaskKind {
    /// An agent works on it.
    pub fn is_agents(self) -> bool {
        matches!(
            self,
            TaskKind::Auto | TaskKind::Debug | TaskKind::Remediation | TaskKind::Delegate
        )
    }
}

impl TaskDefinition {
    /// Repair what was measured red, or what reviewers ask to be repaired.
    pub(super) fn debug(attempt: u32, is_taken: impl Fn(&TaskId) -> bool) -> TaskDefinition {
        let id = TaskId::made("debug", attempt, is_taken);
        TaskDefinition::made(TaskKind::Debug, id, "repair what does not hold")
    }

    /// All of a phase.
    pub(super) fn delegate(attempt: u32, is_taken: impl Fn(&TaskId) -> bool) -> TaskDefinition {
        let id = TaskId::made("delegate", attempt, is_taken);
        TaskDefinition::made(TaskKind::Delegate, id, "the whole phase")
    }

    /// Close the findings of a review.
    pub(super) fn remediation(cycle: u32, is_taken: impl Fn(&TaskId) -> bool) -> TaskDefinition {
        let id = TaskId::made("remediation", cycle, is_taken);
        TaskDefinition::made(TaskKind::Remediation, id, "close the findings of the review")
    }

    /// Bring what the evidence of the phase lacks (CHECK-7).
    pub(super) fn rejected(count: u32, is_taken: impl Fn(&TaskId) -> bool) -> TaskDefinition {
        let id = TaskId::made("rejected", count, is_taken);
        TaskDefinition::made(TaskKind::Remediation, id, "bring what was missing")
    }

    fn made(kind: TaskKind, id: TaskId, name: &str) -> TaskDefinition {
        TaskDefinition {
            id,
            name: name.to_string(),
            kind,
            plan: String::new(),
            after_plans: Vec::new(),
            is_complex: false,
            is_tdd: false,
            files: Vec::new(),
            checks: Vec::new(),
        }
    }
}
