//! What people and tools write behind the text of a check-list line, and what is left of the text without it.

use std::borrow::Cow;

use crate::limits;
use crate::markdown::{self, trim};
use crate::roadmap::entry;
use crate::roadmap::vocabulary::{StatusWord, status_word};

/// A check-list text without `(INSERTED)`, `(3/3 plans)` and `(completed 2026-01-02)`.
pub(super) fn left_out(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(bare_text(text)),
        Cow::Owned(text) => Cow::Owned(bare_text(&text).to_string()),
    }
}

fn bare_text(text: &str) -> &str {
    let mut rest = trim(text);
    for _ in 0..limits::REMARKS_MAX {
        let before = rest;
        rest = rest.trim_start_matches(|c: char| {
            c.is_whitespace() || matches!(c, '*' | '-' | '—' | '–' | ':')
        });
        if rest.starts_with('(')
            && let Some(end) = markdown::matching_paren(rest)
            && is_remark(&rest[1..end])
        {
            rest = &rest[end + 1..];
        }
        rest = rest.trim_end();
        if rest.ends_with(')')
            && let Some(at) = rest.rfind(" (")
            && is_remark(&rest[at + 2..rest.len() - 1])
        {
            rest = &rest[..at];
        }
        if let Some(at) = entry::dashes(rest).last()
            && is_remark(rest[at..].trim_start_matches(|c: char| !c.is_alphanumeric()))
        {
            rest = &rest[..at];
        }
        if is_remark(rest) {
            rest = "";
        }
        if rest == before {
            break;
        }
    }
    rest
}

fn is_remark(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let (first, second, third) = (words.next().unwrap_or_default(), words.next(), words.next());
    let is_count = first.contains('/') && second.is_some_and(|word| word.starts_with("plan"));
    let is_done = || status_word(first) == Some(StatusWord::Complete);
    let is_marker = second.is_none() && matches!(first, "INSERTED" | "BACKLOG");
    third.is_none() && (is_count || is_marker || is_done())
}
