//! The words that name phases (INV-1): `3`, `3-7`, `3,5,8`, `6.1`, `all`, `next`, `--from 3 --to 7`. Each wrong one gets its own
//! message with what is available (INV-3).

use crate::finding::quote;
use crate::phase_id::PhaseId;
use crate::problem::Problem;
use crate::roadmap::Roadmap;
use crate::selection::Request;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    All,
    Next,
    /// The place of a phase in the roadmap.
    One(usize),
    Range(PhaseId, PhaseId),
}

/// Ids shown in a message; the rest is counted.
const SHOWN_MAX: usize = 12;

pub(super) fn read(request: &Request, roadmap: &Roadmap) -> Result<Vec<Wish>, Problem> {
    let mut wishes = Vec::new();
    let words = request
        .phases
        .iter()
        .flat_map(|text| text.split([',', ' ']))
        .filter(|word| !word.is_empty());
    for word in words {
        wishes.push(read_word(word, request, roadmap)?);
    }
    if wishes.is_empty() && !request.phases.is_empty() {
        return Err(Problem::usage(
            "no phase is named in the words given",
            "empty words, as from a variable that was not set, must not mean every phase",
            format!("name phases, or say it: {} all", request.command),
        ));
    }
    wishes.extend(read_from_to(request, roadmap)?);
    Ok(wishes)
}

fn read_word(word: &str, request: &Request, roadmap: &Roadmap) -> Result<Wish, Problem> {
    match word.to_ascii_lowercase().as_str() {
        "all" => return Ok(Wish::All),
        "next" => return Ok(Wish::Next),
        _ => {}
    }
    if let Ok(id) = word.parse::<PhaseId>() {
        return match roadmap.phases.iter().position(|phase| phase.id == id) {
            Some(place) => Ok(Wish::One(place)),
            None => Err(not_in_roadmap(&id, roadmap, request)),
        };
    }
    if let Some((first, last)) = range(word) {
        refuse_mixed(&first, &last, request)?;
        if first > last {
            return Err(Problem::usage(
                format!("the range {word} goes backwards"),
                "a range runs from its lower phase to its higher one",
                format!("turn it round: {} {last}-{first}", request.command),
            ));
        }
        return Ok(Wish::Range(first, last));
    }
    Err(Problem::usage(
        format!("{} is no phase number", quote(word)),
        "phases are named by number (3, 2.1, 12A, PROJ-42), by range (3-7), or by the words all and next",
        format!("name one of these: {}", available(roadmap)),
    ))
}

/// `3-7`, `3–7`, `3..7`, `PROJ-1-PROJ-5`: the first place where both sides are ids.
fn range(word: &str) -> Option<(PhaseId, PhaseId)> {
    let dashes = word.match_indices(['-', '–']).chain(word.match_indices(".."));
    dashes.into_iter().find_map(|(at, mark)| {
        let first: PhaseId = word[..at].parse().ok()?;
        let last: PhaseId = word[at + mark.len()..].parse().ok()?;
        // `PROJ-1-3` is PROJ-1 to PROJ-3.
        let last = if last.prefix().is_none() { last.with_prefix_of(&first) } else { last };
        Some((first, last))
    })
}

/// Phases of different projects have no order a range could follow.
fn refuse_mixed(first: &PhaseId, last: &PhaseId, request: &Request) -> Result<(), Problem> {
    if first.prefix() == last.prefix() {
        return Ok(());
    }
    Err(Problem::usage(
        format!("{first} and {last} belong to different projects"),
        "a range runs over the phases of one",
        format!("name them one by one: {} {first},{last}", request.command),
    ))
}

fn read_from_to(request: &Request, roadmap: &Roadmap) -> Result<Option<Wish>, Problem> {
    let end = |text: &Option<String>, flag: &str| match text {
        None => Ok(None),
        Some(text) => text.parse::<PhaseId>().map(Some).map_err(|_| {
            Problem::usage(
                format!("{flag} {} is no phase number", quote(text)),
                format!("{flag} takes the number of one phase"),
                format!("name one of these: {}", available(roadmap)),
            )
        }),
    };
    let (from, to) = (end(&request.from, "--from")?, end(&request.to, "--to")?);
    let ids = || roadmap.phases.iter().map(|phase| &phase.id).filter(|id| !id.is_backlog());
    let (Some(lowest), Some(highest)) = (ids().min(), ids().max()) else { return Ok(None) };
    match (from, to) {
        (None, None) => Ok(None),
        (Some(first), Some(last)) if first > last => Err(Problem::usage(
            format!("--from {first} comes after --to {last}"),
            "a range runs from its lower phase to its higher one",
            format!("turn it round: {} --from {last} --to {first}", request.command),
        )),
        (first, last) => {
            let first = first.unwrap_or_else(|| lowest.clone());
            let last = last.unwrap_or_else(|| highest.clone());
            refuse_mixed(&first, &last, request)?;
            Ok(Some(Wish::Range(first, last)))
        }
    }
}

fn not_in_roadmap(id: &PhaseId, roadmap: &Roadmap, request: &Request) -> Problem {
    Problem::usage(
        format!("phase {id} is not in {}", roadmap.file),
        "autopilot runs what the roadmap describes and makes up nothing",
        format!("choose from: {}. See them all with: {} all", available(roadmap), request.command),
    )
}

pub(super) fn empty_range(
    first: &PhaseId,
    last: &PhaseId,
    roadmap: &Roadmap,
    request: &Request,
) -> Problem {
    Problem::usage(
        format!("no phase of {} lies between {first} and {last}", roadmap.file),
        "a range takes the phases between its ends; here there is none",
        format!("choose from: {}. See them all with: {} all", available(roadmap), request.command),
    )
}

fn available(roadmap: &Roadmap) -> String {
    let ids: Vec<String> = roadmap.phases.iter().map(|phase| phase.id.to_string()).collect();
    match ids.len() {
        0..=SHOWN_MAX => ids.join(", "),
        count => {
            format!("{}, … {} ({count} phases)", ids[..SHOWN_MAX - 1].join(", "), ids[count - 1])
        }
    }
}
