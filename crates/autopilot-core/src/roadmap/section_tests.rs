//! ROAD-2: the fields of a phase in the spellings people use.

use super::*;
use crate::finding::Findings;

fn section(text: &str) -> Section<'_> {
    read(&markdown::structure(text, &mut Findings::of_file("R.md")))
}

fn criteria(text: &str) -> Vec<String> {
    section(text).criteria.into_iter().map(|criterion| criterion.text.into_owned()).collect()
}

/// The short cut for the usual template must not read anything into a line that is not there otherwise.
#[test]
fn a_line_of_the_template_says_what_its_label_says() {
    let starts = [
        "**Goal**:",
        "**Depends on**:",
        "**Requirements**:",
        "**Success Criteria** (what must be TRUE):",
        "**Plans**:",
        "Plans:",
    ];
    for start in starts {
        for value in ["", " ", " Phase 1 ", "\u{A0}x\u{A0}", " **a**: b", ": c (d)"] {
            let line = format!("{start}{value}");
            let (name, said) = markdown::label(&line).unwrap();
            let (label, value) = Label::of_template(&line).unwrap();
            assert_eq!(Some(label), Label::of(name), "{line}");
            assert_eq!(value.trim_start_matches(':').trim(), said.trim_start_matches(':').trim());
        }
    }
    assert_eq!(Label::of_template("**Goals**: x"), None);
    assert_eq!(Label::of_template("Plans"), None);
}

#[test]
fn every_field_in_its_usual_spelling() {
    let read = section(
        "**Goal**: People log in\n**Depends on**: Phase 1\n**Requirements**: AUTH-01, AUTH-02\n**Mode:** mvp\n\
         **UI hint**: yes\n**Status**: Complete\n**Description**: With a password\n\
         **Success Criteria** (what must be TRUE):\n  1. One\n  2. Two\n**Plans**: 2 plans\n\n\
         Plans:\n- [x] 01-01-PLAN.md — first\n- [ ] 01-02-PLAN.md — second\n",
    );
    assert_eq!(read.goal, "People log in");
    assert_eq!(read.description, "With a password");
    assert_eq!(read.depends_on, Some((2, "Phase 1".into())));
    assert_eq!(read.requirements, ["AUTH-01", "AUTH-02"]);
    assert_eq!(read.criteria.len(), 2);
    assert_eq!(
        (read.mode.as_ref(), read.ui_hint.as_ref(), read.status.as_ref()),
        ("mvp", "yes", "Complete")
    );
    let plans: Vec<(bool, u32)> = read.plans.iter().map(|plan| (plan.is_done, plan.line)).collect();
    assert_eq!(plans, [(true, 14), (false, 15)]);
}

#[test]
fn a_goal_may_go_on_over_lines_and_ends_at_structure() {
    let check = |text: &str, expected: &str| assert_eq!(section(text).goal, expected, "{text}");
    check("**Goal**: one\ntwo\nthree\n\nfour", "one two three");
    check("**Goal:** one\n- item", "one");
    check("**Goal**: one\n**Anything**: else", "one");
    check("**Goal**:\none", "one");
    check("Goal: one", "one");
    check("**Goal**：一", "一");
    check("**Goal**: first\n\n**Goal**: a quoted second", "first");
    check("**Milestone Goal:** not ours", "");
    check("**Ziel**: Anmelden", "Anmelden");
}

#[test]
fn criteria_lists_in_every_shape() {
    let check = |text: &str, expected: &[&str]| assert_eq!(criteria(text), expected, "{text}");
    check("**Success Criteria**:\n1. a\n2. b\n", &["a", "b"]);
    check("**Success Criteria**:\n\n- a\n- [x] b\n", &["a", "b"]);
    check(
        "**Success Criteria**:\n  1. a\n     goes on\n     - nested\n  2. b\n",
        &["a goes on - nested", "b"],
    );
    check("**Success Criteria**:\n1. a\n\nProse after.\n1. not ours\n", &["a"]);
    check("**Success Criteria**: just one", &["just one"]);
    check("**Success Criteria**:\n1. a\n**Plans**: TBD\n1. no\n", &["a"]);
    check("**Acceptance Criteria**:\n* a\n", &["a"]);
}

#[test]
fn dependencies_under_labels_of_every_kind() {
    let check = |text: &str, expected: &str| {
        assert_eq!(
            section(text).depends_on.map(|(_, text)| text).as_deref(),
            Some(expected),
            "{text}"
        );
    };
    check("**Depends on**:\n- Phase 1\n- Phase 2\n", "Phase 1, Phase 2");
    check("**Depends on**: Phase 3\n- Phase 4\n", "Phase 3, Phase 4");
    check("**Depends on**:\n\n- Phase 1\n", "Phase 1");
    check("*Depends on*: Phase 3", "Phase 3");
    check("_Depends on_: Phase 3", "Phase 3");
    check("**Depends on** Phase 3", "Phase 3");
    check("**Depends on** — Phase 3", "Phase 3");
    check("**Depends-on**: Phase 3", "Phase 3");
    check("depends_on: Phase 3", "Phase 3");
    check("**Depends  on**: Phase 3", "Phase 3");
    check("**Depends on (phases)**: Phase 3", "Phase 3");
    check("**Blocked by**: Phase 3", "Phase 3");
}
