//! Keeps a return small enough for the journal: long texts are cut with a mark, long lists of texts end with a count of what was
//! left out. Lists whose entries are objects are never cut, for each of their entries counts in a verdict.

use serde_json::Value;

use crate::limits;

/// What was cut, in sentences.
pub(super) type Notes = Vec<String>;

/// `Err` with the bytes that are left when even short texts do not make the return fit. `source_bytes` is how long the agent
/// wrote it: as we write it, it is not longer.
pub(super) fn clip(value: &mut Value, source_bytes: usize) -> Result<Notes, usize> {
    let mut chars_max = limits::RETURN_TEXT_CHARS_MAX;
    let mut cut = Cut::default();
    loop {
        // Whoever was cut in one round is cut in the next, which is shorter.
        cut.texts = 0;
        walk(value, chars_max, &mut cut);
        let is_short = source_bytes <= limits::RETURN_BYTES_MAX;
        let bytes = if is_short { source_bytes } else { value.to_string().len() };
        if bytes <= limits::RETURN_BYTES_MAX {
            return Ok(cut.notes(chars_max));
        }
        if chars_max <= limits::RETURN_TEXT_CHARS_MIN {
            return Err(bytes);
        }
        chars_max = (chars_max / 2).max(limits::RETURN_TEXT_CHARS_MIN);
    }
}

#[derive(Default)]
struct Cut {
    texts: usize,
    entries: usize,
}

impl Cut {
    fn notes(&self, chars_max: usize) -> Notes {
        let mut notes = Notes::new();
        if self.texts > 0 {
            notes.push(format!("{} texts were cut to {chars_max} characters", self.texts));
        }
        if self.entries > 0 {
            notes.push(format!("{} entries of long lists were left out", self.entries));
        }
        notes
    }
}

fn walk(value: &mut Value, chars_max: usize, cut: &mut Cut) {
    match value {
        Value::String(text) => clip_text(text, chars_max, cut),
        Value::Array(entries) => {
            clip_list(entries, cut);
            entries.iter_mut().for_each(|entry| walk(entry, chars_max, cut));
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| walk(field, chars_max, cut)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn clip_text(text: &mut String, chars_max: usize, cut: &mut Cut) {
    // A character has at least one byte, so a short text need not be counted.
    if text.len() <= chars_max {
        return;
    }
    if let Some((at, _)) = text.char_indices().nth(chars_max) {
        text.truncate(at);
        text.push_str(" […]");
        cut.texts += 1;
    }
}

fn clip_list(entries: &mut Vec<Value>, cut: &mut Cut) {
    let is_texts = entries.first().is_some_and(Value::is_string);
    if is_texts && entries.len() > limits::RETURN_ENTRIES_MAX {
        let left_out = entries.len() - (limits::RETURN_ENTRIES_MAX - 1);
        entries.truncate(limits::RETURN_ENTRIES_MAX - 1);
        entries.push(format!("[{left_out} more]").into());
        cut.entries += left_out;
    }
}
