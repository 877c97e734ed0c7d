//! What stands in the state folder for a project: the trees agents work in, those in which is measured, caches, and what a kill left.
//! Listing only looks. Cleaning takes away what no run uses, and nothing that is in no commit or on no branch without a ref that
//! keeps it.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use autopilot_core::limits;
use autopilot_core::problem::Problem;
use autopilot_journal::{Folder, Lock};

use crate::fence::own_folders;
use crate::git::{Checkout, GitError, ObjectId, RunNames, remove_if_there};
use crate::slot::{self, LeftOut, Slot};
use crate::start::{self, Means, Wish, of_git, unfinished};
use crate::{journal_read, rescue_refs};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TreeKind {
    /// Agents work in it.
    Slot,
    /// Checks of a run are measured in it.
    Proof,
    /// `autopilot prove` measures in it.
    Prove,
    /// What tools fetched; the next run needs it again.
    Cache,
    /// What an attempt threw away, or would have.
    ThrownAway,
    /// Nothing of ours.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    pub name: String,
    pub path: PathBuf,
    pub kind: TreeKind,
    /// On disk.
    pub bytes: u64,
    /// More files than are counted.
    pub is_larger: bool,
    /// None where it stands on none, or is no worktree.
    pub branch: Option<String>,
    pub commit: Option<ObjectId>,
    /// Files of an agent that no commit has.
    pub uncommitted: usize,
    /// Commits that no branch of the user's has.
    pub unmerged: usize,
    /// Why it stays, if it does.
    pub in_use: Option<String>,
}

/// What became of one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cleaned {
    Removed { tree: Tree, rescues: Vec<String> },
    Kept { tree: Tree, why: String },
}

/// Where they stand, and all of them by their names. A folder that is not there has none.
pub fn list(root: &Path, means: &Means) -> Result<(PathBuf, Vec<Tree>), Problem> {
    let place = slot::project_folder(&means.machine, root);
    let place = place.ok_or_else(start::no_folder_for_worktrees)?;
    let checkout = start::checkout(root, means)?;
    let run = run_in_use(root)?;
    let mut trees = Vec::new();
    let entries = fs::read_dir(&place).into_iter().flatten().flatten();
    for entry in entries.take(limits::WORKTREES_MAX) {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        trees.push(seen(&checkout, path, name, run.as_deref()).map_err(|error| of_git(&error))?);
    }
    trees.sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
    Ok((place, trees))
}

/// Takes away what nobody uses; caches only where that is asked for.
pub fn clean(
    root: &Path,
    with_caches: bool,
    wish: &Wish,
    means: &Means,
) -> Result<Vec<Cleaned>, Problem> {
    let folder = Folder::find(root).map_err(|error| error.problem())?;
    // Held to the end: no run begins meanwhile.
    let lock = folder.as_ref().map(|folder| start::lock(folder, wish, means)).transpose()?;
    let checkout = start::checkout(root, means)?;
    let names = names(folder.as_ref())?;
    let (_, trees) = list(root, means)?;
    let cleaner = Cleaner { checkout, names, with_caches, _lock: lock };
    trees.into_iter().map(|tree| cleaner.clean(tree).map_err(|error| of_git(&error))).collect()
}

struct Cleaner {
    checkout: Checkout,
    names: RunNames,
    with_caches: bool,
    _lock: Option<Lock>,
}

impl Cleaner {
    fn clean(&self, tree: Tree) -> Result<Cleaned, GitError> {
        let kept = |tree: Tree, why: &str| Ok(Cleaned::Kept { tree, why: why.to_string() });
        if let Some(why) = tree.in_use.clone() {
            return kept(tree, &why);
        }
        match tree.kind {
            TreeKind::Slot => self.remove_slot(tree),
            TreeKind::Proof => self.remove_tree(tree, Vec::new()),
            TreeKind::Prove => {
                let lock = File::create(tree.path.with_extension("lock"));
                match lock.map(|lock| lock.try_lock().map(|()| lock)) {
                    Ok(Ok(_held)) => self.remove_tree(tree, Vec::new()),
                    _ => kept(tree, "autopilot prove is at work in it"),
                }
            }
            TreeKind::Cache if !self.with_caches => {
                kept(tree, "the next run needs it again; --caches takes it too")
            }
            TreeKind::Cache | TreeKind::ThrownAway => {
                let failed = |source| GitError::Io { path: tree.path.clone(), source };
                own_folders::remove(&tree.path).map_err(failed)?;
                Ok(Cleaned::Removed { tree, rescues: Vec::new() })
            }
            TreeKind::Other => kept(tree, "autopilot did not make it"),
        }
    }

    /// Agents' files first go into a commit, and what no ref holds gets one.
    fn remove_slot(&self, tree: Tree) -> Result<Cleaned, GitError> {
        let slot = Slot::open(&self.checkout, &self.names, &tree.path)?;
        let label = format!("clean-{}", tree.name);
        if let Some(LeftOut { path, .. }) = slot.beyond_rescue()?.first() {
            let path = path.display();
            let why = format!("{path} cannot be kept in a commit; take it out of there first");
            return Ok(Cleaned::Kept { tree, why });
        }
        let rescue = slot.rescue(&label)?;
        let mut rescues: Vec<String> = rescue.into_iter().map(|rescue| rescue.name).collect();
        if let Some(commit) = &tree.commit
            && self.checkout.is_held_by_none(commit)?
        {
            rescues.push(rescue_refs::keep(&self.checkout, &self.names, &label, commit)?);
        }
        self.remove_tree(tree, rescues)
    }

    fn remove_tree(&self, tree: Tree, rescues: Vec<String>) -> Result<Cleaned, GitError> {
        // Mends what a kill left of it, so that git knows what it takes away.
        Slot::open(&self.checkout, &self.names, &tree.path)?;
        let words = ["worktree", "remove", "--force", "--force"].map(std::ffi::OsStr::new);
        let arguments: Vec<_> = words.into_iter().chain([tree.path.as_os_str()]).collect();
        self.checkout.git.must_at(&self.checkout.place, &arguments)?;
        for ending in [".index", ".index-next", ".lock"] {
            let mut name = tree.path.clone().into_os_string();
            name.push(ending);
            remove_if_there(Path::new(&name))?;
        }
        Ok(Cleaned::Removed { tree, rescues })
    }
}

/// The run that is not finished, whose trees stay.
fn run_in_use(root: &Path) -> Result<Option<String>, Problem> {
    let Some(folder) = Folder::find(root).map_err(|error| error.problem())? else {
        return Ok(None);
    };
    Ok(unfinished(&folder)?.map(|run| run.id.to_string()))
}

/// Rescues lie with those of the newest run.
fn names(folder: Option<&Folder>) -> Result<RunNames, Problem> {
    let newest = folder.map(journal_read::newest).transpose()?.flatten();
    let run = newest.map_or("clean".to_string(), |(id, _)| id.to_string());
    RunNames::of(&run).map_err(|error| of_git(&error))
}

fn kind_of(name: &str) -> TreeKind {
    let numbered = |start: &str| {
        let digits = name.strip_prefix(start).unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    match name {
        "prove" => TreeKind::Prove,
        "cache" | "proof-cache" => TreeKind::Cache,
        _ if numbered("slot-") => TreeKind::Slot,
        _ if numbered("proof-") => TreeKind::Proof,
        _ if name.ends_with(".tmp") => TreeKind::ThrownAway,
        _ => TreeKind::Other,
    }
}

fn seen(
    checkout: &Checkout,
    path: PathBuf,
    name: String,
    run: Option<&str>,
) -> Result<Tree, GitError> {
    let kind = kind_of(&name);
    let mut entries_left = limits::SIZE_ENTRIES_MAX;
    let bytes = size(&path, &mut entries_left);
    let in_use = run.filter(|_| kind != TreeKind::Prove && kind != TreeKind::Other);
    let mut tree = Tree {
        name,
        path,
        kind,
        bytes,
        is_larger: entries_left == 0,
        branch: None,
        commit: None,
        uncommitted: 0,
        unmerged: 0,
        in_use: in_use.map(|run| format!("run {run} is not finished")),
    };
    if matches!(kind, TreeKind::Slot | TreeKind::Proof | TreeKind::Prove)
        && let Some(status) = slot::look(checkout, &tree.path)?
    {
        tree.branch = status.branch;
        // What lies in a tree for measuring is nobody's work.
        tree.uncommitted = if kind == TreeKind::Slot { status.entries.len() } else { 0 };
        if let Some(head) = &status.head {
            tree.unmerged = checkout.count_unmerged(head)?;
        }
        tree.commit = status.head;
    }
    Ok(tree)
}

/// What a folder takes of the disk, links not followed.
fn size(folder: &Path, entries_left: &mut usize) -> u64 {
    let mut bytes = 0;
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if *entries_left == 0 {
                return bytes;
            }
            *entries_left -= 1;
            let Ok(found) = entry.metadata() else { continue };
            bytes += found.blocks().saturating_mul(512);
            if found.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_ours_are_taken_for_ours() {
        let check = |name: &str, kind: TreeKind| assert_eq!(kind_of(name), kind, "{name}");
        check("slot-1", TreeKind::Slot);
        check("proof-12", TreeKind::Proof);
        check("slot-1.tmp", TreeKind::ThrownAway);
        check("proof-cache", TreeKind::Cache);
        for other in ["slot-", "slot-1.aside", "slot-a", "my folder", "cache-2", "proof"] {
            check(other, TreeKind::Other);
        }
    }
}
