//! What people do with the work of a run that stands still or is over: merge it into their branch, or take phases back. The run's
//! journal is opened once more for that, so that a kill in between is found and brought to its end by the next go.

use std::path::Path;
use std::sync::Arc;

use autopilot_core::phase_id::PhaseId;
use autopilot_core::problem::Problem;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Commit;
use autopilot_core::run::landing::{self, MergeTime, Refused, TakenBack};
use autopilot_core::run::landing_words::phases_words;
use autopilot_core::run::state::{PhaseStatus, RunState, RunStatus};
use autopilot_journal::archive::{archived, reopen};
use autopilot_journal::{Folder, RunId};

use super::{Means, Wish, checkout, lock, of_git, of_memory};
use crate::drive::{Drive, DriveError, StopSwitch, Watch};
use crate::git::RunNames;
use crate::memory::{Memory, Told};
use crate::perform::ByHand;
use crate::{journal_read, project, run_branch};

/// What came of a wish to merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    pub run: String,
    /// The user's branch.
    pub branch: String,
    pub commit: Commit,
    /// The branch that has the same work.
    pub source: String,
}

/// What came of a wish to take phases back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolledBack {
    pub run: String,
    pub taken: TakenBack,
    /// Where the user asked for it too: their branch is without the phases.
    pub merged: Option<Merged>,
}

/// What is to be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Phase {
        phase: PhaseId,
        with_dependents: bool,
    },
    /// Every phase of the run that passed.
    Run,
}

pub fn merge(
    root: &Path,
    run: Option<&str>,
    wish: &Wish,
    means: &Means,
) -> Result<Merged, Problem> {
    let mut opened = Opened::of(root, run, wish, means)?;
    let merged = opened.merge();
    opened.close()?;
    merged
}

/// Of the newest run: what later ones built on is theirs.
pub fn roll_back(
    root: &Path,
    target: &Target,
    merges: bool,
    wish: &Wish,
    means: &Means,
) -> Result<RolledBack, Problem> {
    let mut opened = Opened::of(root, None, wish, means)?;
    let taken = opened.roll_back(target, merges);
    opened.close()?;
    taken
}

/// A run whose journal can be written again.
struct Opened {
    memory: Memory,
    hands: ByHand,
    id: RunId,
    /// What came of an earlier go that was cut off came of it now.
    is_brought: bool,
}

impl Opened {
    fn of(root: &Path, run: Option<&str>, wish: &Wish, means: &Means) -> Result<Opened, Problem> {
        let folder =
            Folder::find(root).map_err(|error| error.problem())?.ok_or_else(|| no_run(root))?;
        let checkout = checkout(root, means)?;
        let lock = lock(&folder, wish, means)?;
        let id = match run {
            Some(name) => named(&folder, name)?,
            None => journal_read::newest(&folder)?.ok_or_else(|| no_run(root))?.0,
        };
        let state = journal_read::fold(journal_read::journal(&folder, &id)?.records)?;
        let state = state.filter(|state| state.is_read).ok_or_else(|| no_run(root))?;
        if state.status == RunStatus::Running {
            return Err(Problem::usage(
                format!("run {id} was cut off and has not ended"),
                "what it was doing may still change its branch",
                "go on with it: autopilot resume. Or give it up: autopilot abandon",
            ));
        }
        let names = RunNames::of(id.as_str()).map_err(|error| of_git(&error))?;
        reopen(&folder, &lock, &id).map_err(|error| error.problem())?;
        let taken_up = Memory::resume(folder, lock, &id, Arc::clone(&means.clock));
        let (mut memory, _) = taken_up.map_err(of_memory)?;
        // A kill may have kept from it what the journal has.
        memory.keep_ledger().map_err(of_memory)?;
        let hands = ByHand { checkout, names };
        let mut opened = Opened { memory, hands, id, is_brought: false };
        opened.bring_to_its_end()?;
        Ok(opened)
    }

    fn state(&self) -> Result<&RunState, Problem> {
        self.memory.state().map_err(of_memory)
    }

    /// What an earlier go was asked for and could not do before it was cut off.
    fn bring_to_its_end(&mut self) -> Result<(), Problem> {
        let state = self.state()?;
        if state.landing.asked.is_none() {
            return Ok(());
        }
        if let Some(lost) = state.in_flight.as_ref().map(|one| one.attempt) {
            let lost = Event::AttemptLost { attempt: lost, spend: None };
            self.memory.note(lost).map_err(of_memory)?;
        }
        self.is_brought = true;
        self.drive()
    }

    fn ask(&mut self, event: Event) -> Result<(), Problem> {
        self.memory.note(event).map_err(of_memory)?;
        self.drive()
    }

    fn drive(&mut self) -> Result<(), Problem> {
        let Opened { memory, hands, .. } = self;
        let stop = StopSwitch::default();
        let mut watch = Nobody;
        let mut drive = Drive { memory, performer: hands, watch: &mut watch, stop: &stop };
        drive.go().map_err(|error| match error {
            DriveError::Memory(error) => of_memory(error),
            DriveError::NothingUnderWay => super::not_understood(&error.to_string()),
        })
    }

    fn merge(&mut self) -> Result<Merged, Problem> {
        let state = self.state()?;
        if let Some(merged) = self.merged(state) {
            return Ok(merged);
        }
        if landing::order(state).is_none() {
            return Err(nothing_to_merge(&self.id, state));
        }
        self.ask(Event::MergeRequested { when: MergeTime::Now })?;
        let state = self.state()?;
        match (self.merged(state), &state.landing.refused) {
            (Some(merged), _) => Ok(merged),
            (None, refused) => Err(not_moved(state, refused.as_ref())),
        }
    }

    /// None while the user's branch is not where it was asked to be.
    fn merged(&self, state: &RunState) -> Option<Merged> {
        let branch = state.branch.as_ref()?;
        state.landing.has_landed(&branch.head).then(|| Merged {
            run: self.id.to_string(),
            branch: state.definition.user_branch.clone().unwrap_or_default(),
            commit: branch.head.clone(),
            source: branch.name.clone(),
        })
    }

    fn roll_back(&mut self, target: &Target, merges: bool) -> Result<RolledBack, Problem> {
        let state = self.state()?;
        if let Some(taken) = state.landing.taken_back.clone().filter(|_| self.is_brought)
            && is_meant(target, state, &taken)
        {
            return self.rolled_back(taken, merges);
        }
        let phases = match target {
            Target::Phase { phase, with_dependents } => {
                chosen(&self.id, state, phase, *with_dependents)?
            }
            Target::Run => state.landing.merges.iter().map(|merge| merge.phase.clone()).collect(),
        };
        if phases.is_empty() {
            return Err(nothing_passed(&self.id));
        }
        let onto = self.onto(state)?;
        self.ask(Event::RollbackInitiated { phases, onto })?;
        let landing = &self.state()?.landing;
        if let Some(refused) = &landing.refused {
            return Err(Problem::usage(
                format!("nothing was taken back: {}", refused.why),
                "a rollback leaves everything as it is where it does not work out",
                refused.fix.clone(),
            ));
        }
        let taken = landing.taken_back.clone();
        let taken = taken.ok_or_else(|| super::not_understood("nothing came of the rollback"))?;
        self.rolled_back(taken, merges)
    }

    fn rolled_back(&mut self, taken: TakenBack, merges: bool) -> Result<RolledBack, Problem> {
        let merged = match merges && taken.is_apart {
            true => Some(self.merge()?),
            false => None,
        };
        Ok(RolledBack { run: self.id.to_string(), taken, merged })
    }

    /// Where the user's branch stands, if it has all that the run's branch has.
    fn onto(&self, state: &RunState) -> Result<Option<Commit>, Problem> {
        let (Some(user), Some(branch)) = (&state.definition.user_branch, &state.branch) else {
            return Ok(None);
        };
        let checkout = &self.hands.checkout;
        let seen = run_branch::seen(checkout, &format!("refs/heads/{user}"));
        let Some(seen) = seen.map_err(|error| of_git(&error))? else { return Ok(None) };
        let head = crate::git::ObjectId::parse(branch.head.as_str());
        let Some(head) = head else { return Ok(None) };
        let contains = checkout.git.contains(&checkout.place, &seen.commit, &head);
        match contains.map_err(|error| of_git(&error))? {
            true => Ok(seen.commit.as_str().parse().ok()),
            false => Ok(None),
        }
    }

    /// A run that is over goes back to the archive.
    fn close(self) -> Result<(), Problem> {
        let is_over = matches!(self.state()?.status, RunStatus::Completed(_));
        if is_over { self.memory.archive().map_err(of_memory) } else { Ok(()) }
    }
}

/// Whether what was taken back is what is asked for.
fn is_meant(target: &Target, state: &RunState, taken: &TakenBack) -> bool {
    match target {
        Target::Phase { phase, .. } => taken.phases.contains(phase),
        Target::Run => state.landing.merges.is_empty(),
    }
}

/// The phase, and where the user said so those that need it.
fn chosen(
    id: &RunId,
    state: &RunState,
    phase: &PhaseId,
    with_dependents: bool,
) -> Result<Vec<PhaseId>, Problem> {
    let has_passed = |phase: &PhaseId| {
        state.phase(phase).is_some_and(|it| matches!(it.status, PhaseStatus::Passed(_)))
    };
    if !has_passed(phase) {
        let passed: Vec<PhaseId> =
            state.landing.merges.iter().map(|merge| merge.phase.clone()).collect();
        if passed.is_empty() {
            return Err(nothing_passed(id));
        }
        return Err(Problem::usage(
            format!("phase {phase} has not passed in run {id}"),
            "only what the last run brought onto its branch can be taken back",
            format!("take one of these back: {}", phases_words(&passed)),
        ));
    }
    let asked = vec![phase.clone()];
    let dependents = landing::passed_dependents(state, &asked);
    if !dependents.is_empty() && !with_dependents {
        let word = if dependents.len() == 1 { "depends" } else { "depend" };
        return Err(Problem::usage(
            format!("{} passed and {word} on phase {phase}", phases_words(&dependents)),
            "nothing may be left without what it is built on",
            format!("take all of them back: autopilot rollback {phase} --with-dependents"),
        ));
    }
    Ok(asked.into_iter().chain(dependents).collect())
}

fn named(folder: &Folder, name: &str) -> Result<RunId, Problem> {
    let mut known = folder.runs().map_err(|error| error.problem())?;
    known.extend(archived(folder).map_err(|error| error.problem())?);
    let found = known.iter().find(|id| id.as_str() == name).cloned();
    found.ok_or_else(|| {
        let newest = known.iter().max().map(|id| format!("; the newest is {id}"));
        Problem::usage(
            format!("there is no run {name} here{}", newest.unwrap_or_default()),
            "only a run of this project can be merged into its branch",
            "leave the name out to mean the newest run",
        )
    })
}

fn no_run(root: &Path) -> Problem {
    Problem::usage(
        "no run has begun here",
        "there is no work that could be merged or taken back",
        project::first_step(root),
    )
}

fn nothing_passed(id: &RunId) -> Problem {
    Problem::usage(
        format!("no phase of run {id} is on its branch"),
        "only what passed can be merged or taken back",
        "see where the project stands: autopilot status",
    )
}

fn nothing_to_merge(id: &RunId, state: &RunState) -> Problem {
    match (&state.branch, &state.definition.user_branch) {
        (Some(branch), None) => Problem::usage(
            format!("run {id} began on no branch: HEAD was detached"),
            "there is no branch of yours that could be moved",
            format!("merge it yourself: git merge {}", branch.name),
        ),
        _ => nothing_passed(id),
    }
}

fn not_moved(state: &RunState, refused: Option<&Refused>) -> Problem {
    let branch = state.definition.user_branch.as_deref().unwrap_or("your branch");
    let (why, fix) = match refused {
        Some(refused) => (refused.why.as_str(), refused.fix.clone()),
        None => ("nobody knows why", "try again: autopilot merge".to_string()),
    };
    Problem::usage(
        format!("{branch} was not moved: {why}"),
        "a branch of yours is moved only forward, and only where nothing of yours could be lost",
        fix,
    )
}

/// Whoever asked waits for the end; all that happens is in the journal.
struct Nobody;

impl Watch for Nobody {
    fn happened(&mut self, _told: &Told, _state: &RunState) {}
}
