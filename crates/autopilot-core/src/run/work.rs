//! What has happened in one phase so far: facts only, each set by one event. What follows from them is `pipeline`'s.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::Role;
use crate::contract::delegation::Delegation;
use crate::contract::returns::{Judgement, PlanCheck, Rating, Verification};
use crate::run::breaker::Counters;
use crate::run::checks::claimed::Claims;
use crate::run::checks::places::{Looked, Place, Seen};
use crate::run::checks::{Checked, Difference, Reviewed};
use crate::run::definition::TaskDefinition;
use crate::run::event::{Finding, PlanFault, Spend};
use crate::run::gate::Verdict;
use crate::run::ids::{Commit, Moment, TaskId};
use crate::run::measured::{CheckName, Measured};
use crate::score::Score;

/// A phase under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    pub started_at: Moment,
    /// The run's running time when the phase began.
    pub began_ms: u64,
    /// The commit the phase starts from.
    pub base: Commit,
    pub is_open: bool,
    pub triage: Stage<Vec<Measured>>,
    pub research: Stage<()>,
    pub planning: Stage<()>,
    pub plan: Option<PlanFacts>,
    pub plan_check: Stage<PlanCheck>,
    /// The plan's checks are criteria of the phase.
    pub has_adopted: bool,
    /// Why the planner is asked again.
    pub plan_issues: Vec<String>,
    /// Times the plan was sent back before execution.
    pub plan_rounds: u32,
    pub execution: Stage<()>,
    pub tasks: Vec<TaskWork>,
    /// The last commit of the phase's branch.
    pub head: Commit,
    pub candidate: Candidate,
    pub rated: Vec<Rated>,
    pub verdict: Option<Verdict>,
    pub debug_attempts: u32,
    pub replan_attempts: u32,
    pub remediation_cycles: u32,
    pub findings: Vec<Finding>,
    /// What a delegate said about its work; shown, and never decided on.
    pub claims: Option<Box<Delegation>>,
    /// Research and plans that agents wrote, by name, with the hash of the text. What an attempt left that was lost is not here.
    pub kept: BTreeMap<String, String>,
    /// Attempts that ended, by role and task. Lost ones do not count.
    pub rounds: BTreeMap<(Role, Option<TaskId>), u32>,
    /// Failures of the step under way, one after the other.
    pub failures_in_a_row: u32,
    /// The last failure, for the agent that tries again.
    pub last_failure: Option<String>,
    /// The last attempt ended because its tokens or its time were used up.
    pub is_cut_off: bool,
    /// What the breaker counts.
    pub counters: Counters,
    /// What was found about returns.
    pub checked: Checked,
    /// How each check came out when it was last run in this phase.
    pub last_seen: BTreeMap<CheckName, bool>,
    pub spend: Spend,
    pub merged: Option<Commit>,
    /// Where the confidence diagnostic lies, once it is written.
    pub diagnostic: Option<String>,
    pub is_rolled_back: bool,
}

/// Whether a step is still to come.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage<T> {
    Due,
    Skipped,
    Done(T),
}

impl<T> Stage<T> {
    pub fn is_due(&self) -> bool {
        matches!(self, Stage::Due)
    }

    pub fn map<U>(&self, of: impl FnOnce(&T) -> U) -> Stage<U> {
        match self {
            Stage::Due => Stage::Due,
            Stage::Skipped => Stage::Skipped,
            Stage::Done(value) => Stage::Done(of(value)),
        }
    }

    pub fn done(&self) -> Option<&T> {
        match self {
            Stage::Done(value) => Some(value),
            Stage::Due | Stage::Skipped => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFacts {
    pub faults: Vec<PlanFault>,
    pub is_users: bool,
    /// What the plans say they change, beside the files of their tasks.
    pub files: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TaskWork {
    pub task: TaskDefinition,
    /// Fix attempts used.
    pub fixes: u32,
    /// Lines the work had grown to when the last fix began.
    pub lines_before_fix: u64,
    pub worked: Option<Worked>,
    /// Uncommitted work of earlier tries that the next one goes on from.
    pub snapshot: Option<Commit>,
    pub measured: Option<Vec<Measured>>,
    /// What was red after the try before this one, for the agent that mends it.
    pub last_red: Vec<Measured>,
    pub outcome: Option<TaskOutcome>,
    /// What its last return claims and nobody has looked up yet (CHECK-17).
    pub claims: Claims,
}

/// An agent's try at a task has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worked {
    pub snapshot: Option<Commit>,
    pub lines: u64,
    /// Why it brought no return.
    pub failure: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskOutcome {
    /// None when there was nothing to commit.
    Done {
        commit: Option<Commit>,
    },
    /// `is_put_back` once the slot is as it was before.
    Failed {
        is_put_back: bool,
        is_debugged: bool,
    },
    Skipped,
}

impl TaskWork {
    pub fn new(task: TaskDefinition) -> Self {
        TaskWork {
            task,
            fixes: 0,
            lines_before_fix: 0,
            worked: None,
            snapshot: None,
            measured: None,
            last_red: Vec::new(),
            outcome: None,
            claims: Claims::default(),
        }
    }
}

/// What is known of the commit that may pass.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidate {
    pub evidence: Option<Vec<Measured>>,
    /// What the phase changes in all.
    pub difference: Option<Difference>,
    /// What was measured with the tests as they were before the phase (CHECK-18).
    pub tests_before: Option<Vec<Measured>>,
    pub all_tests_before: Option<Vec<Measured>>,
    /// What criteria said with what their commands run as it was before the phase (CHECK-18).
    pub criteria_before: Option<Vec<Measured>>,
    /// Checks of the evidence that the phase itself brought (GATE-6).
    pub brought: Option<Vec<CheckName>>,
    /// What they said without the phase's own code.
    pub without_work: Option<Vec<Measured>>,
    pub verification: Option<Verification>,
    pub judgement: Option<Judgement>,
    /// The judge's second word, with the verifier's report in view.
    pub divergence: Option<Judgement>,
    pub rating: Option<Rating>,
    /// Who brought which return.
    pub reviewed: BTreeMap<Role, Reviewed>,
    /// What was found out about the places and commits that each return names.
    pub places: BTreeMap<Role, Looked>,
    /// Files that reviewers had changed, of which nothing is kept.
    pub dropped: BTreeMap<Role, BTreeSet<String>>,
}

impl Candidate {
    /// What was seen at a place; None when nobody looked.
    pub(super) fn seen(&self, place: &Place) -> Option<Seen> {
        let mut looked = self.places.values().flat_map(|looked| &looked.places);
        looked.find(|one| &one.place == place).map(|one| one.seen)
    }

    pub(super) fn has_returned(&self, role: Role) -> bool {
        match role {
            Role::Verify => self.verification.is_some(),
            Role::Judge => self.judgement.is_some(),
            Role::JudgeDivergence => self.divergence.is_some(),
            Role::Rate | Role::Review => self.rating.is_some(),
            Role::Research
            | Role::Plan
            | Role::PlanCheck
            | Role::Execute
            | Role::Debug
            | Role::Delegate => false,
        }
    }
}

/// A candidate that was rated (PIPE-11).
#[derive(Debug, Clone, PartialEq)]
pub struct Rated {
    pub cycle: u32,
    pub commit: Commit,
    pub score: Score,
    pub is_green: bool,
    /// Nothing but its score kept it from passing. False until its verdict, and for ever when it was sent to debug: what reviewers
    /// found wanting is never kept, however well it was rated.
    pub is_accepted: bool,
    /// What was known of it. Empty once the phase is over.
    pub facts: Candidate,
}

impl Work {
    /// What was measured before the work, as far as it was.
    pub fn before(&self) -> &[Measured] {
        match &self.triage {
            Stage::Done(measured) => measured,
            Stage::Due | Stage::Skipped => &[],
        }
    }

    /// What was measured of the candidate.
    pub fn after(&self) -> &[Measured] {
        self.candidate.evidence.as_deref().unwrap_or_default()
    }

    pub fn begin(base: Commit, at: Moment, began_ms: u64) -> Self {
        Work {
            started_at: at,
            began_ms,
            head: base.clone(),
            base,
            is_open: false,
            triage: Stage::Due,
            has_adopted: false,
            research: Stage::Due,
            planning: Stage::Due,
            plan: None,
            plan_check: Stage::Due,
            plan_issues: Vec::new(),
            plan_rounds: 0,
            execution: Stage::Due,
            tasks: Vec::new(),
            candidate: Candidate::default(),
            rated: Vec::new(),
            verdict: None,
            debug_attempts: 0,
            replan_attempts: 0,
            remediation_cycles: 0,
            findings: Vec::new(),
            claims: None,
            kept: BTreeMap::new(),
            rounds: BTreeMap::new(),
            failures_in_a_row: 0,
            last_failure: None,
            is_cut_off: false,
            counters: Counters::default(),
            checked: Checked::default(),
            last_seen: BTreeMap::new(),
            spend: Spend::default(),
            merged: None,
            diagnostic: None,
            is_rolled_back: false,
        }
    }

    /// Which counted try of this role comes next.
    pub fn next_round(&self, role: Role, task: Option<&TaskId>) -> u32 {
        self.rounds.get(&(role, task.cloned())).copied().unwrap_or_default() + 1
    }

    pub fn task(&self, id: &TaskId) -> Option<&TaskWork> {
        self.tasks.iter().find(|work| &work.task.id == id)
    }

    /// Of the accepted: all green first, then the highest score, then the earliest.
    pub fn best(&self) -> Option<&Rated> {
        let accepted = self.rated.iter().filter(|rated| rated.is_accepted);
        // The last of equals wins, so the latest comes first.
        accepted.rev().max_by_key(|rated| (rated.is_green, rated.score))
    }

    pub fn score(&self) -> Option<Score> {
        self.candidate.rating.as_ref().and_then(Rating::mean)
    }

    /// Failed tasks that no debug attempt has looked at.
    pub fn failed_tasks(&self) -> impl Iterator<Item = &TaskWork> {
        self.tasks.iter().filter(|task| {
            matches!(task.outcome, Some(TaskOutcome::Failed { is_debugged: false, .. }))
        })
    }
}
