//! Reads a moment that is written with a time of day: `3:33am (UTC)`, `15:30`, `Nov 20, 3am`, ISO 8601 and the dates of HTTP.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Timestamp, ToSpan};

use crate::limits;
use crate::zones::Zones;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// `2026-11-16T03:33:00Z`, with an offset, or without one in local time. The text is in lower case.
pub(super) fn iso(text: &str, zones: &Zones) -> Option<u64> {
    let end = text.find(|one: char| !(one.is_ascii_alphanumeric() || "-:.+".contains(one)));
    let word = text[..end.unwrap_or(text.len())].trim_end_matches(['.', ':']).to_ascii_uppercase();
    if let Ok(at) = word.parse::<Timestamp>() {
        return seconds(at);
    }
    // With a space between them date and time are two words.
    let both = text.get(..16).filter(|_| word.len() == 10).map(|both| both.replace(' ', "t"));
    let civil: DateTime = both.unwrap_or(word).parse().ok()?;
    first_after(civil, Timestamp::MIN, &zones.local()).and_then(seconds)
}

/// `Sat, 21 Nov 2026 07:28:00 GMT`.
pub(super) fn http_date(text: &str) -> Option<u64> {
    let end = text.find("gmt")?;
    let date = jiff::fmt::rfc2822::parse(&text[..end + 3].to_ascii_uppercase()).ok()?;
    seconds(date.timestamp())
}

/// `Nov 20, 2026 at 3:33pm (UTC)`. Without a year the one that is nearest is meant.
pub(super) fn date_and_clock(text: &str, now: Timestamp, zones: &Zones) -> Option<u64> {
    let month = MONTHS.iter().position(|month| text.starts_with(month))?;
    let rest = text.trim_start_matches(|one: char| one.is_ascii_alphabetic());
    let (day, rest) = number(rest.trim_start_matches(['.', ' ']))?;
    let rest =
        ["st", "nd", "rd", "th"].iter().find_map(|end| rest.strip_prefix(end)).unwrap_or(rest);
    let rest = rest.trim_start_matches([',', ' ']);
    let (year, rest) = match number(rest) {
        Some((year, after)) if year > 1_970 => (Some(year), after.trim_start_matches([',', ' '])),
        _ => (None, rest),
    };
    let (clock, rest) = time_of_day(rest.strip_prefix("at ").unwrap_or(rest))?;
    let zone = zone(rest, zones)?;
    let (month, day) = (i8::try_from(month + 1).ok()?, i8::try_from(day).ok()?);
    let this_year = now.to_zoned(zone.clone()).year();
    let years = match year {
        Some(year) => [i16::try_from(year).ok()?; 2],
        None => [this_year, this_year.saturating_add(1)],
    };
    let mut moments = years.into_iter().filter_map(|year| {
        let civil = Date::new(year, month, day).ok()?.to_datetime(clock);
        first_after(civil, Timestamp::MIN, &zone)
    });
    let first = moments.next()?;
    let is_long_past = now.duration_since(first).as_secs() > 7 * 86_400;
    let at = if is_long_past { moments.next().unwrap_or(first) } else { first };
    seconds(at)
}

/// `3:33am (UTC)`, `15:30`: the next time a clock in that zone shows it. One that was shown a moment ago means now, because the words
/// were printed before they were read.
pub(super) fn clock(text: &str, now: Timestamp, zones: &Zones) -> Option<u64> {
    let (clock, rest) = time_of_day(text)?;
    let zone = zone(rest, zones)?;
    let since = now.checked_sub(limits::JUST_PASSED).ok()?;
    let today = now.to_zoned(zone.clone()).date();
    let days = [today, today.checked_add(1.day()).ok()?];
    let found = days.into_iter().find_map(|day| first_after(day.to_datetime(clock), since, &zone));
    found.and_then(seconds)
}

/// When clocks are set back a time comes twice: the first one that is not over. When they are set forward a time is left out: as much
/// later.
fn first_after(civil: DateTime, since: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let ambiguous = zone.to_ambiguous_timestamp(civil);
    let moments = match ambiguous.offset() {
        AmbiguousOffset::Unambiguous { .. } | AmbiguousOffset::Gap { .. } => {
            [ambiguous.compatible().ok(), None]
        }
        AmbiguousOffset::Fold { .. } => [ambiguous.earlier().ok(), ambiguous.later().ok()],
    };
    moments.into_iter().flatten().find(|at| *at >= since)
}

/// `3am`, `3:33 pm`, `15:30`, `15:30:10`, and what follows.
fn time_of_day(text: &str) -> Option<(Time, &str)> {
    let (hour, mut rest) = number(text)?;
    let mut parts = [0; 2];
    let mut has_minutes = false;
    for part in &mut parts {
        let Some((value, after)) = rest.strip_prefix(':').and_then(number) else { break };
        (*part, rest, has_minutes) = (value, after, true);
    }
    let word = rest.trim_start();
    let half = ["am", "a.m.", "pm", "p.m."].iter().find(|half| word.starts_with(**half));
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => {
            rest = &word[half.len()..];
            hour % 12 + if half.starts_with('p') { 12 } else { 0 }
        }
        Some(_) => return None,
        // A number alone may be anything.
        None if has_minutes => hour,
        None => return None,
    };
    let part = |value: u64| i8::try_from(value).ok();
    let time = Time::new(part(hour)?, part(parts[0])?, part(parts[1])?, 0).ok()?;
    Some((time, rest))
}

/// The zone named in parentheses or as the next word. Words that are no zone leave it local; a zone that nobody knows is no zone, because
/// a wrong one is hours off.
fn zone(text: &str, zones: &Zones) -> Option<TimeZone> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('(') {
        let (name, _) = rest.split_once(')')?;
        return zones.named(name.trim());
    }
    let end = text.find(|one: char| !(one.is_ascii_alphanumeric() || "/_+-".contains(one)));
    let word = &text[..end.unwrap_or(text.len())];
    let is_zone = ["utc", "gmt", "z"].contains(&word) || word.contains('/');
    if is_zone { zones.named(word) } else { Some(zones.local()) }
}

fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|one: char| !one.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

fn seconds(at: Timestamp) -> Option<u64> {
    // One that is long past means now.
    Some(u64::try_from(at.as_second()).unwrap_or(0))
}
