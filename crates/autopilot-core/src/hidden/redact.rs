//! A text without the commands of its hidden checks, for whoever must not know them. Line numbers stay as they are, and so does every
//! other byte: what an agent says about the copy is true of the file.

const WORDS: &str = "verified by";
const MARK: &str = "(hidden)";

/// None where there is nothing to leave out.
pub fn redact(text: &str) -> Option<String> {
    // Most texts have none, and lower case of a whole roadmap is not for free.
    let lower = text.to_ascii_lowercase();
    lower.find(MARK)?;
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(found) = next(&lower, text, from) {
        let before = &text[from..found.start];
        shown.push_str(before.trim_end_matches(is_joint));
        // What was cut off before may have been the end of a line too.
        let cut = before.len() - before.trim_end_matches(is_joint).len();
        let gone = &text[found.start - cut..found.end];
        shown.extend(gone.chars().filter(|c| matches!(c, '\n' | '\r')));
        from = found.end;
    }
    if from == 0 {
        return None;
    }
    shown.push_str(&text[from..]);
    Some(shown)
}

/// Where the next mention begins and ends, its command included.
fn next(lower: &str, text: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let mut at = from;
    loop {
        let mark = at + lower[at..].find(MARK)?;
        at = mark + MARK.len();
        let head = lower[from..mark].trim_end_matches(|c: char| c.is_whitespace() || c == '*');
        let Some(start) = words_at_end(head) else { continue };
        return Some(from + start..end(text, at));
    }
}

/// An item may be broken over lines anywhere, also between the two words.
fn words_at_end(head: &str) -> Option<usize> {
    let (first, second) = WORDS.split_once(' ')?;
    let before = head.strip_suffix(second)?;
    let blank = before.trim_end();
    let start = blank.strip_suffix(first)?.len();
    (blank.len() < before.len()).then_some(start)
}

/// Behind the command in its backticks; without one, behind the line.
fn end(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    let line = from + rest.find('\n').unwrap_or(rest.len());
    let is_between = |c: char| c.is_whitespace() || matches!(c, ':' | '：' | '*');
    let code = rest.trim_start_matches(is_between);
    let ticks = code.bytes().take_while(|byte| *byte == b'`').count();
    let start = text.len() - code.len() + ticks;
    let closing = (ticks > 0).then(|| text[start..].find(&text[start - ticks..start])).flatten();
    closing.map_or(line, |at| start + at + ticks)
}

fn is_joint(c: char) -> bool {
    c.is_whitespace() || matches!(c, '-' | '—' | '–' | '(' | '*' | ',' | ';')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::{Check, Criterion};

    #[test]
    fn commands_of_hidden_checks_are_left_out_and_nothing_else_is() {
        let check = |text: &str, expected: &str| {
            assert_eq!(redact(text).as_deref(), Some(expected), "{text}");
            assert_eq!(text.lines().count(), expected.lines().count(), "{text}");
            assert_eq!(redact(expected), None, "{expected}");
        };
        check("1. A -- verified by (hidden): `./h.sh`\n2. B\n", "1. A\n2. B\n");
        check("1. A (Verified By (Hidden): `./h.sh`)\n", "1. A)\n");
        check("1. A\n   verified by (hidden):\n   ``echo `x` ``\n2. B", "1. A\n\n\n2. B");
        check("- A, verified\n  by **(hidden)** `one\n  two`, yes\n", "- A\n\n, yes\n");
        check("A — verified by (hidden): ./h.sh and more\nB", "A\nB");
        check("A - verified by (hidden): `open\nB", "A\nB");
        check(
            "A - verified by (hidden) `1`\r\nB - verified by: `2`\r\nC - verified by (hidden) `3`\r\n",
            "A\r\nB - verified by: `2`\r\nC\r\n",
        );
        for text in ["", "1. A -- verified by: `x`", "A door (hidden) behind", "by (hidden) `x`"] {
            assert_eq!(redact(text), None, "{text}");
        }
    }

    /// Whatever the reader takes for a hidden check is left out.
    #[test]
    fn what_is_read_as_hidden_is_never_in_the_copy() {
        for joint in [" -- ", " — ", " (", "\n   ", " **"] {
            for words in ["verified by", "Verified by", "VERIFIED\n   by"] {
                for mark in
                    [" (hidden):", "(hidden)", " (HIDDEN) :", "  (hidden): ", " (hidden)**:"]
                {
                    for command in ["`MARK x`", "``MARK `y` ``", " \n    `MARK`"] {
                        let text = format!("A{joint}{words}{mark}{command}");
                        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
                        let read = Criterion::read(joined.as_str().into());
                        let shown = redact(&text).unwrap_or_else(|| text.clone());
                        match read.check {
                            Check::Hidden(_) => assert!(!shown.contains("MARK"), "{text}: {shown}"),
                            Check::Judged | Check::Command(_) => {}
                        }
                    }
                }
            }
        }
    }
}
