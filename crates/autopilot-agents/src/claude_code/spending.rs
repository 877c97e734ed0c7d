//! What has been told of the spend so far, so that nothing is told twice: a message comes block by block with a usage that
//! grows, and every result names the total of the process.

use std::collections::VecDeque;

use crate::activity::Spend;
use crate::limits;

#[derive(Debug, Default)]
pub(super) struct Spending {
    /// The messages under way. One that has left is over, and comes no more.
    messages: VecDeque<(String, Spend)>,
    told: Spend,
    told_usd_micros: u64,
}

impl Spending {
    /// What a message has cost by now.
    pub(super) fn message(&mut self, id: &str, spend: Spend) -> Option<Spend> {
        let at = self.messages.iter().position(|(known, _)| known == id).unwrap_or_else(|| {
            if self.messages.len() >= limits::MESSAGES_OPEN_MAX {
                self.messages.pop_front();
            }
            self.messages.push_back((id.to_string(), Spend::default()));
            self.messages.len() - 1
        });
        let (_, known) = self.messages.get_mut(at)?;
        let more = beyond(spend, *known);
        *known = known.plus(more);
        self.tell(more)
    }

    /// What everything has cost by now. A call that was cut off is missing in it and stays counted as it was seen.
    pub(super) fn total(&mut self, total: Spend) -> Option<Spend> {
        let more = beyond(total, self.told);
        let usd = total.usd_micros.filter(|usd| *usd > 0);
        let usd_more =
            usd.map(|usd| usd.saturating_sub(self.told_usd_micros)).filter(|usd| *usd > 0);
        self.told_usd_micros = self.told_usd_micros.max(usd.unwrap_or_default());
        self.tell(Spend { usd_micros: usd_more, ..more })
    }

    fn tell(&mut self, more: Spend) -> Option<Spend> {
        self.told = self.told.plus(more);
        (more != Spend::default()).then_some(more)
    }
}

/// The tokens of one spend that another does not have yet.
fn beyond(spend: Spend, known: Spend) -> Spend {
    Spend {
        input_tokens: spend.input_tokens.saturating_sub(known.input_tokens),
        output_tokens: spend.output_tokens.saturating_sub(known.output_tokens),
        cache_read_tokens: spend.cache_read_tokens.saturating_sub(known.cache_read_tokens),
        cache_write_tokens: spend.cache_write_tokens.saturating_sub(known.cache_write_tokens),
        usd_micros: None,
        is_estimate: false,
    }
}
