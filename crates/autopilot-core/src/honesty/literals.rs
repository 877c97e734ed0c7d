//! Where comments and string literals of each language end. What stands inside them is not code: a test in a comment is gone,
//! and a `todo!()` in a string is a word.

use memchr::{memchr, memmem};

use super::language::Language;
use crate::limits;

/// Where the comment that begins at `at` ends, if one begins there.
pub(super) fn comment_end(bytes: &[u8], at: usize, language: Language) -> Option<usize> {
    let rest = &bytes[at..];
    let to_line_end = || Some(memchr(b'\n', rest).map_or(bytes.len(), |end| at + end));
    match language {
        Language::Rust if rest.starts_with(b"/*") => Some(nested_end(bytes, at)),
        Language::Rust
        | Language::Script
        | Language::Go
        | Language::Java
        | Language::Kotlin
        | Language::CSharp
        | Language::Php => {
            if rest.starts_with(b"//") {
                return to_line_end();
            }
            // In PHP `#[` opens an attribute.
            if language == Language::Php && rest[0] == b'#' && rest.get(1) != Some(&b'[') {
                return to_line_end();
            }
            let is_block = rest.starts_with(b"/*");
            is_block.then(|| past(bytes, at + 2, b"*/"))
        }
        Language::Python => (rest[0] == b'#').then(to_line_end).flatten(),
        Language::Ruby => {
            let starts_line = at == 0 || bytes[at - 1] == b'\n';
            if starts_line && rest.starts_with(b"=begin") {
                return Some(past(bytes, at, b"\n=end"));
            }
            (rest[0] == b'#').then(to_line_end).flatten()
        }
        Language::Shell => {
            // `$#` and `a#b` are no comments.
            let is_free = at == 0 || matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b';');
            (rest[0] == b'#' && is_free).then(to_line_end).flatten()
        }
    }
}

fn past(bytes: &[u8], from: usize, end: &[u8]) -> usize {
    let from = from.min(bytes.len());
    memmem::find(&bytes[from..], end).map_or(bytes.len(), |found| from + found + end.len())
}

fn nested_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start + 2, 1_u32);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if bytes[at..].starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

/// Where the string or character literal that begins at `at` ends, prefix included, if one begins there.
pub(super) fn text_end(bytes: &[u8], at: usize, language: Language) -> Option<usize> {
    let first = bytes[at];
    match language {
        Language::Rust => rust_end(bytes, at),
        Language::Python => {
            let is_prefix = |byte: &&u8| b"rRbBfFuU".contains(byte);
            let quote = at + bytes[at..].iter().take(2).take_while(is_prefix).count();
            let byte = *bytes.get(quote)?;
            matches!(byte, b'"' | b'\'').then(|| tripled_end(bytes, quote, Lines::One))
        }
        Language::Script => match first {
            b'"' | b'\'' => Some(quoted_end(bytes, at, Lines::One)),
            b'`' => Some(template_end(bytes, at)),
            _ => None,
        },
        Language::Go => match first {
            b'"' | b'\'' => Some(quoted_end(bytes, at, Lines::One)),
            b'`' => Some(past(bytes, at + 1, b"`")),
            _ => None,
        },
        Language::Java | Language::Kotlin => match first {
            b'"' => Some(tripled_end(bytes, at, Lines::One)),
            b'\'' => Some(quoted_end(bytes, at, Lines::One)),
            _ => None,
        },
        Language::Ruby => {
            matches!(first, b'"' | b'\'' | b'`').then(|| quoted_end(bytes, at, Lines::Many))
        }
        Language::Php => matches!(first, b'"' | b'\'').then(|| quoted_end(bytes, at, Lines::Many)),
        Language::CSharp => csharp_end(bytes, at),
        Language::Shell => match first {
            b'"' => Some(quoted_end(bytes, at, Lines::Many)),
            b'\'' => Some(past(bytes, at + 1, b"'")),
            _ => None,
        },
    }
}

/// Whether a literal may go over the end of a line. Where it may not, a stray quote costs one line and not the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    One,
    Many,
}

fn quoted_end(bytes: &[u8], start: usize, lines: Lines) -> usize {
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' if lines == Lines::One => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn tripled_end(bytes: &[u8], start: usize, lines: Lines) -> usize {
    let triple = [bytes[start]; 3];
    if !bytes[start..].starts_with(&triple) {
        return quoted_end(bytes, start, lines);
    }
    past(bytes, start + 3, &triple)
}

fn rust_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    if matches!(bytes[at], b'b' | b'c') {
        at += 1;
    }
    if bytes.get(at) == Some(&b'r') {
        let hashes = bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
        if bytes.get(at + 1 + hashes) == Some(&b'"') {
            let end: Vec<u8> = [b'"'].into_iter().chain(vec![b'#'; hashes]).collect();
            return Some(past(bytes, at + 2 + hashes, &end));
        }
    }
    match bytes.get(at)? {
        b'"' => Some(quoted_end(bytes, at, Lines::Many)),
        b'\'' => character_end(bytes, at),
        _ => None,
    }
}

/// A character, and not a lifetime.
fn character_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at + 1) == Some(&b'\\') {
        return Some(quoted_end(bytes, at, Lines::One));
    }
    // The longest character takes four bytes.
    let width = 1 + bytes.get(at + 2..)?.iter().take(3).take_while(|b| **b & 0xC0 == 0x80).count();
    (bytes.get(at + 1 + width) == Some(&b'\'')).then_some(at + 2 + width)
}

fn csharp_end(bytes: &[u8], start: usize) -> Option<usize> {
    let marks = bytes[start..].iter().take(2).take_while(|byte| b"@$".contains(byte)).count();
    let quote = start + marks;
    match bytes.get(quote)? {
        b'"' if bytes[start..quote].contains(&b'@') => {
            // A doubled quote stands for one; read as two literals it makes no difference here.
            Some(past(bytes, quote + 1, b"\""))
        }
        b'"' => Some(tripled_end(bytes, quote, Lines::One)),
        b'\'' if marks == 0 => Some(quoted_end(bytes, quote, Lines::One)),
        _ => None,
    }
}

/// A template of JavaScript, with the code in its `${}` and the templates in that.
fn template_end(bytes: &[u8], start: usize) -> usize {
    enum Inside {
        Template,
        Code { braces: u32 },
    }
    let mut stack = vec![Inside::Template];
    let mut at = start + 1;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        match (stack.last_mut(), byte) {
            (None, _) => return at,
            (Some(Inside::Template), b'\\') => at += 1,
            (Some(Inside::Template), b'`') => {
                stack.pop();
                if stack.is_empty() {
                    return at;
                }
            }
            (Some(Inside::Template), b'$') if bytes.get(at) == Some(&b'{') => {
                stack.push(Inside::Code { braces: 0 });
                at += 1;
            }
            (Some(Inside::Template), _) => {}
            (Some(Inside::Code { .. }), b'`') => stack.push(Inside::Template),
            (Some(Inside::Code { .. }), b'"' | b'\'') => at = quoted_end(bytes, at - 1, Lines::One),
            (Some(Inside::Code { braces }), b'{') => *braces += 1,
            (Some(Inside::Code { braces: 0 }), b'}') => {
                stack.pop();
            }
            (Some(Inside::Code { braces }), b'}') => *braces -= 1,
            (Some(Inside::Code { .. }), _) => {}
        }
    }
    bytes.len()
}

/// Where a regular expression between slashes ends; it cannot go over a line. Bounded, because a slash that opens none would be
/// looked for from every other slash of a long line.
pub(super) fn pattern_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    let mut in_class = false;
    let end = bytes.len().min(start + limits::HONESTY_PATTERN_BYTES_MAX);
    while let Some(byte) = bytes[..end].get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return None,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}
