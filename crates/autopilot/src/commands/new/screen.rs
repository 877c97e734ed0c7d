//! What somebody sees of a draft: who is asked and what it may take, a sign of life, the files line by line, the phases as `plan` shows
//! them, and how to go on.

use std::path::Path;

use autopilot_core::contract::Role;
use autopilot_core::contract::drafting::Drafting;
use autopilot_core::finding::printable;
use autopilot_core::money;
use autopilot_core::outlook::Outlook;
use autopilot_core::project::Project;
use autopilot_core::prompt::draft::EarlierDraft;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::words::{seconds, thousands};
use autopilot_core::settings::Settings;
use autopilot_engine::drafting::{Drafted, Life, Ready, Watch};
use autopilot_engine::init::Written;

use super::interrupt::Interrupt;
use crate::commands::plan::show_schedule;
use crate::commands::run::activity_words;
use crate::output::{BAD, BOLD, DIM, GOOD, Output, WARNING, styled};
use crate::problem_text::{Form, finding_lines};
use crate::wrap::wrap;

/// How often the sign of life is drawn anew at a terminal, and how often it is a line of its own elsewhere.
const REDRAW_MS: u64 = 500;
const HEARTBEAT_MS: u64 = 30_000;
/// Faults shown between two tries; after the last one all are.
const FAULTS_SHOWN_MAX: usize = 5;

pub(super) struct Screen<'a> {
    output: &'a mut Output,
    form: Form,
    interrupt: &'a Interrupt,
    drawn_at: Moment,
    last: Option<(Moment, String)>,
}

impl<'a> Screen<'a> {
    pub(super) fn new(output: &'a mut Output, form: Form, interrupt: &'a Interrupt) -> Screen<'a> {
        Screen { output, form, interrupt, drawn_at: Moment(0), last: None }
    }

    /// Who is asked, who pays, what it may take and what is seen, before the first token.
    pub(super) fn begin(&mut self, root: &Path, ready: &Ready) {
        if self.form == Form::Json {
            return;
        }
        for line in finding_lines(&ready.prepared.findings, self.output.width()) {
            self.output.remark(&line);
        }
        let model = ready.definition.model_of(Role::Plan).map(|model| format!(", model {model}"));
        let fencing = ready.fencing();
        let unfenced = fencing.unfenced().map(|_| format!(" · {}", fencing.words()));
        self.output.remark_wrapped(&printable(&format!(
            "Autopilot new: asks {}{} · it sees {} and changes nothing{}",
            ready.definition.words_of(Role::Plan),
            model.unwrap_or_default(),
            if ready.sight.has_files { "your last commit" } else { "an empty folder" },
            unfenced.unwrap_or_default()
        )));
        let cost = ready.bounds.usd_micros.map(|max| format!(" and {}", money::words(max)));
        self.output.remark_wrapped(&format!(
            "at most {} tokens{} in two tries, {} min each · end it with Ctrl-C",
            thousands(ready.bounds.tokens),
            cost.unwrap_or_default(),
            ready.bounds.time.as_secs() / 60
        ));
        self.say_what_is_not_seen(root, ready);
    }

    fn say_what_is_not_seen(&mut self, root: &Path, ready: &Ready) {
        let uncommitted = ready.sight.uncommitted;
        let words = match (ready.sight.has_files, uncommitted) {
            (false, _) if super::has_own_files(root, ready.idea()) => {
                "what lies here is not committed, so the agent does not see it; commit it first if it should".to_string()
            }
            (_, 0) => return,
            (_, 1) => "1 file is not committed, and the agent does not see the change".to_string(),
            (_, count) => {
                format!("{count} files are not committed, and the agent does not see the changes")
            }
        };
        self.output.remark_wrapped(&words);
    }

    pub(super) fn clear(&mut self) {
        self.output.passing("");
    }
}

impl Watch for Screen<'_> {
    fn lives(&mut self, life: &Life<'_>) {
        if let Some(words) = life.activity.and_then(activity_words) {
            self.last = Some((life.now, words));
        }
        let is_terminal = self.output.shows_passing();
        let pause = if is_terminal { REDRAW_MS } else { HEARTBEAT_MS };
        if self.drawn_at == Moment(0) {
            self.drawn_at = life.now;
        }
        if self.form == Form::Json || life.now.milliseconds_since(self.drawn_at) < pause {
            return;
        }
        self.drawn_at = life.now;
        let last = self.last.as_ref().map(|(at, words)| {
            format!(", {words} {} ago", seconds(life.now.milliseconds_since(*at)))
        });
        let again = if life.round > 1 { "draft again" } else { "draft" };
        let line = printable(&format!(
            "… {again} for {}, {} tokens so far{}",
            seconds(life.elapsed_ms),
            thousands(life.tokens),
            last.unwrap_or_default()
        ));
        match is_terminal {
            true => self.output.passing(&line),
            false => self.output.remark(&styled(DIM, line)),
        }
    }

    fn refused(&mut self, earlier: &EarlierDraft) {
        self.clear();
        if self.form == Form::Json {
            return;
        }
        let faults = &earlier.faults;
        let words = match (&earlier.draft, faults.len()) {
            (None, _) => "The first answer is no draft; asked once more:".to_string(),
            (Some(_), 1) => "The first draft has 1 fault; asked once more with it:".to_string(),
            (Some(_), count) => {
                format!("The first draft has {count} faults; asked once more with all of them:")
            }
        };
        self.output.remark(&styled(WARNING, words));
        list_faults(&faults[..faults.len().min(FAULTS_SHOWN_MAX)], self.output);
        if faults.len() > FAULTS_SHOWN_MAX {
            self.output.remark(&format!("  and {} more", faults.len() - FAULTS_SHOWN_MAX));
        }
    }

    fn must_end(&self) -> bool {
        self.interrupt.seen().is_some()
    }
}

pub(super) fn list_faults(faults: &[String], output: &mut Output) {
    for fault in faults {
        for (index, line) in
            wrap(&printable(fault), output.width().saturating_sub(4), 0).iter().enumerate()
        {
            let head = if index == 0 { styled(BAD, "-") } else { " ".to_string() };
            output.remark(&format!("  {head} {line}"));
        }
    }
}

/// The files first and the phases last: what decides stands next to the question.
pub(super) fn show(
    files: &[(&'static str, String)],
    drafting: &Drafting,
    (project, outlook): (&Project<'_>, &Outlook),
    settings: &Settings,
    output: &mut Output,
) {
    for (path, text) in files {
        output.say("");
        let count = text.lines().count();
        output.say(&styled(BOLD, format!("+++ {path} (new, {count} lines)")));
        for line in text.lines() {
            show_added(line, output);
        }
    }
    output.say("");
    show_schedule(project, outlook, settings, output);
    if !drafting.decisions.is_empty() {
        output.say("");
        output.say(&styled(BOLD, "decided where the idea left it open"));
        for decision in &drafting.decisions {
            for line in wrap(&printable(decision), output.width().saturating_sub(4), 0)
                .iter()
                .enumerate()
                .map(bullet)
            {
                output.say(&line);
            }
        }
    }
    output.say("");
}

fn bullet((index, line): (usize, &String)) -> String {
    format!("  {} {line}", if index == 0 { "-" } else { " " })
}

/// A long line goes on below itself; its indent is part of what it means.
fn show_added(line: &str, output: &mut Output) {
    let line = printable(line);
    let words = line.trim_start();
    let margin = " ".repeat(line.len() - words.len());
    let width = output.width().saturating_sub(2 + margin.len());
    for (index, part) in wrap(words, width, 2).iter().enumerate() {
        let head = if index == 0 { styled(GOOD, "+") } else { " ".to_string() };
        output.say(format!("{head} {margin}{part}").trim_end());
    }
}

/// What was written, what it cost, and how to go on.
pub(super) fn finish(
    drafted: &Drafted,
    spent: &str,
    ready: &Ready,
    (written, commit): (&Written, &Option<String>),
    next: &[String],
    output: &mut Output,
) {
    for path in &written.new {
        output.say(&format!("  {} {path}", styled(GOOD, "wrote")));
    }
    for path in &written.kept {
        output.say(&format!("  kept  {path} (it was there)"));
    }
    if let Some(commit) = commit {
        output.say(&format!("  committed as {commit}"));
    }
    if written.new.is_empty() {
        output.say_wrapped(&format!(
            "Nothing was written. The draft is kept in {}.",
            ready.kept.shown()
        ));
    }
    let tries = if drafted.tries == 1 { "1 agent run" } else { "2 agent runs" };
    let took = u64::try_from(drafted.took.as_millis()).unwrap_or(u64::MAX);
    output.say_wrapped(&format!("spent: {spent}, in {tries}, {}", seconds(took)));
    if !next.is_empty() {
        output.say("");
        let title = if written.new.is_empty() { "To use it after all:" } else { "Next:" };
        output.say(&styled(BOLD, title));
        for command in next {
            output.say(&format!("  {command}"));
        }
    }
}
