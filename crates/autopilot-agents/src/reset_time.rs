//! When a limit is over, read from the words an agent printed about it. The last resort: an agent that tells the moment in a field of
//! its own is believed there. Knows the present and the time zones only from its arguments.

use jiff::Timestamp;

use crate::bounded_text::start_of;
use crate::limits;
use crate::zones::Zones;

mod day_time;
mod waiting_time;

/// What stands after a word that announces a reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// A moment: a time of day, a date, a number of seconds since 1970.
    Moment,
    /// How long; a number without a unit counts so many milliseconds.
    Wait { unit_ms: u64 },
}

const SECONDS: Told = Told::Wait { unit_ms: 1_000 };

/// The longer of two that begin alike stands first.
const ANNOUNCING: [(&str, Told); 27] = [
    ("retry_delay_ms", Told::Wait { unit_ms: 1 }),
    ("retry-after-ms", Told::Wait { unit_ms: 1 }),
    ("retry_after_ms", Told::Wait { unit_ms: 1 }),
    ("retry-after", SECONDS),
    ("retry_after", SECONDS),
    ("retry after", SECONDS),
    ("retrydelay", SECONDS),
    ("retry_delay", SECONDS),
    ("retry in", SECONDS),
    ("resets_in_seconds", SECONDS),
    ("reset_after_seconds", SECONDS),
    ("resets in", SECONDS),
    ("reset in", SECONDS),
    ("reset after", SECONDS),
    ("try again in", SECONDS),
    ("available again in", SECONDS),
    ("try again at", Told::Moment),
    ("try again on", Told::Moment),
    ("available again at", Told::Moment),
    ("resets_at", Told::Moment),
    ("resetsat", Told::Moment),
    ("reset_at", Told::Moment),
    ("resets at", Told::Moment),
    ("reset at", Told::Moment),
    ("resets on", Told::Moment),
    ("limit reached|", Told::Moment),
    ("resets", Told::Moment),
];

/// The moment in seconds since 1970, never before now. `None` for words without one, and for one that is too far away to be meant.
pub fn read(text: &str, now_unix_s: u64, zones: &Zones) -> Option<u64> {
    let text = start_of(text, limits::LIMIT_TEXT_BYTES_MAX).to_ascii_lowercase();
    let now = Timestamp::from_second(i64::try_from(now_unix_s).ok()?).ok()?;
    let told = announced(&text).find_map(|(told, rest)| match told {
        Told::Moment => moment(rest, now, zones),
        Told::Wait { unit_ms } => {
            // A server may name the moment where others name a number of seconds.
            waiting_time::read(rest, unit_ms)
                .map(|wait_s| now_unix_s.saturating_add(wait_s))
                .or_else(|| day_time::http_date(rest))
        }
    })?;
    let at = told.max(now_unix_s);
    (at - now_unix_s <= limits::RESET_AFTER_MAX_S).then_some(at)
}

/// Every place that announces a reset, in the order of the text, and what follows it.
fn announced(text: &str) -> impl Iterator<Item = (Told, &str)> {
    let starts = text.char_indices().map(|(at, _)| at);
    let is_start = |at: &usize| {
        let before = text[..*at].chars().next_back();
        before.is_none_or(|before| !before.is_ascii_alphanumeric())
    };
    starts.filter(is_start).filter_map(|at| {
        let rest = &text[at..];
        let (word, told) = ANNOUNCING.iter().find(|(word, _)| rest.starts_with(word))?;
        let rest = rest[word.len()..].trim_start_matches([' ', '"', '\'', ':', '=', '|']);
        Some((*told, rest))
    })
}

fn moment(text: &str, now: Timestamp, zones: &Zones) -> Option<u64> {
    epoch(text)
        .or_else(|| day_time::iso(text, zones))
        .or_else(|| day_time::http_date(text))
        .or_else(|| day_time::date_and_clock(text, now, zones))
        .or_else(|| day_time::clock(text, now, zones))
}

/// Seconds since 1970, or milliseconds where there are too many digits for seconds.
fn epoch(text: &str) -> Option<u64> {
    /// The year 2001; smaller numbers are something else.
    const SECONDS_MIN: u64 = 1_000_000_000;
    /// The year 5138 in seconds, and 1973 in milliseconds.
    const MILLISECONDS_MIN: u64 = 100_000_000_000;
    let end = text.find(|one: char| !one.is_ascii_digit()).unwrap_or(text.len());
    match text[..end].parse().ok()? {
        number if number >= MILLISECONDS_MIN => Some(number / 1_000),
        number if number >= SECONDS_MIN => Some(number),
        _ => None,
    }
}

#[cfg(test)]
#[path = "reset_time_tests.rs"]
mod tests;
