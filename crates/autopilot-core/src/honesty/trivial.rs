//! Whether an assertion can fail at all: `assert!(true)`, a value compared with itself, an expectation without a matcher. Only
//! the sure ones; a value that is computed twice and compared may well differ.

use std::ops::Range;

use super::assertions::Form;
use super::language::Language;
use super::source::Source;
use super::tokens::{Kind, Token};

pub(super) fn is_trivial(source: &Source<'_>, form: &Form) -> bool {
    match form {
        Form::Other => false,
        Form::Truth(range) if source.language == Language::Shell => shell(source, range.clone()),
        Form::Truth(range) => always_true(source, source.slice(range.clone())),
        Form::Equal(left, right) => same(source.slice(left.clone()), source.slice(right.clone())),
        Form::Expectation { open } => expectation(source, *open),
    }
}

fn always_true(source: &Source<'_>, tokens: &[Token<'_>]) -> bool {
    let (inner, was_bracketed) = unwrapped(tokens);
    match inner {
        [one] if one.kind == Kind::Text => return one.said().len() > 1,
        [one] => return matches!(one.text, "true" | "True" | "TRUE" | "1"),
        [not, one] if matches!(not.text, "!" | "not") => {
            return matches!(one.text, "false" | "False" | "FALSE" | "None" | "null" | "nil");
        }
        _ => {}
    }
    // A tuple is true in Python whatever is in it.
    if was_bracketed && source.language == Language::Python && has_outer_comma(inner) {
        return true;
    }
    let at_depth_zero = outer_places(inner);
    let alternatives: Vec<&[Token<'_>]> = split(inner, &at_depth_zero, &["||", "or"]);
    if alternatives.len() > 1 {
        return alternatives
            .iter()
            .any(|side| matches!(side, [one] if matches!(one.text, "true" | "True" | "TRUE")));
    }
    let sides = split(inner, &at_depth_zero, &["==", "===", "is"]);
    if let [left, right] = sides.as_slice() {
        return same(left, right);
    }
    let sides = split(inner, &at_depth_zero, &[">="]);
    if let [left, [zero]] = sides.as_slice() {
        let counts =
            left.iter().any(|t| matches!(t.text, "len" | "length" | "size" | "Count" | "count"));
        return zero.text == "0" && counts;
    }
    false
}

/// The tokens without the brackets around all of them.
fn unwrapped<'t, 'a>(tokens: &'t [Token<'a>]) -> (&'t [Token<'a>], bool) {
    let [first, inner @ .., last] = tokens else { return (tokens, false) };
    if !first.is("(") || !last.is(")") {
        return (tokens, false);
    }
    let mut depth = 0_i32;
    for token in inner {
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        if depth < 0 {
            return (tokens, false);
        }
    }
    (inner, true)
}

fn outer_places(tokens: &[Token<'_>]) -> Vec<bool> {
    let mut depth = 0_i32;
    let place = |token: &Token<'_>| {
        let opens = token.kind == Kind::Sign && matches!(token.text, "(" | "[" | "{");
        let closes = token.kind == Kind::Sign && matches!(token.text, ")" | "]" | "}");
        depth += i32::from(opens) - i32::from(closes);
        depth == 0 && !closes
    };
    tokens.iter().map(place).collect()
}

fn has_outer_comma(tokens: &[Token<'_>]) -> bool {
    let outer = outer_places(tokens);
    tokens.iter().zip(outer).any(|(token, outer)| outer && token.is(","))
}

fn split<'t, 'a>(tokens: &'t [Token<'a>], outer: &[bool], at: &[&str]) -> Vec<&'t [Token<'a>]> {
    let mut sides = Vec::new();
    let mut start = 0;
    for (place, token) in tokens.iter().enumerate() {
        if outer[place] && token.kind != Kind::Text && at.contains(&token.text) {
            sides.push(&tokens[start..place]);
            start = place + 1;
        }
    }
    sides.push(&tokens[start..]);
    sides
}

/// The same words on both sides without a call, or literals on both. Two different literals are an honest "never get here".
fn same(left: &[Token<'_>], right: &[Token<'_>]) -> bool {
    if left.is_empty() || right.is_empty() {
        return false;
    }
    let texts =
        |side: &[Token<'_>]| side.iter().map(|token| token.text.to_string()).collect::<Vec<_>>();
    let has_call = left.iter().any(|token| token.is("("));
    if texts(left) == texts(right) {
        return !has_call || is_constant(left);
    }
    // `1 + 1` and `2`: nothing of the program is in it.
    let is_sum = left.len() > 1 || right.len() > 1;
    is_sum && is_constant(left) && is_constant(right) && has_number(left) && has_number(right)
}

fn has_number(side: &[Token<'_>]) -> bool {
    side.iter().any(|token| token.kind == Kind::Number)
}

fn is_constant(side: &[Token<'_>]) -> bool {
    side.iter().all(|token| match token.kind {
        Kind::Number => true,
        // A string may have a value of the program in it.
        Kind::Text => !token.text.contains(['{', '$', '#']),
        Kind::Word => matches!(
            token.text,
            "true" | "false" | "True" | "False" | "TRUE" | "FALSE" | "None" | "null" | "nil"
        ),
        Kind::Sign => true,
    })
}

/// `expect(value).matcher(other)`.
fn expectation(source: &Source<'_>, open: usize) -> bool {
    let Some(close) = source.close.get(open).copied() else { return false };
    let value = source.slice(source.inside(open));
    let has_matcher = source.token(close + 1).is_some_and(|next| matches!(next.text, "." | "->"));
    if !has_matcher {
        // Whatever goes on, as in `await expect(x)` handed to another call, is believed.
        let ends = source.token(close + 1).is_none_or(|next| {
            next.is_first || next.is(";") || (next.is("}") && source.language != Language::Kotlin)
        });
        return ends && !value.is_empty();
    }
    let chain = close + 1..(close + 12).min(source.tokens.len());
    let chain = chain.start..chain.clone().find(|at| source.is(*at, ";")).unwrap_or(chain.end);
    let words: Vec<&str> = source.slice(chain.clone()).iter().map(|token| token.text).collect();
    if words.iter().any(|word| matches!(*word, "not" | "not_to" | "to_not")) {
        return false;
    }
    let is_true = matches!(value, [one] if matches!(one.text, "true" | "True" | "1"));
    let truths = ["toBeTruthy", "toBeDefined", "true", "ok", "be_truthy", "toBeTrue"];
    if is_true && words.iter().any(|word| truths.contains(word)) {
        return true;
    }
    let matcher = chain.clone().find(|at| {
        matches!(
            source.tokens[*at].text,
            "toBe" | "toEqual" | "toStrictEqual" | "equal" | "eq" | "eql" | "be"
        ) && (source.is(at + 1, "(") || source.language == Language::Ruby)
    });
    let Some(matcher) = matcher else { return false };
    let other: Range<usize> = if source.is(matcher + 1, "(") {
        source.inside(matcher + 1)
    } else {
        matcher + 1..source.line_end(matcher)
    };
    same(value, source.slice(other))
}

/// A command whose failure is thrown away, or that compares two literals.
fn shell(source: &Source<'_>, line: Range<usize>) -> bool {
    let tokens = source.slice(line);
    let is_excused =
        tokens.windows(2).any(|pair| pair[0].is("||") && (pair[1].is("true") || pair[1].is(":")));
    let end = tokens.iter().position(|token| token.is("]") || token.is("]]"));
    let literals = match &tokens[..end.unwrap_or(0)] {
        [open, left, middle @ .., right] if open.is("[") || open.is("[[") => {
            let compares = middle.iter().any(|t| matches!(t.text, "eq" | "=" | "=="));
            let is_plain = left.kind == Kind::Number || is_plain_text(left);
            compares && middle.len() <= 2 && is_plain && left.text == right.text
        }
        _ => false,
    };
    is_excused || literals
}

fn is_plain_text(token: &Token<'_>) -> bool {
    token.kind == Kind::Text && !token.text.contains('$')
}
