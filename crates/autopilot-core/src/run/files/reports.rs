//! The reports of one phase, in Markdown, written by the engine from what was measured and returned (PIPE-7). They become part of
//! the closing commit. Agents' words stand in them as quotations.

use std::fmt::Write;

use crate::contract::Role;
use crate::contract::returns::{Judgement, Rating, Verification};
use crate::finding::printable;
use crate::run::delegate;
use crate::run::files::receipt;
use crate::run::measured::{CheckResult, Measured};
use crate::run::state::PhaseState;
use crate::run::work::{Candidate, Stage, TaskOutcome, Work};
use crate::test_counts::TestCounts;

/// What the reports of a phase are called.
pub const NAMES: [&str; 6] = [
    "TRIAGE.json",
    "EXECUTION-LOG.md",
    delegate::REPORT,
    "VERIFICATION.md",
    "JUDGE-REPORT.md",
    "SCORECARD.md",
];

/// Names and texts, as far as there is something to report.
pub fn of_phase(phase: &PhaseState) -> Vec<(&'static str, String)> {
    let Some(work) = phase.work.as_deref() else { return Vec::new() };
    let title = format!("Phase {}: {}", phase.definition.id, one_line(&phase.definition.name));
    let mut reports =
        vec![("TRIAGE.json", triage(work)), ("EXECUTION-LOG.md", execution_log(&title, work))];
    if let Some(said) = &work.claims {
        reports.push((delegate::REPORT, delegate::report(&title, said)));
    }
    let candidate = &work.candidate;
    if let Some(said) = &candidate.verification {
        let evidence = candidate.evidence.as_deref().unwrap_or_default();
        let text = verification(&title, said, evidence);
        reports.push((
            "VERIFICATION.md",
            with_dropped(text, candidate, &[Role::Verify, Role::Review]),
        ));
    }
    if let Some(said) = &candidate.judgement {
        let text = judge_report(&title, said, candidate.divergence.as_ref());
        reports.push((
            "JUDGE-REPORT.md",
            with_dropped(text, candidate, &[Role::Judge, Role::JudgeDivergence]),
        ));
    }
    if let Some(said) = &candidate.rating {
        let text = scorecard(&title, said);
        reports.push(("SCORECARD.md", with_dropped(text, candidate, &[Role::Rate])));
    }
    reports
}

/// Ends a report with what its author had changed in the files, which is not part of the work (PIPE-7). Who verified and rated at once
/// is told of with the verification.
fn with_dropped(mut text: String, candidate: &Candidate, authors: &[Role]) -> String {
    let files = authors.iter().filter_map(|role| candidate.dropped.get(role)).flatten();
    list(&mut text, "Files it had changed, of which nothing was kept", files.map(String::as_str));
    text
}

/// Which of the files in a phase's folder tell a reviewer what others concluded (PIPE-7).
pub fn is_blind_to(name: &str) -> bool {
    let hidden = [
        delegate::REPORT,
        receipt::FILE,
        "EXECUTION-LOG.md",
        "VERIFICATION.md",
        "JUDGE-REPORT.md",
        "SCORECARD.md",
    ];
    hidden.contains(&name) || name.ends_with("-SUMMARY.md") || name.ends_with(".jsonl")
}

fn triage(work: &Work) -> String {
    let measured = work.before();
    let green = measured.iter().filter(|one| one.result.is_green()).count();
    let value = serde_json::json!({
        "status": if work.execution == Stage::Skipped { "verify_only" } else { "full_pipeline" },
        "agent_spawned": false,
        "checks": measured.len(),
        "green": green,
        "results": measured,
    });
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    format!("{text}\n")
}

fn execution_log(title: &str, work: &Work) -> String {
    let mut text = format!(
        "# {title}: execution log\n\n| task | outcome | repairs | commit |\n|---|---|---|---|\n"
    );
    for task in &work.tasks {
        let (outcome, commit) = match &task.outcome {
            None => ("open", None),
            Some(TaskOutcome::Done { commit }) => ("done", commit.as_ref()),
            Some(TaskOutcome::Failed { .. }) => ("failed", None),
            Some(TaskOutcome::Skipped) => ("skipped", None),
        };
        let commit = commit.map_or("-", |commit| commit.short());
        let name = cell(&task.task.name);
        add(
            &mut text,
            format_args!("| {} {name} | {outcome} | {} | {commit} |\n", task.task.id, task.fixes),
        );
    }
    add(
        &mut text,
        format_args!(
            "\nDebug attempts: {}. New plans: {}. Remediation cycles: {}.\n",
            work.debug_attempts, work.replan_attempts, work.remediation_cycles
        ),
    );
    text
}

fn verification(title: &str, said: &Verification, evidence: &[Measured]) -> String {
    let mut text = format!("# {title}: verification\n\n## Measured by autopilot\n\n");
    measured_table(&mut text, evidence);
    text.push_str("\n## What the verifier says\n\n");
    add(&mut text, format_args!("Verdict: {}\n\n", if said.pass { "pass" } else { "fail" }));
    text.push_str("| criterion | status | evidence |\n|---|---|---|\n");
    for result in &said.criteria_results {
        let status = serde_json::to_value(result.status).ok();
        let status = status.as_ref().and_then(|word| word.as_str()).unwrap_or_default();
        let (criterion, evidence) = (cell(&result.criterion), cell(&result.evidence));
        add(&mut text, format_args!("| {criterion} | {status} | {evidence} |\n"));
    }
    let failures = said.failures.iter().map(|failure| failure.description.as_str());
    list(&mut text, "Failures", failures);
    list(&mut text, "Commands it ran", said.commands_run.iter().map(String::as_str));
    list(&mut text, "Beyond the phase", said.scope_creep.iter().map(String::as_str));
    text
}

fn judge_report(title: &str, said: &Judgement, second: Option<&Judgement>) -> String {
    let mut text = format!("# {title}: judge's report\n");
    judgement(&mut text, said);
    text.push_str("\n## Divergence Analysis\n");
    match second {
        None => text.push_str("\nThe judge was not asked a second time.\n"),
        Some(second) => {
            let agrees = match second.verifier_agreement {
                Some(true) => "agrees with the verifier",
                Some(false) => "does not agree with the verifier",
                None => "does not say whether it agrees with the verifier",
            };
            add(&mut text, format_args!("\nThe judge {agrees}.\n"));
            list(
                &mut text,
                "What the verifier missed",
                second.verifier_missed.iter().map(String::as_str),
            );
            judgement(&mut text, second);
        }
    }
    text
}

fn judgement(text: &mut String, said: &Judgement) {
    let word = serde_json::to_value(said.recommendation).ok();
    let word = word.as_ref().and_then(|word| word.as_str()).unwrap_or_default();
    add(text, format_args!("\nRecommendation: {word}\n"));
    list(text, "Concerns", said.concerns.iter().map(|concern| concern.description.as_str()));
    list(text, "Evidence of its own", said.independent_evidence.iter().map(String::as_str));
    list(text, "Requirements not met", said.missing_requirements.iter().map(String::as_str));
}

fn scorecard(title: &str, said: &Rating) -> String {
    let mut text = format!(
        "# {title}: scorecard\n\n| criterion | score | why | missing |\n|---|---|---|---|\n"
    );
    for entry in &said.scorecard {
        let missing = entry.deficiency.as_deref().map_or_else(|| "-".to_string(), cell);
        let (criterion, why) = (cell(&entry.criterion), cell(&entry.justification));
        add(&mut text, format_args!("| {criterion} | {} | {why} | {missing} |\n", entry.score));
    }
    if let Some(mean) = said.mean() {
        add(
            &mut text,
            format_args!("\nMean, computed by autopilot: **{mean}** ({})\n", mean.band().word()),
        );
    }
    text
}

/// Also for the report of the whole run.
pub fn measured_table(text: &mut String, measured: &[Measured]) {
    if measured.is_empty() {
        text.push_str("No check could be run: nothing is proven.\n");
        return;
    }
    text.push_str("| check | command | result |\n|---|---|---|\n");
    for one in measured {
        let result = match one.result {
            CheckResult::Green if one.is_flaky => "flaky: red, then green".to_string(),
            CheckResult::Green => "green".to_string(),
            CheckResult::Red { exit: Some(code) } => format!("red, exit {code}"),
            CheckResult::Red { exit: None } => "red, ended by a signal".to_string(),
            CheckResult::TimedOut => "not proven: timed out".to_string(),
            CheckResult::NotRun => "not proven: could not be started".to_string(),
            CheckResult::NoTests => "not proven: it ran no test".to_string(),
        };
        let tests = one.tests.as_ref().map(counted).unwrap_or_default();
        let command = cell(&one.command);
        add(text, format_args!("| {} | `{command}` | {result}{tests} |\n", one.check));
    }
}

fn counted(tests: &TestCounts) -> String {
    let TestCounts { passed, failed, skipped, .. } = tests;
    let each = [(*passed, "passed"), (*failed, "failed"), (*skipped, "skipped")];
    let told = each.iter().filter(|(count, word)| *count > 0 || *word == "passed");
    told.map(|(count, word)| format!(", {count} {word}")).collect()
}

fn list<'a>(text: &mut String, title: &str, items: impl Iterator<Item = &'a str>) {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return;
    }
    add(text, format_args!("\n### {title}\n\n"));
    for item in items {
        add(text, format_args!("- {}\n", one_line(item)));
    }
}

pub(in crate::run) fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

pub(in crate::run) fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

fn add(text: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = text.write_fmt(words);
}
