//! The answer of an agent that says it piece by piece: the last words before its end. What it said before it used a tool is no part
//! of them.

use crate::limits;

#[derive(Debug, Default)]
pub(crate) struct AnswerText {
    text: String,
    /// Something else came since; the next words are a new beginning.
    is_over: bool,
}

impl AnswerText {
    pub(crate) fn add(&mut self, piece: &str) {
        if piece.is_empty() {
            return;
        }
        if std::mem::take(&mut self.is_over) {
            self.text.clear();
        }
        let room = limits::ANSWER_BYTES_MAX.saturating_sub(self.text.len());
        let fits = (0..=room.min(piece.len())).rev().find(|at| piece.is_char_boundary(*at));
        self.text.push_str(&piece[..fits.unwrap_or(0)]);
    }

    pub(crate) fn is_over(&mut self) {
        self.is_over = true;
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_are_the_answer_and_have_their_bound() {
        let mut answer = AnswerText::default();
        answer.add("I write.");
        answer.is_over();
        answer.add("");
        answer.add("Do");
        answer.add("ne.");
        answer.is_over();
        assert_eq!(answer.into_text(), "Done.", "who ends with a tool has said it before");
        let mut long = AnswerText::default();
        for _ in 0..3 {
            long.add(&"ä".repeat(limits::ANSWER_BYTES_MAX / 4 + 1));
        }
        let text = long.into_text();
        assert!(
            text.len() <= limits::ANSWER_BYTES_MAX && text.len() + 2 > limits::ANSWER_BYTES_MAX
        );
    }
}
