//! `autopilot new`: an agent drafts a roadmap from an idea; shown before it is written, written on yes, kept in any case.

use std::path::Path;

use autopilot_core::contract::drafting::Drafting;
use autopilot_core::documents::FindingDocument;
use autopilot_core::documents::new::{self as documents, NewDocument, NewEstimateDocument};
use autopilot_core::drafting::{Idea, Proposal};
use autopilot_core::exit::Exit;
use autopilot_core::outlook::{self, Outlook};
use autopilot_core::problem::Problem;
use autopilot_core::project::Project;
use autopilot_core::selection::Request;
use autopilot_engine::drafting::{self, Drafted, End, Ready, Refused};
use autopilot_engine::git::Repository;
use autopilot_engine::init::Written;
use autopilot_engine::start::{Means, Wish};

use crate::arguments::NewArguments;
use crate::output::Output;
use crate::problem_text::{Form, refuse};

mod interrupt;
mod question;
mod screen;

use interrupt::Interrupt;
use question::Answer;
use screen::Screen;

pub(super) fn run(
    start: &Path,
    root: &Path,
    arguments: &NewArguments,
    form: Form,
    output: &mut Output,
) -> Exit {
    match begin(start, root, arguments, (form, output)) {
        Ok((means, ready)) => Draft { root, arguments, form, means, ready }.go(output),
        Err(refused) => refuse(&refused.0, &refused.1, form, output),
    }
}

/// Everything that can refuse, before anything is spent.
fn begin(
    start: &Path,
    root: &Path,
    arguments: &NewArguments,
    (form, output): (Form, &Output),
) -> Result<(Means, Ready), Refused> {
    let alone = |problem: Problem| Box::new((problem, Vec::new()));
    if form == Form::Text && !arguments.yes && !question::can_be_asked(output) {
        return Err(alone(Problem::usage(
            "nobody could be asked whether the draft is written: this is no terminal",
            "an agent would be paid for a draft that nobody can say yes to",
            "say yes beforehand: --yes; or only look at the draft: --json",
        )));
    }
    let idea = drafting::read_idea(start, root, &arguments.words).map_err(alone)?;
    let means = super::run::means().map_err(alone)?;
    if arguments.commit {
        super::init::git_for_commit(&means.machine, root).map_err(alone)?;
    }
    let ready = drafting::prepare(root, idea, &wish(arguments), &means)?;
    Ok((means, ready))
}

fn wish(arguments: &NewArguments) -> Wish {
    let mut settings: serde_json::Map<String, serde_json::Value> =
        super::run::agents_of(&arguments.agents).collect();
    if arguments.no_fence {
        settings.insert("fence".to_string(), false.into());
    }
    Wish { settings, command: "autopilot new".to_string(), ..Wish::default() }
}

struct Draft<'a> {
    root: &'a Path,
    arguments: &'a NewArguments,
    form: Form,
    means: Means,
    ready: Ready,
}

/// What was written, and the commit that has it.
#[derive(Default)]
struct Outcome {
    written: Written,
    commit: Option<String>,
}

impl Draft<'_> {
    fn go(&self, output: &mut Output) -> Exit {
        let interrupt = Interrupt::watch();
        let mut screen = Screen::new(output, self.form, &interrupt);
        screen.begin(self.root, &self.ready);
        let drafted = self.ready.draft(&mut screen);
        screen.clear();
        let problem = self.ready.problem(&drafted, self.means.clock.now());
        let exit = match (&drafted.last, problem) {
            (Some((drafting, proposal)), None) => {
                self.offer(&drafted, drafting, proposal, &interrupt, output)
            }
            (last, Some(problem)) => self.give_up(&drafted, last.as_ref(), &problem, output),
            (None, None) => Exit::Failed,
        };
        interrupt.seen().unwrap_or(exit)
    }

    /// Shows a draft without faults and writes it where somebody wants it.
    fn offer(
        &self,
        drafted: &Drafted,
        drafting: &Drafting,
        proposal: &Proposal,
        interrupt: &Interrupt,
        output: &mut Output,
    ) -> Exit {
        let commands = self.ready.prepared.commands.clone();
        let project = proposal.project(&drafting.title, commands, self.ready.config.clone());
        let request = Request { command: "autopilot plan".to_string(), ..Request::default() };
        let outlook = match outlook::make(&project, &request, &self.ready.settings) {
            Ok(outlook) => outlook,
            Err(problem) => return refuse(&problem, &project.findings, self.form, output),
        };
        if self.form == Form::Text {
            let files = self.ready.files(self.root, proposal);
            screen::show(&files, drafting, (&project, &outlook), &self.ready.settings, output);
        }
        let answer = match (self.arguments.yes, self.form) {
            (true, _) => Answer::Yes,
            (false, Form::Json) => Answer::No,
            (false, Form::Text) => question::ask("Write these files? [y/N] ", interrupt, output),
        };
        let made = match answer {
            Answer::Yes => self.write(proposal),
            Answer::No | Answer::Interrupted => Ok(Outcome::default()),
        };
        let outcome = match made {
            Ok(outcome) => outcome,
            Err(problem) => {
                if self.form == Form::Text {
                    output.remark(&format!("spent: {}", self.ready.spent(drafted)));
                }
                return refuse(&problem, &[], self.form, output);
            }
        };
        let next = self.next(&outcome);
        match self.form {
            Form::Json => {
                let parts = (drafting, proposal, Some((&project, &outlook)));
                output.document(&self.document(drafted, parts, &outcome, next));
            }
            Form::Text => {
                let spent = self.ready.spent(drafted);
                screen::finish(
                    drafted,
                    &spent,
                    &self.ready,
                    (&outcome.written, &outcome.commit),
                    &next,
                    output,
                );
            }
        }
        Exit::Success
    }

    fn write(&self, proposal: &Proposal) -> Result<Outcome, Problem> {
        let written = self.ready.write(self.root, proposal)?;
        let commit = match self.arguments.commit {
            false => None,
            true => {
                let git = super::init::git_for_commit(&self.means.machine, self.root)?;
                super::init::commit(&git, self.root, &written)?
            }
        };
        Ok(Outcome { written, commit })
    }

    /// No good draft came of it: every fault is listed, and what was spent is said.
    fn give_up(
        &self,
        drafted: &Drafted,
        last: Option<&(Drafting, Proposal)>,
        problem: &Problem,
        output: &mut Output,
    ) -> Exit {
        match (self.form, &drafted.end, last) {
            (Form::Json, End::Faulty, Some((drafting, proposal))) => {
                let (nothing, parts) = (Outcome::default(), (drafting, proposal, None));
                output.document(&self.document(drafted, parts, &nothing, Vec::new()));
                problem.exit
            }
            (Form::Text, End::Faulty, Some((_, proposal))) => {
                output.remark("The second draft:");
                screen::list_faults(&proposal.faults, output);
                output.remark("");
                refuse(problem, &[], self.form, output)
            }
            _ => refuse(problem, &[], self.form, output),
        }
    }

    /// Commands that work now, one after the other; for a draft nobody wanted, how to take it up after all.
    fn next(&self, outcome: &Outcome) -> Vec<String> {
        if outcome.written.new.is_empty() {
            let copy =
                format!("mkdir -p .planning && cp {}/*.md .planning/", self.ready.kept.shown());
            return vec![copy, "autopilot plan".to_string()];
        }
        let sight = &self.ready.sight;
        let first = match (&sight.repository, &outcome.commit) {
            (Some(Repository::NotARepository), _) => {
                Some("git init && git add --all && git commit -m start")
            }
            (Some(Repository::NoCommit), None) => Some("git add --all && git commit -m start"),
            (Some(Repository::Ready { .. }), _) if sight.uncommitted > 0 => {
                Some("git add --all && git commit")
            }
            (None, _) => Some("autopilot doctor"),
            (Some(_), _) => None,
        };
        let then = ["autopilot plan", "autopilot run next"];
        first.into_iter().chain(then).map(String::from).collect()
    }

    fn document<'a>(
        &'a self,
        drafted: &'a Drafted,
        (drafting, proposal, seen): (
            &'a Drafting,
            &'a Proposal,
            Option<(&'a Project<'_>, &'a Outlook)>,
        ),
        outcome: &'a Outcome,
        next: Vec<String>,
    ) -> NewDocument<'a> {
        let findings = seen.into_iter().flat_map(|(_, outlook)| &outlook.findings);
        NewDocument {
            title: &drafting.title,
            summary: &drafting.summary,
            decisions: &drafting.decisions,
            requirements: documents::requirements(drafting),
            phases: documents::phases(drafting),
            faults: &proposal.faults,
            estimate: seen.map(|(_, outlook)| NewEstimateDocument {
                tokens: outlook.total.tokens,
                agent_runs: outlook.total.agent_runs,
            }),
            agent: self.ready.agent_name(),
            model: drafted.model.as_deref(),
            tries: drafted.tries,
            tokens: drafted.spend.counted_tokens(),
            cost_usd: drafted.spend.usd_micros.map(super::agents::dollars),
            cost_is_estimate: drafted.spend.is_estimate,
            written: &outcome.written.new,
            kept: &outcome.written.kept,
            draft: self.ready.kept.shown(),
            commit: outcome.commit.as_deref(),
            next,
            findings: findings.map(FindingDocument::from).collect(),
        }
    }
}

/// Whether something of the project's lies in the folder beside the idea.
fn has_own_files(root: &Path, idea: &Idea) -> bool {
    let known = [".git", ".autopilot", ".planning", idea.name()];
    let mut entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    entries.any(|entry| !known.iter().any(|name| entry.file_name() == *name))
}
