//! Where each key of a JSON text stands, so that a finding can name its line. Works on text that has already been parsed; no
//! recursion, so depth costs no stack.

use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(super) struct Positions {
    lines: BTreeMap<String, u32>,
    /// Paths of values that are no objects, in the order of the file.
    pub(super) leaves: Vec<String>,
    pub(super) twice: Vec<(String, u32)>,
}

enum Level {
    Object { key: Option<String> },
    Array,
}

impl Positions {
    pub(super) fn of(text: &str) -> Positions {
        let mut positions = Positions::default();
        let mut levels: Vec<Level> = Vec::new();
        let mut line = 1;
        let mut characters = text.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '\n' => line += 1,
                '{' | '[' => {
                    positions.leaf(&levels, character == '[');
                    levels.push(if character == '{' {
                        Level::Object { key: None }
                    } else {
                        Level::Array
                    });
                }
                '}' | ']' => {
                    levels.pop();
                }
                '"' => {
                    let start = at;
                    skip_string(&mut characters);
                    let end = characters.offset();
                    positions.string(&mut levels, &text[start..end], line);
                }
                ',' => {
                    if let Some(Level::Object { key }) = levels.last_mut() {
                        *key = None;
                    }
                }
                ':' | ' ' | '\t' | '\r' => {}
                _ => {
                    let is_start = !text[..at].ends_with(|c: char| {
                        c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+')
                    });
                    if is_start {
                        positions.leaf(&levels, true);
                    }
                }
            }
        }
        positions
    }

    pub(super) fn line_of(&self, path: &str) -> u32 {
        self.lines.get(path).copied().unwrap_or(1)
    }

    /// In an object a string is a key until one is pending, then a value.
    fn string(&mut self, levels: &mut [Level], quoted: &str, line: u32) {
        let is_key = matches!(levels.last(), Some(Level::Object { key: None }));
        if !is_key {
            self.leaf(levels, true);
            return;
        }
        let name: String = serde_json::from_str(quoted).unwrap_or_default();
        if let Some(Level::Object { key }) = levels.last_mut() {
            *key = Some(name);
        }
        if let Some(path) = path(levels)
            && self.lines.insert(path.clone(), line).is_some()
        {
            self.twice.push((path, line));
        }
    }

    /// A value that is no object, directly in objects only: what stands in a list belongs to the list.
    fn leaf(&mut self, levels: &[Level], is_leaf: bool) {
        if is_leaf && let Some(path) = path(levels) {
            self.leaves.push(path);
        }
    }
}

fn path(levels: &[Level]) -> Option<String> {
    let mut names = Vec::with_capacity(levels.len());
    for level in levels {
        match level {
            Level::Object { key: Some(key) } => names.push(key.as_str()),
            Level::Object { key: None } | Level::Array => return None,
        }
    }
    (!names.is_empty()).then(|| names.join("."))
}

fn skip_string(characters: &mut std::str::CharIndices<'_>) {
    let mut is_escaped = false;
    for (_, character) in characters.by_ref() {
        match character {
            '\\' if !is_escaped => is_escaped = true,
            '"' if !is_escaped => return,
            _ => is_escaped = false,
        }
    }
}
