//! Tokens as they are counted here: what was read from a cache and what was written to one stand apart from the rest of the
//! input, in every wire format.

use std::iter::Sum;
use std::ops::Add;

use super::request::Wire;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Neither read from a cache nor written to one.
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

impl Usage {
    /// As this format can tell it: where there is no word for writing to a cache, it is input like any other.
    pub fn told_by(self, wire: Wire) -> Usage {
        match wire {
            Wire::AnthropicMessages | Wire::OpenAiResponses => self,
            Wire::OpenAiChat | Wire::Gemini => {
                Usage { input: self.input + self.cache_write, cache_write: 0, ..self }
            }
        }
    }

    /// The input with everything that came from or went into a cache, as OpenAI and Gemini count it.
    pub(super) fn input_in_all(self) -> u64 {
        self.input + self.cache_read + self.cache_write
    }
}

impl Add for Usage {
    type Output = Usage;

    fn add(self, other: Usage) -> Usage {
        Usage {
            input: self.input + other.input,
            output: self.output + other.output,
            cache_read: self.cache_read + other.cache_read,
            cache_write: self.cache_write + other.cache_write,
        }
    }
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Usage>>(usages: I) -> Usage {
        usages.fold(Usage::default(), Add::add)
    }
}
