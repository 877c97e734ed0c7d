//! CHECK-16: verifier, judge and rater look blind. A return that names another's conclusion, or has a long run of another's words,
//! was not made blind. What all of them have before their eyes does not count: criteria, plans, commands, their output, and
//! whatever is quoted from files. Nothing of the other's words is told to whoever is asked again.

use std::collections::BTreeSet;

use crate::contract::Role;
use crate::contract::returns::{Judgement, Rating, Verification};
use crate::run::checks::prose::{Token, plain_words, tokens};
use crate::run::checks::{Found, Integrity};
use crate::run::pipeline::At;
use crate::run::work::Candidate;

/// Words in a row that two people do not write by chance. Stock phrases about green builds have up to ten.
const RUN_WORDS: usize = 12;
/// Words in a row that are taken for a quotation of what everybody was given.
const GIVEN_WORDS: usize = 4;
/// How far behind the name of another reviewer its conclusion may stand.
const CONCLUSION_WITHIN: usize = 8;

pub(super) fn look(at: At<'_>, role: Role) -> Vec<Found> {
    // What shows nothing when everything counts shows nothing when less does; most returns end here.
    if reasons(at, role, &Given::default()).is_empty() {
        return Vec::new();
    }
    let reasons = reasons(at, role, &given(at));
    let check = Integrity::Contamination;
    match (reasons.is_empty(), at.work.checked.is_again(role)) {
        (true, _) => Vec::new(),
        (false, false) => vec![Found::Rejected { check, reasons }],
        (false, true) => vec![Found::Warned { check, reason: reasons.join("; ") }],
    }
}

fn reasons(at: At<'_>, role: Role, given: &Given) -> Vec<String> {
    let said = texts(&at.work.candidate, role);
    let mut reasons = Vec::new();
    for candidate in earlier(at) {
        let is_this = std::ptr::eq(candidate, &at.work.candidate);
        for other in [Role::Verify, Role::Judge, Role::Rate] {
            // Of the candidate under review only those count who spoke before.
            let counts = if is_this { place(other) < place(role) } else { other != role };
            if counts {
                reasons.extend(repeats(&said, other, candidate, given));
                reasons.extend(names(&said, other, candidate, given));
            }
        }
    }
    reasons.dedup();
    reasons
}

/// This candidate and those that were reviewed before it.
fn earlier(at: At<'_>) -> Vec<&Candidate> {
    let head = &at.work.candidate;
    let before = at.work.rated.iter().map(|rated| &rated.facts);
    // The one under review may stand among the rated already.
    let before = before.filter(|facts| facts.reviewed != head.reviewed);
    before.chain([head]).collect()
}

/// Who speaks first, second and third.
fn place(role: Role) -> u8 {
    match role {
        Role::Verify => 0,
        Role::Judge => 1,
        _ => 2,
    }
}

/// A text of a return, under the name of its field.
struct Text {
    field: String,
    text: String,
}

fn texts(candidate: &Candidate, role: Role) -> Vec<Text> {
    match role {
        Role::Verify => candidate.verification.as_ref().map(verifiers),
        Role::Judge => candidate.judgement.as_ref().map(judges),
        Role::Rate => candidate.rating.as_ref().map(raters),
        _ => None,
    }
    .unwrap_or_default()
}

fn text(field: String, text: &str) -> Text {
    Text { field, text: text.to_string() }
}

fn verifiers(said: &Verification) -> Vec<Text> {
    let results = said.criteria_results.iter().enumerate();
    let results =
        results.map(|(n, one)| text(format!("criteria_results[{n}].evidence"), &one.evidence));
    let failures = said.failures.iter().enumerate();
    let failures =
        failures.map(|(n, one)| text(format!("failures[{n}].description"), &one.description));
    let creep = said.scope_creep.iter().enumerate();
    let creep = creep.map(|(n, one)| text(format!("scope_creep[{n}]"), one));
    results.chain(failures).chain(creep).collect()
}

fn judges(said: &Judgement) -> Vec<Text> {
    let concerns = said.concerns.iter().enumerate();
    let concerns =
        concerns.map(|(n, one)| text(format!("concerns[{n}].description"), &one.description));
    let evidence = said.independent_evidence.iter().enumerate();
    let evidence = evidence.map(|(n, one)| text(format!("independent_evidence[{n}]"), one));
    let missing = said.missing_requirements.iter().enumerate();
    let missing = missing.map(|(n, one)| text(format!("missing_requirements[{n}]"), one));
    concerns.chain(evidence).chain(missing).collect()
}

fn raters(said: &Rating) -> Vec<Text> {
    let entries = said.scorecard.iter().enumerate().flat_map(|(n, one)| {
        let fields = [
            ("evidence", Some(&one.evidence)),
            ("justification", Some(&one.justification)),
            ("deficiency", one.deficiency.as_ref()),
        ];
        let named = fields.into_iter().filter_map(|(name, text)| Some((name, text?)));
        named.map(move |(name, words)| text(format!("scorecard[{n}].{name}"), words))
    });
    entries.collect()
}

/// What everybody was given or saw: nobody's conclusion.
#[derive(Default)]
struct Given {
    runs: BTreeSet<Vec<String>>,
    words: BTreeSet<String>,
}

fn given(at: At<'_>) -> Given {
    let phase = at.phase;
    let mut all: Vec<&str> = vec![&phase.name, &phase.goal];
    all.extend(phase.requirements.iter().map(String::as_str));
    for criterion in &phase.criteria {
        all.push(&criterion.text);
        all.extend(criterion.command.as_deref());
    }
    for task in &at.work.tasks {
        all.push(&task.task.name);
        all.extend(task.task.checks.iter().map(String::as_str));
    }
    for one in at.work.candidate.evidence.iter().flatten() {
        all.extend([one.command.as_str(), one.tail.as_str()]);
    }
    if let Some(said) = &at.work.candidate.verification {
        all.extend(said.commands_run.iter().map(String::as_str));
        all.extend(said.criteria_results.iter().map(|one| one.criterion.as_str()));
        all.extend(said.criteria_results.iter().filter_map(|one| one.quote.as_deref()));
    }
    if let Some(said) = &at.work.candidate.rating {
        all.extend(said.scorecard.iter().map(|one| one.criterion.as_str()));
        all.extend(said.scorecard.iter().filter_map(|one| one.command.as_deref()));
    }
    let lists: Vec<Vec<String>> = all.into_iter().map(plain_words).collect();
    let runs = lists.iter().flat_map(|words| words.windows(GIVEN_WORDS).map(<[String]>::to_vec));
    Given { runs: runs.collect(), words: lists.iter().flatten().cloned().collect() }
}

/// A text as runs of its own words; what was given ends a run as a quotation does.
fn own_runs(text: &str, given: &Given) -> Vec<Vec<String>> {
    let tokens = tokens(text);
    let words: Vec<Option<&String>> = tokens
        .iter()
        .map(|token| match token {
            Token::Word(word) => Some(word),
            Token::Break => None,
        })
        .collect();
    let mut is_given = vec![false; words.len()];
    for (start, window) in words.windows(GIVEN_WORDS).enumerate() {
        let run: Option<Vec<String>> = window.iter().map(|word| word.cloned()).collect();
        if run.is_some_and(|run| given.runs.contains(&run)) {
            is_given[start..start + GIVEN_WORDS].fill(true);
        }
    }
    let mut runs = vec![Vec::new()];
    for (word, is_given) in words.into_iter().zip(is_given) {
        match (word, runs.last_mut()) {
            (Some(word), Some(run)) if !is_given => run.push(word.clone()),
            _ => runs.push(Vec::new()),
        }
    }
    runs
}

fn repeats(said: &[Text], other: Role, candidate: &Candidate, given: &Given) -> Vec<String> {
    let theirs = texts(candidate, other);
    let theirs = theirs.iter().flat_map(|one| own_runs(&one.text, given));
    let long: BTreeSet<Vec<String>> = theirs
        .flat_map(|run| run.windows(RUN_WORDS).map(<[String]>::to_vec).collect::<Vec<_>>())
        .collect();
    if long.is_empty() {
        return Vec::new();
    }
    let copied = said.iter().filter(|one| {
        let runs = own_runs(&one.text, given);
        runs.iter().any(|run| run.windows(RUN_WORDS).any(|window| long.contains(window)))
    });
    let told = copied.map(|one| {
        format!("`{}` has {RUN_WORDS} words in a row of {}", one.field, report_of(other))
    });
    told.collect()
}

fn report_of(role: Role) -> &'static str {
    match role {
        Role::Verify => "the verifier's report",
        Role::Judge => "the judge's report",
        _ => "the rater's scorecard",
    }
}

/// How a reviewer or its report is called.
fn called(role: Role) -> &'static [&'static str] {
    match role {
        Role::Verify => &["verifier", "verification.md"],
        Role::Judge => &["judge", "judge-report.md"],
        _ => &["rater", "scorecard.md", "scorecard"],
    }
}

/// What it came to, in the words others would use.
fn conclusions(role: Role, candidate: &Candidate) -> Vec<String> {
    let list = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    match role {
        Role::Verify => match candidate.verification.as_ref().map(|said| said.pass) {
            Some(true) => list(&["pass", "passed", "passes", "verified", "confirmed"]),
            Some(false) => list(&["fail", "failed", "fails", "rejected"]),
            None => Vec::new(),
        },
        Role::Judge => {
            let said = candidate.judgement.iter().chain(&candidate.divergence);
            let words = said.filter_map(|said| serde_json::to_value(said.recommendation).ok());
            words.filter_map(|word| word.as_str().map(str::to_string)).collect()
        }
        _ => {
            let entries = candidate.rating.iter().flat_map(|rating| &rating.scorecard);
            let scores = entries.map(|entry| entry.score.to_string());
            let mean = candidate.rating.as_ref().and_then(Rating::mean);
            scores.chain(mean.map(|mean| mean.to_string())).collect()
        }
    }
}

/// Sentences that name another reviewer and then what it really concluded.
fn names(said: &[Text], other: Role, candidate: &Candidate, given: &Given) -> Vec<String> {
    let conclusions = conclusions(other, candidate);
    // In a project that has a judge of its own the word means nothing.
    let called = called(other).iter().filter(|name| !given.words.contains(**name));
    let called: Vec<&str> = called.copied().collect();
    let is_named = |text: &str| {
        let words: Vec<String> = text
            .split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
            .map(|word| word.trim_end_matches("/10").trim_end_matches("'s").to_string())
            .collect();
        words.iter().enumerate().any(|(at, word)| {
            let behind = words[at + 1..].iter().take(CONCLUSION_WITHIN);
            called.contains(&word.as_str()) && behind.into_iter().any(|it| conclusions.contains(it))
        })
    };
    let told = said.iter().filter(|one| is_named(&one.text));
    let told = told.map(|one| format!("`{}` tells what {} says", one.field, report_of(other)));
    told.collect()
}

#[cfg(test)]
#[path = "contamination_tests.rs"]
mod tests;
