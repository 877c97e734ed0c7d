//! `autopilot show --json`.

use schemars::JsonSchema;
use serde::Serialize;

use super::prove::CheckDocument;
use crate::run::files::receipt;
use crate::run::last_try::LastTry;
use crate::run::outcome::{CriterionClass, Passing};
use crate::run::projection::iso;
use crate::run::state::PhaseStatus;
use crate::run::work::{TaskOutcome, Work};

/// What a phase did in the last run that worked on it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "show")]
pub struct ShowDocument<'a> {
    pub run: &'a str,
    pub phase: String,
    pub name: &'a str,
    pub goal: &'a str,
    pub status: StatusWord,
    /// Why, where it did not pass.
    pub reason: Option<&'a str>,
    pub score: Option<String>,
    /// The score of every candidate, in the order they were rated.
    pub score_history: Vec<String>,
    pub started_at: String,
    /// Until it was over, or until the last event so far.
    pub took_ms: u64,
    pub criteria: Vec<CriterionDocument<'a>>,
    /// What was decided on the way, in order.
    pub decided: Vec<&'a str>,
    pub tasks: Vec<TaskDocument<'a>>,
    /// What the phase began from.
    pub base: &'a str,
    /// The last commit of its work.
    pub head: &'a str,
    /// Where it came onto the run's branch, if it did.
    pub merged: Option<&'a str>,
    pub commits: Vec<CommitDocument<'a>>,
    pub files: Vec<FileDocument<'a>>,
    /// The candidate, as autopilot measured it.
    pub measured: Vec<CheckDocument<'a>>,
    /// What reviewers found wanting.
    pub findings: Vec<FoundDocument<'a>>,
    pub spent: Vec<SpentDocument<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatusWord {
    InProgress,
    Proven,
    /// Below the bar after every cycle, nothing red.
    Incomplete,
    /// Reviewers found it good, and nothing proves it.
    Judged,
    /// The project has no check, and the user allowed that.
    Unproven,
    Failed,
    NeedsHumanVerification,
    Skipped,
    NotStarted,
    /// It passed, and somebody took it back since.
    TakenBack,
    /// Its run was abandoned before it was over.
    GivenUp,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CriterionDocument<'a> {
    pub text: &'a str,
    pub class: ClassWord,
    /// Absent for prose, and for a check that is hidden.
    pub command: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClassWord {
    Proven,
    Standing,
    Judged,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskDocument<'a> {
    pub id: String,
    pub name: &'a str,
    pub outcome: TaskWord,
    pub commit: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskWord {
    Open,
    Done,
    Failed,
    Skipped,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CommitDocument<'a> {
    pub commit: &'a str,
    pub subject: &'a str,
}

/// Lines are absent for files that are no text.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FileDocument<'a> {
    pub path: &'a str,
    pub added: Option<u64>,
    pub removed: Option<u64>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FoundDocument<'a> {
    pub id: &'a str,
    pub file: Option<&'a str>,
    pub deficiency: &'a str,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SpentDocument<'a> {
    pub step: &'a str,
    pub agent: &'a str,
    pub model: Option<&'a str>,
    pub attempts: u32,
    /// What counts against the caps: input, output and what was written to the cache.
    pub tokens: u64,
    pub cache_read_tokens: u64,
    /// Millionths of a dollar.
    pub usd_micros: Option<u64>,
    pub is_estimate: bool,
}

/// The run in which it was tried.
#[derive(Debug, Clone, Copy)]
pub struct TriedIn<'a> {
    pub name: &'a str,
    /// Abandoned before it was over.
    pub is_given_up: bool,
}

/// What git has of it.
#[derive(Debug, Clone, Copy)]
pub struct FromGit<'a> {
    /// Identity and subject, oldest first.
    pub commits: &'a [(String, String)],
    /// Path, and lines added and removed.
    pub files: &'a [(String, Option<(u64, u64)>)],
}

impl<'a> ShowDocument<'a> {
    /// None where nobody has worked on the phase.
    pub fn of(run: TriedIn<'a>, tried: &'a LastTry, git: FromGit<'a>) -> Option<Self> {
        let phase = tried.phase()?;
        let work = phase.work.as_deref()?;
        let definition = &phase.definition;
        let status = match StatusWord::of(&phase.status) {
            _ if tried.is_taken_back => StatusWord::TakenBack,
            StatusWord::InProgress | StatusWord::NotStarted if run.is_given_up => {
                StatusWord::GivenUp
            }
            status => status,
        };
        Some(ShowDocument {
            run: run.name,
            phase: definition.id.to_string(),
            name: &definition.name,
            goal: &definition.goal,
            status,
            reason: reason(&phase.status),
            score: work.score().map(|score| score.to_string()),
            score_history: work.rated.iter().map(|rated| rated.score.to_string()).collect(),
            started_at: iso(tried.started_at),
            took_ms: tried.ended_at.milliseconds_since(tried.started_at),
            criteria: criteria(tried, work),
            decided: tried.decided.iter().map(|said| said.text.as_str()).collect(),
            tasks: work.tasks.iter().map(TaskDocument::of).collect(),
            base: work.base.as_str(),
            head: work.head.as_str(),
            merged: work.merged.as_ref().map(|commit| commit.as_str()),
            commits: git.commits.iter().map(CommitDocument::of).collect(),
            files: git.files.iter().map(FileDocument::of).collect(),
            measured: work.after().iter().map(CheckDocument::of).collect(),
            findings: work
                .findings
                .iter()
                .map(|one| FoundDocument {
                    id: &one.id,
                    file: one.file.as_deref(),
                    deficiency: &one.deficiency,
                })
                .collect(),
            spent: spent(tried),
        })
    }
}

impl StatusWord {
    fn of(status: &PhaseStatus) -> Self {
        match status {
            PhaseStatus::Waiting => StatusWord::NotStarted,
            PhaseStatus::Running => StatusWord::InProgress,
            PhaseStatus::Passed(result) => match result.how {
                Passing::Proven => StatusWord::Proven,
                Passing::ForceIncomplete => StatusWord::Incomplete,
                Passing::Judged => StatusWord::Judged,
                Passing::Unproven => StatusWord::Unproven,
            },
            PhaseStatus::Failed(_) => StatusWord::Failed,
            PhaseStatus::Skipped { .. } => StatusWord::Skipped,
            PhaseStatus::Deferred { .. } => StatusWord::NeedsHumanVerification,
        }
    }
}

fn reason(status: &PhaseStatus) -> Option<&str> {
    match status {
        PhaseStatus::Failed(failure) => Some(&failure.reason),
        PhaseStatus::Deferred { why } => Some(why),
        PhaseStatus::Skipped { reason } => Some(reason),
        PhaseStatus::Waiting | PhaseStatus::Running | PhaseStatus::Passed(_) => None,
    }
}

/// A hidden command stands in the journal by its hash alone, and here not at all.
fn criteria<'a>(tried: &'a LastTry, work: &Work) -> Vec<CriterionDocument<'a>> {
    let Some(phase) = tried.phase() else { return Vec::new() };
    let classes = receipt::criteria(&phase.definition, work.before(), work.after());
    let each = phase.definition.criteria.iter().zip(classes);
    each.map(|(criterion, seen)| CriterionDocument {
        text: &criterion.text,
        class: match seen.class {
            CriterionClass::Proven => ClassWord::Proven,
            CriterionClass::Standing => ClassWord::Standing,
            CriterionClass::Judged => ClassWord::Judged,
        },
        command: criterion.command.as_deref().filter(|_| !criterion.is_hidden),
    })
    .collect()
}

impl<'a> TaskDocument<'a> {
    fn of(work: &'a crate::run::work::TaskWork) -> Self {
        let (outcome, commit) = match &work.outcome {
            None => (TaskWord::Open, None),
            Some(TaskOutcome::Done { commit }) => (TaskWord::Done, commit.as_ref()),
            Some(TaskOutcome::Failed { .. }) => (TaskWord::Failed, None),
            Some(TaskOutcome::Skipped) => (TaskWord::Skipped, None),
        };
        TaskDocument {
            id: work.task.id.to_string(),
            name: &work.task.name,
            outcome,
            commit: commit.map(|commit| commit.as_str()),
        }
    }
}

impl<'a> CommitDocument<'a> {
    fn of((commit, subject): &'a (String, String)) -> Self {
        CommitDocument { commit, subject }
    }
}

impl<'a> FileDocument<'a> {
    fn of((path, lines): &'a (String, Option<(u64, u64)>)) -> Self {
        let (added, removed) = lines.unzip();
        FileDocument { path, added, removed }
    }
}

fn spent(tried: &LastTry) -> Vec<SpentDocument<'_>> {
    let each = tried.workers.iter().map(|one| SpentDocument {
        step: one.role.name(),
        agent: &one.agent,
        model: one.model.as_deref(),
        attempts: one.attempts,
        tokens: one.spend.counted_tokens(),
        cache_read_tokens: one.spend.cache_read,
        usd_micros: one.spend.usd_micros,
        is_estimate: one.spend.is_estimate,
    });
    each.collect()
}
