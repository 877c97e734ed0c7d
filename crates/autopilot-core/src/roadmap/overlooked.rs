//! Lines that read like a phase but have no form a phase is read from: a phase that got lost must not pass for one that is
//! done (ROAD-4).

use crate::finding::{Findings, quote};
use crate::phase_id::PhaseId;
use crate::roadmap::Phase;
use crate::roadmap::entry::{self, Mention};
use crate::roadmap::index::PhaseIndex;
use crate::roadmap::vocabulary;

/// `- Phase 3: Login`, `Phase 3: Login` underlined, `- [ ] Phase 3 Login`, `## Phase One: Login`.
pub(super) struct Overlooked {
    /// None when it names no number.
    id: Option<PhaseId>,
    words: String,
    line: u32,
}

impl Overlooked {
    pub(super) fn of(text: &str, line: u32) -> Option<Overlooked> {
        let bare = without_marks(text);
        // Most lines are prose and end here.
        vocabulary::after_phase_word(bare)?;
        match entry::of_heading(bare)? {
            Mention::Phase(entry) => Some(Overlooked::phase(entry.id, text, line)),
            Mention::Unseparated(_) | Mention::NoId => None,
        }
    }

    pub(super) fn phase(id: PhaseId, text: &str, line: u32) -> Overlooked {
        Overlooked { id: Some(id), words: quote(text), line }
    }

    /// "Phase One: Login" was meant as a phase; "Phase Details" was not.
    pub(super) fn without_number(text: &str, line: u32) -> Option<Overlooked> {
        text.contains([':', '：']).then(|| Overlooked { id: None, words: quote(text), line })
    }

    fn message(&self) -> String {
        let Overlooked { id, words, .. } = self;
        match id {
            Some(id) => format!(
                "{words} looks like a phase but is not read as one: use a heading (### Phase {id}: Name) or a check box (- [ ] Phase {id}: Name)"
            ),
            None => format!("{words} names no phase number and is not read as a phase"),
        }
    }
}

/// From the first letter or digit on. Most marks are ASCII, and most lines have one or two.
fn without_marks(text: &str) -> &str {
    let is_mark = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    let rest = &text[text.bytes().take_while(is_mark).count()..];
    match rest.as_bytes().first() {
        Some(first) if !first.is_ascii() => rest.trim_start_matches(|c: char| !c.is_alphanumeric()),
        _ => rest,
    }
}

/// Says so where the phase is not known from elsewhere either.
pub(super) fn report(overlooked: &[Overlooked], phases: &[Phase<'_>], findings: &mut Findings) {
    if overlooked.is_empty() {
        return;
    }
    let known = PhaseIndex::of(phases);
    let is_known = |line: &&Overlooked| line.id.as_ref().is_some_and(|id| known.holds(id));
    for line in overlooked.iter().filter(|line| !is_known(line)) {
        findings.warn(line.line, line.message());
    }
}
