//! Finds functions, and the classes, modules and groups of tests around them, each with the attributes or decorators before it
//! and the extent of its body. Bodies are told by brackets or by indentation; no grammar is followed further than that.

use std::ops::Range;

use super::language::Language;
use super::source::{OUTSIDE, Source};
use super::tokens::Kind;
use crate::limits;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    Function,
    /// A class or a module.
    Scope,
}

#[derive(Debug, Clone)]
pub(super) struct Item<'a> {
    pub(super) kind: ItemKind,
    pub(super) name: &'a str,
    /// The token with the name.
    pub(super) at: usize,
    /// From the first attribute up to the body.
    pub(super) head: Range<usize>,
    pub(super) body: Range<usize>,
    /// The opening bracket of the body, where it has one.
    pub(super) open: Option<usize>,
}

pub(super) fn find<'a>(source: &Source<'a>) -> Vec<Item<'a>> {
    let mut items = Vec::new();
    // Where the attributes began that stand before what comes next.
    let mut marks: Option<usize> = None;
    let mut at = 0;
    while at < source.tokens.len() && items.len() < limits::HONESTY_ITEMS_MAX {
        if let Some(end) = mark_end(source, at) {
            marks.get_or_insert(at);
            at = end;
            continue;
        }
        let token = &source.tokens[at];
        if token.is_word()
            && let Some(item) = item(source, at, marks.unwrap_or(at))
        {
            items.push(item);
            marks = None;
        }
        let ends = token.kind == Kind::Sign && matches!(token.text, ";" | "{" | "}");
        let is_new_line = source.language.is_indented() && token.is_first;
        if ends || (is_new_line && !matches!(token.text, "def" | "class" | "async")) {
            marks = None;
        }
        at += 1;
    }
    items
}

/// Where an attribute, annotation or decorator ends that begins here.
fn mark_end(source: &Source<'_>, at: usize) -> Option<usize> {
    let token = &source.tokens[at];
    match source.language {
        Language::Rust | Language::Php => {
            let open = at + 1;
            (token.is("#") && source.is(open, "[")).then(|| source.close[open] + 1)
        }
        Language::CSharp => {
            let starts = source.before(at).is_none_or(|last| {
                last.kind == Kind::Sign && matches!(last.text, "{" | "}" | ";" | "]")
            });
            (token.is("[") && starts && token.is_first).then(|| source.close[at] + 1)
        }
        Language::Python | Language::Java | Language::Kotlin | Language::Script => {
            if !token.is("@") || source.is(at + 1, "interface") {
                return None;
            }
            let mut end = at + 2;
            while source.is(end, ".") {
                end += 2;
            }
            let on_line = source.token(end).is_some_and(|next| next.line == source.line(end - 1));
            Some(if source.is(end, "(") && on_line { source.close[end] + 1 } else { end })
        }
        Language::Go | Language::Ruby | Language::Shell => None,
    }
}

fn item<'a>(source: &Source<'a>, at: usize, start: usize) -> Option<Item<'a>> {
    if source.language.is_indented() {
        return indented(source, at, start);
    }
    let word = source.tokens[at].text;
    let after_word = |at: usize| source.before(at).is_some_and(|last| last.is("."));
    match (source.language, word) {
        (_, _) if after_word(at) => None,
        (Language::Rust, "mod")
        | (
            Language::Java | Language::CSharp | Language::Kotlin | Language::Php,
            "class" | "object",
        ) => {
            let name = at + 1;
            let open = opening(source, name + 1)?;
            let found = source.token(name).filter(|token| token.is_word())?;
            Some(braced(source, ItemKind::Scope, found.text, name, start, open))
        }
        (Language::Rust, "fn") | (Language::Kotlin, "fun") | (Language::Php, "function") => {
            named(source, at + 1, start)
        }
        (Language::Script, "function") => {
            let name = if source.is(at + 1, "*") { at + 2 } else { at + 1 };
            named(source, name, start)
        }
        (Language::Go, "func") => {
            // A method names its receiver first.
            let is_method = source.is(at + 1, "(");
            named(source, if is_method { source.close[at + 1] + 1 } else { at + 1 }, start)
        }
        (Language::Script, "const" | "let" | "var") => assigned(source, at + 1, start),
        (Language::Java | Language::CSharp | Language::Script, _) => typed(source, at, start),
        (Language::Shell, _) => {
            let is_call = source.is(at + 1, "(") && source.is(at + 2, ")");
            let open = at + 3;
            (is_call && source.is(open, "{"))
                .then(|| braced(source, ItemKind::Function, word, at, start, open))
        }
        _ => None,
    }
}

fn braced<'a>(
    source: &Source<'a>,
    kind: ItemKind,
    name: &'a str,
    at: usize,
    start: usize,
    open: usize,
) -> Item<'a> {
    Item { kind, name, at, head: start..open, body: source.inside(open), open: Some(open) }
}

/// The brace that opens a body, behind types, bounds and the like. A semicolon says that there is none.
fn opening(source: &Source<'_>, from: usize) -> Option<usize> {
    let mut at = from;
    let end = from + limits::HONESTY_HEAD_TOKENS_MAX;
    while at < end {
        let token = source.token(at)?;
        if token.kind == Kind::Sign {
            match token.text {
                "{" => return Some(at),
                ";" | "}" | ")" => return None,
                "(" | "[" => at = source.close[at],
                _ => {}
            }
        }
        at += 1;
    }
    None
}

/// `fn name(..) .. { .. }`, or in Kotlin also `fun name() = ..`.
fn named<'a>(source: &Source<'a>, at: usize, start: usize) -> Option<Item<'a>> {
    let name = source.token(at).filter(|token| token.is_word())?;
    let mut parens = at + 1;
    // Type parameters; they are short, and their signs do not nest as brackets do.
    let end = parens + limits::HONESTY_HEAD_TOKENS_MAX;
    while parens < end && !source.is(parens, "(") {
        source.token(parens).filter(|token| !token.is("{") && !token.is(";"))?;
        parens += 1;
    }
    let after = source.close.get(parens)? + 1;
    if source.language == Language::Kotlin && source.is(after, "=") {
        let rest = after + 1..source.line_end(after);
        if let Some(open) = rest.clone().find(|place| source.is(*place, "{")) {
            return Some(braced(source, ItemKind::Function, name.text, at, start, open));
        }
        return Some(Item {
            kind: ItemKind::Function,
            name: name.text,
            at,
            head: start..rest.start,
            body: rest,
            open: None,
        });
    }
    let open = opening(source, after)?;
    Some(braced(source, ItemKind::Function, name.text, at, start, open))
}

/// `const name = (..) => ..` and `const name = function (..) { .. }`.
fn assigned<'a>(source: &Source<'a>, at: usize, start: usize) -> Option<Item<'a>> {
    let name = source.token(at).filter(|token| token.is_word())?;
    source.token(at + 1).filter(|token| token.is("="))?;
    let mut from = at + 2;
    if source.is(from, "async") {
        from += 1;
    }
    if source.is(from, "function") {
        let open = opening(source, from + 1)?;
        return Some(braced(source, ItemKind::Function, name.text, at, start, open));
    }
    let arrow = if source.is(from, "(") { source.close[from] + 1 } else { from + 1 };
    source.token(arrow).filter(|token| token.is("=>"))?;
    let open = arrow + 1;
    if source.is(open, "{") {
        return Some(braced(source, ItemKind::Function, name.text, at, start, open));
    }
    let body = open..source.line_end(arrow);
    Some(Item {
        kind: ItemKind::Function,
        name: name.text,
        at,
        head: start..open,
        body,
        open: None,
    })
}

/// `type name(..) { .. }`: what has no word before it that says function. In classes of JavaScript the type is missing too.
fn typed<'a>(source: &Source<'a>, at: usize, start: usize) -> Option<Item<'a>> {
    let open = at + 1;
    if !source.is(open, "(") || is_control(source.tokens[at].text) {
        return None;
    }
    let last = source.before(at)?;
    let fits = match source.language {
        Language::Script => matches!(last.text, "{" | "}" | ";" | "async" | "static"),
        _ if last.is_word() => !is_control(last.text),
        _ => matches!(last.text, ">" | "]" | "?"),
    };
    if !fits || last.kind == Kind::Text || source.parent[at] == OUTSIDE {
        return None;
    }
    let after = source.close.get(open)? + 1;
    let body = match source.token(after)?.text {
        "{" => after,
        "throws" | "where" | ":" => opening(source, after)?,
        _ => return None,
    };
    Some(braced(source, ItemKind::Function, source.tokens[at].text, at, start, body))
}

fn is_control(word: &str) -> bool {
    const WORDS: [&str; 20] = [
        "if",
        "for",
        "while",
        "switch",
        "catch",
        "return",
        "new",
        "throw",
        "else",
        "await",
        "foreach",
        "using",
        "lock",
        "synchronized",
        "try",
        "do",
        "typeof",
        "yield",
        "function",
        "super",
    ];
    WORDS.contains(&word)
}

fn indented<'a>(source: &Source<'a>, at: usize, start: usize) -> Option<Item<'a>> {
    let word = &source.tokens[at];
    let kind = match (source.language, word.text) {
        (_, "def") => ItemKind::Function,
        (_, "class") | (Language::Ruby, "module") => ItemKind::Scope,
        _ => return None,
    };
    if source.is_before(at, ".") {
        return None;
    }
    let first = source.line_start(at)?;
    let mut name = at + 1;
    if source.is(name, "self") && source.is(name + 1, ".") {
        name += 2;
    }
    let found = source.token(name).filter(|token| token.is_word())?;
    let mut from = name + 1;
    if source.is(from, "(") {
        from = source.close[from] + 1;
    }
    if source.language == Language::Python {
        // Up to the colon; a type behind an arrow may have brackets of its own.
        let rest = from..source.tokens.len().min(from + limits::HONESTY_HEAD_TOKENS_MAX);
        let colon = rest
            .into_iter()
            .find(|place| source.is(*place, ":") && source.parent[*place] == source.parent[at])?;
        from = colon + 1;
    }
    let body = from..source.block_end(first, from);
    Some(Item { kind, name: found.text, at: name, head: start.min(first)..from, body, open: None })
}
