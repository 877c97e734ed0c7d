//! Compares what a page shows with what was printed, without what is another one every time: names of runs, commits, times, sizes,
//! versions, places. What is written into a page has fixed ones in their place.

/// Commits as pages show them, in the order in which they appear.
const COMMITS: [&str; 6] = ["8b53059a", "242918d4", "1779239a", "0936bdf8", "5d21c0f4", "c7e9a613"];
const RUN: &str = "run-20260102-030405-wjhg";
const DAY: &str = "2026-01-02";
const TIME: &str = "2026-01-02T03:04:05Z";
/// A number before one of these is a measurement.
const UNITS: [&str; 8] = ["s", "ms", "min", "B", "kB", "MB", "GiB", "GB"];
const MEASURED: &str = "MEASURED";

/// Whether a page shows this. A line that begins with `…` stands for lines that are left out.
pub(super) fn shows(page: &str, printed: &str) -> bool {
    let printed = words(printed);
    let mut parts = vec![String::new()];
    for line in page.lines() {
        match line.trim_start().starts_with('…') {
            true => parts.push(String::new()),
            false => parts.last_mut().unwrap().push_str(&format!("{line}\n")),
        }
    }
    if let [all] = parts.as_slice() {
        return words(all) == printed;
    }
    let mut rest = printed.as_slice();
    let last = parts.len() - 1;
    for (number, part) in parts.iter().enumerate() {
        let part = words(part);
        let found = (0..=rest.len().saturating_sub(part.len()))
            .find(|at| rest[*at..].starts_with(&part) && (number > 0 || *at == 0));
        let Some(at) = found else { return false };
        rest = &rest[at + part.len()..];
        if number == last && !part.is_empty() && !rest.is_empty() {
            return false;
        }
    }
    true
}

/// What was printed, as a page shows it.
pub(super) fn for_a_page(printed: &str) -> String {
    let mut known: Vec<String> = Vec::new();
    let mut commit = |word: &str| {
        let at = known.iter().position(|other| other == word).unwrap_or_else(|| {
            known.push(word.to_string());
            known.len() - 1
        });
        COMMITS[at % COMMITS.len()].to_string()
    };
    stand_ins(printed, &mut commit)
}

/// Word by word: how lines are broken depends on the length of a path.
fn words(text: &str) -> Vec<String> {
    let text = stand_ins(text, &mut |_| "COMMIT".to_string());
    let plain = |word: &str| word.trim_matches(|c: char| "[](),.;:".contains(c)).to_string();
    let mut found: Vec<String> = Vec::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let is_number = plain(word).parse::<f64>().is_ok();
        if is_number && words.next_if(|next| UNITS.contains(&plain(next).as_str())).is_some() {
            // `1 min 37 s` is one measurement, as `12 s` is.
            if found.last().is_none_or(|last| last != MEASURED) {
                found.push(MEASURED.to_string());
            }
            continue;
        }
        let is_level = found.last().is_some_and(|last| last == "level");
        let is_other = is_level || is_version(&plain(word));
        found.push(if is_other { word.replace(&plain(word), "NUMBER") } else { word.to_string() });
    }
    found
}

fn is_version(word: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    word.split('.').count() == 3 && word.split('.').all(is_number)
}

/// Names of runs, days, times and commits replaced.
fn stand_ins(text: &str, commit: &mut impl FnMut(&str) -> String) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == ':';
    let mut replaced = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        replaced.push_str(&word_replaced(word, commit));
        let skip = after.chars().next().map_or(0, char::len_utf8);
        replaced.push_str(&after[..skip]);
        rest = &after[skip..];
    }
    replaced
}

fn word_replaced(word: &str, commit: &mut impl FnMut(&str) -> String) -> String {
    if let Some(at) = word.find("run-2").filter(|at| word.len() >= at + RUN.len()) {
        let (before, rest) = word.split_at(at);
        let (_, after) = rest.split_at(RUN.len());
        return format!("{}{RUN}{after}", before_run(before));
    }
    let core = word.trim_end_matches(':');
    let colons = &word[core.len()..];
    let is_hex = core.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c));
    match core.len() {
        20 if is_day(&core[..10]) && core.ends_with('Z') => format!("{TIME}{colons}"),
        10 if is_day(core) => format!("{DAY}{colons}"),
        8 if is_hex => format!("{}{colons}", commit(core)),
        _ => word.to_string(),
    }
}

/// `completion-<day>-` stands before the name of a run in the name of its report.
fn before_run(before: &str) -> String {
    match before.strip_suffix('-').and_then(|rest| rest.split_at_checked(rest.len().max(10) - 10)) {
        Some((name, day)) if is_day(day) => format!("{name}{DAY}-"),
        _ => before.to_string(),
    }
}

fn is_day(text: &str) -> bool {
    let shape = |(at, c): (usize, char)| match at {
        4 | 7 => c == '-',
        _ => c.is_ascii_digit(),
    };
    text.len() == 10 && text.starts_with('2') && text.chars().enumerate().all(shape)
}

#[test]
fn a_page_shows_what_differs_only_in_what_always_differs() {
    let printed = "run-20261118-050348-jx6c took 1 min 35 s\n  git 2.39.5\nmain is at\n8dda1195\n";
    assert!(shows(
        "run-20260102-030405-wjhg took 2.1 s\ngit 2.47.3\nmain is at 0936bdf8\n",
        printed
    ));
    assert!(!shows("run-20260102-030405-wjhg took 2.1 s\n", printed));
    assert!(shows("run-20260102-030405-wjhg took 2.1 s\n…\n", printed));
    assert!(shows("…\ngit 2.47.3\n…\n", printed));
    assert!(!shows("git 2.47.3\n…\n", printed), "what is left out is said");
    assert!(!shows("…\nmain is at 0936bdf8\n…\ngit 2.47.3\n…\n", printed), "the order counts");
    assert!(!shows("…\ngit 2.47.3\n", printed), "the end counts");
    let page = for_a_page(
        "completion-2026-11-18-run-20261118-050348-jx6c.md, 8dda1195: 2026-11-18T05:04:03Z\n",
    );
    assert_eq!(
        page,
        "completion-2026-01-02-run-20260102-030405-wjhg.md, 8b53059a: 2026-01-02T03:04:05Z\n"
    );
}
