//! Splits a task line into its id and its words: `T001 [P] [US1] text`, `1.2 text`, `**AUTH-01**: text`. Owns the spellings
//! of ids; whether an id is used twice is seen when the draft is finished.

use super::{SourceKind, safe_text};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Task<'t> {
    /// An id that can serve as a requirement's. A bare outline number such as `1.2` cannot: it is dropped.
    pub(super) id: Option<&'t str>,
    /// Whether a mark such as `[P]` or `[US1]` was taken off.
    pub(super) had_marks: bool,
    pub(super) text: &'t str,
}

pub(super) fn split(kind: SourceKind, text: &str) -> Task<'_> {
    let text = safe_text::strip_marks(text).trim();
    if let Some((label, rest)) = bold_id(text) {
        return Task { id: Some(label), had_marks: false, text: rest };
    }
    let (word, rest) = first_word(text);
    let bare = word.trim_end_matches([':', '.', ')']);
    let (id, left) = if is_task_id(bare) || (is_category_id(bare) && word.ends_with(':')) {
        (Some(bare), rest)
    } else if is_outline_number(word) || is_placeholder(kind, bare) {
        (None, rest)
    } else {
        (None, text)
    };
    let unmarked = match kind {
        SourceKind::SpecKit => without_marks(left),
        SourceKind::PrdJson
        | SourceKind::Ralphex
        | SourceKind::OpenSpec
        | SourceKind::Markdown
        | SourceKind::Drafted => left,
    };
    Task { id, had_marks: unmarked.len() < left.len(), text: unmarked }
}

fn first_word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

fn bold_id(text: &str) -> Option<(&str, &str)> {
    let (label, rest) = text.strip_prefix("**")?.split_once("**")?;
    let label = label.trim().trim_end_matches(':');
    let is_id = is_task_id(label) || is_category_id(label);
    is_id.then_some((label, rest.trim_start_matches([':', ' ', '-', '—', '–'])))
}

/// `T001`, `T012a`.
fn is_task_id(word: &str) -> bool {
    let Some(after) = word.strip_prefix('T') else { return false };
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let tail = &after[digits..];
    digits >= 2 && tail.len() <= 1 && tail.bytes().all(|b| b.is_ascii_lowercase()) && digits < 10
}

/// `AUTH-01`, `US-3`.
fn is_category_id(word: &str) -> bool {
    let Some((category, number)) = word.rsplit_once('-') else { return false };
    category.starts_with(|c: char| c.is_ascii_uppercase())
        && category.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'-')
        && (1..10).contains(&number.len())
        && number.bytes().all(|b| b.is_ascii_digit())
        && word.len() <= 40
}

/// `1.2`, `1.2.3`, `4.`: a number alone is a quantity, as in "3 retries".
fn is_outline_number(word: &str) -> bool {
    let is_listed = word.contains('.') || word.ends_with(')');
    let bare = word.trim_end_matches(['.', ')']);
    is_listed
        && bare.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// `TXXX`, which the template of spec-kit leaves in place of a number.
fn is_placeholder(kind: SourceKind, word: &str) -> bool {
    kind == SourceKind::SpecKit
        && word
            .strip_prefix('T')
            .is_some_and(|rest| rest.len() >= 2 && rest.bytes().all(|b| b == b'X'))
}

fn without_marks(text: &str) -> &str {
    let mut left = text;
    while let Some((mark, rest)) = left.strip_prefix('[').and_then(|inside| inside.split_once(']'))
    {
        let is_story = mark
            .strip_prefix("US")
            .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit() || b == b','));
        if !(is_story || mark == "P" || mark == "Story") {
            break;
        }
        left = rest.trim_start();
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_marks_come_off_the_words() {
        let check = |kind, text, id: Option<&str>, words: &str| {
            let task = split(kind, text);
            assert_eq!((task.id, task.text), (id, words), "{text}");
        };
        check(SourceKind::SpecKit, "T001 [P] [US1] Make it", Some("T001"), "Make it");
        check(SourceKind::SpecKit, "TXXX [P] Polish", None, "Polish");
        check(SourceKind::SpecKit, "T004 [abc] stays", Some("T004"), "[abc] stays");
        check(SourceKind::OpenSpec, "1.2 Make it", None, "Make it");
        check(SourceKind::OpenSpec, "3 retries at most", None, "3 retries at most");
        check(SourceKind::Markdown, "**AUTH-01**: log in", Some("AUTH-01"), "log in");
        check(SourceKind::Markdown, "AUTH-01: log in", Some("AUTH-01"), "log in");
        check(SourceKind::Markdown, "UTF-8 everywhere", None, "UTF-8 everywhere");
        check(SourceKind::Markdown, "2. two", None, "two");
        check(SourceKind::Markdown, "[P] is only text", None, "[P] is only text");
    }
}
