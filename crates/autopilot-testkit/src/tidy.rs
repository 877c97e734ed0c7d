//! The rules of this repository that the compiler and clippy cannot hold. Owns the list of rules and what a violation is;
//! each file in `tidy/` owns one kind of rule, `tidy/tree.rs` reads the files, `tidy/exceptions.rs` the exceptions.
//!
//! The test `tests/tidy.rs` runs all of it, so `cargo test` does.

use std::fmt;
use std::path::Path;

mod boundaries;
mod exceptions;
mod layout;
mod links;
mod places;
mod size;
mod snapshots;
mod source;
mod tree;
mod words;

use tree::Tree;
pub use tree::TreeError;

/// Where the exceptions are listed, seen from the root of the repository.
const EXCEPTIONS_FILE: &str = "crates/autopilot-testkit/tidy-exceptions.txt";

/// One broken rule. Lines count from 1; a violation by a whole file stands at line 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    pub path: String,
    pub line: usize,
    pub rule: &'static str,
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} {} {}", self.path, self.line, self.rule, self.message)
    }
}

/// Every violation in the repository at `root`, in the order of its files.
pub fn check(root: &Path) -> Result<Vec<Violation>, TreeError> {
    let tree = Tree::read(root)?;
    // Rules that saw no files would find nothing wrong: the list of exceptions must have been among what was read.
    let Some(listed) = tree.text_of(EXCEPTIONS_FILE) else {
        return Err(TreeError::NotOurs { root: root.into(), missing: EXCEPTIONS_FILE });
    };
    let mut found = exceptions::apply(listed, EXCEPTIONS_FILE, violations_of(&tree));
    found.sort();
    Ok(found)
}

fn violations_of(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    found.extend(size::check(tree));
    found.extend(layout::check(tree));
    found.extend(words::check(tree));
    found.extend(places::check(tree));
    found.extend(boundaries::check(tree));
    found.extend(links::check(tree));
    found.extend(snapshots::check(tree));
    found
}

/// What the unit tests of the rules compare: the places and rules of a small tree, without the sentences.
#[cfg(test)]
fn broken(check: fn(&Tree) -> Vec<Violation>, files: &[(&str, &str)]) -> Vec<String> {
    let mut found = check(&Tree::of(files));
    found.sort();
    found.iter().map(|v| format!("{}:{} {}", v.path, v.line, v.rule)).collect()
}
