//! Requirement ids in the spellings projects use: `AUTH-01`, `US-1`, `KB-04a`, `MEAS-RUNTIME-01`, `FR1.2`, `R7`. Finds them in a
//! line of text and expands ranges such as `AUTH-01..AUTH-04`.

use std::borrow::Cow;

use crate::limits;
use crate::markdown;

/// Ids one range may stand for; `A-1..A-99999` is a slip.
const RANGE_IDS_MAX: u32 = 200;

/// Longer words are no ids.
const ID_BYTES_MAX: usize = 64;

/// A word that is a requirement id: starts with a letter, has a digit in its last part, and is not a version or a file.
pub fn is_id(word: &str) -> bool {
    let bytes = word.as_bytes();
    if is_usual(bytes) {
        return true;
    }
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let starts = bytes.first().is_some_and(u8::is_ascii_alphabetic);
    if !starts || bytes.len() > ID_BYTES_MAX || !bytes.iter().all(is_plain) {
        return false;
    }
    // A dot alone is looked for much faster than two.
    if bytes.contains(&b'.') && word.contains("..") {
        return false;
    }
    let last = bytes.rsplit(|byte| *byte == b'-').next().unwrap_or_default();
    let tail = last.strip_suffix(
        last.last().filter(|byte| byte.is_ascii_lowercase()).map_or(&[][..], std::slice::from_ref),
    );
    if !tail.and_then(<[u8]>::last).is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let Some(end) = bytes.iter().position(|byte| *byte == b'-') else {
        // Without a hyphen only capitals count, so that `v2.0` and `utf8` are words and `R7` and `FR1.2` are ids.
        return bytes[0].is_ascii_uppercase()
            && bytes
                .iter()
                .filter(|byte| byte.is_ascii_alphabetic())
                .take(2)
                .all(u8::is_ascii_uppercase);
    };
    // `Stage-2` and `I1-I4` are prose; `US-1`, `req-3` and `REQ-A1` are ids.
    let category = &bytes[..end];
    let is_one_case =
        !category.iter().any(u8::is_ascii_lowercase) || category.iter().all(u8::is_ascii_lowercase);
    let is_lettered = || category.len() > 1 && category.iter().all(u8::is_ascii_uppercase);
    is_one_case && (last[0].is_ascii_digit() || is_lettered())
}

/// `AUTH-01`: capitals, a hyphen and digits, as nearly all ids are.
fn is_usual(word: &[u8]) -> bool {
    let category = word.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    match &word[category..] {
        [b'-', number @ ..] if category > 0 => {
            let is_short = word.len() <= ID_BYTES_MAX && !number.is_empty();
            is_short && number.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// The ids named in a Requirements line, in order, ranges expanded, each once. Parentheses hold remarks, unless they hold all.
pub fn ids_in(text: &str) -> Vec<Cow<'_, str>> {
    if let Some(found) = usual_ids(text) {
        return found.unique();
    }
    match markdown::without_parens(text) {
        Cow::Owned(outside) if !outside.trim().is_empty() => into_owned(words_in(&outside)),
        Cow::Owned(_) | Cow::Borrowed(_) => words_in(text),
    }
}

/// The same for a text that may have been joined of several lines.
pub fn ids_of(text: Cow<'_, str>) -> Vec<Cow<'_, str>> {
    match text {
        Cow::Borrowed(text) => ids_in(text),
        Cow::Owned(text) => into_owned(ids_in(&text)),
    }
}

fn into_owned(ids: Vec<Cow<'_, str>>) -> Vec<Cow<'static, str>> {
    ids.into_iter().map(|id| Cow::Owned(id.into_owned())).collect()
}

/// `AUTH-01, AUTH-02` and nothing else, as most lines are: no remark, no range, no prose.
fn usual_ids(text: &str) -> Option<Found<'_>> {
    let mut ids = Vec::new();
    for word in broken(text).filter(|word| !word.is_empty()) {
        if !is_usual(word.as_bytes()) || ids.len() >= FEW {
            return None;
        }
        ids.push(Cow::Borrowed(word));
    }
    Some(Found { ids, is_range: false })
}

fn words_in(considered: &str) -> Vec<Cow<'_, str>> {
    let mut found = Found::default();
    // The first byte of a long dash and of an ellipsis is E2.
    let may_hold_ranges = memchr::memchr2(b'.', 0xE2, considered.as_bytes()).is_some();
    for word in considered.split('\u{3000}').flat_map(broken).filter(|word| !word.is_empty()) {
        if found.ids.len() >= limits::REQUIREMENT_IDS_MAX {
            break;
        }
        if matches!(word, "to" | "through" | "thru" | ".." | "…" | "–" | "—" | "-") {
            found.is_range = true;
        } else if may_hold_ranges {
            for (index, part) in
                word.split("..").flat_map(|piece| piece.split(['–', '…'])).enumerate()
            {
                found.is_range |= index > 0;
                found.word(part);
            }
        } else {
            found.word(word);
        }
    }
    found.unique()
}

/// Bytes that part one id from the next.
static BREAKS: [bool; 256] = {
    let marks = b" \t,;[]*`/+&|\"";
    let mut breaks = [false; 256];
    let mut at = 0;
    while at < marks.len() {
        breaks[marks[at] as usize] = true;
        at += 1;
    }
    breaks
};

/// Splits at them.
fn broken(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.bytes().position(|byte| BREAKS[usize::from(byte)]);
        rest = end.map(|end| &text[end + 1..]);
        Some(end.map_or(text, |end| &text[..end]))
    })
}

#[derive(Default)]
struct Found<'t> {
    ids: Vec<Cow<'t, str>>,
    /// The next word ends a range that the last id began.
    is_range: bool,
}

impl<'t> Found<'t> {
    fn word(&mut self, word: &'t str) {
        let word = match word.as_bytes() {
            [first, .., last] if first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric() => {
                word
            }
            _ => word.trim_matches(|c: char| !c.is_alphanumeric()),
        };
        let first = self.ids.last().filter(|_| self.is_range);
        self.is_range = false;
        match first.and_then(|first| expand(first, word)) {
            Some(more) => self.ids.extend(more.into_iter().map(Cow::Owned)),
            None if is_id(word) => self.ids.push(Cow::Borrowed(word)),
            None => {}
        }
    }

    fn unique(mut self) -> Vec<Cow<'t, str>> {
        if self.ids.len() > FEW {
            let mut seen = std::collections::BTreeSet::new();
            let is_new: Vec<bool> = self.ids.iter().map(|id| seen.insert(id.as_ref())).collect();
            let mut is_new = is_new.into_iter();
            self.ids.retain(|_| is_new.next().unwrap_or(true));
            return self.ids;
        }
        for index in (1..self.ids.len()).rev() {
            if self.ids[..index].contains(&self.ids[index]) {
                self.ids.remove(index);
            }
        }
        self.ids
    }
}

/// Up to this many ids are compared one by one; a set costs more than it saves.
const FEW: usize = 12;

/// `AUTH-01` and `AUTH-04` (or just `04`) give `AUTH-02`, `AUTH-03`, `AUTH-04`.
fn expand(first: &str, last: &str) -> Option<Vec<String>> {
    let (category, start) = split_number(first)?;
    let (last_category, end) = if last.chars().all(|c| c.is_ascii_digit()) {
        (category, last)
    } else {
        split_number(last)?
    };
    let (from, to): (u32, u32) = (start.parse().ok()?, end.parse().ok()?);
    let is_sane = category == last_category && from < to && to - from <= RANGE_IDS_MAX;
    let width = start.len();
    is_sane.then(|| (from + 1..=to).map(|number| format!("{category}{number:0width$}")).collect())
}

fn split_number(id: &str) -> Option<(&str, &str)> {
    let digits = id.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (category, number) = id.split_at(id.len() - digits);
    (digits > 0 && !category.is_empty()).then_some((category, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_in_the_spellings_of_real_projects() {
        for id in [
            "AUTH-01",
            "US-1",
            "KB-04a",
            "MEAS-RUNTIME-01",
            "FR1.2",
            "R7",
            "NFR-2.1",
            "req-3",
            "REQ-A1",
            "A-1",
            "GATE-08b",
        ] {
            assert!(is_id(id), "{id}");
        }
        for word in [
            "v2.0",
            "utf8",
            "TBD",
            "None",
            "12",
            "Phase",
            "x-ray",
            "Stage-2",
            "I1-I4",
            "README.md",
            "sha256",
            "A-",
            "2FA-1",
        ] {
            assert!(!is_id(word), "{word}");
        }
    }

    #[test]
    fn ids_of_a_line() {
        let check = |text: &str, expected: &[&str]| assert_eq!(ids_in(text), expected, "{text}");
        check("AUTH-01, AUTH-02", &["AUTH-01", "AUTH-02"]);
        check("[SC-1, SC-2, SC-1]", &["SC-1", "SC-2"]);
        check("SYNC-01 (continuation of OLD-02)", &["SYNC-01"]);
        check("(AUTH-01, AUTH-02)", &["AUTH-01", "AUTH-02"]);
        check("AUTH-01..AUTH-03 and UI-1", &["AUTH-01", "AUTH-02", "AUTH-03", "UI-1"]);
        check("PROV-09..11", &["PROV-09", "PROV-10", "PROV-11"]);
        check("AUTH-01 through AUTH-03", &["AUTH-01", "AUTH-02", "AUTH-03"]);
        check("A-1–A-3", &["A-1", "A-2", "A-3"]);
        check("A-1..A-99999", &["A-1", "A-99999"]);
        check("A-1, B-2 to B-4", &["A-1", "B-2", "B-3", "B-4"]);
        check(&format!("A-1, A-{}", "1".repeat(70)), &["A-1"]);
        check("TBD (to be defined)", &[]);
        check("None", &[]);
    }
}
