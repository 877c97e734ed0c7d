//! The refs that keep what would be lost, for those who have no slot at hand.

use autopilot_core::limits;

use crate::git::{Checkout, GitError, ObjectId, RunNames};

/// A ref by its full name, and what it keeps.
pub(crate) type Kept = (String, ObjectId);

/// Everything of the run that was rescued so far. One process.
pub(crate) fn listed(checkout: &Checkout, names: &RunNames) -> Result<Vec<Kept>, GitError> {
    let arguments = ["for-each-ref", "--format=%(refname) %(objectname)", &names.rescues()];
    let said = checkout.git.must_at(&checkout.place, &arguments)?.stdout.text();
    let known = said.lines().filter_map(|line| {
        let (name, id) = line.split_once(' ')?;
        Some((name.to_string(), ObjectId::parse(id)?))
    });
    Ok(known.collect())
}

pub(crate) fn free_name(names: &RunNames, label: &str, taken: &[Kept]) -> Result<String, GitError> {
    for number in 1..=limits::RESCUES_MAX {
        let name = names.rescue(label, number)?;
        if taken.iter().all(|(known, _)| *known != name) {
            return Ok(name);
        }
    }
    let said = format!("{} rescues called {label}", limits::RESCUES_MAX);
    Err(GitError::NotUnderstood { asked: "for-each-ref".into(), said })
}

/// Keeps a commit, unless it is kept already. Two processes.
pub(crate) fn keep(
    checkout: &Checkout,
    names: &RunNames,
    label: &str,
    commit: &ObjectId,
) -> Result<String, GitError> {
    let taken = listed(checkout, names)?;
    if let Some((name, _)) = taken.iter().find(|(_, kept)| kept == commit) {
        return Ok(name.clone());
    }
    let name = free_name(names, label, &taken)?;
    checkout.remove_stale_lock(&name)?;
    let none = commit.none_yet();
    let arguments = ["update-ref", "-m", "autopilot", &name, commit.as_str(), &none];
    checkout.git.must_at(&checkout.place, &arguments)?;
    Ok(name)
}
