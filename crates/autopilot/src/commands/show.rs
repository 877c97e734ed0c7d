//! `autopilot show`: what a phase did, from verdict to cost, and how to see more of it or take it back. Only looks.

use std::path::Path;

use autopilot_core::documents::prove::{CheckDocument, ResultWord};
use autopilot_core::documents::show::{
    ClassWord, FromGit, ShowDocument, SpentDocument, StatusWord, TaskWord, TriedIn,
};
use autopilot_core::exit::Exit;
use autopilot_core::finding::printable;
use autopilot_core::money;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::problem::Problem;
use autopilot_core::run::measured::CheckName;
use autopilot_core::run::words::{agent_runs, seconds, thousands};
use autopilot_engine::show;
use autopilot_engine::start::Means;
use unicode_width::UnicodeWidthStr;

use super::run::means;
use crate::arguments::ShowArguments;
use crate::output::{BAD, BOLD, DIM, GOOD, Output, WARNING, styled};
use crate::problem_text::{Form, refuse};
use crate::table::{Align, Cell, Column, render};
use crate::wrap::wrap;

/// Enough to see what kind of change it is; all of them are in `diff`.
const FILES_SHOWN_MAX: usize = 12;
/// The longest word for what a criterion rests on, the digits of a commit, and the lines of a file.
const CLASS_WIDTH: usize = "standing".len();
const SHORT_WIDTH: usize = 8;
const LINES_WIDTH: usize = 11;

pub(super) fn run(root: &Path, arguments: &ShowArguments, form: Form, output: &mut Output) -> Exit {
    let found = means().and_then(|means| show::show(root, arguments.phase.as_ref(), &means));
    let shown = match found {
        Ok(shown) => shown,
        Err(problem) => return refuse(&problem, &[], form, output),
    };
    let Some(document) = document(&shown) else { return Exit::Failed };
    match form {
        Form::Json => output.document(&document),
        Form::Text => Page { document: &document, more: &[], output }.show(),
    }
    Exit::Success
}

/// The same at the end of a run, with other commands before the usual ones.
pub(super) fn page(
    root: &Path,
    phase: &PhaseId,
    more: &[(String, String)],
    means: &Means,
    output: &mut Output,
) -> Result<(), Problem> {
    let shown = show::show(root, Some(phase), means)?;
    if let Some(document) = document(&shown) {
        Page { document: &document, more, output }.show();
    }
    Ok(())
}

fn document(shown: &show::Shown) -> Option<ShowDocument<'_>> {
    let run = TriedIn { name: &shown.run, is_given_up: shown.is_given_up };
    let git = FromGit { commits: &shown.commits, files: &shown.files };
    ShowDocument::of(run, &shown.tried, git)
}

struct Page<'a, 'o> {
    document: &'a ShowDocument<'a>,
    /// Commands to name first, with what they do.
    more: &'a [(String, String)],
    output: &'o mut Output,
}

impl Page<'_, '_> {
    fn show(&mut self) {
        self.head();
        self.criteria();
        self.decided();
        self.work();
        self.measured();
        self.findings();
        self.spent();
        self.more();
    }

    fn title(&mut self, text: &str) {
        self.output.say("");
        self.output.say(&styled(BOLD, text));
    }

    /// Indented, and wrapped below its own beginning.
    fn line(&mut self, text: &str) {
        let width = self.output.width().saturating_sub(2);
        for line in wrap(&printable(text), width, 2) {
            self.output.say(&format!("  {line}"));
        }
    }

    /// Something short, and what belongs to it in lines below each other.
    fn row(&mut self, left: &str, wide: usize, right: &str) {
        self.styled_row(anstyle::Style::new(), (left, wide), right);
    }

    fn dim_row(&mut self, left: &str, wide: usize, right: &str) {
        self.styled_row(DIM, (left, wide), right);
    }

    fn styled_row(&mut self, style: anstyle::Style, (left, wide): (&str, usize), right: &str) {
        let width = self.output.width().saturating_sub(wide + 4);
        let mut left = left;
        for line in wrap(&printable(right), width, 0) {
            self.output.say(&styled(style, format!("  {left:wide$}  {line}")));
            left = "";
        }
    }

    fn head(&mut self) {
        let shown = self.document;
        let (style, word) = status_words(shown.status);
        let score = shown.score.as_deref().map(|score| format!(", {score}"));
        let title = printable(&format!("Phase {}: {}", shown.phase, shown.name));
        let status = format!("{word}{}", score.unwrap_or_default());
        // Both on a line, as long as there is room.
        if title.width() + status.width() + 3 > self.output.width() {
            self.output.say_wrapped_in(BOLD, &title);
            self.output.say(&format!("  {}", styled(style, status)));
        } else {
            self.output.say(&format!("{} · {}", styled(BOLD, title), styled(style, status)));
        }
        if let Some(reason) = shown.reason {
            self.line(reason);
        }
        if shown.goal != shown.name {
            self.line(shown.goal);
        }
        let took = seconds(shown.took_ms);
        let attempts: u32 = shown.spent.iter().map(|one| one.attempts).sum();
        let history = match shown.score_history.as_slice() {
            [] | [_] => String::new(),
            several => format!(" · rated {}", several.join(", then ")),
        };
        let runs = agent_runs(attempts);
        let line = format!("{} · {took} · {runs}{history}", shown.run);
        for line in wrap(&line, self.output.width().saturating_sub(2), 0) {
            self.output.say(&styled(DIM, format!("  {line}")));
        }
    }

    fn criteria(&mut self) {
        if self.document.criteria.is_empty() {
            return;
        }
        self.title("Success criteria");
        for (at, one) in self.document.criteria.iter().enumerate() {
            let (word, what) = match one.class {
                ClassWord::Proven => ("proven", "red before the work, green after it"),
                ClassWord::Standing => ("standing", "green before and after"),
                ClassWord::Judged if self.is_open(at) && one.command.is_some() => {
                    ("open", "not measured yet")
                }
                ClassWord::Judged if self.is_open(at) => ("open", "nothing says so yet"),
                ClassWord::Judged => ("judged", "no check that ran says so"),
            };
            self.row(word, CLASS_WIDTH, one.text);
            let command = one.command.map(|command| format!("{command}: "));
            let why = format!("{}{what}", command.unwrap_or_default());
            self.dim_row("", CLASS_WIDTH, &why);
        }
    }

    /// The work goes on, and this criterion was not measured after it.
    fn is_open(&self, criterion: usize) -> bool {
        let number = u32::try_from(criterion).unwrap_or(u32::MAX).saturating_add(1);
        let name = CheckName::Criterion(number).to_string();
        let is_measured = self.document.measured.iter().any(|one| one.check == name);
        self.document.status == StatusWord::InProgress && !is_measured
    }

    fn decided(&mut self) {
        if self.document.decided.is_empty() {
            return;
        }
        self.title("What was decided");
        for text in &self.document.decided {
            self.line(text);
        }
    }

    fn work(&mut self) {
        let shown = self.document;
        self.title("Work");
        for task in shown.tasks.iter().filter(|task| task.outcome != TaskWord::Done) {
            let word = match task.outcome {
                TaskWord::Open => "not finished",
                TaskWord::Failed => "failed",
                TaskWord::Skipped => "skipped",
                TaskWord::Done => "done",
            };
            self.line(&format!("task {} {}: {word}", task.id, task.name));
        }
        if shown.commits.is_empty() {
            self.line("no commit");
        }
        for one in &shown.commits {
            self.row(short(one.commit), SHORT_WIDTH, one.subject);
        }
        let sum = |of: fn(&(u64, u64)) -> u64| -> u64 {
            let lines = shown.files.iter().filter_map(|file| file.added.zip(file.removed));
            lines.map(|lines| of(&lines)).sum()
        };
        if !shown.files.is_empty() {
            let (added, removed) = (sum(|lines| lines.0), sum(|lines| lines.1));
            let files = match shown.files.len() {
                1 => "1 file".to_string(),
                count => format!("{count} files"),
            };
            let lines = if added == 1 { "line" } else { "lines" };
            self.line(&format!("{files}, {added} {lines} added, {removed} removed"));
        }
        for file in shown.files.iter().take(FILES_SHOWN_MAX) {
            let lines = match (file.added, file.removed) {
                (Some(added), Some(removed)) => format!("+{added} -{removed}"),
                _ => "no text".to_string(),
            };
            self.row(&format!("{lines:>11}"), LINES_WIDTH, file.path);
        }
        if shown.files.len() > FILES_SHOWN_MAX {
            let more = format!("and {} more", shown.files.len() - FILES_SHOWN_MAX);
            self.row("", LINES_WIDTH, &more);
        }
    }

    fn measured(&mut self) {
        let shown = self.document;
        if shown.measured.is_empty() {
            return;
        }
        self.title(&format!("Measured by autopilot on {}", short(shown.head)));
        let column = |title, least| Column { title, align: Align::Left, least, from: 0 };
        let columns = [
            column("seen", None),
            column("check", None),
            column("command", Some(20)),
            column("took", None),
        ];
        let rows = shown.measured.iter().map(check_row).collect();
        let width = self.output.width().saturating_sub(2);
        for line in render(&columns, rows, width) {
            self.output.say(&format!("  {line}"));
        }
    }

    fn findings(&mut self) {
        if self.document.findings.is_empty() {
            return;
        }
        self.title("What reviewers found wanting");
        for one in &self.document.findings {
            let file = one.file.map(|file| format!("{file}: "));
            self.line(&format!("{}{}", file.unwrap_or_default(), one.deficiency));
        }
    }

    fn spent(&mut self) {
        if self.document.spent.is_empty() {
            return;
        }
        self.title("Who worked on it");
        for one in &self.document.spent {
            self.line(&spent_words(one));
        }
    }

    fn more(&mut self) {
        let (phase, has_receipt) = (&self.document.phase, self.document.merged.is_some());
        self.title("More");
        let first = self.more.iter().map(|(command, what)| (command.clone(), what.as_str()));
        let mut lines: Vec<(String, &str)> = first.collect();
        lines.extend([
            (format!("autopilot diff {phase}"), "what it changed"),
            (format!("autopilot logs {phase}"), "step by step"),
        ]);
        if has_receipt {
            let at = self.document.merged.map(short).unwrap_or_default();
            lines.push((format!("autopilot prove {phase} --at {at}"), "measure it all again"));
        }
        if has_receipt && self.document.status != StatusWord::TakenBack {
            lines.push((
                format!("autopilot rollback {phase}"),
                "take it back, if it is of the last run",
            ));
        }
        let width = lines.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
        for (command, what) in lines {
            self.row(&command, width, what);
        }
    }
}

fn status_words(status: StatusWord) -> (anstyle::Style, &'static str) {
    match status {
        StatusWord::Proven => (GOOD, "passed, proven"),
        StatusWord::Incomplete => {
            (WARNING, "passed, incomplete: its score was still too low after all cycles")
        }
        StatusWord::Judged => (WARNING, "passed, judged only"),
        StatusWord::Unproven => (WARNING, "passed, not proven: the project has no check"),
        StatusWord::Failed => (BAD, "failed"),
        StatusWord::NeedsHumanVerification => (WARNING, "waits for a person"),
        StatusWord::InProgress => (DIM, "in progress"),
        StatusWord::Skipped => (WARNING, "skipped"),
        StatusWord::NotStarted => (DIM, "not started"),
        StatusWord::TakenBack => (WARNING, "passed, and was taken back"),
        StatusWord::GivenUp => (WARNING, "given up before it was over"),
    }
}

fn check_row(one: &CheckDocument<'_>) -> Vec<Cell> {
    let (style, word) = match one.result {
        ResultWord::Green if one.flaky => (WARNING, "FLAKY"),
        ResultWord::Green => (GOOD, "PASS"),
        ResultWord::Red => (BAD, "FAIL"),
        ResultWord::TimedOut => (WARNING, "TIMED OUT"),
        ResultWord::NotRun => (WARNING, "NOT RUN"),
        ResultWord::NoTests => (BAD, "NO TEST RAN"),
    };
    vec![
        Cell::styled(style, word),
        Cell::plain(one.check.clone()),
        Cell::plain(printable(one.command)),
        Cell::styled(DIM, seconds(one.took_ms)),
    ]
}

fn spent_words(one: &SpentDocument<'_>) -> String {
    let model = one.model.map(|model| format!(" ({model})")).unwrap_or_default();
    let runs = match one.attempts {
        1 => "1 run".to_string(),
        count => format!("{count} runs"),
    };
    let mark = if one.is_estimate { "about " } else { "" };
    let cost = one.usd_micros.map(|micros| format!(", {mark}{}", money::words(micros)));
    let tokens = thousands(one.tokens);
    format!(
        "{}: {}{model}, {runs}, {tokens} tokens{}",
        one.step,
        one.agent,
        cost.unwrap_or_default()
    )
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}
