//! Which files decide, and what counts as a change of one.

use super::*;
use crate::run::checks::fixture::Scene;
use crate::run::definition::SpecLock;

fn project(roadmap: &str, spec: &str) -> ProjectDefinition {
    let mut scene = Scene::new();
    scene.configure(&[]);
    let mut project = scene.run.project.unwrap();
    project.roadmap = roadmap.to_string();
    project.spec = Some(SpecLock { path: spec.to_string(), hash: String::new() });
    project
}

#[test]
fn roadmap_spec_settings_requirements_plans_and_prompts_say_how_work_is_measured() {
    let project = project("ROADMAP.md", "docs/spec.md");
    for path in [
        "ROADMAP.md",
        "docs/spec.md",
        ".planning/config.json",
        ".planning/REQUIREMENTS.md",
        ".planning/ROADMAP.md",
        ".planning/autopilot/prompts/verify.md",
        ".planning/phases/02-mail/02-01-PLAN.md",
        ".planning/phases/02-mail/PLAN.md",
        ".planning/phases/02-mail/plans/PLAN-01-x.md",
        // What is said to have been measured.
        ".planning/phases/02-mail/RECEIPT.json",
        ".planning/RECEIPT.json",
        // Links in the place of a folder.
        ".planning",
        ".planning/phases",
        ".planning/phases/02-mail",
        ".planning/phases/02-mail/plans",
        ".planning/autopilot",
        "docs",
    ] {
        assert!(is_definition(Some(&project), path), "{path}");
    }
    for path in [
        "src/lib.rs",
        "docs/other.md",
        "PLAN.md",
        "spec.md",
        ".planning/STATE.md",
        ".planning/config.json.old",
        ".planning/phases/02-mail/RESEARCH.md",
        ".planning/phases/02-mail/02-01-SUMMARY.md",
        "planning",
        "doc",
    ] {
        assert!(!is_definition(Some(&project), path), "{path}");
    }
    assert!(is_definition(None, ".planning/config.json"));
}

#[test]
fn ticks_status_and_line_endings_decide_nothing_and_every_other_word_does() {
    let text = "# Roadmap\n\n- [ ] **Phase 1: Login** - people log in\n\n### Phase 1: Login\n**Status**: open\n**Plans:** 0/2 plans\n\
                **Success Criteria**:\n  1. It works -- verified by: `make ok`\n";
    let check = |after: &str, expected: Option<Touch>| {
        assert_eq!(touch(".planning/ROADMAP.md", Some(text), Some(after)), expected, "{after}");
    };
    check(text, None);
    check(&text.replace("[ ]", "[x]"), Some(Touch::OnlyTicks));
    check(
        &text.replace("people log in", "people log in (completed 2026-11-16)"),
        Some(Touch::OnlyTicks),
    );
    check(&text.replace("**Status**: open", "**Status**: complete"), Some(Touch::OnlyTicks));
    check(&text.replace("0/2 plans", "2/2 plans complete"), Some(Touch::OnlyTicks));
    check(&text.replace('\n', "\r\n"), Some(Touch::OnlyTicks));
    check(&text.replace("make ok", "true"), Some(Touch::Changed));
    check(&text.replace("  1. It works -- verified by: `make ok`\n", ""), Some(Touch::Changed));
    check(&text.replace("people log in", "people log in (with a password)"), Some(Touch::Changed));
    assert_eq!(touch("a.md", None, Some("x")), Some(Touch::Added));
    assert_eq!(touch("a.md", Some("x"), None), Some(Touch::Removed));
    let config = ".planning/config.json";
    assert_eq!(touch(config, Some("{}\n"), Some("{}\r\n")), Some(Touch::OnlyTicks));
    assert_eq!(touch(config, Some("{\"a\": 1}"), Some("{\"a\": 2}")), Some(Touch::Changed));
}

#[test]
fn of_a_plan_its_tasks_and_checks_count() {
    let path = ".planning/phases/01-login/01-01-PLAN.md";
    let plan = "---\nphase: 1\nplan: 1\n---\n\n<task>\n<name>Form</name>\n<files>src/form.rs</files>\n<action>Write it.</action>\n\
                <verify><automated>make form</automated></verify>\n<done>It is there</done>\n</task>\n";
    let check = |after: &str, expected: Touch| {
        assert_eq!(touch(path, Some(plan), Some(after)), Some(expected), "{after}");
    };
    check(&format!("{plan}\nDone, and it went well.\n"), Touch::OnlyTicks);
    check(&plan.replace("Write it.", "Wrote it."), Touch::OnlyTicks);
    check(&plan.replace("make form", "true"), Touch::Changed);
    check(&plan.replace("src/form.rs", "src/form.rs, .planning/config.json"), Touch::Changed);
    check("", Touch::Changed);
}

#[test]
fn a_plan_that_appeared_after_the_start_is_not_read_and_one_that_changed_is_told() {
    let mut phase = Scene::new().phase;
    let text = |name: &str, text: &str| PlanFile {
        folder: "01-login".to_string(),
        name: name.to_string(),
        path: format!(".planning/phases/01-login/{name}"),
        text: text.to_string(),
    };
    let (first, second) = (text("01-01-PLAN.md", "a\n"), text("01-02-PLAN.md", "b\n"));
    let (kept, faults) = as_locked(&phase, vec![first.clone()]);
    assert_eq!((kept.len(), faults.len()), (1, 0), "an old run has no locks");
    phase.plans = vec![DefinitionLock::of(&first.path, "a\r\n")];
    let (kept, faults) = as_locked(&phase, vec![first.clone(), second]);
    assert_eq!((kept, faults.len()), (vec![first.clone()], 1));
    assert!(faults[0].message.contains("was not there when the run began"), "{faults:?}");
    let changed = PlanFile { text: "c\n".to_string(), ..first };
    let (kept, faults) = as_locked(&phase, vec![changed]);
    assert_eq!((kept.len(), faults.len()), (1, 1));
    assert!(faults[0].message.contains("is not as it was"), "{faults:?}");
}
