//! JSON with comments and commas before a closing bracket, as people write settings, made plain. Positions are kept: what is taken
//! out becomes blanks.

/// As `serde_json` reads it. Text that is no JSON either way stays as wrong as it was.
pub(crate) fn plain(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let (mut at, mut comma) = (0, None);
    while at < out.len() {
        let rest = &text.as_bytes()[at..];
        let length = match rest {
            [b'"', ..] => string_length(rest),
            [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => {
                let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
                end.map_or(rest.len(), |end| end + 4)
            }
            _ => 1,
        };
        match rest[0] {
            b'/' if length > 1 => blank(&mut out[at..at + length]),
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += length;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// With both of its quotes.
fn string_length(text: &[u8]) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.iter().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(text: &str, expected: Option<Value>) {
        assert_eq!(serde_json::from_str(&plain(text)).ok(), expected, "{text}");
    }

    #[test]
    fn comments_and_last_commas_are_no_fault_and_strings_stay() {
        check("{} // the end", Some(json!({})));
        check("{ /* none */ \"a\": [1, 2, ], // two\n }", Some(json!({"a": [1, 2]})));
        check("{\"a\": 1, /* and */ }", Some(json!({"a": 1})));
        check(
            r#"{"url": "http://x/*y*/", "quote": "\"// no\"", "b": ",}"}"#,
            Some(json!({"url": "http://x/*y*/", "quote": "\"// no\"", "b": ",}"})),
        );
        check("[1 / 2]", None);
        check("{\"a\": \"open", None);
        check("/* open", None);
        check("[\"ä\", /* ö */]", Some(json!(["ä"])));
    }
}
