//! What tests of a change rest on now and did not rest on before: other files of data, other helpers, assertions that compare with
//! another value or with none. Most of it is honest, and no text says which: whoever asked lays the old files over the work and
//! measures. So nothing is told from here alone.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::FileChange;
use super::assertions::{Assertion, Form};
use super::compare::Compared;
use super::language::{Language, extension, is_test_path};
use super::source::Source;
use super::tokens::{Kind, Token};
use crate::finding::quote;
use crate::limits;

/// A file that tests of the base commit rest on, and that is another now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expectation {
    pub file: String,
    #[serde(default)]
    pub kind: ExpectationKind,
    /// A test in it that compares with fewer values than it did, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weaker: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectationKind {
    #[default]
    Tests,
    /// Code that tests call, or that is run before them.
    Helper,
    Data,
}

impl ExpectationKind {
    pub fn words(self) -> &'static str {
        match self {
            ExpectationKind::Tests => "a file of tests",
            ExpectationKind::Helper => "a helper of tests",
            ExpectationKind::Data => "data of tests",
        }
    }
}

/// What the assertions of one test compare with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Expected {
    /// Numbers and texts, sorted, as often as they stand there.
    literals: Vec<String>,
    /// Assertions that name the very value they want.
    exact: u32,
    count: usize,
}

impl Expected {
    pub(super) fn of(source: &Source<'_>, assertions: &[Assertion]) -> Expected {
        let mut literals = Vec::new();
        let (mut exact, count) = (0, assertions.len());
        for one in assertions {
            let range = extent(source, one);
            let tokens = source.slice(range.clone());
            let named =
                tokens.iter().filter(|token| matches!(token.kind, Kind::Number | Kind::Text));
            literals.extend(named.map(|token| token.text.to_string()));
            exact += u32::from(is_exact(source, one, range));
        }
        literals.sort_unstable();
        Expected { literals, exact, count }
    }

    /// Something is asserted in the test itself.
    pub(super) fn has_any(&self) -> bool {
        self.count > 0
    }

    /// A value that was compared with and is not any more.
    fn has_lost(&self, before: &Expected) -> bool {
        let mut left = self.literals.iter().peekable();
        !before.literals.iter().all(|wanted| {
            while left.next_if(|one| *one < wanted).is_some() {}
            left.next_if(|one| *one == wanted).is_some()
        })
    }
}

/// The tokens an assertion speaks of.
pub(super) fn extent(source: &Source<'_>, one: &Assertion) -> Range<usize> {
    match &one.form {
        Form::Truth(range) => range.clone(),
        Form::Equal(left, right) => left.start..right.end,
        Form::Expectation { open } => *open..chain_end(source, *open),
        Form::Other => {
            let open = one.at + 1 + usize::from(source.is(one.at + 1, "!"));
            match source.is(open, "(") {
                true => source.inside(open),
                false => one.at + 1..source.line_end(one.at),
            }
        }
    }
}

/// Where `expect(value).not.toBe(other)` ends.
fn chain_end(source: &Source<'_>, open: usize) -> usize {
    // Chains have four links at most; a bound keeps a long line of dots linear.
    const LINKS_MAX: usize = 6;
    let after = |open: usize| source.close.get(open).map_or(open, |close| close + 1);
    let mut end = after(open);
    for _ in 0..LINKS_MAX {
        let is_link = source.token(end).is_some_and(|token| matches!(token.text, "." | "->"));
        if !is_link {
            break;
        }
        end += 2;
        if source.is(end, "(") {
            end = after(end);
        }
    }
    end
}

fn is_exact(source: &Source<'_>, one: &Assertion, range: Range<usize>) -> bool {
    const MATCHERS: [&str; 8] =
        ["toBe", "toEqual", "toStrictEqual", "equal", "eq", "eql", "equals", "toMatchObject"];
    let tokens = source.slice(range);
    match &one.form {
        Form::Equal(left, right) => {
            !is_plain(source.slice(left.clone())) && !is_plain(source.slice(right.clone()))
        }
        Form::Truth(_) => {
            let at = tokens.iter().position(|token| token.is("==") || token.is("==="));
            at.is_some_and(|at| !is_plain(&tokens[at + 1..]))
        }
        Form::Expectation { .. } => tokens.iter().any(|token| MATCHERS.contains(&token.text)),
        Form::Other => {
            let word = source.token(one.at).map_or("", |token| token.text).to_ascii_lowercase();
            word.contains("equal") || word.ends_with("_eq")
        }
    }
}

/// Whether something is true or there at all can be asked in other words, and nothing is lost.
fn is_plain(side: &[Token<'_>]) -> bool {
    const WORDS: [&str; 9] =
        ["true", "false", "True", "False", "None", "null", "nil", "undefined", "0"];
    matches!(side, [one] if WORDS.contains(&one.text))
}

pub(super) fn look(changes: &[FileChange<'_>], compared: &Compared<'_, '_>) -> Vec<Expectation> {
    let mut found: Vec<Expectation> = Vec::new();
    for (old, new) in &compared.pairing.pairs {
        let (old, new) = (&compared.before.tests[*old], &compared.after.tests[*new]);
        let source = &compared.before.files[old.file].source;
        // Tests that stand beside the code they test cannot be laid over it without taking it back.
        let is_asked = source.is_test && old.case.skip.is_none();
        let is_weaker = new.expected.exact < old.expected.exact;
        if !is_asked || !(is_weaker || new.expected.has_lost(&old.expected)) {
            continue;
        }
        let weaker = is_weaker.then(|| {
            format!(
                "the test {} compares with a value in {} assertions where it did in {}",
                quote(&new.case.name),
                new.expected.exact,
                old.expected.exact
            )
        });
        add(&mut found, source.path, ExpectationKind::Tests, weaker);
    }
    let with_tests = |path: &str| {
        let mut files = compared.before.files.iter();
        files.any(|file| file.source.path == path && !file.cases.is_empty())
    };
    for change in changes {
        let is_other = change.before.is_some() && change.before != change.after;
        if is_other && is_rested_on(change.path) && !with_tests(change.path) {
            let kind = match Language::of(change.path) {
                Some(_) => ExpectationKind::Helper,
                None => ExpectationKind::Data,
            };
            add(&mut found, change.path, kind, None);
        }
    }
    found.truncate(limits::EXPECTATIONS_MAX);
    found
}

fn add(found: &mut Vec<Expectation>, file: &str, kind: ExpectationKind, weaker: Option<String>) {
    match found.iter_mut().find(|one| one.file == file) {
        Some(known) if known.weaker.is_none() => known.weaker = weaker,
        Some(_) => {}
        None => found.push(Expectation { file: file.to_string(), kind, weaker }),
    }
}

/// Whether a file is a test, or something that tests rest on.
pub fn belongs_to_tests(path: &str) -> bool {
    let folders = path.split('/').rev().skip(1);
    let is_data = |folder: &str| {
        matches!(
            folder.to_ascii_lowercase().as_str(),
            "fixtures" | "fixture" | "golden" | "goldens" | "testdata" | "test-data" | "test_data"
        )
    };
    is_test_path(path) || folders.into_iter().any(is_data)
}

/// Data and helpers of tests. What runners record by themselves, and rewrite when asked, is nobody's word.
fn is_rested_on(path: &str) -> bool {
    let is_recorded =
        extension(path) == "snap" || path.split('/').any(|part| part == "__snapshots__");
    let is_words = matches!(extension(path), "md" | "rst");
    belongs_to_tests(path) && !is_recorded && !is_words && !super::language::is_foreign(path)
}

#[cfg(test)]
#[path = "expectations_tests.rs"]
mod tests;
