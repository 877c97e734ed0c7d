//! Text of a program as words, numbers, literals and signs, with the comments apart. No grammar: what is made of them needs
//! to know only what is code, on which line it stands and how far it is indented.

use memchr::memchr_iter;

use super::language::Language;
use super::literals::{comment_end, pattern_end, text_end};
use crate::limits;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    /// A string, a character, a template or a pattern, quotes included.
    Text,
    Sign,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) line: u32,
    /// Bytes before it on its line. Tabs count one: a block is compared with the line that opened it, written the same way.
    pub(super) column: u32,
    /// Nothing but space before it on its line.
    pub(super) is_first: bool,
}

impl<'a> Token<'a> {
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text && self.kind != Kind::Text
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }

    /// What a literal says, without prefix and quotes.
    pub(super) fn said(&self) -> &'a str {
        let body = self.text.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '#');
        body.trim_matches(|c: char| matches!(c, '"' | '\'' | '`' | '#'))
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Comment<'a> {
    pub(super) text: &'a str,
    pub(super) line: u32,
    pub(super) is_first: bool,
}

pub(super) struct Lexed<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) comments: Vec<Comment<'a>>,
}

/// Signs of several characters; what is compared or defaulted is easier to see with them whole.
const SIGNS: [&str; 14] =
    ["===", "!==", "...", "==", "!=", "||", "&&", "=>", "->", "::", "<=", ">=", "[[", "]]"];

pub(super) fn lex(text: &str, language: Language) -> Lexed<'_> {
    let mut lexer = Lexer {
        text,
        language,
        at: 0,
        line: 1,
        line_start: 0,
        is_first: true,
        document: None,
        lexed: Lexed { tokens: Vec::new(), comments: Vec::new() },
    };
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.lexed
}

struct Lexer<'a> {
    text: &'a str,
    language: Language,
    at: usize,
    line: u32,
    line_start: usize,
    is_first: bool,
    /// The word that ends a here-document which begins on the next line.
    document: Option<&'a str>,
    lexed: Lexed<'a>,
}

impl<'a> Lexer<'a> {
    fn step(&mut self) {
        let bytes = self.text.as_bytes();
        let byte = bytes[self.at];
        if byte == b'\n' {
            self.skip_to(self.at + 1);
            if let Some(end) = self.document.take() {
                self.read_document(end);
            }
            return;
        }
        if byte.is_ascii_whitespace() {
            self.at += 1;
            return;
        }
        if let Some(end) = comment_end(bytes, self.at, self.language) {
            let end = self.boundary(end);
            let (line, is_first) = (self.line, self.is_first);
            self.lexed.comments.push(Comment { text: &self.text[self.at..end], line, is_first });
            self.skip_to(end);
            return;
        }
        if let Some(end) = self.literal_end(byte) {
            return self.push(Kind::Text, end);
        }
        if is_word(byte, self.language) {
            let rest = bytes[self.at..].iter();
            let length = rest.take_while(|b| is_word(**b, self.language) || b.is_ascii_digit());
            let end = self.at + length.count();
            let kind = if byte.is_ascii_digit() { Kind::Number } else { Kind::Word };
            return self.push(kind, end);
        }
        if byte.is_ascii_digit() {
            return self.push(Kind::Number, self.number_end());
        }
        self.note_document();
        let rest = &self.text[self.at..];
        // In code `[[` opens two lists; only a shell reads it as one word.
        let is_known = |sign: &&&str| {
            rest.starts_with(**sign)
                && (self.language == Language::Shell || !matches!(**sign, "[[" | "]]"))
        };
        let length = SIGNS.iter().find(is_known).map_or(1, |sign| sign.len());
        self.push(Kind::Sign, self.at + length);
    }

    fn literal_end(&self, byte: u8) -> Option<usize> {
        let bytes = self.text.as_bytes();
        if let Some(end) = text_end(bytes, self.at, self.language) {
            return Some(end);
        }
        let has_patterns = matches!(self.language, Language::Script | Language::Ruby);
        if byte == b'/' && has_patterns && !self.follows_value() {
            return pattern_end(bytes, self.at);
        }
        // A name of several words, as Kotlin's tests have.
        if byte == b'`' && self.language == Language::Kotlin {
            let name = bytes[self.at + 1..].iter().take(limits::HONESTY_PATTERN_BYTES_MAX);
            let end = name.take_while(|byte| **byte != b'\n').position(|byte| *byte == b'`');
            return end.map(|end| self.at + end + 2);
        }
        None
    }

    /// Whether a slash here divides.
    fn follows_value(&self) -> bool {
        self.lexed.tokens.last().is_some_and(|last| match last.kind {
            Kind::Number | Kind::Text => true,
            Kind::Word => !matches!(last.text, "return" | "case" | "typeof" | "in" | "of" | "when"),
            Kind::Sign => matches!(last.text, ")" | "]" | "}"),
        })
    }

    fn number_end(&self) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while let Some(byte) = bytes.get(at) {
            let is_point = *byte == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            if !(byte.is_ascii_alphanumeric() || *byte == b'_' || is_point) {
                break;
            }
            at += 1;
        }
        at
    }

    /// `<<EOF`, `<<~TEXT`, `<<<HTML`: the lines that follow are no code.
    fn note_document(&mut self) {
        if !matches!(self.language, Language::Shell | Language::Ruby | Language::Php) {
            return;
        }
        let Some(rest) = self.text[self.at..].strip_prefix("<<") else { return };
        let name = rest.trim_start_matches(['<', '-', '~']).trim_start_matches(['"', '\'']);
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = name.find(|c| !is_part(c)).unwrap_or(name.len());
        // In Ruby `<<` also appends; names of documents are in capitals.
        let is_name = name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            || (self.language == Language::Shell && name.starts_with(char::is_alphabetic));
        if is_name && end > 0 {
            self.document = Some(&name[..end]);
        }
    }

    fn read_document(&mut self, word: &str) {
        let rest = &self.text[self.at..];
        let mut length = 0;
        for line in rest.split_inclusive('\n') {
            let told = line.trim();
            let is_end = told == word || (self.language == Language::Php && told.starts_with(word));
            length += line.len();
            if is_end {
                break;
            }
        }
        if length > 0 {
            self.push(Kind::Text, self.at + length);
        }
    }

    fn push(&mut self, kind: Kind, end: usize) {
        let end = self.boundary(end.max(self.at + 1));
        let mut text = &self.text[self.at..end];
        let mut kind = kind;
        if self.language == Language::Kotlin && kind == Kind::Text && text.starts_with('`') {
            (kind, text) = (Kind::Word, text.trim_matches('`'));
        }
        let column = u32::try_from(self.at - self.line_start).unwrap_or(u32::MAX);
        let (line, is_first) = (self.line, self.is_first);
        self.lexed.tokens.push(Token { kind, text, line, column, is_first });
        self.is_first = false;
        self.skip_to(end);
    }

    fn boundary(&self, end: usize) -> usize {
        let end = end.min(self.text.len());
        (end..=self.text.len()).find(|at| self.text.is_char_boundary(*at)).unwrap_or(end)
    }

    fn skip_to(&mut self, end: usize) {
        for newline in memchr_iter(b'\n', &self.text.as_bytes()[self.at..end]) {
            self.line = self.line.saturating_add(1);
            self.line_start = self.at + newline + 1;
            self.is_first = true;
        }
        self.at = end;
    }
}

fn is_word(byte: u8, language: Language) -> bool {
    let has_dollar = matches!(language, Language::Script | Language::Php | Language::Shell);
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80 || (byte == b'$' && has_dollar)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(language: Language, text: &str) -> String {
        let lexed = lex(text, language);
        let code = lexed.tokens.iter().filter(|token| token.kind != Kind::Text);
        code.map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_stands_in_strings_and_comments_is_no_code() {
        let check = |language, text: &str, expected: &str| {
            assert_eq!(code(language, text), expected, "{text}");
        };
        check(Language::Rust, "a /* b /* c */ d */ e // f\ng", "a e g");
        check(Language::Rust, "a(r#\"b\"c\"#, 'd', 'e, b'f', '\\'')", "a ( , , ' e , , )");
        check(Language::Rust, "let s = \"a\nb\"; c", "let s = ; c");
        check(Language::Python, "x = '''a\nb''' # c\ny = f\"d\" + rb'e'", "x = y = +");
        check(Language::Python, "a = 'open\nb", "a = b");
        check(Language::Script, "a(`b ${c(`d}`)} e`) / f / /g'h/.i", "a ( ) / f / . i");
        check(Language::Go, "a := `b\nc` + 'd'", "a : = +");
        check(Language::Kotlin, "fun `a test`() = \"\"\"x\"y\"\"\"", "fun a test ( ) =");
        check(
            Language::Ruby,
            "a = <<~TEXT\n  it 'x'\nTEXT\nb # c\n=begin\nd\n=end\ne",
            "a = < < ~ TEXT b e",
        );
        check(Language::Php, "#[Test]\n# no\n// no\nf('a', $b);", "# [ Test ] f ( , $b ) ;");
        check(Language::CSharp, "a(@\"b\\\", $\"c\") // d", "a ( , )");
        check(Language::Shell, "a $# b#c # d\n[[ x ]]", "a $ # b # c [[ x ]]");
        check(Language::Shell, "cat <<EOF\nassert x\nEOF\nb", "cat < < EOF b");
    }

    #[test]
    fn a_token_knows_where_it_stands() {
        let lexed = lex("a\n  b c", Language::Rust);
        let seen = lexed.tokens.iter().map(|t| (t.text, t.line, t.column, t.is_first));
        let seen: Vec<_> = seen.collect();
        assert_eq!(seen, [("a", 1, 0, true), ("b", 2, 2, true), ("c", 2, 4, false)]);
    }
}
