//! What an agent may use before it is ended: tokens, and money where the run has a cap in money (BUD-1).

use autopilot_core::run::effect::AgentOrder;
use autopilot_core::run::event::Spend;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowance {
    tokens: u64,
    usd_micros: Option<u64>,
    counts: Counts,
}

/// Which costs count while it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// Those it told. Who holds itself to a cost is not ended for our guess of it.
    Told,
    /// Estimated as well, where it told none so far: it might never tell any.
    Estimated,
}

impl Allowance {
    pub(super) fn of(order: &AgentOrder, holds_its_cost: bool) -> Allowance {
        Allowance::up_to(order.tokens_max, order.usd_micros_max, holds_its_cost)
    }

    pub(crate) fn up_to(tokens: u64, usd_micros: Option<u64>, holds_its_cost: bool) -> Allowance {
        let counts = if holds_its_cost { Counts::Told } else { Counts::Estimated };
        Allowance { tokens, usd_micros, counts }
    }

    pub(crate) fn is_exceeded_by(&self, spend: &Spend) -> bool {
        let is_too_much = |max: u64| self.cost(spend).is_some_and(|cost| cost > max);
        spend.counted_tokens() > self.tokens || self.usd_micros.is_some_and(is_too_much)
    }

    fn cost(&self, spend: &Spend) -> Option<u64> {
        match self.counts {
            Counts::Told => spend.usd_micros,
            Counts::Estimated => {
                let mut charged = Spend::default();
                charged.charge(spend);
                charged.usd_micros
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 100 tokens and 50 millionths of a dollar.
    fn is_exceeded(counts: Counts, spend: Spend) -> bool {
        Allowance { tokens: 100, usd_micros: Some(50), counts }.is_exceeded_by(&spend)
    }

    #[test]
    fn one_more_than_is_allowed_is_too_much_in_tokens_and_in_money() {
        for counts in [Counts::Told, Counts::Estimated] {
            let told = |usd_micros: u64, input: u64| {
                let usd_micros = Some(usd_micros);
                is_exceeded(counts, Spend { input, usd_micros, ..Spend::default() })
            };
            assert_eq!([told(50, 100), told(51, 0), told(0, 101)], [false, true, true]);
            assert!(!is_exceeded(counts, Spend::default()));
        }
        let free = Allowance { tokens: 100, usd_micros: None, counts: Counts::Estimated };
        assert!(!free.is_exceeded_by(&Spend { usd_micros: Some(u64::MAX), ..Spend::default() }));
    }

    #[test]
    fn an_order_says_how_much_and_the_agent_whether_our_guess_counts() {
        let order: AgentOrder = serde_json::from_value(serde_json::json!({
            "phase": "1", "role": "execute", "task": null, "round": 1, "snapshot": null,
            "head": "0000000000000000000000000000000000000001", "access": "writable",
            "tokens_max": 100, "time_max_ms": 1, "usd_micros_max": 50,
        }))
        .unwrap();
        let silent = Spend { output: 100, ..Spend::default() };
        let is_exceeded = |holds| Allowance::of(&order, holds).is_exceeded_by(&silent);
        assert_eq!([is_exceeded(false), is_exceeded(true)], [true, false]);
    }

    #[test]
    fn costs_nobody_told_are_estimated_unless_the_agent_holds_itself_to_them() {
        // 100 tokens of output are 1,500 millionths of a dollar.
        let silent = Spend { output: 100, ..Spend::default() };
        assert!(is_exceeded(Counts::Estimated, silent));
        assert!(!is_exceeded(Counts::Told, silent));
        assert!(!is_exceeded(Counts::Estimated, Spend { usd_micros: Some(1), ..silent }));
    }
}
