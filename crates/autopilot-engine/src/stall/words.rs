//! Knows again what was said before, so that a spinner does not pass for work.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use autopilot_core::limits;

/// What was said lately, each as one number.
#[derive(Debug, Default)]
pub(super) struct Words {
    known: BTreeSet<u64>,
    in_order: VecDeque<u64>,
}

impl Words {
    /// Whether they were not said before. Dots, numbers, and names with digits in them are no words: counters and clocks have those.
    pub(super) fn are_new(&mut self, text: &str) -> bool {
        let words = text.split(|one: char| !one.is_alphanumeric());
        let is_word = |word: &&str| !word.is_empty() && !word.contains(char::is_numeric);
        let mut hasher = DefaultHasher::new();
        let mut count = 0_u32;
        for word in words.filter(is_word) {
            word.hash(&mut hasher);
            count += 1;
        }
        let number = hasher.finish();
        if count == 0 || !self.known.insert(number) {
            return false;
        }
        self.in_order.push_back(number);
        if self.in_order.len() > limits::STALL_WORDS_MAX
            && let Some(oldest) = self.in_order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spinner_says_nothing_new() {
        let mut words = Words::default();
        let mut said = |text: &str| words.are_new(text);
        assert!(said("Thinking"));
        let again =
            ["Thinking.", "Thinking...", "⠋ Thinking (12s)", "[3/9] Thinking", "Thinking 4f2a91"];
        assert!(!again.into_iter().any(&mut said));
        assert!(
            !["", ".", "....", "|", "⠙", "45%", "12:03:59", "--- 3 ---"].into_iter().any(&mut said)
        );
        assert!(said("Reading the plan"));
        assert!(said("Ich denke"));
        assert!(said("考えています"));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut words = Words::default();
        for number in 1..limits::STALL_WORDS_MAX * 2 {
            assert!(words.are_new(&"y".repeat(number)));
        }
        let (known, in_order) = (words.known.len(), words.in_order.len());
        assert_eq!((known, in_order), (limits::STALL_WORDS_MAX, limits::STALL_WORDS_MAX));
    }
}
