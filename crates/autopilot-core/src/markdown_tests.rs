//! The line forms real planning files use, and the ones that only look like them.

use super::*;
use crate::finding::Findings;

fn shown(text: &str) -> (Vec<u32>, usize) {
    let mut findings = Findings::of_file("R.md");
    let numbers = structure(text, &mut findings).iter().map(|line| line.number).collect();
    (numbers, findings.into_list().len())
}

#[test]
fn code_and_comments_are_not_structure() {
    assert_eq!(shown("a\n```\n## Phase 1: x\n```\nb"), (vec![1, 5], 0));
    assert_eq!(shown("a\n~~~ md\n```\n~~~\nb"), (vec![1, 5], 0));
    assert_eq!(shown("````\n```\n````\nb"), (vec![4], 0));
    assert_eq!(shown("<!-- x -->\nb\n<!--\n## Phase 2: y\n-->\nc"), (vec![2, 6], 0));
    assert_eq!(shown("```inline``` text\nb"), (vec![1, 2], 0));
    assert_eq!(shown("\u{FEFF}# T\r\nb\r\n"), (vec![1, 2], 0));
}

#[test]
fn what_never_closes_hides_nothing_and_is_reported_once_a_kind() {
    assert_eq!(shown("```a\n```b\n<!-- \nx"), (vec![1, 2, 3, 4], 2));
}

#[test]
fn many_unclosed_marks_are_read_in_linear_time() {
    let text = "```a\n~~~b\n<!-- c\n".repeat(100_000);
    assert_eq!(shown(&text).0.len(), 300_000);
}

#[test]
fn headings() {
    let check = |line: &str, expected: Option<(usize, &str)>| {
        assert_eq!(heading(line).map(|h| (h.level, h.text)), expected, "{line}");
    };
    check("## Phases", Some((2, "Phases")));
    check("   ### Phase 1: x ###", Some((3, "Phase 1: x")));
    check("### C#", Some((3, "C#")));
    check("    ## code", None);
    check("##Phases", None);
    check("####### seven", None);
    check("#", None);
}

#[test]
fn items_and_boxes() {
    let check = |line: &str, expected: Option<(usize, Tick, &str)>| {
        assert_eq!(item(line).map(|i| (i.indent, i.tick, i.text)), expected, "{line}");
    };
    check("- [x] done", Some((0, Tick::Ticked, "done")));
    check("  * [ ] open", Some((2, Tick::Open, "open")));
    check("+ [X] done", Some((0, Tick::Ticked, "done")));
    check("- plain", Some((0, Tick::NoBox, "plain")));
    check("  12. numbered", Some((2, Tick::NoBox, "numbered")));
    check("3) [ ] numbered", Some((0, Tick::Open, "numbered")));
    check("-[ ] slip", Some((0, Tick::Open, "slip")));
    check("- [~] begun", Some((0, Tick::Open, "begun")));
    check("- [✓] done", Some((0, Tick::Ticked, "done")));
    check("- [link](x)", Some((0, Tick::NoBox, "[link](x)")));
    check("-dash", None);
    check("**bold**", None);
    check("1.5 is a number", None);
}

#[test]
fn table_rows() {
    let list = |line: &'static str| cells(line).map(Vec::from_iter);
    assert_eq!(list("| a | b |"), Some(vec!["a", "b"]));
    assert_eq!(list("| `x | y` | b \\| c |"), Some(vec!["`x | y`", "b \\| c"]));
    assert_eq!(list("no row"), None);
}

#[test]
fn labels_in_every_spelling() {
    let check =
        |line: &str, expected: Option<(&str, &str)>| assert_eq!(label(line), expected, "{line}");
    check("**Goal**: Log in", Some(("Goal", "Log in")));
    check("**Goal:** Log in", Some(("Goal", "Log in")));
    check("**Goal**：登录", Some(("Goal", "登录")));
    check("**Goal：** x", Some(("Goal", "x")));
    check("- **Depends on**: Phase 1", Some(("Depends on", "Phase 1")));
    check("**Success Criteria** (what must be TRUE):", Some(("Success Criteria", "")));
    check("Plans:", Some(("Plans", "")));
    check("Depends on: Phase 2", Some(("Depends on", "Phase 2")));
    check("**bold** words in a line", None);
    check("`code`: x", None);
    check("plain prose without one", None);
}

#[test]
fn parentheses_are_left_out_also_nested_and_unclosed() {
    assert_eq!(without_parens("Phase 1 (see (2)), 3 (open"), "Phase 1 , 3 ");
}
