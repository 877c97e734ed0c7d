//! The little Markdown that planning files are read by: lines outside code and comments, headings, list items, check boxes,
//! table rows, labels. Line by line, because real planning files are not clean Markdown; one pass, because they are untrusted.

use crate::finding::Findings;

/// A line that is structure: not inside a code fence or an HTML comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    pub number: u32,
    pub text: &'a str,
}

/// The lines of `text` outside code fences and comments. A fence or comment that never closes hides nothing and is reported:
/// half a roadmap must not vanish behind three stray backticks.
pub fn structure<'a>(text: &'a str, findings: &mut Findings) -> Vec<Line<'a>> {
    let all: Vec<&str> = text.strip_prefix('\u{FEFF}').unwrap_or(text).lines().collect();
    let mut lines = Vec::with_capacity(all.len());
    let mut disabled: Vec<char> = Vec::new();
    let mut index = 0;
    while index < all.len() {
        let Some(opening) = Opening::of(all[index]).filter(|o| !disabled.contains(&o.mark)) else {
            lines.push(Line { number: line_number(index), text: all[index] });
            index += 1;
            continue;
        };
        match opening.closes_at(&all, index) {
            Some(last) => index = last + 1,
            None => {
                // Disabling the mark for the rest keeps this linear: each kind can fail to close only once.
                disabled.push(opening.mark);
                findings.warn(
                    line_number(index),
                    format!("{} opened here never closes; it is read as text", opening.name()),
                );
            }
        }
    }
    lines
}

fn line_number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

struct Opening {
    mark: char,
    length: usize,
}

impl Opening {
    fn of(line: &str) -> Option<Opening> {
        let trimmed = line.trim_start();
        if trimmed.starts_with("<!--") {
            return Some(Opening { mark: '<', length: 4 });
        }
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = trimmed.chars().take_while(|c| *c == mark).count();
        let info = trimmed.get(length..).unwrap_or_default();
        // Three backticks and a word and three backticks again is inline code, not a fence.
        let is_fence = length >= 3 && !(mark == '`' && info.contains('`'));
        is_fence.then_some(Opening { mark, length })
    }

    fn closes_at(&self, all: &[&str], start: usize) -> Option<usize> {
        if self.mark == '<' {
            let after_mark = all[start].find("<!--").map_or(0, |at| at + 4);
            if all[start].get(after_mark..).is_some_and(|rest| rest.contains("-->")) {
                return Some(start);
            }
            return (start + 1..all.len()).find(|index| all[*index].contains("-->"));
        }
        (start + 1..all.len()).find(|index| {
            let trimmed = all[*index].trim();
            trimmed.chars().count() >= self.length && trimmed.chars().all(|c| c == self.mark)
        })
    }

    fn name(&self) -> &'static str {
        if self.mark == '<' { "a comment" } else { "a code fence" }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading<'a> {
    pub level: usize,
    pub text: &'a str,
}

/// `### Text` with at most three spaces before it.
pub fn heading(line: &str) -> Option<Heading<'_>> {
    let trimmed = line.trim_start_matches(' ');
    if line.len() - trimmed.len() > 3 {
        return None;
    }
    let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
    let rest = trimmed.get(level..)?;
    if !(1..=6).contains(&level) || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let text = rest.trim();
    let without_closing = text.trim_end_matches('#');
    let closed = without_closing.ends_with([' ', '\t']) || without_closing.is_empty();
    Some(Heading { level, text: if closed { without_closing.trim_end() } else { text } })
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

/// A bullet or numbered list item, with its check box if it has one.
pub fn item(line: &str) -> Option<Item<'_>> {
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    let after_mark = after_bullet(trimmed).or_else(|| after_number(trimmed))?;
    let text = after_mark.trim();
    for (mark, tick) in [("[ ]", Tick::Open), ("[x]", Tick::Ticked), ("[X]", Tick::Ticked)] {
        if let Some(rest) = text.strip_prefix(mark) {
            return Some(Item { indent, tick, text: rest.trim() });
        }
    }
    if let Some(rest) = text.strip_prefix("[]") {
        return Some(Item { indent, tick: Tick::Open, text: rest.trim() });
    }
    Some(Item { indent, tick: Tick::NoBox, text })
}

fn after_bullet(trimmed: &str) -> Option<&str> {
    let rest = trimmed.strip_prefix(['-', '*', '+', '•'])?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(rest)
}

fn after_number(trimmed: &str) -> Option<&str> {
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let rest = trimmed.get(digits..)?.strip_prefix(['.', ')'])?;
    ((1..=9).contains(&digits) && rest.starts_with([' ', '\t'])).then_some(rest)
}

/// The cells of a table row, trimmed; `None` when the line is no row.
pub fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    Some(split_cells(inner).map(str::trim).collect())
}

/// Splits at pipes that are neither escaped nor inside inline code.
fn split_cells(inner: &str) -> impl Iterator<Item = &str> {
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

/// `|---|:--:|`
pub fn is_table_rule(cells: &[&str]) -> bool {
    !cells.is_empty()
        && cells.iter().all(|cell| {
            !cell.is_empty()
                && cell.chars().all(|c| matches!(c, '-' | ':' | ' '))
                && cell.contains('-')
        })
}

/// `**Goal**: text`, `**Goal:** text`, `**Goal** (why): text`, `- **Goal**: text`, `Goal: text`, with a full-width colon too.
/// The label comes without its marks; what stands in parentheses between label and colon is left out.
pub fn label(line: &str) -> Option<(&str, &str)> {
    let mut trimmed = line.trim();
    if let Some(rest) = trimmed.strip_prefix("- ").or_else(|| trimmed.strip_prefix("* ")) {
        trimmed = rest.trim_start();
    }
    if let Some(rest) = trimmed.strip_prefix("**").or_else(|| trimmed.strip_prefix("__")) {
        let end = rest.find("**").or_else(|| rest.find("__"))?;
        let (inside, after) = (&rest[..end], &rest[end + 2..]);
        if let Some(name) = inside.trim_end().strip_suffix([':', '：']) {
            return Some((name.trim(), after.trim()));
        }
        return Some((inside.trim(), after_colon(after)?));
    }
    let colon = trimmed.find([':', '：'])?;
    let name = trimmed[..colon].split('(').next().unwrap_or_default().trim();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '/');
    let plain = !name.is_empty() && name.chars().count() <= 32 && name.chars().all(is_word);
    let after = trimmed[colon..].trim_start_matches([':', '：']);
    plain.then_some((name, after.trim()))
}

/// After the closing marks: an optional remark in parentheses, then the colon.
fn after_colon(after: &str) -> Option<&str> {
    let mut rest = after.trim_start();
    if rest.starts_with('(') {
        rest = rest[matching_paren(rest)? + 1..].trim_start();
    }
    rest.strip_prefix([':', '：']).map(str::trim)
}

/// The byte index of the parenthesis that closes the one `text` starts with.
pub fn matching_paren(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (index, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

/// `text` without what stands in parentheses; an unclosed one runs to the end.
pub fn without_parens(text: &str) -> String {
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
    kept
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
