//! ROAD-5: requirement definitions and traceability in the forms projects use.

use proptest::prelude::*;

use super::*;

fn ids(text: &str) -> Vec<String> {
    let (requirements, _) = read("REQUIREMENTS.md", text);
    requirements
        .list
        .iter()
        .map(|requirement| {
            let state = match requirement.state {
                RequirementState::Open => "open",
                RequirementState::Done => "done",
                RequirementState::Unmarked => "unmarked",
            };
            format!("{} {state}: {}", requirement.id, requirement.text)
        })
        .collect()
}

fn traced(text: &str) -> Vec<String> {
    let (requirements, _) = read("REQUIREMENTS.md", text);
    let show = |trace: &Trace| {
        let phases: Vec<String> = trace.phases.iter().map(ToString::to_string).collect();
        format!("{}={}", trace.id, phases.join("+"))
    };
    requirements.traced.iter().map(show).collect()
}

#[test]
fn definitions_in_lists() {
    let check = |text: &str, expected: &[&str]| assert_eq!(ids(text), expected, "{text}");
    check("- [ ] **AUTH-01**: log in", &["AUTH-01 open: log in"]);
    check("- [x] **KB-04a**: done", &["KB-04a done: done"]);
    check("* **MEAS-RUNTIME-01:** later", &["MEAS-RUNTIME-01 unmarked: later"]);
    check("- [ ] **US-1** — story", &["US-1 open: story"]);
    check("- [ ] AUTH-02: plain", &["AUTH-02 open: plain"]);
    check(
        "- [ ] **FR1.2**: dotted\n- [ ] **PROV-09.x**: placeholder",
        &["FR1.2 open: dotted", "PROV-09.x open: placeholder"],
    );
    check("- plain AUTH-02: prose\n- **Note**: words\n- see **AUTH-01** there", &[]);
    check("```\n- [ ] **AUTH-01**: in code\n```", &[]);
}

#[test]
fn definitions_in_tables() {
    let table = "| ID | Description | Status |\n|---|---|---|\n| AUTH-01 | log in | Done |\n| **AUTH-02** | log out | Pending |\n";
    assert_eq!(ids(table), ["AUTH-01 done: log in", "AUTH-02 open: log out"]);
}

#[test]
fn the_traceability_table() {
    let check = |text: &str, expected: &[&str]| assert_eq!(traced(text), expected, "{text}");
    let head = "## Traceability\n\n| Requirement | Phase | Status |\n|---|---|---|\n";
    check(
        &format!("{head}| A-01 | Phase 3 | Pending |\n| A-02 | Phase 4, Phase 2.1 | Complete |\n"),
        &["A-01=3", "A-02=4+2.1"],
    );
    check(
        &format!("{head}| A-01 | Phase 3 | x |\n\n| A-02 | Phase 4 | x |\n"),
        &["A-01=3", "A-02=4"],
    );
    check("| Requirement | Phase |\n|---|---|\n| A-01 | Phase 3 |\n", &["A-01=3"]);
    check("| A-01 | Phase 3 |\n", &[]);
}

#[test]
fn duplicates_and_strays_are_reported() {
    let text = "- [ ] **A-01**: x\n- [ ] **A-01**: y\n## Traceability\n| Requirement | Phase |\n|---|---|\n| A-09 | Phase 1 |\n";
    let messages: Vec<String> =
        read("R.md", text).1.into_iter().map(|finding| finding.message).collect();
    assert_eq!(
        messages,
        [
            "requirement A-01 is defined twice (also in line 1)",
            "requirement A-09 is traced but not defined"
        ]
    );
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "(- \\[.\\] \\*\\*[A-Z0-9a-z.-]{0,8}\\*\\*:? ?\\PC{0,12}\n|\\|\\PC{0,16}\\|?\n|#{1,4} \\PC{0,16}\n|\\PC{0,30}\n){0,12}") {
        let (requirements, _) = read("R.md", &text);
        for requirement in &requirements.list {
            prop_assert!(text.contains(&requirement.id));
        }
    }
}
