//! Every snapshot names a test file that exists. Whether a test still uses it only a test run knows: `cargo xtask test` asks.

use super::Violation;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (file, text) in tree.texts().filter(|(file, _)| file.path.ends_with(".snap")) {
        let named = text.lines().take(10).find_map(|line| line.strip_prefix("source: "));
        let source = named.unwrap_or_default().trim().trim_matches('"');
        if !tree.holds(source) {
            let message = format!("its test file {source:?} does not exist: delete the snapshot");
            found.push(Violation { path: file.path.clone(), line: 1, rule: "snapshot", message });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::broken;
    use super::*;

    #[test]
    fn a_snapshot_belongs_to_a_test_file() {
        let snapshot =
            ("a/tests/snapshots/x__y.snap", "---\nsource: a/tests/x.rs\nexpression: y\n---\nz\n");
        assert_eq!(broken(check, &[snapshot]), ["a/tests/snapshots/x__y.snap:1 snapshot"]);
        assert!(broken(check, &[snapshot, ("a/tests/x.rs", "")]).is_empty());
        assert_eq!(broken(check, &[("b.snap", "no header\n")]), ["b.snap:1 snapshot"]);
    }
}
