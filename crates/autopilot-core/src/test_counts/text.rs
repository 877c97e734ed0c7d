//! A line of output as text without colours, and the small pieces every runner's summary is made of.

use crate::limits;

const ESCAPE: char = '\u{1b}';

/// The beginning of the line as it would stand on a screen: without colours, and after the last return to its beginning.
pub(super) fn clean(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = &line[..line.len().min(limits::TEST_LINE_BYTES_MAX)];
    let start = line.iter().rposition(|byte| *byte == b'\r').map_or(0, |at| at + 1);
    let text = String::from_utf8_lossy(&line[start..]);
    if !text.contains(ESCAPE) {
        return text.into_owned();
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character == ESCAPE {
            skip_sequence(&mut rest);
        } else {
            clean.push(character);
        }
    }
    clean
}

/// `[` and parameters up to a letter, or `]` and a title up to the bell; anything else is one character.
fn skip_sequence(rest: &mut std::str::Chars<'_>) {
    match rest.next() {
        Some('[') => {
            let _ = rest.find(|c| ('@'..='~').contains(c));
        }
        Some(']') => {
            let _ = rest.find(|c| *c == '\u{7}' || *c == '\\');
        }
        Some(_) | None => {}
    }
}

/// `1 failed, 3 passed` with the separators of the runner: the figures with their words. What is none is left out.
pub(super) fn figures(list: &str) -> impl Iterator<Item = (u32, &str)> {
    list.split([',', ';', '|']).filter_map(|part| {
        let (number, word) = part.trim().split_once(' ')?;
        Some((number.parse().ok()?, word.trim()))
    })
}

/// `N` of a line that is `before N after`, whatever follows.
pub(super) fn number_between(text: &str, before: &str, after: &str) -> Option<u32> {
    let rest = text.strip_prefix(before)?;
    let (number, _) = rest.split_once(after)?;
    number.parse().ok()
}
