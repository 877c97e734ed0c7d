//! Words of real agents and of those one can think of, around clocks that are set forward and back.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::*;

/// The rules of New York and Berlin as they are today, so that no database is needed.
fn named(name: &str) -> Option<TimeZone> {
    match name {
        "america/new_york" => TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").ok(),
        "europe/berlin" => TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").ok(),
        _ => None,
    }
}

fn at(moment: &str) -> u64 {
    u64::try_from(moment.parse::<Timestamp>().unwrap().as_second()).unwrap()
}

/// On a machine in Berlin.
fn check(now: &str, text: &str, expected: &str) {
    let zones = Zones::of(named("europe/berlin").unwrap(), named);
    let found = read(text, at(now), &zones);
    let found = found.and_then(|at| Timestamp::from_second(i64::try_from(at).unwrap()).ok());
    let found = found.map_or_else(|| "none".to_string(), |at| at.to_string());
    assert_eq!(found, expected, "{text} at {now}");
}

const NOON: &str = "2026-11-16T12:00:00Z";

#[test]
fn a_time_of_day_is_the_next_one_in_its_zone() {
    let limit = "You've hit your 5-hour limit · resets 3:33am (UTC)";
    check("2026-11-16T01:00:00Z", limit, "2026-11-16T03:33:00Z");
    check(NOON, limit, "2026-11-17T03:33:00Z");
    check("2026-12-31T23:00:00Z", limit, "2027-01-01T03:33:00Z");
    check(NOON, "resets at 15:30", "2026-11-16T14:30:00Z");
    check(NOON, "resets at 15:30 UTC", "2026-11-16T15:30:00Z");
    check(NOON, "resets at 15:30:10 today", "2026-11-16T14:30:10Z");
    check(NOON, "Resets 3am (America/New_York)", "2026-11-17T08:00:00Z");
    check(NOON, "resets 3 PM (america/new_york)", "2026-11-16T20:00:00Z");
    check(NOON, "You've hit your usage limit. Try again at 3:05 PM.", "2026-11-16T14:05:00Z");
    check(NOON, "resets 12am (UTC)", "2026-11-17T00:00:00Z");
    check(NOON, "resets 12:30 p.m. (UTC)", "2026-11-16T12:30:00Z");
    // In Berlin it is tomorrow already.
    check("2026-11-16T23:30:00Z", "resets 1am", "2026-11-17T00:00:00Z");
    check("2026-11-16T23:30:00Z", "resets 1am (UTC)", "2026-11-17T01:00:00Z");
}

#[test]
fn a_time_that_has_just_passed_means_now_and_an_earlier_one_tomorrow() {
    check("2026-11-16T03:33:40Z", "resets 3:33am (UTC)", "2026-11-16T03:33:40Z");
    check("2026-11-16T03:43:00Z", "resets 3:33am (UTC)", "2026-11-16T03:43:00Z");
    check("2026-11-16T03:43:01Z", "resets 3:33am (UTC)", "2026-11-17T03:33:00Z");
    check("2026-11-16T03:32:59Z", "resets 3:33am (UTC)", "2026-11-16T03:33:00Z");
}

#[test]
fn clocks_that_are_set_forward_leave_a_time_out() {
    // Berlin, 29 March 2026: after 01:59:59 comes 03:00:00.
    check("2026-03-29T00:30:00Z", "resets 2:30am", "2026-03-29T01:30:00Z");
    check("2026-03-29T00:30:00Z", "resets 3:30am", "2026-03-29T01:30:00Z");
    check("2026-03-28T22:00:00Z", "resets 6am", "2026-03-29T04:00:00Z");
    // New York, 8 March 2026.
    check("2026-03-08T05:30:00Z", "resets 2:30am (America/New_York)", "2026-03-08T07:30:00Z");
    check("2026-03-08T05:30:00Z", "resets 9am (America/New_York)", "2026-03-08T13:00:00Z");
}

#[test]
fn clocks_that_are_set_back_show_a_time_twice() {
    // Berlin, 25 October 2026: after 02:59:59 comes 02:00:00 once more, at 01:00:00 UTC.
    check("2026-10-24T23:30:00Z", "resets 2:30am", "2026-10-25T00:30:00Z");
    check("2026-10-25T00:50:00Z", "resets 2:30am", "2026-10-25T01:30:00Z");
    check("2026-10-25T01:50:00Z", "resets 2:30am", "2026-10-26T01:30:00Z");
    check("2026-10-24T22:00:00Z", "resets 6am", "2026-10-25T05:00:00Z");
    // New York, 1 November 2026.
    check("2026-11-01T05:45:00Z", "resets 1:30am (America/New_York)", "2026-11-01T06:30:00Z");
}

#[test]
fn dates_are_read_with_and_without_a_year() {
    check(NOON, "resets Nov 20, 9am (America/New_York)", "2026-11-20T14:00:00Z");
    check(NOON, "try again at November 20th, 2026 3:05 PM.", "2026-11-20T14:05:00Z");
    check("2026-12-30T12:00:00Z", "resets Jan 2 at 3am (UTC)", "2027-01-02T03:00:00Z");
    // A date that was yesterday is over.
    check(NOON, "resets Nov 15, 9am (UTC)", NOON);
    check(NOON, "resets Feb 30, 9am (UTC)", "none");
}

#[test]
fn moments_that_programs_write_are_read() {
    check(
        "2026-11-16T03:00:00Z",
        r#"{"status":"rejected","resetsAt":1794800000}"#,
        "2026-11-16T03:33:20Z",
    );
    check("2026-11-16T03:00:00Z", r#"{"resets_at": 1794800000123}"#, "2026-11-16T03:33:20Z");
    check(
        "2026-11-16T03:00:00Z",
        "Claude AI usage limit reached|1794800000",
        "2026-11-16T03:33:20Z",
    );
    check(NOON, r#""resetsAt":"2026-11-16T15:33:00Z""#, "2026-11-16T15:33:00Z");
    check(NOON, "resets at 2026-11-16T15:33:00+02:00.", "2026-11-16T13:33:00Z");
    check(NOON, "resets at 2026-11-16 15:33", "2026-11-16T14:33:00Z");
    check(NOON, "resets at 2026-11-16T15:33:00", "2026-11-16T14:33:00Z");
    check(NOON, "retry-after: Mon, 16 Nov 2026 12:00:30 GMT", "2026-11-16T12:00:30Z");
    // What is past is over.
    check(NOON, r#""resetsAt":1794800000"#, NOON);
    check(NOON, "resets at 2020-01-01T00:00:00Z", NOON);
}

#[test]
fn waiting_times_count_from_now() {
    let after = |text: &str, wait_s: i64| {
        let expected = NOON.parse::<Timestamp>().unwrap().as_second() + wait_s;
        check(NOON, text, &Timestamp::from_second(expected).unwrap().to_string());
    };
    after("try again in 2 hours 5 minutes", 7_500);
    after("Please try again in 5 days, 3 hours and 2 minutes.", 442_920);
    after("Your quota will reset after 2h5m10s.", 7_510);
    after("retry-after: 30", 30);
    after("Retry-After: 0", 0);
    after("Please retry in 37.5s.", 38);
    after(r#""retryDelay": "37s""#, 37);
    after(r#""retry_delay_ms":621"#, 1);
    after("resets_in_seconds=90", 90);
    after("try again in an hour", 3_600);
    after("try again in 20 seconds; resets at 15:30", 20);
}

#[test]
fn what_names_no_moment_gives_none() {
    for text in [
        "",
        "You've hit your usage limit.",
        "resets soon",
        "resets at 3",
        "resets 25:00",
        "resets 13am",
        "resets 3am (PST)",
        "resets 3am (Nowhere/Land)",
        "try again in a few minutes",
        "retry after the reset",
        "presets 3am",
        "the counter resets 12 times",
        "resetsAt: 99999999999999999999",
        "resets at 9999999999",
        "try again in 99999999999999 hours",
    ] {
        check(NOON, text, "none");
    }
}

#[test]
fn a_clock_that_jumped_does_not_make_a_run_wait_for_years() {
    // Set back to 1970, a moment of today is decades away and not believed; a waiting time holds.
    check("1970-01-02T00:00:00Z", r#""resetsAt":1794800000"#, "none");
    check("1970-01-02T00:00:00Z", "try again in 5 minutes", "1970-01-02T00:05:00Z");
    check("1970-01-02T00:00:00Z", "resets 3:33am (UTC)", "1970-01-02T03:33:00Z");
    // Set forward, it is over.
    check("2040-01-01T00:00:00Z", r#""resetsAt":1794800000"#, "2040-01-01T00:00:00Z");
}
