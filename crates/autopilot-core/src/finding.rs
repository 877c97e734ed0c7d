//! What a reader noticed: a severity, a place and a sentence. Readers collect these and go on; commands decide what stops them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::limits;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; changes nothing.
    Note,
    /// Probably a slip; autopilot went on with what it understood.
    Warning,
    /// The project cannot be run until this is mended.
    Error,
}

impl Severity {
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Where something stands. Lines count from 1; a finding about a whole file has none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: String,
    pub line: Option<u32>,
}

impl Place {
    pub fn file(file: impl Into<String>) -> Self {
        Place { file: file.into(), line: None }
    }

    pub fn line(file: impl Into<String>, line: u32) -> Self {
        Place { file: file.into(), line: Some(line) }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    pub place: Place,
    pub message: String,
}

/// The findings of one file, bounded: past the limit they are only counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    file: String,
    kept: Vec<Finding>,
    dropped: usize,
}

impl Findings {
    pub fn of_file(file: impl Into<String>) -> Self {
        Findings { file: file.into(), kept: Vec::new(), dropped: 0 }
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    /// Further remarks are only counted, so there is no need to word them.
    pub fn is_full(&self) -> bool {
        self.kept.len() >= limits::FINDINGS_PER_FILE_MAX
    }

    pub fn note(&mut self, line: u32, message: impl Into<String>) {
        self.add(Severity::Note, Some(line), message.into());
    }

    pub fn warn(&mut self, line: u32, message: impl Into<String>) {
        self.add(Severity::Warning, Some(line), message.into());
    }

    pub fn error(&mut self, line: u32, message: impl Into<String>) {
        self.add(Severity::Error, Some(line), message.into());
    }

    pub fn whole_file(&mut self, severity: Severity, message: impl Into<String>) {
        self.add(severity, None, message.into());
    }

    fn add(&mut self, severity: Severity, line: Option<u32>, message: String) {
        // An error is never dropped for the sake of notes that came before it.
        if self.kept.len() >= limits::FINDINGS_PER_FILE_MAX && severity != Severity::Error {
            self.dropped += 1;
            return;
        }
        if self.kept.len() >= 2 * limits::FINDINGS_PER_FILE_MAX {
            self.dropped += 1;
            return;
        }
        let place = Place { file: self.file.clone(), line };
        self.kept.push(Finding { severity, place, message });
    }

    /// The findings in the order of their lines, and a last one that counts what was left out.
    pub fn into_list(mut self) -> Vec<Finding> {
        self.kept.sort_by_key(|finding| finding.place.line);
        if self.dropped > 0 {
            let message = format!("{} more findings are not listed", self.dropped);
            let place = Place::file(self.file);
            self.kept.push(Finding { severity: Severity::Note, place, message });
        }
        self.kept
    }
}

/// Foreign text for a message: one line, control characters made visible, cut at a bound.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for (count, character) in text.trim().chars().enumerate() {
        if count == limits::QUOTE_CHARS_MAX {
            quoted.push('…');
            break;
        }
        if character.is_control() || is_invisible(character) {
            quoted.extend(character.escape_unicode());
        } else {
            quoted.push(character);
        }
    }
    quoted.push('"');
    quoted
}

/// Foreign text for a terminal: control and direction characters replaced, nothing cut.
pub fn printable(text: &str) -> String {
    let clean = |c: char| if c.is_control() || is_invisible(c) { '\u{FFFD}' } else { c };
    text.chars().map(clean).collect()
}

/// Characters that can make a line read differently from what it says: bidirectional overrides and zero widths.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_one_bounded_line_without_control_characters() {
        assert_eq!(quote("  plain "), "\"plain\"");
        assert_eq!(quote("a\nb\u{1b}[31m"), "\"a\\u{a}b\\u{1b}[31m\"");
        assert_eq!(quote("x\u{202E}y"), "\"x\\u{202e}y\"");
        assert_eq!(quote(&"ä".repeat(200)).chars().count(), limits::QUOTE_CHARS_MAX + 3);
    }

    #[test]
    fn findings_are_bounded_and_an_error_is_still_kept() {
        let mut findings = Findings::of_file("R.md");
        for line in 0..limits::FINDINGS_PER_FILE_MAX as u32 + 5 {
            findings.note(line, "n");
        }
        findings.error(1, "bad");
        let list = findings.into_list();
        assert_eq!(list.len(), limits::FINDINGS_PER_FILE_MAX + 2);
        assert!(list.iter().any(|finding| finding.severity == Severity::Error));
        assert_eq!(list[list.len() - 1].message, "5 more findings are not listed");
    }
}
