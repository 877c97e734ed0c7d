//! The schedule as a person reads it: a table, what it costs, what hangs on what, and every finding.

use std::collections::BTreeMap;

use autopilot_core::commands::Slot;
use autopilot_core::documents::status::StatusWord;
use autopilot_core::estimate::Estimate;
use autopilot_core::finding::{Severity, printable};
use autopilot_core::money;
use autopilot_core::outlook::{Outlook, PhaseOutlook};
use autopilot_core::phase_id::PhaseId;
use autopilot_core::project::Project;
use autopilot_core::roadmap::Phase;
use autopilot_core::run::words::agent_runs;
use autopilot_core::settings::Settings;

use crate::output::{BOLD, DIM, GOOD, Output, WARNING, styled};
use crate::problem_text::finding_lines;
use crate::table::{Align, Cell, Column, render};
use crate::wrap::wrap;

pub(crate) fn show(project: &Project, outlook: &Outlook, settings: &Settings, output: &mut Output) {
    let selected = outlook.schedule.order.len();
    let title = printable(&project.name);
    if selected == 0 {
        output.say_wrapped(&format!("{title}: nothing would run"));
    } else {
        output.say_wrapped(&format!("{title}: {}", summary(project, outlook, settings)));
        output.say("");
        for line in render(&COLUMNS, rows(project, outlook), output.width()) {
            output.say(&line);
        }
    }
    output.say("");
    for (label, text) in facts(project, outlook, settings) {
        let lines = wrap(&text, output.width().saturating_sub(LABEL), 0);
        for (index, line) in lines.iter().enumerate() {
            let head = if index == 0 { label } else { "" };
            output.say(&format!(
                "{}{:pad$}{line}",
                styled(BOLD, head),
                "",
                pad = LABEL - head.len()
            ));
        }
    }
    show_findings(outlook, output);
}

/// `6 of 8 phases would run, one at a time (3 with --jobs 3)`
fn summary(project: &Project, outlook: &Outlook, settings: &Settings) -> String {
    let all = project.roadmap.phases.iter().filter(|phase| !phase.id.is_backlog()).count();
    let selected = outlook.schedule.order.len();
    let widest = outlook.schedule.waves.iter().map(Vec::len).max().unwrap_or(0);
    let jobs = usize::try_from(settings.jobs).unwrap_or(usize::MAX);
    let at_once = match (jobs.min(widest), widest) {
        (_, 1) => String::new(),
        (1, widest) => format!(", one at a time ({widest} with --jobs {widest})"),
        (jobs, _) => format!(", {jobs} at once at most"),
    };
    let phases = if all == 1 { "phase" } else { "phases" };
    format!("{selected} of {all} {phases} would run{at_once}")
}

const LABEL: usize = 10;

const COLUMNS: [Column; 8] = [
    Column { title: "wave", align: Align::Right, least: None, from: 0 },
    Column { title: "phase", align: Align::Left, least: None, from: 0 },
    Column { title: "name", align: Align::Left, least: Some(12), from: 0 },
    Column { title: "status", align: Align::Left, least: None, from: 48 },
    Column { title: "after", align: Align::Left, least: Some(5), from: 56 },
    Column { title: "tasks", align: Align::Right, least: None, from: 72 },
    Column { title: "tokens", align: Align::Right, least: None, from: 0 },
    Column { title: "blocks", align: Align::Right, least: None, from: 72 },
];

fn rows(project: &Project, outlook: &Outlook) -> Vec<Vec<Cell>> {
    let places = project
        .roadmap
        .phases
        .iter()
        .zip(&outlook.phases)
        .map(|(phase, expected)| (&phase.id, (phase, expected)));
    let by_id: BTreeMap<&PhaseId, (&Phase, &PhaseOutlook)> = places.collect();
    let blocked: BTreeMap<&PhaseId, usize> = outlook
        .schedule
        .order
        .iter()
        .zip(&outlook.schedule.blocks)
        .map(|(id, blocked)| (id, blocked.count))
        .collect();
    let mut rows = Vec::new();
    for (wave, ids) in outlook.schedule.waves.iter().enumerate() {
        for (index, id) in ids.iter().enumerate() {
            let Some((phase, expected)) = by_id.get(id) else { continue };
            let wave = if index == 0 { (wave + 1).to_string() } else { String::new() };
            rows.push(row(phase, wave, expected.estimate, blocked.get(id).copied().unwrap_or(0)));
        }
    }
    rows
}

fn row(phase: &Phase, wave: String, estimate: Option<Estimate>, blocked: usize) -> Vec<Cell> {
    let status = StatusWord::of(phase.standing);
    let style = match status {
        StatusWord::Completed => GOOD,
        StatusWord::InProgress => WARNING,
        _ => anstyle::Style::new(),
    };
    let tasks = estimate.map(|estimate| estimate.tasks).filter(|tasks| *tasks > 0);
    vec![
        Cell::styled(DIM, wave),
        Cell::styled(BOLD, phase.id.to_string()),
        Cell::plain(printable(&phase.name)),
        Cell::styled(style, status.words()),
        Cell::plain(after(&phase.depends_on)),
        Cell::plain(tasks.map_or_else(|| "-".to_string(), |tasks| tasks.to_string())),
        Cell::plain(estimate.map(|estimate| tokens(estimate.tokens)).unwrap_or_default()),
        Cell::plain(if blocked == 0 { "-".to_string() } else { blocked.to_string() }),
    ]
}

fn estimate_of(project: &Project, outlook: &Outlook, id: &PhaseId) -> Option<Estimate> {
    let place = project.roadmap.phases.iter().position(|phase| &phase.id == id)?;
    outlook.phases.get(place)?.estimate
}

/// The first few dependencies; the rest is counted, for the name is worth more of the line.
fn after(ids: &[PhaseId]) -> String {
    const COLUMNS: usize = 10;
    let shown = ids.iter().scan(0, |used, id| {
        *used += id.to_string().len() + 2;
        (*used <= COLUMNS + 2).then_some(id.clone())
    });
    let shown: Vec<PhaseId> = shown.collect();
    match (ids.len(), ids.len() - shown.len()) {
        (0, _) => "-".to_string(),
        (_, 0) => joined(&shown, ", "),
        (_, more) => format!("{} +{more}", joined(&shown, ", ")),
    }
}

fn facts(project: &Project, outlook: &Outlook, settings: &Settings) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if !outlook.schedule.order.is_empty() {
        let total = &outlook.total;
        let cost = settings.usd_micros_max.map(|max| format!("; at most {}", money::words(max)));
        facts.push((
            "estimate",
            format!(
                "{} tokens, about {}{}",
                tokens(total.tokens),
                agent_runs(total.agent_runs),
                cost.unwrap_or_default()
            ),
        ));
        let path = &outlook.schedule.critical_path;
        let cost = path
            .iter()
            .filter_map(|id| estimate_of(project, outlook, id))
            .map(|estimate| estimate.tokens)
            .sum();
        let words = if path.len() == 1 { "tokens" } else { "tokens one after the other" };
        facts.push(("longest", format!("{} ({} {words})", joined(path, " → "), tokens(cost))));
    }
    if !outlook.skipped.is_empty() {
        facts.push(("skipped", skipped(outlook)));
    }
    facts.push(("commands", commands(project)));
    if let Some(spec) = &project.spec {
        let digits: String = spec.hash.chars().take("sha256:".len() + 12).collect();
        facts.push(("spec", format!("{} {digits}…", printable(&spec.path))));
    }
    facts
}

/// Phases skipped for the same reason are told together.
fn skipped(outlook: &Outlook) -> String {
    let mut reasons: Vec<(&str, Vec<PhaseId>)> = Vec::new();
    for skipped in &outlook.skipped {
        match reasons.iter_mut().find(|(why, _)| *why == skipped.why) {
            Some((_, ids)) => ids.push(skipped.id.clone()),
            None => reasons.push((skipped.why, vec![skipped.id.clone()])),
        }
    }
    let show = |(why, ids): &(&str, Vec<PhaseId>)| format!("{} ({why})", joined(ids, ", "));
    reasons.iter().map(show).collect::<Vec<_>>().join("; ")
}

fn commands(project: &Project) -> String {
    let mut parts: Vec<String> = Vec::new();
    for slot in Slot::ALL {
        if let Some(command) = project.commands.get(slot) {
            parts.push(format!("{} `{}`", slot.word(), printable(&command.line)));
        } else if project.commands.declined.contains(&slot) {
            parts.push(format!("{} none, as set", slot.word()));
        }
    }
    if parts.is_empty() {
        return "none found; set project.commands in .planning/config.json".to_string();
    }
    format!("{} (from {})", parts.join(", "), project.commands.sources().join(", "))
}

fn show_findings(outlook: &Outlook, output: &mut Output) {
    if outlook.findings.is_empty() {
        return;
    }
    let count = |severity: Severity| {
        outlook.findings.iter().filter(|finding| finding.severity == severity).count()
    };
    let counted =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let words: Vec<String> = counted
        .iter()
        .map(|(severity, word)| (count(*severity), word))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}{}", if count == 1 { "" } else { "s" }))
        .collect();
    output.say("");
    output.say(&styled(BOLD, words.join(", ")));
    for line in finding_lines(&outlook.findings, output.width()) {
        output.say(&line);
    }
}

pub(crate) fn joined(ids: &[PhaseId], separator: &str) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// `240k`, `1.2M`: an estimate has no more digits than that.
fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..999_500 => format!("{}k", (count + 500) / 1_000),
        _ => {
            let tenths = (count + 50_000) / 100_000;
            format!("{}.{}M", tenths / 10, tenths % 10)
        }
    }
}
