//! The steps of one phase, in order: preflight, triage, research, plan, plan check, execute, evidence, verify, judge, rate, gate,
//! merge (PIPE-1 to PIPE-15). Reads the facts of the phase from the top; the first one missing is what comes next.

use crate::contract::{Category, Role};
use crate::run::budget;
use crate::run::checks;
use crate::run::definition::{Depth, PhaseDefinition, Runner};
use crate::run::effect::{Access, AgentOrder, Effect, Measurement, Purpose};
use crate::run::event::{Event, Skippable};
use crate::run::files::confidence;
use crate::run::gate::Verdict;
use crate::run::ids::{Moment, TaskId};
use crate::run::measured::Measured;
use crate::run::next::{Move, Waiting};
use crate::run::outcome::{Cap, Halt, PhaseFailure, PhaseResult, Reached};
use crate::run::state::{PhaseState, RunState};
use crate::run::usage_limit::Asked;
use crate::run::work::{Stage, Work};
use crate::run::{adopted, delegate, review, tasks, usage_limit};
use crate::score::Score;

/// Times a step without a task is tried before the phase fails: once more after the first failure (RET-1).
const STEP_TRIES_MAX: u32 = 2;
/// Times a plan is sent back to the planner before the phase fails (PIPE-5).
const PLAN_ROUNDS_MAX: u32 = 3;
/// The least confidence of a plan check that lets a plan through (PIPE-5).
const PLAN_CONFIDENCE_MIN: Score = match Score::from_tenths(70) {
    Some(score) => score,
    None => Score::FULL,
};
/// Tasks a plan may have for one reviewer to be enough (PIPE-15).
const LEAN_TASKS_MAX: usize = 3;

pub(super) fn next(run: &RunState, phase: &PhaseState, now: Moment) -> Move {
    let Some(work) = &phase.work else {
        return Move::Wait { until: None, why: Waiting::Attempt };
    };
    let at = At { run, phase: &phase.definition, work, now };
    // An attempt that was cut off by a cap is not tried again and again until its own tries are used up.
    if work.is_cut_off
        && let Some(reached) = budget::reached(at)
    {
        return at.end_at(reached);
    }
    if work.failures_in_a_row >= STEP_TRIES_MAX {
        let why = work.last_failure.clone().unwrap_or_default();
        return at.fail(
            Category::ToolFailure,
            "agent",
            format!("{why} (tried {STEP_TRIES_MAX} times)"),
        );
    }
    if let Some((role, rejected)) = work.checked.given_up() {
        let reason = format!("not accepted {} times: {}", rejected.count, rejected.last.join("; "));
        return at.fail(checks::category(role), role.name(), reason);
    }
    match &work.verdict {
        Some(verdict) => at.after(verdict),
        None => at.before_the_gate(),
    }
}

/// Where in a run a decision is made.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub run: &'a RunState,
    pub phase: &'a PhaseDefinition,
    pub work: &'a Work,
    pub now: Moment,
}

impl At<'_> {
    fn before_the_gate(self) -> Move {
        let At { phase, work, .. } = self;
        if !work.is_open {
            let (phase, base) = (phase.id.clone(), work.base.clone());
            return Move::Start(Effect::OpenPhase { phase, base });
        }
        if work.triage.is_due() {
            return self.triage();
        }
        if self.holds_already() && work.execution.is_due() {
            return self.verify_only();
        }
        if work.execution.is_due() {
            return self.plan_and_execute();
        }
        self.review_move()
    }

    fn triage(self) -> Move {
        let checks = self.phase.criterion_checks();
        if checks.is_empty() {
            return self.skip(Skippable::Triage, "no criterion has a command");
        }
        self.measure(Purpose::Triage, checks)
    }

    /// More than four fifths of the criteria's commands are green before any work (PIPE-2). A phase that is to be planned anew
    /// was found wanting all the same.
    fn holds_already(self) -> bool {
        // Whoever asks for something by word wants it done, also where the checks they name are green already.
        if self.work.replan_attempts > 0 || self.run.definition.errand.is_some() {
            return false;
        }
        let Stage::Done(measured) = &self.work.triage else { return false };
        let green = measured.iter().filter(|one: &&Measured| one.result.is_green()).count();
        green * 5 > measured.len() * 4
    }

    fn verify_only(self) -> Move {
        const WHY: &str = "the criteria hold already: verified only";
        let steps = [
            (self.work.research.is_due(), Skippable::Research),
            (self.work.planning.is_due(), Skippable::Plan),
            (self.work.plan_check.is_due(), Skippable::PlanCheck),
        ];
        let due = steps.into_iter().find(|(is_due, _)| *is_due).map(|(_, step)| step);
        self.skip(due.unwrap_or(Skippable::Execute), WHY)
    }

    fn plan_and_execute(self) -> Move {
        let At { run, phase, work, .. } = self;
        let settings = &run.definition.settings;
        if settings.runner == Runner::Delegate {
            return delegate::next(self).unwrap_or_else(|| self.review_move());
        }
        if work.research.is_due() {
            return match (phase.has_plan, settings.has_research, settings.depth) {
                (true, _, _) => self.skip(Skippable::Research, "there is a plan"),
                (_, false, _) => self.skip(Skippable::Research, "switched off in config.json"),
                (_, _, Depth::Lean) => self.skip(Skippable::Research, "the depth is lean"),
                (_, _, Depth::Auto) if run.definition.errand.is_some() => {
                    self.skip(Skippable::Research, "a single task is planned without it")
                }
                (false, true, Depth::Auto | Depth::Full) => {
                    self.agent(Role::Research, None, Access::PhaseFolder)
                }
            };
        }
        if work.planning.is_due() {
            // A plan that was sent back is made anew, beside the user's own.
            if phase.has_plan && work.plan_issues.is_empty() {
                return self.skip(Skippable::Plan, "there is a plan");
            }
            return self.agent(Role::Plan, None, Access::PhaseFolder);
        }
        let Some(plan) = &work.plan else {
            return Move::Start(Effect::ReadPlan { phase: phase.id.clone() });
        };
        if work.plan_check.is_due() {
            let blockers: Vec<String> = plan
                .faults
                .iter()
                .filter(|fault| fault.is_blocker)
                .map(|fault| fault.message.clone())
                .collect();
            if !blockers.is_empty() || work.tasks.is_empty() {
                return self.send_plan_back(blockers);
            }
            if self.is_lean() {
                return self.skip(Skippable::PlanCheck, "the depth is lean");
            }
            return self.agent(Role::PlanCheck, None, Access::ReadOnly);
        }
        if let Stage::Done(check) = &work.plan_check
            && (check.blockers() > 0 || check.confidence < PLAN_CONFIDENCE_MIN)
        {
            let issues = check.issues.iter();
            let words = issues.map(|issue| format!("{}: {}", issue.description, issue.fix_hint));
            return self.send_plan_back(words.collect());
        }
        if let Some(criteria) = adopted::due(self) {
            return Move::Record(Event::CriteriaAdopted { phase: phase.id.clone(), criteria });
        }
        match tasks::next(self) {
            Some(moved) => moved,
            None => self.review_move(),
        }
    }

    fn send_plan_back(self, mut issues: Vec<String>) -> Move {
        if issues.is_empty() {
            issues.push("the plan has no task that could be run".to_string());
        }
        if self.work.plan_rounds >= PLAN_ROUNDS_MAX {
            let reason =
                format!("the plan was sent back {PLAN_ROUNDS_MAX} times: {}", issues.join("; "));
            return self.fail(Category::ExecutorWrongApproach, "plan_check", reason);
        }
        issues.truncate(crate::limits::PLAN_ISSUES_MAX);
        let (phase, round) = (self.phase.id.clone(), self.work.plan_rounds + 1);
        Move::Record(Event::PlanSentBack { phase, round, issues })
    }

    fn review_move(self) -> Move {
        review::next(self)
    }

    /// Whether one reviewer is enough (PIPE-15).
    pub(super) fn is_lean(self) -> bool {
        match self.run.definition.settings.depth {
            Depth::Lean => true,
            Depth::Full => false,
            // Nobody has looked at a plan, so everybody looks at the work.
            Depth::Auto if self.run.definition.settings.runner == Runner::Delegate => false,
            Depth::Auto => {
                let planned = self.work.tasks.iter().map(|work| &work.task);
                let planned: Vec<_> = planned.filter(|task| !task.plan.is_empty()).collect();
                planned.len() <= LEAN_TASKS_MAX
                    && planned.iter().all(|task| !task.is_complex)
                    && self.phase.criteria.iter().all(|criterion| criterion.command.is_some())
            }
        }
    }

    fn after(self, verdict: &Verdict) -> Move {
        let At { phase, work, .. } = self;
        let id = phase.id.clone();
        match verdict {
            Verdict::Pass { how } => match &work.merged {
                None => {
                    // The best candidate is kept, which need not be the last one (PIPE-11).
                    let head = work.best().map_or(&work.head, |best| &best.commit).clone();
                    Move::Start(Effect::ClosePhase { phase: id, head, onto: work.base.clone() })
                }
                Some(commit) => {
                    let score = work.best().map(|best| best.score);
                    if let Some(score) = confidence::is_due(work, score) {
                        return Move::Start(Effect::WriteDiagnostic { phase: id, score });
                    }
                    let score_history = work.rated.iter().map(|rated| rated.score).collect();
                    let (how, commit) = (*how, commit.clone());
                    let criteria = review::criteria_count(self);
                    let result = PhaseResult { score, how, commit, criteria, score_history };
                    Move::Record(Event::PhaseCompleted { phase: id, result })
                }
            },
            Verdict::Remediate => {
                let cycle = work.remediation_cycles + 1;
                let from = work.best().map_or(&work.head, |best| &best.commit).clone();
                let findings = review::findings(self);
                Move::Record(Event::RemediationStarted { phase: id, cycle, from, findings })
            }
            Verdict::Debug { .. } => {
                Move::Record(Event::DebugAttempt { phase: id, attempt: work.debug_attempts + 1 })
            }
            Verdict::Replan => {
                Move::Record(Event::ReplanAttempt { phase: id, attempt: work.replan_attempts + 1 })
            }
            Verdict::Defer { why } => {
                Move::Record(Event::PhaseDeferred { phase: id, why: why.clone() })
            }
            Verdict::RollBack if !work.is_rolled_back => {
                let (to, task, snapshot) = (work.base.clone(), None, None);
                Move::Start(Effect::RollBack { phase: id, task, to, snapshot })
            }
            Verdict::RollBack => self.fail(
                Category::ExecutorWrongApproach,
                "judge",
                "the judge asked to roll the phase back".to_string(),
            ),
            Verdict::Fail { category, reason } => {
                self.fail(category.clone(), "gate", reason.clone())
            }
        }
    }

    pub(super) fn skip(self, step: Skippable, why: &str) -> Move {
        let (phase, why) = (self.phase.id.clone(), why.to_string());
        Move::Record(Event::StepSkipped { phase, step, why })
    }

    pub(super) fn fail(self, category: Category, step: &str, reason: String) -> Move {
        let failure = PhaseFailure { category, step: step.to_string(), reason };
        Move::Record(Event::PhaseFailed { phase: self.phase.id.clone(), failure })
    }

    pub(super) fn measure(
        self,
        purpose: Purpose,
        checks: Vec<crate::run::definition::CheckOrder>,
    ) -> Move {
        let snapshot = match &purpose {
            Purpose::Task(task) => {
                let worked = self.work.task(task).and_then(|task| task.worked.as_ref());
                worked.and_then(|worked| worked.snapshot.clone())
            }
            Purpose::Baseline
            | Purpose::Triage
            | Purpose::Candidate
            | Purpose::TestsBefore
            | Purpose::AllTestsBefore
            | Purpose::CriteriaBefore
            | Purpose::Brought
            | Purpose::WithoutWork => None,
        };
        Move::Start(Effect::Measure(Measurement {
            phase: Some(self.phase.id.clone()),
            purpose,
            at: self.work.head.clone(),
            snapshot,
            checks,
            laid_over: None,
        }))
    }

    pub(super) fn agent(self, role: Role, task: Option<&TaskId>, access: Access) -> Move {
        if let Some(reached) = budget::reached(self) {
            return self.end_at(reached);
        }
        let stand_in = match usage_limit::before_agent(self.run, role, self.now) {
            Asked::Agent(stand_in) => stand_in,
            Asked::First(moved) => return *moved,
        };
        let At { run, phase, work, .. } = self;
        let left = budget::left(self);
        let step_time_max_ms = run.definition.settings.step_time_max_ms;
        let snapshot = task.and_then(|id| work.task(id)).and_then(|task| task.snapshot.clone());
        Move::Start(Effect::RunAgent(AgentOrder {
            phase: phase.id.clone(),
            role,
            task: task.cloned(),
            round: work.next_round(role, task),
            head: work.head.clone(),
            snapshot,
            access,
            tokens_max: left.tokens,
            time_max_ms: step_time_max_ms.min(left.time_ms),
            usd_micros_max: left.usd_micros,
            stand_in,
        }))
    }

    /// A cap of the phase fails the phase, one of the run ends the run (CB-1).
    fn end_at(self, reached: Reached) -> Move {
        match reached.cap {
            Cap::PhaseTokens | Cap::PhaseTime => {
                self.fail(Category::ExecutorIncomplete, "budget", budget::words(&reached))
            }
            Cap::RunTokens | Cap::RunTime | Cap::RunRetries | Cap::RunCost => {
                Move::Record(Event::RunHalted { why: Halt::BudgetReached(reached) })
            }
        }
    }
}
