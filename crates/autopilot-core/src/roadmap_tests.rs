//! ROAD-1 to ROAD-4 and ROAD-9 on whole roadmaps: every form named there, in texts of our own.

use proptest::prelude::*;

use super::*;
use crate::finding::Severity;

/// `id name status after[…]` a phase, then the findings.
fn shown(text: &str) -> Vec<String> {
    let (roadmap, findings) = read("R.md", text);
    let mut lines: Vec<String> = roadmap
        .phases
        .iter()
        .map(|phase| {
            let after: Vec<String> = phase.depends_on.iter().map(ToString::to_string).collect();
            let after = if after.is_empty() {
                String::new()
            } else {
                format!(" after {}", after.join(","))
            };
            format!("{}:{} {} {:?}{after}", phase.line, phase.id, phase.name, phase.standing)
        })
        .collect();
    lines.extend(findings.iter().map(|finding| {
        format!("{} {} {}", finding.severity.word(), finding.place, finding.message)
    }));
    lines
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(shown(text), expected, "{text}");
}

fn errors(text: &str) -> Vec<String> {
    let (_, findings) = read("R.md", text);
    findings
        .into_iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.message)
        .collect()
}

#[test]
fn list_and_details_are_merged_by_number() {
    check(
        "- [x] **Phase 01: Login** - in\n- [ ] **Phase 2: Cart** - out\n\n## Phase Details\n\n### Phase 1: Login\n**Goal**: g\n\n### Phase 02: Cart\n**Depends on**: Phase 1\n",
        &["6:1 Login Completed", "9:2 Cart NotStarted after 1"],
    );
}

#[test]
fn phases_in_lists_only_in_details_only_and_in_details_blocks() {
    check(
        "- [ ] Phase 1: A\n- [x] Phase 2: B (1/1 plans) — completed\n",
        &["1:1 A NotStarted", "2:2 B Completed"],
    );
    check("## Phase 1: A\n#### Phase 2: B\n", &["1:1 A NotStarted", "2:2 B NotStarted"]);
    check(
        "<details>\n<summary>v1 - SHIPPED</summary>\n\n- [x] Phase 1: A\n### Phase 2: B\n</details>\n\n### Phase 3: C\n",
        &["4:1 A Completed", "5:2 B Completed", "8:3 C NotStarted"],
    );
}

#[test]
fn code_and_comments_hold_no_phases() {
    check(
        "### Phase 1: A\n```\n### Phase 2: B\n```\n<!--\n### Phase 3: C\n-->\n",
        &["1:1 A NotStarted"],
    );
}

#[test]
fn a_phase_with_details_only_stands_where_its_number_belongs() {
    let text = "- [ ] **Phase 1: A** - a\n- [ ] **Phase 3: C** - c\n### Phase 1: A\n### Phase 1.1: B\n### Phase 3: C\n";
    let (roadmap, _) = read("R.md", text);
    let ids: Vec<String> = roadmap.phases.iter().map(|phase| phase.id.to_string()).collect();
    assert_eq!(ids, ["1", "1.1", "3"]);
}

#[test]
fn the_progress_table_counts_and_contradictions_are_told() {
    let table = "## Progress\n| Phase | Plans | Status |\n|---|---|---|\n| 1. A | 1/1 | Complete |\n| 2. B | 0/1 | Not started |\n";
    check(
        &format!("- [ ] **Phase 1: A** - a\n- [x] **Phase 2: B** - b\n\n{table}"),
        &[
            "1:1 A Completed",
            "2:2 B Completed",
            "note R.md:1 phase 1 is not ticked but complete in the Progress table (line 7); the table counts",
            "note R.md:8 phase 2 is ticked in line 2 but not complete in the Progress table; the tick counts",
        ],
    );
    check(&format!("### Phase 1: A\n\n{table}"), &["1:1 A Completed"]);
    let rows = "| 3. C | 0/1 | In progress |\n| 9. X | 1/1 | Complete |\n| 1. A | 1/1 | Complete |\n| 2. B | 1/1 | Skipped |\n| 3. C | 1/1 | Complete |\n";
    check(
        &format!(
            "### Phase 1: A\n### Phase 2: B\n### Phase 3: C\n## Progress\n| Phase | Plans | Status |\n|---|---|---|\n{rows}"
        ),
        &["1:1 A Completed", "2:2 B Skipped", "3:3 C Completed"],
    );
    let in_prose = table.replace("## Progress\n", "");
    check(&format!("### Phase 1: A\n\n{in_prose}"), &["1:1 A NotStarted"]);
}

#[test]
fn ranges_and_all_previous_phases_become_ids() {
    check(
        "### Phase 1: A\n### Phase 2: B\n### Phase 2.1: C\n### Phase 3: D\n**Depends on**: Phases 1-2.1\n### Phase 4: E\n**Depends on**: All previous phases\n### Phase 999.1: F (BACKLOG)\n",
        &[
            "1:1 A NotStarted",
            "2:2 B NotStarted",
            "3:2.1 C NotStarted",
            "4:3 D NotStarted after 1,2,2.1",
            "6:4 E NotStarted after 1,2,2.1,3",
            "8:999.1 F NotStarted",
        ],
    );
}

#[test]
fn a_goal_may_come_from_the_list() {
    let (roadmap, _) =
        read("R.md", "- [ ] **Phase 1: A** (INSERTED) - people log in (completed 2026-01-02)\n");
    assert_eq!(roadmap.phases[0].goal, "people log in");
    assert!(roadmap.phases[0].is_inserted);
}

#[test]
fn loud_errors() {
    assert_eq!(errors("# nothing\n"), [NO_PHASES]);
    assert_eq!(errors("- [ ] **Phase 1: A** - a\n### Phase 2: B\n").len(), 1);
    assert_eq!(errors("### Phase 1: A\n### Phase 01: B\n").len(), 1);
    assert_eq!(errors("- [ ] Phase 1: A\n- [ ] Phase 1: B\n").len(), 1);
    assert_eq!(
        errors("## Milestone v1\n### Phase 1: A\n## Milestone v2\n### Phase 1: B\n").len(),
        1
    );
    assert_eq!(
        errors("### Phase 1: A\n### Phase 01: a\n").len(),
        0,
        "the same name twice is a slip"
    );
}

#[test]
fn an_archived_phase_gives_way_to_an_active_one_with_the_same_number() {
    check(
        "<details>\n- [x] Phase 1: Old\n</details>\n\n- [ ] **Phase 1: New** - n\n",
        &[
            "5:1 New NotStarted",
            "warning R.md:5 phase 1 of another milestone (line 2) has the same number; the one that is not archived is meant",
        ],
    );
}

#[test]
fn what_reads_like_a_phase_is_never_lost_without_a_word() {
    let lost = [
        "- Phase 2: B",
        "Phase 2: B\n----",
        "# Phase 2: B",
        "##### Phase 2: B",
        "- ✅ Phase 2: B",
        "- ☐ **Phase 2: B**",
        "> Phase 2: B",
        "- [ ] Phase 2 B",
        "- [ ] **Phase Two: B**",
        "## Phase 2 B",
        "## Phase Two: B",
    ];
    for line in lost {
        let text = format!("### Phase 1: A\n\n## Other\n\n{line}\n");
        let (roadmap, findings) = read("R.md", &text);
        assert_eq!(roadmap.phases.len(), 1, "{line}");
        assert!(
            findings.iter().any(|finding| finding.severity == Severity::Warning),
            "{line}: {findings:?}"
        );
    }
    for line in [
        "- [~] **Phase 2: B**",
        "-[ ] Phase 2: B",
        "- [✓] Phase 2: B",
        "## 🚀 Phase 2: B",
        "## [x] Phase 2: B",
    ] {
        let text = format!("### Phase 1: A\n\n## Other\n\n{line}\n");
        let (roadmap, _) = read("R.md", &text);
        assert_eq!(roadmap.phases.len(), 2, "{line}");
    }
}

#[test]
fn headings_without_a_separator_count_only_when_there_is_nothing_clearer() {
    let (roadmap, findings) = read("R.md", "## Phase 1 Login\n## Phase 2 Cart\n");
    assert_eq!((roadmap.phases.len(), findings.len()), (2, 2));
}

/// Shapes that once were, or could be, slow: each is hundreds of kilobytes and must be over in a blink. A reader that is not linear takes
/// minutes here and shows itself.
#[test]
fn hostile_shapes_are_read_in_linear_time() {
    let repeated = |unit: &str| unit.repeat(300_000 / unit.len());
    for unit in [
        "- [ ] **Phase 1: A** ",
        "✅",
        " (completed x)",
        " (1/",
        "**",
        "~~",
        "(",
        "[",
        "](",
        "<!--",
        "```a\n",
        "- [ ] ",
        "| ",
        "### Phase 1: A\n",
        "<details>\n",
        "Phase 1, ",
        "#",
        "> ",
        "`",
        "Phases 1-9, ",
    ] {
        let line = repeated(unit);
        let _ = read("R.md", &line);
        let _ = read(
            "R.md",
            &format!(
                "### Phase 1: {line}\n**Depends on**: {line}\n**Requirements**: {line}\n**Success Criteria**:\n1. {line}\n"
            ),
        );
        let _ = read("R.md", &format!("- [ ] **Phase 1: {line}** - {line}\n"));
    }
}

#[test]
fn dependencies_are_bounded_however_they_are_written() {
    let mut text: String = (1..=3_000)
        .map(|id| format!("### Phase {id}: A\n**Depends on**: All previous phases\n"))
        .collect();
    assert_eq!(errors(&text).len(), 1);
    text = (1..=1_000).map(|id| format!("### Phase {id}: A\n")).collect();
    text.push_str(&format!("**Depends on**: {}\n", "Phases 1-1000, ".repeat(5_000)));
    assert_eq!(errors(&text).len(), 1);
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "#{1,5} (Phase|Фаза|第) ?[0-9A-Z.-]{0,5}[:：—-]? ?\\PC{0,12}",
        "- \\[[ x~]\\] (\\*\\*|~~)?Phase [0-9.]{1,4}[:-] \\PC{0,10}(\\*\\*|~~)?( — \\PC{0,8})?",
        "\\*\\*(Goal|Depends on|Requirements|Success Criteria|Plans|Status)(\\*\\*:|:\\*\\*) \\PC{0,20}",
        "\\| [0-9.–-]{1,5}\\.? ?\\PC{0,6} \\| (Complete|Not started|In progress) \\|",
        "(<details>|</details>|```|<!--|-->|---|)",
        "\\PC{0,30}",
    ]
}

/// Read as two parts, where they can be joined.
fn read_parted(text: &str, at: usize) -> Option<(Roadmap<'_>, Vec<Finding>)> {
    let (before, after) = part::split(text, at);
    let joined = Part::first(before).followed_by(Part::second(before, after));
    joined.map(|whole| of_part("R.md", whole))
}

#[test]
fn parts_are_joined_unless_the_first_leaves_something_open() {
    let check = |before: &str, is_joined: bool| {
        let text = format!("{before}\n### Phase 1: A\n**Goal**: g\n### Phase 2 B\n```\n```\n");
        assert_eq!(part::split(&text, 0).0.len(), before.len() + 1, "{text}");
        let parted = read_parted(&text, 0);
        assert_eq!(parted.is_some(), is_joined, "{text}");
        assert!(parted.is_none_or(|parted| parted == read("R.md", &text)), "{text}");
    };
    check("", true);
    check("- [x] Phase 1: A\n\n## v1.0", true);
    check("### Phase1: A\n<details>\n</details>\n<!-- -->", true);
    check("```", false);
    check("<!--", false);
    check("<details>", false);
}

#[test]
fn a_text_is_parted_before_a_phase_or_not_at_all() {
    let text = "# Roadmap\n### Phase 1: A\n#### Notes\n### Phase 2: B\n";
    assert_eq!(part::split(text, 10).1, "### Phase 2: B\n");
    assert_eq!(part::split(text, text.len() - 2).1, "");
    assert_eq!(part::split(text, 2 * text.len()).1, "");
}

proptest! {
    #[test]
    fn two_parts_say_what_the_whole_says(lines in proptest::collection::vec(line(), 0..24), at in 0..400usize) {
        let text = lines.join("\n");
        if let Some(parted) = read_parted(&text, at) {
            prop_assert_eq!(parted, read("R.md", &text));
        }
    }

    #[test]
    fn any_text_is_read_the_same_twice_and_every_line_exists(lines in proptest::collection::vec(line(), 0..24)) {
        let text = lines.join("\n");
        let first = read("R.md", &text);
        prop_assert_eq!(&first, &read("R.md", &text));
        let count = text.lines().count().max(1) as u32;
        let (roadmap, findings) = first;
        for phase in &roadmap.phases {
            prop_assert!((1..=count).contains(&phase.line));
        }
        for finding in &findings {
            prop_assert!(finding.place.line.is_none_or(|line| (1..=count).contains(&line)));
        }
        prop_assert_eq!(roadmap.phases.is_empty(), findings.iter().any(|finding| finding.message == NO_PHASES));
        let ids: std::collections::BTreeSet<_> = roadmap.phases.iter().map(|phase| &phase.id).collect();
        prop_assert_eq!(ids.len(), roadmap.phases.len());
    }
}
