//! Reads a heading that may name a phase: `Phase 2: Name`, `Task 3: Name`, `4. Name`, with ticks and priorities around it.
//! Owns those spellings; which of them count is each format's choice.

use crate::phase_id::PhaseId;

use super::safe_text;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PhaseHeading {
    pub(super) name: String,
    /// The number the source gives it, if it is one.
    pub(super) label: Option<PhaseId>,
    /// The 2 of "User Story 2".
    pub(super) story: Option<u32>,
    pub(super) says_done: bool,
    pub(super) notes: Vec<String>,
}

/// `Phase 2: Name` for one of the words; the separator may be missing only when nothing follows the number.
pub(super) fn worded(text: &str, words: &[&str]) -> Option<PhaseHeading> {
    let plain = without_signs(text);
    let after_word = words.iter().find_map(|word| strip_word(plain, word))?;
    let (label, rest) = match PhaseId::scan(after_word) {
        Some((id, rest)) => (Some(id), after_separator(rest)?),
        None => {
            let (label, rest) = after_word.split_once([':', '：'])?;
            (None, is_placeholder(label).then_some(rest.trim())?)
        }
    };
    Some(clean(text, rest, label))
}

/// `4. Name` or `4) Name`.
pub(super) fn numbered(text: &str) -> Option<PhaseHeading> {
    let plain = without_signs(text);
    let digits = plain.bytes().take_while(u8::is_ascii_digit).count();
    let label = PhaseId::scan(&plain[..digits]).map(|(id, _)| id)?;
    let rest = plain[digits..].strip_prefix(['.', ')'])?;
    let ends_here = rest.is_empty() || rest.starts_with(char::is_whitespace);
    ends_here.then(|| clean(text, rest, Some(label)))
}

/// A heading that counts for what stands under it, whatever it says.
pub(super) fn unnumbered(text: &str) -> PhaseHeading {
    clean(text, without_signs(text), None)
}

/// `N`, `N-1`, `A`, `Final`: what people write where a number will stand.
fn is_placeholder(label: &str) -> bool {
    let is_letter =
        |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '+');
    label == "Final" || (!label.is_empty() && label.len() <= 6 && label.chars().all(is_letter))
}

fn clean(whole: &str, rest: &str, label: Option<PhaseId>) -> PhaseHeading {
    let says_done = whole.contains(['✅', '✔', '☑']) || whole.trim_start().starts_with("[x]");
    let mut notes = Vec::new();
    let mut name = rest.replace(['✅', '✔', '☑', '🚧', '⚠', '\u{FE0F}'], "");
    if let Some((before, after)) = name.split_once("🎯") {
        let mark = after.trim();
        if !mark.is_empty() {
            notes.push(mark.to_owned());
        }
        name = before.to_owned();
    }
    if let Some((before, inside, after)) = priority(&name) {
        notes.insert(0, inside.to_owned());
        name = format!("{before}{after}");
    }
    let name = safe_text::one_line(&name);
    let story = ["User Story", "Story", "US"]
        .iter()
        .find_map(|word| strip_word(&name, word))
        .and_then(leading_number);
    PhaseHeading { name, label, story, says_done, notes }
}

fn priority(name: &str) -> Option<(&str, &str, &str)> {
    let (before, after) = name.split_once("(Priority")?;
    let (inside, after) = after.split_once(')')?;
    let end = before.len() + "(Priority".len() + inside.len();
    Some((before.trim_end(), &name[before.len() + 1..end], after))
}

fn without_signs(text: &str) -> &str {
    let is_sign =
        |c: char| !(c.is_alphanumeric() || matches!(c, '[' | '(' | '`' | '*' | '"' | '\''));
    let bare =
        safe_text::strip_marks(text.trim().trim_start_matches("**")).trim_start_matches(is_sign);
    safe_text::strip_marks(bare)
}

fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let start = text.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word))?;
    let rest = &text[start.len()..];
    let is_whole = rest.starts_with(|c: char| c.is_whitespace() || c.is_ascii_digit());
    is_whole.then(|| rest.trim_start())
}

fn after_separator(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    if rest.chars().all(|c| !c.is_alphanumeric()) {
        return Some("");
    }
    rest.strip_prefix([':', '：', '-', '—', '–', '.']).map(str::trim)
}

fn leading_number(text: &str) -> Option<u32> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_numbered_heading_gives_number_and_name() {
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let heading = worded(text, &["Phase", "Task"]).or_else(|| numbered(text));
            let found =
                heading.map(|h| (h.label.map(|id| id.to_string()).unwrap_or_default(), h.name));
            assert_eq!(
                found,
                expected.map(|(label, name)| (label.to_owned(), name.to_owned())),
                "{text}"
            );
        };
        check("Phase 1: Setup (Shared)", Some(("1", "Setup (Shared)")));
        check("✅ Phase 3.1 — Tests First ✅", Some(("3.1", "Tests First")));
        check("phase 4", Some(("4", "")));
        check("Task N-1: Check", Some(("N-1", "Check")));
        check("4. Docs", Some(("4", "Docs")));
        check("**Phase 2: Bold**", Some(("2", "Bold**")));
        check("Phase Details", None);
        check("Phase 3 Parallel Example", None);
        check("Phase Dependencies: all of them", None);
        check("Taskforce 1: no", None);
        check("2 sided", None);
    }

    #[test]
    fn a_story_heading_gives_up_its_priority_and_target() {
        let heading =
            worded("Phase 3: User Story 12 - Share albums (Priority: P1) 🎯 MVP", &["Phase"])
                .unwrap();
        assert_eq!(heading.name, "User Story 12 - Share albums");
        assert_eq!(heading.story, Some(12));
        assert_eq!(heading.notes, ["Priority: P1", "MVP"]);
    }
}
