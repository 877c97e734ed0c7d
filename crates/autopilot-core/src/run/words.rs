//! What an event means to somebody who watches: at most one line. The same words stand on the screen, in `logs` and in reports.

use crate::contract::Returned;
use crate::finding::printable;
use crate::phase_id::PhaseId;
use crate::run::budget;
use crate::run::checks;
use crate::run::definition::TaskKind;
use crate::run::effect::{Effect, Purpose};
use crate::run::event::{AgentWork, Event};
use crate::run::files::post_mortem;
use crate::run::gate::Verdict;
use crate::run::ids::{Moment, TaskId};
use crate::run::landing_words::said as about_landing;
use crate::run::measured::{CheckResult, Measured};
use crate::run::next::Waiting;
use crate::run::outcome::{CriteriaCount, Halt, Passing, Pause, PhaseFailure, PhaseResult};
use crate::run::projection::iso;
use crate::run::state::RunState;
use crate::run::usage_limit::UsageLimit;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub tone: Tone,
    /// None for the run as a whole.
    pub phase: Option<PhaseId>,
    pub text: String,
}

/// How a line is meant; colour may repeat it, never replace it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// The first line of something.
    Title,
    Plain,
    Good,
    Warning,
    Bad,
}

/// `state` is the one before the event. Events that only keep the books say nothing.
pub fn said(state: &RunState, event: &Event) -> Option<Said> {
    match event {
        Event::RunStarted { .. }
        | Event::ProjectRead { .. }
        | Event::PhaseRead { .. }
        | Event::StepStarted { .. }
        | Event::AttemptSpawned { .. }
        | Event::PhaseOpened { .. }
        | Event::TaskPlanned { .. }
        | Event::BatchCompletionReport { .. }
        | Event::ReportWritten { .. } => None,
        Event::RunResumed { .. } | Event::RunPaused { .. } => about_run(event),
        Event::RunHalted { .. } | Event::RunCompleted { .. } => about_run(event),
        Event::StopRequested { .. } | Event::RunOpened { .. } => about_run(event),
        Event::AddRequested { .. } | Event::PhaseAdded { .. } => about_run(event),
        Event::MergeRequested { .. } | Event::RollbackInitiated { .. } => about_landing(event),
        Event::RunMerged { .. } | Event::MergeRefused { .. } => about_landing(event),
        Event::RollbackCompleted { .. } | Event::RollbackRefused { .. } => about_landing(event),
        Event::LimitReached { .. } | Event::AgentSwitched { .. } => about_bounds(event),
        Event::CircuitBreakerOpened { .. } => about_bounds(event),
        Event::CircuitBreakerHalfOpened | Event::CircuitBreakerClosed => about_bounds(event),
        Event::PlacesLookedUp { .. }
        | Event::ReturnRejected { .. }
        | Event::IntegrityWarning { .. }
        | Event::UnnecessaryDeferralWarning { .. }
        | Event::CrossContaminationWarning { .. }
        | Event::RubberStampWarning { .. }
        | Event::RubberStampEnhanced { .. }
        | Event::RubberStampCritical { .. } => checks::said(state, event),
        Event::AttemptQuiet { .. }
        | Event::AttemptLost { .. }
        | Event::AttemptCancelled { .. }
        | Event::StepCompleted { .. }
        | Event::StepFailed { .. }
        | Event::EvidenceMeasured { .. }
        | Event::PlanRead { .. }
        | Event::RolledBack { .. }
        | Event::PhaseMerged { .. }
        | Event::ConfidenceDiagnosticWritten { .. }
        | Event::EffectFailed { .. } => of_attempt(state, event),
        Event::TaskCompleted { phase, task, .. }
        | Event::TaskRetried { phase, task, .. }
        | Event::TaskFailed { phase, task, .. }
        | Event::TaskSkipped { phase, task, .. } => of_task(state, phase, task, event),
        Event::PhaseStarted { phase }
        | Event::StepSkipped { phase, .. }
        | Event::PhaseDelegated { phase, .. }
        | Event::PlanSentBack { phase, .. }
        | Event::CriteriaAdopted { phase, .. }
        | Event::VerdictReached { phase, .. }
        | Event::DebugAttempt { phase, .. }
        | Event::ReplanAttempt { phase, .. }
        | Event::RemediationStarted { phase, .. }
        | Event::PhaseCompleted { phase, .. }
        | Event::PhaseFailed { phase, .. }
        | Event::PhaseSkipped { phase, .. }
        | Event::PhaseDeferred { phase, .. } => of_phase(state, phase, event),
    }
}

fn of_phase(state: &RunState, phase: &PhaseId, event: &Event) -> Option<Said> {
    let (tone, text) = about_phase(state, event)?;
    Some(Said { tone, phase: Some(phase.clone()), text })
}

fn of_attempt(state: &RunState, event: &Event) -> Option<Said> {
    let under_way = state.in_flight.as_ref()?;
    let (tone, text) = about_attempt(&under_way.effect, under_way.tasks.len(), event)?;
    Some(Said { tone, phase: under_way.effect.phase().cloned(), text })
}

fn of_task(state: &RunState, phase: &PhaseId, task: &TaskId, event: &Event) -> Option<Said> {
    let (tone, text) = about_task(event)?;
    let text = format!("{}: {text}", task_words(state, phase, task));
    Some(Said { tone, phase: Some(phase.clone()), text })
}

/// How an attempt ended; `tasks` were planned by it.
fn about_attempt(effect: &Effect, tasks: usize, event: &Event) -> Option<(Tone, String)> {
    let step = effect.step();
    let kept = |rescue: &Option<String>, words: &str| {
        rescue.as_ref().map(|name| format!("; {words} {name}")).unwrap_or_default()
    };
    Some(match event {
        Event::AttemptQuiet { quiet, .. } => {
            let (tone, words) = quiet.words();
            (tone, format!("{step}: {words}"))
        }
        Event::AttemptLost { .. } => {
            (Tone::Warning, format!("{step}: the attempt was lost, it is done again"))
        }
        Event::AttemptCancelled { rescue, .. } => {
            let kept = kept(rescue, "its work is kept in");
            (Tone::Warning, format!("{step}: the attempt was cancelled{kept}"))
        }
        Event::StepCompleted { work, returned, .. } => {
            (Tone::Plain, format!("{}{}", returned_words(effect, returned), used(work)))
        }
        Event::StepFailed { work, failure, .. } => {
            (Tone::Warning, format!("{step}: {}{}", failure.words(), used(work)))
        }
        Event::EvidenceMeasured { measured, .. } => {
            let (tone, with) = measured_how(effect, measured);
            (tone, format!("{step}{with}: {}", measured_words(measured)))
        }
        Event::PlanRead { plans, faults, .. } => {
            let blockers = faults.iter().filter(|fault| fault.is_blocker).count();
            let found = match blockers {
                0 => String::new(),
                count => format!(", {}", counted(count, "blocker")),
            };
            let tone = if blockers > 0 { Tone::Warning } else { Tone::Plain };
            let (files, tasks) = (counted(plans.len(), "file"), counted(tasks, "task"));
            (tone, format!("plan: read {files}, {tasks}{found}"))
        }
        Event::RolledBack { rescue, .. } => {
            (Tone::Warning, format!("put back{}", kept(rescue, "what was dropped is in")))
        }
        Event::PhaseMerged { commit, .. } => {
            (Tone::Plain, format!("merge: the run's branch is at {}", commit.short()))
        }
        Event::ConfidenceDiagnosticWritten { path, .. } => {
            (Tone::Plain, format!("{step}: the way to 9.0 is in {path}"))
        }
        Event::EffectFailed { what, .. } => (Tone::Bad, format!("{step}: {what}")),
        _ => return None,
    })
}

fn about_task(event: &Event) -> Option<(Tone, String)> {
    Some(match event {
        Event::TaskCompleted { commit: Some(commit), .. } => {
            (Tone::Plain, format!("commit {}", commit.short()))
        }
        Event::TaskCompleted { commit: None, .. } => (Tone::Plain, "nothing to commit".to_string()),
        Event::TaskRetried { why, .. } => (Tone::Warning, format!("once more, {why}")),
        Event::TaskFailed { why, .. } => (Tone::Warning, format!("given up, {why}")),
        Event::TaskSkipped { why, .. } => (Tone::Plain, format!("skipped, {why}")),
        _ => return None,
    })
}

fn about_run(event: &Event) -> Option<Said> {
    let line = |tone: Tone, text: String| Some(Said { tone, phase: None, text });
    match event {
        Event::RunResumed { drift, caps, agent, fencing } => {
            let mut words: Vec<String> = drift
                .iter()
                .map(|one| format!("{} changed since the run began", one.what))
                .collect();
            words.extend(
                caps.as_ref().map(|_| "with the caps of config.json as they are now".to_string()),
            );
            words.extend(agent.as_ref().map(|agent| format!("with the agent {}", agent.words())));
            words.extend(fencing.as_ref().map(|fencing| format!("now {}", fencing.words())));
            let drift =
                if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) };
            line(
                if words.is_empty() { Tone::Plain } else { Tone::Warning },
                format!("resumed{drift}"),
            )
        }
        Event::RunPaused { why } => line(Tone::Warning, pause_words(why)),
        Event::RunHalted { why } => line(Tone::Bad, halt_words(why)),
        Event::RunCompleted { result } => {
            let text = format!(
                "{} passed, {} failed, {} skipped, {} for a person",
                result.passed, result.failed, result.skipped, result.deferred
            );
            let tone = if result.failed > 0 { Tone::Bad } else { Tone::Good };
            line(tone, text)
        }
        Event::StopRequested { .. } => line(Tone::Warning, "asked to stop".to_string()),
        Event::AddRequested { phases, .. } => {
            let names: Vec<String> = phases.iter().map(ToString::to_string).collect();
            line(Tone::Plain, format!("asked for more: phase {}", names.join(", ")))
        }
        Event::PhaseAdded { phase } => {
            line(Tone::Plain, format!("added: phase {} {}", phase.id, phase.name))
        }
        Event::RunOpened { branch, planning_files, .. } => {
            let first = match planning_files {
                0 => String::new(),
                count => format!("; its first commit has your {count} new planning files"),
            };
            line(Tone::Plain, format!("branch {branch}{first}"))
        }
        _ => None,
    }
}

fn about_bounds(event: &Event) -> Option<Said> {
    let (tone, text) = match event {
        Event::LimitReached { limit, until } => {
            let why = waiting_words(Waiting::Usage(*limit));
            (Tone::Warning, format!("{why}; goes on at {}", iso(*until)))
        }
        Event::AgentSwitched { from, to, until } => {
            let again = match until {
                Some(until) => format!("{from} is asked again from {}", iso(*until)),
                None => format!("{from} is not asked again in this run"),
            };
            (Tone::Warning, format!("{from} cannot be used, {to} goes on; {again}"))
        }
        Event::CircuitBreakerOpened { why, until } => {
            let why = why.words();
            (Tone::Warning, format!("breaker open: {why}; one more try at {}", iso(*until)))
        }
        Event::CircuitBreakerHalfOpened => {
            (Tone::Warning, "breaker half open: one more try".to_string())
        }
        Event::CircuitBreakerClosed => (Tone::Plain, "breaker closed: it goes on".to_string()),
        _ => return None,
    };
    Some(Said { tone, phase: None, text })
}

fn about_phase(state: &RunState, event: &Event) -> Option<(Tone, String)> {
    Some(match event {
        Event::PhaseStarted { phase } => {
            let name = state.phase(phase).map(|phase| phase.definition.name.as_str());
            (Tone::Title, format!("Phase {phase}: {}", name.unwrap_or_default()))
        }
        Event::StepSkipped { step, why, .. } => {
            let step = serde_json::to_value(step).ok();
            let step = step.as_ref().and_then(|step| step.as_str()).unwrap_or_default();
            (Tone::Plain, format!("{step}: skipped, {why}"))
        }
        Event::PhaseDelegated { .. } => {
            (Tone::Plain, "delegate: one agent does the phase up to its review".to_string())
        }
        Event::PlanSentBack { round, issues, .. } => {
            (Tone::Warning, format!("plan: sent back (round {round}): {}", issues.join("; ")))
        }
        Event::CriteriaAdopted { criteria, .. } => {
            let count = criteria.iter().filter(|criterion| criterion.is_adopted).count();
            let checks = if count == 1 { "1 check" } else { &format!("{count} checks") };
            (Tone::Plain, format!("criteria: {checks} taken from the plan"))
        }
        Event::VerdictReached { phase, verdict } => {
            let score = state.phase(phase).and_then(|phase| phase.work.as_ref()?.score());
            let rated = score.map(|score| format!(" ({score})")).unwrap_or_default();
            let (tone, text) = verdict_words(verdict);
            (tone, format!("gate: {text}{rated}"))
        }
        Event::DebugAttempt { attempt, .. } => (Tone::Plain, format!("debug: attempt {attempt}")),
        Event::ReplanAttempt { attempt, .. } => {
            (Tone::Plain, format!("plan: a new one (attempt {attempt})"))
        }
        Event::RemediationStarted { cycle, findings, .. } => {
            let text =
                format!("sent back with {} (cycle {cycle})", counted(findings.len(), "finding"));
            (Tone::Warning, text)
        }
        Event::PhaseCompleted { phase, result } => {
            let (tone, text) = passed_words(result);
            (tone, format!("Phase {phase}: {text}"))
        }
        Event::PhaseFailed { phase, failure } => {
            let PhaseFailure { step, reason, .. } = failure;
            let file = post_mortem::file(phase);
            (Tone::Bad, format!("Phase {phase}: FAIL in {step}: {reason} (.autopilot/{file})"))
        }
        Event::PhaseSkipped { phase, reason } => {
            (Tone::Warning, format!("Phase {phase}: skipped, {reason}"))
        }
        Event::PhaseDeferred { phase, why } => {
            (Tone::Warning, format!("Phase {phase}: waits for a person: {why}"))
        }
        _ => return None,
    })
}

/// What a run waits for, as a sentence about it.
pub fn waiting_words(why: Waiting) -> &'static str {
    match why {
        Waiting::Attempt => "an attempt is under way",
        Waiting::Usage(UsageLimit::Limit) => "a usage limit is reached",
        Waiting::Usage(UsageLimit::Overload) => "the model is overloaded or out of reach",
        Waiting::Breaker => "the circuit breaker is open",
    }
}

pub fn pause_words(why: &Pause) -> String {
    match why {
        Pause::Stopped => "stopped; nothing is lost".to_string(),
        Pause::Limit { resets_at: Some(at) } => {
            format!("paused: a usage limit was reached; it resets at {}", iso(Moment(*at)))
        }
        Pause::Limit { resets_at: None } => {
            "paused: a usage limit was reached, or the model was overloaded or out of reach; when that ends is not known".to_string()
        }
        Pause::NotLoggedIn => "paused: the agent has no login that works".to_string(),
        Pause::Breaker { trip } => {
            format!("paused: {}, and one more try failed", trip.words())
        }
    }
}

pub fn halt_words(why: &Halt) -> String {
    match why {
        Halt::PhaseFailed { phase, blocks } => {
            let names: Vec<String> = blocks.iter().map(ToString::to_string).collect();
            format!("halted: phase {phase} failed and {} depend on it", names.join(", "))
        }
        Halt::RedBaseline { checks } => {
            let names: Vec<String> = checks.iter().map(ToString::to_string).collect();
            format!("halted before any work: {} does not hold on your commit", names.join(", "))
        }
        Halt::EffectFailed { what } => format!("halted: {what}"),
        Halt::RolledBack { phase } => format!("halted: phase {phase} was rolled back"),
        Halt::BudgetReached(reached) => format!("halted: {}", budget::words(reached)),
    }
}

fn verdict_words(verdict: &Verdict) -> (Tone, String) {
    match verdict {
        Verdict::RollBack => (Tone::Bad, "ROLLBACK".to_string()),
        Verdict::Fail { reason, .. } => (Tone::Bad, format!("FAIL: {reason}")),
        Verdict::Defer { why } => (Tone::Warning, format!("a person has to look: {why}")),
        Verdict::Debug { reds } => {
            let names: Vec<String> = reds.iter().map(ToString::to_string).collect();
            let red = if names.is_empty() {
                String::new()
            } else {
                format!(": {} red", names.join(", "))
            };
            (Tone::Warning, format!("DEBUG{red}"))
        }
        Verdict::Pass { .. } => (Tone::Good, "PASS".to_string()),
        Verdict::Remediate => (Tone::Warning, "REMEDIATE".to_string()),
        Verdict::Replan => (Tone::Warning, "REPLAN".to_string()),
    }
}

fn passed_words(result: &PhaseResult) -> (Tone, String) {
    let score = result.score.map(|score| format!(" {score}")).unwrap_or_default();
    let criteria = criteria_words(&result.criteria);
    match result.how {
        Passing::Proven => (Tone::Good, format!("PASS{score} ({criteria})")),
        Passing::ForceIncomplete => (
            Tone::Warning,
            format!("PASS{score}, incomplete: still too low after all cycles ({criteria})"),
        ),
        Passing::Judged => (Tone::Warning, format!("PASS{score}, judged only ({criteria})")),
        Passing::Unproven => {
            (Tone::Warning, format!("PASS{score}, not proven: no check ({criteria})"))
        }
    }
}

/// What a phase passed on. Only what there is, and in words that need no glossary.
fn criteria_words(count: &CriteriaCount) -> String {
    let kinds = [
        (count.proven, "proven"),
        (count.standing, "standing since before"),
        (count.judged, "judged by reviewers"),
    ];
    let named = kinds.iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = named.map(|(count, kind)| format!("{count} {kind}")).collect();
    if words.is_empty() { "no criteria".to_string() } else { words.join(", ") }
}

fn returned_words(effect: &Effect, returned: &Returned) -> String {
    let step = effect.step();
    let task = effect.task();
    match returned {
        Returned::Research(said) => {
            format!("{step}: {}", counted(said.key_findings.len(), "finding"))
        }
        Returned::Planning(said) => {
            format!("{step}: written, {}", counted(said.total_tasks as usize, "task"))
        }
        Returned::PlanCheck(said) => {
            let blockers = counted(said.blockers(), "blocker");
            format!("{step}: confidence {}, {blockers}", said.confidence)
        }
        Returned::Delegation(said) => {
            format!("{step}: the agent says {}", said.status.words())
        }
        Returned::Execution(_) | Returned::Debugging(_) => {
            let task = task.map(|task| format!(" {task}")).unwrap_or_default();
            format!("{step}{task}: the agent says it is done")
        }
        Returned::Verification(said) => {
            let word = if said.pass { "PASS" } else { "FAIL" };
            format!("{step}: {word}, {}", counted(said.failures.len(), "failure"))
        }
        Returned::Judgement(said) => {
            let word = serde_json::to_value(said.recommendation).ok();
            let word = word.as_ref().and_then(|word| word.as_str()).unwrap_or_default();
            format!("{step}: {word}, {}", counted(said.concerns.len(), "concern"))
        }
        Returned::Rating(said) => match said.mean() {
            Some(score) => format!("{step}: {score} ({})", score.band().word()),
            None => format!("{step}: no score"),
        },
        Returned::Review(said) => match said.rating.mean() {
            Some(score) => format!("{step}: {score} ({})", score.band().word()),
            None => format!("{step}: no score"),
        },
        Returned::NeedsAnswer(_) => format!("{step}: it asks a question"),
    }
}

/// What is said beside a measurement that was not of the work alone. Red is what triage and a tree without the work are expected to
/// see; it is no news there.
fn measured_how(effect: &Effect, measured: &[Measured]) -> (Tone, &'static str) {
    let is_red = measured.iter().any(|one| !one.result.is_green());
    let tone = if is_red { Tone::Warning } else { Tone::Plain };
    let Effect::Measure(measurement) = effect else { return (tone, "") };
    match measurement.purpose {
        Purpose::Baseline | Purpose::Task(_) | Purpose::Candidate => (tone, ""),
        Purpose::Triage => (Tone::Plain, ""),
        Purpose::TestsBefore => (tone, ", with what tests rest on as it was before the phase"),
        Purpose::AllTestsBefore => (tone, ", with all tests as they were before the phase"),
        Purpose::CriteriaBefore => {
            (tone, ", with the scripts and tests it runs as they were before the phase")
        }
        Purpose::Brought => (tone, ", of the checks that the phase brought"),
        Purpose::WithoutWork => {
            (Tone::Plain, ", without the code of the phase, where it has to fail")
        }
    }
}

fn measured_words(measured: &[Measured]) -> String {
    if measured.is_empty() {
        return "no check to run".to_string();
    }
    let word = |one: &Measured| match one.result {
        CheckResult::Green if one.is_flaky => "FLAKY",
        CheckResult::Green => "PASS",
        CheckResult::Red { .. } => "FAIL",
        CheckResult::TimedOut => "TIMED OUT",
        CheckResult::NotRun => "NOT RUN",
        CheckResult::NoTests => "NO TEST RAN",
    };
    let each: Vec<String> =
        measured.iter().map(|one| format!("{} {}", one.check, word(one))).collect();
    each.join(", ")
}

fn task_words(state: &RunState, phase: &PhaseId, task: &TaskId) -> String {
    let work = state.phase(phase).and_then(|phase| phase.work.as_ref());
    let tasks = work.map(|work| work.tasks.as_slice()).unwrap_or_default();
    let place = tasks.iter().position(|one| &one.task.id == task);
    match place.map(|place| (place, &tasks[place].task)) {
        Some((place, found)) if found.kind == TaskKind::Auto => {
            format!("task {}/{} {}", place + 1, tasks.len(), found.name)
        }
        Some((_, found)) => format!("task {}: {}", found.id, found.name),
        None => format!("task {task}"),
    }
}

/// Time and tokens of an agent's attempt, where it took or told any.
fn used(work: &AgentWork) -> String {
    let tokens = work.spend.counted_tokens();
    let tokens = match tokens {
        0 => String::new(),
        count => format!(", {} tokens", thousands(count)),
    };
    format!(" [{}{tokens}]{}", seconds(work.took_ms), dropped(work))
}

/// The first few by name.
fn dropped(work: &AgentWork) -> String {
    const NAMED_MAX: usize = 3;
    let named: Vec<String> = work.dropped.iter().take(NAMED_MAX).map(|it| printable(it)).collect();
    match work.dropped.len() {
        0 => String::new(),
        count if count > NAMED_MAX => {
            let more = count - NAMED_MAX;
            format!("; dropped what it had changed: {} and {more} more", named.join(", "))
        }
        _ => format!("; dropped what it had changed: {}", named.join(", ")),
    }
}

/// `1 task`, `2 tasks`.
pub(super) fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// `850`, `12k`, `3.4M`.
pub fn thousands(count: u64) -> String {
    match count {
        0..=999 => count.to_string(),
        1_000..=999_999 => format!("{}k", count / 1_000),
        _ => format!("{}.{}M", count / 1_000_000, count / 100_000 % 10),
    }
}

/// `1 agent run`, `2 agent runs`.
pub fn agent_runs(count: u32) -> String {
    match count {
        1 => "1 agent run".to_string(),
        _ => format!("{count} agent runs"),
    }
}

/// `0.4 s`, `42 s`, `3 min 5 s`, `2 h 10 min`.
pub fn seconds(milliseconds: u64) -> String {
    let seconds = milliseconds / 1_000;
    match seconds {
        0..=9 => format!("{seconds}.{} s", milliseconds / 100 % 10),
        10..=59 => format!("{seconds} s"),
        60..=3_599 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_phase_passed_on_is_named_as_far_as_there_is_any() {
        let check = |proven, standing, judged, expected: &str| {
            assert_eq!(criteria_words(&CriteriaCount { proven, standing, judged }), expected);
        };
        check(2, 0, 0, "2 proven");
        check(1, 2, 3, "1 proven, 2 standing since before, 3 judged by reviewers");
        check(0, 0, 0, "no criteria");
    }

    #[test]
    fn amounts_are_said_as_people_say_them() {
        assert_eq!([850, 12_345, 3_450_000].map(thousands), ["850", "12k", "3.4M"]);
        let said = [430, 42_000, 185_000, 7_800_000].map(seconds);
        assert_eq!(said, ["0.4 s", "42 s", "3 min 5 s", "2 h 10 min"]);
        assert_eq!([0, 1, 2].map(agent_runs), ["0 agent runs", "1 agent run", "2 agent runs"]);
    }
}
