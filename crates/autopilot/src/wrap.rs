//! Lines that fit the screen: wrapping with an indent, cutting with an ellipsis. Widths as a terminal shows them.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `text` in lines of at most `width` columns; all but the first are indented. A word longer than a line is broken.
pub(crate) fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    let room = |lines: &Vec<String>| {
        width.saturating_sub(if lines.is_empty() { 0 } else { indent }).max(8)
    };
    for word in text.split_whitespace() {
        let mut word = word;
        let columns = word.width();
        if used > 0 && used + 1 + columns > room(&lines) {
            push(&mut lines, &mut line, indent);
            used = 0;
        }
        while used == 0 && word.width() > room(&lines) {
            let at = break_point(word, room(&lines));
            line.push_str(&word[..at]);
            push(&mut lines, &mut line, indent);
            word = &word[at..];
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += word.width();
    }
    if !line.is_empty() || lines.is_empty() {
        push(&mut lines, &mut line, indent);
    }
    lines
}

fn push(lines: &mut Vec<String>, line: &mut String, indent: usize) {
    let indent = if lines.is_empty() { 0 } else { indent };
    lines.push(format!("{:indent$}{line}", ""));
    line.clear();
}

fn break_point(word: &str, columns: usize) -> usize {
    let mut used = 0;
    for (at, character) in word.char_indices() {
        used += character.width().unwrap_or(0);
        if used > columns && at > 0 {
            return at;
        }
    }
    word.len()
}

/// At most `columns` wide, ending in `…` when something was cut.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_string();
    }
    let mut kept = String::new();
    let mut used = 0;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used + 1 > columns {
            break;
        }
        kept.push(character);
    }
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_long_words_are_broken() {
        assert_eq!(wrap("one two three", 8, 2), ["one two", "  three"]);
        assert_eq!(wrap("", 8, 2), [""]);
        assert_eq!(wrap("abcdefghijklmnop", 10, 2), ["abcdefghij", "  klmnop"]);
        for line in wrap("登录页面 and a very-long-word-without-any-break here", 12, 3) {
            assert!(line.width() <= 12, "{line}");
        }
    }

    #[test]
    fn cutting_counts_columns_not_characters() {
        assert_eq!(cut("short", 8), "short");
        assert_eq!(cut("a longer text", 8), "a longe…");
        assert_eq!(cut("登录页面", 5), "登录…");
    }
}
