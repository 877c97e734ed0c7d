//! Code that only pretends to be there: macros and exceptions that say "not implemented", functions of Python with nothing in
//! them, comments that promise the real thing. Only in code that is none of tests, and only what the change brought.

use std::collections::BTreeMap;

use super::items::ItemKind;
use super::language::Language;
use super::side::{File, Side};
use super::tokens::Kind;
use super::{Doubt, DoubtKind, doubt};
use crate::finding::quote;
use crate::limits;

/// A stub, by the words that make it one.
struct Stub {
    line: u32,
    words: String,
    what: &'static str,
}

pub(super) fn look(before: &Side<'_>, after: &Side<'_>, homes: &[Option<usize>]) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for (at, file) in after.files.iter().enumerate() {
        let old =
            homes.iter().position(|home| *home == Some(at)).and_then(|old| before.files.get(old));
        let mut had: BTreeMap<String, usize> = BTreeMap::new();
        for stub in old.map(find).unwrap_or_default() {
            *had.entry(stub.words).or_default() += 1;
        }
        for stub in find(file) {
            match had.get_mut(&stub.words) {
                Some(left) if *left > 0 => *left -= 1,
                _ => {
                    let fact = format!("{} {}", quote(&stub.words), stub.what);
                    doubts.push(doubt(DoubtKind::Stub, file.source.path, Some(stub.line), fact));
                }
            }
        }
    }
    doubts
}

fn find(file: &File<'_>) -> Vec<Stub> {
    if file.source.is_test {
        return Vec::new();
    }
    let mut stubs = raised(file);
    stubs.extend(promised(file));
    if file.source.language == Language::Python {
        stubs.extend(empty_functions(file));
    }
    stubs
}

/// Words of the program that end it because something is missing.
fn raised(file: &File<'_>) -> Vec<Stub> {
    let source = &file.source;
    let mut stubs = Vec::new();
    for at in 0..source.tokens.len() {
        let token = &source.tokens[at];
        let is_macro = source.is(at + 1, "!");
        let is_stub = match (source.language, token.text) {
            (Language::Rust, "todo" | "unimplemented") => is_macro && token.is_word(),
            (Language::Kotlin, "TODO") => source.is(at + 1, "("),
            (Language::CSharp, "NotImplementedException") => source.is_before(at, "new"),
            (Language::Python | Language::Ruby, "NotImplementedError") => {
                source.is_before(at, "raise") && !is_abstract(file, at)
            }
            (_, "throw" | "panic" | "raise" | "fatalError") if token.is_word() => {
                let rest = at + 1..(at + 8).min(source.line_end(at));
                rest.into_iter().any(|place| {
                    source.tokens[place].kind == Kind::Text
                        && says_missing(source.tokens[place].text)
                })
            }
            _ => false,
        };
        if is_stub && !file.is_test_code(at) {
            let words = source.slice(at..source.line_end(at).min(at + 10));
            let words = words.iter().map(|token| token.text).collect::<Vec<_>>().join(" ");
            stubs.push(Stub { line: token.line, words, what: "says that the work is not done" });
        }
    }
    stubs
}

fn says_missing(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["not implemented", "not yet implemented", "unimplemented", "todo"]
        .iter()
        .any(|words| lower.contains(words))
}

/// Methods that others are to fill in: marked as such, or in a class that is.
fn is_abstract(file: &File<'_>, at: usize) -> bool {
    let source = &file.source;
    let around = source.items.iter().filter(|item| item.body.contains(&at));
    let words = ["abstractmethod", "ABC", "ABCMeta", "Protocol", "overload", "abstractproperty"];
    around
        .into_iter()
        .any(|item| source.slice(item.head.clone()).iter().any(|token| words.contains(&token.text)))
}

/// Comments that announce what should be there.
fn promised(file: &File<'_>) -> Vec<Stub> {
    let comments = file.source.comments.iter().filter(|comment| {
        let lower: String = comment
            .text
            .chars()
            .take(limits::HONESTY_FACT_CHARS_MAX)
            .collect::<String>()
            .to_ascii_lowercase();
        let has = |words: &str| lower.contains(words);
        let is_note = ["todo: implement", "todo implement", "fixme: implement", "todo: actually"]
            .iter()
            .any(|words| has(words));
        let is_placeholder = has("placeholder implementation")
            || has("stub implementation")
            || has("dummy implementation")
            || (has("placeholder") && (has("for now") || has("until") || has("real")))
            || (has("in a real implementation") || has("in a real app"));
        is_note || is_placeholder
    });
    let stubs = comments.map(|comment| {
        let words = comment.text.lines().next().unwrap_or_default().trim().to_string();
        Stub { line: comment.line, words, what: "announces what is not there" }
    });
    stubs.collect()
}

/// `def f(): pass`, where nothing says that it should be so.
fn empty_functions(file: &File<'_>) -> Vec<Stub> {
    let source = &file.source;
    let functions = source.items.iter().filter(|item| {
        let body = source.slice(item.body.clone());
        let code = body.iter().filter(|token| token.kind != Kind::Text);
        let is_empty = code.clone().count() == 1
            && code.clone().all(|token| token.is("pass") || token.is("..."));
        // Constructors and methods that overrule others may well do nothing.
        let is_special = item.name.starts_with("__") || source.line_start(item.at).is_none();
        let is_method = source.token(item.at.saturating_sub(1)).is_some_and(|def| def.column > 0);
        item.kind == ItemKind::Function
            && is_empty
            && !is_special
            && !is_method
            && !is_abstract(file, item.body.start)
    });
    let stubs = functions.map(|item| Stub {
        line: source.line(item.at),
        words: format!("def {}", item.name),
        what: "has nothing in it",
    });
    stubs.collect()
}
