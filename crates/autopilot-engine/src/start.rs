//! Everything between a wish to run and the first decision: what must hold before anything is spent (INV-8), the run's first
//! events, and the hands it works with. Also takes up a run that was left.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use autopilot_core::errand::Errand;
use autopilot_core::finding::{Finding, Place, Severity, quote};
use autopilot_core::hidden::redact::redact;
use autopilot_core::outlook::{self, Outlook};
use autopilot_core::problem::Problem;
use autopilot_core::project::Project;
use autopilot_core::run::begin;
use autopilot_core::run::definition::{RunDefinition, RunMode};
use autopilot_core::run::event::{Drift, Event};
use autopilot_core::run::landing::MergeTime;
use autopilot_core::run::request as requests;
use autopilot_core::run::state::RunState;
use autopilot_core::selection::Request;
use autopilot_core::settings::Settings;
use autopilot_journal::{Folder, Holder, Lock, RunId, Tail, inbox};
use serde_json::{Map, Value};

use crate::agents::choice::{self, Agents, Around};
use crate::agents::probe::Patience;
use crate::clock::Clock;
use crate::drive::Changes;
use crate::fence::Kind;
use crate::git::{Checkout, Git, RunNames, repository_fit, user_tree};
use crate::ground::{Ground, Hidden};
use crate::hidden_checks::HiddenChecks;
use crate::keep_awake::KeepAwake;
use crate::landing;
use crate::launcher::Launcher;
use crate::machine::Machine;
use crate::memory::{Memory, MemoryError, Told};
use crate::perform::Performer;
use crate::process::Owner;
use crate::prompts::Prompts;
use crate::proof_tree::{self, ProofTree};
use crate::slot::{self, InPlace, Slot};
use crate::tree_setup::TreeSetup;
use crate::{files, import, journal_read, project, run_id};

mod add;
mod again;
mod by_hand;
mod in_place;
mod left_runs;
mod run_settings;
mod source;
mod wrong_starts;

pub use add::{Added, Asked, add};
pub use by_hand::{Merged, RolledBack, Target, merge, roll_back};
pub use in_place::{give_back, is_merge_cut_off};
pub use left_runs::{Unfinished, folded, is_mended, put_away, unfinished};
use run_settings::{caps, run_settings};
use source::Source;

/// What a user asked for.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    pub request: Request,
    /// Asked for by word: the phases of the request do not count then.
    pub errand: Option<Errand>,
    /// Where whoever asks stands, if that matters.
    pub folder: Option<PathBuf>,
    pub flags: RunFlags,
    /// Settings among the flags.
    pub settings: Map<String, Value>,
    /// The command line as typed.
    pub command: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunFlags {
    pub lenient: bool,
    pub allows_dirty: bool,
    pub allows_unproven: bool,
    pub accepts_red: bool,
    pub accepts_judged: bool,
    /// `--merge`: the user's branch is moved at the end of a run that went well.
    pub merges: bool,
    /// `--in-place`: agents work in the user's own folder.
    pub in_place: bool,
}

/// A run that can be driven.
pub struct Ready {
    pub memory: Memory,
    pub performer: Performer,
    /// The first events, for whoever watches.
    pub told: Vec<Told>,
    pub findings: Vec<Finding>,
    /// Keeps the machine from falling asleep for as long as it lives.
    pub awake: Option<KeepAwake>,
}

/// What starting needs of the world.
pub struct Means {
    pub machine: Machine,
    pub clock: Arc<dyn Clock>,
    /// The program that launches children and plays scripts: this one.
    pub program: PathBuf,
}

impl Means {
    pub(crate) fn around<'a>(&'a self, root: &'a Path) -> Around<'a> {
        Around { root, machine: &self.machine, program: &self.program, patience: Patience::USUAL }
    }
}

/// Makes a new run. Nothing is spent and nothing of the user's is changed before every condition holds.
pub fn begin(root: &Path, wish: &Wish, means: &Means) -> Result<Ready, Problem> {
    let source = Source::of_wish(root, wish)?;
    let mut project = source.project(root);
    project.locks = project::locks(root, &project);
    let (settings, found) =
        crate::settings::read(&means.machine, &project.config, wish.settings.clone());
    project.findings.extend(found);
    let (prompts, found) = Prompts::read(root);
    project.findings.extend(found);
    let hidden = HiddenChecks::attach(&settings, &means.machine, root, &mut project)?;
    let folder = Folder::open(root).map_err(|error| error.problem())?;
    let ledger = journal_read::ledger(&folder)?;
    journal_read::count_completed(&mut project, &ledger);
    let outlook = outlook::make(&project, &wish.request, &settings)?;
    if outlook.schedule.order.is_empty() {
        return Err(nothing_to_do(&outlook));
    }
    // Before what is missing in the project: without a commit there is no project that anything could be missing in.
    let checkout = checkout(root, means)?;
    let base = base(&checkout, wish)?;
    wrong_starts::refuse(root, wish, (&project, &settings), means)?;
    let (agents, agent) = choice::choose(&settings, &project.config, &means.around(root))?;
    require_ignored(&checkout, &settings)?;
    let fence = fence(&settings, wish, means);
    let telling_files = telling(checkout.root());
    in_place::require(&wish.flags, base.1.as_deref(), (&checkout, &fence, &telling_files), means)?;
    let lock = lock(&folder, wish, means)?;
    let mut findings = import::take_over(&folder, &lock)?;
    findings.extend(left_runs::end_left(&folder));
    findings.extend(outlook.findings.iter().cloned());
    let run = run_id::next(&folder, means.clock.now())?.ok_or_else(no_run_id)?;
    let definition = RunDefinition {
        run: run.clone(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        command: wish.command.clone(),
        mode: if wish.request.flags.complete { RunMode::Complete } else { RunMode::Selected },
        settings: run_settings(&project.config, &settings, wish),
        base: base.0.as_str().parse().map_err(|error| not_understood(&format!("{error}")))?,
        user_branch: base.1,
        is_in_place: wish.flags.in_place,
        errand: wish.errand.as_ref().map(|errand| errand.text().to_string()),
        agent,
        fencing: Some(fence.fencing()),
    };
    let hands = (agents, fence, hidden);
    let mut performer =
        performer(&folder, checkout, run.as_str(), hands, prompts, (&project, &settings), means)?;
    performer.in_place = wish.flags.in_place.then(|| InPlace::of(&performer.slot));
    let mut events = begin::events(definition, &project, &outlook);
    if wish.flags.merges {
        // Before the last phase is read: a run whose first events are torn has not begun.
        events.insert(1, Event::MergeRequested { when: MergeTime::AtEnd });
    }
    let id = RunId::new(run.as_str()).map_err(|error| error.problem())?;
    let (memory, told) =
        Memory::begin(folder, lock, &id, events, Arc::clone(&means.clock)).map_err(of_memory)?;
    let awake = awake(&settings, root, means);
    Ok(Ready { memory, performer, told, findings, awake })
}

/// Takes up the run that was left. `Drive::resume` records what was lost.
pub fn resume(root: &Path, wish: &Wish, means: &Means) -> Result<(Ready, Changes), Problem> {
    let folder = Folder::open(root).map_err(|error| error.problem())?;
    let run = unfinished(&folder)?.ok_or_else(|| nothing_to_resume(root))?;
    let lock = lock(&folder, wish, means)?;
    let (mut memory, tail) =
        Memory::resume(folder.clone(), lock, &run.id, Arc::clone(&means.clock))
            .map_err(of_memory)?;
    let left = left_runs::end_left(&folder);
    let is_in_place = memory.state().map_err(of_memory)?.definition.is_in_place;
    if is_in_place {
        // Before anything is read there: a killed run left the folder as an agent made it, settings of ours among the rest.
        in_place::give_back(root, run.id.as_str(), means)?;
    }
    let source = Source::of_run(root, &memory.state().map_err(of_memory)?.definition)?;
    let mut project = source.project(root);
    let (settings, _) =
        crate::settings::read(&means.machine, &project.config, wish.settings.clone());
    let hidden = HiddenChecks::attach(&settings, &means.machine, root, &mut project)?;
    let (prompts, mut findings) = Prompts::read(root);
    let before = &memory.state().map_err(of_memory)?.definition.agent;
    let taken_up = again::agents(before, &settings, (&project.config, wish), &means.around(root))?;
    findings.extend(taken_up.findings);
    let (agents, agent) = (taken_up.agents, taken_up.changed);
    let checkout = checkout(root, means)?;
    findings.extend(left);
    let flags = RunFlags { in_place: is_in_place, ..wish.flags };
    let fence = fence(&settings, &Wish { flags, ..wish.clone() }, means);
    let branch = memory.state().map_err(of_memory)?.definition.user_branch.clone();
    let telling_files = telling(checkout.root());
    in_place::require(&flags, branch.as_deref(), (&checkout, &fence, &telling_files), means)?;
    let hands = (agents, fence, hidden);
    let run = run.id.as_str();
    let mut performer =
        performer(&folder, checkout, run, hands, prompts, (&project, &settings), means)?;
    performer.in_place = is_in_place.then(|| InPlace::of(&performer.slot));
    findings.extend(torn(&tail));
    let state = memory.state().map_err(of_memory)?;
    findings.extend(missing_checks(state, &performer.hidden_checks));
    let now = run_settings(&project.config, &settings, wish);
    let fencing = performer.ground.fence.fencing();
    let changes = Changes {
        drift: drift(state, &project),
        caps: caps(&state.definition.settings, &now),
        fencing: (state.definition.fencing.as_ref() != Some(&fencing)).then_some(fencing),
        agent,
    };
    if wish.flags.merges && !state.landing.is_wanted {
        require_branch("--merge", state.definition.user_branch.as_deref())?;
        let wanted = Event::MergeRequested { when: MergeTime::AtEnd };
        memory.note(wanted).map_err(of_memory)?;
    }
    let awake = awake(&settings, root, means);
    Ok((Ready { memory, performer, told: Vec::new(), findings, awake }, changes))
}

fn torn(tail: &Tail) -> Option<Finding> {
    let Tail::Torn { bytes, .. } = tail else { return None };
    Some(Finding {
        severity: Severity::Note,
        place: Place::file(".autopilot/damaged"),
        message: format!(
            "the last {bytes} bytes of the journal were half written; they are kept aside"
        ),
    })
}

fn require_branch(flag: &str, branch: Option<&str>) -> Result<(), Problem> {
    match branch {
        Some(_) => Ok(()),
        None => Err(Problem::usage(
            format!("{flag} needs a branch, and HEAD stands on none"),
            "your branch is moved to the work",
            format!("git switch to a branch, or leave {flag} out"),
        )),
    }
}

fn awake(settings: &Settings, root: &Path, means: &Means) -> Option<KeepAwake> {
    let launcher = Launcher::at(&means.program);
    settings.keeps_awake.then(|| KeepAwake::start(&means.machine, &launcher, root)).flatten()
}

/// What keeps agents and checks in from here on.
pub(crate) fn fence(settings: &Settings, wish: &Wish, means: &Means) -> Kind {
    match (settings.is_fenced, wish.settings.contains_key("fence")) {
        (true, _) if wish.flags.in_place => Kind::find_sealing(&means.machine),
        (true, _) => Kind::find(&means.machine),
        (false, true) => Kind::Unfenced { why: "switched off by --no-fence".to_string() },
        (false, false) => Kind::Unfenced { why: "switched off by the setting fence".to_string() },
    }
}

/// The spec as it is now against the one that was locked (INV-4).
fn drift(state: &RunState, project: &Project) -> Vec<Drift> {
    let locked = state.project.as_ref().and_then(|project| project.spec.as_ref());
    match (locked, &project.spec) {
        (Some(locked), Some(now)) if locked.hash != now.hash => vec![Drift {
            what: now.path.clone(),
            before: locked.hash.clone(),
            now: now.hash.clone(),
        }],
        _ => Vec::new(),
    }
}

pub(crate) fn checkout(root: &Path, means: &Means) -> Result<Checkout, Problem> {
    let git = fit_git(root, means)?;
    Checkout::find(&git, root).map_err(|error| of_git(&error))
}

/// For whoever makes no commit.
pub(crate) fn checkout_to_measure(root: &Path, means: &Means) -> Result<Checkout, Problem> {
    let git = fit_git(root, means)?;
    Checkout::find_to_measure(&git, root).map_err(|error| of_git(&error))
}

fn fit_git(root: &Path, means: &Means) -> Result<Git, Problem> {
    let git = Git::find(&means.machine).map_err(|error| of_git(&error.into()))?;
    let unfit = repository_fit(&git, root).map_err(|error| of_git(&error))?;
    match unfit.first() {
        Some(first) => Err(first.problem()),
        None => Ok(git),
    }
}

/// The commit the run starts from and the branch the user is on. Files that are not committed would not be in the slot.
fn base(
    checkout: &Checkout,
    wish: &Wish,
) -> Result<(crate::git::ObjectId, Option<String>), Problem> {
    if landing::is_cut_off(checkout) {
        return Err(Problem::usage(
            "a merge into your branch was cut off",
            "some of your files may be half way between two commits",
            "bring it to its end: autopilot merge",
        ));
    }
    let seen = user_tree::look(checkout).map_err(|error| of_git(&error))?;
    if wish.flags.in_place && wish.flags.allows_dirty {
        return Err(in_place::dirty());
    }
    if !seen.dirty.is_empty() && !wish.flags.allows_dirty {
        return Err(wrong_starts::not_committed(wish, &seen.dirty));
    }
    wrong_starts::require_branch(wish, seen.branch.as_deref())?;
    if wish.flags.merges {
        require_branch("--merge", seen.branch.as_deref())?;
    }
    let head = seen.head.ok_or_else(|| not_understood("the repository has no commit"))?;
    Ok((head, seen.branch))
}

/// What is copied into the trees of agents must not end up in their commits.
fn require_ignored(checkout: &Checkout, settings: &Settings) -> Result<(), Problem> {
    let setup = TreeSetup::of(settings);
    for path in setup.copied(checkout.root()) {
        if checkout.is_new(&path).map_err(|error| of_git(&error))? {
            let name = path.to_string_lossy();
            return Err(Problem::usage(
                format!("worktree_copy names {}, which git does not ignore", quote(&name)),
                "it is copied to where agents work, and would be committed with their work",
                "add it to .gitignore, or commit it",
            ));
        }
    }
    Ok(())
}

pub(crate) fn lock(folder: &Folder, wish: &Wish, means: &Means) -> Result<Lock, Problem> {
    let holder = Holder {
        pid: std::process::id(),
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        command: wish.command.clone(),
        started_at: means.clock.now().0,
    };
    let lock = folder.lock(&holder).map_err(|error| error.problem())?;
    drop_old_stops(folder, &lock, holder.started_at)?;
    Ok(lock)
}

/// A request to stop that nobody took was meant for a run that has ended since.
fn drop_old_stops(folder: &Folder, lock: &Lock, before: u64) -> Result<(), Problem> {
    let asked = inbox::take::<requests::Request>(folder, lock).map_err(|error| error.problem())?;
    for one in asked {
        let at = one.name.split('-').next().and_then(|digits| digits.parse::<u64>().ok());
        match one.content {
            Ok(requests::Request::Stop { .. }) if at.is_some_and(|at| at < before) => {
                inbox::remove(folder, lock, &one.name).map_err(|error| error.problem())?;
            }
            // More phases are meant for a run by its name; whoever takes the request looks at it.
            Ok(requests::Request::Stop { .. } | requests::Request::Add(_)) | Err(_) => {}
        }
    }
    Ok(())
}

fn performer(
    folder: &Folder,
    checkout: Checkout,
    run: &str,
    (agents, fence, hidden_checks): (Agents, Kind, HiddenChecks),
    prompts: Prompts,
    (project, settings): (&Project, &Settings),
    means: &Means,
) -> Result<Performer, Problem> {
    let names = RunNames::of(run).map_err(|error| of_git(&error))?;
    let folders = slot::folder_of(&means.machine, checkout.root(), 1).zip(slot::proof_folder_of(
        &means.machine,
        checkout.root(),
        1,
    ));
    let (place, proof) = folders.ok_or_else(no_folder_for_worktrees)?;
    let open = |place| Slot::open(&checkout, &names, place).map_err(|error| of_git(&error));
    let (slot, proof) = (open(&place)?, open(&proof)?);
    let hidden = Hidden {
        records: vec![folder.path().to_path_buf()],
        checks: hidden_checks.folder().map(Path::to_path_buf),
        told: telling(checkout.root()),
        proofs: vec![
            proof.folder().to_path_buf(),
            proof.folder().with_file_name(proof_tree::CACHE),
        ],
    };
    let kept = [checkout.root(), &checkout.common_dir, folder.path()].map(Path::to_path_buf);
    let ground = Ground {
        machine: means.machine.clone(),
        launcher: Launcher::at(&means.program),
        fence,
        owner: Owner::of_project(folder.path()),
        kept: kept.to_vec(),
        hidden,
        root: checkout.root().to_path_buf(),
    };
    Ok(Performer {
        checkout,
        names,
        slot,
        in_place: None,
        proof: ProofTree { slot: proof, setup: TreeSetup::of(settings) },
        folder: folder.clone(),
        agents,
        ground,
        prompts,
        hidden_checks,
        // What was asked for by word leaves work behind and no papers.
        commits_docs: project.config.commits_docs && project.roadmap.has_file(),
        hung: Default::default(),
        lasting: Default::default(),
    })
}

/// Hidden checks that the run knows by their hash and that are nowhere any more: what they prove cannot be proven.
fn missing_checks(state: &RunState, checks: &HiddenChecks) -> Vec<Finding> {
    let open = state.phases.iter().filter(|phase| !phase.status.is_over());
    let orders = open.flat_map(|phase| {
        let orders = phase.definition.criterion_checks().into_iter();
        orders.map(move |order| (&phase.definition.id, order))
    });
    let missing = orders
        .filter(|(_, order)| order.is_hidden && checks.command(&order.command).is_none())
        .map(|(phase, order)| Finding {
            severity: Severity::Warning,
            place: Place::file("hidden_checks"),
            message: format!(
                "has not the hidden check of {} of phase {phase} with which the run began; it counts as not run",
                order.name
            ),
        });
    missing.collect()
}

/// The user's own roadmap, where it tells a hidden command.
fn telling(root: &Path) -> Vec<PathBuf> {
    let Some(path) = project::roadmap_path(root).map(|path| root.join(path)) else {
        return Vec::new();
    };
    let text = files::read_text(&path).unwrap_or_default();
    redact(&text).map(|_| path).into_iter().collect()
}

pub(crate) fn no_folder_for_worktrees() -> Problem {
    Problem::environment(
        "there is no folder for worktrees",
        "agents work in a worktree of their own, outside the project",
        "set HOME or XDG_STATE_HOME",
    )
}

pub(crate) fn of_git(error: &crate::git::GitError) -> Problem {
    Problem::environment(
        format!("git: {error}"),
        "a run works on branches and in a worktree of its own",
        error.fix().unwrap_or_else(|| {
            "mend the repository and try again; autopilot doctor says more".to_string()
        }),
    )
}

/// What a user is told when a run cannot be followed.
pub fn of_memory(error: MemoryError) -> Problem {
    match error {
        MemoryError::Journal(error) => error.problem(),
        MemoryError::Illegal(_) | MemoryError::Empty { .. } => Problem::environment(
            error.to_string(),
            "the journal is the truth about the run; what it says cannot be followed",
            "look at it with autopilot journal show, and keep it aside: autopilot abandon",
        ),
    }
}

fn nothing_to_do(outlook: &Outlook) -> Problem {
    let count = outlook.skipped.len();
    Problem::usage(
        format!("nothing is left to run: {count} phases are settled"),
        "a run needs a phase that is not completed",
        "see them: autopilot status",
    )
}

fn nothing_to_resume(root: &Path) -> Problem {
    Problem::usage(
        "there is no unfinished run",
        "resume goes on with a run that was stopped, failed or crashed",
        project::first_step(root),
    )
}

fn no_run_id() -> Problem {
    not_understood("no name for the run could be made")
}

fn not_understood(what: &str) -> Problem {
    Problem::environment(what, "a run needs it", "see autopilot doctor")
}
