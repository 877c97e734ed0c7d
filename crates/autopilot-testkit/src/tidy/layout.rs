//! How a file begins and what it may be called.

use super::Violation;
use super::tree::{File, Tree};

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 8] =
    ["common", "helper", "helpers", "impl", "manager", "misc", "util", "utils"];

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (file, source) in tree.sources().filter(|(file, _)| !file.is_fixture()) {
        let has_header = source.text.starts_with("//! ");
        if !has_header && file.name() != "build.rs" {
            let message = "starts without `//!`: say what the file owns".to_string();
            found.push(Violation { path: file.path.clone(), line: 1, rule: "header", message });
        }
        if let Some(name) = empty_name(file) {
            let message = format!("`{name}` names nothing: name the one thing in it");
            found.push(Violation { path: file.path.clone(), line: 1, rule: "file-name", message });
        }
    }
    found
}

fn empty_name(file: &File) -> Option<&str> {
    if file.name() == "mod.rs" {
        return Some("mod.rs");
    }
    let parts = file.path.trim_end_matches(".rs").split('/');
    parts.into_iter().find(|part| EMPTY_NAMES.contains(part))
}

#[cfg(test)]
mod tests {
    use super::super::broken;
    use super::*;

    #[test]
    fn every_file_says_what_it_owns() {
        let check = |path: &str, text: &str| broken(check, &[(path, text)]);
        assert_eq!(check("a.rs", "use b;\n"), ["a.rs:1 header"]);
        assert_eq!(check("a.rs", "\n//! Late.\n"), ["a.rs:1 header"]);
        assert!(check("a.rs", "//! Owns a.\n").is_empty());
        assert!(check("x/build.rs", "fn main() {}\n").is_empty());
        assert!(check("x/fixtures/a.rs", "fn main() {}\n").is_empty());
    }

    #[test]
    fn a_name_says_something() {
        let check = |path: &str| broken(check, &[(path, "//! X.\n")]);
        assert_eq!(check("src/utils.rs"), ["src/utils.rs:1 file-name"]);
        assert_eq!(check("tests/common/a.rs"), ["tests/common/a.rs:1 file-name"]);
        assert_eq!(check("src/a/mod.rs"), ["src/a/mod.rs:1 file-name"]);
        assert!(check("src/commonplace.rs").is_empty());
    }
}
