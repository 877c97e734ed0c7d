//! The diagnostic of a phase below 9.0, compared as a whole, and what stands in where a reviewer named no file.

use super::*;
use crate::run::story;

#[test]
fn a_phase_below_nine_has_a_diagnostic_whose_items_have_file_deficiency_and_gain() {
    let story = story::told();
    let text = story.file("diagnostics/phase-3-confidence.md");
    insta::assert_snapshot!("confidence", text);
    let (_, way) = text.split_once("## Path to 9.0/10\n\n").unwrap();
    assert_eq!(way.lines().count(), 3);
    for item in way.lines() {
        let (file, rest) = item.split_once("**: ").unwrap();
        let (deficiency, gain) = rest.split_once(" -- ").unwrap();
        assert!(file.contains("**src/"), "{item}");
        assert!(!deficiency.is_empty() && gain.contains(char::is_numeric), "{item}");
    }
    let summary = &story.state.phases[2].summary;
    assert_eq!(summary.diagnostic.as_deref(), Some(".autopilot/diagnostics/phase-3-confidence.md"));
}

#[test]
fn paths_are_found_in_sentences() {
    let check = |text: &str, expected: Option<&str>| {
        assert_eq!(path_in(text).as_deref(), expected, "{text}");
    };
    check("see src/kind.rs:3, which is curt.", Some("src/kind.rs:3"));
    check("(`lib.rs`)", Some("lib.rs"));
    check("It works. Really.", None);
    check("http://example.org/x", None);
    check("rated 9.4", None);
}
