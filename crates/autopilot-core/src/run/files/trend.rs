//! How a run compares with the one before it, and with all of them (MET-1). It becomes part of the event that ends the report, so that
//! whoever announces the run knows it without the file it was made from.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::contract::Category;
use crate::documents::metrics::MetricsDocument;
use crate::run::files::metrics;
use crate::run::words::thousands;
use crate::score::Score;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trend {
    pub current: Figures,
    /// None for the first run on record.
    pub previous: Option<Figures>,
    /// Kinds of failure that both runs have.
    pub recurring: Vec<Category>,
    /// Over this run and all before it.
    pub runs: u32,
    pub success_permille: Spread,
    pub average_tenths: Option<Spread>,
    pub estimated_tokens: Spread,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    pub success_permille: u64,
    pub average: Option<Score>,
    pub estimated_tokens: u64,
    pub tokens_used: u64,
}

/// The least, the most and the mean, cut to a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    pub min: u64,
    pub max: u64,
    pub avg: u64,
}

/// `before` are the runs before this one, the oldest first.
pub fn of(before: &[MetricsDocument], current: &MetricsDocument) -> Trend {
    let all: Vec<Figures> = before.iter().chain([current]).map(Figures::of).collect();
    let previous = before.last();
    let averages: Vec<u64> =
        all.iter().filter_map(|one| Some(u64::from(one.average?.tenths()))).collect();
    let recurring = previous.map(|previous| metrics::in_common(previous, current));
    Trend {
        current: Figures::of(current),
        previous: previous.map(Figures::of),
        recurring: recurring.unwrap_or_default(),
        runs: u32::try_from(all.len()).unwrap_or(u32::MAX),
        success_permille: spread(all.iter().map(|one| one.success_permille)).unwrap_or(NOTHING),
        average_tenths: spread(averages.into_iter()),
        estimated_tokens: spread(all.iter().map(|one| one.estimated_tokens)).unwrap_or(NOTHING),
    }
}

const NOTHING: Spread = Spread { min: 0, max: 0, avg: 0 };

impl Figures {
    fn of(document: &MetricsDocument) -> Figures {
        Figures {
            success_permille: permille(document.success_rate),
            average: document.avg_alignment_score,
            estimated_tokens: document.total_estimated_tokens,
            tokens_used: document.total_tokens_used,
        }
    }
}

/// A number from a file that anybody may have written.
fn permille(rate: f64) -> u64 {
    (rate.clamp(0.0, 1.0) * 1_000.0).round() as u64
}

fn spread(values: impl Iterator<Item = u64>) -> Option<Spread> {
    let mut found: Option<(Spread, u128)> = None;
    let mut count: u128 = 0;
    for value in values {
        count += 1;
        let (so_far, sum) = found.unwrap_or((Spread { min: value, max: value, avg: value }, 0));
        let sum = sum + u128::from(value);
        let avg = u64::try_from(sum / count).unwrap_or(u64::MAX);
        found = Some((Spread { min: so_far.min.min(value), max: so_far.max.max(value), avg }, sum));
    }
    found.map(|(spread, _)| spread)
}

impl Trend {
    /// The success rate before and now, in thousandths, where it fell.
    fn fell(&self) -> Option<(u64, u64)> {
        let before = self.previous?.success_permille;
        let now = self.current.success_permille;
        (now < before).then_some((before, now))
    }

    /// For the last lines of a run (REP-2): one line, and a warning where it got worse.
    pub fn lines(&self) -> Vec<String> {
        let Some(before) = &self.previous else { return Vec::new() };
        let now = &self.current;
        let success = delta(now.success_permille, before.success_permille, |value| {
            format!("{} points", percent(value))
        });
        let average = now.average.zip(before.average).map(|(now, before)| {
            let tenths = |score: Score| u64::from(score.tenths());
            let change = delta(tenths(now), tenths(before), decimal);
            format!(", average {change}")
        });
        let tokens = delta(now.tokens_used, before.tokens_used, thousands);
        let average = average.unwrap_or_default();
        let mut lines =
            vec![format!("against the run before: success {success}{average}, tokens {tokens}")];
        lines.extend(self.warning());
        lines
    }

    pub fn warning(&self) -> Option<String> {
        let (before, now) = self.fell()?;
        let again = match self.recurring.as_slice() {
            [] => String::new(),
            kinds => {
                let words: Vec<&str> = kinds.iter().map(Category::word).collect();
                format!("; seen in both: {}", words.join(", "))
            }
        };
        let (before, now) = (percent(before), percent(now));
        Some(format!("warning: the success rate fell from {before} % to {now} %{again}"))
    }

    /// For the report of the run.
    pub fn section(&self) -> String {
        let mut text = "\n## Trend Analysis\n\n".to_string();
        let Some(before) = &self.previous else {
            text.push_str(
                "This is the first run on record; there is nothing to compare it with.\n",
            );
            return text;
        };
        let now = &self.current;
        text.push_str("| figure | this run | the run before | least | most | mean |\n|---|---|---|---|---|---|\n");
        let mut row = |name: &str, now: String, before: String, spread: [String; 3]| {
            let [min, max, avg] = spread;
            // Writing into a string cannot fail.
            let _ = writeln!(text, "| {name} | {now} | {before} | {min} | {max} | {avg} |");
        };
        let rate = |value: u64| format!("{} %", percent(value));
        let (of, all) = ([now.success_permille, before.success_permille], self.success_permille);
        let [one, other] = of.map(rate);
        row("success rate", one, other, [all.min, all.max, all.avg].map(rate));
        let score = |score: Option<Score>| score.map_or("-".to_string(), |score| score.to_string());
        let all = self.average_tenths.map(|all| [all.min, all.max, all.avg].map(decimal));
        let none = || ["-"; 3].map(String::from);
        row("average score", score(now.average), score(before.average), all.unwrap_or_else(none));
        let (of, all) = ([now.estimated_tokens, before.estimated_tokens], self.estimated_tokens);
        let [one, other] = of.map(thousands);
        row("estimated tokens", one, other, [all.min, all.max, all.avg].map(thousands));
        // Writing into a string cannot fail.
        let _ = writeln!(text, "\n{} runs are on record.", self.runs);
        if !self.recurring.is_empty() {
            let words: Vec<&str> = self.recurring.iter().map(Category::word).collect();
            let _ = writeln!(text, "\nFailures of both runs: {}.", words.join(", "));
        }
        if let Some(warning) = self.warning() {
            let _ = writeln!(text, "\n{warning}.");
        }
        text
    }
}

/// `12.5` of 125 thousandths.
fn percent(permille: u64) -> String {
    match permille % 10 {
        0 => (permille / 10).to_string(),
        _ => decimal(permille),
    }
}

fn decimal(tenths: u64) -> String {
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn delta(now: u64, before: u64, words: impl Fn(u64) -> String) -> String {
    match now.cmp(&before) {
        std::cmp::Ordering::Equal => "as before".to_string(),
        std::cmp::Ordering::Greater => format!("+{}", words(now - before)),
        std::cmp::Ordering::Less => format!("-{}", words(before - now)),
    }
}

#[cfg(test)]
#[path = "trend_tests.rs"]
mod tests;
