//! One file at one commit, made ready to be asked: its tokens, which brackets belong together, its functions and what encloses
//! them. Everything is made in one pass over the tokens, so that the time stays in proportion to the text.

use std::collections::BTreeMap;
use std::ops::Range;

use super::items::{self, Item};
use super::language::{Language, is_test_path};
use super::rows;
use super::tokens::{Comment, Token, lex};
use crate::limits;

/// What `parent` says outside of all brackets.
pub(super) const OUTSIDE: usize = usize::MAX;

pub(super) struct Source<'a> {
    pub(super) path: &'a str,
    pub(super) language: Language,
    pub(super) is_test: bool,
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) comments: Vec<Comment<'a>>,
    /// For an opening bracket the place of its closing one, or the end where it has none. For other tokens their own place.
    pub(super) close: Vec<usize>,
    /// The innermost opening bracket around each token.
    pub(super) parent: Vec<usize>,
    /// For an opening bracket the entries of its list.
    pub(super) entries: Vec<u32>,
    /// Functions, and the classes, modules and groups around them.
    pub(super) items: Vec<Item<'a>>,
    /// Rows of the tables that stand outside of functions, by name.
    pub(super) tables: BTreeMap<&'a str, u32>,
}

impl<'a> Source<'a> {
    pub(super) fn read(path: &'a str, text: &'a str) -> Option<Self> {
        let language = Language::of(path)?;
        let text = cut(text);
        let lexed = lex(text, language);
        let (close, parent, entries) = brackets(&lexed.tokens);
        let mut source = Source {
            path,
            language,
            is_test: is_test_path(path),
            tokens: lexed.tokens,
            comments: lexed.comments,
            close,
            parent,
            entries,
            items: Vec::new(),
            tables: BTreeMap::new(),
        };
        source.items = items::find(&source);
        source.tables = rows::tables(&source);
        Some(source)
    }

    pub(super) fn token(&self, at: usize) -> Option<&Token<'a>> {
        self.tokens.get(at)
    }

    pub(super) fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(text))
    }

    pub(super) fn before(&self, at: usize) -> Option<&Token<'a>> {
        at.checked_sub(1).and_then(|at| self.tokens.get(at))
    }

    pub(super) fn is_before(&self, at: usize, text: &str) -> bool {
        self.before(at).is_some_and(|token| token.is(text))
    }

    pub(super) fn line(&self, at: usize) -> u32 {
        self.tokens.get(at).map_or(1, |token| token.line)
    }

    /// The tokens between an opening bracket and its closing one.
    pub(super) fn inside(&self, open: usize) -> Range<usize> {
        let close = self.close.get(open).copied().unwrap_or(open);
        let first = (open + 1).min(self.tokens.len());
        first..close.max(first)
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &[Token<'a>] {
        let end = range.end.min(self.tokens.len());
        &self.tokens[range.start.min(end)..end]
    }

    /// Where the line of a token ends, as the place of the first token of the next one.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let rest = self.tokens[(at + 1).min(self.tokens.len())..].iter();
        // Bounded: a file of one line would be looked through from each of its tokens.
        let rest = rest.take(limits::HONESTY_BODY_TOKENS_MAX);
        (at + 1 + rest.take_while(|token| !token.is_first).count()).min(self.tokens.len())
    }

    /// Where the block ends whose first line begins with `at`: at the first line that is indented no further.
    pub(super) fn block_end(&self, at: usize, from: usize) -> usize {
        let column = self.tokens.get(at).map_or(0, |token| token.column);
        let rest = self.tokens[from.min(self.tokens.len())..].iter();
        from + rest.take_while(|token| !token.is_first || token.column > column).count()
    }

    /// The first token on the line of `at`, if at most a few words stand between.
    pub(super) fn line_start(&self, at: usize) -> Option<usize> {
        (at.saturating_sub(3)..=at).rev().find(|place| self.tokens[*place].is_first)
    }

    /// What a list has for entries, as ranges of tokens.
    pub(super) fn arguments(&self, open: usize) -> Vec<Range<usize>> {
        let inside = self.inside(open);
        let inside =
            inside.start..inside.end.min(inside.start + limits::HONESTY_ARGUMENT_TOKENS_MAX);
        let mut arguments = Vec::new();
        let mut start = inside.start;
        for at in inside.clone() {
            if self.parent[at] == open && self.tokens[at].is(",") {
                arguments.push(start..at);
                start = at + 1;
            }
        }
        if start < inside.end {
            arguments.push(start..inside.end);
        }
        arguments
    }
}

/// A file beyond the limit is read up to it, so that nobody hides a deletion by making a file large.
fn cut(text: &str) -> &str {
    let mut end = text.len().min(limits::HONESTY_FILE_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn brackets(tokens: &[Token<'_>]) -> (Vec<usize>, Vec<usize>, Vec<u32>) {
    let mut close: Vec<usize> = (0..tokens.len()).collect();
    let mut parent = vec![OUTSIDE; tokens.len()];
    let mut entries = vec![0; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.kind == super::tokens::Kind::Sign {
            if let Some(opening) = opening_of(token.text) {
                // A stray closing bracket, as the cases of a shell have, closes nothing.
                if open.last().is_some_and(|last| tokens[*last].text == opening) {
                    let opened = open.pop().unwrap_or(at);
                    close[opened] = at;
                    let is_empty = opened + 1 == at;
                    let has_last = at > 0 && !tokens[at - 1].is(",") && !is_empty;
                    entries[opened] += u32::from(has_last);
                }
            }
            if let (",", Some(last)) = (token.text, open.last()) {
                entries[*last] += 1;
            }
        }
        parent[at] = open.last().copied().unwrap_or(OUTSIDE);
        if token.kind == super::tokens::Kind::Sign && matches!(token.text, "(" | "[" | "{" | "[[") {
            open.push(at);
        }
    }
    for left in open {
        close[left] = tokens.len();
    }
    (close, parent, entries)
}

fn opening_of(closing: &str) -> Option<&'static str> {
    match closing {
        ")" => Some("("),
        "]" => Some("["),
        "}" => Some("{"),
        "]]" => Some("[["),
        _ => None,
    }
}
