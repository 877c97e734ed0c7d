//! CHECK-17: what prose claims is looked up. A commit that is named exists, belongs to the phase or its past, and changes what it is
//! said to change; a file that is named as evidence has that line, and the code that is quoted stands there. A claim that the
//! repository contradicts sends the return back with the fact. A place that is wrong once more is told where everything was measured,
//! for then nothing rests on it; a commit that is not there never is. Places in fields of the contract are `verifier_evidence`'s.

use crate::contract::Role;
use crate::limits;
use crate::run::checks::claimed::{CommitClaim, of_judgement, of_verification};
use crate::run::checks::places::{
    CommitSeen, LookUpOrder, Looked, LookedUp, Place, Seen, place_of,
};
use crate::run::checks::{Found, Integrity, quoted};
use crate::run::pipeline::At;
use crate::run::review;
use crate::run::work::{TaskOutcome, Work};

/// The order to look up what a return that just came claims; None when there is nothing to look up, or it was done.
pub(super) fn order(at: At<'_>, role: Role) -> Option<LookUpOrder> {
    let candidate = &at.work.candidate;
    if candidate.places.contains_key(&role) {
        return None;
    }
    let (mut places, claims) = match role {
        Role::Verify | Role::Review => {
            let said = candidate.verification.as_ref()?;
            let named = said.criteria_results.iter().filter_map(place_of);
            (named.collect::<Vec<Place>>(), of_verification(said))
        }
        Role::Judge => (Vec::new(), of_judgement(candidate.judgement.as_ref()?)),
        Role::JudgeDivergence => (Vec::new(), of_judgement(candidate.divergence.as_ref()?)),
        _ => return None,
    };
    places.truncate(limits::PLACES_MAX - limits::PROSE_PLACES_MAX);
    places.extend(claims.places);
    let commits = claims.commits;
    let (phase, head) = (at.phase.id.clone(), at.work.head.clone());
    let is_asked = !places.is_empty() || !commits.is_empty();
    is_asked.then_some(LookUpOrder { phase, role, at: head, places, commits })
}

/// The same for those who did the tasks: where each left its work, for later tasks move its lines.
pub(super) fn order_of_work(at: At<'_>) -> Option<LookUpOrder> {
    let mut stands = at.work.base.clone();
    let mut order = LookUpOrder {
        phase: at.phase.id.clone(),
        role: Role::Execute,
        at: at.work.head.clone(),
        places: Vec::new(),
        commits: Vec::new(),
    };
    for task in &at.work.tasks {
        let Some(TaskOutcome::Done { commit }) = &task.outcome else { continue };
        stands = commit.clone().unwrap_or(stands);
        let places = task.claims.places.iter();
        order
            .places
            .extend(places.map(|place| Place { at: Some(stands.clone()), ..place.clone() }));
        order.commits.extend(task.claims.commits.iter().cloned());
    }
    order.places.truncate(limits::PROSE_PLACES_MAX);
    order.commits.truncate(limits::COMMITS_CLAIMED_MAX);
    let is_asked = !order.places.is_empty() || !order.commits.is_empty();
    is_asked.then_some(order)
}

/// What was found out about the tasks' claims is kept until the work is sent back for it.
pub(in crate::run) fn looked_up_of_work(work: &mut Work, looked: &Looked) {
    for task in &mut work.tasks {
        task.claims = Default::default();
    }
    let (places, commits) = contradicted(looked);
    work.checked.contradicted.places.extend(places);
    work.checked.contradicted.commits.extend(commits);
}

/// Claims of the tasks that the repository contradicts, as sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contradicted {
    pub places: Vec<String>,
    pub commits: Vec<String>,
}

pub(super) fn of_work(at: At<'_>) -> Vec<Found> {
    let Contradicted { places, commits } = at.work.checked.contradicted.clone();
    found(at, Role::Execute, places, commits)
}

/// Why a person decides: whoever did the work was told that places it names are not there, and names such places again.
pub(super) fn needs_person(at: At<'_>) -> Option<String> {
    let places = &at.work.checked.contradicted.places;
    let is_again = at.work.checked.is_again(Role::Execute) && !places.is_empty();
    is_again.then(|| format!("{}: what the worker says of its work is not true", places.join("; ")))
}

pub(super) fn of_return(at: At<'_>, role: Role) -> Vec<Found> {
    let Some(looked) = at.work.candidate.places.get(&role) else { return Vec::new() };
    let (places, commits) = contradicted(looked);
    found(at, role, places, commits)
}

fn found(at: At<'_>, role: Role, places: Vec<String>, commits: Vec<String>) -> Vec<Found> {
    let check = Integrity::Claims;
    let has_measured = at.work.candidate.evidence.as_ref().is_some_and(|all| !all.is_empty());
    let is_complete = has_measured && review::criteria_count(at).judged == 0;
    let mut found = Vec::new();
    let mut reasons = commits;
    if is_complete && at.work.checked.is_again(role) && !places.is_empty() {
        let reason = format!("{}; accepted, for everything was measured", places.join("; "));
        found.push(Found::Warned { check, reason });
    } else {
        reasons.extend(places);
    }
    if !reasons.is_empty() {
        found.push(Found::Rejected { check, reasons });
    }
    found
}

fn contradicted(looked: &Looked) -> (Vec<String>, Vec<String>) {
    let prose = looked.places.iter().filter(|one| one.place.is_prose);
    let places = prose.filter_map(place_words).collect();
    let commits = looked.commits.iter().filter_map(|(claim, seen)| commit_words(claim, *seen));
    (places, commits.collect())
}

fn place_words(one: &LookedUp) -> Option<String> {
    let LookedUp { place, seen, fact } = one;
    let line = place.line.unwrap_or_default();
    let file = quoted(&place.file);
    let named = format!("{}:{line} is named as evidence", file.trim_matches('"'));
    match seen {
        Seen::There | Seen::Gone | Seen::NotText => None,
        Seen::NoFile => Some(format!("{named}, and there is no such file")),
        Seen::NoLine => Some(format!("{named}, and {fact}")),
        Seen::NoWords => {
            let words = place.any_of.iter().chain(&place.mentions);
            let words: Vec<String> = words.map(|words| quoted(words)).collect();
            Some(format!("{named} for {}, which it does not have: {fact}", words.join(", ")))
        }
    }
}

fn commit_words(claim: &CommitClaim, seen: CommitSeen) -> Option<String> {
    let name = &claim.name;
    match seen {
        CommitSeen::Known | CommitSeen::Unclear => None,
        CommitSeen::Missing => {
            Some(format!("the commit {name} is named, and there is none of that name"))
        }
        CommitSeen::Elsewhere => Some(format!(
            "the commit {name} is named, and it is neither on the phase's branch nor in its past"
        )),
        CommitSeen::Untouched => {
            let files: Vec<String> = claim.files.iter().map(|file| quoted(file)).collect();
            Some(format!(
                "the commit {name} is said to change {}, and it changes none of that",
                files.join(", ")
            ))
        }
    }
}

#[cfg(test)]
#[path = "claims_tests.rs"]
mod tests;
