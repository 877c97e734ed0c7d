//! Makes foreign text safe to stand in one line of a Markdown file that is read again line by line. Owns the escaping;
//! which text goes where is the writer's business.

use crate::finding::is_invisible;

/// One line: every run of white space and control characters is one space, characters that hide are gone.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut is_gap = false;
    for character in text.chars() {
        if character.is_whitespace() || character.is_control() {
            is_gap = true;
        } else if !is_invisible(character) {
            if is_gap && !line.is_empty() {
                line.push(' ');
            }
            is_gap = false;
            line.push(character);
        }
    }
    line
}

/// Text for a name: plain words without emphasis, back-ticks, list marks or heading marks. Empty when nothing is left
/// that a person could read.
pub(crate) fn name(text: &str) -> String {
    let mut line = one_line(text).replace('`', "").replace("**", "").replace("~~", "");
    if line.matches('*').count().is_multiple_of(2) {
        // Pairs are emphasis; a single star may be a wild card.
        line = line.replace('*', "");
    }
    let bare = strip_marks(&line).trim_matches(|c: char| c == '*' || c == ':' || c.is_whitespace());
    let without_closing = match bare.trim_end_matches('#') {
        open if open.ends_with(' ') => open.trim_end(),
        _ => bare,
    };
    if !without_closing.chars().any(char::is_alphanumeric) {
        return String::new();
    }
    // Removing a mark can bring two halves of another together, as in `*`**.
    defuse_html(&without_closing.replace("**", ""))
}

/// Text that follows something of ours in a line. It may hold code spans, never an open one, a fence or a comment.
pub(crate) fn inline(text: &str) -> String {
    let mut line = defuse_html(&one_line(text));
    if line.contains("```") {
        line = line.replace("```", "'''");
    }
    if line.matches('`').count() % 2 == 1 {
        line = line.replace('`', "'");
    }
    line
}

/// Text that begins a line or a list item: its first character must not make it a heading, list, quote, table or fence.
pub(crate) fn block(text: &str) -> String {
    let line = inline(text);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after_digits = line[digits..].chars().next();
    if digits > 0 && matches!(after_digits, Some('.' | ')')) {
        return format!("{}\\{}", &line[..digits], &line[digits..]);
    }
    let is_special = line.starts_with(['#', '-', '*', '+', '>', '|', '~', '<', '=', '_', '[']);
    let is_bold = line.starts_with("**") && line[2..].contains("**");
    if (is_special && !is_bold) || line.starts_with("``") { format!("\\{line}") } else { line }
}

/// Text for a table cell. A back-slash would not stop a reader that splits at every bar.
pub(crate) fn cell(text: &str) -> String {
    inline(text).replace('|', "&#124;")
}

/// The text up to `chars_max` characters, cut between words where it can be.
pub(crate) fn cut(text: &str, chars_max: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(chars_max) else { return text.to_owned() };
    let head = &text[..end];
    // A word longer than half the line is cut inside, or almost nothing would be left.
    let at_word = head.rfind(' ').filter(|space| *space > end / 2).unwrap_or(end);
    format!("{}…", head[..at_word].trim_end_matches([' ', ',', ';', ':', '-']))
}

/// The text without the list marks, check boxes, heading marks and quote marks it begins with.
pub(crate) fn strip_marks(text: &str) -> &str {
    const MARKS: [&str; 10] = ["- ", "* ", "+ ", "> ", "# ", "[ ] ", "[x] ", "[X] ", "##", "[] "];
    let mut left = text.trim_start();
    while let Some(after) = MARKS.iter().find_map(|mark| left.strip_prefix(mark)) {
        // `##` is only half a mark: the rest of it is another one.
        left = after.trim_start();
    }
    left
}

fn defuse_html(line: &str) -> String {
    const OPENERS: [&str; 5] = ["!--", "details", "/details", "summary", "/summary"];
    if !line.contains('<') && !line.contains("-->") {
        return line.to_owned();
    }
    let mut safe = String::with_capacity(line.len());
    for (index, piece) in line.split('<').enumerate() {
        if index > 0 {
            let opens = |word: &str| {
                piece.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            };
            safe.push_str(if OPENERS.iter().any(|word| opens(word)) { "&lt;" } else { "<" });
        }
        safe.push_str(piece);
    }
    safe.replace("-->", "--&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_plain_words() {
        let check = |text: &str, expected: &str| assert_eq!(name(text), expected, "{text:?}");
        check("- [ ] ## Log **in**\nwith `oauth`", "Log in with oauth");
        check("C#", "C#");
        check("Closed heading ##", "Closed heading");
        check("Phase 3: kept, it is only text", "Phase 3: kept, it is only text");
        check("```", "");
        check("--- *** ###", "");
        check("*`*bold", "bold");
        check("Check *(new)*", "Check (new)");
        check("all *.rs files", "all *.rs files");
        check("a <!-- b --> c", "a &lt;!-- b --&gt; c");
        check("tab\tbell\u{7}bidi\u{202E}end", "tab bell bidiend");
    }

    #[test]
    fn text_that_begins_a_line_is_no_structure() {
        let check = |text: &str, expected: &str| assert_eq!(block(text), expected, "{text:?}");
        check("### Phase 3: x", "\\### Phase 3: x");
        check("- [ ] **Phase 2: y**", "\\- [ ] **Phase 2: y**");
        check("1. one", "1\\. one");
        check("```sh\nls\n```", "'''sh ls '''");
        check("an `open span", "an 'open span");
        check("`ls` lists", "`ls` lists");
        check("<Details>", "&lt;Details>");
        check("Vec<String> is fine", "Vec<String> is fine");
    }

    #[test]
    fn long_text_is_cut_between_words() {
        assert_eq!(cut("one two three", 100), "one two three");
        assert_eq!(cut("one two three", 9), "one two…");
        assert_eq!(cut("ääääääääää", 4), "ääää…");
    }

    #[test]
    fn a_bar_cannot_part_a_table_cell() {
        assert_eq!(cell("a | b"), "a &#124; b");
    }
}
