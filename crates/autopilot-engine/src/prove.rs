//! `autopilot prove`: measures again what a phase's receipt says, in a clean checkout of the user's commit, with nothing but the
//! repository. Writes nothing into the project and needs no journal.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use autopilot_core::criterion::Check;
use autopilot_core::errand;
use autopilot_core::finding::printable;
use autopilot_core::hidden;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::problem::Problem;
use autopilot_core::project::Project;
use autopilot_core::run::definition::CheckOrder;
use autopilot_core::run::files::receipt::{self, Receipt};
use autopilot_core::run::ids::Commit;
use autopilot_core::run::measured::{CheckName, Measured};
use autopilot_core::run::proving::{self, Again, Proof};
use autopilot_core::settings::Settings;
use autopilot_journal::Folder;

use crate::fence::Kind;
use crate::git::{Checkout, GitError, ObjectId, RunNames};
use crate::ground::{Ground, Hidden};
use crate::hidden_checks::HiddenChecks;
use crate::launcher::Launcher;
use crate::process::{Owner, ProcessGroup};
use crate::proof_tree::{Attendant, CannotMeasure, Measurable, ProofTree};
use crate::slot::{self, Slot};
use crate::start::{self, Means};
use crate::tree_setup::TreeSetup;
use crate::{files, project, settings};

/// What came of it.
#[derive(Debug)]
pub struct Proved {
    pub phase: PhaseId,
    /// The commit that was measured.
    pub at: String,
    /// The receipt and where it lies; none where there is none to be read.
    pub receipt: Option<(String, Receipt)>,
    pub again: Again,
    pub proof: Proof,
}

/// `at` names a commit; HEAD where nothing is named.
pub fn prove(
    root: &Path,
    phase: &PhaseId,
    at: Option<&str>,
    means: &Means,
) -> Result<Proved, Problem> {
    let checkout = start::checkout_to_measure(root, means)?;
    let head = commit_of(&checkout, at.unwrap_or("HEAD"))?;
    let nothing = |receipt, proof| Proved {
        phase: phase.clone(),
        at: head.as_str().to_string(),
        receipt,
        again: Again::default(),
        proof,
    };
    let found = match find(&checkout, &head, phase).map_err(|error| start::of_git(&error))? {
        Found::None => find_kept(&checkout, &head, phase),
        found => found,
    };
    let (path, receipt) = match found {
        Found::None => return Ok(nothing(None, Proof::lacking(no_receipt(phase)))),
        Found::OfAnotherCommit { path, receipt } => {
            let why = of_another_commit(&path, &receipt);
            return Ok(nothing(Some((path, *receipt)), Proof::lacking(why)));
        }
        Found::Unreadable { path, why } => {
            let why = format!("{path} cannot be read: {why}");
            return Ok(nothing(None, Proof::refuted(why)));
        }
        Found::Receipt { path, receipt } => (path, *receipt),
    };
    if !receipt.is_unchanged() {
        let why = format!("{path} was changed after it was written: its hash is another");
        return Ok(nothing(Some((path, receipt)), Proof::refuted(why)));
    }
    let roadmap = project::open(root).ok();
    let mut project = roadmap.as_ref().map(|roadmap| project::read(root, roadmap));
    let settings = settings_of(project.as_ref(), means);
    let checks = match &mut project {
        Some(project) => HiddenChecks::attach(&settings, &means.machine, root, project)?,
        None => HiddenChecks::default(),
    };
    let place = Place::open(&checkout, &receipt, (&settings, &checks), means)?;
    let orders = orders(&receipt, project.as_ref(), &checks);
    let again = Again {
        now: place.measure(&head, None, &orders)?,
        before: place.before(&checkout, &receipt, &orders)?,
        without_work: place.without_work(&checkout, &receipt, &orders)?,
    };
    let proof = proving::compare(&receipt, &again);
    let mut proof = with_tree(proof, &checkout, &receipt);
    proof.missing.extend(asked_otherwise(&receipt, project.as_ref()));
    proof.differs.extend(code_is_gone(&checkout, &receipt, &head));
    proof.differs.sort();
    Ok(Proved { receipt: Some((path, receipt)), again, ..nothing(None, proof) })
}

fn commit_of(checkout: &Checkout, name: &str) -> Result<ObjectId, Problem> {
    let found = checkout.commit_named(name).map_err(|error| start::of_git(&error))?;
    found.ok_or_else(|| {
        Problem::usage(
            format!("{name:?} is no commit of this repository"),
            "what a receipt says is measured on a commit",
            "name a branch, a tag or a commit with --at",
        )
    })
}

enum Found {
    None,
    /// It speaks of work that the commit to be measured does not have.
    OfAnotherCommit {
        path: String,
        receipt: Box<Receipt>,
    },
    Unreadable {
        path: String,
        why: String,
    },
    Receipt {
        path: String,
        receipt: Box<Receipt>,
    },
}

/// By its content: the folder of a phase may have any name.
fn find(checkout: &Checkout, head: &ObjectId, phase: &PhaseId) -> Result<Found, GitError> {
    let mut unreadable = Found::None;
    for path in checkout.files_named(head, ".planning/", receipt::FILE)? {
        let Some(blob) = checkout.blob_at(head, &path)? else { continue };
        let bytes = checkout.blob_text(&blob)?.unwrap_or_default();
        match Receipt::read(&String::from_utf8_lossy(&bytes)) {
            Ok(receipt) if receipt.phase == *phase => {
                return Ok(Found::Receipt { path, receipt: Box::new(receipt) });
            }
            Ok(_) => {}
            // Perhaps it was this phase's: its folder starts with the number.
            Err(why) if is_folder_of(&path, phase) => unreadable = Found::Unreadable { path, why },
            Err(_) => {}
        }
    }
    Ok(unreadable)
}

/// Of a phase whose papers are in no commit: with our own records.
fn find_kept(checkout: &Checkout, head: &ObjectId, phase: &PhaseId) -> Found {
    let Ok(Some(folder)) = Folder::find(checkout.root()) else { return Found::None };
    let file = folder.receipts().join(format!("{phase}.json"));
    let Ok(text) = files::read_text(&file) else { return Found::None };
    let path = kept_path(phase);
    let receipt = match Receipt::read(&text) {
        Ok(receipt) => receipt,
        Err(why) => return Found::Unreadable { path, why },
    };
    // A commit that is not here any more is in no other either.
    let is_there = object(&receipt.commit).is_some_and(|commit| {
        checkout.git.contains(&checkout.place, head, &commit).unwrap_or(false)
    });
    let receipt = Box::new(receipt);
    match is_there {
        true => Found::Receipt { path, receipt },
        false => Found::OfAnotherCommit { path, receipt },
    }
}

fn kept_path(phase: &PhaseId) -> String {
    format!(".autopilot/receipts/{phase}.json")
}

/// A task leaves no papers in its commits, so its receipt does not come along with a clone.
fn no_receipt(phase: &PhaseId) -> String {
    let path = kept_path(phase);
    if errand::is_errand(phase) {
        return format!(
            "the receipt of {phase} is not in this repository: a task's receipt is in no commit, and a clone does not bring it. \
             Copy {path} from the repository where the task was done to the same place in this one"
        );
    }
    format!(
        "there is no receipt of phase {phase} in this commit; what a run did stands on its own branch until you merge it: \
         --at autopilot/<run>. With commit_docs: false the receipt is in no commit: copy {path} from where the run was made"
    )
}

fn of_another_commit(path: &str, receipt: &Receipt) -> String {
    let (commit, run) = (receipt.commit.short(), &receipt.run);
    format!(
        "{path} speaks of commit {commit}, which is not part of this one. It stands on its own branch until you merge it: \
         --at autopilot/{run}. After a rebase or a squash the work is in another commit, and the receipt does not say which"
    )
}

fn is_folder_of(path: &str, phase: &PhaseId) -> bool {
    let folder = path.rsplit('/').nth(1).unwrap_or_default();
    let start = folder.split('-').next().unwrap_or_default();
    start.parse::<PhaseId>().is_ok_and(|id| id == *phase)
}

/// The checks of the receipt as they are to be run. A hidden one has its command where the user keeps it, in the roadmap or in the
/// folder that no commit has.
fn orders(receipt: &Receipt, project: Option<&Project>, checks: &HiddenChecks) -> Vec<CheckOrder> {
    let phases = project.into_iter().flat_map(|project| &project.roadmap.phases);
    let phase = phases.into_iter().find(|one| one.id == receipt.phase);
    let command_of = |number: u32| {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        match &phase?.criteria.get(index)?.check {
            Check::Hidden(written) => checks.command(written),
            Check::Judged | Check::Command(_) => None,
        }
    };
    let order = |one: &Measured| {
        let (command, is_hidden) = match (one.command.as_str(), one.check) {
            (hidden::SHOWN, CheckName::Criterion(number)) => (command_of(number)?, true),
            (command, _) => (command.to_string(), false),
        };
        Some(CheckOrder { name: one.check, command, is_hidden })
    };
    receipt.measured.iter().filter_map(order).collect()
}

/// The commit that was measured then must be what the receipt says, where it is still here.
fn with_tree(mut proof: Proof, checkout: &Checkout, receipt: &Receipt) -> Proof {
    let tree = object(&receipt.commit).and_then(|commit| checkout.tree_of(&commit).ok());
    match tree {
        Some(tree) if tree.as_str() == receipt.tree => {}
        Some(tree) => {
            let commit = receipt.commit.short();
            proof.differs.push(format!("commit {commit} has other files than it says: {tree}"));
        }
        // Squashed or shallow: the work itself was measured all the same.
        None => {}
    }
    proof
}

/// What the roadmap asks for today where it is not what was measured.
fn asked_otherwise(receipt: &Receipt, project: Option<&Project>) -> Vec<String> {
    let phases = project.into_iter().flat_map(|project| &project.roadmap.phases);
    let Some(phase) = phases.into_iter().find(|one| one.id == receipt.phase) else {
        return Vec::new();
    };
    let asked = (1u32..).zip(&phase.criteria).filter_map(|(number, one)| match &one.check {
        Check::Command(command) => Some((CheckName::Criterion(number), command)),
        Check::Judged | Check::Hidden(_) => None,
    });
    let otherwise = asked.filter(|(check, command)| {
        let measured = receipt.measured.iter().find(|one| one.check == *check);
        measured.is_none_or(|one| one.command != **command)
    });
    let words = |(check, command)| {
        format!("the roadmap asks for {check} otherwise than the receipt: `{command}`")
    };
    otherwise.map(words).collect()
}

/// Tests cannot speak for work that the commit does not have any more.
fn code_is_gone(checkout: &Checkout, receipt: &Receipt, head: &ObjectId) -> Option<String> {
    let without = receipt.without_work.as_ref().filter(|without| !without.files.is_empty())?;
    let base = present(checkout, &receipt.base)?;
    let is_as_before = |file: &String| {
        let now = checkout.blob_at(head, file).ok();
        now.is_some() && now == checkout.blob_at(&base, file).ok()
    };
    without.files.iter().all(is_as_before).then(|| {
        let files = without.files.iter().take(3).map(|file| printable(file));
        let files: Vec<String> = files.collect();
        format!("the code of the phase is as it was before the work: {}", files.join(", "))
    })
}

fn only(orders: &[CheckOrder], names: &[CheckName]) -> Vec<CheckOrder> {
    orders.iter().filter(|order| names.contains(&order.name)).cloned().collect()
}

/// None where the repository does not have it, as in one that was cloned without its past.
fn present(checkout: &Checkout, commit: &Commit) -> Option<ObjectId> {
    object(commit).filter(|commit| checkout.tree_of(commit).is_ok())
}

fn object(commit: &Commit) -> Option<ObjectId> {
    ObjectId::parse(commit.as_str())
}

/// Where it is measured: a tree of its own, so that a run that goes on is not disturbed.
struct Place {
    tree: ProofTree,
    ground: Ground,
    time_max: Duration,
    _lock: File,
}

impl Place {
    fn open(
        checkout: &Checkout,
        receipt: &Receipt,
        (settings, checks): (&Settings, &HiddenChecks),
        means: &Means,
    ) -> Result<Place, Problem> {
        let folder = slot::named_folder_of(&means.machine, checkout.root(), "prove");
        let folder = folder.ok_or_else(start::no_folder_for_worktrees)?;
        let names = RunNames::of(&receipt.run).map_err(|error| start::of_git(&error))?;
        let slot = Slot::open(checkout, &names, &folder).map_err(|error| start::of_git(&error))?;
        let lock = lock(&folder)?;
        Ok(Place {
            ground: ground(checkout, (settings, checks), means),
            tree: ProofTree { slot, setup: TreeSetup::of(settings) },
            time_max: Duration::from_secs(settings.check_minutes.saturating_mul(60)),
            _lock: lock,
        })
    }

    fn measure(
        &self,
        at: &ObjectId,
        laid_over: Option<(ObjectId, Vec<String>)>,
        checks: &[CheckOrder],
    ) -> Result<Vec<Measured>, Problem> {
        let with = (&self.ground, &mut Nobody as &mut dyn Attendant);
        let what = Measurable { at: at.clone(), laid_over };
        self.tree.measure(&what, checks, self.time_max, with).map_err(|error| match error {
            CannotMeasure::Git(error) => start::of_git(&error),
            other => Problem::environment(
                format!("nothing could be measured: {other}"),
                "a receipt holds only if its checks come out the same again",
                "autopilot doctor says what is wrong with this machine",
            ),
        })
    }

    /// What is to be red before the work, on the commit it began from.
    fn before(
        &self,
        checkout: &Checkout,
        receipt: &Receipt,
        orders: &[CheckOrder],
    ) -> Result<Option<Vec<Measured>>, Problem> {
        let Some(base) = present(checkout, &receipt.base) else { return Ok(None) };
        let orders = only(orders, &proving::red_before(receipt));
        self.measure(&base, None, &orders).map(Some)
    }

    /// What is to be red without the code of the phase: on the very commit that was measured then, because on a later one others
    /// may have built on that code.
    fn without_work(
        &self,
        checkout: &Checkout,
        receipt: &Receipt,
        orders: &[CheckOrder],
    ) -> Result<Option<Vec<Measured>>, Problem> {
        let orders = only(orders, &proving::red_without_work(receipt));
        let Some(without) = receipt.without_work.as_ref().filter(|_| !orders.is_empty()) else {
            return Ok(None);
        };
        let base = present(checkout, &receipt.base);
        let (Some(base), Some(commit)) = (base, present(checkout, &receipt.commit)) else {
            return Ok(None);
        };
        self.measure(&commit, Some((base, without.files.clone())), &orders).map(Some)
    }
}

fn settings_of(project: Option<&Project>, means: &Means) -> Settings {
    match project {
        Some(project) => settings::read(&means.machine, &project.config, Default::default()).0,
        None => autopilot_core::settings::settle(&[]).0,
    }
}

fn ground(
    checkout: &Checkout,
    (settings, checks): (&Settings, &HiddenChecks),
    means: &Means,
) -> Ground {
    let kept = [checkout.root(), &checkout.common_dir].map(Path::to_path_buf);
    Ground {
        machine: means.machine.clone(),
        launcher: Launcher::at(&means.program),
        fence: match settings.is_fenced {
            true => Kind::find(&means.machine),
            false => Kind::Unfenced { why: "switched off by the setting fence".to_string() },
        },
        owner: Owner::of_project(checkout.root()),
        kept: kept.to_vec(),
        hidden: Hidden { checks: checks.folder().map(Path::to_path_buf), ..Hidden::default() },
        root: checkout.root().to_path_buf(),
    }
}

/// One at a time in a tree.
fn lock(folder: &Path) -> Result<File, Problem> {
    let path = folder.with_extension("lock");
    let failed = |error: std::io::Error| {
        Problem::environment(
            format!("{}: {error}", path.display()),
            "two proofs in one tree would measure each other",
            "wait for the other `autopilot prove`, or mend the folder",
        )
    };
    let file = File::create(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(error) => Err(failed(error.into())),
    }
}

/// Nobody keeps a journal of it, and Ctrl-C ends the whole program.
struct Nobody;

impl Attendant for Nobody {
    fn spawned(&mut self, _group: &ProcessGroup) -> std::io::Result<()> {
        Ok(())
    }

    fn must_end(&mut self) -> bool {
        false
    }
}
