//! From plan files to tasks that can be run, and what is wrong with them before anybody spends a token (PIPE-5).

use crate::criterion::Check;
use crate::estimate;
use crate::finding::{Finding, Severity};
use crate::limits;
use crate::phase_id::PhaseId;
use crate::plan::waves::{self, PlanRef};
use crate::plan::{self, Complexity, Task, TaskKind as PlannedKind};
use crate::project::{PhasePlan, PlanFile, read_plans};
use crate::run::definition::{TaskDefinition, TaskKind};
use crate::run::event::PlanFault;
use crate::run::ids::TaskId;
use crate::stub::is_stub;

/// Whose plan it is decides how strictly it is read: a user's is never sent back for prose (PIPE-5a).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    User,
    Planner,
}

/// The tasks of a phase in the order they run, waves first.
pub fn tasks(
    phase: &PhaseId,
    files: &[PlanFile],
    author: Author,
) -> (Vec<TaskDefinition>, Vec<PlanFault>) {
    let (mut plans, findings) = read_plans(files);
    let plans = plans.remove(phase).unwrap_or_default();
    let mut faults: Vec<PlanFault> = findings.iter().filter_map(fault_of).collect();
    let refs: Vec<PlanRef<'_>> = plans
        .iter()
        .map(|plan| PlanRef { phase, number: &plan.number, plan: &plan.plan })
        .collect();
    let (needs, _) = waves::needs(&refs);
    let mut order: Vec<usize> = (0..plans.len()).collect();
    order.sort_by_key(|index| (plans[*index].wave.unwrap_or(u32::MAX), *index));
    let mut tasks: Vec<TaskDefinition> = Vec::new();
    for index in order {
        let after: Vec<String> =
            needs[index].iter().map(|needed| plans[*needed].plan.file.clone()).collect();
        for (number, task) in (1usize..).zip(&plans[index].plan.tasks) {
            let id = free_id(&tasks, phase, &plans[index], number, task);
            faults.extend(faults_of(task, &id, author));
            tasks.push(defined(id, task, &plans[index].plan.file, &after));
        }
    }
    if tasks.len() > limits::TASKS_PER_PHASE_MAX {
        let message = format!(
            "the plan has {} tasks; a phase may have {}",
            tasks.len(),
            limits::TASKS_PER_PHASE_MAX
        );
        faults.push(PlanFault { is_blocker: true, message });
        tasks.truncate(limits::TASKS_PER_PHASE_MAX);
    }
    faults.truncate(limits::PLAN_ISSUES_MAX);
    (tasks, faults)
}

/// What the reader itself calls an error, such as plans that wait for each other, blocks whoever wrote it.
fn fault_of(finding: &Finding) -> Option<PlanFault> {
    let message = format!("{}: {}", finding.place, finding.message);
    match finding.severity {
        Severity::Error => Some(PlanFault { is_blocker: true, message }),
        Severity::Warning => Some(PlanFault { is_blocker: false, message }),
        Severity::Note => None,
    }
}

fn free_id(
    taken: &[TaskDefinition],
    phase: &PhaseId,
    plan: &PhasePlan,
    number: usize,
    task: &Task,
) -> TaskId {
    let is_free = |id: &TaskId| taken.iter().all(|other| &other.id != id);
    // A bare number is its place in the plan, not a name.
    let is_name = |id: &TaskId| id.as_str().contains(|c: char| !c.is_ascii_digit());
    let own = task.id.parse::<TaskId>().ok().filter(is_name).filter(is_free);
    own.unwrap_or_else(|| {
        let plan = if plan.number.is_empty() { "1" } else { &plan.number };
        TaskId::of_plan(phase, plan, number, taken.len())
    })
}

fn defined(id: TaskId, task: &Task, plan: &str, after: &[String]) -> TaskDefinition {
    let commands = task.criteria.iter().filter_map(|criterion| match &criterion.check {
        Check::Command(command) => Some(command.to_string()),
        Check::Judged | Check::Hidden(_) => None,
    });
    let mut checks: Vec<String> = task.automated.iter().cloned().chain(commands).collect();
    checks.dedup();
    checks.truncate(limits::CHECKS_PER_TASK_MAX);
    TaskDefinition {
        id,
        name: if task.name.is_empty() { "unnamed task".to_string() } else { task.name.clone() },
        kind: kind_of(&task.kind),
        plan: plan.to_string(),
        after_plans: after.to_vec(),
        is_complex: estimate::complexity(task) == Complexity::Complex,
        is_tdd: task.is_tdd,
        files: task.files.iter().take(limits::FILES_PER_TASK_MAX).cloned().collect(),
        checks,
    }
}

fn kind_of(kind: &PlannedKind) -> TaskKind {
    match kind {
        PlannedKind::HumanVerify => TaskKind::HumanVerify,
        PlannedKind::Decision => TaskKind::Decision,
        PlannedKind::HumanAction => TaskKind::HumanAction,
        PlannedKind::Auto | PlannedKind::Feature | PlannedKind::Other(_) => TaskKind::Auto,
    }
}

fn faults_of(task: &plan::Task, id: &TaskId, author: Author) -> Vec<PlanFault> {
    if kind_of(&task.kind) != TaskKind::Auto {
        return Vec::new();
    }
    let is_blocker = author == Author::Planner;
    let fault = |message: String| PlanFault { is_blocker, message };
    let mut faults = Vec::new();
    if is_stub(&task.action) && !matches!(task.kind, PlannedKind::Feature) {
        faults.push(fault(format!("task {id}: its action says nothing that could be done")));
    }
    let has_command = task.criteria.iter().any(|criterion| criterion.is_proven_by_command());
    if task.automated.is_empty() && !has_command {
        faults.push(fault(format!(
            "task {id}: no command shows that it is done; give it a check that fails before and passes after"
        )));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> PlanFile {
        PlanFile {
            folder: "03-login".into(),
            name: name.into(),
            path: format!("p/{name}"),
            text: text.into(),
        }
    }

    const FIRST: &str = "---\nphase: 03-login\nplan: 01\n---\n<task type=\"auto\">\n<name>Form</name>\n<files>src/form.rs</files>\n<action>Write it</action>\n<verify><automated>cargo test form</automated></verify>\n</task>\n<task type=\"auto\">\n<name>Later</name>\n<action>TBD</action>\n</task>\n";
    const SECOND: &str = "---\nphase: 03-login\nplan: 02\ndepends_on: [\"01\"]\n---\n<task type=\"checkpoint:human-verify\">\n<name>Look</name>\n</task>\n";

    #[test]
    fn tasks_come_in_wave_order_with_what_they_build_on() {
        let phase = PhaseId::number(3);
        let files = [file("03-02-PLAN.md", SECOND), file("03-01-PLAN.md", FIRST)];
        let (tasks, _) = tasks(&phase, &files, Author::Planner);
        let seen: Vec<(&str, TaskKind, &[String])> = tasks
            .iter()
            .map(|task| (task.id.as_str(), task.kind, task.after_plans.as_slice()))
            .collect();
        let after = ["p/03-01-PLAN.md".to_string()];
        assert_eq!(
            seen,
            [
                ("3-01-1", TaskKind::Auto, &[][..]),
                ("3-01-2", TaskKind::Auto, &[][..]),
                ("3-02-1", TaskKind::HumanVerify, &after[..])
            ]
        );
        assert_eq!(tasks[0].checks, ["cargo test form"]);
    }

    #[test]
    fn what_the_planner_left_open_blocks_and_what_a_user_left_open_does_not() {
        let phase = PhaseId::number(3);
        for (author, is_blocker) in [(Author::Planner, true), (Author::User, false)] {
            let (_, faults) = tasks(&phase, &[file("03-01-PLAN.md", FIRST)], author);
            let words: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
            assert_eq!(
                words,
                [
                    "task 3-01-2: its action says nothing that could be done",
                    "task 3-01-2: no command shows that it is done; give it a check that fails before and passes after"
                ]
            );
            assert!(faults.iter().all(|fault| fault.is_blocker == is_blocker), "{author:?}");
        }
    }

    #[test]
    fn plans_that_wait_for_each_other_block_whoever_wrote_them() {
        let circle = FIRST.replace("plan: 01", "plan: 01\ndepends_on: [\"02\"]");
        let files = [file("03-01-PLAN.md", &circle), file("03-02-PLAN.md", SECOND)];
        let (_, faults) = tasks(&PhaseId::number(3), &files, Author::User);
        assert!(faults.iter().any(|fault| fault.is_blocker), "{faults:?}");
    }
}
