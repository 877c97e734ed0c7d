//! Cuts what a prompt is filled with until the prompt is short enough: long texts with a mark, long lists with a count of what was
//! left out.

use serde_json::{Value, json};

use crate::limits;

#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    chars_max: usize,
    entries_max: usize,
}

impl Bounds {
    pub(super) fn widest() -> Bounds {
        let chars_max = limits::PROMPT_TEXT_CHARS_MAX;
        Bounds { chars_max, entries_max: limits::PROMPT_ENTRIES_MAX }
    }

    /// `None` when shorter texts would say nothing any more.
    pub(super) fn narrower(self) -> Option<Bounds> {
        let chars_max = self.chars_max / 2;
        let is_useful = chars_max >= limits::PROMPT_TEXT_CHARS_MIN;
        is_useful.then_some(Bounds { chars_max, entries_max: self.entries_max / 2 })
    }
}

/// The context within the bounds, and under `left_out` how many entries of lists are missing.
pub(super) fn fit(context: &Value, bounds: Bounds) -> Value {
    let mut left_out = 0;
    let mut context = cut(context, bounds, &mut left_out);
    context["left_out"] = json!(left_out);
    context
}

fn cut(value: &Value, bounds: Bounds, left_out: &mut usize) -> Value {
    match value {
        // The end of an output says what failed, and its quote keeps the end; both marks stand where something is missing.
        Value::String(text) => match text.char_indices().nth(bounds.chars_max) {
            Some(_) => middle_out(text, bounds.chars_max).into(),
            None => text.as_str().into(),
        },
        Value::Array(entries) => {
            *left_out += entries.len().saturating_sub(bounds.entries_max);
            let kept = entries.iter().take(bounds.entries_max);
            kept.map(|entry| cut(entry, bounds, left_out)).collect()
        }
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| (name.clone(), cut(field, bounds, left_out)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A quarter of the room for the beginning and the rest for the end: a goal says at its start what it is, an output at its end
/// what went wrong.
fn middle_out(text: &str, chars_max: usize) -> String {
    const MARK: &str = " […] ";
    let room = chars_max.saturating_sub(MARK.chars().count());
    let (head, count) = (room / 4, text.chars().count());
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count - (room - head)).collect();
    format!("{start}{MARK}{end}")
}
