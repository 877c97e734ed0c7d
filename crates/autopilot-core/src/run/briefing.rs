//! What an agent is told for one attempt, from what the run knows: the prompt's kind and everything a template can name. Paths,
//! not contents; and never the command of a hidden check.

use crate::contract::Role;
use crate::contract::returns::{ConcernSeverity, Issue, IssueSeverity};
use crate::hidden;
use crate::prompt::Prompt;
use crate::prompt::context::{
    BoundsContext, CommandContext, CriterionContext, DependencyContext, FailureContext, Feedback,
    FindingContext, PhaseContext, PromptContext, TaskContext,
};
use crate::run::definition::{ProjectDefinition, RunDefinition, TaskKind};
use crate::run::effect::AgentOrder;
use crate::run::measured::Measured;
use crate::run::state::PhaseState;
use crate::run::work::{TaskOutcome, TaskWork, Work};
use crate::score::Score;

/// Below this confidence a verifier may put a phase off (HUM-2).
const DEFERRAL_CONFIDENCE: Score = match Score::from_tenths(60) {
    Some(score) => score,
    None => Score::ZERO,
};

/// Which template fits: an executor that comes back to its work is told why.
pub fn kind(phase: &PhaseState, order: &AgentOrder) -> Prompt {
    let work = phase.work.as_deref();
    let task = order.task.as_ref().and_then(|id| work?.task(id));
    match (order.role, task) {
        (Role::Execute, Some(task)) if task.task.kind == TaskKind::Remediation => Prompt::Remediate,
        (Role::Execute, Some(task)) if task.fixes > 0 => Prompt::Fix,
        (Role::Execute, _) => Prompt::Execute,
        (Role::Research, _) => Prompt::Research,
        (Role::Plan, _) => Prompt::Plan,
        (Role::PlanCheck, _) => Prompt::PlanCheck,
        (Role::Verify, _) => Prompt::Verify,
        (Role::Judge, _) => Prompt::Judge,
        (Role::JudgeDivergence, _) => Prompt::JudgeDivergence,
        (Role::Rate, _) => Prompt::Rate,
        (Role::Review, _) => Prompt::Review,
        (Role::Debug, _) => Prompt::Debug,
        (Role::Delegate, _) => Prompt::Delegate,
    }
}

/// `files` are the names in the phase's folder that this role can see in its slot, `lessons` what earlier failures taught.
pub fn context(
    definition: &RunDefinition,
    project: Option<&ProjectDefinition>,
    phase: &PhaseState,
    order: &AgentOrder,
    (files, lessons): (&[String], &[String]),
) -> PromptContext {
    let work = phase.work.as_deref();
    let folder = &phase.definition.folder;
    let is_plan = |name: &&String| crate::plan::file_name::plan_of_file(name).is_some();
    let is_report =
        |name: &&String| name.ends_with("VERIFICATION.md") || name.ends_with("JUDGE-REPORT.md");
    let path = |name: &String| format!("{folder}/{name}");
    let task = order.task.as_ref().and_then(|id| work?.task(id));
    PromptContext {
        run: definition.run.to_string(),
        phase: phase_context(phase),
        spec: project.and_then(|project| Some(project.spec.as_ref()?.path.clone())),
        roadmap: project.map(|project| project.roadmap.clone()).unwrap_or_default(),
        errand: definition.errand.clone(),
        plans: files.iter().filter(is_plan).map(path).collect(),
        task: task.map(task_context),
        commands: project.map(commands).unwrap_or_default(),
        context: files.iter().filter(|name| !is_plan(name) && !is_report(name)).map(path).collect(),
        learnings: lessons.to_vec(),
        base: work.map(|work| work.base.to_string()),
        reports: files.iter().filter(is_report).map(path).collect(),
        feedback: work.map(|work| feedback(work, order, task)).unwrap_or_default(),
        answers: Vec::new(),
        threshold: definition.settings.threshold,
        deferral_threshold: DEFERRAL_CONFIDENCE,
        enhanced: work.is_some_and(|work| work.checked.is_enhanced),
        bounds: BoundsContext {
            minutes: u32::try_from(order.time_max_ms / 60_000).ok().filter(|minutes| *minutes > 0),
            tokens: Some(order.tokens_max),
        },
    }
}

fn phase_context(phase: &PhaseState) -> PhaseContext {
    let definition = &phase.definition;
    let kind = serde_json::to_value(definition.phase_type).ok();
    let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or_default().to_string();
    let criteria = definition.criteria.iter().map(|criterion| CriterionContext {
        text: criterion.text.clone(),
        command: criterion.command.clone().filter(|_| !criterion.is_hidden),
    });
    let depends_on = definition.depends_on.iter().map(|id| DependencyContext {
        id: id.to_string(),
        name: String::new(),
        summary: None,
    });
    PhaseContext {
        id: definition.id.to_string(),
        name: definition.name.clone(),
        goal: definition.goal.clone(),
        folder: definition.folder.clone(),
        kind,
        requirements: definition.requirements.clone(),
        criteria: criteria.collect(),
        depends_on: depends_on.collect(),
    }
}

fn task_context(task: &TaskWork) -> TaskContext {
    TaskContext {
        id: task.task.id.to_string(),
        name: task.task.name.clone(),
        plan: task.task.plan.clone(),
        files: task.task.files.clone(),
        checks: task.task.checks.clone(),
    }
}

fn commands(project: &ProjectDefinition) -> Vec<CommandContext> {
    let named = project
        .checks
        .iter()
        .map(|check| CommandContext { name: check.name.to_string(), line: check.command.clone() });
    named.collect()
}

fn feedback(work: &Work, order: &AgentOrder, task: Option<&TaskWork>) -> Feedback {
    let rejections = match (&order.task, order.role) {
        (None, _) | (Some(_), Role::Delegate) => {
            let reasons = work.checked.reasons(order.role).iter();
            work.last_failure.iter().chain(reasons).cloned().collect()
        }
        (Some(_), _) => Vec::new(),
    };
    let issues = match order.role {
        Role::Plan | Role::Delegate => work.plan_issues.iter().map(|text| issue(text)).collect(),
        _ => Vec::new(),
    };
    let failures = match (order.role, task) {
        (Role::Debug, _) => seen_failing(work),
        (Role::Execute | Role::Delegate, Some(task)) => task.last_red.iter().map(failure).collect(),
        _ => Vec::new(),
    };
    let is_remediation = task.is_some_and(|task| task.task.kind == TaskKind::Remediation);
    let findings = match order.role {
        Role::Debug if failures.is_empty() => found_wanting(work),
        _ if is_remediation => work.findings.iter().map(finding).collect(),
        _ => Vec::new(),
    };
    Feedback { rejections, issues, failures, findings }
}

fn issue(text: &str) -> Issue {
    let severity = IssueSeverity::Blocker;
    Issue { severity, description: text.to_string(), fix_hint: String::new() }
}

/// What the candidate showed red, and the tasks that were given up.
fn seen_failing(work: &Work) -> Vec<FailureContext> {
    let evidence = work.candidate.evidence.iter().flatten();
    let red = evidence.filter(|one| !one.result.is_green()).map(failure);
    let given_up = work.tasks.iter().filter_map(|task| match &task.outcome {
        Some(TaskOutcome::Failed { .. }) => Some(task.last_red.iter().map(failure)),
        _ => None,
    });
    red.chain(given_up.flatten()).take(crate::limits::FAILURES_TOLD_MAX).collect()
}

/// Where nothing is red, what reviewers ask to be repaired.
fn found_wanting(work: &Work) -> Vec<FindingContext> {
    let candidate = &work.candidate;
    let failures = candidate.verification.iter().flat_map(|said| &said.failures);
    let failures = failures.map(|one| ("major", &one.file, &one.description, None));
    let judged = candidate.divergence.as_ref().or(candidate.judgement.as_ref());
    let concerns = judged.into_iter().flat_map(|said| &said.concerns).map(|one| {
        let severity = match one.severity {
            ConcernSeverity::Minor => "minor",
            ConcernSeverity::Major => "major",
            ConcernSeverity::Critical => "critical",
        };
        (severity, &one.file, &one.description, one.expected_gain)
    });
    let numbered = (1u32..).zip(failures.chain(concerns)).take(crate::limits::FAILURES_TOLD_MAX);
    let told =
        numbered.map(|(number, (severity, file, deficiency, expected_gain))| FindingContext {
            id: number.to_string(),
            severity: severity.to_string(),
            file: file.clone(),
            deficiency: deficiency.clone(),
            expected_gain,
        });
    told.collect()
}

/// Of a hidden check nothing is told but whose it is.
fn failure(one: &Measured) -> FailureContext {
    match one.command.as_str() {
        hidden::SHOWN => FailureContext {
            command: format!("a hidden check of {}", one.check),
            output: "It is not green. What it runs and what it says is not shown.".to_string(),
        },
        command => FailureContext { command: command.to_string(), output: one.tail.clone() },
    }
}

fn finding(one: &crate::run::event::Finding) -> FindingContext {
    FindingContext {
        id: one.id.clone(),
        severity: "major".to_string(),
        file: one.file.clone(),
        deficiency: one.deficiency.clone(),
        expected_gain: None,
    }
}
