//! A phase that one agent does alone, from research to execution (RET-2): the steps before execution are left out, and what the
//! delegate leaves is one task of the engine's, measured, committed, repaired and reviewed like any other work. Its words are kept as
//! claims.

use std::fmt::Write;

use crate::contract::delegation::{DelegatedTask, Delegation};
use crate::finding::printable;
use crate::limits;
use crate::run::definition::{TaskDefinition, TaskKind};
use crate::run::effect::CommitPart;
use crate::run::event::{Event, Skippable};
use crate::run::next::Move;
use crate::run::pipeline::At;
use crate::run::tasks;
use crate::run::work::{TaskWork, Work};

const WHY: &str = "the delegate does it";

/// What comes before the candidate is measured; None when the delegate is done.
pub(super) fn next(at: At<'_>) -> Option<Move> {
    let work = at.work;
    let due = [
        (work.research.is_due(), Skippable::Research),
        (work.planning.is_due(), Skippable::Plan),
        (work.plan_check.is_due(), Skippable::PlanCheck),
    ];
    if let Some((_, step)) = due.into_iter().find(|(is_due, _)| *is_due) {
        return Some(at.skip(step, WHY));
    }
    if task_of(work).is_none() {
        let (phase, attempt) = (at.phase.id.clone(), work.replan_attempts + 1);
        return Some(Move::Record(Event::PhaseDelegated { phase, attempt }));
    }
    tasks::next(at)
}

fn task_of(work: &Work) -> Option<&TaskWork> {
    work.tasks.iter().find(|task| task.task.kind == TaskKind::Delegate)
}

/// Folds the decision that the phase is handed over.
pub(super) fn hand_over(work: &mut Work, attempt: u32) -> Result<(), String> {
    let is_early = work.research.is_due() || work.planning.is_due() || work.plan_check.is_due();
    if is_early || !work.execution.is_due() {
        return Err("execution is not due".to_string());
    }
    if task_of(work).is_some() || attempt != work.replan_attempts + 1 {
        return Err("attempts are counted one by one".to_string());
    }
    let task = TaskDefinition::delegate(attempt, |id| work.task(id).is_some());
    work.tasks.push(TaskWork::new(task));
    work.claims = None;
    Ok(())
}

/// The commits its work is cut into: one a task it names, with the files it names. A file of two tasks is the later one's.
pub(super) fn parts(work: &Work, task: &TaskWork, prefix: &str) -> Vec<CommitPart> {
    let Some(claims) = work.claims.as_deref().filter(|_| task.task.kind == TaskKind::Delegate)
    else {
        return Vec::new();
    };
    let named = claims.tasks.iter().take(limits::COMMIT_PARTS_MAX).enumerate();
    let parts = named.map(|(place, one)| {
        let later = &claims.tasks[place + 1..];
        let is_last = |path: &&String| later.iter().all(|other| !other.files.contains(*path));
        let files = one.files.iter().filter(is_last).take(limits::FILES_PER_TASK_MAX);
        CommitPart { message: format!("{prefix}: {}", title(one)), files: files.cloned().collect() }
    });
    parts.filter(|part| !part.files.is_empty()).collect()
}

/// The first line of a commit, whatever the agent wrote.
fn title(task: &DelegatedTask) -> String {
    let words: Vec<&str> = task.name.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(limits::TITLE_CHARS_MAX).collect();
    let line = printable(&line);
    if line.is_empty() { "a task of the delegate".to_string() } else { line }
}

/// The report that shows what the delegate said. Reviewers do not see it.
pub const REPORT: &str = "DELEGATE-CLAIMS.md";

pub(super) fn report(title: &str, said: &Delegation) -> String {
    let mut text = format!(
        "# {title}: what the delegate says\n\nThese are claims. None of them was used for the verdict; what was measured and \
         reviewed stands in the other reports.\n\n"
    );
    let mut add = |line: String| {
        let _ = writeln!(text, "{}", one_line(&line));
    };
    add(format!("- status: {}", said.status.words()));
    add(format!("- tasks done: {}, failed: {}", said.tasks_completed, said.tasks_failed));
    let score = said.alignment_score.map_or("none".to_string(), |score| score.to_string());
    add(format!("- its own score: {score}"));
    for (check, claim) in &said.automated_checks {
        let word = serde_json::to_string(claim).unwrap_or_default();
        add(format!("- claimed of {check}: {word}"));
    }
    add(format!("- summary: {}", said.summary));
    let reviewers = [
        said.verifier.as_ref().map(|it| format!("its verifier says pass: {}", it.pass)),
        said.judge.as_ref().map(|it| format!("its judge recommends {:?}", it.recommendation)),
        said.rater.as_ref().and_then(|it| Some(format!("its rater comes to {}", it.mean()?))),
    ];
    reviewers.into_iter().flatten().for_each(|line| add(format!("- {line}")));
    said.issues.iter().for_each(|issue| add(format!("- issue: {issue}")));
    said.evidence.commands_run.iter().for_each(|ran| add(format!("- it says it ran: {ran}")));
    text
}

fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}
