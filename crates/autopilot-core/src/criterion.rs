//! A success or acceptance criterion: a sentence, and the command that proves it where the author named one (`verified by:`).

use std::borrow::Cow;

use crate::markdown::{Line, trim};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Criterion<'t> {
    pub text: Cow<'t, str>,
    pub check: Check<'t>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check<'t> {
    /// Prose: somebody has to judge it.
    Judged,
    Command(Cow<'t, str>),
    /// `verified by (hidden):`. No prompt, worktree or log of an agent may contain the command (PIPE-5a).
    Hidden(Cow<'t, str>),
}

impl<'t> Criterion<'t> {
    /// Borrows from an item that stands in one line; an item joined of several is owned, and so is what comes of it.
    pub fn read(text: Cow<'t, str>) -> Criterion<'t> {
        match text {
            Cow::Borrowed(text) => Criterion::of_text(text),
            Cow::Owned(text) => Criterion::of_text(&text).into_owned(),
        }
    }

    fn of_text(text: &'t str) -> Criterion<'t> {
        let judged = || Criterion { text: Cow::Borrowed(trim(text)), check: Check::Judged };
        // Without a backtick there is no command, and most criteria have none.
        let marked =
            if memchr::memchr(b'`', text.as_bytes()).is_some() { verified_by(text) } else { None };
        let Some((at, after)) = marked else { return judged() };
        let (is_hidden, after) = match strip_ignoring_case(after, "(hidden)") {
            Some(rest) => (true, rest),
            None => (false, after),
        };
        let after = after.trim_start().trim_start_matches([':', '：', '*']).trim_start();
        let Some(command) = inline_code(after).map(Cow::Borrowed) else { return judged() };
        let is_joint =
            |c: char| c.is_whitespace() || matches!(c, '-' | '—' | '–' | '(' | '*' | ',' | ';');
        let sentence = text[..at].trim_end_matches(is_joint).trim();
        let check = if is_hidden { Check::Hidden(command) } else { Check::Command(command) };
        Criterion { text: Cow::Borrowed(sentence), check }
    }

    /// The same without the text it was read from.
    pub fn into_owned(self) -> Criterion<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let check = match self.check {
            Check::Judged => Check::Judged,
            Check::Command(command) => Check::Command(owned(command)),
            Check::Hidden(command) => Check::Hidden(owned(command)),
        };
        Criterion { text: owned(self.text), check }
    }

    pub fn command(&self) -> Option<&str> {
        match &self.check {
            Check::Command(command) => Some(command),
            Check::Judged | Check::Hidden(_) => None,
        }
    }

    pub fn is_proven_by_command(&self) -> bool {
        !matches!(self.check, Check::Judged)
    }
}

/// Where the last "verified by" starts, and what follows it.
fn verified_by(text: &str) -> Option<(usize, &str)> {
    const WORDS: &str = "verified by";
    let at = text.to_ascii_lowercase().rfind(WORDS)?;
    Some((at, text[at + WORDS.len()..].trim_start()))
}

/// The code between the first backticks of `text`, which must stand at its start; longer runs quote shorter ones.
fn inline_code(text: &str) -> Option<&str> {
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    if ticks == 0 {
        return None;
    }
    let fence = &text[..ticks];
    let inside = &text[ticks..];
    let end = inside.find(fence)?;
    let command = inside[..end].trim();
    (!command.is_empty()).then_some(command)
}

fn strip_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// Hands over the items of the list that `lines` start with, each joined with its continuation lines and nested items. Returns
/// how many lines the list took: it ends at a heading, a label, or text that starts at the margin after a blank line.
pub fn each_item<'a>(
    lines: &[Line<'a>],
    mut is_label: impl FnMut(&Line<'a>) -> bool,
    mut take: impl FnMut(Cow<'a, str>),
) -> usize {
    let mut open: Option<Cow<'a, str>> = None;
    let mut margin = None;
    let mut after_blank = false;
    let mut used = 0;
    for (index, line) in lines.iter().enumerate() {
        let Some(first) = line.first_byte() else {
            after_blank = true;
            continue;
        };
        if first == b'<' || line.heading().is_some() || (!first.is_ascii_digit() && is_label(line))
        {
            break;
        }
        match line.item() {
            Some(item) if margin.is_none_or(|margin| item.indent <= margin + 1) => {
                margin = margin.or(Some(item.indent));
                if let Some(before) = open.replace(Cow::Borrowed(item.text)) {
                    take(before);
                }
            }
            _ if after_blank && line.indent == 0 => break,
            _ => {
                let Some(text) = &mut open else { break };
                text.to_mut().push(' ');
                text.to_mut().push_str(line.text);
            }
        }
        after_blank = false;
        used = index + 1;
    }
    if let Some(last) = open {
        take(last);
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_taken_only_where_the_author_wrote_one() {
        let check = |text: &str, sentence: &str, expected: Check<'_>| {
            let expected = Criterion { text: sentence.into(), check: expected };
            assert_eq!(Criterion::read(text.into()), expected, "{text}");
            assert_eq!(Criterion::read(text.to_string().into()), expected, "joined: {text}");
        };
        let command = |line: &'static str| Check::Command(line.into());
        check("People can log in", "People can log in", Check::Judged);
        check("Tests pass -- verified by: `cargo test`", "Tests pass", command("cargo test"));
        check(
            "Tests pass — Verified by: `cargo test` (exit 0)",
            "Tests pass",
            command("cargo test"),
        );
        check("Tests pass (verified by `make test`)", "Tests pass", command("make test"));
        check("Counts -- verified by: ``echo `date` ``", "Counts", command("echo `date`"));
        check("Secret -- verified by (hidden): `./h.sh`", "Secret", Check::Hidden("./h.sh".into()));
        check("It is verified by hand", "It is verified by hand", Check::Judged);
        check("x -- verified by: ``", "x -- verified by: ``", Check::Judged);
        check("x -- verified by: `open", "x -- verified by: `open", Check::Judged);
    }
}
