//! Test files that were laid aside: their text is still there, under a name that no runner takes for tests. New tests may fill the count.

use super::language::{Language, file_name, is_found_by_runners, is_test_path};
use super::{Doubt, DoubtKind, FileChange, doubt};
use crate::finding::quote;

pub(super) fn look(changes: &[FileChange<'_>]) -> Vec<Doubt> {
    let ran = |path: &str| is_test_path(path) && is_found_by_runners(path);
    let parked = changes.iter().filter_map(|change| {
        let text = change.after?;
        // What is no source at all any more; another source is compared test by test.
        if Language::of(change.path).is_some() {
            return None;
        }
        let old = change.renamed_from.or_else(|| same_text_gone(changes, text))?;
        ran(old).then(|| {
            let name = quote(file_name(change.path));
            let fact = format!(
                "this file of tests was renamed to {name}, which no runner takes for tests"
            );
            doubt(DoubtKind::TestDeleted, old, None, fact)
        })
    });
    parked.collect()
}

/// A file that went while another came with what was in it.
fn same_text_gone<'a>(changes: &[FileChange<'a>], text: &str) -> Option<&'a str> {
    let is_it = |change: &&FileChange<'a>| change.after.is_none() && change.before == Some(text);
    changes.iter().find(is_it).map(|change| change.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "test('a', () => { assert.equal(f(1), 2); });\n";

    fn found(old: &str, new: &str) -> Vec<String> {
        let renamed = FileChange {
            path: new,
            before: Some(TEXT),
            after: Some(TEXT),
            renamed_from: Some(old),
        };
        let apart = [
            FileChange { path: old, before: Some(TEXT), after: None, renamed_from: None },
            FileChange { path: new, before: None, after: Some(TEXT), renamed_from: None },
        ];
        let files = |doubts: Vec<Doubt>| doubts.into_iter().map(|doubt| doubt.file).collect();
        let by_git: Vec<String> = files(look(&[renamed]));
        assert_eq!(by_git, files(look(&apart)) as Vec<String>, "{old} {new}");
        by_git
    }

    #[test]
    fn a_test_file_under_a_name_that_is_no_source_is_found_and_others_are_not() {
        for name in ["test/edge.test.js.orig", "test/edge.test.js.bak", "attic/edge.txt"] {
            assert_eq!(found("test/edge.test.js", name), ["test/edge.test.js"], "{name}");
        }
        assert!(found("test/edge.test.js", "test/edges.test.js").is_empty());
        assert!(found("src/edge.js", "src/edge.js.orig").is_empty(), "it was no test");
    }
}
