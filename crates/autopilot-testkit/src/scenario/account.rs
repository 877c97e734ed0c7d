//! Tells a journal in plain sentences, one an event. What stands in parentheses is detail that an expectation may leave out. Knows
//! nothing but the events, so that it cannot repeat a mistake of the state.

use std::collections::BTreeMap;

use autopilot_core::contract::Returned;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::breaker::Trip;
use autopilot_core::run::checks::places::{CommitSeen, Seen};
use autopilot_core::run::effect::{Effect, Purpose};
use autopilot_core::run::event::{Event, Failure, Skippable, StopRequest};
use autopilot_core::run::gate::Verdict;
use autopilot_core::run::ids::AttemptId;
use autopilot_core::run::landing::MergeTime;
use autopilot_core::run::measured::{Measured, reds};
use autopilot_core::run::outcome::{Cap, Halt, Passing, Pause};
use autopilot_core::run::taking_back::TakeBackHow;
use autopilot_core::run::usage_limit::UsageLimit;
use autopilot_core::score::Score;

use crate::world::given::role_word;

#[derive(Default)]
pub struct Narrator {
    threshold: Option<Score>,
    under_way: BTreeMap<AttemptId, Effect>,
    rated: BTreeMap<PhaseId, Score>,
}

impl Narrator {
    pub fn account(journal: &[Event]) -> Vec<String> {
        let mut narrator = Narrator::default();
        journal.iter().map(|event| narrator.sentence(event)).collect()
    }

    /// The events of a run have to come in their order.
    pub fn sentence(&mut self, event: &Event) -> String {
        match event {
            Event::RunStarted { definition } => {
                self.threshold = Some(definition.settings.threshold);
                "run started".to_string()
            }
            Event::ProjectRead { .. } => "project read".to_string(),
            Event::PhaseRead { phase, .. } => format!("{} read", phase.id),
            Event::RunResumed { .. } => "run resumed".to_string(),
            Event::RunPaused { why } => format!("run paused ({})", pause_word(why)),
            Event::RunHalted { why } => format!("run halted ({})", halt_word(why)),
            Event::RunCompleted { result } => format!(
                "run completed (passed {}, failed {}, blocked {}, waiting {}, short {})",
                result.passed,
                result.failed,
                result.skipped,
                result.deferred,
                result.short_of_the_gate
            ),
            Event::StopRequested { how: StopRequest::AfterStep } => "asked to stop".to_string(),
            Event::StopRequested { how: StopRequest::Now } => "asked to stop at once".to_string(),
            Event::AddRequested { phases, .. } => {
                format!("asked for more ({})", list(phases))
            }
            Event::PhaseAdded { phase } => format!("{} added", phase.id),
            Event::MergeRequested { when: MergeTime::AtEnd } => "merge wanted".to_string(),
            Event::MergeRequested { when: MergeTime::Now } => "asked to merge".to_string(),
            Event::RollbackInitiated { phases, .. } => {
                format!("asked to take back ({})", list(phases))
            }
            Event::LimitReached { limit, .. } => match limit {
                UsageLimit::Limit => "waits (limit)".to_string(),
                UsageLimit::Overload => "waits (overload)".to_string(),
            },
            Event::AgentSwitched { from, to, .. } => format!("agent switched ({from} to {to})"),
            Event::CircuitBreakerOpened { why, .. } => {
                format!("breaker opened ({})", trip_word(why))
            }
            Event::CircuitBreakerHalfOpened => "breaker half open".to_string(),
            Event::CircuitBreakerClosed => "breaker closed".to_string(),
            Event::StepStarted { attempt, effect } => {
                self.under_way.insert(*attempt, effect.clone());
                started(effect)
            }
            attempt_event => match attempt_of(attempt_event) {
                Some(attempt) => self.ended(attempt, attempt_event),
                None => self.decided(attempt_event),
            },
        }
    }

    fn ended(&mut self, attempt: AttemptId, event: &Event) -> String {
        let Some(effect) = self.under_way.get(&attempt).cloned() else {
            return format!("attempt {attempt} ended and never began");
        };
        let phase = effect.phase().map(|phase| format!("{phase} ")).unwrap_or_default();
        let task = effect.task().map(|task| format!("{task} ")).unwrap_or_default();
        let role = match &effect {
            Effect::RunAgent(order) => role_word(order.role),
            _ => "engine",
        };
        let detail = effect.task().map(|task| format!(" ({task})")).unwrap_or_default();
        match event {
            Event::AttemptSpawned { .. } => format!("{phase}{role} spawned"),
            Event::AttemptQuiet { .. } => format!("{phase}{role} quiet"),
            Event::AttemptLost { .. } => format!("attempt lost ({})", started(&effect)),
            Event::AttemptCancelled { .. } => format!("attempt cancelled ({})", started(&effect)),
            Event::StepCompleted { returned, .. } => {
                self.returned(effect.phase(), role, &detail, returned)
            }
            Event::StepFailed { failure, .. } => {
                format!("{phase}{role} failed ({})", failure_word(failure))
            }
            Event::RunOpened { .. } => "run opened".to_string(),
            Event::PhaseOpened { .. } => format!("{phase}opened"),
            Event::EvidenceMeasured { measured, .. } => measured_sentence(&effect, measured),
            Event::PlacesLookedUp { seen, commits, .. } => {
                let missing = seen.iter().filter(|one| **one != Seen::There).count()
                    + commits.iter().filter(|one| **one != CommitSeen::Known).count();
                format!("{phase}places looked up ({missing} missing)")
            }
            Event::TaskPlanned { task, .. } => format!("{phase}{} planned", task.id),
            Event::PlanRead { faults, .. } => match faults.iter().any(|fault| fault.is_blocker) {
                true => format!("{phase}plan read (faulty)"),
                false => format!("{phase}plan read"),
            },
            Event::TaskCompleted { commit: Some(_), .. } => format!("{phase}{task}done"),
            Event::TaskCompleted { commit: None, .. } => {
                format!("{phase}{task}done (nothing changed)")
            }
            Event::RolledBack { .. } => format!("{phase}{task}put back"),
            Event::PhaseMerged { .. } => format!("{phase}merged"),
            Event::ConfidenceDiagnosticWritten { score, .. } => {
                format!("{phase}diagnostic written ({score})")
            }
            Event::BatchCompletionReport { percent, .. } => {
                format!("batch report written ({percent} %)")
            }
            Event::ReportWritten { .. } => "report written".to_string(),
            Event::RunMerged { .. } => "run merged".to_string(),
            Event::MergeRefused { .. } => "merge refused".to_string(),
            Event::RollbackCompleted { phases, .. } => format!("taken back ({})", list(phases)),
            Event::RollbackRefused { .. } => "not taken back".to_string(),
            Event::EffectFailed { .. } => format!("engine failed ({})", started(&effect)),
            _ => format!("{phase}{role} did something unheard of"),
        }
    }

    fn returned(
        &mut self,
        phase: Option<&PhaseId>,
        role: &str,
        detail: &str,
        returned: &Returned,
    ) -> String {
        let Some(phase) = phase else { return format!("{role} returned for no phase") };
        let rating = match returned {
            Returned::Rating(rating) => rating,
            Returned::Review(review) => &review.rating,
            Returned::Judgement(said) => {
                let word = format!("{:?}", said.recommendation).to_lowercase();
                return format!("{phase} {role} returned ({word})");
            }
            _ => return format!("{phase} {role} returned{detail}"),
        };
        match rating.mean() {
            Some(score) => {
                self.rated.insert(phase.clone(), score);
                format!("{phase} rated {score}")
            }
            None => format!("{phase} rated nothing"),
        }
    }

    fn decided(&self, event: &Event) -> String {
        match event {
            Event::PhaseStarted { phase } => format!("{phase} started"),
            Event::PhaseDelegated { phase, attempt } => format!("{phase} delegated {attempt}"),
            Event::StepSkipped { phase, step, .. } => {
                format!("{phase} {} skipped", step_word(*step))
            }
            Event::PlanSentBack { phase, round, .. } => format!("{phase} plan sent back {round}"),
            Event::CriteriaAdopted { phase, criteria } => {
                format!("{phase} criteria adopted {}", criteria.len())
            }
            Event::TaskRetried { phase, task, why, .. } => {
                format!("{phase} {task} tried again ({why})")
            }
            Event::TaskFailed { phase, task, why } => format!("{phase} {task} given up ({why})"),
            Event::TaskSkipped { phase, task, .. } => format!("{phase} {task} left out"),
            Event::VerdictReached { phase, verdict } => {
                format!("{phase} verdict {}", verdict_word(verdict))
            }
            Event::DebugAttempt { phase, attempt } => format!("{phase} debug {attempt}"),
            Event::ReplanAttempt { phase, attempt } => format!("{phase} replanned {attempt}"),
            Event::RemediationStarted { phase, .. } => {
                let score = self.rated.get(phase).map(ToString::to_string).unwrap_or_default();
                let bar = self.threshold.map(|bar| bar.to_string()).unwrap_or_default();
                format!("{phase} sent back ({score} < {bar})")
            }
            Event::PhaseCompleted { phase, result } => {
                let how = match result.how {
                    Passing::Proven => "",
                    Passing::ForceIncomplete => "incomplete ",
                    Passing::Judged => "judged ",
                    Passing::Unproven => "unproven ",
                };
                let score = result.score.map_or("without a score".to_string(), |s| s.to_string());
                let count = result.criteria;
                format!(
                    "{phase} passed {how}{score} (proven {}, standing {}, judged {})",
                    count.proven, count.standing, count.judged
                )
            }
            Event::PhaseFailed { phase, failure } => {
                format!("{phase} failed ({})", failure.category.word())
            }
            Event::PhaseSkipped { phase, reason } => format!("{phase} blocked ({reason})"),
            Event::PhaseDeferred { phase, .. } => format!("{phase} waits for a person"),
            _ => checked(event),
        }
    }
}

/// What was found about returns and scores.
fn checked(event: &Event) -> String {
    match event {
        Event::ReturnRejected { phase, role, check, .. } => {
            format!("{phase} {} rejected ({})", role_word(*role), check.words())
        }
        Event::IntegrityWarning { phase, role, check, .. } => {
            format!("{phase} {} warned ({})", role_word(*role), check.words())
        }
        Event::CrossContaminationWarning { phase, role, .. } => {
            format!("{phase} {} contaminated", role_word(*role))
        }
        Event::UnnecessaryDeferralWarning { phase, role, .. } => {
            format!("{phase} {} defers without need", role_word(*role))
        }
        Event::RubberStampWarning { streak } => {
            format!("uniform scores ({})", streak.phases.len())
        }
        Event::RubberStampEnhanced { streak } => {
            format!("uniform scores enhanced ({})", streak.phases.len())
        }
        Event::RubberStampCritical { streak } => {
            format!("uniform scores critical ({})", streak.phases.len())
        }
        _ => "something unheard of".to_string(),
    }
}

fn attempt_of(event: &Event) -> Option<AttemptId> {
    match event {
        Event::AttemptSpawned { attempt, .. }
        | Event::AttemptQuiet { attempt, .. }
        | Event::AttemptLost { attempt, .. }
        | Event::AttemptCancelled { attempt, .. }
        | Event::StepCompleted { attempt, .. }
        | Event::StepFailed { attempt, .. }
        | Event::RunOpened { attempt, .. }
        | Event::PhaseOpened { attempt, .. }
        | Event::EvidenceMeasured { attempt, .. }
        | Event::PlacesLookedUp { attempt, .. }
        | Event::TaskPlanned { attempt, .. }
        | Event::PlanRead { attempt, .. }
        | Event::TaskCompleted { attempt, .. }
        | Event::RolledBack { attempt, .. }
        | Event::PhaseMerged { attempt, .. }
        | Event::ConfidenceDiagnosticWritten { attempt, .. }
        | Event::BatchCompletionReport { attempt, .. }
        | Event::ReportWritten { attempt, .. }
        | Event::RunMerged { attempt, .. }
        | Event::MergeRefused { attempt, .. }
        | Event::RollbackCompleted { attempt, .. }
        | Event::RollbackRefused { attempt, .. }
        | Event::EffectFailed { attempt, .. } => Some(*attempt),
        _ => None,
    }
}

/// What a started effect is called.
pub fn started(effect: &Effect) -> String {
    match effect {
        Effect::OpenRun { .. } => "run opening".to_string(),
        Effect::Measure(measurement) => match (&measurement.phase, &measurement.purpose) {
            (Some(phase), Purpose::Task(task)) => format!("{phase} {task} measuring"),
            (Some(phase), Purpose::Triage) => format!("{phase} triage measuring"),
            (Some(phase), Purpose::Candidate) => format!("{phase} candidate measuring"),
            (Some(phase), Purpose::TestsBefore) => format!("{phase} tests before measuring"),
            (Some(phase), Purpose::AllTestsBefore) => format!("{phase} all tests before measuring"),
            (Some(phase), Purpose::CriteriaBefore) => {
                format!("{phase} criteria before measuring")
            }
            (Some(phase), Purpose::Brought) => format!("{phase} brought checks measuring"),
            (Some(phase), Purpose::WithoutWork) => format!("{phase} without work measuring"),
            (Some(phase), Purpose::Baseline) => format!("{phase} baseline measuring"),
            (None, _) => "baseline measuring".to_string(),
        },
        Effect::OpenPhase { phase, .. } => format!("{phase} opening"),
        Effect::RunAgent(order) => {
            let task = order.task.as_ref().map(|task| format!(" ({task})")).unwrap_or_default();
            format!("{} {} started{task}", order.phase, role_word(order.role))
        }
        Effect::ReadPlan { phase } => format!("{phase} plan reading"),
        Effect::LookUp(order) => format!("{} places looking up", order.phase),
        Effect::CommitTask(order) => format!("{} {} committing", order.phase, order.task),
        Effect::RollBack { phase, task: Some(task), .. } => format!("{phase} {task} putting back"),
        Effect::RollBack { phase, task: None, .. } => format!("{phase} putting back"),
        Effect::ClosePhase { phase, .. } => format!("{phase} merging"),
        Effect::WriteDiagnostic { phase, .. } => format!("{phase} diagnostic writing"),
        Effect::MergeRun(_) => "run merging".to_string(),
        Effect::TakeBack(order) => match order.how {
            TakeBackHow::Reset { .. } => "taking back (reset)".to_string(),
            TakeBackHow::Revert => "taking back (revert)".to_string(),
            TakeBackHow::Apart => "taking back (apart)".to_string(),
        },
        Effect::Report => "report writing".to_string(),
    }
}

fn list(phases: &[PhaseId]) -> String {
    phases.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn measured_sentence(effect: &Effect, measured: &[Measured]) -> String {
    let what = started(effect).replace("measuring", "measured");
    let names: Vec<String> = reds(measured).iter().map(ToString::to_string).collect();
    match (measured.is_empty(), names.is_empty()) {
        (true, _) => format!("{what} (nothing)"),
        (false, true) => format!("{what} (green)"),
        (false, false) => format!("{what} (red: {})", names.join(", ")),
    }
}

pub fn verdict_word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::RollBack => "rollback",
        Verdict::Fail { .. } => "fail",
        Verdict::Defer { .. } => "defer",
        Verdict::Debug { .. } => "debug",
        Verdict::Pass { how: Passing::Proven } => "pass",
        Verdict::Pass { how: Passing::ForceIncomplete } => "pass incomplete",
        Verdict::Pass { how: Passing::Judged } => "pass judged",
        Verdict::Pass { how: Passing::Unproven } => "pass unproven",
        Verdict::Remediate => "remediate",
        Verdict::Replan => "replan",
    }
}

pub fn pause_word(why: &Pause) -> &'static str {
    match why {
        Pause::Stopped => "stopped",
        Pause::Limit { .. } => "limit",
        Pause::NotLoggedIn => "not logged in",
        Pause::Breaker { .. } => "breaker",
    }
}

fn halt_word(why: &Halt) -> String {
    let join = |words: Vec<String>| words.join(", ");
    match why {
        Halt::PhaseFailed { phase, blocks } => {
            format!("{phase} blocks {}", join(blocks.iter().map(ToString::to_string).collect()))
        }
        Halt::RedBaseline { checks } => {
            format!("red before: {}", join(checks.iter().map(ToString::to_string).collect()))
        }
        Halt::EffectFailed { .. } => "engine failed".to_string(),
        Halt::RolledBack { phase } => format!("{phase} rolled back"),
        Halt::BudgetReached(reached) => cap_word(reached.cap).to_string(),
    }
}

pub fn trip_word(why: &Trip) -> &'static str {
    match why {
        Trip::NoProgress { .. } => "no progress",
        Trip::SameError { .. } => "same error",
        Trip::Lost { .. } => "lost",
    }
}

pub fn cap_word(cap: Cap) -> &'static str {
    match cap {
        Cap::PhaseTokens => "phase tokens",
        Cap::PhaseTime => "phase time",
        Cap::RunTokens => "run tokens",
        Cap::RunTime => "run time",
        Cap::RunRetries => "retries",
        Cap::RunCost => "run cost",
    }
}

fn failure_word(failure: &Failure) -> &'static str {
    match failure {
        Failure::ContractBroken { .. } => "contract broken",
        Failure::Crashed { .. } => "crashed",
        Failure::TimedOut => "timed out",
        Failure::Stalled => "hung",
        Failure::Refused { .. } => "refused",
        Failure::NotLoggedIn { .. } => "not logged in",
        Failure::LimitReached { .. } => "limit reached",
        Failure::Overloaded { .. } => "overloaded",
        Failure::AllowanceUsed => "tokens used up",
        Failure::TooMuchOutput => "printed without end",
        Failure::Asked { .. } => "asked",
    }
}

fn step_word(step: Skippable) -> &'static str {
    match step {
        Skippable::Triage => "triage",
        Skippable::Research => "research",
        Skippable::Plan => "planning",
        Skippable::PlanCheck => "plan check",
        Skippable::Execute => "execution",
    }
}
