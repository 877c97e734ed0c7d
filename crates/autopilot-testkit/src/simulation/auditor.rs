//! Looks at every event of a run and holds it against the rules, with books of its own: it never asks the state what happened.

use std::collections::{BTreeMap, BTreeSet};

use autopilot_core::contract::Role;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::definition::{RunMode, RunSettings, Runner};
use autopilot_core::run::effect::{AgentOrder, Effect, Purpose};
use autopilot_core::run::event::{Event, Spend};
use autopilot_core::run::ids::{Commit, Moment, TaskId};
use autopilot_core::run::outcome::{Halt, Passing, PhaseResult};
use autopilot_core::run::state::RunState;
use autopilot_core::score::Score;

use super::candidate::{self, Candidate};
use super::ensure;
use super::purse::{self, Purse};
use super::tally::Tally;
use super::watchdog::Watchdog;
use crate::scenario::account::{pause_word, verdict_word};
use crate::world::given::Given;

const PLAN_ROUNDS_MAX: u32 = 3;
const FIXES_MAX: u32 = 2;
const STEP_TRIES_MAX: u32 = 2;
const REJECTIONS_MAX: u32 = 2;
/// Below this, work is not improved but planned again.
const IMPROVED_FROM: u8 = 70;

pub struct Auditor {
    mode: RunMode,
    settings: RunSettings,
    depends_on: BTreeMap<PhaseId, Vec<PhaseId>>,
    passed: BTreeSet<PhaseId>,
    /// Failed, blocked, or waiting for a person.
    lost: BTreeSet<PhaseId>,
    running: Option<Books>,
    /// Where in the journal the attempt under way was started.
    under_way: Option<usize>,
    spend: Spend,
    /// Somebody took a phase back that had passed.
    is_taken_back: bool,
    /// In the user's own folder: a phase passed, and the user's branch has it not yet.
    is_in_place: bool,
    is_owed: bool,
    purse: Purse,
    watchdog: Watchdog,
}

/// Of the phase that is being worked on.
struct Books {
    phase: PhaseId,
    debug: u32,
    replan: u32,
    cycles: u32,
    plan_rounds: u32,
    fixes: BTreeMap<TaskId, u32>,
    /// By step; both rounds of the judge are one.
    rejections: BTreeMap<Role, u32>,
    failures: (Option<Role>, u32),
    candidates: Vec<Candidate>,
    closing: Option<Commit>,
    merged: Option<Commit>,
    diagnosed: Option<Score>,
    spend: Spend,
}

impl Books {
    fn new(phase: PhaseId) -> Self {
        Books {
            phase,
            debug: 0,
            replan: 0,
            cycles: 0,
            plan_rounds: 0,
            fixes: BTreeMap::new(),
            rejections: BTreeMap::new(),
            failures: (None, 0),
            candidates: Vec::new(),
            closing: None,
            merged: None,
            diagnosed: None,
            spend: Spend::default(),
        }
    }
}

impl Auditor {
    pub fn new(given: &Given) -> Self {
        let phases = given.phases.iter();
        Auditor {
            mode: given.mode,
            settings: given.settings.clone(),
            depends_on: phases.map(|phase| (phase.id.clone(), phase.depends_on.clone())).collect(),
            passed: BTreeSet::new(),
            lost: BTreeSet::new(),
            running: None,
            under_way: None,
            spend: Spend::default(),
            is_taken_back: false,
            is_in_place: given.is_in_place,
            is_owed: false,
            purse: Purse::new(given.settings.clone()),
            watchdog: Watchdog::new(given.settings.clone()),
        }
    }

    /// Has to see every event once, in its order.
    pub fn look(
        &mut self,
        (journal, times): (&[Event], &[Moment]),
        at: usize,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let under_way = self.under_way.map(|started| &journal[started]);
        let effect = match under_way {
            Some(Event::StepStarted { effect, .. }) => Some(effect),
            _ => None,
        };
        self.purse.look(&journal[at], effect, tally)?;
        self.watchdog.look((&journal[at], times[at]), effect, tally)?;
        if let Event::RollbackCompleted { phases, .. } = &journal[at] {
            self.passed.retain(|phase| !phases.contains(phase));
            self.is_taken_back = true;
        }
        match &journal[at] {
            Event::StepStarted { effect, .. } => {
                ensure(self.under_way.is_none(), || "two attempts at once".to_string())?;
                self.under_way = Some(at);
                self.started(effect)
            }
            Event::AttemptLost { .. }
            | Event::AttemptCancelled { .. }
            | Event::RunOpened { .. }
            | Event::PhaseOpened { .. }
            | Event::PlanRead { .. }
            | Event::PlacesLookedUp { .. }
            | Event::TaskCompleted { .. }
            | Event::RolledBack { .. }
            | Event::ConfidenceDiagnosticWritten { .. }
            | Event::ReportWritten { .. }
            | Event::RunMerged { .. }
            | Event::MergeRefused { .. }
            | Event::RollbackCompleted { .. }
            | Event::RollbackRefused { .. }
            | Event::EffectFailed { .. }
            | Event::StepCompleted { .. }
            | Event::StepFailed { .. }
            | Event::EvidenceMeasured { .. }
            | Event::PhaseMerged { .. } => {
                let started = self.under_way.take().map(|started| &journal[started]);
                let Some(Event::StepStarted { effect, .. }) = started else {
                    return Err("an attempt ended that never began".to_string());
                };
                self.landed(&journal[at]);
                self.ended(effect, &journal[at], tally)
            }
            Event::RunHalted { why: Halt::PhaseFailed { .. } } => {
                ensure(self.mode == RunMode::Selected, || "a complete run halted".to_string())
            }
            Event::RunPaused { why } => {
                tally.count("ending", &format!("paused, {}", pause_word(why)));
                Ok(())
            }
            decision => self.decided(decision, tally),
        }
    }

    fn started(&mut self, effect: &Effect) -> Result<(), String> {
        let Some(phase) = effect.phase() else { return Ok(()) };
        let Some(books) = self.running.as_mut().filter(|books| &books.phase == phase) else {
            return Err(format!("{phase} is worked on and does not run"));
        };
        let is_given_up = books.rejections.values().any(|count| *count >= REJECTIONS_MAX);
        ensure(!is_given_up, || format!("{phase} goes on after a second rejection"))?;
        match effect {
            Effect::RunAgent(order) => {
                let left = |max: u64, spend: &Spend| {
                    max.saturating_sub(spend.input + spend.cache_write + spend.output)
                };
                let of_phase = left(self.settings.phase_tokens_max, &books.spend);
                let of_run = left(self.settings.run_tokens_max, &self.spend);
                let is_left = order.tokens_max == of_phase.min(of_run);
                ensure(is_left, || format!("{} tokens are not what is left", order.tokens_max))?;
                let last = books.candidates.last();
                let is_it = last.is_some_and(|last| last.commit == order.head && last.is_green);
                let is_fine = is_it || !is_reviewer(order.role);
                ensure(is_fine, || "reviewers look at what was not measured green".to_string())
            }
            Effect::ClosePhase { head, .. } => {
                books.closing = Some(head.clone());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn ended(&mut self, effect: &Effect, event: &Event, tally: &mut Tally) -> Result<(), String> {
        let Some(books) = &mut self.running else { return Ok(()) };
        let spend = match event {
            Event::StepCompleted { work, .. } | Event::StepFailed { work, .. } => Some(work.spend),
            Event::AttemptLost { spend, .. } | Event::AttemptCancelled { spend, .. } => *spend,
            _ => None,
        };
        for book in [&mut self.spend, &mut books.spend] {
            book.add(&spend.unwrap_or_default());
        }
        match (event, effect) {
            (Event::EvidenceMeasured { measured, .. }, Effect::Measure(measurement)) => {
                if measurement.purpose == Purpose::Candidate {
                    books.candidates.push(Candidate::measured(&measurement.at, measured));
                }
                if measurement.purpose == Purpose::Brought {
                    let last = books.candidates.last_mut().ok_or("checks of no candidate")?;
                    last.bring(measured);
                }
                let ordered = measurement.checks.iter().map(|order| order.name);
                let is_all = ordered.eq(measured.iter().map(|one| one.check));
                ensure(is_all, || "not everything that was ordered was measured".to_string())
            }
            (Event::StepCompleted { returned, .. }, Effect::RunAgent(_)) => {
                books.failures = (None, 0);
                if let Some(candidate) = books.candidates.last_mut() {
                    candidate.hear(returned);
                }
                Ok(())
            }
            (Event::StepFailed { .. }, Effect::RunAgent(order)) => {
                step_failed(books, order, event, tally)
            }
            (Event::PhaseMerged { commit, .. }, Effect::ClosePhase { .. }) => {
                books.merged = Some(commit.clone());
                Ok(())
            }
            (Event::ConfidenceDiagnosticWritten { score, .. }, Effect::WriteDiagnostic { .. }) => {
                ensure(books.merged.is_some(), || "a diagnostic of no pass".to_string())?;
                ensure(books.diagnosed.is_none(), || "two diagnostics".to_string())?;
                books.diagnosed = Some(*score);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn landed(&mut self, event: &Event) {
        match event {
            Event::PhaseMerged { .. } => self.is_owed = self.is_in_place,
            Event::RunMerged { .. } | Event::MergeRefused { .. } => self.is_owed = false,
            _ => {}
        }
    }

    fn decided(&mut self, event: &Event, tally: &mut Tally) -> Result<(), String> {
        match event {
            Event::PhaseStarted { phase } => {
                ensure(self.running.is_none(), || "two phases at once".to_string())?;
                ensure(!self.is_owed, || format!("{phase} begins in a folder without the last"))?;
                let is_over = self.passed.contains(phase) || self.lost.contains(phase);
                ensure(!is_over, || format!("{phase} runs again"))?;
                let needed = self.depends_on.get(phase).into_iter().flatten();
                let missing = needed.into_iter().find(|needed| !self.passed.contains(*needed));
                ensure(missing.is_none(), || format!("{phase} runs before what it depends on"))?;
                self.running = Some(Books::new(phase.clone()));
                Ok(())
            }
            Event::PhaseSkipped { phase, .. } => {
                let needed = self.depends_on.get(phase).into_iter().flatten();
                let is_blocked = needed.into_iter().any(|needed| self.lost.contains(needed));
                self.lost.insert(phase.clone());
                tally.count("phase", "blocked");
                ensure(is_blocked, || format!("{phase} is left out and nothing blocks it"))
            }
            Event::PhaseFailed { phase, .. } => {
                tally.count("phase", "failed");
                self.lose(phase)
            }
            Event::PhaseDeferred { phase, .. } => {
                tally.count("phase", "waits for a person");
                self.lose(phase)
            }
            Event::PhaseDelegated { attempt, .. } => {
                let is_wanted = self.settings.runner == Runner::Delegate;
                let row = if *attempt == 1 { "asked" } else { "asked after a replan" };
                tally.count("delegate", row);
                ensure(is_wanted, || "a delegate nobody asked for".to_string())
            }
            Event::PhaseCompleted { phase, result } => {
                tally.count("phase", "passed");
                if self.settings.runner == Runner::Delegate {
                    tally.count("delegate", "passed");
                }
                let books = self.running.take().ok_or("a phase passed that does not run")?;
                ensure(&books.phase == phase, || format!("{phase} does not run"))?;
                self.passed.insert(phase.clone());
                self.passes(&books, result, tally)
            }
            _ => self.bounded(event, tally),
        }
    }

    fn lose(&mut self, phase: &PhaseId) -> Result<(), String> {
        let is_running = self.running.take().is_some_and(|books| &books.phase == phase);
        self.lost.insert(phase.clone());
        ensure(is_running, || format!("{phase} ended and did not run"))
    }

    fn bounded(&mut self, event: &Event, tally: &mut Tally) -> Result<(), String> {
        match event {
            Event::ReturnRejected { check, .. } => tally.count("rejected for", check.words()),
            Event::IntegrityWarning { check, .. } => tally.count("warned of", check.words()),
            _ => {}
        }
        let Some(books) = &mut self.running else { return Ok(()) };
        let settings = &self.settings;
        let mut use_up = |used: &mut u32, max: u32, row: &str| {
            *used += 1;
            if *used == max {
                tally.count("bound", row);
            }
            ensure(*used <= max, || format!("{row} is exceeded"))
        };
        match event {
            Event::VerdictReached { verdict, .. } => {
                tally.count("verdict", verdict_word(verdict));
                Ok(())
            }
            Event::ReturnRejected { role, reasons, .. } => {
                if let Some(candidate) = books.candidates.last_mut() {
                    candidate.forget(*role);
                }
                let step = if *role == Role::JudgeDivergence { Role::Judge } else { *role };
                ensure(!reasons.is_empty(), || "rejected without a reason".to_string())?;
                use_up(books.rejections.entry(step).or_default(), REJECTIONS_MAX, "rejections 2")
            }
            Event::DebugAttempt { .. } => {
                use_up(&mut books.debug, settings.debug_attempts_max, "debug 3")
            }
            Event::ReplanAttempt { .. } => {
                use_up(&mut books.replan, settings.replan_attempts_max, "replan 1")
            }
            Event::RemediationStarted { findings, .. } => {
                ensure(!findings.is_empty(), || "a cycle without findings".to_string())?;
                use_up(&mut books.cycles, settings.remediation_cycles_max, "cycles 2")
            }
            Event::PlanSentBack { .. } => {
                use_up(&mut books.plan_rounds, PLAN_ROUNDS_MAX, "plan rounds 3")
            }
            Event::TaskRetried { task, .. } => {
                use_up(books.fixes.entry(task.clone()).or_default(), FIXES_MAX, "fixes 2")
            }
            _ => Ok(()),
        }?;
        // The same names may stand in the next plan.
        if let Event::ReplanAttempt { .. } | Event::PlanSentBack { .. } = event {
            books.fixes.clear();
        }
        Ok(())
    }

    /// Invariant 13: whatever is merged was measured green and reviewed, itself.
    fn passes(&self, books: &Books, result: &PhaseResult, tally: &mut Tally) -> Result<(), String> {
        let closed = books.closing.as_ref().ok_or("nothing was merged")?;
        ensure(books.merged.as_ref() == Some(&result.commit), || "another commit".to_string())?;
        let candidates = &books.candidates;
        let of_it = || candidates.iter().filter(|candidate| &candidate.commit == closed);
        ensure(of_it().count() > 0, || "what was merged was never measured".to_string())?;
        ensure(of_it().all(|seen| seen.is_green), || "something red passed".to_string())?;
        let accepted = candidate::accepted(candidates);
        let rated = |one: &&Candidate| &one.commit == closed && one.score == result.score;
        let merged = accepted.iter().copied().find(|one| rated(one));
        let merged = merged.ok_or("reviewers did not let it through with this score")?;
        let score = merged.score.ok_or("it passed without a score")?;
        let is_diagnosed = books.diagnosed == Some(score).filter(|score| score.tenths() < 90);
        ensure(is_diagnosed, || format!("{score} and a diagnostic of {:?}", books.diagnosed))?;
        let best = accepted.iter().filter_map(|candidate| candidate.score).max();
        ensure(best == Some(score), || format!("{score} was kept and {best:?} was there"))?;
        let last = candidates.last().ok_or("no candidate")?;
        if last.commit != merged.commit {
            tally.count("phase", "passed with an earlier candidate");
        }
        let threshold = self.settings.threshold;
        match result.how {
            Passing::Proven | Passing::Judged => {
                ensure(score >= threshold, || format!("{score} passed the bar {threshold}"))?;
                ensure(merged.has_checks, || "nothing was measured".to_string())
            }
            Passing::Unproven => {
                ensure(score >= threshold, || format!("{score} passed the bar {threshold}"))?;
                let is_allowed = self.settings.allows_unproven && !merged.has_checks;
                ensure(is_allowed, || "unproven and not allowed".to_string())
            }
            Passing::ForceIncomplete => {
                let is_near = score < threshold && score.tenths() >= IMPROVED_FROM;
                ensure(is_near, || format!("{score} is incomplete for the bar {threshold}"))?;
                let has_cycles = books.cycles < self.settings.remediation_cycles_max;
                let improved = if last.commit == merged.commit { last } else { merged };
                let goes_on = has_cycles && improved.has_findings(threshold, books.cycles);
                ensure(!goes_on, || "incomplete with a cycle and findings left".to_string())
            }
        }
    }

    /// The run stands still for good.
    pub fn finish(&self, state: &RunState) -> Result<(), String> {
        ensure(state.spend == self.spend, || {
            format!("spent {:?}, and the books have {:?}", state.spend, self.spend)
        })?;
        let phases = state.phases.iter().filter_map(|phase| phase.work_summary());
        let mut sum = Spend::default();
        phases.for_each(|summary| sum.add(&summary.spend));
        // What the first go at a phase took that was taken back is the run's alone.
        ensure(sum == self.spend || self.is_taken_back, || {
            "the phases' spending does not add up".to_string()
        })
    }
}

fn is_reviewer(role: Role) -> bool {
    matches!(role, Role::Verify | Role::Judge | Role::JudgeDivergence | Role::Rate | Role::Review)
}

fn step_failed(
    books: &mut Books,
    order: &AgentOrder,
    event: &Event,
    tally: &mut Tally,
) -> Result<(), String> {
    // Nobody can be blamed for a limit.
    if order.task.is_some() || purse::is_obstacle(event) {
        return Ok(());
    }
    let (role, count) = books.failures;
    let count = if role == Some(order.role) { count + 1 } else { 1 };
    books.failures = (Some(order.role), count);
    if count == STEP_TRIES_MAX {
        tally.count("bound", "step tries 2");
    }
    ensure(count <= STEP_TRIES_MAX, || format!("{:?} was tried {count} times", order.role))
}
