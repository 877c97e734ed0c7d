//! The report of a whole run and its announcement (REP-2): what passed, on what evidence, what it cost, and the command to go on.

use std::fmt::Write;

use crate::money;
use crate::phase_id::PhaseId;
use crate::run::checks;
use crate::run::event::Spend;
use crate::run::fencing;
use crate::run::files::post_mortem;
use crate::run::files::red_before;
use crate::run::files::reports::measured_table;
use crate::run::files::spending_table;
use crate::run::files::trend::Trend;
use crate::run::ids::Moment;
use crate::run::landing_words;
use crate::run::learnings;
use crate::run::outcome::{Halt, Passing, PhaseResult};
use crate::run::projection::iso;
use crate::run::state::{PhaseState, PhaseStatus, RunState, RunStatus};
use crate::run::words::{halt_words, pause_words, seconds, thousands};

/// `.autopilot/completion-2026-01-02-run-….md`.
pub fn report_name(state: &RunState, now: Moment) -> String {
    format!("completion-{}-{}.md", &iso(now)[..10], state.definition.run)
}

pub fn report(state: &RunState, now: Moment, trend: Option<&Trend>) -> String {
    let mut text = String::new();
    let run = &state.definition.run;
    let project = state.project.as_ref().map(|project| project.name.as_str()).unwrap_or_default();
    add(&mut text, format_args!("# Run {run} of {project}\n\n"));
    add(
        &mut text,
        format_args!("- started {} by `{}`\n", iso(state.started_at), state.definition.command),
    );
    add(&mut text, format_args!("- took {}\n", seconds(now.milliseconds_since(state.started_at))));
    let agent = &state.definition.agent;
    let model = agent.model.as_deref().unwrap_or("its own choice");
    add(&mut text, format_args!("- agent {} {}, model: {model}\n", agent.name, agent.version));
    add(&mut text, format_args!("- spent {}\n", spent(state)));
    if let Some(fencing) = fencing::told(state) {
        add(&mut text, format_args!("- agents and checks {fencing}\n"));
    }
    if let Some(branch) = &state.branch {
        add(&mut text, format_args!("- branch `{}` at {}\n", branch.name, branch.head.short()));
    }
    if let Some(spec) = state.project.as_ref().and_then(|project| project.spec.as_ref()) {
        add(&mut text, format_args!("- spec {} ({})\n", spec.path, spec.hash));
    }
    text.push_str("\n| phase | result | score | proven | standing | judged | tokens |\n|---|---|---|---|---|---|---|\n");
    for phase in &state.phases {
        row(&mut text, phase);
    }
    text.push_str(&checks::alert(state));
    text.push_str(&spending_table::section(state));
    if let Some(baseline) = &state.baseline {
        text.push_str("\n## Before the run\n\n");
        measured_table(&mut text, baseline);
    }
    for phase in &state.phases {
        details(&mut text, phase);
    }
    left_to_learn(&mut text, state);
    if let Some(trend) = trend {
        text.push_str(&trend.section());
    }
    text
}

/// Where to read more about what failed or fell short.
fn left_to_learn(text: &mut String, state: &RunState) {
    let of_phase = |phase: &PhaseState| {
        let id = &phase.definition.id;
        match &phase.status {
            PhaseStatus::Failed(_) => {
                Some(format!("- phase {id} failed: .autopilot/{}\n", post_mortem::file(id)))
            }
            _ => {
                let path = phase.summary.diagnostic.as_ref()?;
                Some(format!("- phase {id} is below 9.0: {path}\n"))
            }
        }
    };
    let lines: Vec<String> = state.phases.iter().filter_map(of_phase).collect();
    if !lines.is_empty() {
        text.push_str("\n## To learn from\n\n");
        lines.iter().for_each(|line| text.push_str(line));
    }
    if !state.lessons.is_empty() {
        add(text, format_args!("- rules for later phases: .autopilot/{}\n", learnings::FILE));
    }
}

fn row(text: &mut String, phase: &PhaseState) {
    let tokens = phase.work_summary().map_or(0, |summary| summary.spend.counted_tokens());
    let (score, count) = match &phase.status {
        PhaseStatus::Passed(result) => (result.score, Some(result.criteria)),
        _ => (None, None),
    };
    let score = score.map_or("-".to_string(), |score| score.to_string());
    let number = |value: Option<u32>| value.map_or("-".to_string(), |value| value.to_string());
    let name = phase.definition.name.replace('|', "\\|");
    let proven = number(count.map(|count| count.proven));
    let standing = number(count.map(|count| count.standing));
    let judged = number(count.map(|count| count.judged));
    add(
        text,
        format_args!(
            "| {} {name} | {} | {score} | {proven} | {standing} | {judged} | {} |\n",
            phase.definition.id,
            result_words(&phase.status),
            thousands(tokens)
        ),
    );
}

pub fn result_words(status: &PhaseStatus) -> String {
    match status {
        PhaseStatus::Waiting => "not started".to_string(),
        PhaseStatus::Running => "not finished".to_string(),
        PhaseStatus::Passed(PhaseResult { how, .. }) => match how {
            Passing::Proven => "passed",
            Passing::ForceIncomplete => "passed, incomplete",
            Passing::Judged => "passed, judged only",
            Passing::Unproven => "passed, not proven",
        }
        .to_string(),
        PhaseStatus::Failed(failure) => format!("failed: {}", failure.category.word()),
        PhaseStatus::Skipped { reason } => format!("skipped: {reason}"),
        PhaseStatus::Deferred { .. } => "waits for a person".to_string(),
    }
}

fn details(text: &mut String, phase: &PhaseState) {
    let Some(summary) = phase.work_summary() else { return };
    add(text, format_args!("\n## Phase {}: {}\n\n", phase.definition.id, phase.definition.name));
    match &phase.status {
        PhaseStatus::Failed(failure) => {
            add(text, format_args!("Failed in {}: {}\n\n", failure.step, failure.reason));
        }
        PhaseStatus::Deferred { why } => add(text, format_args!("Waits for a person: {why}\n\n")),
        _ => {}
    }
    if let Some(evidence) = &summary.evidence {
        measured_table(text, evidence);
    }
    let history: Vec<String> = summary.scores.iter().map(ToString::to_string).collect();
    if !history.is_empty() {
        add(text, format_args!("\nScores, in order: {}\n", history.join(", ")));
    }
    text.push_str(&checks::remarks(&summary.checked));
}

fn spent(state: &RunState) -> String {
    let untold = match state.untold {
        0 => String::new(),
        1 => ", and what 1 attempt used that was cut off".to_string(),
        count => format!(", and what {count} attempts used that were cut off"),
    };
    format!("{}{untold}", spent_words(&state.spend, state.definition.agent.is_on_subscription()))
}

/// Tokens and dollars, and how far they are estimated.
pub fn spent_words(spend: &Spend, is_on_subscription: bool) -> String {
    let usd = spend.usd_micros.map(|micros| format!(", {}", money::words(micros)));
    // A subscription is not charged by the token: what it would have cost is an estimate of what it is worth.
    let is_covered = usd.is_some() && is_on_subscription;
    let mark = match (spend.is_estimate, is_covered) {
        (false, false) => "",
        (true, false) => " (partly estimated)",
        (false, true) => " (estimated: a subscription pays)",
        (true, true) => " (partly estimated; a subscription pays)",
    };
    let tokens = thousands(spend.counted_tokens());
    format!("{tokens} tokens{}{mark}", usd.unwrap_or_default())
}

/// The last lines of a run, for people: succeeded, failed, skipped, average, duration, cost, report, what remains and how.
pub fn announcement(state: &RunState, now: Moment) -> Vec<String> {
    let result = crate::run::next::result(state);
    let mut lines = Vec::new();
    match &state.status {
        RunStatus::Running | RunStatus::Completed(_) => {}
        RunStatus::Paused(why) => lines.push(pause_words(why)),
        RunStatus::Halted(why) => lines.push(halt_words(why)),
    }
    lines.extend(red_before::lines(state));
    if state.definition.errand.is_some() && remaining(state).is_empty() {
        lines.extend(of_errand(state, now));
        return lines;
    }
    let average = result.average.map(|score| format!(", average {score}")).unwrap_or_default();
    lines.push(format!(
        "{} passed, {} failed, {} skipped, {} for a person{average}",
        result.passed, result.failed, result.skipped, result.deferred
    ));
    lines.push(format!("{}, {}", seconds(now.milliseconds_since(state.started_at)), spent(state)));
    if let Some(trend) = &state.trend {
        lines.extend(trend.lines());
    }
    if let Some(report) = &state.report {
        lines.push(format!("report: {report}"));
    }
    if let Some(batch) = &state.batch {
        lines.push(format!("the whole project: {} % done, {}", batch.percent, batch.path));
    }
    lines.extend(post_mortems(state));
    if let Some(branch) = &state.branch {
        lines.push(format!("branch: {} at {}", branch.name, branch.head.short()));
    }
    let left: Vec<&PhaseId> = remaining(state);
    match (&state.status, left.is_empty()) {
        (RunStatus::Halted(Halt::RedBaseline { .. }), _) => {
            let again = "commit what mends it, and give the same command again";
            lines.push(again.to_string());
        }
        (RunStatus::Paused(_) | RunStatus::Halted(_), _) => {
            lines.push("go on: autopilot resume".to_string());
        }
        (_, true) => lines.extend(landing_words::ending(state)),
        (_, false) if state.definition.errand.is_some() => {
            let what_now = "your branch is as it was; say more about what is wanted, and try again";
            lines.push(what_now.to_string());
        }
        (_, false) => {
            lines.extend(landing_words::ending(state));
            let ids: Vec<String> = left.iter().map(ToString::to_string).collect();
            lines.push(format!("left: phase {}", ids.join(", ")));
            lines.push(format!("go on: autopilot run {}", ids.join(",")));
        }
    }
    lines
}

/// Of a task that was asked for by word and has passed: what it came to is shown below, phase by phase there is nothing to tell.
fn of_errand(state: &RunState, now: Moment) -> Vec<String> {
    let took = seconds(now.milliseconds_since(state.started_at));
    let mut lines = vec![format!("{took}, {}", spent(state))];
    lines.extend(state.report.iter().map(|report| format!("report: {report}")));
    if let Some(branch) = &state.branch {
        lines.push(format!("branch: {} at {}", branch.name, branch.head.short()));
    }
    if state.landing.is_wanted {
        lines.extend(landing_words::ending(state));
    }
    lines
}

/// Where it is written down why a phase failed; of many the first ones.
pub fn post_mortems(state: &RunState) -> Vec<String> {
    const SHOWN_MAX: usize = 3;
    let is_failed = |phase: &&PhaseState| matches!(phase.status, PhaseStatus::Failed(_));
    let failed = state.phases.iter().filter(is_failed).take(SHOWN_MAX);
    let line = |phase: &PhaseState| {
        let id = &phase.definition.id;
        format!("why phase {id} failed: .autopilot/{}", post_mortem::file(id))
    };
    failed.map(line).collect()
}

/// Phases of the run that did not pass.
pub fn remaining(state: &RunState) -> Vec<&PhaseId> {
    let passed = |phase: &&PhaseState| !matches!(phase.status, PhaseStatus::Passed(_));
    state.phases.iter().filter(passed).map(|phase| &phase.definition.id).collect()
}

fn add(text: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = text.write_fmt(words);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::agent_definition::Payment;
    use crate::run::checks::fixture::Scene;

    #[test]
    fn what_was_spent_says_what_of_it_is_not_known() {
        let mut run = Scene::new().run;
        run.spend = Spend { input: 1_000, usd_micros: Some(1_234_567), ..Spend::default() };
        let check = |run: &RunState, expected: &str| assert_eq!(spent(run), expected);
        check(&run, "1k tokens, $1.23");
        run.definition.agent.paid = Some(Payment::Subscription);
        check(&run, "1k tokens, $1.23 (estimated: a subscription pays)");
        run.spend.is_estimate = true;
        check(&run, "1k tokens, $1.23 (partly estimated; a subscription pays)");
        run.definition.agent.paid = Some(Payment::Key);
        run.untold = 1;
        let one = "1k tokens, $1.23 (partly estimated), and what 1 attempt used that was cut off";
        check(&run, one);
        run.spend = Spend::default();
        run.definition.agent.paid = Some(Payment::Subscription);
        run.untold = 2;
        check(&run, "0 tokens, and what 2 attempts used that were cut off");
    }
}
