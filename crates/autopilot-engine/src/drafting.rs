//! `autopilot new`: lets an agent draft a project from an idea, once, and once more where the draft has faults. Everything that can refuse is
//! asked before anything is spent. Which drafts are good is core's (`autopilot_core::drafting`); here an agent is shown the last commit
//! (`sight`), asked (`asking`), and what it drafted is kept (`kept`) and written, never over a file that is there.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use autopilot_agents::agent::Agent;
use autopilot_agents::ending::Ending;
use autopilot_core::config::Config;
use autopilot_core::contract::Role;
use autopilot_core::contract::drafting::{self as contract, Drafting};
use autopilot_core::drafting::{self, Idea, Proposal};
use autopilot_core::finding::{Finding, Severity};
use autopilot_core::limits;
use autopilot_core::problem::Problem;
use autopilot_core::prompt::context::{BoundsContext, CommandContext};
use autopilot_core::prompt::draft::{DraftContext, EarlierDraft};
use autopilot_core::run::agent_definition::AgentDefinition;
use autopilot_core::run::event::Spend;
use autopilot_core::run::fencing::Fencing;
use autopilot_core::settings::Settings;
use autopilot_journal::{Folder, Lock};

use crate::agents::choice;
use crate::init::{self, Prepared, TriedCommand, Written};
use crate::prompts::Prompts;
use crate::start::{self, Means, Wish};
use crate::{process, project, settings};

mod asking;
mod ended;
mod idea;
mod kept;
mod sight;

pub use asking::{Life, Watch};
pub use idea::read as read_idea;
pub use kept::Kept;
pub use sight::Sight;

/// The first, and one more with everything told that was wrong with it.
const TRIES_MAX: u32 = 2;

/// A draft that can be asked for: nothing is spent so far, and nothing of the user's is changed.
pub struct Ready {
    idea: Idea,
    pub prepared: Prepared,
    pub config: Config,
    pub settings: Settings,
    pub definition: AgentDefinition,
    pub bounds: Bounds,
    pub sight: Sight,
    pub kept: Kept,
    agent: Arc<dyn Agent>,
    prompts: Prompts,
    stage: sight::Stage,
    _lock: Lock,
}

/// What both tries together may spend, and each of them may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub tokens: u64,
    pub usd_micros: Option<u64>,
    pub time: Duration,
}

/// What came of asking.
#[derive(Debug)]
pub struct Drafted {
    /// The last draft that could be read.
    pub last: Option<(Drafting, Proposal)>,
    pub end: End,
    pub tries: u32,
    /// Estimated where the agent told no cost, and marked so.
    pub spend: Spend,
    pub took: Duration,
    /// The one the agent said it uses.
    pub model: Option<String>,
}

#[derive(Debug)]
pub enum End {
    /// The last draft has no fault.
    Good,
    /// It still has faults after the last try.
    Faulty,
    /// The last answer was no draft; every way in which it was none.
    Unreadable { breaches: Vec<String> },
    /// The agent ended without an answer.
    Ended(Ending),
    /// It could not be asked at all.
    NotAsked(Problem),
}

/// A reason not to begin, and what was noticed before.
pub type Refused = Box<(Problem, Vec<Finding>)>;

/// Refuses whatever would be refused later, before the first token.
pub fn prepare(root: &Path, idea: Idea, wish: &Wish, means: &Means) -> Result<Ready, Refused> {
    let alone = |problem: Problem| Box::new((problem, Vec::new()));
    refuse_existing(root).map_err(alone)?;
    let mut prepared = init::prepare(root, None)?;
    let config = project::read_config(root, &mut Vec::new());
    let (settings, found) = settings::read(&means.machine, &config, wish.settings.clone());
    prepared.findings.extend(found);
    let (prompts, found) = Prompts::read(root);
    prepared.findings.extend(found);
    refuse_errors(&prepared.findings)?;
    let refused = |problem: Problem| Box::new((problem, prepared.findings.clone()));
    let (agents, definition) =
        choice::choose(&settings, &config, &means.around(root)).map_err(refused)?;
    let found = sight::look(root, means).map_err(refused)?;
    let folder = Folder::open(root).map_err(|error| refused(error.problem()))?;
    let lock = start::lock(&folder, wish, means).map_err(refused)?;
    process::Owner::of_project(folder.path()).end_left();
    let fence = start::fence(&settings, wish, means);
    let (stage, sight) =
        sight::Stage::make(root, &folder, found, (&settings, fence), means).map_err(refused)?;
    let kept = Kept::begin(&folder, means.clock.now()).map_err(refused)?;
    let bounds = Bounds {
        tokens: limits::DRAFTING_TOKENS_MAX.min(settings.tokens_max.unwrap_or(u64::MAX)),
        usd_micros: settings.usd_micros_max,
        time: limits::DRAFTING_TIME_MAX,
    };
    let agent = Arc::clone(agents.of(Role::Plan));
    let ready = Ready {
        idea,
        prepared,
        config,
        settings,
        definition,
        bounds,
        sight,
        kept,
        agent,
        prompts,
        stage,
        _lock: lock,
    };
    ready.prompt(None).map_err(|problem| Box::new((problem, Vec::new())))?;
    Ok(ready)
}

/// Roadmap and requirements belong together and are written together: where one of them is there, the user has begun.
fn refuse_existing(root: &Path) -> Result<(), Problem> {
    if let Some(existing) = project::roadmap_path(root) {
        return Err(Problem::usage(
            format!("there is a roadmap already: {existing}"),
            "new drafts a roadmap where there is none, and never overwrites what you have",
            "look at it with autopilot plan, work on it with autopilot run next; or move it away first",
        ));
    }
    if root.join(project::REQUIREMENTS).symlink_metadata().is_ok() {
        let file = project::REQUIREMENTS;
        return Err(Problem::usage(
            format!("there are requirements already: {file}"),
            "new drafts requirements and roadmap together, and never overwrites what you have",
            format!(
                "move them away and draft from them: mv {file} REQUIREMENTS.md && autopilot new REQUIREMENTS.md"
            ),
        ));
    }
    Ok(())
}

fn refuse_errors(findings: &[Finding]) -> Result<(), Refused> {
    match findings.iter().find(|finding| finding.severity == Severity::Error) {
        None => Ok(()),
        Some(error) => {
            let problem = Problem::usage(
                error.message.clone(),
                "the agent would be chosen and asked by these settings",
                format!("mend {} and try again", error.place),
            );
            Err(Box::new((problem.at(error.place.clone()), findings.to_vec())))
        }
    }
}

impl Ready {
    pub fn idea(&self) -> &Idea {
        &self.idea
    }

    /// What is asked, and how the agent is called.
    pub fn agent_name(&self) -> &str {
        self.agent.name()
    }

    /// What keeps the agent in.
    pub fn fencing(&self) -> Fencing {
        self.stage.ground.fence.fencing()
    }

    fn prompt(&self, earlier: Option<EarlierDraft>) -> Result<String, Problem> {
        let minutes = u32::try_from(self.bounds.time.as_secs() / 60).unwrap_or(u32::MAX);
        let commands = self.prepared.commands.iter().map(|(slot, command)| CommandContext {
            name: slot.word().to_string(),
            line: command.line.clone(),
        });
        let context = DraftContext {
            idea: self.idea.text().to_string(),
            file: match &self.idea {
                Idea::Words(_) => None,
                Idea::File { name, .. } => Some(name.clone()),
            },
            has_code: self.sight.has_files,
            commands: commands.collect(),
            earlier,
            bounds: BoundsContext { minutes: Some(minutes), tokens: Some(self.bounds.tokens) },
        };
        self.prompts.render_draft(&context).map_err(|error| {
            Problem::usage(
                error,
                "the agent is told what to do by this text",
                "mend the template, or delete it to use autopilot's own; a shorter idea leaves more room",
            )
        })
    }

    /// Asks, and once more where the answer has faults. What could be read is kept on disk before anybody judges it.
    pub fn draft(&self, watch: &mut dyn Watch) -> Drafted {
        let mut drafted = Drafted {
            last: None,
            end: End::Faulty,
            tries: 0,
            spend: Spend::default(),
            took: Duration::ZERO,
            model: None,
        };
        let mut earlier: Option<EarlierDraft> = None;
        for round in 1..=TRIES_MAX {
            if let Some(earlier) = &earlier {
                watch.refused(earlier);
            }
            match self.one_try(round, earlier.take(), &mut drafted, watch) {
                Some(again) => earlier = Some(again),
                None => break,
            }
        }
        drafted
    }

    /// What is to be told with the next try, if there is to be one.
    fn one_try(
        &self,
        round: u32,
        earlier: Option<EarlierDraft>,
        drafted: &mut Drafted,
        watch: &mut dyn Watch,
    ) -> Option<EarlierDraft> {
        let asked = self.prompt(earlier).and_then(|prompt| self.ask(round, prompt, drafted, watch));
        let text = match asked {
            Ok(Ending::Answered { text }) => text,
            Ok(other) => {
                drafted.end = End::Ended(other);
                return None;
            }
            Err(problem) => {
                drafted.end = End::NotAsked(problem);
                return None;
            }
        };
        match contract::read(&text) {
            Ok(drafting) => {
                let proposal = drafting::examine(&drafting, &self.idea);
                let json = serde_json::to_string_pretty(&drafting).unwrap_or_default();
                self.kept.keep(round, &json, &proposal);
                let faults = proposal.faults.clone();
                drafted.last = Some((drafting, proposal));
                drafted.end = if faults.is_empty() { End::Good } else { End::Faulty };
                (!faults.is_empty()).then_some(EarlierDraft { draft: Some(json), faults })
            }
            Err(breaches) => {
                drafted.end = End::Unreadable { breaches: breaches.clone() };
                Some(EarlierDraft { draft: None, faults: breaches })
            }
        }
    }

    /// Writes a draft without faults. What somebody else put there meanwhile stays as it is, and is told.
    pub fn write(&self, root: &Path, proposal: &Proposal) -> Result<Written, Problem> {
        let meanwhile = |what: String| {
            Problem::usage(
                what,
                format!(
                    "somebody made it while the draft was made, and it is left alone; the draft is whole in {}",
                    self.kept.shown()
                ),
                "compare the two, and copy what you want",
            )
        };
        refuse_existing(root).map_err(|problem| meanwhile(problem.what))?;
        let mut prepared = self.prepared.clone();
        prepared.use_draft(&proposal.draft, self.idea.name(), &proposal.project);
        let written = init::write(root, &prepared, &self.detected())?;
        let belong_together = [init::ROADMAP, project::REQUIREMENTS];
        let taken = belong_together.iter().find(|path| written.kept.iter().any(|it| it == *path));
        match taken {
            None => Ok(written),
            Some(path) => Err(meanwhile(format!("there is {path} by now"))),
        }
    }

    /// The files a draft would be written to, with their texts, as far as they are not there yet.
    pub fn files(&self, root: &Path, proposal: &Proposal) -> Vec<(&'static str, String)> {
        let mut prepared = self.prepared.clone();
        prepared.use_draft(&proposal.draft, self.idea.name(), &proposal.project);
        let files = init::files(root, &prepared, &self.detected());
        files.into_iter().filter(|(path, _)| root.join(path).symlink_metadata().is_err()).collect()
    }

    /// Commands that were found and not tried: a draft is no reason to run anything of the project's.
    fn detected(&self) -> Vec<TriedCommand> {
        let found = self.prepared.commands.iter();
        found
            .map(|(slot, command)| TriedCommand {
                slot,
                line: command.line.clone(),
                source: command.source.clone(),
                tried: None,
            })
            .collect()
    }
}
