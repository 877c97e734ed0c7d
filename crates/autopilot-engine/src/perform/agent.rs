//! Lets an agent do one step: puts the slot where the order says, hands it its prompt, follows it to its end, and keeps what it
//! left. What its words mean is the contract's; whether its work holds is measured afterwards.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use autopilot_agents::ending::Ending;
use autopilot_agents::request::{Access as AgentAccess, Request};
use autopilot_core::contract::{self, Returned, Role};
use autopilot_core::run::briefing;
use autopilot_core::run::definition::PhaseDefinition;
use autopilot_core::run::effect::{Access, AgentOrder, Effect};
use autopilot_core::run::event::{AgentWork, Changed, Event, Failure};
use autopilot_core::run::files::reports;
use autopilot_core::run::ids::{AttemptId, Moment};

use super::allowance::Allowance;
use super::failure::failure;
use super::scratch::Scratch;
use super::seen::{Seen, told};
use super::shown::{Shown, is_blind};
use super::{Failed, Performer, commit, definition, object, recorded};
use crate::agents::hand_over;
use crate::artifacts;
use crate::drive::{Host, Ordered};
use crate::ground::Child;
use crate::process::Order;
use crate::process::supervise::{self, Outcome, StartError, Supervision};
use crate::stall::Watcher;

/// What lies in the phase's folder for an agent.
struct LaidOut {
    /// All it can see there.
    names: Vec<String>,
    /// What we put there, by name.
    texts: BTreeMap<String, String>,
}

/// Whether a role may see a file of the phase's folder.
fn is_shown(role: Role, name: &str) -> bool {
    let is_compared = role == Role::JudgeDivergence && name == "VERIFICATION.md";
    !is_blind(role) || !reports::is_blind_to(name) || is_compared
}

impl Performer {
    pub(super) fn run_agent(
        &self,
        ordered: &Ordered,
        order: &AgentOrder,
        host: &mut dyn Host,
    ) -> Result<Vec<Event>, Failed> {
        let definition = definition(ordered)?;
        let texts = self.texts_for(ordered, order)?;
        let shown = self.show(ordered, order, |stay| {
            let none = BTreeMap::new();
            self.take_back(ordered, definition, order, if stay { &texts } else { &none });
        })?;
        let laid_out = self.lay_out(definition, order, texts)?;
        let slot = self.slot.folder();
        self.lasting.get_or_init(|| [Scratch::lasting(slot).ok(), self.ground.lasting_temp(slot)]);
        let scratch = Scratch::beside(slot)
            .map_err(|error| Failed::World(format!("no folder for the agent: {error}")))?;
        let request = self.request(ordered, order, (&laid_out.names, &scratch))?;
        let seen = self.follow(&request, (&scratch, &shown), ordered, host)?;
        self.put_texts_back(&shown)?;
        let work = self.keep(ordered, definition, order, (&seen, shown, &laid_out))?;
        if seen.exit.outcome == Outcome::Cancelled && seen.ended_for.is_none() {
            let rescue = match work.changed {
                Some(changed) => {
                    let label = format!("phase-{}-cancelled", order.phase);
                    Some(self.slot.keep_ref(&object(&changed.snapshot)?, &label)?)
                }
                None => None,
            };
            return Err(Failed::Cancelled { rescue, spend: told(seen.spend) });
        }
        Ok(vec![outcome(ordered, order.role, work, (seen.ending, host.now()))])
    }

    /// What an earlier agent of the phase was shown: put back by git it would cost a process between two agents. What this one
    /// is shown as well stays.
    fn take_back(
        &self,
        ordered: &Ordered,
        definition: &PhaseDefinition,
        order: &AgentOrder,
        stays: &BTreeMap<String, String>,
    ) {
        // In the user's folder nothing is taken away before it is known to be ours.
        if self.is_in_place(order) {
            return;
        }
        let work = ordered.phase.as_ref().and_then(|phase| phase.work.as_deref());
        let kept = work.into_iter().flat_map(|work| work.kept.keys().map(String::as_str));
        let names = kept.chain(reports::NAMES);
        artifacts::take_back(self.slot.folder(), &definition.folder, names, stays);
    }

    /// The files of the phase that this role may see.
    fn texts_for(
        &self,
        ordered: &Ordered,
        order: &AgentOrder,
    ) -> Result<BTreeMap<String, String>, Failed> {
        let mut texts = self.kept_texts(ordered)?;
        if order.role == Role::JudgeDivergence
            && let Some(phase) = &ordered.phase
        {
            let reports = reports::of_phase(phase).into_iter();
            texts.extend(reports.map(|(name, text)| (name.to_string(), text)));
        }
        texts.retain(|name, _| is_shown(order.role, name));
        Ok(texts)
    }

    /// Puts them into its slot.
    fn lay_out(
        &self,
        definition: &PhaseDefinition,
        order: &AgentOrder,
        texts: BTreeMap<String, String>,
    ) -> Result<LaidOut, Failed> {
        let folder = self.bench(order).folder().join(&definition.folder);
        let shown = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        artifacts::lay_out(&folder, shown)?;
        let names = crate::files::names_in(&folder).unwrap_or_default();
        let names = names.into_iter().filter(|name| is_shown(order.role, name)).collect();
        Ok(LaidOut { names, texts })
    }

    fn request(
        &self,
        ordered: &Ordered,
        order: &AgentOrder,
        (files, scratch): (&[String], &Scratch),
    ) -> Result<Request, Failed> {
        let phase = ordered.phase.as_ref().ok_or_else(|| Failed::World("no phase".to_string()))?;
        let kind = briefing::kind(phase, order);
        let context = briefing::context(
            &ordered.definition,
            ordered.project.as_ref(),
            phase,
            order,
            (files, &ordered.lessons),
        );
        let prompt = self.prompts.render(kind, &context).map_err(Failed::World)?;
        Ok(Request {
            prompt,
            model: ordered.definition.agent.model_for(order).map(str::to_string),
            schema: Some(contract::schema(order.role)),
            ..self.plain_request(order, scratch.folder())
        })
    }

    /// What the order alone says: enough to understand a stream that answers it.
    pub(super) fn plain_request(&self, order: &AgentOrder, scratch: &Path) -> Request {
        Request {
            prompt: String::new(),
            phase: order.phase.to_string(),
            step: order.role.name().to_string(),
            task: order.task.as_ref().map(ToString::to_string),
            round: order.round,
            access: match order.access {
                Access::ReadOnly => AgentAccess::ReadOnly,
                Access::PhaseFolder | Access::Writable => AgentAccess::Writable,
            },
            model: None,
            allowance_tokens: order.tokens_max,
            allowance_usd_micros: order.usd_micros_max,
            schema: None,
            is_fenced: self.ground.fence.is_there(),
            scratch: scratch.to_path_buf(),
        }
    }

    fn follow(
        &self,
        request: &Request,
        (scratch, shown): (&Scratch, &Shown),
        ordered: &Ordered,
        host: &mut dyn Host,
    ) -> Result<Seen, Failed> {
        let Effect::RunAgent(order) = &ordered.effect else {
            return Err(Failed::World("no agent was ordered".to_string()));
        };
        let agent = self.agents.for_order(order);
        let command = agent.command(request);
        hand_over(&command, scratch.folder())
            .map_err(|error| Failed::World(format!("the agent's files: {error}")))?;
        let scratch = [scratch.folder().to_path_buf()];
        let also: Vec<_> = scratch.into_iter().chain(command.writes).collect();
        let inside = self.started_as(match self.is_in_place(order) {
            true => Child::AgentInPlace { also: &also },
            false => Child::Agent { also: &also },
        })?;
        let environment = inside.environment.clone();
        let environment = environment.also(&self.ground.machine, command.variables);
        let mut environment = environment.also(&self.ground.machine, agent.more_variables());
        for (name, value) in &shown.veil.variables {
            environment = environment.with(name, value);
        }
        for (name, value) in command.environment {
            environment = environment.with(name, value);
        }
        let time_max = Duration::from_millis(order.time_max_ms);
        let process =
            Order::new(command.program, self.bench(order).folder(), environment, time_max)
                .arguments(command.arguments)
                .input(command.stdin);
        let supervision = Supervision::of_agents(inside.launcher.clone(), self.log(ordered));
        let started = supervise::start(process, supervision, |group| host.spawned(recorded(group)));
        let running = match started {
            Ok(running) => running,
            Err(error @ (StartError::Spawn(_) | StartError::NotRecorded(_))) => {
                return Err(Failed::World(format!("{}: {error}", agent.name())));
            }
        };
        let patience = Duration::from_millis(ordered.definition.settings.stall_time_max_ms);
        let watcher =
            Watcher::of(running.group(), self.bench(order).folder().to_path_buf(), patience);
        let allowance = Allowance::of(order, agent.holds_its_cost());
        Ok(Seen::of(running, agent.reader(request), watcher, allowance, host))
    }

    /// The raw stream, for `logs`. That it cannot be kept is no reason not to work.
    fn log(&self, ordered: &Ordered) -> Option<File> {
        let path = self.log_of(ordered.attempt);
        std::fs::create_dir_all(path.parent()?).ok()?;
        File::create(path).ok()
    }

    pub(super) fn log_of(&self, attempt: AttemptId) -> PathBuf {
        self.folder.logs().join(self.names.run()).join(format!("{attempt}.jsonl"))
    }

    /// What it left in the slot: changed files as a commit outside every branch, or files of the phase's folder.
    fn keep(
        &self,
        ordered: &Ordered,
        definition: &PhaseDefinition,
        order: &AgentOrder,
        (seen, shown, laid_out): (&Seen, Shown, &LaidOut),
    ) -> Result<AgentWork, Failed> {
        let mut work = AgentWork {
            took_ms: u64::try_from(seen.exit.took.as_millis()).unwrap_or(u64::MAX),
            spend: seen.spend,
            model: seen.model.clone(),
            left_running: seen.exit.left_running.clone(),
            ..AgentWork::default()
        };
        // A delegate writes research, a plan and the code in one go.
        if order.access == Access::PhaseFolder || order.role == Role::Delegate {
            let known = ordered.phase.as_ref().and_then(|phase| phase.work.as_deref());
            let known = known.map(|work| work.kept.clone()).unwrap_or_default();
            let store = self.artifacts(&order.phase);
            work.kept = store.collect(self.bench(order).folder(), &definition.folder, &known)?;
        }
        match order.access {
            Access::ReadOnly | Access::PhaseFolder => {
                work.dropped = self.dropped(order, shown, (&definition.folder, &laid_out.texts))?;
            }
            Access::Writable => {
                let laid_out = laid_out
                    .texts
                    .iter()
                    .map(|(name, text)| (Path::new(&definition.folder).join(name), text.as_str()));
                let theirs = self.clear_in_place(order, &laid_out.collect())?;
                let is_theirs = |path: &Path| theirs.iter().any(|it| path.starts_with(it));
                // First: keeping the work shows the agent's git our index again.
                let bench = self.bench(order);
                let overlooked = bench.overlooked()?;
                let is_agents = |path: &String| !is_theirs(Path::new(path));
                work.ignored = overlooked.ignored.into_iter().filter(is_agents).collect();
                work.hidden = overlooked.hidden;
                work.hidden.extend(seen.hidden.iter().cloned());
                let branch = self.branch(&order.phase)?;
                let ours = (definition.folder.as_str(), &shown);
                let is_left_out =
                    |path: &Path| is_theirs(path) || self.is_left_out(ordered, ours, path);
                let kept = bench.keep_work(&branch, &object(&order.head)?, &is_left_out)?;
                let mut passed_over = kept.passed_over;
                passed_over.retain(|path| !is_theirs(path));
                work.put_back = self.put_back(ordered, order, &passed_over)?;
                work.changed = match kept.work {
                    None => None,
                    Some(kept) => Some(Changed {
                        snapshot: commit(&kept.commit)?,
                        files: kept.files,
                        lines: kept.lines,
                        own_commits: kept.own_commits,
                    }),
                };
            }
        }
        Ok(work)
    }
}

/// The event that ends the attempt.
fn outcome(ordered: &Ordered, role: Role, work: AgentWork, ended: (Ending, Moment)) -> Event {
    let attempt = ordered.attempt;
    let text = match ended {
        (Ending::Answered { text }, _) => text,
        (other, now) => return Event::StepFailed { attempt, work, failure: failure(other, now) },
    };
    match contract::read(role, &text) {
        Ok(read) => match read.returned {
            Returned::NeedsAnswer(asked) => {
                let questions = asked.needs_answer.into_iter().map(|one| one.question).collect();
                Event::StepFailed { attempt, work, failure: Failure::Asked { questions } }
            }
            returned => Event::StepCompleted { attempt, work, returned },
        },
        Err(broken) => {
            let breaches = broken.breaches.iter().map(ToString::to_string).collect();
            Event::StepFailed { attempt, work, failure: Failure::ContractBroken { breaches } }
        }
    }
}
