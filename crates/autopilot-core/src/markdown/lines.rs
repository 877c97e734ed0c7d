//! Which lines of a text are structure: those outside code fences and HTML comments. One after the other, so that a reader
//! that needs each line once keeps none of them.

use crate::finding::Findings;
use crate::markdown::Line;

/// The lines of `text` that are structure, and a finding for each fence and comment that never closes.
pub fn structure<'a>(text: &'a str, findings: &mut Findings) -> Vec<Line<'a>> {
    let mut lines = Lines::of(text);
    // Planning files have about 40 bytes a line; a guess that saves growing the list step by step.
    let mut all = Vec::with_capacity(text.len() / 40 + 1);
    all.extend(&mut lines);
    for unclosed in lines.unclosed() {
        unclosed.report(findings);
    }
    all
}

/// A fence or comment that never closes hides nothing and is reported: half a roadmap must not vanish behind three stray
/// backticks.
pub struct Lines<'a> {
    rest: Rest<'a>,
    unclosed: Vec<Unclosed>,
}

/// What was opened, and in which line.
#[derive(Debug, Clone, Copy)]
pub struct Unclosed {
    mark: u8,
    line: u32,
}

impl Unclosed {
    pub fn report(self, findings: &mut Findings) {
        let name = if self.mark == b'<' { "a comment" } else { "a code fence" };
        findings.warn(self.line, format!("{name} opened here never closes; it is read as text"));
    }
}

impl<'a> Lines<'a> {
    pub fn of(text: &'a str) -> Lines<'a> {
        Lines::from_line(1, text.strip_prefix('\u{FEFF}').unwrap_or(text))
    }

    /// The same for a later part of a text, which starts with this line.
    pub fn from_line(number: u32, text: &'a str) -> Lines<'a> {
        Lines { rest: Rest { text, number }, unclosed: Vec::new() }
    }

    /// How much of the text was not handed out yet.
    pub fn bytes_left(&self) -> usize {
        self.rest.text.len()
    }

    /// What never closed, among the lines so far.
    pub fn unclosed(self) -> Vec<Unclosed> {
        self.unclosed
    }

    /// What this line opens. A mark that failed to close once is text from there on, which keeps this linear.
    fn opening(&self, line: &Line<'_>) -> Option<Opening> {
        Opening::of(line).filter(|opening| self.unclosed.iter().all(|it| it.mark != opening.mark))
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        loop {
            let start = self.rest;
            let line = self.rest.next()?;
            // Nearly every line: it opens nothing.
            if !matches!(line.first_byte(), Some(b'`' | b'~' | b'<')) {
                return Some(line);
            }
            let Some(opening) = self.opening(&line) else { return Some(line) };
            match opening.closed(line, self.rest) {
                Some(closed) => self.rest = closed,
                None => {
                    self.unclosed.push(Unclosed { mark: opening.mark, line: line.number });
                    self.rest = start;
                }
            }
        }
    }
}

/// What is left of a text, and the number of its first line.
#[derive(Clone, Copy)]
struct Rest<'a> {
    text: &'a str,
    number: u32,
}

impl<'a> Rest<'a> {
    #[inline]
    fn next(&mut self) -> Option<Line<'a>> {
        if self.text.is_empty() {
            return None;
        }
        let (raw, after) = match memchr::memchr(b'\n', self.text.as_bytes()) {
            Some(end) => (&self.text[..end], &self.text[end + 1..]),
            None => (self.text, ""),
        };
        let line = Line::of(self.number, raw);
        *self = Rest { text: after, number: self.number.saturating_add(1) };
        Some(line)
    }

    /// Past the first line that `ends` holds for.
    fn past(mut self, ends: impl Fn(&str) -> bool) -> Option<Rest<'a>> {
        while let Some(line) = self.next() {
            if ends(line.text) {
                return Some(self);
            }
        }
        None
    }
}

struct Opening {
    mark: u8,
    length: usize,
}

impl Opening {
    fn of(line: &Line<'_>) -> Option<Opening> {
        let mark = line.first_byte().filter(|mark| matches!(mark, b'`' | b'~' | b'<'))?;
        if mark == b'<' {
            return line.text.starts_with("<!--").then_some(Opening { mark, length: 4 });
        }
        let length = line.text.bytes().take_while(|byte| *byte == mark).count();
        // Three backticks and a word and three backticks again is inline code, not a fence.
        let is_inline = mark == b'`' && line.text[length..].contains('`');
        (length >= 3 && !is_inline).then_some(Opening { mark, length })
    }

    fn closed<'a>(&self, line: Line<'a>, after: Rest<'a>) -> Option<Rest<'a>> {
        if self.mark == b'<' {
            let inside = line.text.split_once("<!--").map_or("", |(_, inside)| inside);
            return if inside.contains("-->") {
                Some(after)
            } else {
                after.past(|line| line.contains("-->"))
            };
        }
        after.past(|line| line.len() >= self.length && line.bytes().all(|byte| byte == self.mark))
    }
}
