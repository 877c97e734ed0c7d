//! All files of a change at one of its two commits, with their tests counted: how many assertions each can fail by, how many
//! that cannot fail, how many rows of a table it is run for.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::assertions::{self, Assertion};
use super::cases::{self, Case};
use super::expectations::Expected;
use super::items::{Item, ItemKind};
use super::language::Language;
use super::likeness::Print;
use super::marks::{self, Mark};
use super::mocked;
use super::rows;
use super::source::Source;
use super::tokens::Kind;
use super::trivial::is_trivial;
use super::unreachable;
use crate::limits;

/// A test with what was counted in it.
#[derive(Debug, Clone)]
pub(super) struct Test {
    pub(super) case: Case,
    /// Which file of the side it stands in.
    pub(super) file: usize,
    pub(super) real: u32,
    pub(super) trivial: u32,
    /// Of those the ones that stand in the test itself.
    pub(super) trivial_own: u32,
    /// Rows that its attributes run it for.
    pub(super) parameters: u32,
    /// Rows of the largest table it loops over.
    pub(super) rows: u32,
    pub(super) print: Print,
    /// The print of its parameters and its body.
    pub(super) whole: Print,
    /// What it calls, assertions apart.
    pub(super) calls: BTreeSet<String>,
    /// The same with what the helpers call that it calls.
    pub(super) reaches: BTreeSet<String>,
    /// Nothing is in its body at all.
    pub(super) is_blank: bool,
    /// What its own assertions compare with.
    pub(super) expected: Expected,
    /// What it replaced by a mock, where it looks at nothing else.
    pub(super) mocked: Option<String>,
}

impl Test {
    /// What it has to lose: assertions, and rows beyond the first.
    pub(super) fn weight(&self) -> u32 {
        self.real.saturating_add(self.parameters.max(self.rows).saturating_sub(1))
    }

    /// At least half of what it calls is called there too, by itself or by helpers.
    pub(super) fn is_about_the_same(&self, other: &Test) -> bool {
        let is_half = |calls: &BTreeSet<String>| {
            let common = calls.intersection(&other.reaches).count();
            common > 0 && common * 2 >= calls.len()
        };
        is_half(&self.calls) || is_half(&self.reaches)
    }
}

/// A function that tests call and that has assertions.
#[derive(Debug, Clone)]
pub(super) struct Helper {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) file: usize,
    /// Assertions that stand in it and can fail.
    pub(super) real: u32,
    /// What it calls.
    pub(super) calls: BTreeSet<String>,
}

pub(super) struct File<'a> {
    pub(super) source: Source<'a>,
    pub(super) cases: Vec<Case>,
    pub(super) focuses: Vec<Mark>,
    /// Where code for tests stands in a file that is none of tests.
    pub(super) test_code: Vec<Range<usize>>,
    assertions: Vec<Assertion>,
    points: Vec<Point>,
    /// Sums over the tokens before each: assertions that can fail, and that cannot.
    sums: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Copy)]
struct Point {
    at: usize,
    is_trivial: bool,
    is_swallowed: bool,
}

/// Assertions a call of a helper stands for, by its name.
pub(super) type Weights = BTreeMap<String, u32>;

/// A helper counts for this many at most, so that one call does not outweigh a whole test.
const HELPER_WEIGHT_MAX: u32 = 20;

impl<'a> File<'a> {
    pub(super) fn read(path: &'a str, text: &'a str) -> Option<Self> {
        let source = Source::read(path, text)?;
        let cases = cases::find(&source);
        let found = assertions::find(&source);
        let places: Vec<usize> = found.iter().map(|assertion| assertion.at).collect();
        let reach = unreachable::find(&source, &cases, &places);
        let live = found.iter().filter(|assertion| !reach.is_dead(assertion.at));
        let points = live.map(|assertion| Point {
            at: assertion.at,
            is_trivial: is_trivial(&source, &assertion.form),
            is_swallowed: reach.is_swallowed(assertion.at),
        });
        let points: Vec<Point> = points.collect();
        let focuses = marks::focuses(&source);
        let test_code = test_code(&source);
        let assertions = found;
        Some(File { source, cases, focuses, test_code, assertions, points, sums: Vec::new() })
    }

    /// Assertions within a range, reached or not.
    fn assertions_within(&self, range: &Range<usize>) -> &[Assertion] {
        let first = self.assertions.partition_point(|one| one.at < range.start);
        let last = self.assertions.partition_point(|one| one.at < range.end);
        &self.assertions[first..last.min(first + limits::HONESTY_BODY_TOKENS_MAX).max(first)]
    }

    pub(super) fn is_test_code(&self, at: usize) -> bool {
        self.source.is_test || self.test_code.iter().any(|range| range.contains(&at))
    }

    /// Functions of test code that are no tests.
    fn helpers(&self) -> impl Iterator<Item = &Item<'a>> {
        let starts: BTreeSet<usize> = self.cases.iter().map(|case| case.extent.start).collect();
        self.source.items.iter().filter(move |item| {
            item.kind == ItemKind::Function
                && !starts.contains(&item.head.start)
                && self.is_test_code(item.at)
        })
    }

    fn count(&self, range: Range<usize>) -> (u32, u32) {
        let sum = |at: usize| self.sums.get(at.min(self.sums.len().saturating_sub(1))).copied();
        let (from, to) = (sum(range.start).unwrap_or((0, 0)), sum(range.end).unwrap_or((0, 0)));
        (to.0.saturating_sub(from.0), to.1.saturating_sub(from.1))
    }

    fn add_up(&mut self, weights: &Weights) {
        let source = &self.source;
        let names: BTreeSet<usize> = source.items.iter().map(|item| item.at).collect();
        let mut sums = Vec::with_capacity(source.tokens.len() + 1);
        let (mut real, mut trivial) = (0_u32, 0_u32);
        let mut points = self.points.iter().peekable();
        for (at, token) in source.tokens.iter().enumerate() {
            sums.push((real, trivial));
            let point = points.next_if(|point| point.at == at);
            let weight = match (is_call(source, at) && !names.contains(&at))
                .then(|| weights.get(token.text))
            {
                Some(Some(weight)) => Some(*weight),
                _ => None,
            };
            match (point, weight) {
                (Some(point), _) if point.is_trivial || point.is_swallowed => trivial += 1,
                (Some(_), weight) => real = real.saturating_add(weight.unwrap_or(1)),
                (None, Some(weight)) => real = real.saturating_add(weight),
                (None, None) => {}
            }
        }
        sums.push((real, trivial));
        self.sums = sums;
    }

    /// Assertions within a range that can fail, helpers not counted.
    fn real_within(&self, range: Range<usize>) -> u32 {
        let inside =
            self.points_within(range).filter(|point| !point.is_trivial && !point.is_swallowed);
        u32::try_from(inside.count()).unwrap_or(u32::MAX)
    }

    fn points_within(&self, range: Range<usize>) -> impl Iterator<Item = &Point> {
        let first = self.points.partition_point(|point| point.at < range.start);
        let inside = self.points[first..].iter().take_while(move |point| point.at < range.end);
        inside.take(limits::HONESTY_BODY_TOKENS_MAX)
    }

    /// What is called within a range, assertions apart.
    fn calls(&self, range: Range<usize>) -> BTreeSet<String> {
        let end = range.end.min(range.start + limits::HONESTY_BODY_TOKENS_MAX);
        let range = range.start..end.min(self.source.tokens.len());
        let asserts: BTreeSet<usize> =
            self.points_within(range.clone()).map(|point| point.at).collect();
        let calls = range.filter(|at| is_call(&self.source, *at) && !asserts.contains(at));
        calls.map(|at| self.source.tokens[at].text.to_string()).collect()
    }

    fn test(&self, file: usize, case: &Case) -> Test {
        let source = &self.source;
        let (real, trivial) = self.count(case.extent.clone());
        let own = self.points_within(case.extent.clone());
        let trivial_own = own.filter(|point| point.is_trivial).count();
        let body =
            case.body.start..case.body.end.min(case.body.start + limits::HONESTY_BODY_TOKENS_MAX);
        let code = body.clone().filter(|at| {
            let token = &source.tokens[*at];
            !matches!(
                token.text,
                "{" | "}"
                    | "("
                    | ")"
                    | "=>"
                    | ","
                    | ";"
                    | "pass"
                    | "..."
                    | "async"
                    | "end"
                    | "do"
                    | "function"
                    | "return"
            )
        });
        // A docstring alone is nothing that runs.
        let is_blank = code.into_iter().all(|at| source.tokens[at].kind == Kind::Text)
            || real == 0 && trivial == 0 && unreachable::always_ends_well(source, case);
        let own = self.assertions_within(&case.extent);
        Test {
            file,
            expected: Expected::of(source, self.assertions_within(&case.body)),
            mocked: mocked::subject(source, case, own),
            real,
            trivial,
            trivial_own: u32::try_from(trivial_own).unwrap_or(u32::MAX),
            parameters: rows::parameters(source, case),
            rows: rows::looped(source, case),
            print: Print::of(source, case.body.clone()),
            whole: Print::of(source, case.signature..case.body.end),
            calls: self.calls(body.clone()),
            reaches: BTreeSet::new(),
            is_blank,
            case: case.clone(),
        }
    }
}

fn is_call(source: &Source<'_>, at: usize) -> bool {
    let token = &source.tokens[at];
    let has_list =
        source.is(at + 1, "(") || (source.is(at + 1, "!") && source.language == Language::Rust);
    let is_command = token.is_first && matches!(source.language, Language::Shell | Language::Ruby);
    token.is_word()
        && (has_list || is_command)
        && !matches!(token.text, "if" | "for" | "while" | "function")
}

/// Modules of Rust that are compiled for tests alone.
fn test_code(source: &Source<'_>) -> Vec<Range<usize>> {
    if source.language != Language::Rust {
        return Vec::new();
    }
    let modules = source.items.iter().filter(|item| {
        let head = source.slice(item.head.clone());
        let is_marked =
            head.windows(3).any(|run| run[0].is("cfg") && run[1].is("(") && run[2].is("test"));
        item.kind == ItemKind::Scope && (is_marked || matches!(item.name, "tests" | "test"))
    });
    modules.map(|item| item.head.start..item.body.end).take(limits::HONESTY_SCOPES_MAX).collect()
}

pub(super) struct Side<'a> {
    pub(super) files: Vec<File<'a>>,
    pub(super) tests: Vec<Test>,
    pub(super) helpers: Vec<Helper>,
    /// Names of helpers that assert something, by themselves or by others they call.
    pub(super) asserting: BTreeSet<String>,
}

/// Counts both commits with one measure: a helper weighs the same on either, whatever became of it between them.
pub(super) fn both<'a>(before: Vec<File<'a>>, after: Vec<File<'a>>) -> (Side<'a>, Side<'a>) {
    let mut files = [before, after];
    let mut weights = Weights::new();
    // The second time helpers are counted that call helpers.
    for _ in 0..2 {
        files.iter_mut().flatten().for_each(|file| file.add_up(&weights));
        let all = files.iter().flatten();
        let all = all.flat_map(|file| {
            file.helpers().map(move |item| (item.name, file.count(item.body.clone()).0))
        });
        let mut next = Weights::new();
        for (name, real) in all.filter(|(_, real)| *real > 0) {
            let weight = next.entry(name.to_string()).or_default();
            *weight = (*weight).max(real.min(HELPER_WEIGHT_MAX));
        }
        weights = next;
    }
    files.iter_mut().flatten().for_each(|file| file.add_up(&weights));
    let [before, after] = files;
    (side(before, &weights), side(after, &weights))
}

fn side<'a>(files: Vec<File<'a>>, weights: &Weights) -> Side<'a> {
    let mut tests = Vec::new();
    let mut helpers = Vec::new();
    for (at, file) in files.iter().enumerate() {
        tests.extend(file.cases.iter().map(|case| file.test(at, case)));
        helpers.extend(file.helpers().map(|item| Helper {
            name: item.name.to_string(),
            line: file.source.line(item.at),
            file: at,
            real: file.real_within(item.body.clone()),
            calls: file.calls(item.body.clone()),
        }));
    }
    // A test whose body moved into a helper is about what the helper is about.
    let called: BTreeMap<&str, &BTreeSet<String>> =
        helpers.iter().map(|helper| (helper.name.as_str(), &helper.calls)).collect();
    for test in &mut tests {
        let more = test.calls.iter().filter_map(|name| called.get(name.as_str()));
        let more: Vec<String> = more.flat_map(|calls| calls.iter().cloned()).collect();
        test.reaches = test.calls.iter().cloned().chain(more).collect();
    }
    let asserting = weights.keys().cloned().collect();
    Side { files, tests, helpers, asserting }
}
