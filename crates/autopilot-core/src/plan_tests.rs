//! ROAD-6: front matter and tasks in every form named there, in texts of our own.

use proptest::prelude::*;

use super::*;

fn messages(text: &str) -> Vec<String> {
    read("P.md", text)
        .1
        .into_iter()
        .map(|finding| format!("{} {}", finding.place, finding.message))
        .collect()
}

const FULL: &str = r#"<!-- a remark before it -->
---
phase: 03-login
plan: 01
type: execute
wave: 2
depends_on: [01, "03-00"]
files_modified:
  - src/a.rs
  - src/b.rs
autonomous: false
requirements: [AUTH-01]
must_haves:
  truths:
    - "People log in"
  artifacts:
    - path: src/a.rs
      provides: login
  key_links:
    - from: a
      to: b
---

<tasks>

<task type="auto" id="1" complexity="medium" tdd="true">
  <name>Task 1: The form</name>
  <files>src/a.rs, `src/b.rs` (new)</files>
  <read_first>
    - src/lib.rs (how it is done)
    - docs/x.md
  </read_first>
  <action>
    Write <div>html</div> and </action> in text.
    ```html
    <task>not one</task>
    ```
  </action>
  <verify>
    <automated>cargo test form</automated>
    <automated>cargo clippy</automated>
  </verify>
  <acceptance_criteria>
    - It shows -- verified by: `cargo test shows`
    - It feels right
  </acceptance_criteria>
  <done>Done when shown.</done>
</task>

<task type="checkpoint:decision" gate="blocking">
  <name>Task 2: Which way</name>
</task>

<task type="checkpoint:human-verify" gate="advisory">
  <what-built>A page</what-built>
</task>
</tasks>
"#;

#[test]
fn front_matter_is_read_field_by_field() {
    let (plan, findings) = read("P.md", FULL);
    assert_eq!(findings, []);
    assert_eq!(
        (plan.phase.as_str(), plan.number.as_str(), plan.kind.as_str()),
        ("03-login", "01", "execute")
    );
    assert_eq!(plan.phase_id(), Some(crate::phase_id::PhaseId::number(3)));
    assert_eq!((plan.wave, plan.is_autonomous), (Some(2), Some(false)));
    assert_eq!(plan.depends_on.len(), 2);
    assert_eq!(plan.files_modified, ["src/a.rs", "src/b.rs"]);
    assert_eq!(plan.requirements, ["AUTH-01"]);
    assert_eq!(plan.must_haves.truths, ["People log in"]);
    assert_eq!((plan.must_haves.artifacts.len(), plan.must_haves.key_links.len()), (1, 1));
    assert_eq!(plan.fields.len(), 9);
}

#[test]
fn numbers_in_lists_stay_as_they_are_written() {
    let check = |field: &str, expected: &[&str]| {
        let (plan, _) = read("P.md", &format!("---\n{field}\n---\n"));
        assert_eq!(plan.depends_on, expected, "{field}");
    };
    check("depends_on: [01, 08-02]", &["01", "08-02"]);
    check("depends_on: 01", &["01"]);
    check("depends_on:\n  - 01\n  - 02", &["01", "02"]);
    check("depends_on: [\"01\", '02']", &["01", "02"]);
    check("depends_on: []", &[]);
    check("depends_on: none", &[]);
    check("depends_on:", &[]);
}

#[test]
fn tasks_are_scanned_as_text() {
    let (plan, _) = read("P.md", FULL);
    let kinds: Vec<&TaskKind> = plan.tasks.iter().map(|task| &task.kind).collect();
    assert_eq!(kinds, [&TaskKind::Auto, &TaskKind::Decision, &TaskKind::HumanVerify]);
    let first = &plan.tasks[0];
    assert_eq!((first.id.as_str(), first.name.as_str(), first.line), ("1", "Task 1: The form", 26));
    assert_eq!((first.complexity, first.is_tdd), (Some(Complexity::Medium), true));
    assert_eq!(first.files, ["src/a.rs", "src/b.rs"]);
    assert_eq!(first.read_first, ["src/lib.rs", "docs/x.md"]);
    assert!(
        first.action.contains("<div>html</div>") && first.action.contains("not one"),
        "{}",
        first.action
    );
    assert_eq!(first.automated, ["cargo test form", "cargo clippy"]);
    assert_eq!(
        first.criteria.iter().map(|criterion| criterion.command()).collect::<Vec<_>>(),
        [Some("cargo test shows"), None]
    );
    assert_eq!(first.done, "Done when shown.");
    assert_eq!(plan.tasks[1].gate, "blocking");
    assert_eq!(plan.tasks[2].name, "A page");
}

#[test]
fn tasks_under_headings_and_features() {
    let headed = "## Task 1: First\n**Files:** a.rs, b.rs\n**Action:** Do it\nin two lines\n**Verify:**\n- ok -- verified by: `make t`\n**Done:** yes\n\n## Task 2 — Second\n";
    let (plan, _) = read("P.md", headed);
    let names: Vec<&str> = plan.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["First", "Second"]);
    assert_eq!(plan.tasks[0].files, ["a.rs", "b.rs"]);
    assert_eq!(plan.tasks[0].action, "Do it\nin two lines");
    assert_eq!(plan.tasks[0].criteria[0].command(), Some("make t"));
    let (plan, _) = read(
        "P.md",
        "<feature>\n<name>F</name>\n<files>a.rs</files>\n<behavior>b</behavior>\n<implementation>i</implementation>\n</feature>\n",
    );
    assert_eq!(
        (plan.tasks.len(), &plan.tasks[0].kind, plan.tasks[0].action.as_str()),
        (1, &TaskKind::Feature, "b\n\ni")
    );
}

#[test]
fn one_fault_costs_one_field() {
    let text = "---\nphase: 3\ntitle: Fix: two colons\nrequirements: {a: [\nwave: x\nautonomous: perhaps\nphase: 4\n---\n<task>\n";
    let (plan, _) = read("P.md", text);
    assert_eq!((plan.phase.as_str(), plan.tasks.len()), ("3", 1));
    assert_eq!(
        messages(text),
        [
            "P.md:5 wave \"x\" is no number",
            "P.md:6 autonomous \"perhaps\" is neither true nor false",
            "P.md:7 field phase stands twice; the first counts",
            "P.md:9 <task> opened here never closes",
        ]
    );
    assert!(messages("no task here\n")[0].starts_with("P.md:1 no task found"));
    assert!(messages("---\nphase: 3\n")[0].contains("never closes"));
    assert_eq!(messages("<task type=\"dance\" complexity=\"odd\">\n</task>\n").len(), 2);
}

#[test]
fn hostile_plans_are_read_in_linear_time() {
    let keys: String = (0..40_000).map(|index| format!("k{index}: v\n")).collect();
    let (plan, findings) = read("P.md", &format!("---\n{keys}---\n"));
    assert_eq!(plan.fields.len(), crate::limits::FRONT_MATTER_FIELDS_MAX);
    assert!(findings.iter().any(|finding| finding.message.contains("too many fields")));
    for unit in [
        "<task>\n",
        "<task>\n</task>\n",
        "</task>",
        "<name>",
        "- x -- verified by: `a`\n",
        "## Task 1\n",
        "k: [",
        "&a *a ",
    ] {
        let text = unit.repeat(500_000 / unit.len());
        let _ = read("P.md", &text);
        let _ = read("P.md", &format!("<task>\n{text}\n</task>\n"));
        let _ = read("P.md", &format!("---\nfield: {text}\n---\n"));
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "(---\n)?((phase|plan|wave|depends_on|must_haves): \\PC{0,16}\n|  - \\PC{0,10}\n|</?(task|name|files|action|verify|automated|feature)[^>\n]{0,12}>\\PC{0,10}\n|## Task \\PC{0,8}\n|---\n|\\PC{0,20}\n){0,16}") {
        let (plan, findings) = read("P.md", &text);
        let count = text.lines().count().max(1) as u32;
        for task in &plan.tasks {
            prop_assert!((1..=count).contains(&task.line));
        }
        for finding in &findings {
            prop_assert!(finding.place.line.is_none_or(|line| (1..=count).contains(&line)));
        }
    }
}
