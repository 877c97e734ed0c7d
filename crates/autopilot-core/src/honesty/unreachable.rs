//! What of a file never runs, or runs with its failures thrown away: code behind a plain `return`, or `exit` of a script, in `if false`
//! or `if got != got`, and inside a `try` whose handler lets everything pass. Assertions there prove nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use super::cases::Case;
use super::items::ItemKind;
use super::language::{Language, is_test_name};
use super::source::{OUTSIDE, Source};
use crate::limits;

/// For every token whether it is dead, and whether its failure is swallowed.
pub(super) struct Reach {
    dead: Vec<i32>,
    swallowed: Vec<i32>,
}

impl Reach {
    pub(super) fn is_dead(&self, at: usize) -> bool {
        self.dead.get(at).is_some_and(|depth| *depth > 0)
    }

    pub(super) fn is_swallowed(&self, at: usize) -> bool {
        self.swallowed.get(at).is_some_and(|depth| *depth > 0)
    }
}

/// `assertions` are the places of all assertions: a handler that has one of its own is honest.
pub(super) fn find(source: &Source<'_>, cases: &[Case], assertions: &[usize]) -> Reach {
    let mut dead = Spans::of(source.tokens.len());
    let mut swallowed = Spans::of(source.tokens.len());
    let bodies: BTreeSet<usize> = cases
        .iter()
        .filter_map(|case| case.open)
        .chain(source.items.iter().filter_map(|item| item.open))
        .collect();
    for at in 0..source.tokens.len() {
        match source.tokens[at].text {
            "return" | "exit" if !source.language.is_indented() => {
                if let Some(range) = behind_return(source, at, &bodies) {
                    dead.add(range);
                }
            }
            "if" | "while" => {
                dead.add(never_entered(source, at));
                dead.add(never_differs(source, at));
            }
            "try" | "suppress" => swallowed.add(swallowing(source, at, assertions)),
            "catch_unwind" if source.language == Language::Rust => {
                swallowed.add(unwinding(source, at));
            }
            _ => {}
        }
    }
    if source.language == Language::Shell {
        dead.add(behind_exit(source));
    }
    if source.language.is_indented() {
        let functions = source.items.iter().filter(|item| item.kind == ItemKind::Function);
        let bodies = functions.map(|item| item.body.clone());
        let bodies = bodies
            .chain(cases.iter().filter(|case| case.open.is_none()).map(|case| case.body.clone()));
        bodies.for_each(|body| dead.add(behind_indented_return(source, body)));
    }
    Reach { dead: dead.depths(), swallowed: swallowed.depths() }
}

/// Ranges that may overlap, added in constant time each.
struct Spans(Vec<i32>);

impl Spans {
    fn of(length: usize) -> Self {
        Spans(vec![0; length + 1])
    }

    fn add(&mut self, range: Range<usize>) {
        let end = range.end.min(self.0.len() - 1);
        if range.start < end {
            self.0[range.start] += 1;
            self.0[end] -= 1;
        }
    }

    fn depths(self) -> Vec<i32> {
        let mut depth = 0;
        self.0
            .into_iter()
            .map(|change| {
                depth += change;
                depth
            })
            .collect()
    }
}

/// From the end of a `return` on the first level of a function to the end of that function.
fn behind_return(source: &Source<'_>, at: usize, bodies: &BTreeSet<usize>) -> Option<Range<usize>> {
    let parent = source.parent[at];
    let starts = source.tokens[at].is_first
        || source.before(at).is_some_and(|last| matches!(last.text, "{" | ";" | "}"));
    // `if (done)` on the line before, without braces.
    let is_free = source.before(at).is_some_and(|last| matches!(last.text, "{" | ";" | "}"))
        || matches!(source.language, Language::Go | Language::Kotlin)
        || (source.language == Language::Script
            && !source.is_before(at, ")")
            && !source.is_before(at, "else"));
    if !starts || !is_free || !bodies.contains(&parent) {
        return None;
    }
    let close = source.close[parent];
    let ends_at_line =
        matches!(source.language, Language::Go | Language::Kotlin | Language::Script);
    let rest = at + 1..close.min(at + limits::HONESTY_BODY_TOKENS_MAX);
    let end = rest.into_iter().find(|place| {
        let token = &source.tokens[*place];
        source.parent[*place] == parent
            && (token.is(";") || (ends_at_line && token.is_first && !token.is(".")))
    });
    end.map(|end| end..close)
}

fn behind_indented_return(source: &Source<'_>, body: Range<usize>) -> Range<usize> {
    let nothing = body.end..body.end;
    let Some(first) = body.clone().find(|at| source.tokens[*at].is_first) else { return nothing };
    let column = source.tokens[first].column;
    let found = body.clone().find(|at| {
        let token = &source.tokens[*at];
        let is_bare = || {
            let end = source.line_end(*at);
            end == at + 1
                || (end == at + 2 && (source.is(at + 1, "None") || source.is(at + 1, "nil")))
        };
        token.is_first && token.column == column && token.is("return") && is_bare()
    });
    found.map_or(nothing, |found| source.line_end(found)..body.end)
}

/// From an `exit` on the first level of a script to the end of it. Functions that stand behind it are never called either.
fn behind_exit(source: &Source<'_>) -> Range<usize> {
    // Blocks of words (`if .. fi`, `case .. esac`, `do .. done`) are no brackets. One that is an argument of a command only makes
    // this more careful.
    let mut depth = 0;
    for (at, token) in source.tokens.iter().enumerate() {
        match token.text {
            "if" | "case" | "do" if token.is_word() => depth += 1,
            "fi" | "esac" | "done" if token.is_word() => depth -= 1,
            "exit" if token.is_first && depth == 0 && source.parent[at] == OUTSIDE => {
                let end = source.line_end(at);
                if end <= at + 2 && !source.is(at + 1, "|") && !goes_on_before(source, at) {
                    return end..source.tokens.len();
                }
            }
            _ => {}
        }
    }
    source.tokens.len()..source.tokens.len()
}

/// A test of a shell that goes on after errors and whose last command cannot fail. Bats stops at the first error, and a script that only
/// lies among tests may be a program they call.
pub(super) fn always_ends_well(source: &Source<'_>, case: &Case) -> bool {
    let is_script = source.language == Language::Shell && !source.path.ends_with(".bats");
    if !is_script || !is_test_name(source.path) {
        return false;
    }
    let mut words = source.tokens.windows(3);
    // `set -eu`, and `set -o errexit`.
    let stops = words.any(|three| {
        let is_short = three[0].is("set") && three[1].is("-") && three[2].text.contains('e');
        is_short || three[2].is("errexit")
    });
    let shebang = source.comments.first().filter(|comment| comment.text.starts_with("#!"));
    if stops || shebang.is_some_and(|comment| comment.text.contains(" -e")) {
        return false;
    }
    let body = source.slice(case.body.clone());
    let last = body.iter().rposition(|token| token.is_first && !token.is("}"));
    let Some(last) = last else { return false };
    let command = &body[last..];
    let is_harmless = matches!(command[0].text, "echo" | "printf" | "true" | ":")
        || command[0].is("exit") && command.get(1).is_some_and(|code| code.text == "0");
    is_harmless && !command.iter().any(|token| matches!(token.text, "&&" | "||" | "|" | ";"))
}

/// The line before ends in a sign that makes this one part of it.
fn goes_on_before(source: &Source<'_>, at: usize) -> bool {
    source.before(at).is_some_and(|last| matches!(last.text, "||" | "&&" | "|" | "\\"))
}

/// The block of `if got != got`, where neither side calls anything.
fn never_differs(source: &Source<'_>, at: usize) -> Range<usize> {
    let nothing = at..at;
    let bracketed = source.is(at + 1, "(");
    let first = at + 1 + usize::from(bracketed);
    let most = first..(first + limits::HONESTY_HEAD_TOKENS_MAX).min(source.tokens.len());
    let Some(end) = most.clone().find(|place| {
        let is_end = if bracketed { source.is(*place, ")") } else { source.is(*place, "{") };
        is_end || source.is(*place, ":") && source.language.is_indented()
    }) else {
        return nothing;
    };
    let condition = source.slice(first..end);
    // `if got := sum(); got != got {`
    let last = condition.iter().rposition(|token| token.is(";")).map_or(0, |at| at + 1);
    let condition = &condition[last..];
    let signs = ["!=", "!==", "<", ">"];
    let Some(middle) = condition.iter().position(|token| signs.contains(&token.text)) else {
        return nothing;
    };
    let (left, right) = (&condition[..middle], &condition[middle + 1..]);
    let is_same = !left.is_empty()
        && left.iter().map(|token| token.text).eq(right.iter().map(|token| token.text))
        && !left.iter().any(|token| token.is("(") || token.is("["));
    let open = end + usize::from(bracketed);
    match is_same {
        true if source.is(open, "{") => source.inside(open),
        true if source.is(open, ":") && source.tokens[at].is_first => {
            open..source.block_end(at, open)
        }
        _ => nothing,
    }
}

/// The block of `if false`.
fn never_entered(source: &Source<'_>, at: usize) -> Range<usize> {
    let is_false = |at: usize| ["false", "False", "0"].iter().any(|no| source.is(at, no));
    let bracketed = source.is(at + 1, "(") && is_false(at + 2) && source.is(at + 3, ")");
    let behind = if bracketed { at + 4 } else { at + 2 };
    if !bracketed && !is_false(at + 1) {
        return at..at;
    }
    if source.is(behind, "{") {
        return source.inside(behind);
    }
    let is_block = source.is(behind, ":") || source.language == Language::Ruby;
    if source.language.is_indented() && is_block && source.tokens[at].is_first {
        return behind..source.block_end(at, behind);
    }
    at..at
}

/// What a `try` encloses, if its handler lets a failing assertion pass.
fn swallowing(source: &Source<'_>, at: usize, assertions: &[usize]) -> Range<usize> {
    let nothing = at..at;
    let has_assertion = |range: &Range<usize>| {
        let next = assertions.partition_point(|place| *place < range.start);
        assertions.get(next).is_some_and(|place| *place < range.end)
    };
    let gives_up = |range: &Range<usize>| {
        let words =
            ["throw", "fail", "raise", "reject", "done", "exit", "panic", "Fail", "rethrow"];
        let tokens = source.slice(range.clone()).iter().take(limits::HONESTY_BODY_TOKENS_MAX);
        tokens.into_iter().any(|token| token.is_word() && words.contains(&token.text))
    };
    let passes = |handler: Range<usize>| !has_assertion(&handler) && !gives_up(&handler);
    if source.language == Language::Python {
        return python(source, at, passes).unwrap_or(nothing);
    }
    if !source.is(at + 1, "{") {
        return nothing;
    }
    let tried = source.inside(at + 1);
    let catch = tried.end + 1;
    if !source.is(catch, "catch") {
        return nothing;
    }
    let has_list = source.is(catch + 1, "(");
    let open = if has_list { source.close[catch + 1] + 1 } else { catch + 1 };
    let caught = if has_list { source.slice(source.inside(catch + 1)) } else { &[] };
    let names = |names: &[&str]| caught.iter().any(|token| names.contains(&token.text));
    let catches = match source.language {
        Language::Script => true,
        Language::Java | Language::Kotlin => names(&["Throwable", "AssertionError", "Error"]),
        Language::CSharp => !has_list || names(&["Exception"]),
        Language::Php => names(&["Throwable", "Exception"]),
        _ => false,
    };
    // A test that wants the exception says so behind the call: `f(); fail()`.
    let wants_failure = {
        let last = source.slice(tried.clone()).iter().rev().take(12);
        last.into_iter().any(|token| token.text.eq_ignore_ascii_case("fail"))
    };
    let is_empty = source.is(open, "{") && passes(source.inside(open));
    if catches && is_empty && !wants_failure { tried } else { nothing }
}

fn python(
    source: &Source<'_>,
    at: usize,
    passes: impl Fn(Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let wide = |tokens: Range<usize>| {
        let words = ["Exception", "BaseException", "AssertionError"];
        source.slice(tokens).iter().any(|token| words.contains(&token.text))
    };
    if source.is(at, "suppress") {
        let first = (at.saturating_sub(4)..at).rev().find(|place| source.is(*place, "with"))?;
        let close = source.close.get(at + 1)?;
        return wide(at + 1..*close).then(|| close + 1..source.block_end(first, close + 1));
    }
    let column = source.tokens[at].column;
    if !source.tokens[at].is_first || !source.is(at + 1, ":") {
        return None;
    }
    let end = source.block_end(at, at + 1);
    let tried = at + 2..end;
    let mut handler = end;
    // More handlers than these nobody writes.
    for _ in 0..8 {
        if !source.is(handler, "except") || source.tokens[handler].column != column {
            return None;
        }
        let first_line = source.line_end(handler);
        let colon = (handler..first_line).find(|place| source.is(*place, ":"))?;
        let block_end = source.block_end(handler, handler + 1);
        let is_bare = colon == handler + 1;
        if (is_bare || wide(handler..colon)) && passes(colon + 1..block_end) {
            return Some(tried);
        }
        handler = block_end;
    }
    None
}

/// `let _ = catch_unwind(|| ..)`: the panic of an assertion is caught and forgotten.
fn unwinding(source: &Source<'_>, at: usize) -> Range<usize> {
    let from = at.saturating_sub(8);
    let forgets = (from..at).any(|place| {
        source.is(place, "let") && source.is(place + 1, "_") && source.is(place + 2, "=")
    });
    if forgets && source.is(at + 1, "(") { source.inside(at + 1) } else { at..at }
}
