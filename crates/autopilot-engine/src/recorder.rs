//! Makes a script for the scripted agent of a recorded run: what every agent left, said and used, so that the run can be had again
//! without a model. Files come from the commits that autopilot kept of every attempt, plans and research from the store, answers
//! from the journal; what an agent printed is not looked at.

use std::collections::BTreeMap;

use autopilot_agents::script::{
    Action, Crash, Entry, Failure as Trouble, Recorded, Reply, Script, Spending, VERSION, When,
};
use autopilot_core::contract::Returned;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::problem::Problem;
use autopilot_core::run::effect::{Access, AgentOrder, Effect};
use autopilot_core::run::event::{AgentWork, Event, Failure, Spend};
use autopilot_core::run::ids::AttemptId;
use autopilot_journal::{Folder, Record};
use serde_json::{Value, json};

use crate::artifacts::Artifacts;
use crate::git::{Checkout, Git};
use crate::machine::Machine;

mod files;

/// A script, and what somebody who plays it should know.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    pub script: Script,
    pub remarks: Vec<String>,
}

pub fn record(
    machine: &Machine,
    root: &std::path::Path,
    folder: &Folder,
    records: &[Record<Event>],
) -> Result<Recording, Problem> {
    let git = Git::find(machine).map_err(|error| lost(&error.to_string()))?;
    let checkout = Checkout::find(&git, root).map_err(|error| lost(&error.to_string()))?;
    let Some(Event::RunStarted { definition }) = records.first().map(|record| &record.event) else {
        return Err(lost("the journal does not begin with run_started"));
    };
    let mut recorder = Recorder {
        checkout: &checkout,
        folder,
        run: definition.run.to_string(),
        folders: BTreeMap::new(),
        under_way: BTreeMap::new(),
        entries: Vec::new(),
        remarks: Vec::new(),
    };
    for record in records {
        recorder.take(&record.event)?;
    }
    let recorded = Recorded {
        run: recorder.run,
        agent: definition.agent.name.clone(),
        base: definition.base.to_string(),
    };
    let Recorder { entries, remarks, .. } = recorder;
    let script = Script { version: VERSION, recorded: Some(recorded), entries };
    Ok(Recording { script, remarks })
}

struct Recorder<'a> {
    checkout: &'a Checkout,
    folder: &'a Folder,
    run: String,
    /// Where each phase keeps its files.
    folders: BTreeMap<PhaseId, String>,
    under_way: BTreeMap<AttemptId, AgentOrder>,
    entries: Vec<Entry>,
    remarks: Vec<String>,
}

impl Recorder<'_> {
    fn take(&mut self, event: &Event) -> Result<(), Problem> {
        match event {
            Event::PhaseRead { phase, .. } => {
                self.folders.insert(phase.id.clone(), phase.folder.clone());
            }
            Event::StepStarted { attempt, effect: Effect::RunAgent(order) } => {
                self.under_way.insert(*attempt, order.clone());
            }
            Event::StepCompleted { attempt, work, returned } => {
                let ending = vec![Action::Reply(Reply::Json(value_of(returned)))];
                self.ended(*attempt, work, ending)?;
            }
            Event::StepFailed { attempt, work, failure } => {
                let ending = self.failing(failure);
                self.ended(*attempt, work, ending)?;
            }
            // What was lost or cancelled has no end on record, and is done again in the same round.
            _ => {}
        }
        Ok(())
    }

    fn ended(
        &mut self,
        attempt: AttemptId,
        work: &AgentWork,
        ending: Vec<Action>,
    ) -> Result<(), Problem> {
        let Some(order) = self.under_way.remove(&attempt) else { return Ok(()) };
        let when = When {
            phase: Some(order.phase.to_string()),
            step: Some(order.role.name().to_string()),
            task: order.task.as_ref().map(ToString::to_string),
            round: Some(order.round),
        };
        let mut actions = match order.access {
            Access::ReadOnly => Vec::new(),
            Access::PhaseFolder => self.kept(&order, work)?,
            Access::Writable => {
                let end = work.changed.as_ref().map_or(&order.head, |changed| &changed.snapshot);
                let start = order.snapshot.as_ref().unwrap_or(&order.head);
                files::changes(self.checkout, start, end, &mut self.remarks)?
            }
        };
        // Last of all but its answer: whoever has used more than it may is ended at once.
        actions.extend(spending(&work.spend).map(Action::Spend));
        actions.extend(ending);
        if let Some(at) = self.entries.iter().position(|entry| entry.when == when) {
            let (phase, step) = (&order.phase, order.role.name());
            self.remarks.push(format!(
                "phase {phase} was begun anew after a resume: of {step}, round {}, the last try is in the script",
                order.round
            ));
            self.entries.remove(at);
        }
        self.entries.push(Entry { when, actions });
        Ok(())
    }

    /// Research and plans, from the store.
    fn kept(&self, order: &AgentOrder, work: &AgentWork) -> Result<Vec<Action>, Problem> {
        let store = Artifacts::of(self.folder, &self.run, &order.phase);
        let folder = self.folders.get(&order.phase).cloned().unwrap_or_default();
        let kept = work.kept.iter().map(|file| {
            let text =
                store.read(&file.name, &file.hash).map_err(|error| lost(&error.to_string()))?;
            Ok(files::text(format!("{folder}/{}", file.name), text))
        });
        kept.collect()
    }

    fn failing(&mut self, failure: &Failure) -> Vec<Action> {
        let fail = |trouble: Trouble| vec![Action::Fail(trouble)];
        match failure {
            Failure::ContractBroken { .. } => {
                let text = "The recorded answer was not in the form asked for.".to_string();
                vec![Action::Reply(Reply::Text(text))]
            }
            Failure::Crashed { said } => {
                vec![Action::Complain { text: said.clone() }, Action::Crash(Crash::Exit(1))]
            }
            Failure::Refused { why } => fail(Trouble::Refused { why: why.clone() }),
            Failure::NotLoggedIn { said } if said.is_empty() => fail(Trouble::NotLoggedIn),
            Failure::NotLoggedIn { said } => fail(Trouble::LoginRefused { said: said.clone() }),
            Failure::Overloaded { unreachable } if unreachable.is_empty() => {
                fail(Trouble::Overloaded)
            }
            Failure::Overloaded { unreachable } => {
                fail(Trouble::Unreachable { said: unreachable.clone() })
            }
            Failure::LimitReached { resets_at } => {
                fail(Trouble::LimitReached { resets_at_unix_s: resets_at.map(|at| at / 1_000) })
            }
            Failure::Asked { questions } => {
                let asked = questions.iter().map(|question| json!({ "question": question }));
                let answer = json!({ "needs_answer": asked.collect::<Vec<Value>>() });
                vec![Action::Reply(Reply::Json(answer))]
            }
            Failure::AllowanceUsed => vec![Action::Hang],
            Failure::TimedOut | Failure::Stalled => {
                self.remarks.push(
                    "an agent that ran out of its time hangs in the script too: step_minutes says how long"
                        .to_string(),
                );
                vec![Action::Hang]
            }
            Failure::TooMuchOutput => {
                let bytes = autopilot_agents::limits::FLOOD_BYTES_MAX;
                vec![Action::Flood { bytes, line_bytes: None }]
            }
        }
    }
}

/// What the agent handed back, without the name we know its form by.
fn value_of(returned: &Returned) -> Value {
    let mut whole = serde_json::to_value(returned).unwrap_or_default();
    whole["value"].take()
}

/// None for an agent that does not tell.
fn spending(spend: &Spend) -> Option<Spending> {
    let spent = Spending {
        input_tokens: spend.input,
        output_tokens: spend.output,
        cache_read_tokens: spend.cache_read,
        cache_write_tokens: spend.cache_write,
        usd_micros: spend.usd_micros,
    };
    (spent != Spending::default()).then_some(spent)
}

/// Something of the run is not there any more.
fn lost(what: &str) -> Problem {
    Problem::environment(
        format!("the run cannot be made a script of: {what}"),
        "files come from the commits autopilot kept in the repository, and from .autopilot/artifacts",
        "record a run soon after it ended, in the project it ran in",
    )
}
