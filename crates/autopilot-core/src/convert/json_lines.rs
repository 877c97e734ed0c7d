//! Finds the lines on which the elements of a list begin in JSON text that is known to be valid. The parser gives values
//! without places, and a finding without a line helps nobody in a file of a thousand stories.

/// The line of every element of the list under `key` of the outermost object, or of the outermost list itself.
pub(super) fn element_lines(text: &str, key: Option<&str>) -> Vec<u32> {
    let mut scan =
        Scan { depth: 0, line: 1, is_in_list: false, is_element_due: false, lines: Vec::new() };
    let list_depth = if key.is_some() { 2 } else { 1 };
    let mut last_string = "";
    let mut left = text;
    while let Some(character) = left.chars().next() {
        let at_element = scan.is_element_due && !character.is_whitespace() && character != ']';
        if at_element {
            scan.lines.push(scan.line);
            scan.is_element_due = false;
        }
        let mut length = character.len_utf8();
        match character {
            '\n' => scan.line += 1,
            '"' => {
                let inside = string_length(&left[1..]);
                last_string = left.get(1..1 + inside).unwrap_or_default();
                length = (inside + 2).min(left.len());
            }
            '{' | '[' => {
                scan.depth += 1;
                let is_under_key = key.is_none_or(|key| key == last_string);
                if character == '[' && scan.depth == list_depth && is_under_key {
                    scan.lines.clear();
                    scan.is_in_list = true;
                    scan.is_element_due = true;
                }
            }
            '}' | ']' => {
                if scan.is_in_list && scan.depth == list_depth {
                    scan.is_in_list = false;
                    scan.is_element_due = false;
                }
                scan.depth = scan.depth.saturating_sub(1);
            }
            ',' if scan.is_in_list && scan.depth == list_depth => scan.is_element_due = true,
            _ => {}
        }
        left = &left[length..];
    }
    scan.lines
}

struct Scan {
    depth: usize,
    line: u32,
    is_in_list: bool,
    is_element_due: bool,
    lines: Vec<u32>,
}

/// Bytes up to the closing quote. Valid JSON has no line break inside a string.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_lines() {
        let text = "{\n \"a\": [[1],\n 2],\n \"s\\\"\": 1, \"b\": [\n  {\"x\": [1,\n 2]},\n  \"]\",\n 3]\n}";
        assert_eq!(element_lines(text, Some("a")), [2, 3]);
        assert_eq!(element_lines(text, Some("b")), [5, 7, 8]);
        assert_eq!(element_lines(text, Some("c")), [0u32; 0]);
        assert_eq!(element_lines("[\n{},\n{}\n]", None), [2, 3]);
        assert_eq!(element_lines("[ ]", None), [0u32; 0]);
    }
}
