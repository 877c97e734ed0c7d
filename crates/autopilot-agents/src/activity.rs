//! What is seen of an agent while it works. For screens, budgets and stall watching; nothing is decided on what it claims.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Activity {
    /// It is up, and this is the model it says it uses.
    Started {
        model: String,
    },
    Said(String),
    UsedTool {
        name: String,
        summary: String,
    },
    /// As the agent names the file; unchecked.
    ChangedFile(String),
    /// What was spent since the last time it told.
    Spent(Spend),
    /// It waits by itself for a usage limit to pass.
    WaitingForLimit {
        until_unix_s: Option<u64>,
    },
    Asked(String),
    /// A line that nobody understood, cut to a bounded length.
    Unknown(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spend {
    /// Without what came from or went into a cache.
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
    /// Millionths of a dollar; `None` where the agent does not tell.
    pub usd_micros: Option<u64>,
    /// The agent did not tell the tokens; somebody estimated them.
    pub is_estimate: bool,
}

impl Spend {
    /// Both together. Costs are known only if both are.
    pub fn plus(self, other: Spend) -> Spend {
        let usd_micros = match (self.usd_micros, other.usd_micros) {
            (Some(one), Some(another)) => Some(one.saturating_add(another)),
            (None, _) | (_, None) => None,
        };
        Spend {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cache_read_tokens: self.cache_read_tokens.saturating_add(other.cache_read_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            usd_micros,
            is_estimate: self.is_estimate || other.is_estimate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spends_add_up_and_an_unknown_cost_stays_unknown() {
        let known =
            Spend { input_tokens: 1, output_tokens: 2, usd_micros: Some(5), ..Spend::default() };
        let vague = Spend { cache_read_tokens: u64::MAX, is_estimate: true, ..Spend::default() };
        assert_eq!(known.plus(known).usd_micros, Some(10));
        let both = known.plus(vague).plus(vague);
        assert_eq!((both.input_tokens, both.cache_read_tokens), (1, u64::MAX));
        assert_eq!((both.usd_micros, both.is_estimate), (None, true));
    }
}
