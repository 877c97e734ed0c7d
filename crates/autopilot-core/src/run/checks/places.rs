//! The places in files that reviewers name as evidence, and what the engine sees there. Looking into the candidate is an effect;
//! what counts as found is decided here.

use serde::{Deserialize, Serialize};

use crate::contract::Role;
use crate::contract::returns::{CriterionResult, Verification};
use crate::limits;
use crate::phase_id::PhaseId;
use crate::run::ids::Commit;
use crate::run::pipeline::At;

/// How far from the named line quoted words may stand (CHECK-8).
const LINES_AROUND: usize = 3;

/// An order to look places up in a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookUpOrder {
    pub phase: PhaseId,
    pub at: Commit,
    pub places: Vec<Place>,
}

/// As a reviewer named it: a claim, and never a path that is followed outside the commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    There,
    /// No file of that name, or one that is none: a folder, a link, a path out of the project.
    NoFile,
    NoLine,
    /// The quoted words stand nowhere near the line.
    NoWords,
    /// No text, or too much of it.
    NotText,
}

impl Seen {
    pub fn words(self) -> &'static str {
        match self {
            Seen::There => "is there",
            Seen::NoFile => "is no file of the candidate",
            Seen::NoLine => "has no such line",
            Seen::NoWords => "does not have the quoted words within three lines of that line",
            Seen::NotText => "is no text that could be looked into",
        }
    }
}

/// A place and what was seen there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedUp {
    pub place: Place,
    pub seen: Seen,
}

/// What the named place of a result is, cut to what an event can hold.
pub(super) fn place_of(result: &CriterionResult) -> Option<Place> {
    let file = result.file.as_deref().map(str::trim).filter(|file| !file.is_empty())?;
    let file = file.strip_prefix("./").unwrap_or(file);
    // `src/lib.rs:12`, as people write it.
    let (file, line) = match (result.line, file.rsplit_once(':')) {
        (None, Some((file, line))) if line.parse::<u32>().is_ok() => (file, line.parse().ok()),
        (line, _) => (file, line),
    };
    let quote = result.quote.as_deref().map(str::trim).filter(|quote| !quote.is_empty());
    Some(Place {
        file: cut(file, limits::PLACE_PATH_CHARS_MAX),
        line,
        quote: quote.map(|quote| cut(quote, limits::PLACE_QUOTE_CHARS_MAX)),
    })
}

fn cut(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect()
}

fn places_of(said: &Verification) -> Vec<Place> {
    let named = said.criteria_results.iter().filter_map(place_of);
    named.take(limits::PLACES_MAX).collect()
}

/// The order to look up what the return that just came names; None when there is nothing to look up, or it was done.
pub(super) fn order(at: At<'_>, role: Role) -> Option<LookUpOrder> {
    let candidate = &at.work.candidate;
    if !matches!(role, Role::Verify | Role::Review) || candidate.places.is_some() {
        return None;
    }
    let places = places_of(candidate.verification.as_ref()?);
    let (phase, at) = (at.phase.id.clone(), at.work.head.clone());
    (!places.is_empty()).then_some(LookUpOrder { phase, at, places })
}

/// Whether a claimed path names something inside a commit and nothing else.
pub fn is_inside(file: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    let has_control = file.chars().any(char::is_control);
    !has_control && !file.starts_with('/') && file.split('/').all(is_plain)
}

/// What is seen at a place in the text of its file.
pub fn look(text: &str, place: &Place) -> Seen {
    let lines: Vec<&str> = text.lines().collect();
    let line = match place.line {
        None => None,
        Some(0) => return Seen::NoLine,
        Some(number) => match usize::try_from(number) {
            Ok(number) if number <= lines.len() => Some(number),
            _ => return Seen::NoLine,
        },
    };
    let Some(quote) = &place.quote else { return Seen::There };
    let around = match line {
        None => lines.as_slice(),
        Some(number) => {
            let from = number.saturating_sub(1 + LINES_AROUND);
            &lines[from..lines.len().min(number + LINES_AROUND)]
        }
    };
    let there = around.join(" ");
    // Indentation and line breaks are nobody's words.
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if squeezed(&there).contains(&squeezed(quote)) { Seen::There } else { Seen::NoWords }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_stand_within_three_lines_of_the_named_one() {
        let text = "a\nb\nc\nfn found() {\n    one();\n    two();\n}\nh\ni\n";
        let check = |line: Option<u32>, quote: Option<&str>, expected: Seen| {
            let quote = quote.map(ToString::to_string);
            let place = Place { file: "x".to_string(), line, quote };
            assert_eq!(look(text, &place), expected, "{place:?}");
        };
        check(Some(4), Some("fn found()"), Seen::There);
        check(Some(1), Some("fn found()"), Seen::There);
        check(Some(7), Some("fn found()"), Seen::There);
        check(Some(8), Some("fn found()"), Seen::NoWords);
        check(Some(5), Some("one(); two();"), Seen::There);
        check(Some(4), Some("fn lost()"), Seen::NoWords);
        check(Some(9), None, Seen::There);
        check(Some(10), None, Seen::NoLine);
        check(Some(0), None, Seen::NoLine);
        check(None, Some("h i"), Seen::There);
        check(Some(u32::MAX), Some("a"), Seen::NoLine);
    }

    #[test]
    fn a_place_is_read_as_people_write_it() {
        let check = |file: &str, line: Option<u32>, expected: Option<(&str, Option<u32>)>| {
            let mut result = crate::run::checks::fixture::result("it works", "seen");
            (result.file, result.line) = (Some(file.to_string()), line);
            let place = place_of(&result).map(|place| (place.file, place.line));
            assert_eq!(place, expected.map(|(file, line)| (file.to_string(), line)));
        };
        check("src/lib.rs", Some(3), Some(("src/lib.rs", Some(3))));
        check(" ./src/lib.rs:12 ", None, Some(("src/lib.rs", Some(12))));
        check("a:b", None, Some(("a:b", None)));
        check("a:7", Some(2), Some(("a:7", Some(2))));
        check("  ", Some(2), None);
    }

    #[test]
    fn a_path_that_leaves_the_commit_is_none() {
        for inside in ["src/lib.rs", "a", "a/b c/ü", "..a/b"] {
            assert!(is_inside(inside), "{inside}");
        }
        for outside in ["", "/etc/passwd", "../x", "a/../b", "a//b", "./a", "a/", "a\nb", "a\0"] {
            assert!(!is_inside(outside), "{outside:?}");
        }
    }
}
