//! Moves the user's branch forward to a run's work, and with it the files of the tree it is checked out in: the one place where
//! autopilot changes what is the user's. Only where nothing can be lost: the branch stands where it was left, no file differs, and
//! nothing lies where a new file goes. Otherwise nothing is touched, and it is said why.
//!
//! A kill at any instant leaves a tree that another go brings to its end. What is about to happen is written into the git folder
//! first; files are then allowed to be as before, as they are to be, or half written, and nothing else. The branch moves last, so a
//! branch that has moved says that all is done. The user's index is replaced under git's own lock, by one made beside it: a git of
//! the user's never sees half an index, and a lock that a kill left is known for ours by the file it is a link of.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use autopilot_core::limits;
use autopilot_journal::fault;

use crate::git::user_tree::is_planning;
use crate::git::{Checkout, GitError, ObjectId, OnDisk, Place, remove_if_there, under_way};
use crate::run_branch;

mod desk;
mod obstacle;

use desk::Desk;
pub use obstacle::Obstacle;

/// One move of the user's branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandingOrder {
    /// As a person types it.
    pub branch: String,
    /// Where it has to stand.
    pub from: ObjectId,
    /// What the files are while nobody changes them.
    pub files: ObjectId,
    pub to: ObjectId,
    /// For git's own log of the branch.
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landed {
    Moved,
    AlreadyThere,
    /// Nothing was touched.
    Refused(Obstacle),
}

/// Looks first, so that doing it twice is doing it once. Three processes where the branch is checked out nowhere, a dozen where its
/// files are in the user's tree.
pub fn land(checkout: &Checkout, order: &LandingOrder) -> Result<Landed, GitError> {
    let full = format!("refs/heads/{}", order.branch);
    let refused = |obstacle| Ok(Landed::Refused(obstacle));
    let Some(seen) = run_branch::seen(checkout, &full)? else {
        return refused(Obstacle::NoBranch);
    };
    let desk = Desk::of(checkout)?;
    let contains = |new, old| checkout.git.contains(&checkout.place, new, old);
    if contains(&seen.commit, &order.to)? {
        desk.clear()?;
        return Ok(Landed::AlreadyThere);
    }
    if seen.commit != order.from {
        return refused(Obstacle::Moved { at: seen.commit });
    }
    if !contains(&order.to, &order.from)? {
        return refused(Obstacle::NotForward);
    }
    if let Some(at) = seen.checked_out {
        if at.canonicalize().unwrap_or(at.clone()) != checkout.root() {
            return refused(Obstacle::CheckedOut { at });
        }
        if let Some(obstacle) = bring_files(checkout, order, &desk)? {
            desk.drop_index()?;
            return refused(obstacle);
        }
    }
    point("landing.ref")?;
    let (to, from) = (order.to.as_str(), order.from.as_str());
    let moved = ["update-ref", "--no-deref", "-m", &order.note, &full, to, from];
    checkout.git.must_at(&checkout.place, &moved)?;
    desk.clear()?;
    Ok(Landed::Moved)
}

/// Whether a merge was cut off in the user's tree and waits to be brought to its end.
pub fn is_cut_off(checkout: &Checkout) -> bool {
    Desk::of(checkout).is_ok_and(|desk| desk.is_begun())
}

/// The user's files and index become those of `to`; HEAD stays. Some obstacle where they must not.
fn bring_files(
    checkout: &Checkout,
    order: &LandingOrder,
    desk: &Desk,
) -> Result<Option<Obstacle>, GitError> {
    if let Some((what, end)) = under_way(desk.git_dir()) {
        return Ok(Some(Obstacle::UnderWay { what, end }));
    }
    if let Some(lock) = desk.foreign_lock() {
        return Ok(Some(Obstacle::Locked { lock }));
    }
    let is_again = desk.is_begun_with(order);
    let obstacle = match is_again {
        true => explained(checkout, order, desk)?,
        false => clean(checkout, order, desk)?,
    };
    if obstacle.is_some() {
        return Ok(obstacle);
    }
    desk.begin(order)?;
    if !desk.lock()? {
        desk.clear()?;
        return Ok(Some(Obstacle::Locked { lock: desk.lock_file() }));
    }
    point("landing.files")?;
    let (files, to) = (order.files.as_str(), order.to.as_str());
    let reading = match is_again {
        true => vec!["read-tree", "--reset", "-u", to],
        // Looks at every file once more, and refuses before it touches the first.
        false => vec!["read-tree", "-m", "-u", files, to],
    };
    let read = checkout.git.must_at(&desk.place(checkout), &reading);
    if read.is_err() {
        desk.unlock()?;
    }
    read?;
    point("landing.index")?;
    desk.hand_over_index()?;
    Ok(None)
}

/// What differs between what the files are and what they are to be.
struct Difference {
    added: BTreeSet<PathBuf>,
    others: BTreeSet<PathBuf>,
}

impl Difference {
    fn of(checkout: &Checkout, order: &LandingOrder) -> Result<Difference, GitError> {
        let (files, to) = (order.files.as_str(), order.to.as_str());
        let arguments = ["diff-tree", "-r", "-z", "--name-status", "--no-renames", files, to];
        let finished = checkout.git.must_at(&checkout.place, &arguments)?;
        if finished.stdout.dropped_bytes() > 0 {
            return Err(GitError::TooManyChanges { root: checkout.root().to_path_buf() });
        }
        let bytes = finished.stdout.bytes();
        let mut fields = bytes.split(|byte| *byte == 0).filter(|field| !field.is_empty());
        let mut found = Difference { added: BTreeSet::new(), others: BTreeSet::new() };
        while let (Some(letter), Some(path)) = (fields.next(), fields.next()) {
            let path = PathBuf::from(OsStr::from_bytes(path));
            match letter {
                b"A" => found.added.insert(path),
                _ => found.others.insert(path),
            };
        }
        Ok(found)
    }

    fn has(&self, path: &Path) -> bool {
        self.added.contains(path) || self.others.contains(path)
    }
}

/// Before the first go: not a file differs from what it was left as, and nothing ignored lies where a new one goes.
fn clean(
    checkout: &Checkout,
    order: &LandingOrder,
    desk: &Desk,
) -> Result<Option<Obstacle>, GitError> {
    let mut changed = differing(checkout, desk, &order.files)?;
    let users = checkout.git.status(&checkout.place)?;
    // Planning files the run began with are in its first commit; whatever else is staged is in no commit at all.
    let lost = users.entries.into_iter().filter(|entry| {
        entry.is_staged && (!is_planning(&entry.path) || entry.on_disk != OnDisk::Same)
    });
    changed.extend(lost.map(|entry| entry.path));
    if !changed.is_empty() {
        return Ok(Some(Obstacle::Changed { paths: changed.into_iter().collect() }));
    }
    let difference = Difference::of(checkout, order)?;
    let in_the_way = difference.added.iter().filter_map(|path| {
        let places = path.ancestors().take_while(|place| !place.as_os_str().is_empty());
        let is_there = |place: &&Path| {
            let found = std::fs::symlink_metadata(checkout.root().join(place));
            let is_new = *place == path.as_path();
            found.is_ok_and(|found| {
                is_new || (!found.is_dir() && !difference.others.contains(*place))
            })
        };
        places.into_iter().find(is_there).map(Path::to_path_buf)
    });
    let paths: BTreeSet<PathBuf> = in_the_way.collect();
    Ok((!paths.is_empty()).then(|| Obstacle::InTheWay { paths: paths.into_iter().collect() }))
}

/// After a go that was cut off: every file is as before, as it is to be, or what a killed git leaves of one, which is nothing or the
/// beginning of what it is to be. Whatever else there is, a person did it.
fn explained(
    checkout: &Checkout,
    order: &LandingOrder,
    desk: &Desk,
) -> Result<Option<Obstacle>, GitError> {
    let after = differing(checkout, desk, &order.to)?;
    let before = differing(checkout, desk, &order.files)?;
    let difference = Difference::of(checkout, order)?;
    let mut strange = Vec::new();
    for path in after.intersection(&before) {
        if !difference.has(path) || !is_beginning(checkout, &order.to, path)? {
            strange.push(path.clone());
        }
    }
    Ok((!strange.is_empty()).then_some(Obstacle::Changed { paths: strange }))
}

/// Whether nothing is on disk, or the first bytes of what the commit has.
fn is_beginning(checkout: &Checkout, to: &ObjectId, path: &Path) -> Result<bool, GitError> {
    let on_disk = checkout.root().join(path);
    let Ok(found) = std::fs::symlink_metadata(&on_disk) else { return Ok(true) };
    let Some(name) = path.to_str().filter(|_| found.is_file()) else { return Ok(false) };
    let Some(blob) = checkout.blob_at(to, name)? else { return Ok(false) };
    if found.len() > blob.bytes || found.len() > limits::PLACE_FILE_BYTES_MAX {
        return Ok(false);
    }
    let failed = |source| GitError::Io { path: on_disk.clone(), source };
    let bytes = std::fs::read(&on_disk).map_err(failed)?;
    Ok(checkout.blob_text(&blob)?.is_some_and(|whole| whole.starts_with(&bytes)))
}

/// The files that are not as in the commit, new ones among them. Our own index stands on the commit afterwards.
fn differing(
    checkout: &Checkout,
    desk: &Desk,
    commit: &ObjectId,
) -> Result<BTreeSet<PathBuf>, GitError> {
    desk.drop_index()?;
    let place: Place = desk.place(checkout);
    checkout.git.must_at(&place, &["read-tree", commit.as_str()])?;
    // Says with its exit code that files differ, which is asked for next.
    checkout.git.ask_at(&place, &["update-index", "-q", "--refresh"])?;
    let status = checkout.git.status(&place)?;
    let differs = status.entries.into_iter().filter(|entry| entry.on_disk != OnDisk::Same);
    Ok(differs.map(|entry| entry.path).collect())
}

fn point(name: &str) -> Result<(), GitError> {
    fault::point(name).map_err(|source| GitError::Io { path: PathBuf::from(name), source })
}

/// Takes away what an earlier go left, of no use to the next.
fn remove(path: &Path) -> Result<(), GitError> {
    remove_if_there(path)
}

#[cfg(test)]
#[path = "landing_tests.rs"]
mod tests;
