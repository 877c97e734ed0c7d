//! Scenarios for every format, hostile files, and the promise that no text can break a written roadmap.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::finding::Finding;

/// What a person would see: the findings, then both files.
fn seen(file_name: &str, text: &str) -> String {
    let (draft, findings) = convert(file_name, text);
    let mut seen = String::new();
    for Finding { severity, place, message } in findings.into_list() {
        seen.push_str(&format!("{place}: {}: {message}\n", severity.word()));
    }
    if !draft.phases.is_empty() {
        let line = "=".repeat(20);
        seen.push_str(&format!("{line} ROADMAP.md\n{}", roadmap_text(&draft, file_name)));
        seen.push_str(&format!("{line} REQUIREMENTS.md\n{}", requirements_text(&draft, file_name)));
    }
    seen
}

#[test]
fn a_prd_json_becomes_stories_by_priority() {
    assert_snapshot!(seen("prd.json", include_str!("fixtures/prd.json")));
}

#[test]
fn stories_of_wrong_types_are_reported_and_the_others_kept() {
    assert_snapshot!(seen("prd.json", include_str!("fixtures/prd_wrong_types.json")));
}

#[test]
fn a_ralphex_plan_becomes_its_tasks() {
    assert_snapshot!(seen("docs/plans/quiet.md", include_str!("fixtures/ralphex.md")));
}

#[test]
fn a_spec_kit_list_becomes_its_phases_with_their_dependencies() {
    assert_snapshot!(seen("specs/004-herbarium/tasks.md", include_str!("fixtures/spec_kit.md")));
}

#[test]
fn an_open_spec_list_becomes_its_groups() {
    let file_name = "openspec/changes/add-delimiter/tasks.md";
    assert_snapshot!(seen(file_name, include_str!("fixtures/open_spec.md")));
}

#[test]
fn headings_with_check_boxes_are_phases() {
    assert_snapshot!(seen("PLAN.md", include_str!("fixtures/milestones.md")));
}

#[test]
fn items_of_a_list_without_headings_are_phases() {
    assert_snapshot!(seen("TODO.md", include_str!("fixtures/flat.md")));
}

#[test]
fn lists_count_when_there_is_no_check_box() {
    assert_snapshot!(seen("shop.md", include_str!("fixtures/lists.md")));
}

#[test]
fn names_cannot_break_the_roadmap() {
    let text = "# A `title` | with <!-- everything -->\n\n\
                ### Phase 7 is only text\n\n\
                ## Phase 3: Phase 4: ### a | b `c` **d** ```\n- [ ] ```sh\n- [ ] # heading\n- [ ] - [ ] **Phase 9: no**\n\n\
                ## Phase 5:\n- [ ] - first | words\n- [ ] 1. two\n\n\
                ## </details> last\n- [ ] |a|b|\n- [ ] ends with `open\n";
    assert_snapshot!(seen("x.md", text));
}

#[test]
fn a_long_name_is_cut_and_stands_whole_in_the_goal() {
    let long = "word ".repeat(40);
    let (draft, _) = convert("x.md", &format!("## Phase 1: {long}\n\nThe reason.\n\n- [ ] a\n"));
    let phase = &draft.phases[0];
    assert_eq!(phase.name, format!("{}…", "word ".repeat(16).trim_end()));
    assert_eq!(phase.goal, format!("{}. The reason.", long.trim_end()));
}

#[test]
fn a_file_without_phases_is_an_error_that_names_the_forms() {
    for text in [
        "",
        "   \n\n",
        "Just prose.\n\nMore of it.\n",
        "# Title\n\n## Notes\n\n- a\n",
        "---\n",
        "#\n##\n",
    ] {
        let (draft, findings) = convert("x.md", text);
        assert_eq!(draft.phases, [], "{text:?}");
        let list = findings.into_list();
        assert!(
            list.iter()
                .any(|finding| finding.message.starts_with("no phases found; understood are")),
            "{list:?}"
        );
    }
}

#[test]
fn json_that_is_none_is_reported_with_its_line() {
    let check = |text: &str, line: Option<u32>, start: &str| {
        let (draft, findings) = convert("prd.json", text);
        assert_eq!(draft.phases, [], "{text}");
        let errors: Vec<_> =
            findings.into_list().into_iter().filter(|f| f.severity == Severity::Error).collect();
        let is_there = |f: &Finding| f.place.line == line && f.message.starts_with(start);
        assert!(errors.iter().any(is_there), "{text}: {errors:?}");
    };
    check("{\n \"userStories\": [\n  {]\n}", Some(3), "not valid JSON");
    check("", Some(1), "not valid JSON");
    check(&"[".repeat(100_000), Some(1), "not valid JSON");
    check("7", None, "no user stories found");
    check("{}", None, "no user stories found");
    check("{\"userStories\": {}}", None, "no user stories found");
    check("{\"userStories\": [\n1,\n[]]}", Some(2), "this story is a number");
}

#[test]
fn the_content_decides_the_kind() {
    let check = |file_name: &str, text: &str, expected: SourceKind| {
        assert_eq!(convert(file_name, text).0.source, expected, "{text}");
    };
    check("tasks.md", "## Phase 1: A\n- [ ] T001 a", SourceKind::SpecKit);
    check("tasks.md", "## Phase 1: A\n- [ ] a", SourceKind::Markdown);
    check("tasks.md", "### Task 1: A\n- [ ] a", SourceKind::Ralphex);
    check("tasks.md", "### Iteration 2: A\n- [ ] a", SourceKind::Ralphex);
    check("tasks.md", "## 1. A\n- [ ] 1.1 a", SourceKind::OpenSpec);
    check("tasks.md", "## 1. A\n- [ ] a", SourceKind::Markdown);
    check("openspec/changes/x/tasks.md", "## 1. A\n- [ ] a", SourceKind::OpenSpec);
    check("tasks.txt", "[{\"description\": \"a\"}]", SourceKind::PrdJson);
    check("tasks.md", "[link](x)\n\n- [ ] a", SourceKind::Markdown);
}

/// Phases as `number after dependencies`.
fn order(text: &str) -> String {
    let (draft, _) = convert("x.md", text);
    let show = |phase: &DraftPhase| {
        let before: Vec<String> = phase.depends_on.iter().map(PhaseId::to_string).collect();
        format!("{} after {}", phase.name, before.join("+"))
    };
    draft.phases.iter().map(show).collect::<Vec<_>>().join(", ")
}

#[test]
fn dependencies_are_taken_from_where_they_stand() {
    let check = |fields: [&str; 3], expected: &str| {
        let mut text = String::new();
        for (number, field) in (1..).zip(fields) {
            let name = ["Ash", "Birch", "Cedar"][number - 1];
            text.push_str(&format!(
                "## Phase {number}: {name}\n**Depends on**: {field}\n\n- [ ] a\n\n"
            ));
        }
        assert_eq!(order(&text), expected, "{fields:?}");
    };
    check(
        ["Nothing (first phase)", "Phase 1", "Phase 1 (for 2 reasons)"],
        "Ash after , Birch after 1, Cedar after 1",
    );
    check(["None", "none", "Phases 1-2"], "Ash after , Birch after , Cedar after 1+2");
    check(["-", "Ash", "Birch and Ash"], "Ash after , Birch after 1, Cedar after 1+2");
    check(["n/a", "Phase 1", "Ash, Birch"], "Ash after , Birch after 1, Cedar after 1+2");
    check(
        ["All previous phases", "Independent of Phase 1", "All previous phases"],
        "Ash after , Birch after , Cedar after 1+2",
    );
    check(["Phase 3", "Phase 1", "None"], "Cedar after , Ash after 1, Birch after 2");
    check(["Phase 2", "Phase 1", "Phase 3"], "Birch after , Ash after 1, Cedar after 2");
    check(["something else", "who knows", "Phase 77"], "Ash after , Birch after 1, Cedar after 2");
}

#[test]
fn a_dependency_that_is_not_understood_is_reported() {
    let (_, findings) = convert("x.md", "## Phase 1: A\n**Depends on**: the weather\n- [ ] a\n");
    let list = findings.into_list();
    assert!(
        list.iter().any(|f| f.place.line == Some(2) && f.message.contains("the weather")),
        "{list:?}"
    );
}

#[test]
fn sentences_of_spec_kit_are_understood() {
    let check = |sentence: &str, expected: &str| {
        let text = format!(
            "## Phase 1: Setup\n- [ ] T001 a\n## Phase 2: Foundational\n- [ ] T002 b\n\
             ## Phase 3: User Story 1 - One\n- [ ] T003 c\n## Phase 4: User Story 2 - Two\n- [ ] T004 d\n\
             ## Phase 5: User Story 3 - Three\n- [ ] T005 e\n\n## Dependencies\n\n- **US3 (Phase 5)**: {sentence}\n"
        );
        let (draft, _) = convert("tasks.md", &text);
        let before: Vec<String> =
            draft.phases[4].depends_on.iter().map(PhaseId::to_string).collect();
        assert_eq!(before.join(" "), expected, "{sentence}");
    };
    check("Depends on US1 + US2 (needs both)", "3 4");
    check("Depends on US1+2", "3 4");
    check("depends on US1-US2", "3 4");
    check("Depends on User Stories 1 and 2 completion", "3 4");
    check("Can start after Foundational - Depends on US1 for the table", "2 3");
    check("Can run in parallel with US2, depends on US1 completion", "3");
    check("Depends on US1, can run in parallel with US2, US1", "3");
    check("Depends only on Phase 2. Edits one file.", "2");
    check("Depends on all previous phases", "1 2 3 4");
    check("Requires Setup complete", "1");
    check("No dependencies - can start immediately", "");
    check("Is the nicest of all", "4");
    check("Depends on the moon", "4");
}

#[test]
fn a_list_that_is_too_long_is_one_phase() {
    let list = |count: usize| (0..count).map(|n| format!("- [ ] item {n}\n")).collect::<String>();
    assert_eq!(convert("x.md", &list(30)).0.phases.len(), 30);
    let (draft, findings) = convert("x.md", &list(31));
    assert_eq!((draft.phases.len(), draft.phases[0].criteria.len()), (1, 31));
    let warned = |f: &Finding| f.message.starts_with("all of this is one phase");
    assert!(findings.into_list().iter().any(warned));
}

#[test]
fn a_list_of_the_phases_is_no_phase_beside_them() {
    let text = "## Phases\n- [x] **Phase 1: A** - a\n- [ ] Phase 2: B\n## Phase Details\n### Phase 1: A\n- [x] a\n### Phase 2: B\n";
    assert_eq!(order(text), "A after , B after 1");
    assert_eq!(order("- [x] Phase 1: A\n- [ ] Phase 2: B\n"), "A after , B after 1");
}

#[test]
fn a_numbered_chapter_is_a_phase_only_with_work_in_it() {
    assert_eq!(
        order("# T\n## 1. Introduction\n\nProse.\n\n## 2. Build\n- [ ] a\n## 3. Ship\n- [ ] b\n"),
        "Build after , Ship after 1"
    );
}

#[test]
fn too_many_phases_are_cut_with_an_error() {
    let text: String = (1..=1200)
        .map(|n| format!("## Phase {n}: P{n}\n**Depends on**: all previous phases\n- [ ] a\n"))
        .collect();
    let (draft, findings) = convert("x.md", &text);
    assert_eq!(draft.phases.len(), limits::DRAFT_PHASES_MAX);
    let is_error = |f: &Finding| {
        f.severity == Severity::Error && f.message.contains("200 phases were left out")
    };
    assert!(findings.into_list().iter().any(is_error));
}

#[test]
fn a_file_beyond_the_limit_is_refused() {
    let text = "- [ ] a\n".repeat(limits::FILE_BYTES_MAX as usize / 8 + 1);
    let (draft, findings) = convert("x.md", &text);
    assert_eq!(draft.phases, []);
    assert_eq!(findings.into_list()[0].severity, Severity::Error);
}

/// Files of the nastiest shapes. Together they take a second or two; anything quadratic would take hours.
#[test]
fn hostile_files_end() {
    let size = 1024 * 1024;
    let fill =
        |head: &str, unit: &str| format!("{head}{}", unit.repeat((size - head.len()) / unit.len()));
    let stories: String =
        (1..=900).map(|n| format!("## Phase {n}: User Story {n}\n- [ ] T{n:03} a\n")).collect();
    let files = [
        fill("", "- [ ] a\n  "),
        fill("", " "),
        fill("", "- "),
        fill("", "`"),
        fill("- [ ] ", "<!-- ` "),
        fill("- [ ] ", "verified by: `"),
        fill("", "## Phase 1: a\n- [ ] b\n"),
        fill("", "#"),
        fill("", "# a\n"),
        fill("", "**a"),
        fill("", "(T001"),
        fill(
            &format!("{stories}## Dependencies\n"),
            "- User Stories: depends on all user stories\n",
        ),
        fill(&format!("{stories}## Dependencies\n- User Stories: depends on "), "Phases 1-900 "),
        fill(&format!("{stories}## Dependencies\n"), "x"),
        fill("# a\n", "lazy line\n"),
        fill("{\"userStories\":[", "[],"),
    ];
    for text in files {
        let (draft, _) = convert("x.md", &text);
        roadmap_text(&draft, "x.md");
        requirements_text(&draft, "x.md");
    }
}

#[test]
fn deep_nesting_is_only_deep() {
    let text: String =
        (0..2000).map(|depth| format!("{}- [ ] item {depth}\n", " ".repeat(depth))).collect();
    let (draft, _) = convert("x.md", &text);
    assert_eq!(draft.phases.len(), 2);
    check_written(&draft);
}

/// An independent look at the written files, knowing nothing of the writer.
fn check_written(draft: &Draft) {
    let roadmap = roadmap_text(draft, "some/tasks.md");
    let heading = |line: &&str| line.starts_with("### Phase ");
    let listed =
        |line: &&str| line.starts_with("- [ ] **Phase ") || line.starts_with("- [x] **Phase ");
    let row = |line: &&str| line.starts_with("| ") && !line.starts_with("| Phase ");
    assert_eq!(roadmap.lines().filter(heading).count(), draft.phases.len(), "{roadmap}");
    assert_eq!(roadmap.lines().filter(listed).count(), draft.phases.len(), "{roadmap}");
    assert_eq!(roadmap.lines().filter(row).count(), draft.phases.len(), "{roadmap}");
    for (number, line) in (1..).zip(roadmap.lines().filter(heading)) {
        let name = line.strip_prefix(&format!("### Phase {number}: ")).unwrap();
        assert!(name.chars().any(char::is_alphanumeric), "{line:?}");
    }
    for (heading, line) in roadmap.lines().filter(heading).zip(roadmap.lines().filter(listed)) {
        let name = heading.trim_start_matches("### ");
        assert!(line[6..].starts_with(&format!("**{name}**")), "{line:?}");
    }
    for line in roadmap.lines().filter(row) {
        assert_eq!(line.matches('|').count(), 5, "{line:?}");
    }
    let details = roadmap.lines().skip_while(|line| *line != "## Phase Details").skip(1);
    for line in details.take_while(|line| *line != "## Progress") {
        let known = [
            "### Phase ",
            "**Goal**: ",
            "**Depends on**: ",
            "**Requirements**: ",
            "**Success Criteria** (what must be TRUE):",
            "**Source**: some/tasks.md:",
            "**Note**: ",
            "  ",
        ];
        assert!(line.is_empty() || known.iter().any(|start| line.starts_with(start)), "{line:?}");
    }
    let requirements = requirements_text(draft, "some/tasks.md");
    let ids: std::collections::BTreeSet<&str> =
        draft.requirements.iter().map(|r| r.id.as_str()).collect();
    assert_eq!(ids.len(), draft.requirements.len(), "ids are unique");
    for line in roadmap.lines().chain(requirements.lines()) {
        assert!(!line.contains(char::is_control), "{line:?}");
        assert!(!line.contains("<!--") && !line.trim_start().starts_with("```"), "{line:?}");
        assert_eq!(line.matches('`').count() % 2, 0, "{line:?}");
    }
    for phase in &draft.phases {
        assert!(phase.depends_on.iter().all(|before| *before < phase.number), "{phase:?}");
        assert!(phase.requirements.iter().all(|id| ids.contains(id.as_str())), "{phase:?}");
    }
}

fn check_any(file_name: &str, text: &str) {
    let (draft, findings) = convert(file_name, text);
    let has_error = findings.into_list().iter().any(|finding| finding.severity == Severity::Error);
    assert!(has_error || !draft.phases.is_empty(), "neither phases nor an error");
    check_written(&draft);
    assert_eq!(convert(file_name, text).0, draft, "the same text gives the same draft");
}

fn markdownish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("# ".to_owned()),
        Just("## Phase 1: ".to_owned()),
        Just("## Phase 2 - ".to_owned()),
        Just("### Task 3: ".to_owned()),
        Just("## 4. ".to_owned()),
        Just("- [ ] ".to_owned()),
        Just("- [x] ".to_owned()),
        Just("  - [ ] ".to_owned()),
        Just("- ".to_owned()),
        Just("1. ".to_owned()),
        Just("T001 [P] [US1] ".to_owned()),
        Just("**Goal**: ".to_owned()),
        Just("**Depends on**: Phase 2, Phase 1".to_owned()),
        Just("US-001: ".to_owned()),
        Just("```".to_owned()),
        Just("<!--".to_owned()),
        Just("-->".to_owned()),
        Just("`".to_owned()),
        Just("**".to_owned()),
        Just("|".to_owned()),
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("\n---\n".to_owned()),
        Just("\n## Dependencies\n".to_owned()),
        Just("User Story 1: depends on all stories".to_owned()),
        Just("<details>".to_owned()),
        Just("`cargo test` passes".to_owned()),
        Just("verified by: `make`".to_owned()),
        Just("\n## Validation Commands\n- `go test`\n".to_owned()),
        "[a-z]{1,6} ",
        "\\PC{0,5}",
        ".{0,3}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn json_value() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::{Value, json};
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "US-[0-3]".prop_map(Value::from),
        Just(json!(["US-1", "US-2"])),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        proptest::collection::vec(inner, 0..3).prop_map(Value::from)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        check_any("x.md", &text);
        check_any("x.json", &text);
    }

    #[test]
    fn no_markdown_breaks_a_roadmap(text in markdownish()) {
        check_any("x.md", &text);
    }

    #[test]
    fn no_story_breaks_a_roadmap(stories in proptest::collection::vec(
        proptest::collection::btree_map("id|title|description|acceptanceCriteria|priority|passes|dependsOn|notes|odd", json_value(), 0..8), 0..6)) {
        let text = serde_json::to_string_pretty(&serde_json::json!({ "userStories": stories })).unwrap();
        check_any("prd.json", &text);
    }
}
