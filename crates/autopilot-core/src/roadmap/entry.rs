//! One mention of a phase: a heading `### Phase 2.1: Name` or a check-list line `- [x] **Phase 2.1: Name** (INSERTED) — text`.
//! Takes the words apart; where they stood is the business of `roadmap.rs`.

use std::borrow::Cow;

use crate::limits;
use crate::markdown::trim;
use crate::phase_id::PhaseId;
use crate::roadmap::vocabulary;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'t> {
    pub id: PhaseId,
    pub name: Cow<'t, str>,
    /// What a check-list line says after the name.
    pub text: Cow<'t, str>,
    pub is_inserted: bool,
    /// Struck through: superseded, not to be done.
    pub is_struck: bool,
    /// A mark such as ✅ beside the name.
    pub is_marked_done: bool,
}

/// What a line that starts with the word for a phase turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mention<'t> {
    Phase(Entry<'t>),
    /// `Phase 3 Login`: an id but nothing between it and the name. A phase only if the roadmap has no clearer ones.
    Unseparated(Entry<'t>),
    /// `Phase One: Login`, `Phases 1-3: …`: the word without an id we can read.
    NoId,
}

const SEPARATORS: [char; 5] = [':', '：', '—', '–', '-'];
const DONE_MARKS: [char; 5] = ['✅', '✓', '✔', '☑', '🎉'];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Inserted,
    Backlog,
    Done,
}

/// Remarks people put behind a name.
const MARKERS: [(&str, Meaning); 9] = [
    ("(INSERTED)", Meaning::Inserted),
    ("[INSERTED]", Meaning::Inserted),
    ("(BACKLOG)", Meaning::Backlog),
    ("[BACKLOG]", Meaning::Backlog),
    ("(DONE)", Meaning::Done),
    ("[DONE]", Meaning::Done),
    ("(COMPLETE)", Meaning::Done),
    ("(COMPLETED)", Meaning::Done),
    ("[COMPLETE]", Meaning::Done),
];

impl Mention<'_> {
    /// Struck through, and so without the marks that were in the text it was read from.
    fn into_struck(self) -> Mention<'static> {
        let struck = |entry: Entry<'_>| Entry {
            id: entry.id,
            name: Cow::Owned(entry.name.into_owned()),
            text: Cow::Owned(entry.text.into_owned()),
            is_struck: true,
            ..entry
        };
        match self {
            Mention::Phase(entry) => Mention::Phase(struck(entry)),
            Mention::Unseparated(entry) => Mention::Unseparated(struck(entry)),
            Mention::NoId => Mention::NoId,
        }
    }
}

/// Reads a heading's text. `None` when it does not start with the word for a phase.
pub fn of_heading(text: &str) -> Option<Mention<'_>> {
    match unstruck(text) {
        Some(text) => read_heading(&text).map(Mention::into_struck),
        None => read_heading(trim(text)),
    }
}

fn read_heading(text: &str) -> Option<Mention<'_>> {
    let head = Head::scan(heading_words(text))?;
    let mut mention = head.mention(|rest| (rest, ""));
    if let Mention::Phase(entry) | Mention::Unseparated(entry) = &mut mention {
        entry.is_marked_done |=
            text.starts_with(DONE_MARKS) || text.starts_with("[x]") || text.starts_with("[X]");
    }
    Some(mention)
}

/// Whether a heading opens a phase, without taking it apart.
pub fn is_phase_heading(text: &str) -> bool {
    let unstruck = unstruck(text);
    let text = unstruck.as_deref().unwrap_or(trim(text));
    let scanned = Head::scan(heading_words(text)).and_then(|head| head.scanned);
    scanned.is_some_and(|(_, after)| {
        let after = vocabulary::skip_word_after_number(after);
        matches!(after_separator(after), Separated::Yes(_))
    })
}

/// Without marks such as ✅ before it, emphasis and a link around it.
fn heading_words(text: &str) -> &str {
    let is_mark = |c: char| !c.is_ascii() && !c.is_alphanumeric() || c.is_whitespace();
    let bare = text.trim_start_matches(is_mark);
    let boxes = ["[x]", "[X]", "[ ]"];
    let unboxed = boxes.iter().find_map(|mark| bare.strip_prefix(mark)).unwrap_or(bare);
    unwrap_link(strip_emphasis(unboxed)).0
}

/// Reads what stands after the box of a check-list line.
pub fn of_check_item(text: &str) -> Option<Mention<'_>> {
    match unstruck(text) {
        Some(text) => read_check_item(&text).map(Mention::into_struck),
        None => read_check_item(trim(text)),
    }
}

fn read_check_item(text: &str) -> Option<Mention<'_>> {
    let is_bold = text.starts_with("**") || text.starts_with("__");
    let (linked, after_link) = unwrap_link(strip_emphasis(text));
    let head = Head::scan(linked)?;
    Some(head.mention(|rest| match (after_link, closing_emphasis(rest)) {
        (Some(after), _) => (rest, dashed(after)),
        (None, Some(at)) if is_bold && at > 0 => (&rest[..at], dashed(&rest[at + 2..])),
        _ => split_plain(rest),
    }))
}

/// The id and what follows it.
struct Head<'a> {
    scanned: Option<(PhaseId, &'a str)>,
}

impl<'a> Head<'a> {
    fn scan(text: &'a str) -> Option<Head<'a>> {
        let after = vocabulary::after_phase_word(text)?;
        let scanned = PhaseId::scan(after.trim_start_matches('#'));
        Some(Head { scanned })
    }

    /// `split` parts what follows the separator into name and text.
    fn mention(self, split: impl Fn(&'a str) -> (&'a str, &'a str)) -> Mention<'a> {
        let Some((id, after_id)) = self.scanned else { return Mention::NoId };
        let after_id = vocabulary::skip_word_after_number(after_id);
        match after_separator(after_id) {
            Separated::Yes(rest) => {
                let (name, text) = split(rest);
                Mention::Phase(entry(id, name, text))
            }
            Separated::Range => Mention::NoId,
            Separated::No => Mention::Unseparated(entry(id, strip_emphasis(after_id), "")),
        }
    }
}

enum Separated<'a> {
    Yes(&'a str),
    No,
    Range,
}

fn after_separator(after_id: &str) -> Separated<'_> {
    let mut rest = after_id.trim_start_matches(['*', '_', '~']);
    // `Phase 5 (optional): Name`
    let spaced = rest.trim_start();
    if spaced.starts_with('(')
        && let Some(end) = crate::markdown::matching_paren(spaced)
        && spaced[end + 1..].trim_start().starts_with(SEPARATORS)
    {
        rest = &spaced[end + 1..];
    }
    let spaced = rest.trim_start();
    if let Some(after_dash) = spaced.strip_prefix(['-', '–'])
        && after_dash.starts_with(|c: char| c.is_ascii_digit())
    {
        return Separated::Range;
    }
    let after = spaced.trim_start_matches(SEPARATORS);
    if after.len() < spaced.len() {
        return Separated::Yes(after.trim_start());
    }
    if let Some(after_dot) = spaced.strip_prefix('.')
        && after_dot.starts_with(' ')
    {
        return Separated::Yes(after_dot.trim_start());
    }
    Separated::No
}

/// A plain line has no marks around its name: the archived form ends in `(3/3 plans) — completed …` and is all name; else the
/// first spaced dash ends the name.
fn split_plain(rest: &str) -> (&str, &str) {
    let rest = rest.trim_start_matches(['*', '_', ' ']);
    if let Some(at) = plan_count(rest) {
        return (&rest[..at], &rest[at..]);
    }
    match completion_remark(rest).or_else(|| dashes(rest).next()) {
        Some(at) => (&rest[..at], dashed(&rest[at..])),
        None => (rest, ""),
    }
}

/// Where ` (3/3 plans)` starts.
fn plan_count(text: &str) -> Option<usize> {
    text.match_indices(" (").map(|(at, _)| at).find(|at| {
        let inside: String = text[at + 2..].chars().take(24).take_while(|c| *c != ')').collect();
        let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && inside[digits..].starts_with('/') && inside.contains("plan")
    })
}

/// Where a last ` — completed 2026-01-02` starts.
fn completion_remark(text: &str) -> Option<usize> {
    let at = dashes(text).last()?;
    let remark = dashed(&text[at..]);
    let is_short = remark.split_whitespace().take(4).count() <= 3;
    (is_short && vocabulary::status_word(remark).is_some()).then_some(at)
}

/// Where dashes with a space on both sides start: ` — `, ` – `, ` -- `, ` - `.
pub(super) fn dashes(text: &str) -> impl Iterator<Item = usize> {
    // Dashes are rarer than spaces; the first byte of the long ones is E2.
    let marks = memchr::memchr2_iter(b'-', 0xE2, text.as_bytes());
    marks.filter_map(|at| {
        let before = at.checked_sub(1).filter(|before| text.as_bytes()[*before] == b' ')?;
        let is_dash = ["— ", "– ", "-- ", "- "].iter().any(|dash| text[at..].starts_with(*dash));
        is_dash.then_some(before)
    })
}

fn dashed(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || SEPARATORS.contains(&c)).trim_end()
}

fn entry<'t>(id: PhaseId, name: &'t str, text: &'t str) -> Entry<'t> {
    let mut entry = Entry {
        id,
        name: Cow::default(),
        text: Cow::Borrowed(trim(text)),
        is_inserted: false,
        is_struck: false,
        is_marked_done: false,
    };
    let mut name = trim(name);
    for _ in 0..limits::REMARKS_MAX {
        // Behind a letter stands no mark and no remark.
        if name.as_bytes().last().is_some_and(u8::is_ascii_alphanumeric) {
            break;
        }
        let before = name;
        name = name.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '~'));
        let ends_in_sign = name.as_bytes().last().is_some_and(|byte| !byte.is_ascii());
        if ends_in_sign && let Some(rest) = name.strip_suffix(DONE_MARKS) {
            entry.is_marked_done = true;
            name = rest;
        }
        name = name.trim_end_matches('\u{FE0F}');
        let markers: &[(&str, Meaning)] = if name.ends_with([')', ']']) { &MARKERS } else { &[] };
        for (marker, meaning) in markers.iter().copied() {
            if let Some(rest) = strip_suffix_ignoring_case(name, marker) {
                entry.is_inserted |= meaning == Meaning::Inserted;
                entry.is_marked_done |= meaning == Meaning::Done;
                name = rest;
            }
        }
        if name.ends_with("-->")
            && let Some(at) = name.rfind("<!--")
        {
            name = &name[..at];
        }
        if name == before {
            break;
        }
    }
    let name = name.trim_start_matches(['*', '_', ' ', '~']);
    entry.name = match doubled(name, b'*') {
        Some(_) => Cow::Owned(name.replace("**", "")),
        None => Cow::Borrowed(name),
    };
    // A letter is looked for much faster than a word.
    entry.is_inserted |= text.contains('I') && text.contains("INSERTED");
    entry
}

fn strip_suffix_ignoring_case<'a>(text: &'a str, suffix: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(suffix.len())?;
    let tail = text.get(at..)?;
    tail.eq_ignore_ascii_case(suffix).then(|| &text[..at])
}

fn strip_emphasis(text: &str) -> &str {
    if text.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return text;
    }
    text.trim_start().trim_start_matches(['*', '_', '`']).trim_start()
}

/// `~~Phase 5: Name~~ -- Superseded` without the marks; None when it is not struck through.
fn unstruck(text: &str) -> Option<String> {
    let trimmed = trim(text);
    let is_struck = trimmed.starts_with("~~") || trimmed.starts_with("**~~");
    is_struck.then(|| trimmed.replace("~~", ""))
}

/// `[Phase 1: Name](folder) — text` gives the text inside and what follows the link.
fn unwrap_link(text: &str) -> (&str, Option<&str>) {
    let link = text.strip_prefix('[').and_then(|inside| {
        let close = inside.find("](")?;
        let end = inside[close..].find(')')?;
        Some((&inside[..close], &inside[close + end + 1..]))
    });
    match link {
        Some((inside, after)) => (inside, Some(after)),
        None => (text, None),
    }
}

/// Where `**` or `__` closes the name.
fn closing_emphasis(text: &str) -> Option<usize> {
    doubled(text, b'*').or_else(|| doubled(text, b'_'))
}

/// Where a mark first stands twice in a row.
fn doubled(text: &str, mark: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(mark, bytes).find(|at| bytes.get(at + 1) == Some(&mark))
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
