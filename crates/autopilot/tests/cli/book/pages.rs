//! Which pages of `docs/` are the book, and how one of them that is generated is compared or written anew. What the pages have in them is
//! read by testkit.

use std::fs;

use autopilot_testkit::book::{self, Block};

pub(super) fn text(page: &str) -> String {
    book::text(page).unwrap()
}

pub(super) fn blocks(page: &str) -> Vec<Block> {
    book::blocks(page).unwrap()
}

pub(super) fn is_rewriting() -> bool {
    std::env::var_os("AUTOPILOT_REWRITE").is_some()
}

/// Compares a page with what it should be, or writes it where that is asked for.
pub(super) fn settle(page: &str, expected: &str) {
    if is_rewriting() && text(page) != expected {
        fs::write(book::folder().join(page), expected).unwrap();
    }
    assert!(text(page) == expected, "docs/{page} is not up to date: cargo xtask book");
}

/// The pages SUMMARY.md lists, in its order.
pub(super) fn listed() -> Vec<String> {
    let summary = text("SUMMARY.md");
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    links.map(|(page, _)| page.to_string()).collect()
}
