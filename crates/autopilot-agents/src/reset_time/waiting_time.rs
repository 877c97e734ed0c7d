//! Reads how long something takes: `2 hours 5 minutes`, `1h30m`, `37s`, `30`.

/// Seconds, a begun one counted whole. A number without a unit, alone, counts so many milliseconds.
pub(super) fn read(text: &str, unit_ms: u64) -> Option<u64> {
    let mut rest = text;
    let mut total_ms = 0_u64;
    let mut parts = 0;
    while let Some((thousandths, after)) = number(rest) {
        let Some((each_ms, after)) = unit(after) else {
            if parts == 0 {
                total_ms = thousandths.saturating_mul(unit_ms) / 1_000;
                parts = 1;
            }
            break;
        };
        total_ms = total_ms.saturating_add(thousandths.saturating_mul(each_ms) / 1_000);
        parts += 1;
        let after = after.trim_start_matches([' ', ',']);
        rest = after.strip_prefix("and ").unwrap_or(after);
    }
    (parts > 0).then(|| total_ms.div_ceil(1_000))
}

/// In thousandths, because servers write `1.5s`. `a` and `an` before a unit are one.
fn number(text: &str) -> Option<(u64, &str)> {
    for one in ["an ", "a "] {
        let rest = text.strip_prefix(one).filter(|rest| unit(rest).is_some());
        if let Some(rest) = rest {
            return Some((1_000, rest));
        }
    }
    let end = text.find(|one: char| !one.is_ascii_digit()).unwrap_or(text.len());
    let whole: u64 = text[..end].parse().ok()?;
    let rest = &text[end..];
    let decimals = rest.strip_prefix('.').unwrap_or("");
    let digits = decimals.find(|one: char| !one.is_ascii_digit()).unwrap_or(decimals.len());
    if digits == 0 {
        return Some((whole.saturating_mul(1_000), rest));
    }
    let kept = &decimals[..digits.min(3)];
    let thousandths: u64 = format!("{kept:0<3}").parse().ok()?;
    Some((whole.saturating_mul(1_000).saturating_add(thousandths), &decimals[digits..]))
}

/// Milliseconds of one unit. The text is in lower case.
fn unit(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start_matches([' ', '-']);
    let end = text.find(|one: char| !one.is_ascii_alphabetic()).unwrap_or(text.len());
    // In `1h30m` a unit ends where the next number begins.
    let each_ms = match &text[..end] {
        "ms" | "millisecond" | "milliseconds" => 1,
        "s" | "sec" | "secs" | "second" | "seconds" => 1_000,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000,
        "d" | "day" | "days" => 86_400_000,
        "w" | "week" | "weeks" => 7 * 86_400_000,
        _ => return None,
    };
    Some((each_ms, &text[end..]))
}
