//! What a prompt is filled with. Names, sentences and paths, never the contents of files: an agent reads what it needs. Templates
//! of users are written against these names.

use serde::Serialize;

use crate::contract::returns::Issue;
use crate::criterion::Criterion;
use crate::score::Score;

/// Everything a template can name. What a step does not have is empty or `None`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptContext {
    /// Id of the run.
    pub run: String,
    pub phase: PhaseContext,
    /// Path of the specification.
    pub spec: Option<String>,
    /// Path of the roadmap; empty for a task that was asked for without one.
    pub roadmap: String,
    /// That task, word for word.
    pub errand: Option<String>,
    /// Paths of the phase's plans.
    pub plans: Vec<String>,
    /// The task to do, for an executor.
    pub task: Option<TaskContext>,
    /// Compile, lint, test and build, as far as the project has them.
    pub commands: Vec<CommandContext>,
    /// Other files worth reading first: CONTEXT.md, HANDOFF.md, RESEARCH.md, the excerpt of the repository map.
    pub context: Vec<String>,
    /// What earlier failures of the run taught, a rule each.
    pub learnings: Vec<String>,
    /// Commit the phase started from; the diff to it is the work.
    pub base: Option<String>,
    /// Paths of reports this role may see; the judge's second round has the verifier's and its own first one here.
    pub reports: Vec<String>,
    pub feedback: Feedback,
    /// Answers to what the agent asked before.
    pub answers: Vec<AnswerContext>,
    /// The score the gate asks for.
    pub threshold: Score,
    /// Below this confidence a verifier may put a phase off for a person.
    pub deferral_threshold: Score,
    /// Verifiers are to be stricter than usual (CHECK-5).
    pub enhanced: bool,
    pub bounds: BoundsContext,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhaseContext {
    pub id: String,
    pub name: String,
    pub goal: String,
    /// Where the phase's files are, as in `.planning/phases/03-login`.
    pub folder: String,
    /// ui, protocol, data or mixed.
    pub kind: String,
    /// Ids of requirements.
    pub requirements: Vec<String>,
    pub criteria: Vec<CriterionContext>,
    pub depends_on: Vec<DependencyContext>,
}

/// A criterion as agents may see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CriterionContext {
    pub text: String,
    pub command: Option<String>,
}

/// Without its check where that is hidden (PIPE-5a): this is the one way from a criterion into a prompt.
impl From<&Criterion<'_>> for CriterionContext {
    fn from(criterion: &Criterion<'_>) -> CriterionContext {
        let command = criterion.command().map(String::from);
        CriterionContext { text: criterion.text.to_string(), command }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DependencyContext {
    pub id: String,
    pub name: String,
    /// Path of what that phase left behind.
    pub summary: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskContext {
    pub id: String,
    pub name: String,
    /// Path of the plan the task stands in.
    pub plan: String,
    /// Files the plan says it touches.
    pub files: Vec<String>,
    /// Commands that are run when the task is done.
    pub checks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandContext {
    /// compile, lint, test or build.
    pub name: String,
    pub line: String,
}

/// Why this step runs again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Feedback {
    /// Why an earlier attempt was not accepted.
    pub rejections: Vec<String>,
    /// Of the plan check.
    pub issues: Vec<Issue>,
    /// Commands the engine ran and saw fail.
    pub failures: Vec<FailureContext>,
    /// Of reviews, to be worked off.
    pub findings: Vec<FindingContext>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailureContext {
    pub command: String,
    /// The end of what it printed.
    pub output: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingContext {
    pub id: String,
    /// minor, major or critical.
    pub severity: String,
    pub file: Option<String>,
    pub deficiency: String,
    pub expected_gain: Option<Score>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerContext {
    pub question: String,
    pub answer: String,
}

/// What the attempt may spend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct BoundsContext {
    pub minutes: Option<u32>,
    pub tokens: Option<u64>,
}
