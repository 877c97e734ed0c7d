//! The part of a run's report that says who spent what: a row for each step, agent and model.

use std::fmt::Write;

use crate::money;
use crate::run::spending::{Spender, Spent};
use crate::run::state::RunState;
use crate::run::words::thousands;

/// Empty while nobody has tried anything.
pub(super) fn section(state: &RunState) -> String {
    let mut rows = state.spending.rows().peekable();
    if rows.peek().is_none() {
        return String::new();
    }
    let mut text = "\n## Spent\n\n\
                    | step | agent | model | attempts | in | out | cache read | cache written | cost |\n\
                    |---|---|---|---|---|---|---|---|---|\n"
        .to_string();
    rows.for_each(|(who, spent)| text.push_str(&row(who, spent)));
    if state.spending.rows().any(|(_, spent)| spent.spend.is_estimate) {
        text.push_str("\n~ estimated: the agent told tokens and no cost.\n");
    }
    text
}

fn row(who: &Spender, spent: &Spent) -> String {
    let Spent { attempts, spend } = spent;
    let model = who.model.as_deref().unwrap_or("its own choice").replace('|', "\\|");
    let mut text = format!("| {} | {} | {model} | {attempts}", who.role.name(), who.agent);
    for tokens in [spend.input, spend.output, spend.cache_read, spend.cache_write] {
        // Writing into a string cannot fail.
        let _ = write!(text, " | {}", thousands(tokens));
    }
    let mark = if spend.is_estimate { "~" } else { "" };
    let cost = spend.usd_micros.map(|micros| format!("{mark}{}", money::words(micros)));
    let _ = writeln!(text, " | {} |", cost.as_deref().unwrap_or("-"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Role;
    use crate::run::checks::fixture::{Scene, agent_order};
    use crate::run::event::{AgentWork, Spend};
    use crate::run::spending;

    #[test]
    fn a_row_says_who_and_what_and_what_of_it_is_estimated() {
        let mut run = Scene::new().run;
        assert_eq!(section(&run), "");
        let spend = Spend {
            input: 12_345,
            output: 850,
            cache_read: 3_400_000,
            usd_micros: Some(1_239_999),
            ..Spend::default()
        };
        let work = AgentWork { spend, model: Some("a|b".into()), ..AgentWork::default() };
        spending::charge(&mut run, &agent_order(Role::Plan), &work);
        assert!(!section(&run).contains('~'));
        let spend = Spend { usd_micros: None, ..spend };
        let work = AgentWork { spend, ..AgentWork::default() };
        spending::charge(&mut run, &agent_order(Role::Execute), &work);
        spending::charge(&mut run, &agent_order(Role::Execute), &work);
        insta::assert_snapshot!("spending", section(&run));
    }
}
