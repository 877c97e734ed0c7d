//! Reads Rust just well enough to tell code from comments and strings, and to find where functions begin and end. No parser:
//! rules that need types belong to clippy.

/// One file three times, line for line: as written, only its code, only its comments. What was taken out is blank.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) text: String,
    pub(super) code: String,
    pub(super) comments: String,
}

/// A function with a body; lines count from 1 and include both ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) first_line: usize,
    pub(super) last_line: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Code,
    Comment,
    /// Inside of a string or a character literal.
    Literal,
}

impl Source {
    pub(super) fn new(text: &str) -> Source {
        let characters: Vec<char> = text.chars().collect();
        let kinds = kinds_of(&characters);
        let only = |wanted: Kind| {
            let keep =
                |(&c, &kind): (&char, &Kind)| if kind == wanted || c == '\n' { c } else { ' ' };
            characters.iter().zip(&kinds).map(keep).collect()
        };
        Source { text: text.into(), code: only(Kind::Code), comments: only(Kind::Comment) }
    }

    pub(super) fn functions(&self) -> Vec<Function> {
        let code: Vec<char> = self.code.chars().collect();
        let mut found = Vec::new();
        let mut line = 1;
        for at in 0..code.len() {
            if code[at] == '\n' {
                line += 1;
            }
            if let Some((name, after)) = function_name(&code, at)
                && let Some(open) = body_start(&code, after)
                && let Some(close) = body_end(&code, open)
            {
                let last_line = line + code[at..close].iter().filter(|&&c| c == '\n').count();
                found.push(Function { name, first_line: line, last_line });
            }
        }
        found
    }
}

/// The 1-based numbers of the lines of `text` that hold `word`, not as a part of a longer word.
pub(super) fn lines_with_word(text: &str, word: &str) -> Vec<usize> {
    let holds = |(index, line): (usize, &str)| has_word(line, word).then_some(index + 1);
    text.lines().enumerate().filter_map(holds).collect()
}

fn has_word(line: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let starts_clean = !word.starts_with(joins) || !before.is_some_and(joins);
        let ends_clean = !word.ends_with(joins) || !after.is_some_and(joins);
        starts_clean && ends_clean
    })
}

fn kinds_of(text: &[char]) -> Vec<Kind> {
    let mut kinds = vec![Kind::Code; text.len()];
    let mut at = 0;
    while at < text.len() {
        let (kind, inside, end) = piece(text, at);
        let last = end.min(text.len());
        kinds[inside.min(last)..last].fill(kind);
        at = last.max(at + 1);
    }
    kinds
}

/// The piece that starts at `at`: its kind, where that kind begins (the opening quote stays code), and its end.
fn piece(text: &[char], at: usize) -> (Kind, usize, usize) {
    let next = text.get(at + 1).copied();
    match text[at] {
        '/' if next == Some('/') => (Kind::Comment, at, line_end(text, at)),
        '/' if next == Some('*') => (Kind::Comment, at, block_comment_end(text, at)),
        '"' => (Kind::Literal, at + 1, string_end(text, at)),
        'r' if !joins_word(text, at) && raw_string_hashes(text, at + 1).is_some() => {
            let hashes = raw_string_hashes(text, at + 1).unwrap_or(0);
            (Kind::Literal, at + hashes + 2, raw_string_end(text, at + hashes + 2, hashes))
        }
        '\'' => match character_end(text, at) {
            Some(end) => (Kind::Literal, at + 1, end),
            None => (Kind::Code, at, at + 1),
        },
        _ => (Kind::Code, at, at + 1),
    }
}

fn line_end(text: &[char], at: usize) -> usize {
    text[at..].iter().position(|&c| c == '\n').map_or(text.len(), |length| at + length)
}

fn block_comment_end(text: &[char], at: usize) -> usize {
    let mut depth = 0;
    let mut here = at;
    while here < text.len() {
        match (text[here], text.get(here + 1)) {
            ('/', Some('*')) => (depth, here) = (depth + 1, here + 2),
            ('*', Some('/')) => (depth, here) = (depth - 1, here + 2),
            _ => here += 1,
        }
        if depth == 0 {
            return here;
        }
    }
    here
}

fn string_end(text: &[char], at: usize) -> usize {
    let mut here = at + 1;
    while here < text.len() {
        match text[here] {
            '\\' => here += 2,
            '"' => return here + 1,
            _ => here += 1,
        }
    }
    here
}

/// `r"` and `br##"`: an `r` that ends a longer word, as in `for"`, starts no string. A `b` or `c` before it may.
fn joins_word(text: &[char], at: usize) -> bool {
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let before = at.checked_sub(1).map(|index| text[index]);
    let marker = matches!(before, Some('b' | 'c'));
    let start = if marker { at.checked_sub(2) } else { at.checked_sub(1) };
    start.is_some_and(|index| is_word(&text[index]))
}

fn raw_string_hashes(text: &[char], at: usize) -> Option<usize> {
    let hashes = text[at..].iter().take_while(|&&c| c == '#').count();
    (text.get(at + hashes) == Some(&'"')).then_some(hashes)
}

fn raw_string_end(text: &[char], at: usize, hashes: usize) -> usize {
    let closes = |&here: &usize| {
        text[here] == '"'
            && text[here + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes
    };
    (at..text.len()).find(closes).map_or(text.len(), |quote| quote + 1 + hashes)
}

/// The end of `'x'`, `'\n'` or `'\u{1F600}'`; `None` for a lifetime.
fn character_end(text: &[char], at: usize) -> Option<usize> {
    let first = *text.get(at + 1)?;
    if first == '\\' {
        // The escaped character itself may be a quote.
        let close = text[at + 3..].iter().position(|&c| c == '\'' || c == '\n')?;
        return (text[at + 3 + close] == '\'').then_some(at + 3 + close + 1);
    }
    (text.get(at + 2) == Some(&'\'')).then_some(at + 3)
}

/// The name of the function whose `fn` stands at `at`, and where the name ends. `fn(u8)` is a type and has none.
fn function_name(code: &[char], at: usize) -> Option<(String, usize)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let starts_word = at == 0 || !is_word(code[at - 1]);
    let is_fn = code[at..].starts_with(&['f', 'n', ' ']);
    if !starts_word || !is_fn {
        return None;
    }
    let name: String = code[at + 3..]
        .iter()
        .skip_while(|c| c.is_whitespace())
        .take_while(|&&c| is_word(c))
        .collect();
    let after = at + 3 + name.chars().count();
    (!name.is_empty()).then_some((name, after))
}

/// The opening brace of the body; `None` for a declaration that ends in a semicolon.
fn body_start(code: &[char], from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, character) in code[from..].iter().enumerate() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return None,
            '{' if depth == 0 => return Some(from + offset),
            _ => {}
        }
    }
    None
}

fn body_end(code: &[char], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, character) in code[open..].iter().enumerate() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(open + offset);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_no_code() {
        let check = |text: &str, code: &str| {
            let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(squeeze(&Source::new(text).code), code, "{text}");
        };
        check("a // b", "a");
        check("a /* b /* c */ d */ e", "a e");
        check(r#"a("b // c", d)"#, r#"a(" , d)"#);
        check(r#"a("b \" c", d)"#, r#"a(" , d)"#);
        check(r##"a(r#"b " c"#, d)"##, r##"a(r#" , d)"##);
        check(r#"a(br"\", d)"#, r#"a(br" , d)"#);
        check(r"a('\'', d)", "a(' , d)");
        check(r"a('\u{41}', '{', d)", "a(' , ' , d)");
        check("fn a<'b>(c: &'b str) {}", "fn a<'b>(c: &'b str) {}");
        check("for x in y {}", "for x in y {}");
        check("\"unclosed", "\"");
    }

    #[test]
    fn the_three_views_keep_their_lines() {
        let source = Source::new("let a = \"x\ny\"; // one\n/* two\nthree */ b()\n");
        assert_eq!(source.code.lines().count(), 4);
        assert_eq!(source.comments.lines().count(), 4);
        assert_eq!(lines_with_word(&source.comments, "three"), [4]);
        assert_eq!(lines_with_word(&source.code, "b"), [4]);
    }

    #[test]
    fn functions_are_found_with_their_ends() {
        let text = "trait T {\n    fn declared(&self) -> [u8; 4];\n}\n\
                    async fn outer(f: fn(u8) -> u8) {\n    let s = \"}\";\n    fn inner() {}\n    // }\n}\n";
        let found = Source::new(text).functions();
        let shown: Vec<_> =
            found.iter().map(|f| (f.name.as_str(), f.first_line, f.last_line)).collect();
        assert_eq!(shown, [("outer", 4, 8), ("inner", 6, 6)]);
    }

    #[test]
    fn a_word_is_not_found_inside_another() {
        assert_eq!(
            lines_with_word("HashMapper\nHashMap\nMyHashMap\nx::HashMap<", "HashMap"),
            [2, 4]
        );
        assert_eq!(lines_with_word("eprintln!(\"\")", "println!"), Vec::<usize>::new());
    }
}
