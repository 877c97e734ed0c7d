//! Which task comes next, and what is done about one whose work does not hold (PIPE-6).

use std::collections::BTreeMap;

use crate::contract::Role;
use crate::finding::printable;
use crate::run::definition::{CheckOrder, TaskKind};
use crate::run::delegate;
use crate::run::effect::{Access, CommitOrder, Effect, Purpose};
use crate::run::event::Event;
use crate::run::measured::{CheckName, Measured};
use crate::run::next::Move;
use crate::run::pipeline::At;
use crate::run::work::{TaskOutcome, TaskWork, Worked};

/// Repairs of one task before it is given up (PIPE-6).
const FIXES_MAX: u32 = 2;
/// Times a delegate is asked once more (RET-1).
const DELEGATE_FIXES_MAX: u32 = 1;

/// None when every task is over.
pub(super) fn next(at: At<'_>) -> Option<Move> {
    for task in &at.work.tasks {
        match &task.outcome {
            Some(TaskOutcome::Failed { is_put_back: false, .. }) => {
                return Some(Move::Start(Effect::RollBack {
                    phase: at.phase.id.clone(),
                    task: Some(task.task.id.clone()),
                    to: at.work.head.clone(),
                    snapshot: task.snapshot.clone(),
                }));
            }
            Some(_) => {}
            None => return Some(next_of(at, task)),
        }
    }
    None
}

fn next_of(at: At<'_>, task: &TaskWork) -> Move {
    match task.task.kind {
        TaskKind::HumanVerify => {
            return skip(at, task, "a checkpoint: the verifier has to resolve it");
        }
        TaskKind::Decision | TaskKind::HumanAction => {
            let why = format!("task {} needs a person: {}", task.task.id, task.task.name);
            return Move::Record(Event::PhaseDeferred { phase: at.phase.id.clone(), why });
        }
        TaskKind::Auto | TaskKind::Debug | TaskKind::Remediation | TaskKind::Delegate => {}
    }
    if let Some(plan) = failed_plan(at, task) {
        return skip(at, task, &format!("{plan}, which it builds on, was not finished"));
    }
    let Some(worked) = &task.worked else {
        let role = match task.task.kind {
            TaskKind::Debug => Role::Debug,
            TaskKind::Delegate => Role::Delegate,
            _ => Role::Execute,
        };
        return at.agent(role, Some(&task.task.id), Access::Writable);
    };
    if let Some(failure) = &worked.failure {
        return again_or_give_up(at, task, worked, failure.clone());
    }
    let checks = checks_of(at, task);
    match &task.measured {
        None if !checks.is_empty() => at.measure(Purpose::Task(task.task.id.clone()), checks),
        None => commit(at, task, worked),
        Some(measured) => {
            let broken = broken(at, task, measured);
            if broken.is_empty() {
                return commit(at, task, worked);
            }
            let why = format!("red afterwards: {}{}", broken.join(", "), left_out(at));
            again_or_give_up(at, task, worked, why)
        }
    }
}

/// What was not measured because no commit has it: often the reason why work is green where it was done, and nowhere else.
fn left_out(at: At<'_>) -> String {
    let files: Vec<String> = at.work.checked.ignored.iter().map(|file| printable(file)).collect();
    match files.is_empty() {
        true => String::new(),
        false => format!(
            "; git ignores {}, so it is not committed and was not measured",
            files.join(", ")
        ),
    }
}

/// A plan this task builds on that has a failed or skipped task.
fn failed_plan<'a>(at: At<'a>, task: &TaskWork) -> Option<&'a str> {
    let unfinished = at.work.tasks.iter().filter(|other| {
        matches!(other.outcome, Some(TaskOutcome::Failed { .. } | TaskOutcome::Skipped))
            && other.task.kind.is_agents()
    });
    unfinished
        .map(|other| other.task.plan.as_str())
        .find(|plan| task.task.after_plans.iter().any(|needed| needed == plan))
}

/// Compile, lint and test of the project, and the task's own; build is for the candidate. A task that has its tests first is
/// measured like any other: the next one must know what was green when it began.
fn checks_of(at: At<'_>, task: &TaskWork) -> Vec<CheckOrder> {
    let project = at.run.project.as_ref().map(|project| project.checks.as_slice());
    let of_project = project.unwrap_or_default().iter().filter(|check| match check.name {
        CheckName::Compile | CheckName::Lint | CheckName::Test => true,
        CheckName::Build | CheckName::Criterion(_) | CheckName::Task(_) => false,
    });
    let own = (1u32..).zip(&task.task.checks).map(|(number, command)| CheckOrder {
        name: CheckName::Task(number),
        command: command.clone(),
        is_hidden: false,
    });
    of_project.cloned().chain(own).collect()
}

/// What was green before the task and is not any more, and the task's own checks that are not green.
fn broken(at: At<'_>, task: &TaskWork, measured: &[Measured]) -> Vec<String> {
    let before = before(at, task);
    let red = measured.iter().filter(|one| !one.result.is_green());
    red.filter(|one| match one.check {
        // Tests that were written first are red until there is something to test.
        CheckName::Test | CheckName::Task(_) if task.task.is_tdd => false,
        CheckName::Task(_) => true,
        // A repair is asked to turn red to green: whatever is red still counts against it at the gate.
        check => before.get(&check).copied().unwrap_or(true),
    })
    .map(|one| one.check.to_string())
    .collect()
}

/// What was green when the task began: the last measurement of a finished task, else the baseline.
fn before(at: At<'_>, task: &TaskWork) -> BTreeMap<CheckName, bool> {
    let baseline = at.run.baseline.iter().flatten();
    let mut seen: BTreeMap<CheckName, bool> =
        baseline.map(|one| (one.check, one.result.is_green())).collect();
    for earlier in at.work.tasks.iter().take_while(|other| other.task.id != task.task.id) {
        if let (Some(TaskOutcome::Done { .. }), Some(measured)) =
            (&earlier.outcome, &earlier.measured)
        {
            seen.extend(measured.iter().map(|one| (one.check, one.result.is_green())));
        }
    }
    seen
}

fn again_or_give_up(at: At<'_>, task: &TaskWork, worked: &Worked, why: String) -> Move {
    let (phase, id) = (at.phase.id.clone(), task.task.id.clone());
    // A repair that made the work larger is lost in the woods and gets no second one (PIPE-6). Where a try before it left nothing,
    // there was nothing to grow.
    let before = task.lines_before_fix;
    let has_grown = before > 0 && worked.lines > before;
    let fixes_max = match task.task.kind {
        TaskKind::Debug => 0,
        // What it broke beyond that is a debugger's, who costs a fraction of it.
        TaskKind::Delegate => DELEGATE_FIXES_MAX,
        _ => FIXES_MAX,
    };
    if task.fixes < fixes_max && !has_grown {
        let attempt = task.fixes + 1;
        return Move::Record(Event::TaskRetried { phase, task: id, attempt, why });
    }
    Move::Record(Event::TaskFailed { phase, task: id, why })
}

fn commit(at: At<'_>, task: &TaskWork, worked: &Worked) -> Move {
    let Some(snapshot) = &worked.snapshot else {
        // Nothing changed: the tree is the one that stands already.
        let head = at.work.head.clone();
        return Move::Start(Effect::CommitTask(order(at, task, head)));
    };
    Move::Start(Effect::CommitTask(order(at, task, snapshot.clone())))
}

fn order(at: At<'_>, task: &TaskWork, snapshot: crate::run::ids::Commit) -> CommitOrder {
    let kind = match task.task.kind {
        TaskKind::Debug => "fix",
        TaskKind::Remediation => "refine",
        TaskKind::Auto
        | TaskKind::Delegate
        | TaskKind::HumanVerify
        | TaskKind::Decision
        | TaskKind::HumanAction => "feat",
    };
    // Whoever asked by word has no phases; which task it was stands in the trailers.
    let prefix = match &at.run.definition.errand {
        Some(_) => kind.to_string(),
        None => format!("{kind}(phase {})", at.phase.id),
    };
    CommitOrder {
        parts: delegate::parts(at.work, task, &prefix),
        phase: at.phase.id.clone(),
        task: task.task.id.clone(),
        parent: at.work.head.clone(),
        snapshot,
        message: format!("{prefix}: {}", task.task.name),
    }
}

fn skip(at: At<'_>, task: &TaskWork, why: &str) -> Move {
    let (phase, task) = (at.phase.id.clone(), task.task.id.clone());
    Move::Record(Event::TaskSkipped { phase, task, why: why.to_string() })
}
