//! `autopilot status`, and bare `autopilot`: where the project stands and what to do next. Spends nothing.

use std::path::Path;

use autopilot_core::documents::status::{RunStatus, RunWord, StatusDocument, StatusWord};
use autopilot_core::exit::Exit;
use autopilot_core::finding::{Finding, Severity, printable};
use autopilot_core::outlook;
use autopilot_core::project::Project;
use autopilot_engine::{journal_read, project};

use crate::output::{BAD, BOLD, DIM, GOOD, Output, WARNING, styled};
use crate::problem_text::{Form, finding_lines, refuse};
use crate::table::{Align, Cell, Column, render};

mod task;

/// Warnings about the roadmap that are shown; `plan` shows all.
const DOUBTS_SHOWN_MAX: usize = 5;
/// How long `--watch` waits before it looks again.
const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_millis(500);
/// Completed phases beyond this many are summed up in one line.
const COMPLETED_SHOWN_MAX: usize = 5;

pub(super) fn run(root: &Path, form: Form, output: &mut Output) -> Exit {
    if project::roadmap_path(root).is_none() {
        match task::run(root, form, output) {
            Ok(Some(exit)) => return exit,
            Ok(None) => {}
            Err(problem) => return refuse(&problem, &[], form, output),
        }
    }
    let roadmap = match project::open(root) {
        Ok(roadmap) => roadmap,
        Err(problem) => return refuse(&problem, &[], form, output),
    };
    let mut project = project::read(root, &roadmap);
    project.findings.extend(journal_read::import_findings(root));
    let (ledger, run) = match journal_read::standing(root) {
        Ok(standing) => standing,
        Err(problem) => return refuse(&problem, &project.findings, form, output),
    };
    journal_read::count_completed(&mut project, &ledger);
    // Status shows what was understood, even where the roadmap has faults; only without any phase is there nothing to show.
    if project.roadmap.phases.is_empty() {
        return refuse(&outlook::no_phases(&project), &project.findings, form, output);
    }
    let document = StatusDocument::of(&project).with_ledger(&project, &ledger).with_run(run);
    match form {
        Form::Json => output.document(&document),
        Form::Text => show(&project, &document, output),
    }
    Exit::Success
}

/// `status --watch`: the same again whenever something happened, until nobody works on the project.
pub(super) fn watch(root: &Path, output: &mut Output) -> Exit {
    let mut seen = None;
    loop {
        let now = match journal_read::pulse(root) {
            Ok(pulse) => pulse,
            Err(problem) => return refuse(&problem, &[], Form::Text, output),
        };
        if seen.as_ref() != Some(&now) {
            output.clear();
            let exit = run(root, Form::Text, output);
            if exit != Exit::Success || !now.is_held {
                return exit;
            }
            seen = Some(now);
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

/// Bare `autopilot`. A folder without a roadmap is where a newcomer stands, so that is an answer and not an error.
pub(super) fn bare(root: &Path, output: &mut Output) -> Exit {
    let is_new = || matches!(journal_read::last_task(root), Ok(None));
    if project::roadmap_path(root).is_none() && is_new() {
        output.say(&format!("{} has no roadmap yet.", root.display()));
        output.say("");
        output.say("  autopilot do \"TASK\"          do one thing, without a roadmap");
        output.say("  autopilot new \"IDEA\"         let an agent draft one from an idea");
        output.say("  autopilot init --from FILE   make one of a prd.json, a plan or a task list");
        output.say("  autopilot demo               see what autopilot does on a sample project");
        output.say("  autopilot --help             everything else");
        return Exit::Success;
    }
    run(root, Form::Text, output)
}

fn show(project: &Project, document: &StatusDocument, output: &mut Output) {
    let counted = document
        .phases
        .iter()
        .zip(&project.roadmap.phases)
        .filter(|(_, read)| !read.id.is_backlog());
    let done = counted.filter(|(phase, _)| is_settled(phase.status)).count();
    let title = printable(&project.name);
    let backlog = project.roadmap.phases.iter().filter(|phase| phase.id.is_backlog()).count();
    let all = document.phases.len() - backlog;
    let words = if all == 1 { "phase" } else { "phases" };
    output.say_wrapped(&format!("{title}: {} % done, {done} of {all} {words}", document.percent));
    output.say(&bar(document.percent, output.width().min(60)));
    output.say("");
    if done > COMPLETED_SHOWN_MAX {
        output.say(&styled(DIM, format!("({done} completed or skipped phases not shown)")));
    }
    let (columns, rows) = table(project, document, done);
    if !rows.is_empty() {
        for line in render(&columns, rows, output.width()) {
            output.say(&line);
        }
        output.say("");
    }
    show_next(project, document, output);
}

/// One row a phase; completed ones are left out when there are many.
fn table(
    project: &Project,
    document: &StatusDocument,
    done: usize,
) -> (Vec<Column>, Vec<Vec<Cell>>) {
    let has_score = document.phases.iter().any(|phase| phase.score.is_some());
    let mut columns = vec![
        Column { title: "phase", align: Align::Left, least: None, from: 0 },
        Column { title: "name", align: Align::Left, least: Some(12), from: 0 },
        Column { title: "status", align: Align::Left, least: None, from: 0 },
        Column { title: "after", align: Align::Left, least: Some(5), from: 48 },
    ];
    if has_score {
        columns.push(Column { title: "score", align: Align::Right, least: None, from: 0 });
    }
    let mut rows = Vec::new();
    for (phase, read) in document.phases.iter().zip(&project.roadmap.phases) {
        if is_settled(phase.status) && done > COMPLETED_SHOWN_MAX {
            continue;
        }
        let after: Vec<String> = read.depends_on.iter().map(ToString::to_string).collect();
        let is_next = document.next.as_deref() == Some(phase.id.as_str());
        let status = if is_next {
            format!("{}, next", phase.status.words())
        } else {
            phase.status.words().to_string()
        };
        let mut row = vec![
            Cell::styled(BOLD, phase.id.clone()),
            Cell::plain(printable(&phase.name)),
            Cell::styled(style(phase.status), status),
            Cell::plain(if after.is_empty() { "-".to_string() } else { after.join(", ") }),
        ];
        if has_score {
            let score = phase.score.map(|score| format!("{score:.1}"));
            row.push(Cell::plain(score.unwrap_or_else(|| "-".to_string())));
        }
        rows.push(row);
    }
    (columns, rows)
}

fn style(word: StatusWord) -> anstyle::Style {
    match word {
        StatusWord::Completed | StatusWord::Skipped => GOOD,
        StatusWord::InProgress
        | StatusWord::NeedsHumanVerification
        | StatusWord::TakenBack
        | StatusWord::GivenUp => WARNING,
        StatusWord::Failed => BAD,
        StatusWord::NotStarted => anstyle::Style::new(),
    }
}

fn is_settled(word: StatusWord) -> bool {
    matches!(word, StatusWord::Completed | StatusWord::Skipped)
}

fn show_next(project: &Project, document: &StatusDocument, output: &mut Output) {
    let of = |severity: Severity| {
        project.findings.iter().filter(move |finding| finding.severity == severity)
    };
    let faults: Vec<Finding> = of(Severity::Error).cloned().collect();
    // What the roadmap says but was not read must not pass for finished work.
    let is_roadmap = |finding: &&Finding| finding.place.file == project.roadmap.file;
    let doubts: Vec<Finding> =
        of(Severity::Warning).filter(is_roadmap).take(DOUBTS_SHOWN_MAX).cloned().collect();
    for line in finding_lines(&[faults.clone(), doubts].concat(), output.width()) {
        output.say(&line);
    }
    if let Some(run) = &document.run {
        return show_run(run, output);
    }
    match &document.next {
        _ if !faults.is_empty() => {
            output.say_wrapped("Next: mend what is marked above, then autopilot plan")
        }
        Some(id) => output.say_wrapped(&format!(
            "Next: phase {id}. What it takes: autopilot plan {id}. Run it: autopilot run {id}"
        )),
        None if document.percent == 100 => output.say_wrapped("Every phase is completed."),
        None => {
            output.say_wrapped("No phase is ready: each waits for another. See why: autopilot plan")
        }
    }
}

fn show_run(run: &RunStatus, output: &mut Output) {
    let place = match (&run.phase, &run.step) {
        (Some(phase), Some(step)) => format!(" (phase {phase}, {step})"),
        (Some(phase), None) => format!(" (phase {phase})"),
        (None, _) => String::new(),
    };
    output.say_wrapped(&format!("Run {} {}{place}.", run.id, run.status.words()));
    let next = match run.status {
        RunWord::Running => "Watch it: autopilot logs -f. Stop it: autopilot stop",
        RunWord::Crashed | RunWord::Paused | RunWord::Failed => {
            "Go on: autopilot resume. Why it stands: autopilot why"
        }
    };
    output.say_wrapped(next);
}

fn bar(percent: u8, width: usize) -> String {
    let filled = width * usize::from(percent.min(100)) / 100;
    format!("{}{}", styled(GOOD, "█".repeat(filled)), styled(DIM, "░".repeat(width - filled)))
}
