//! Parts Markdown into headings, list items, labelled fields, paragraphs, tables and code. Owns what counts as structure:
//! nothing inside a code fence, an HTML comment or front matter does. What the parts mean is left to the readers of each
//! format.

use std::borrow::Cow;

use crate::finding::{Findings, quote};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) line: u32,
    pub(super) kind: Kind,
    /// Without its marks. The lines of code keep their line breaks; everything else is joined by spaces.
    pub(super) text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Heading { level: u8 },
    Item { mark: Mark, indent: usize },
    Field { label: String },
    Text,
    Table,
    Code,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Open,
    Done,
    Bullet,
    Number,
}

impl Mark {
    pub(super) fn is_box(self) -> bool {
        match self {
            Mark::Open | Mark::Done => true,
            Mark::Bullet | Mark::Number => false,
        }
    }
}

/// A heading and what stands under it up to the next heading of any level. The text before the first heading has none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section<'b> {
    pub(super) heading: Option<&'b Block>,
    pub(super) level: u8,
    pub(super) blocks: &'b [Block],
}

impl Section<'_> {
    pub(super) fn line(&self) -> u32 {
        self.heading.or(self.blocks.first()).map_or(1, |block| block.line)
    }

    pub(super) fn title(&self) -> &str {
        self.heading.map_or("", |heading| &heading.text)
    }

    pub(super) fn boxes(&self) -> usize {
        self.count(|kind| matches!(kind, Kind::Item { mark, .. } if mark.is_box()))
    }

    pub(super) fn items(&self) -> usize {
        self.count(|kind| matches!(kind, Kind::Item { .. }))
    }

    fn count(&self, is_counted: impl Fn(&Kind) -> bool) -> usize {
        self.blocks.iter().filter(|block| is_counted(&block.kind)).count()
    }
}

pub(super) fn sections(blocks: &[Block]) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    let mut left = blocks;
    loop {
        let (heading, level, body) = match left.split_first() {
            Some((Block { kind: Kind::Heading { level }, .. }, body)) => {
                (left.first(), *level, body)
            }
            _ => (None, 0, left),
        };
        let is_heading = |block: &Block| matches!(block.kind, Kind::Heading { .. });
        let end = body.iter().position(is_heading).unwrap_or(body.len());
        let (own, after) = body.split_at(end);
        if heading.is_some() || !own.is_empty() {
            sections.push(Section { heading, level, blocks: own });
        }
        if after.is_empty() {
            return sections;
        }
        left = after;
    }
}

pub(super) fn read(text: &str, findings: &mut Findings) -> Vec<Block> {
    let front_lines = front_matter_lines(text);
    if front_lines > 0 {
        findings.note(1, "the front matter was left out");
    }
    let mut reader =
        Reader { blocks: Vec::new(), place: Place::Text, is_after_blank: true, findings };
    for (number, line) in (1u32..).zip(text.lines()).skip(front_lines) {
        reader.take(line, number);
    }
    let Reader { blocks, place, findings, .. } = reader;
    match place {
        Place::Text => {}
        Place::Fence { from, .. } => {
            findings.warn(from, "this code fence never ends; everything below it was left out");
        }
        Place::Comment { from } => {
            findings.warn(from, "this comment never ends; everything below it was left out");
        }
    }
    blocks
}

/// The label and the value of `**Label**: value` or `**Label:** value`; without bold only for labels that we act on.
pub(super) fn split_field(text: &str) -> Option<(&str, &str)> {
    const PLAIN: [&str; 6] =
        ["goal", "purpose", "objective", "depends on", "dependencies", "acceptance criteria"];
    if let Some(after) = text.strip_prefix("**") {
        let (label, value) = after.split_once("**")?;
        let inside = label.strip_suffix([':', '：']);
        let outside = value.strip_prefix([':', '：']);
        let (label, value) = match (inside, outside) {
            (Some(label), _) => (label, value),
            (None, Some(value)) => (label, value),
            (None, None) => return None,
        };
        return (!label.trim().is_empty()).then_some((label.trim(), value.trim()));
    }
    let (label, value) = text.split_once([':', '：'])?;
    let is_known = PLAIN.iter().any(|known| label.trim().eq_ignore_ascii_case(known));
    is_known.then_some((label.trim(), value.trim()))
}

struct Reader<'f> {
    blocks: Vec<Block>,
    place: Place,
    is_after_blank: bool,
    findings: &'f mut Findings,
}

#[derive(Clone, Copy)]
enum Place {
    Text,
    Fence { mark: char, length: usize, from: u32 },
    Comment { from: u32 },
}

impl Reader<'_> {
    fn take(&mut self, raw: &str, number: u32) {
        if let Place::Fence { mark, length, .. } = self.place {
            self.take_code(raw, mark, length);
            return;
        }
        let line = self.without_comments(raw, number);
        let text = line.trim();
        if text.is_empty() || is_fold(text) {
            // A line that held nothing but a comment parts no paragraph.
            self.is_after_blank |= raw.trim().is_empty() || !text.is_empty();
            return;
        }
        self.take_text(&line, text, number);
        self.is_after_blank = false;
    }

    fn take_code(&mut self, raw: &str, mark: char, length: usize) {
        let text = raw.trim();
        if text.len() >= length && text.chars().all(|c| c == mark) {
            self.place = Place::Text;
        } else if let Some(code) = self.blocks.last_mut() {
            code.text.push_str(text);
            code.text.push('\n');
        }
    }

    fn take_text(&mut self, line: &str, text: &str, number: u32) {
        let indent = indent_of(line);
        if let Some((mark, length)) = fence_start(text) {
            self.place = Place::Fence { mark, length, from: number };
            self.push(number, Kind::Code, "");
        } else if let Some((level, title)) = heading(text).filter(|_| indent < 4) {
            self.push(number, Kind::Heading { level }, title);
        } else if is_line_of(text, '=') || is_line_of(text, '-') || is_line_of(text, '*') {
            self.take_rule(text, number);
        } else if text.starts_with('|') {
            self.take_table(text, number);
        } else if let Some((mark, text)) = self.item(text, number) {
            self.push(number, Kind::Item { mark, indent }, text);
        } else {
            self.take_paragraph(indent, text.trim_start_matches(['>', ' ']), number);
        }
    }

    /// A line of dashes ends a section, unless it underlines the one-line paragraph right above it.
    fn take_rule(&mut self, text: &str, number: u32) {
        let level = if text.starts_with('=') { 1 } else { 2 };
        if let Some(above) = self.blocks.last_mut()
            && above.kind == Kind::Text
            && above.line + 1 == number
            && !text.starts_with('*')
        {
            above.kind = Kind::Heading { level };
        }
    }

    fn take_table(&mut self, text: &str, number: u32) {
        if !self.blocks.last().is_some_and(|block| block.kind == Kind::Table) {
            self.push(number, Kind::Table, text);
        }
    }

    fn take_paragraph(&mut self, indent: usize, text: &str, number: u32) {
        if let Some((label, value)) = split_field(text)
            && (indent < 2 || self.is_after_blank)
        {
            let label = label.to_owned();
            self.push(number, Kind::Field { label }, value);
            return;
        }
        if let Some(above) = self.blocks.last_mut() {
            let goes_on = match above.kind {
                Kind::Item { indent: item_indent, .. } => {
                    !self.is_after_blank || indent >= item_indent + 2
                }
                Kind::Text | Kind::Field { .. } => !self.is_after_blank,
                Kind::Heading { .. } | Kind::Table | Kind::Code => false,
            };
            if goes_on {
                if !above.text.is_empty() {
                    above.text.push(' ');
                }
                above.text.push_str(text);
                return;
            }
        }
        self.push(number, Kind::Text, text);
    }

    fn item<'t>(&mut self, text: &'t str, number: u32) -> Option<(Mark, &'t str)> {
        let (plain, after) = list_mark(text)?;
        let Some(inside) = after.strip_prefix('[') else { return Some((plain, after)) };
        let Some((state, rest)) = inside.split_once(']') else { return Some((plain, after)) };
        if !(rest.is_empty() || rest.starts_with(char::is_whitespace)) {
            return Some((plain, after));
        }
        let mark = match state.trim() {
            "" => Mark::Open,
            "x" | "X" | "✓" | "✔" => Mark::Done,
            "-" | "~" | "/" | ">" | "!" | "?" => {
                let message = format!("the mark {} is taken as not done", quote(state));
                self.findings.note(number, message);
                Mark::Open
            }
            _ => return Some((plain, after)),
        };
        Some((mark, rest.trim()))
    }

    fn without_comments<'l>(&mut self, line: &'l str, number: u32) -> Cow<'l, str> {
        if let Place::Text = self.place
            && !line.contains("<!--")
        {
            return Cow::Borrowed(line);
        }
        let mut kept = String::new();
        let mut left = line;
        let mut ticks = 0;
        loop {
            if let Place::Comment { .. } = self.place {
                let Some((_, after)) = left.split_once("-->") else { return Cow::Owned(kept) };
                left = after;
                self.place = Place::Text;
            }
            let Some((before, after)) = left.split_once("<!--") else {
                kept.push_str(left);
                return Cow::Owned(kept);
            };
            ticks += before.matches('`').count();
            kept.push_str(before);
            if ticks % 2 == 1 {
                // Inside a code span it is only text.
                kept.push_str("<!--");
            } else {
                self.place = Place::Comment { from: number };
            }
            left = after;
        }
    }

    fn push(&mut self, line: u32, kind: Kind, text: &str) {
        self.blocks.push(Block { line, kind, text: text.to_owned() });
    }
}

fn front_matter_lines(text: &str) -> usize {
    let mut lines = text.lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return 0;
    }
    // Without a colon it is a rule, some text and another rule.
    let mut has_key = false;
    for (index, line) in lines.enumerate() {
        if line.trim_end() == "---" {
            return if has_key { index + 2 } else { 0 };
        }
        if line.starts_with('#') {
            return 0;
        }
        has_key |= line.contains(':');
    }
    0
}

fn indent_of(line: &str) -> usize {
    let mut indent = 0;
    for character in line.chars() {
        match character {
            ' ' => indent += 1,
            '\t' => indent += 4 - indent % 4,
            _ => break,
        }
    }
    indent
}

fn fence_start(text: &str) -> Option<(char, usize)> {
    let mark = text.chars().next().filter(|c| *c == '`' || *c == '~')?;
    let length = text.chars().take_while(|c| *c == mark).count();
    let is_inline = mark == '`' && text[length..].contains('`');
    (length >= 3 && !is_inline).then_some((mark, length))
}

fn heading(text: &str) -> Option<(u8, &str)> {
    let after = text.trim_start_matches('#');
    let level =
        u8::try_from(text.len() - after.len()).ok().filter(|level| (1..=6).contains(level))?;
    if !after.is_empty() && !after.starts_with(char::is_whitespace) {
        return None;
    }
    let title = after.trim();
    let open = title.trim_end_matches('#');
    let is_closed = open.is_empty() || open.ends_with(char::is_whitespace);
    Some((level, if is_closed { open.trim_end() } else { title }))
}

/// The tags that fold a part of a page away; what is folded is still there.
fn is_fold(text: &str) -> bool {
    matches!(text, "<details>" | "<details open>" | "</details>")
}

fn is_line_of(text: &str, mark: char) -> bool {
    text.len() >= 3 && text.chars().all(|c| c == mark || (c == ' ' && mark != '='))
}

fn list_mark(text: &str) -> Option<(Mark, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (mark, after) = if digits > 0 {
        (Mark::Number, text[digits..].strip_prefix(['.', ')'])?)
    } else {
        (Mark::Bullet, text.strip_prefix(['-', '*', '+', '•'])?)
    };
    let ends_here = after.is_empty() || after.starts_with(char::is_whitespace);
    ends_here.then_some((mark, after.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let mut findings = Findings::of_file("x.md");
        let show = |block: &Block| format!("{} {:?} {:?}", block.line, block.kind, block.text);
        read(text, &mut findings).iter().map(show).collect()
    }

    #[test]
    fn fences_comments_and_front_matter_are_no_structure() {
        let text = "---\ntitle: x\n---\n# T\n```md\n# no\n- [ ] no\n```\n<!-- # no\n- [ ] no -->\n- [x] yes <!-- no --> end\n";
        assert_eq!(
            lines(text),
            [
                "4 Heading { level: 1 } \"T\"",
                "5 Code \"# no\\n- [ ] no\\n\"",
                "11 Item { mark: Done, indent: 0 } \"yes  end\"",
            ]
        );
    }

    #[test]
    fn items_go_on_over_lines_and_fields_begin_anew() {
        let text = "1. [ ] one\n   more\n* [X] two\n**Goal:** g\nand on\n\nplain\n\nUnder\n---\n";
        assert_eq!(
            lines(text),
            [
                "1 Item { mark: Open, indent: 0 } \"one more\"",
                "3 Item { mark: Done, indent: 0 } \"two\"",
                "4 Field { label: \"Goal\" } \"g and on\"",
                "7 Text \"plain\"",
                "9 Heading { level: 2 } \"Under\"",
            ]
        );
    }

    #[test]
    fn what_never_ends_is_reported() {
        for text in ["- [ ] a\n```\n- [ ] b", "- [ ] a\n<!-- b\n- [ ] c"] {
            let mut findings = Findings::of_file("x.md");
            assert_eq!(read(text, &mut findings).iter().filter(|b| b.text == "a").count(), 1);
            assert_eq!(findings.into_list()[0].place.line, Some(2), "{text}");
        }
    }
}
