//! What is wrong with a draft, found without an agent: each fault in one sentence that names its place, for the agent that is asked again
//! and for the user. All of them are told at once.

use std::collections::{BTreeMap, BTreeSet};

use super::vague::is_vague;
use super::{DraftedPhase, Drafting};
use crate::cannot_fail::cannot_fail;
use crate::contract::drafting::DraftedCriterion;
use crate::convert::{command, safe_text};
use crate::finding::quote;
use crate::limits;
use crate::requirement_id;
use crate::stub::is_stub;

pub(super) fn of(drafting: &Drafting) -> Vec<String> {
    let mut faults = of_page(drafting);
    faults.extend(of_numbers(&drafting.phases));
    let known: BTreeSet<&str> = drafting.requirements.iter().map(|it| it.id.trim()).collect();
    for phase in &drafting.phases {
        faults.extend(of_phase(phase, &known));
    }
    faults.extend(of_order(&drafting.phases));
    faults.extend(of_requirements(drafting));
    faults
}

fn of_page(drafting: &Drafting) -> Vec<String> {
    let mut faults = Vec::new();
    if is_unnamed(&drafting.title) {
        faults.push("`title` does not name the project".to_string());
    }
    faults.extend(too_long("`title`", &drafting.title, limits::DRAFT_NAME_CHARS_MAX));
    if is_stub(&drafting.summary) {
        faults.push("`summary` does not say what the project is".to_string());
    }
    let lists = [
        ("constraints", &drafting.constraints),
        ("out_of_scope", &drafting.out_of_scope),
        ("decisions", &drafting.decisions),
    ];
    let sentences = lists.iter().flat_map(|(name, list)| {
        list.iter().enumerate().map(move |(at, text)| (format!("`{name}[{at}]`"), text))
    });
    let summary = ("`summary`".to_string(), &drafting.summary);
    for (name, text) in std::iter::once(summary).chain(sentences) {
        faults.extend(too_long(&name, text, limits::DRAFTING_TEXT_CHARS_MAX));
    }
    faults
}

/// The phases are numbered from 1 without gaps, so that a number that was forgotten or used twice shows.
fn of_numbers(phases: &[DraftedPhase]) -> Vec<String> {
    let count = phases.len();
    if count == 0 {
        return vec!["there is no phase, and nothing could be done".to_string()];
    }
    let mut faults = Vec::new();
    if count > limits::DRAFTING_PHASES_MAX {
        faults.push(format!(
            "there are {count} phases; at most {} are taken: make each a step that somebody could use, and leave the rest for later",
            limits::DRAFTING_PHASES_MAX
        ));
    }
    let mut times: BTreeMap<u32, usize> = BTreeMap::new();
    for phase in phases {
        *times.entry(phase.number).or_default() += 1;
    }
    for (number, times) in times.iter().filter(|(_, times)| **times > 1) {
        faults.push(format!("{times} phases have the number {number}; each needs its own"));
    }
    let last = u32::try_from(count).unwrap_or(u32::MAX);
    for number in times.keys().filter(|number| !(1..=last).contains(number)) {
        faults.push(format!("phase {number}: phases are numbered from 1 to {last}, without gaps"));
    }
    faults
}

fn of_phase(phase: &DraftedPhase, known: &BTreeSet<&str>) -> Vec<String> {
    let number = phase.number;
    let mut faults = Vec::new();
    if is_unnamed(&phase.name) {
        faults.push(format!("phase {number} has no name"));
    }
    faults.extend(too_long(
        &format!("the name of phase {number}"),
        &phase.name,
        limits::DRAFT_NAME_CHARS_MAX,
    ));
    if is_stub(&phase.goal) {
        faults.push(format!("phase {number} has no goal: say what is true after it"));
    }
    let goal = format!("the goal of phase {number}");
    faults.extend(too_long(&goal, &phase.goal, limits::DRAFTING_TEXT_CHARS_MAX));
    for id in phase.requirements.iter().map(|id| id.trim()).filter(|id| !known.contains(id)) {
        faults.push(format!(
            "phase {number} names the requirement {}, which is not among the requirements",
            quote(id)
        ));
    }
    match phase.criteria.len() {
        0 => {
            faults.push(format!("phase {number} has no criteria: nobody could say when it is done"))
        }
        count if count > limits::DRAFTING_CRITERIA_MAX => faults.push(format!(
            "phase {number} has {count} criteria; with more than {} it is several phases",
            limits::DRAFTING_CRITERIA_MAX
        )),
        _ => {}
    }
    for (at, criterion) in (1..).zip(&phase.criteria) {
        faults.extend(of_criterion(&format!("criterion {at} of phase {number}"), criterion));
    }
    faults
}

fn of_criterion(name: &str, criterion: &DraftedCriterion) -> Vec<String> {
    let mut faults = Vec::new();
    if is_stub(&criterion.text) {
        faults.push(format!("{name} says nothing"));
    } else if is_vague(criterion) {
        faults.push(format!(
            "{name}, {}, cannot be checked: name something that somebody could see, or give it a command",
            quote(&criterion.text)
        ));
    }
    faults.extend(too_long(name, &criterion.text, limits::DRAFTING_TEXT_CHARS_MAX));
    let Some(line) = criterion.command.as_deref().map(str::trim).filter(|it| !it.is_empty()) else {
        return faults;
    };
    if !command::is_writable(line) {
        faults.push(format!(
            "the command of {name}, {}, cannot stand in a roadmap: write it in one line and without backticks",
            quote(line)
        ));
    } else if cannot_fail(line) {
        faults.push(format!(
            "the command of {name}, {}, cannot fail: it passes whether the work is done or not",
            quote(line)
        ));
    }
    let of_command = format!("the command of {name}");
    faults.extend(too_long(&of_command, line, limits::DRAFT_COMMAND_CHARS_MAX));
    faults
}

/// Dependencies lead to earlier phases only; those that go round are told as the circles they are.
fn of_order(phases: &[DraftedPhase]) -> Vec<String> {
    let needs: BTreeMap<u32, BTreeSet<u32>> = phases
        .iter()
        .map(|phase| (phase.number, phase.depends_on.iter().copied().collect()))
        .collect();
    let circles = circles(&needs);
    let in_circle = |number: &u32, needed: &u32| {
        circles.iter().any(|circle| circle.contains(number) && circle.contains(needed))
    };
    let mut faults: Vec<String> = Vec::new();
    for (number, needed) in
        needs.iter().flat_map(|(number, all)| all.iter().map(move |it| (number, it)))
    {
        if number == needed {
            faults.push(format!("phase {number} depends on itself"));
        } else if !needs.contains_key(needed) {
            faults.push(format!("phase {number} depends on phase {needed}, which does not exist"));
        } else if needed > number && !in_circle(number, needed) {
            faults.push(format!(
                "phase {number} depends on phase {needed}, which comes after it: number the phases in the order they can be done"
            ));
        }
    }
    faults.extend(circles.iter().map(|circle| {
        let way: Vec<String> = circle.iter().chain(circle.first()).map(u32::to_string).collect();
        format!("phases wait for each other: {}", way.join(" → "))
    }));
    faults
}

/// Each circle once, as the way round. Found by walking back what is needed; a phase is walked through once.
fn circles(needs: &BTreeMap<u32, BTreeSet<u32>>) -> Vec<Vec<u32>> {
    let mut circles = Vec::new();
    let mut done: BTreeSet<u32> = BTreeSet::new();
    for first in needs.keys() {
        let mut path: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut next = (!done.contains(first)).then_some(*first);
        loop {
            if let Some(number) = next.take() {
                let ahead = needs.get(&number).into_iter().flatten().rev().copied().collect();
                path.push((number, ahead));
            }
            let Some((number, ahead)) = path.last_mut() else { break };
            let Some(needed) = ahead.pop() else {
                done.insert(*number);
                path.pop();
                continue;
            };
            if needed == *number || done.contains(&needed) {
                continue;
            }
            match path.iter().position(|(on_path, _)| *on_path == needed) {
                Some(start) => circles.push(path[start..].iter().map(|(it, _)| *it).collect()),
                None => next = Some(needed),
            }
        }
    }
    circles
}

fn of_requirements(drafting: &Drafting) -> Vec<String> {
    if drafting.requirements.is_empty() {
        return vec![
            "there is no requirement: say what must be true of the project in the end".into(),
        ];
    }
    let taken: BTreeSet<&str> = drafting
        .phases
        .iter()
        .flat_map(|phase| phase.requirements.iter().map(|id| id.trim()))
        .collect();
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for requirement in &drafting.requirements {
        let id = requirement.id.trim();
        let shown = quote(id);
        if !requirement_id::is_id(id) {
            faults.push(format!("the requirement {shown} needs an id such as DATA-01"));
        }
        if !seen.insert(id) {
            faults.push(format!("the id {shown} is used for two requirements"));
            continue;
        }
        if is_stub(&requirement.text) {
            faults.push(format!("the requirement {shown} does not say what must be true"));
        }
        let name = format!("the requirement {shown}");
        faults.extend(too_long(&name, &requirement.text, limits::DRAFTING_TEXT_CHARS_MAX));
        if !taken.contains(id) {
            faults.push(format!("no phase takes up the requirement {shown}"));
        }
    }
    faults
}

fn is_unnamed(name: &str) -> bool {
    is_stub(name) || safe_text::name(name).is_empty()
}

fn too_long(name: &str, text: &str, chars_max: usize) -> Option<String> {
    let count = text.chars().count();
    (count > chars_max)
        .then(|| format!("{name} has {count} characters; at most {chars_max} are taken"))
}
