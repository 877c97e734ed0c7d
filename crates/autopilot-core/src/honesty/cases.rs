//! Finds the tests of a file: functions that their name or an attribute makes one, and calls that declare one. Each knows its
//! extent and whether it is skipped, by a mark of its own or of what encloses it.

use std::ops::Range;

use super::items::{Item, ItemKind};
use super::language::Language;
use super::marks::{self, Mark};
use super::source::{OUTSIDE, Source};
use super::tokens::Kind;
use crate::limits;

#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) line: u32,
    /// Everything that belongs to it, attributes included.
    pub(super) extent: Range<usize>,
    pub(super) body: Range<usize>,
    /// Where what follows its name begins: parameters, then the body.
    pub(super) signature: usize,
    /// The opening bracket of its code.
    pub(super) open: Option<usize>,
    pub(super) skip: Option<Mark>,
    /// A mark by which its failing counts as passing.
    pub(super) inversion: Option<Mark>,
}

pub(super) fn find(source: &Source<'_>) -> Vec<Case> {
    let mut cases = Vec::new();
    for item in source.items.iter().filter(|item| item.kind == ItemKind::Function) {
        if is_test(source, item) {
            cases.push(Case {
                name: item.name.to_string(),
                line: source.line(item.at),
                extent: item.head.start..item.body.end,
                body: item.body.clone(),
                signature: item.at + 1,
                open: item.open,
                skip: None,
                inversion: None,
            });
        }
    }
    cases.extend((0..source.tokens.len()).filter_map(|at| declared(source, at)));
    if cases.is_empty() && source.language == Language::Shell && source.is_test {
        cases.extend(whole_script(source));
    }
    cases.sort_by_key(|case| case.extent.start);
    cases.truncate(limits::HONESTY_CASES_MAX);
    mark(source, &mut cases);
    cases
}

fn is_test(source: &Source<'_>, item: &Item<'_>) -> bool {
    let head = || source.slice(item.head.clone());
    let has = |names: &[&str]| {
        head().windows(2).any(|pair| {
            let opens = matches!(pair[0].text, "[" | "@" | "::" | "," | ".");
            opens && pair[1].is_word() && names.contains(&pair[1].text)
        })
    };
    let starts = |start: &str| item.name.starts_with(start);
    match source.language {
        Language::Rust => has(&["test", "rstest", "test_case", "quickcheck", "wasm_bindgen_test"]),
        Language::Python => source.is_test && starts("test"),
        Language::Go => source.is_test && (starts("Test") || starts("Fuzz") || starts("Example")),
        Language::Java | Language::Kotlin => {
            has(&["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "Property"])
        }
        Language::Ruby => source.is_test && starts("test_"),
        Language::Php => {
            let is_named = source.is_test && starts("test");
            is_named || has(&["Test", "DataProvider", "TestWith"]) || has_doc_mark(source, item)
        }
        Language::CSharp => {
            has(&["Fact", "Theory", "Test", "TestMethod", "TestCase", "DataTestMethod"])
        }
        Language::Shell => source.is_test && starts("test"),
        Language::Script => false,
    }
}

/// `@test` in the comment before a method, as older PHPUnit has it.
fn has_doc_mark(source: &Source<'_>, item: &Item<'_>) -> bool {
    if !source.is_test {
        return false;
    }
    let line = source.line(item.head.start);
    let behind = source.comments.partition_point(|comment| comment.line < line);
    let last = behind.checked_sub(1).and_then(|at| source.comments.get(at));
    last.is_some_and(|comment| {
        let lines = u32::try_from(comment.text.lines().count()).unwrap_or(u32::MAX);
        comment.text.contains("@test") && comment.line.saturating_add(lines) + 1 >= line
    })
}

/// A test that a call declares: `it("adds", () => ..)`, `it "adds" do`, `@test "adds" {`.
fn declared(source: &Source<'_>, at: usize) -> Option<Case> {
    let token = source.token(at).filter(|token| token.is_word())?;
    match source.language {
        Language::Script | Language::Php | Language::Kotlin => called(source, at),
        Language::Ruby => {
            let words = ["it", "specify", "example", "scenario", "test", "property", "xit", "fit"];
            let others = ["xspecify", "xexample", "xscenario", "fspecify", "pending", "skip"];
            let is_declaring = words.contains(&token.text) || others.contains(&token.text);
            if !is_declaring || !token.is_first || !source.is_test {
                return None;
            }
            let title = at + 1 + usize::from(source.is(at + 1, "("));
            let named = source.token(title).filter(|token| token.kind == Kind::Text);
            // `it { .. }` has no name; its words stand for it.
            let is_bare = source.is(at + 1, "{");
            let end = source.block_end(at, at + 1);
            let has_block =
                source.slice(at..source.line_end(at)).iter().any(|t| t.is("do") || t.is("{"));
            if (named.is_none() && !is_bare)
                || (matches!(token.text, "pending" | "skip") && !has_block)
            {
                return None;
            }
            let words = || source.slice(at + 2..end.min(at + 12)).iter().map(|t| t.text);
            let name = named
                .map_or_else(|| words().collect::<Vec<_>>().join(" "), |t| t.said().to_string());
            Some(case(source, name, at, at..end, title + usize::from(named.is_some())..end, None))
        }
        Language::Shell => {
            let title = source.token(at + 1).filter(|title| title.kind == Kind::Text)?;
            let open = at + 2;
            let is_test = token.text == "test" && source.is_before(at, "@") && source.is(open, "{");
            is_test.then(|| {
                let end = source.inside(open).end;
                case(
                    source,
                    title.said().to_string(),
                    at,
                    at - 1..end,
                    source.inside(open),
                    Some(open),
                )
            })
        }
        Language::Rust | Language::Python | Language::Go | Language::Java | Language::CSharp => {
            None
        }
    }
}

fn called(source: &Source<'_>, at: usize) -> Option<Case> {
    const WORDS: [&str; 9] =
        ["it", "test", "specify", "xit", "xtest", "xspecify", "fit", "should", "bench"];
    let is_word = WORDS.contains(&source.tokens[at].text);
    // `expression.test("text")` asks a pattern; Deno's and QUnit's tests are methods all the same.
    let owner = at.checked_sub(2).map_or("", |owner| source.tokens[owner].text);
    let is_owned = source.is_before(at, ".") && !matches!(owner, "Deno" | "QUnit");
    if !is_word || is_owned || source.is_before(at, "->") || source.is_before(at, "function") {
        return None;
    }
    let mut open = at + 1;
    let mut is_todo = false;
    while source.is(open, ".") {
        is_todo |= source.is(open + 1, "todo");
        open += 2;
    }
    // `it.each(rows)(..)` and its form with a template.
    if source.is(open - 1, "each") || source.is(open - 1, "skipIf") || source.is(open - 1, "runIf")
    {
        open = if source.is(open, "(") { source.close[open] + 1 } else { open + 1 };
    }
    let title = source.token(open + 1).filter(|title| title.kind == Kind::Text)?;
    let close = *source.close.get(open).filter(|_| source.is(open, "("))?;
    if source.language == Language::Kotlin {
        let block = close + 1;
        let is_block = source.is(block, "{") && source.is_test;
        return is_block.then(|| {
            let body = source.inside(block);
            case(source, title.said().to_string(), at, at..body.end, body, Some(block))
        });
    }
    let has_code = source.is(open + 2, ",");
    if !has_code && !is_todo && !source.is(close + 1, "->") {
        return None;
    }
    let mut end = close;
    // Pest hangs its marks behind: `it(..)->skip()`.
    for _ in 0..4 {
        if source.is(end + 1, "->") && source.is(end + 3, "(") {
            end = source.close[end + 3];
        }
    }
    let body = (open + 2).min(close)..close;
    let code = body.clone().take(limits::HONESTY_HEAD_TOKENS_MAX).find(|place| {
        let last = source.before(*place);
        let follows = last.is_some_and(|last| last.is("=>") || last.is(")"));
        source.is(*place, "{") && follows && source.parent[*place] == open
    });
    Some(case(source, title.said().to_string(), at, at..end, body, code))
}

fn case(
    source: &Source<'_>,
    name: String,
    at: usize,
    extent: Range<usize>,
    body: Range<usize>,
    open: Option<usize>,
) -> Case {
    let signature = body.start;
    let (line, skip, inversion) = (source.line(at), None, None);
    Case { name, line, extent, body, signature, open, skip, inversion }
}

/// A script of checks without functions is one test, under the name of its file.
fn whole_script(source: &Source<'_>) -> Option<Case> {
    let all = 0..source.tokens.len();
    let name = super::language::file_name(source.path).to_string();
    (!all.is_empty()).then(|| Case {
        name,
        line: 1,
        extent: all.clone(),
        body: all,
        signature: 0,
        open: None,
        skip: None,
        inversion: None,
    })
}

/// Gives every test the mark that skips it, and the one that turns it around.
fn mark(source: &Source<'_>, cases: &mut [Case]) {
    let skips = marks::skips(source);
    let inversions = marks::inversions(source);
    let around = silenced(source, &skips, cases);
    for case in cases {
        let inversion = inversions.partition_point(|mark| mark.at < case.extent.start);
        let inversion = inversions.get(inversion).filter(|mark| mark.at < case.extent.end);
        case.inversion = inversion.copied();
        let own = skips.partition_point(|mark| mark.at < case.extent.start);
        let own = skips.get(own).filter(|mark| mark.at < case.extent.end);
        let start = case.extent.start;
        let outer = around.iter().find(|(extent, _)| extent.contains(&start));
        case.skip = own.copied().or(outer.map(|(_, mark)| *mark));
    }
}

/// The extents in which a mark skips every test: modules, classes, groups, or the whole file.
fn silenced(source: &Source<'_>, skips: &[Mark], cases: &[Case]) -> Vec<(Range<usize>, Mark)> {
    let mut around = Vec::new();
    let all = 0..source.tokens.len();
    for mark in skips.iter().take(limits::HONESTY_SCOPES_MAX) {
        let in_case = cases.partition_point(|case| case.extent.start <= mark.at);
        let is_own = in_case.checked_sub(1).is_some_and(|at| cases[at].extent.contains(&mark.at));
        let heads = source.items.iter().filter(|item| item.kind == ItemKind::Scope);
        let scope = heads.into_iter().find(|item| item.head.contains(&mark.at));
        if let Some(scope) = scope {
            around.push((scope.body.clone(), *mark));
        } else if is_own {
            // Only the test it stands in.
        } else if is_for_file(source, mark.at) {
            around.push((all.clone(), *mark));
        } else if let Some(group) = group(source, mark.at) {
            around.push((group, *mark));
        }
    }
    let build =
        source.comments.iter().take(20).find(|comment| is_build_condition(source, comment.text));
    if build.is_some() {
        around.push((all, Mark { at: 0 }));
    }
    around
}

fn is_for_file(source: &Source<'_>, at: usize) -> bool {
    match source.language {
        // `#![cfg(..)]`
        Language::Rust => {
            let open = source.parent[at];
            open != OUTSIDE && source.is_before(open, "!") && source.parent[open] == OUTSIDE
        }
        // `pytestmark = ..` and a call outside of all functions.
        Language::Python => {
            let first =
                (at.saturating_sub(8)..=at).rev().find(|place| source.tokens[*place].is_first);
            first.is_some_and(|first| {
                source.tokens[first].column == 0
                    && !source.is(first, "@")
                    && source.parent[first] == OUTSIDE
            })
        }
        _ => false,
    }
}

/// What `describe.skip(` or `xdescribe "..." do` encloses.
fn group(source: &Source<'_>, at: usize) -> Option<Range<usize>> {
    match source.language {
        Language::Script | Language::Kotlin => {
            let open = (at + 1..at + 4).find(|place| source.is(*place, "("))?;
            let block = source.close.get(open)? + 1;
            Some(at..if source.is(block, "{") { source.close[block] } else { block })
        }
        Language::Ruby => {
            let first =
                (at.saturating_sub(12)..=at).rev().find(|place| source.tokens[*place].is_first)?;
            Some(first..source.block_end(first, first + 1))
        }
        _ => None,
    }
}

/// A condition by which Go leaves a file out of an ordinary build. Systems and machines are no such condition.
fn is_build_condition(source: &Source<'_>, comment: &str) -> bool {
    const SYSTEMS: [&str; 14] = [
        "linux", "darwin", "windows", "unix", "freebsd", "openbsd", "netbsd", "amd64", "arm64",
        "cgo", "go1", "race", "386", "js",
    ];
    let Some(condition) = comment.strip_prefix("//go:build ") else { return false };
    source.language == Language::Go
        && source.is_test
        && !condition.contains('!')
        && !SYSTEMS.iter().any(|system| condition.contains(system))
}
