//! Which words are claims, and which only look like some.

use super::*;

/// `file:line {quotes}`, then commits with their files.
fn told(text: &str) -> String {
    let claims = of_text(text);
    let places = claims.places.iter().map(|place| {
        let quotes = place.any_of.join("|");
        format!(
            "{}:{}{}",
            place.file,
            place.line.unwrap(),
            if quotes.is_empty() { String::new() } else { format!(" {{{quotes}}}") }
        )
    });
    let commits = claims.commits.iter().map(|one| match one.files.is_empty() {
        true => one.name.clone(),
        false => format!("{} ({})", one.name, one.files.join(", ")),
    });
    places.chain(commits).collect::<Vec<_>>().join(" / ")
}

#[test]
fn places_are_read_as_people_write_them() {
    let check = |text: &str, expected: &str| assert_eq!(told(text), expected, "{text}");
    check("a wrong name is refused -- src/lib.rs:12 -- it returns early", "src/lib.rs:12");
    check(
        "see `src/lib.rs:12`, (web/app.tsx:3-9) and \"a_b.py:7:1\".",
        "src/lib.rs:12 / web/app.tsx:3 / a_b.py:7",
    );
    check("./src/lib.rs#L40 and b/src/main.rs:2", "src/lib.rs:40 / src/main.rs:2");
    check("app/[id]/page.tsx:4", "app/[id]/page.tsx:4");
    check("app/(group)/page.tsx:4 but app/(group/page.tsx:5", "app/(group)/page.tsx:4");
    check("/state/slot-1/src/lib.rs:12", "/state/slot-1/src/lib.rs:12");
    check("lib.rs:3 twice: lib.rs:3", "lib.rs:3");
}

#[test]
fn what_may_be_something_else_is_no_place() {
    for text in [
        "it listens on localhost:8080 and 127.0.0.1:5432, db.internal:5432, example.com:443",
        "at 12:30:10 on 2026-11-16 10:20, v1.2:3, ratio 3.5:1, node:18, std::fs:12, lib:1",
        "node_modules/left-pad/index.js:3 and target/debug/build.rs:2, ../other/a.rs:3",
        "https://host.dev/a.js:12",
        "01-01-PLAN.md:12 and .planning/ROADMAP.md:3",
        "src/lib.rs:0, src/lib.rs:12px, src/lib.rs:1.5, src/lib.rs",
        "tests/login.rs:1 does not exist",
        "src/old.rs:10 was removed",
    ] {
        assert_eq!(told(text), "", "{text}");
    }
}

#[test]
fn code_in_backticks_belongs_to_the_one_place_beside_it() {
    let check = |text: &str, expected: &str| assert_eq!(told(text), expected, "{text}");
    check(
        "src/lib.rs:12 -- `fn refuse(name: &str)` is there",
        "src/lib.rs:12 {fn refuse(name: &str)}",
    );
    check("`cargo test` shows src/lib.rs:12, flag `--all`, file `src/a.rs`, `ok`", "src/lib.rs:12");
    check(
        "src/lib.rs:12 and src/main.rs:3 both call `refuse(name)`",
        "src/lib.rs:12 / src/main.rs:3",
    );
    check("src/lib.rs:12 does not call `refuse(name)`", "src/lib.rs:12");
    check("src/lib.rs:12 -- an odd ` backtick", "src/lib.rs:12");
}

#[test]
fn only_what_is_called_a_commit_is_one() {
    let check = |text: &str, expected: &str| assert_eq!(told(text), expected, "{text}");
    check("commit abc1234 is the base", "abc1234");
    check("done in `4f2a9c01d` (commit), commit:1234abc", "4f2a9c01d / 1234abc");
    check("the SHA is deadbe1f.", "deadbe1f");
    check("see commit:1234abc", "1234abc");
    check("commit abc1234 changes src/lib.rs", "abc1234 (src/lib.rs)");
    check("commit abc1234 adds src/lib.rs:12", "src/lib.rs:12 / abc1234 (src/lib.rs)");
    check("at commit abc1234 src/lib.rs:12 has it", "src/lib.rs:12 / abc1234");
    check("commits abc1234 and abc1235 change src/lib.rs", "abc1234 / abc1235");
    for text in [
        "the page was defaced, commit it",
        "commit 20261116",
        "color ff00aa1 is used",
        "hash abc1234 of the file",
        "hash:abc1234 and etag=abc1235",
        "is it abc1234 or not; and who would, after that, call it a commit",
        "commit sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "commit ABC1234X",
        "550e8400-e29b-41d4 is the id of the commit",
    ] {
        assert_eq!(told(text), "", "{text}");
    }
}

#[test]
fn many_claims_are_cut_to_what_an_event_can_hold() {
    let text: Vec<String> =
        (1..200).map(|line| format!("src/lib.rs:{line} commit {line:07}a")).collect();
    let mut claims = Claims::default();
    claims.read(&text.join(" "));
    assert_eq!(claims.places.len(), limits::PROSE_PLACES_MAX);
    assert_eq!(claims.commits.len(), limits::COMMITS_CLAIMED_MAX);
}

#[test]
fn words_of_code_in_a_sentence_are_looked_for_where_nothing_is_quoted() {
    let check = |text: &str, expected: &[&str]| {
        let claims = of_text(text);
        assert_eq!(claims.places[0].mentions, expected, "{text}");
    };
    check("tests/t.py:15 asserts that window([1], 0) raises ValueError", &["window", "ValueError"]);
    check("src/a.rs:3 calls check_user, and so does _inner_", &["check_user"]);
    check("src/a.rs:3 holds (check_user), see _own_name", &["check_user", "_own_name"]);
    check("src/a.rs:3 is as in do_it.rs", &[]);
    check("src/a.rs:3 refuses it, as on GitHub (see TypeScript)", &[]);
    check("src/a.rs:3 quotes `check_user()` and parse_it()", &[]);
    check("src/a.rs:3 does not call check_user", &[]);
    check("src/a.rs:3 is run by npm test (twice) and see f(x)", &[]);
}
