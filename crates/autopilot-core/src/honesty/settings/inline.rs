//! Comments and attributes in source files by which a whole file is left out of lints, types or coverage.

use crate::finding::quote;
use crate::honesty::language::Language;
use crate::honesty::source::Source;

/// A thing that switches something off for a file: its line and its words.
pub(super) struct Silencer {
    pub(super) line: u32,
    pub(super) what: String,
}

/// What a comment says to be for the whole file. Those for the next line alone are a matter of taste.
fn silences(language: Language, comment: &str) -> bool {
    let told = comment.trim_start_matches(['/', '*', '#', ' ', '\t']).trim_start();
    let starts = |words: &[&str]| words.iter().any(|word| told.starts_with(word));
    match language {
        Language::Python => {
            let whole = [
                "flake8: noqa",
                "ruff: noqa",
                "mypy: ignore-errors",
                "pylint: skip-file",
                "pyright: ignore",
            ];
            starts(&whole) || told.trim() == "type: ignore"
        }
        Language::Script => {
            let is_block = comment.starts_with("/*");
            let of_line = told.starts_with("eslint-disable-");
            let whole = ["@ts-nocheck", "istanbul ignore file", "c8 ignore file", "v8 ignore file"];
            starts(&whole) || (is_block && told.starts_with("eslint-disable") && !of_line)
        }
        Language::Go => comment.starts_with("//nolint") && comment.len() <= 12,
        Language::Ruby => starts(&["rubocop:disable all"]),
        Language::Rust
        | Language::Java
        | Language::Kotlin
        | Language::Php
        | Language::CSharp
        | Language::Shell => false,
    }
}

/// All of a file, in the order of the text.
pub(super) fn find(source: &Source<'_>) -> Vec<Silencer> {
    let comments = source
        .comments
        .iter()
        .filter(|comment| comment.is_first && silences(source.language, comment.text));
    let mut found: Vec<Silencer> = comments
        .map(|comment| Silencer { line: comment.line, what: quote(comment.text) })
        .collect();
    if source.language == Language::Rust {
        found.extend(
            attributes(source, "allow").map(|(line, what)| Silencer { line, what: quote(&what) }),
        );
    }
    found
}

/// What `#![deny(..)]` and `#![forbid(..)]` of a crate name.
pub(super) fn denied(source: &Source<'_>) -> Vec<String> {
    if source.language != Language::Rust {
        return Vec::new();
    }
    attributes(source, "deny").chain(attributes(source, "forbid")).map(|(_, what)| what).collect()
}

/// `#![word(..)]` with each lint in it.
fn attributes<'s>(
    source: &'s Source<'_>,
    word: &'s str,
) -> impl Iterator<Item = (u32, String)> + 's {
    let places = (3..source.tokens.len()).filter(move |at| {
        source.is(*at, word)
            && source.is(at - 1, "[")
            && source.is(at - 2, "!")
            && source.is(at - 3, "#")
            && source.is(at + 1, "(")
    });
    places.flat_map(move |at| {
        let arguments = source.arguments(at + 1).into_iter();
        arguments.filter_map(move |range| {
            let name: String = source.slice(range).iter().map(|token| token.text).collect();
            let is_lint = !name.starts_with("reason");
            is_lint.then(|| (source.line(at), name))
        })
    })
}
