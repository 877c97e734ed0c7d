//! The little Markdown that planning files are read by: lines outside code and comments, headings, list items, check boxes,
//! table rows, labels. Line by line, because real planning files are not clean Markdown; one pass, because they are untrusted.

use std::borrow::Cow;

mod lines;

pub use lines::{Lines, Unclosed, structure};

/// A line that is structure: not inside a code fence or an HTML comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    pub number: u32,
    /// Spaces and tabs before the text.
    pub indent: u32,
    /// Without the blanks around it.
    pub text: &'a str,
}

impl<'a> Line<'a> {
    #[inline]
    pub fn of(number: u32, raw: &'a str) -> Line<'a> {
        // Most lines have no blanks around them.
        if let [b'!'..=b'~', .., b'!'..=b'~'] = raw.as_bytes() {
            return Line { number, indent: 0, text: raw };
        }
        let text = raw.trim_ascii_start();
        let indent = u32::try_from(raw.len() - text.len()).unwrap_or(u32::MAX);
        Line { number, indent, text: text.trim_ascii_end() }
    }

    /// Enough to tell most lines apart without looking at the rest.
    pub fn first_byte(&self) -> Option<u8> {
        self.text.as_bytes().first().copied()
    }

    /// `### Text` with at most three spaces before it.
    pub fn heading(&self) -> Option<Heading<'a>> {
        if self.first_byte() != Some(b'#') || self.indent > 3 {
            return None;
        }
        let level = self.text.bytes().take_while(|byte| *byte == b'#').count();
        let rest = &self.text[level..];
        if level > 6 || !rest.starts_with([' ', '\t']) {
            return None;
        }
        let text = rest.trim_ascii();
        let open = text.trim_end_matches('#');
        let is_closed = open.is_empty() || open.ends_with([' ', '\t']);
        Some(Heading { level, text: if is_closed { open.trim_ascii_end() } else { text } })
    }

    /// A bullet or numbered list item, with its check box if it has one.
    pub fn item(&self) -> Option<Item<'a>> {
        let mark = match self.first_byte()? {
            b'-' | b'*' | b'+' => 1,
            b'0'..=b'9' => number_mark(self.text)?,
            0xE2 if self.text.starts_with('•') => '•'.len_utf8(),
            _ => return None,
        };
        // `-[ ] x` without the blank is a slip, not prose.
        if !matches!(self.text.as_bytes().get(mark), None | Some(b' ' | b'\t' | b'[')) {
            return None;
        }
        let indent = self.indent as usize;
        let text = self.text[mark..].trim_ascii_start();
        Some(match boxed(text) {
            Some((tick, rest)) => Item { indent, tick, text: rest.trim_ascii_start() },
            None => Item { indent, tick: Tick::NoBox, text },
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading<'a> {
    pub level: usize,
    pub text: &'a str,
}

/// As `str::trim`. Most text ends in plain letters, which two looks tell.
pub fn trim(text: &str) -> &str {
    let text = text.trim_ascii();
    match text.as_bytes() {
        [] | [b'!'..=b'~'] | [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim(),
    }
}

/// A heading in a line that stands alone.
pub fn heading(line: &str) -> Option<Heading<'_>> {
    Line::of(0, line).heading()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    NoBox,
    Open,
    Ticked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a> {
    pub indent: usize,
    pub tick: Tick,
    pub text: &'a str,
}

/// A list item in a line that stands alone.
pub fn item(line: &str) -> Option<Item<'_>> {
    Line::of(0, line).item()
}

/// `[ ]`, `[x]` and what people put in their place: `[~]`, `[-]`, `[/]` for begun, `[✓]`, `[✅]` for done, blanks of any kind.
fn boxed(text: &str) -> Option<(Tick, &str)> {
    match text.as_bytes() {
        [b'[', b' ', b']', ..] => return Some((Tick::Open, &text[3..])),
        [b'[', b'x', b']', ..] => return Some((Tick::Ticked, &text[3..])),
        [b'[', ..] => {}
        _ => return None,
    }
    let inside = text.strip_prefix('[')?;
    let end = inside.bytes().take(8).position(|byte| byte == b']')?;
    let tick = match inside[..end].trim() {
        "x" | "X" | "✓" | "✔" | "✅" | "☑" => Tick::Ticked,
        "" | "~" | "-" | "/" | ">" | "🚧" => Tick::Open,
        _ => return None,
    };
    Some((tick, &inside[end + 1..]))
}

/// The length of `12.` or `12)` at the start of `text`, with something after it.
fn number_mark(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_closed = matches!(bytes.get(digits), Some(b'.' | b')'));
    (is_closed && digits <= 9 && bytes.len() > digits + 1).then_some(digits + 1)
}

/// The cells of a table row, trimmed; `None` when the line is no row.
pub fn cells(line: &str) -> Option<impl Iterator<Item = &str> + Clone> {
    let inner = line.trim_ascii().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    // Pipes in code and behind a backslash are looked for only where there may be some.
    let is_plain = memchr::memchr2(b'`', b'\\', inner.as_bytes()).is_none();
    let plain = is_plain.then(|| split_at_pipes(inner).map(str::trim_ascii));
    let other = (!is_plain).then(|| split_cells(inner).map(str::trim));
    Some(plain.into_iter().flatten().chain(other.into_iter().flatten()))
}

/// Splits at every pipe.
fn split_at_pipes(inner: &str) -> impl Iterator<Item = &str> + Clone {
    let ends = memchr::memchr_iter(b'|', inner.as_bytes()).chain([inner.len()]);
    ends.scan(0, |start, end| Some(&inner[std::mem::replace(start, end + 1)..end]))
}

/// Splits at pipes that are neither escaped nor inside inline code.
fn split_cells(inner: &str) -> impl Iterator<Item = &str> + Clone {
    let mut is_code = false;
    let mut is_escaped = false;
    inner.split(move |c: char| {
        let splits = c == '|' && !is_code && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        if c == '`' {
            is_code = !is_code;
        }
        splits
    })
}

/// `**Goal**: text`, `**Goal:** text`, `**Goal** (why): text`, `- **Goal**: text`, `Goal: text`, with a full-width colon too.
/// The label comes without its marks; what stands in parentheses between label and colon is left out.
pub fn label(line: &str) -> Option<(&str, &str)> {
    let mut trimmed = line.trim_ascii();
    if let Some(rest) = trimmed.strip_prefix("- ").or_else(|| trimmed.strip_prefix("* ")) {
        trimmed = rest.trim_ascii_start();
    }
    match trimmed.as_bytes() {
        [b'*', b'*', ..] | [b'_', b'_', ..] => bold_label(&trimmed[2..]),
        [b'*' | b'_', ..] => italic_label(trimmed),
        [first, ..] if first.is_ascii_alphabetic() || *first >= 0x80 => plain_label(trimmed),
        _ => None,
    }
}

fn bold_label(rest: &str) -> Option<(&str, &str)> {
    let bytes = rest.as_bytes();
    let is_doubled = |at: &usize| bytes.get(at + 1) == Some(&bytes[*at]);
    let end = memchr::memchr2_iter(b'*', b'_', bytes).find(is_doubled)?;
    let (inside, after) = (&rest[..end], &rest[end + 2..]);
    match strip_colon(inside.trim_ascii_end()) {
        Some(name) => Some((without_remark(name), after.trim_ascii())),
        None => Some((without_remark(inside), after_colon(after)?)),
    }
}

/// `Depends on (phases)` is the label `Depends on`.
fn without_remark(name: &str) -> &str {
    let end = memchr::memchr(b'(', name.as_bytes()).unwrap_or(name.len());
    trim(&name[..end])
}

fn strip_colon(name: &str) -> Option<&str> {
    name.strip_suffix(':').or_else(|| name.strip_suffix('：'))
}

/// `*Goal*: text`, `_Goal:_ text`.
fn italic_label(trimmed: &str) -> Option<(&str, &str)> {
    let mark = trimmed.chars().next()?;
    let (inside, after) = trimmed[1..].split_once(mark)?;
    match strip_colon(inside.trim_end()) {
        Some(name) => Some((name.trim(), after.trim())),
        None => Some((inside.trim(), after_colon(after)?)),
    }
}

/// Bytes in which the colon of a label without marks must stand; prose has its colons later.
const LABEL_BYTES_MAX: usize = 64;

fn plain_label(trimmed: &str) -> Option<(&str, &str)> {
    // The first byte of a full-width colon is EF.
    let bytes = trimmed.as_bytes();
    let start = &bytes[..bytes.len().min(LABEL_BYTES_MAX)];
    let is_colon = |at: &usize| bytes[*at] == b':' || bytes[*at..].starts_with("：".as_bytes());
    let colon = memchr::memchr2_iter(b':', 0xEF, start).find(is_colon)?;
    let name = without_remark(&trimmed[..colon]);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '/' | '_');
    let after = trimmed[colon..].trim_start_matches([':', '：']);
    (!name.is_empty() && name.chars().all(is_word)).then_some((name, trim(after)))
}

/// After the closing marks: an optional remark in parentheses, then the colon.
fn after_colon(after: &str) -> Option<&str> {
    if let Some(value) = after.strip_prefix(':') {
        return Some(trim(value));
    }
    let mut rest = after.trim_start();
    if rest.starts_with('(') {
        rest = rest[matching_paren(rest)? + 1..].trim_start();
    }
    rest.strip_prefix([':', '：', '—', '–']).map(str::trim)
}

/// The byte index of the parenthesis that closes the one `text` starts with.
pub fn matching_paren(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    memchr::memchr2_iter(b'(', b')', text.as_bytes()).find(|at| {
        match text.as_bytes()[*at] {
            b'(' => depth += 1,
            _ => depth = depth.saturating_sub(1),
        }
        depth == 0
    })
}

/// `text` without what stands in parentheses; an unclosed one runs to the end.
pub fn without_parens(text: &str) -> Cow<'_, str> {
    // The first byte of a full-width parenthesis is EF.
    if memchr::memchr2(b'(', 0xEF, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut depth = 0usize;
    for character in text.chars() {
        match character {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            other if depth == 0 => kept.push(other),
            _ => {}
        }
    }
    Cow::Owned(kept)
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
