//! Carries out effects: one file for each kind. Every choice was made in core; what goes wrong with the world comes back as an
//! event that says so.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::path::PathBuf;

use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::definition::PhaseDefinition;
use autopilot_core::run::effect::Effect;
use autopilot_core::run::event::{Event, ProcessGroup, Spend};
use autopilot_core::run::ids::Commit;
use autopilot_core::run::state::InFlight;
use autopilot_journal::{Folder, JournalError};

use crate::agents::choice::Agents;
use crate::artifacts::{ArtifactError, Artifacts};
use crate::drive::{Host, Ordered, Perform};
use crate::fence::own_folders::Passing;
use crate::git::{Branch, Checkout, GitError, ObjectId, RunNames};
use crate::ground::{Child, Ground, Inside};
use crate::process::{self, RecordedEnd};
use crate::proof_tree::ProofTree;
use crate::slot::{InPlace, Slot};

mod agent;
pub(crate) mod allowance;
mod brought;
mod close;
mod diagnostic;
mod difference;
pub(crate) mod failure;
mod hiding;
mod in_place;
mod landing;
mod left_log;
mod look_up;
mod measure;
mod open;
mod plan;
mod put_back;
mod report;
pub(crate) mod scratch;
pub(crate) mod seen;
mod shown;
mod side_file;
mod work;

/// Why an effect could not be carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{0}")]
    World(String),
    /// Somebody asked for the end of the attempt; its work is kept under this ref, and this is what its agent had told it spent.
    #[error("cancelled")]
    Cancelled { rescue: Option<String>, spend: Option<Spend> },
}

pub use landing::ByHand;
pub use shown::Hung;

/// The hands of one run: its slot, its agents, its store.
pub struct Performer {
    pub checkout: Checkout,
    pub names: RunNames,
    pub slot: Slot,
    /// The user's own folder, where a run works there.
    pub in_place: Option<InPlace>,
    /// Where checks are measured. No agent can write it.
    pub proof: ProofTree,
    pub folder: Folder,
    pub agents: Agents,
    /// How agents and checks are started.
    pub ground: Ground,
    /// Prompts of the user's own, by role.
    pub prompts: crate::prompts::Prompts,
    /// What the journal knows of hidden checks by hash alone.
    pub hidden_checks: crate::hidden_checks::HiddenChecks,
    /// Whether planning files are committed with the work (`commit_docs`).
    pub commits_docs: bool,
    /// What is hidden from reviewers of the candidate under review.
    pub hung: Cell<Option<Hung>>,
    /// Folders beside the slot that every agent finds empty. Made for the first one: of an attempt that was killed they may have
    /// what tells its spend.
    pub(crate) lasting: OnceCell<[Option<Passing>; 2]>,
}

impl Perform for Performer {
    fn perform(&mut self, ordered: &Ordered, host: &mut dyn Host) -> Vec<Event> {
        let attempt = ordered.attempt;
        match self.carry_out(ordered, host) {
            Ok(events) => events,
            Err(Failed::Cancelled { rescue, spend }) => {
                vec![Event::AttemptCancelled { attempt, rescue, spend }]
            }
            Err(failed) => vec![Event::EffectFailed { attempt, what: failed.to_string() }],
        }
    }

    fn stand_down(&mut self) -> Vec<String> {
        self.give_back_at_rest()
    }

    fn recover(&mut self, lost: &InFlight) -> Option<Spend> {
        // Gone is what was wanted, and a stranger's group is left alone; the slot is put back before the next attempt.
        end_left(lost);
        self.told_before(lost)
    }
}

/// Ends the processes that a dead autopilot left of an attempt; None where it had started none.
pub fn end_left(lost: &InFlight) -> Option<RecordedEnd> {
    let group = lost.group.as_ref()?;
    Some(process::end_recorded_group(&process::ProcessGroup {
        id: group.id,
        start_ticks: group.start_ticks,
        boot_id: group.boot_id.clone(),
    }))
}

impl Performer {
    fn carry_out(&self, ordered: &Ordered, host: &mut dyn Host) -> Result<Vec<Event>, Failed> {
        match &ordered.effect {
            // These leave the slot alone, or look themselves.
            Effect::RunAgent(_) | Effect::LookUp(_) | Effect::Measure(_) | Effect::Report => {}
            _ => self.take_down()?,
        }
        match &ordered.effect {
            Effect::OpenRun { base } => self.open_run(ordered, base),
            Effect::OpenPhase { phase, base } => self.open_phase(ordered, phase, base, host),
            Effect::Measure(order) => self.measure(ordered, order, host),
            Effect::RunAgent(order) => self.run_agent(ordered, order, host),
            Effect::LookUp(order) => self.look_up(ordered, order),
            Effect::ReadPlan { phase } => self.read_plan(ordered, phase),
            Effect::CommitTask(order) => self.commit_task(ordered, order),
            Effect::RollBack { phase, to, snapshot, .. } => {
                self.roll_back(ordered, phase, to, snapshot.as_ref())
            }
            Effect::ClosePhase { phase, head, onto } => {
                self.close_phase(ordered, phase, head, onto)
            }
            Effect::WriteDiagnostic { phase, score } => {
                self.write_diagnostic(ordered, phase, *score)
            }
            Effect::MergeRun(order) => {
                Ok(vec![landing::merge_run(&self.checkout, ordered.attempt, order)])
            }
            Effect::TakeBack(order) => {
                Ok(vec![landing::take_back(&self.checkout, &self.names, ordered, order)])
            }
            Effect::Report => self.report(ordered),
        }
    }

    fn artifacts(&self, phase: &PhaseId) -> Artifacts {
        Artifacts::of(&self.folder, self.names.run(), phase)
    }

    /// What agents wrote into the phase's folder, as it is on record.
    fn kept_texts(&self, ordered: &Ordered) -> Result<BTreeMap<String, String>, Failed> {
        let Some(phase) = &ordered.phase else { return Ok(BTreeMap::new()) };
        let store = self.artifacts(&phase.definition.id);
        let kept = phase.work.iter().flat_map(|work| &work.kept);
        kept.map(|(name, hash)| Ok((name.clone(), store.read(name, hash)?))).collect()
    }

    fn branch(&self, phase: &PhaseId) -> Result<Branch, Failed> {
        Ok(self.names.phase_branch(&phase.to_string())?)
    }

    /// The phase's folder in the slot.
    fn phase_folder(&self, phase: &PhaseDefinition) -> PathBuf {
        self.slot.folder().join(&phase.folder)
    }

    /// How children other than checks are started; `also` is what the child may write beside its own folders.
    fn inside(&self, also: &[PathBuf]) -> Result<Inside, Failed> {
        self.started_as(Child::Agent { also })
    }

    fn started_as(&self, child: Child<'_>) -> Result<Inside, Failed> {
        self.ground.inside(self.slot.folder(), "cache", child).map_err(Failed::World)
    }

    /// Brings the slot to a commit and, where there is some, uncommitted work on top of it.
    fn put(&self, phase: &PhaseId, head: &Commit, work: Option<&Commit>) -> Result<(), Failed> {
        let branch = self.branch(phase)?;
        let work = work.map(object).transpose()?;
        self.slot.put(&branch, &object(head)?, work.as_ref(), &format!("phase-{phase}"))?;
        Ok(())
    }
}

/// As the journal has it.
fn recorded(group: &process::ProcessGroup) -> ProcessGroup {
    ProcessGroup { id: group.id, start_ticks: group.start_ticks, boot_id: group.boot_id.clone() }
}

fn definition(ordered: &Ordered) -> Result<&PhaseDefinition, Failed> {
    let phase = ordered.phase.as_ref().map(|phase| &phase.definition);
    phase.ok_or_else(|| Failed::World("the effect is about no phase".to_string()))
}

fn object(commit: &Commit) -> Result<ObjectId, Failed> {
    ObjectId::parse(commit.as_str()).ok_or_else(|| Failed::World(format!("{commit} is no commit")))
}

fn commit(object: &ObjectId) -> Result<Commit, Failed> {
    object.as_str().parse().map_err(|error| Failed::World(format!("{error}")))
}
