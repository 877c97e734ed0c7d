//! Finds the return in an agent's last words: the last JSON object that has a field of the role's return. Prose, code fences and
//! other objects around it do not matter. One pass: every byte is looked at a bounded number of times, whatever the text.

use std::collections::BTreeSet;

use super::broken::{Breach, BreachKind};
use crate::limits;

const ONE_OBJECT: &str = "one JSON object at the end of your answer";

/// The text of the return. `fields` are the names such a return can have at its top.
pub(super) fn find<'a>(fields: &BTreeSet<String>, text: &'a str) -> Result<&'a str, Breach> {
    if text.len() > limits::RETURN_TEXT_BYTES_MAX {
        let expected = format!("at most {} bytes", limits::RETURN_TEXT_BYTES_MAX);
        let found = format!("{} bytes", text.len());
        return Err(Breach::whole(BreachKind::TooLarge, &expected, found));
    }
    match search(fields, text).best {
        None => Err(Breach::whole(BreachKind::NoJson, ONE_OBJECT, "none".into())),
        Some(attempt) => attempt.into_text(text),
    }
}

struct Search {
    best: Option<Attempt>,
    /// Steps of all scanners together; a test holds them to a multiple of the text's length.
    steps: usize,
}

fn search(fields: &BTreeSet<String>, text: &str) -> Search {
    let mut search = Search { best: None, steps: 0 };
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'{', &text.as_bytes()[at..]) {
        let mut scanner = Scanner::new(text, fields, at + offset);
        let fault = scanner.object().err();
        search.steps += scanner.at - scanner.start;
        at = scanner.resume_at(fault.is_some());
        let attempt = scanner.attempt(fault);
        // A later object without any field of the return is an aside, unless there is nothing else to speak of.
        if search.best.as_ref().is_none_or(|best| attempt.weight() >= best.weight()) {
            search.best = Some(attempt);
        }
    }
    search
}

/// What became of one place that looked like an object.
struct Attempt {
    start: usize,
    outcome: Outcome,
}

enum Outcome {
    /// Ends before this byte; has a field of the return.
    Return { end: usize },
    /// Ends before this byte, and is something else.
    Other { end: usize },
    /// Began as a return and is none.
    BrokenReturn(Fault),
    /// Is no JSON, and nothing says that it was meant as the return.
    Nothing(Fault),
}

impl Attempt {
    fn weight(&self) -> u8 {
        match self.outcome {
            Outcome::Return { .. } | Outcome::BrokenReturn(_) => 2,
            Outcome::Other { .. } => 1,
            Outcome::Nothing(_) => 0,
        }
    }

    fn into_text(self, text: &str) -> Result<&str, Breach> {
        let fault = match self.outcome {
            Outcome::Return { end } | Outcome::Other { end } => return Ok(&text[self.start..end]),
            Outcome::BrokenReturn(fault) => fault,
            Outcome::Nothing(fault) if fault.kind == BreachKind::NotJson => {
                return Err(Breach::whole(BreachKind::NoJson, ONE_OBJECT, "none".into()));
            }
            Outcome::Nothing(fault) => fault,
        };
        let before = &text[self.start..fault.at];
        let line = memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1;
        let there = match fault.kind {
            BreachKind::CutOff => "the end of your answer".to_string(),
            BreachKind::TooDeep => format!("more than {} levels", limits::VALUE_DEPTH_MAX),
            _ => text[fault.at..].chars().next().map_or_else(String::new, |c| format!("{c:?}")),
        };
        let found = format!("{there} in line {line} of the object");
        Err(Breach::whole(fault.kind, fault.expected, found))
    }
}

#[derive(Debug, Clone, Copy)]
struct Fault {
    kind: BreachKind,
    at: usize,
    expected: &'static str,
}

/// Follows the grammar of JSON from one opening brace to the brace that closes it. Numbers and escapes are only passed over;
/// the JSON reader looks at them afterwards.
struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    fields: &'a BTreeSet<String>,
    start: usize,
    at: usize,
    /// The opening quote of the text read last. In prose, the quote may have been none, and the return may begin behind it.
    last_quote: usize,
    levels: Vec<Level>,
    /// Levels that have a field of the return.
    returns_open: usize,
    /// The last return that was closed without lying in another.
    inner: Option<(usize, usize)>,
}

struct Level {
    start: usize,
    is_object: bool,
    is_return: bool,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, fields: &'a BTreeSet<String>, start: usize) -> Scanner<'a> {
        let bytes = text.as_bytes();
        let (levels, last_quote) = (Vec::new(), start);
        Scanner {
            text,
            bytes,
            fields,
            start,
            at: start,
            last_quote,
            levels,
            returns_open: 0,
            inner: None,
        }
    }

    fn object(&mut self) -> Result<(), Fault> {
        self.open()?;
        while !self.levels.is_empty() {
            self.entry()?;
        }
        Ok(())
    }

    /// Where the search goes on.
    fn resume_at(&self, failed: bool) -> usize {
        if failed { self.last_quote.max(self.start) + 1 } else { self.at }
    }

    fn attempt(&self, fault: Option<Fault>) -> Attempt {
        let start = self.start;
        match (fault, self.inner) {
            (Some(fault), _) if self.returns_open > 0 => {
                let level = self.levels.iter().find(|level| level.is_return);
                let start = level.map_or(start, |level| level.start);
                Attempt { start, outcome: Outcome::BrokenReturn(fault) }
            }
            (_, Some((start, end))) => Attempt { start, outcome: Outcome::Return { end } },
            (Some(fault), None) => Attempt { start, outcome: Outcome::Nothing(fault) },
            (None, None) => Attempt { start, outcome: Outcome::Other { end: self.at } },
        }
    }

    /// One entry of the innermost level, or its end.
    fn entry(&mut self) -> Result<(), Fault> {
        self.space();
        let Some(level) = self.levels.last() else { return Ok(()) };
        if !level.is_object {
            return if self.peek() == Some(b']') { self.close() } else { self.value() };
        }
        match self.peek() {
            Some(b'}') => self.close(),
            Some(b'"') => {
                let key = self.string()?;
                self.mark(key);
                self.space();
                self.expect(b':', "a colon after the field's name")?;
                self.space();
                self.value()
            }
            _ => Err(self.fault("a field's name in double quotes")),
        }
    }

    fn value(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'{' | b'[') => return self.open(),
            Some(b'"') => {
                self.string()?;
            }
            Some(b'-' | b'0'..=b'9') => {
                self.pass_over(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
            }
            _ => self.word()?,
        }
        self.after_value()
    }

    fn word(&mut self) -> Result<(), Fault> {
        let rest = &self.bytes[self.at..];
        let word = ["true", "false", "null"].into_iter().find(|w| rest.starts_with(w.as_bytes()));
        let is_cut = ["true", "false", "null"].iter().any(|w| w.as_bytes().starts_with(rest));
        if word.is_none() && is_cut {
            self.at = self.bytes.len();
        }
        let word = word.ok_or_else(|| self.fault("a JSON value"))?;
        self.at += word.len();
        Ok(())
    }

    /// A comma, unless the level ends here. A comma before the end is refused as JSON does.
    fn after_value(&mut self) -> Result<(), Fault> {
        self.space();
        let Some(level) = self.levels.last() else { return Ok(()) };
        let end = if level.is_object { b'}' } else { b']' };
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.space();
                if self.peek() == Some(end) {
                    return Err(self.fault("another entry after the comma"));
                }
                Ok(())
            }
            Some(byte) if byte == end => Ok(()),
            _ => Err(self.fault("a comma or the closing bracket")),
        }
    }

    fn open(&mut self) -> Result<(), Fault> {
        if self.levels.len() >= limits::VALUE_DEPTH_MAX {
            let expected = "a return that is not nested so deep";
            return Err(Fault { kind: BreachKind::TooDeep, at: self.at, expected });
        }
        let is_object = self.peek() == Some(b'{');
        self.levels.push(Level { start: self.at, is_object, is_return: false });
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.at += 1;
        if let Some(level) = self.levels.pop()
            && level.is_return
        {
            self.returns_open -= 1;
            if self.returns_open == 0 {
                self.inner = Some((level.start, self.at));
            }
        }
        if self.levels.is_empty() { Ok(()) } else { self.after_value() }
    }

    /// What stands between the quotes. JSON has no line breaks there.
    fn string(&mut self) -> Result<&'a str, Fault> {
        self.last_quote = self.at;
        self.at += 1;
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(&self.text[start..self.at - 1]);
                }
                b'\\' => self.at += 2,
                0..=0x1F => return Err(self.fault("a text that ends on its line")),
                _ => self.at += 1,
            }
        }
        Err(self.fault("the end of a text"))
    }

    fn mark(&mut self, key: &str) {
        if let Some(level) = self.levels.last_mut()
            && !level.is_return
            && self.fields.contains(key)
        {
            level.is_return = true;
            self.returns_open += 1;
        }
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), Fault> {
        if self.peek() != Some(byte) {
            return Err(self.fault(expected));
        }
        self.at += 1;
        Ok(())
    }

    fn space(&mut self) {
        self.pass_over(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    }

    fn pass_over(&mut self, fits: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&fits) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Past the last byte nothing was wrong but the length.
    fn fault(&self, expected: &'static str) -> Fault {
        let is_cut = self.at >= self.bytes.len();
        let kind = if is_cut { BreachKind::CutOff } else { BreachKind::NotJson };
        let expected = if is_cut { "an object that ends" } else { expected };
        let mut at = self.at.min(self.bytes.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        Fault { kind, at, expected }
    }
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
