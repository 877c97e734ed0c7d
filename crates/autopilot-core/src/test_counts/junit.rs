//! A report as JUnit XML that a check prints. Test cases are counted, not what the suites say of themselves; only the names of tags
//! and one attribute are read, and whatever else stands in it is passed over.

use super::tally::{Counts, Found, Names};
use crate::limits;

const STARTS: [&[u8]; 2] = [b"<testsuites", b"<testsuite"];

#[derive(Debug, Clone, Default)]
pub(super) struct Junit {
    place: Place,
    /// The beginning of the tag, comment or section that is open.
    tag: Vec<u8>,
    /// The end of it, to see a section's.
    last: [u8; 3],
    /// Suites inside each other.
    depth: u32,
    case: Option<Case>,
    seen: Counts,
    names: Names,
    /// Of documents that are over.
    told: Option<(Counts, Names)>,
    documents: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Outside,
    Text,
    Tag,
}

#[derive(Debug, Clone, Default)]
struct Case {
    name: String,
    is_failed: bool,
    is_skipped: bool,
}

impl Junit {
    pub(super) fn is_open(&self) -> bool {
        self.place != Place::Outside
    }

    /// A document begins with the line, perhaps behind the declaration of XML.
    pub(super) fn begins_in(&self, line: &[u8]) -> bool {
        self.documents < limits::TEST_DOCUMENTS_MAX && start(line).is_some()
    }

    pub(super) fn line(&mut self, line: &[u8]) {
        let mut line = line;
        if !self.is_open() {
            let Some(at) = start(line).filter(|_| self.begins_in(line)) else { return };
            line = &line[at..];
            let documents = self.documents + 1;
            *self = Junit { told: self.told.take(), documents, ..Junit::default() };
            self.place = Place::Text;
        }
        for byte in line.iter().chain(b"\n") {
            self.byte(*byte);
            if !self.is_open() {
                return;
            }
        }
    }

    fn byte(&mut self, byte: u8) {
        match self.place {
            Place::Outside => {}
            Place::Text if byte == b'<' => {
                self.tag.clear();
                self.last = [0; 3];
                self.place = Place::Tag;
            }
            Place::Text => {}
            Place::Tag => {
                self.last = [self.last[1], self.last[2], byte];
                if byte == b'>' && self.is_end() {
                    self.place = Place::Text;
                    let tag = std::mem::take(&mut self.tag);
                    self.tag(&tag);
                } else if self.tag.len() < limits::TEST_TAG_BYTES_MAX {
                    self.tag.push(byte);
                }
            }
        }
    }

    /// A section and a comment go on over brackets, and end with a sign of their own.
    fn is_end(&self) -> bool {
        if self.tag.starts_with(b"![CDATA[") {
            return self.last == *b"]]>";
        }
        !self.tag.starts_with(b"!--") || self.last == *b"-->"
    }

    fn tag(&mut self, tag: &[u8]) {
        let is_closed = tag.last() == Some(&b'/');
        let name = tag.split(|byte| byte.is_ascii_whitespace() || *byte == b'/');
        let name = name.into_iter().find(|part| !part.is_empty()).unwrap_or_default();
        match (tag.first() == Some(&b'/'), name) {
            (false, b"testsuites" | b"testsuite") if !is_closed => {
                self.depth = self.depth.saturating_add(1);
            }
            (false, b"testsuites" | b"testsuite") if self.depth == 0 => self.close(),
            (true, b"testsuites" | b"testsuite") => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.close();
                }
            }
            (false, b"testcase") => {
                self.end_case();
                self.case = Some(Case { name: named(tag), ..Case::default() });
                if is_closed {
                    self.end_case();
                }
            }
            (true, b"testcase") => self.end_case(),
            (false, b"failure" | b"error") => {
                if let Some(case) = &mut self.case {
                    case.is_failed = true;
                }
            }
            (false, b"skipped") => {
                if let Some(case) = &mut self.case {
                    case.is_skipped = true;
                }
            }
            _ => {}
        }
    }

    fn end_case(&mut self) {
        let Some(case) = self.case.take() else { return };
        let place = match (case.is_failed, case.is_skipped) {
            (true, _) => &mut self.seen.failed,
            (false, true) => &mut self.seen.skipped,
            (false, false) => &mut self.seen.passed,
        };
        *place = place.saturating_add(1);
        if case.is_failed {
            self.names.add(&case.name);
        }
    }

    fn close(&mut self) {
        self.end_case();
        let (counts, names) = self.told.take().unwrap_or_default();
        let names =
            Names::of(names.into_list().iter().chain(&std::mem::take(&mut self.names).into_list()));
        self.told = Some((counts.plus(self.seen), names));
        self.place = Place::Outside;
    }

    /// A document that never ended is none.
    pub(super) fn end(self) -> Option<super::TestCounts> {
        let (counts, names) = self.told?;
        Some(Found { counts, names }.counts(super::Runner::Junit))
    }
}

fn start(line: &[u8]) -> Option<usize> {
    let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let is_suite = |at: usize| STARTS.iter().any(|start| line[at..].starts_with(start));
    if is_suite(indent) {
        return Some(indent);
    }
    if !line[indent..].starts_with(b"<?xml") {
        return None;
    }
    let end = line.iter().position(|byte| *byte == b'>')? + 1;
    is_suite(end).then_some(end)
}

/// The value of the attribute `name`.
fn named(tag: &[u8]) -> String {
    let tag = String::from_utf8_lossy(tag);
    let value = tag.split_once(" name=\"").and_then(|(_, rest)| rest.split('"').next());
    value.unwrap_or_default().chars().take(limits::TEST_NAME_CHARS_MAX).collect()
}
