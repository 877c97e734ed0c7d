//! The state of a run: the fold of its events. Only `apply` changes it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::phase_id::PhaseId;
use crate::run::breaker::{Breaker, LostStep};
use crate::run::checks::uniform_scores::Stamps;
use crate::run::definition::{PhaseDefinition, ProjectDefinition, RunDefinition, TaskDefinition};
use crate::run::effect::Effect;
use crate::run::event::{ProcessGroup, Spend, StopRequest};
use crate::run::fencing::Fencing;
use crate::run::files::trend::Trend;
use crate::run::ids::{AttemptId, Commit, Moment};
use crate::run::landing::Landing;
use crate::run::learnings::Lesson;
use crate::run::measured::Measured;
use crate::run::outcome::{Halt, Pause, PhaseFailure, PhaseResult, RunResult};
use crate::run::quiet::QuietSince;
use crate::run::spending::Spending;
use crate::run::summary::{PhaseSummary, Taxonomy};
use crate::run::usage_limit::Obstacles;
use crate::run::work::Work;
use crate::run::work_summary::WorkSummary;

#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    pub definition: RunDefinition,
    pub started_at: Moment,
    /// When the last event happened.
    pub last_at: Moment,
    pub events: u64,
    pub project: Option<ProjectDefinition>,
    /// In the order they are to run.
    pub phases: Vec<PhaseState>,
    /// Where each phase stands in the list: it is asked for many times an event.
    places: BTreeMap<PhaseId, usize>,
    /// The place of the phase that was started last.
    started: usize,
    /// Every selected phase has been read.
    pub is_read: bool,
    pub branch: Option<RunBranch>,
    /// What becomes of the work on it.
    pub landing: Landing,
    pub baseline: Option<Vec<Measured>>,
    pub in_flight: Option<InFlight>,
    pub attempts: u32,
    pub spend: Spend,
    /// The same by step, agent and model.
    pub spending: Spending,
    /// Attempts of agents that were cut off and had told nothing of what they spent.
    pub untold: u32,
    /// Retries of every kind so far (CB-1).
    pub retries: u32,
    pub clock: RunClock,
    /// Agents that cannot be used, as their last attempts have shown.
    pub obstacles: Obstacles,
    pub breaker: Breaker,
    /// Scores of the phases that passed (CHECK-5).
    pub stamps: Stamps,
    /// The step in which autopilot died last.
    pub lost: Option<LostStep>,
    pub stop: Option<StopRequest>,
    /// Why agents and checks were without a fence, if they ever were.
    pub unfenced: Option<String>,
    /// What failed phases of this run taught, bounded.
    pub lessons: Vec<Lesson>,
    pub taxonomy: Taxonomy,
    /// How far the project is, as a run with `--complete` reported it.
    pub batch: Option<BatchReport>,
    pub report: Option<String>,
    /// How the run compares with those before it, once its report is written.
    pub trend: Option<Trend>,
    pub status: RunStatus,
}

/// Written in an attempt at the report of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchReport {
    pub attempt: AttemptId,
    pub path: String,
    pub percent: u8,
}

/// Time that passed and was not running time (BUD-1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunClock {
    /// Paused, halted, or dead until somebody resumed it.
    pub stood_ms: u64,
    /// Nothing was to be done before a moment.
    pub waited_ms: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RunBranch {
    pub name: String,
    pub head: Commit,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RunStatus {
    Running,
    Paused(Pause),
    Halted(Halt),
    Completed(RunResult),
}

/// An effect that was started and has not ended.
#[derive(Debug, Clone, PartialEq)]
pub struct InFlight {
    pub attempt: AttemptId,
    pub effect: Effect,
    pub started_at: Moment,
    pub group: Option<ProcessGroup>,
    /// It shows no sign of life.
    pub quiet: Option<QuietSince>,
    /// Tasks that a plan brought; they count once the whole plan is read.
    pub tasks: Vec<TaskDefinition>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PhaseState {
    pub definition: PhaseDefinition,
    pub status: PhaseStatus,
    /// Boxed: most phases of a long run have none. Gone once a later phase has begun.
    pub work: Option<Box<Work>>,
    /// What is left of `work` then.
    pub past: Option<Box<WorkSummary>>,
    /// How often it failed in this run, over all resumes.
    pub failures: u32,
    /// Figures of all tries that have ended.
    pub summary: PhaseSummary,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PhaseStatus {
    Waiting,
    Running,
    Passed(PhaseResult),
    Failed(PhaseFailure),
    Skipped {
        reason: String,
    },
    /// A person has to look at it.
    Deferred {
        why: String,
    },
}

impl PhaseStatus {
    pub fn is_over(&self) -> bool {
        !matches!(self, PhaseStatus::Waiting | PhaseStatus::Running)
    }
}

impl PhaseState {
    /// What is told of the last try at it, if it has begun.
    pub fn work_summary(&self) -> Option<Cow<'_, WorkSummary>> {
        match (&self.work, &self.past) {
            (Some(work), _) => Some(Cow::Owned(WorkSummary::of(work))),
            (None, Some(past)) => Some(Cow::Borrowed(past)),
            (None, None) => None,
        }
    }

    fn put_away(&mut self) {
        if let Some(work) = self.work.take() {
            self.past = Some(Box::new(WorkSummary::of(&work)));
        }
    }

    /// It passed and is to be done again; what it took the first time is still told.
    pub(super) fn take_back(&mut self) {
        self.put_away();
        self.status = PhaseStatus::Waiting;
    }

    /// It is to be tried from its beginning.
    pub(super) fn begin_again(&mut self) {
        self.status = PhaseStatus::Waiting;
        (self.work, self.past) = (None, None);
    }
}

impl RunState {
    pub fn begin(definition: RunDefinition, at: Moment) -> Self {
        let unfenced = definition.fencing.as_ref().and_then(Fencing::unfenced);
        RunState {
            unfenced: unfenced.map(str::to_string),
            definition,
            started_at: at,
            last_at: at,
            events: 1,
            project: None,
            phases: Vec::new(),
            places: BTreeMap::new(),
            started: 0,
            is_read: false,
            branch: None,
            landing: Landing::default(),
            baseline: None,
            in_flight: None,
            attempts: 0,
            spend: Spend::default(),
            spending: Spending::default(),
            untold: 0,
            retries: 0,
            clock: RunClock::default(),
            obstacles: Obstacles::default(),
            breaker: Breaker::default(),
            stamps: Stamps::default(),
            lost: None,
            stop: None,
            lessons: Vec::new(),
            taxonomy: Taxonomy::default(),
            batch: None,
            report: None,
            trend: None,
            status: RunStatus::Running,
        }
    }

    pub fn phase(&self, id: &PhaseId) -> Option<&PhaseState> {
        self.phases.get(*self.places.get(id)?)
    }

    pub(super) fn phase_mut(&mut self, id: &PhaseId) -> Option<&mut PhaseState> {
        self.phases.get_mut(*self.places.get(id)?)
    }

    pub(super) fn add_phase(&mut self, definition: PhaseDefinition) {
        self.places.insert(definition.id.clone(), self.phases.len());
        self.phases.push(PhaseState {
            definition,
            status: PhaseStatus::Waiting,
            work: None,
            past: None,
            failures: 0,
            summary: PhaseSummary::default(),
        });
    }

    /// Begins the work on a phase. The one before it is over: what was needed to decide about it is let go.
    pub(super) fn start_phase(&mut self, id: &PhaseId, work: Work) {
        if let Some(before) = self.phases.get_mut(self.started).filter(|it| it.status.is_over()) {
            before.put_away();
        }
        let Some(place) = self.places.get(id).copied() else { return };
        self.started = place;
        if let Some(phase) = self.phases.get_mut(place) {
            phase.status = PhaseStatus::Running;
            phase.work = Some(Box::new(work));
        }
    }

    /// The phase that is being worked on: none but the one that was started last.
    pub fn running(&self) -> Option<&PhaseState> {
        self.phases.get(self.started).filter(|phase| phase.status == PhaseStatus::Running)
    }

    /// Phases of this run that wait for `id`, directly or through others, and are not over.
    pub fn dependents<'a>(&'a self, id: &'a PhaseId) -> Vec<&'a PhaseId> {
        let mut blocked: Vec<&PhaseId> = vec![id];
        // In schedule order a dependency stands before what depends on it, so one pass finds all.
        for phase in self.phases.iter().filter(|phase| !phase.status.is_over()) {
            let waits = |dependency: &PhaseId| blocked.contains(&dependency);
            if phase.definition.depends_on.iter().any(waits) {
                blocked.push(&phase.definition.id);
            }
        }
        blocked.remove(0);
        blocked
    }

    /// How long it has waited since its last event, for a limit or for the breaker.
    pub(super) fn waits_ms(&self, now: Moment) -> u64 {
        if self.in_flight.is_some() || self.status != RunStatus::Running {
            return 0;
        }
        let limit = self.obstacles.waits_until();
        let until = match self.breaker {
            Breaker::Open { until, .. } => limit.max(Some(until)),
            Breaker::Closed | Breaker::HalfOpen { .. } => limit,
        };
        until.map_or(0, |until| until.min(now).milliseconds_since(self.last_at))
    }

    /// How long the run has been running by `now`, in milliseconds.
    pub fn running_ms(&self, now: Moment) -> u64 {
        // A clock that was set back between two starts must not make time go backwards.
        let now =
            if self.status == RunStatus::Running { now.max(self.last_at) } else { self.last_at };
        let RunClock { stood_ms, waited_ms } = self.clock;
        let waited_ms = waited_ms.saturating_add(self.waits_ms(now));
        now.milliseconds_since(self.started_at).saturating_sub(stood_ms).saturating_sub(waited_ms)
    }

    pub fn is_over(&self) -> bool {
        matches!(self.status, RunStatus::Halted(_) | RunStatus::Completed(_))
    }
}
